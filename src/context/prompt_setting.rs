//! What the prompts of a set of completions show: the setting, the tree and the wording, under one name.

use std::fmt;
use std::str::FromStr;

use super::setting::Setting;
use crate::benchmark::RequirementStyle;
use crate::error::{Error, Result};

/// A setting with its moment and wording. Its name is that of the set's folder, `setting[@revision][+wording]`:
/// `retrieved@base`, `local_infilling@v2.1+detailed`. Bytes of a revision that a folder's name should not hold are
/// written as `%XX`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PromptSetting {
    /// The setting.
    pub setting: Setting,
    /// The tree: `base`, `newest`, or a commit, branch or tag; the newest without.
    pub revision: Option<String>,
    /// The wording of the requirement; the benchmark's default one without.
    pub requirement: Option<RequirementStyle>,
}

impl PromptSetting {
    /// The name of the tree, `newest` where none is given.
    pub fn moment(&self) -> &str {
        self.revision.as_deref().unwrap_or("newest")
    }
}

impl fmt::Display for PromptSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.setting)?;
        if let Some(revision) = &self.revision {
            f.write_str("@")?;
            for byte in revision.bytes() {
                match byte {
                    b'-' | b'.' | b'_' => write!(f, "{}", char::from(byte))?,
                    _ if byte.is_ascii_alphanumeric() => write!(f, "{}", char::from(byte))?,
                    _ => write!(f, "%{byte:02X}")?,
                }
            }
        }
        match self.requirement {
            Some(requirement) => write!(f, "+{}", requirement.word()),
            None => Ok(()),
        }
    }
}

impl FromStr for PromptSetting {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let worded = text.rsplit_once('+').and_then(|(rest, word)| {
            let requirement = word.parse().ok()?;
            Some((rest, Some(requirement)))
        });
        let (rest, requirement) = worded.unwrap_or((text, None));
        let (setting, revision) = match rest.split_once('@') {
            Some((setting, revision)) => (setting, Some(decoded(revision))),
            None => (rest, None),
        };
        if revision.as_deref() == Some("") {
            return Err(Error::user(format!("'{text}' names no revision"))
                .hint("write a revision after the @: retrieved@base, retrieved@v2.1"));
        }
        Ok(Self {
            setting: setting.parse()?,
            revision,
            requirement,
        })
    }
}

/// The text with each `%XX` as its byte; as it is where that gives no text.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let code = more
            .get(..2)
            .and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        if let Some(byte) = byte.filter(|_| *first == b'%') {
            bytes.push(byte);
            rest = &more[2..];
        } else {
            bytes.push(*first);
            rest = more;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_setting_a_revision_and_a_wording() {
        for (text, revision, requirement) in [
            ("retrieved", None, None),
            ("retrieved@base", Some("base"), None),
            (
                "retrieved+human",
                None,
                Some(RequirementStyle::HumanLabelled),
            ),
            (
                "oracle@v2.1+detailed",
                Some("v2.1"),
                Some(RequirementStyle::Detailed),
            ),
            ("oracle@fix%2Fa%2Bbrief", Some("fix/a+brief"), None),
        ] {
            let read: PromptSetting = text.parse().unwrap();
            assert_eq!(read.revision.as_deref(), revision);
            assert_eq!(read.requirement, requirement);
            assert_eq!(read.to_string(), text);
        }
        let typed: PromptSetting = "retrieved@feature/x".parse().unwrap();
        assert_eq!(typed.to_string(), "retrieved@feature%2Fx");
        assert_eq!(typed.to_string().parse::<PromptSetting>().unwrap(), typed);
        assert!("retrieved@".parse::<PromptSetting>().is_err());
        assert!("recalled@base".parse::<PromptSetting>().is_err());
    }
}
