//! Assigns numbers to byte strings: each new string gets the next number, and equal strings have the same number.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Converts a count to `u32`. A count that is too large becomes `u32::MAX`. A [`Corpus`](super::Corpus) rejects sources
/// before its counts become that large.
pub(super) fn index(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A number in a table, with the hash of the text or list that the number represents. The hash is stored so that a
/// growing table need not read the texts again.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    hash: u32,
    id: u32,
}

/// A hash table of numbers. Each number represents a text or a list, which is stored elsewhere.
#[derive(Default)]
pub(super) struct Numbers(HashTable<Slot>);

impl Numbers {
    /// The number that has this hash and for which `is_it` returns true; `None` if there is none.
    pub fn find(&self, hash: u32, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let found = self
            .0
            .find(spread(hash), |slot| slot.hash == hash && is_it(slot.id));
        found.map(|slot| slot.id)
    }

    /// Adds a number that is not in the table yet.
    pub fn add(&mut self, hash: u32, id: u32) {
        let slot = Slot { hash, id };
        self.0
            .insert_unique(spread(hash), slot, |slot| spread(slot.hash));
    }
}

/// The hash of a text or of a list of numbers, reduced to 32 bits.
pub(super) fn hash(what: &(impl Hash + ?Sized)) -> u32 {
    let hash = FxBuildHasher.hash_one(what);
    #[expect(clippy::cast_possible_truncation, reason = "only 32 bits are used")]
    let half = (hash ^ (hash >> 32)) as u32;
    half
}

/// Extends a hash to 64 bits. `HashTable` uses the highest and the lowest bits, so all these bits must vary.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Numbered texts, stored one after the other.
#[derive(Default)]
pub(super) struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    numbers: Numbers,
}

impl Interner {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// All texts, one after the other.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn get(&self, id: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
    }

    pub fn find(&self, text: &[u8]) -> Option<u32> {
        self.numbers.find(hash(text), |id| self.get(id) == text)
    }

    /// The number of `text`, and whether it is new.
    pub fn intern(&mut self, text: &[u8]) -> (u32, bool) {
        let hash = hash(text);
        let known = |id| slice(&self.bytes, &self.ends, id) == text;
        if let Some(id) = self.numbers.find(hash, known) {
            return (id, false);
        }
        let id = index(self.ends.len());
        self.bytes.extend_from_slice(text);
        self.ends.push(index(self.bytes.len()));
        self.numbers.add(hash, id);
        (id, true)
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u32], id: u32) -> &'a [u8] {
    let at = id as usize;
    let start = if at == 0 { 0 } else { ends[at - 1] };
    &bytes[start as usize..ends[at] as usize]
}

/// Numbered texts that are slices of the bytes of an [`Interner`].
#[derive(Default)]
pub(super) struct Parts {
    spans: Vec<(u32, u32)>,
    numbers: Numbers,
}

impl Parts {
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// The number of the text `bytes[start..end]`. Every call must pass the bytes of the previous call. New bytes are
    /// allowed only at the end.
    pub fn intern(&mut self, bytes: &[u8], start: usize, end: usize) -> u32 {
        let text = &bytes[start..end];
        let hash = hash(text);
        let spans = &self.spans;
        let known = |id: u32| {
            let (start, end) = spans[id as usize];
            &bytes[start as usize..end as usize] == text
        };
        self.numbers.find(hash, known).unwrap_or_else(|| {
            let id = index(self.spans.len());
            self.spans.push((index(start), index(end)));
            self.numbers.add(hash, id);
            id
        })
    }
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

    #[test]
    fn equal_parts_share_a_number() {
        let mut parts = Parts::default();
        assert_eq!(parts.intern(b"ab", 0, 1), 0);
        assert_eq!(parts.intern(b"abxa", 1, 2), 1);
        assert_eq!(parts.intern(b"abxa", 3, 4), 0);
        assert_eq!(parts.intern(b"abxa", 0, 0), 2);
        assert_eq!(parts.len(), 3);
    }

    #[test]
    fn numbers_stay_the_same_when_the_table_grows() {
        let mut names = Interner::default();
        for number in 0..5_000_u32 {
            assert_eq!(names.intern(number.to_string().as_bytes()), (number, true));
        }
        for number in 0..5_000_u32 {
            assert_eq!(names.find(number.to_string().as_bytes()), Some(number));
        }
    }
}
