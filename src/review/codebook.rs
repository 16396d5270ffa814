//! A codebook is a TOML file that lists causes of failures. Annotators choose from these causes. This module also
//! proposes causes from the evidence about a failed completion.
//!
//! ```toml
//! name = "ours"
//! version = "2"
//!
//! [[cause]]
//! id = "missing_context"        # the name in exports, unique
//! label = "Missing context"     # the name on the screen
//! key = "2"                     # the key that sets the cause: one character, unique
//! description = "…"             # when the cause applies
//! ```

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files::read_text;

/// One cause of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// The unique name of the cause in exports.
    pub id: String,
    /// The name of the cause on the screen.
    pub label: String,
    /// The key that sets the cause in a review.
    pub key: char,
    /// When the cause applies.
    #[serde(default)]
    pub description: String,
}

/// A list of causes with a name and a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codebook {
    /// The name of the codebook.
    pub name: String,
    /// The version of the codebook. It must change if the meaning of a cause changes.
    pub version: String,
    /// The causes, in the order in which the screen shows them.
    #[serde(rename = "cause")]
    pub causes: Vec<Cause>,
}

impl Default for Codebook {
    /// The codebook that is part of Evoscope. It has the causes that the benchmarks' papers name: implementation logic,
    /// missing context, vague requirement.
    fn default() -> Self {
        #[expect(
            clippy::expect_used,
            reason = "the file is part of the program; a test reads it"
        )]
        toml::from_str(include_str!("codebook.toml")).expect("the built-in codebook reads")
    }
}

impl Codebook {
    /// Reads a codebook.
    ///
    /// Errors if the file cannot be read, or does not have the format in the module documentation. Errors also if two
    /// causes have the same id or key, or if an id is blank or contains `+`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = read_text(path)?;
        let book: Self = toml::from_str(&text).map_err(|why| {
            let start = why.span().map_or(0, |span| span.start);
            let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..start.min(text.len())]).count();
            Error::data(why.message().to_owned())
                .at_line(path, line as u64 + 1)
                .hint("a codebook has 'name', 'version' and [[cause]] tables with 'id', 'label', 'key'")
        })?;
        book.check().map_err(|why| why.at(path))?;
        Ok(book)
    }

    fn check(&self) -> Result<()> {
        let (mut ids, mut keys) = (BTreeSet::new(), BTreeSet::new());
        for cause in &self.causes {
            if !ids.insert(&cause.id) {
                return Err(Error::data(format!(
                    "two causes have the id '{}'",
                    cause.id
                )));
            }
            if !keys.insert(cause.key) {
                return Err(Error::data(format!(
                    "two causes have the key '{}'",
                    cause.key
                )));
            }
            if cause.id.contains('+') || cause.id.trim().is_empty() {
                return Err(Error::data(format!("'{}' is no id for a cause", cause.id))
                    .hint("use letters, digits and underscores"));
            }
        }
        Ok(())
    }

    /// The codebook's name and version, such as `papers 1`. This text is stored with each cause that an annotator sets.
    pub fn edition(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// The cause with this id. `None` if the codebook does not have the cause.
    pub fn cause(&self, id: &str) -> Option<&Cause> {
        self.causes.iter().find(|cause| cause.id == id)
    }
}

/// What is known about a failed completion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The class of the exception, such as `NameError`. `None` if no exception is known.
    pub exception: Option<String>,
    /// The failing test. `None` if no test is known.
    pub test: Option<String>,
    /// Whether the dependencies of the completion were analysed.
    pub looked_up: bool,
    /// The dependencies of the reference code that the completion does not use. Empty if `looked_up` is false.
    pub missed: Vec<String>,
    /// The dependencies of the reference code that the context did not contain.
    pub unseen: Vec<String>,
    /// The questions about the requirement that annotators answered with no, such as `clear`.
    pub doubts: Vec<String>,
}

/// A cause that the evidence suggests, with the reason. The annotator decides whether to set the cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proposal {
    /// The id of the cause.
    pub cause: String,
    /// The evidence for the cause as a text.
    pub because: String,
}

impl Evidence {
    /// The causes that the evidence suggests: first missing context, then vague requirement, then implementation logic.
    /// Causes that `codebook` does not have are left out.
    ///
    /// Missing context is proposed if a dependency is in `missed` and in `unseen`, or if the exception means that
    /// Python did not find a name. A vague requirement is proposed if `doubts` is not empty. Implementation logic is
    /// proposed if there is an exception or a failing test, but no dependency in both `missed` and `unseen`.
    pub fn proposals(&self, codebook: &Codebook) -> Vec<Proposal> {
        let mut found = Vec::new();
        let both: Vec<&str> = self
            .missed
            .iter()
            .filter(|name| self.unseen.contains(name))
            .map(String::as_str)
            .collect();
        if !both.is_empty() {
            found.push((
                "missing_context",
                format!("missed and not shown: {}", both.join(", ")),
            ));
        } else if let Some(name) = self.unknown_name() {
            found.push((
                "missing_context",
                format!("{name}: the code uses a name that does not exist"),
            ));
        }
        if !self.doubts.is_empty() {
            found.push((
                "vague_requirement",
                format!("marked not {}", self.doubts.join(", not ")),
            ));
        }
        if both.is_empty() && (self.exception.is_some() || self.test.is_some()) {
            let what = self.exception.as_deref().unwrap_or("failed");
            let place = self
                .test
                .as_ref()
                .map_or_else(String::new, |test| format!(" in {test}"));
            let seen = match self.missed.as_slice() {
                [] if self.looked_up => "every reference dependency used".to_owned(),
                [] => "its dependencies were not analysed".to_owned(),
                missed => format!("missed: {}", missed.join(", ")),
            };
            found.push(("implementation_logic", format!("{what}{place}; {seen}")));
        }
        let known = found
            .into_iter()
            .filter(|(cause, _)| codebook.cause(cause).is_some());
        known
            .map(|(cause, because)| Proposal {
                cause: cause.to_owned(),
                because,
            })
            .collect()
    }

    /// The exception's class if it means that Python did not find a name.
    fn unknown_name(&self) -> Option<&str> {
        let name = self.exception.as_deref()?;
        [
            "NameError",
            "AttributeError",
            "ImportError",
            "ModuleNotFoundError",
        ]
        .contains(&name)
        .then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_causes_of_the_papers_are_built_in() {
        let book = Codebook::default();
        book.check().unwrap();
        let ids: Vec<_> = book.causes.iter().map(|cause| cause.id.as_str()).collect();
        assert_eq!(
            ids,
            [
                "implementation_logic",
                "missing_context",
                "vague_requirement"
            ]
        );
        assert_eq!(book.edition(), "papers 1");
    }

    #[test]
    fn repeated_ids_and_unknown_fields_are_errors() {
        let read = |text: &str| {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), text).unwrap();
            let error = Codebook::read(file.path()).unwrap_err();
            (error.place().unwrap().line, error.what().to_owned())
        };
        let head = "name = \"n\"\nversion = \"1\"\n";
        let cause = "[[cause]]\nid = \"a\"\nlabel = \"A\"\nkey = \"1\"\n";
        assert_eq!(
            read(&format!("{head}{cause}{cause}")).1,
            "two causes have the id 'a'"
        );
        let (line, what) = read(&format!("{head}[[cause]]\nid = \"a\"\nlable = \"A\"\n"));
        assert_eq!(line, Some(5));
        assert!(what.contains("lable"), "{what}");
    }

    #[test]
    fn evidence_proposes_causes_with_reasons() {
        let mut evidence = Evidence {
            exception: Some("AssertionError".into()),
            test: Some("test_first".into()),
            looked_up: true,
            ..Evidence::default()
        };
        let causes = |evidence: &Evidence| {
            let found = evidence.proposals(&Codebook::default());
            found
                .into_iter()
                .map(|one| (one.cause, one.because))
                .collect::<Vec<_>>()
        };
        let logic = "AssertionError in test_first; every reference dependency used";
        assert_eq!(
            causes(&evidence),
            [("implementation_logic".to_owned(), logic.to_owned())]
        );
        evidence.missed = vec!["a.f".into(), "a.g".into()];
        evidence.unseen = vec!["a.g".into()];
        evidence.doubts = vec!["clear".into()];
        let found = causes(&evidence);
        assert_eq!(
            found[0],
            (
                "missing_context".to_owned(),
                "missed and not shown: a.g".to_owned()
            )
        );
        assert_eq!(
            found[1],
            (
                "vague_requirement".to_owned(),
                "marked not clear".to_owned()
            )
        );
        assert_eq!(found.len(), 2);
    }
}
