//! Numbers for byte strings: each distinct string gets the next number.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A count as an index. Saturates; [`Corpus`](super::Corpus) refuses more lines than fit before any index is made.
pub(super) fn index(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[derive(Default)]
pub(super) struct Interner {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    table: HashTable<u32>,
}

impl Interner {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, id: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
    }

    pub fn find(&self, text: &[u8]) -> Option<u32> {
        let hash = FxBuildHasher.hash_one(text);
        self.table.find(hash, |&id| self.get(id) == text).copied()
    }

    /// The number of `text`, and whether it is new.
    pub fn intern(&mut self, text: &[u8]) -> (u32, bool) {
        let Self { bytes, ends, table } = self;
        let hash = FxBuildHasher.hash_one(text);
        if let Some(&id) = table.find(hash, |&id| slice(bytes, ends, id) == text) {
            return (id, false);
        }
        let id = index(ends.len());
        bytes.extend_from_slice(text);
        ends.push(bytes.len());
        table.insert_unique(hash, id, |&id| {
            FxBuildHasher.hash_one(slice(bytes, ends, id))
        });
        (id, true)
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let at = id as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &bytes[start..ends[at]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_a_number() {
        let mut names = Interner::default();
        assert_eq!(names.intern(b""), (0, true));
        assert_eq!(names.intern(b"a"), (1, true));
        assert_eq!(names.intern(b"a"), (1, false));
        assert_eq!((names.find(b"a"), names.find(b"b")), (Some(1), None));
        assert_eq!((names.get(1), names.len()), (&b"a"[..], 2));
    }
}
