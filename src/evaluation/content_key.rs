//! Keys that are hashes of content.

use sha2::{Digest, Sha256};

use crate::environment::hex;

/// The SHA-256 hash of a list of byte strings. The store uses such a hash as the key of a verdict, of a baseline or of
/// a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentKey(pub(super) [u8; 32]);

impl ContentKey {
    /// The hash of all `parts`, in their order. The length of each part is hashed too, so that different lists of parts
    /// get different keys.
    pub fn over(parts: &[&[u8]]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Self(hash.finalize().into())
    }

    /// The bytes of the key, to be hashed into another key.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The key in hexadecimal digits.
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
