//! Keys over content.

use sha2::{Digest, Sha256};

use crate::environment::hex;

/// What a verdict or a baseline depends on, as a SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentKey(pub(super) [u8; 32]);

impl ContentKey {
    /// The key over all parts; each part's length is hashed with it, so that no two lists of parts share a key.
    pub fn over(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// Its bytes, for a key over it.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// It in hexadecimal digits.
    pub fn hex(&self) -> String {
        hex(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_lists_of_parts_have_different_keys() {
        assert_ne!(
            ContentKey::over(&[b"ab", b"c"]),
            ContentKey::over(&[b"a", b"bc"])
        );
        assert_eq!(ContentKey::over(&[b"ab"]), ContentKey::over(&[b"ab"]));
    }
}
