//! The key (secret) of a model server.

use std::fmt;

use crate::error::{Error, Result};

/// The secret that a server requires. `Debug` does not print it.
#[derive(Clone, Default)]
pub struct Key(Option<String>);

impl Key {
    /// Reads the key from the environment variable `name`. There is no key if the variable is not set or is blank.
    /// Errors when the key has a character that is not a visible ASCII character.
    pub fn from_environment(name: &str) -> Result<Self> {
        let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) else {
            return Ok(Self(None));
        };
        let text = value.to_str().map(str::trim);
        match text.filter(|text| text.bytes().all(|byte| byte.is_ascii_graphic())) {
            Some(text) => Ok(Self(Some(text.to_owned()).filter(|text| !text.is_empty()))),
            None => Err(Error::user(format!(
                "the key in {name} holds characters that no header may hold"
            ))
            .hint("set it again, without blanks and line ends inside")),
        }
    }

    /// Whether there is a key.
    pub fn is_given(&self) -> bool {
        self.0.is_some()
    }

    /// The value of the `Authorization` header. `None` if there is no key.
    pub(super) fn header(&self) -> Option<reqwest::header::HeaderValue> {
        let text = format!("Bearer {}", self.0.as_ref()?);
        let mut value = reqwest::header::HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// `text` from the server, with `(key)` in place of the key.
    pub fn removed_from(&self, text: &str) -> String {
        match &self.0 {
            Some(key) => text.replace(key.as_str(), "(key)"),
            None => text.to_owned(),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_given() {
            "Key(given)"
        } else {
            "Key(none)"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_removed_from_text_and_not_printed() {
        let key = Key(Some("sk-12".to_owned()));
        assert_eq!(format!("{key:?}"), "Key(given)");
        assert_eq!(key.removed_from("bad key sk-12!"), "bad key (key)!");
        assert_eq!(Key::default().removed_from("as it is"), "as it is");
    }
}
