//! Finds the places of each line in one tree. A place is an index into the stripped, non-blank lines of the corpus.

use super::corpus::{Corpus, NONE};
use super::intern::index;

/// A set of small numbers, as one bit for each number.
#[derive(Debug, Clone, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub fn with_capacity(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Adds a number. Returns whether it was not in the set yet.
    pub fn insert(&mut self, number: u32) -> bool {
        let word = &mut self.0[number as usize / 64];
        let bit = 1 << (number % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    pub fn has(&self, number: u32) -> bool {
        let word = self.0.get(number as usize / 64).copied().unwrap_or(0);
        word & (1 << (number % 64)) != 0
    }

    fn members(&self) -> impl Iterator<Item = u32> {
        self.0.iter().zip(0_u32..).flat_map(|(word, at)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(at * 64 + bit)
            })
        })
    }
}

/// The places of each stripped, non-blank line of a tree.
pub(super) struct Places {
    /// The numbers of the lines that the tree has.
    lines: Bits,
    /// For each 64-bit word of `lines`, the number of lines in the words before it.
    before: Vec<u32>,
    /// For each line of the tree, the index in `at` of its first place. One more entry is the length of `at`.
    starts: Vec<u32>,
    /// The places, grouped by line.
    at: Vec<u32>,
}

impl Places {
    /// The places of all lines of `contents`, the contents of a tree.
    pub fn of(corpus: &Corpus, contents: &Bits) -> Self {
        let mut lines = Bits::with_capacity(corpus.stripped_count());
        let mut all = 0;
        for content in contents.members() {
            let (_, solid) = corpus.solid(content);
            all += solid.len();
            for &line in solid {
                lines.insert(line);
            }
        }
        let mut before = Vec::with_capacity(lines.0.len());
        let mut members = 0;
        for word in &lines.0 {
            before.push(members);
            members += word.count_ones();
        }
        let mut places = Self {
            lines,
            before,
            starts: vec![0; members as usize + 2],
            at: vec![0; all],
        };
        places.fill(corpus, contents);
        places
    }

    /// Sorts the places by line, with a counting sort.
    fn fill(&mut self, corpus: &Corpus, contents: &Bits) {
        for content in contents.members() {
            for &line in corpus.solid(content).1 {
                let rank = self.rank(line);
                self.starts[rank + 2] += 1;
            }
        }
        for rank in 2..self.starts.len() {
            self.starts[rank] += self.starts[rank - 1];
        }
        for content in contents.members() {
            let (first, solid) = corpus.solid(content);
            for (&line, place) in solid.iter().zip(first..) {
                let rank = self.rank(line);
                let next = &mut self.starts[rank + 1];
                self.at[*next as usize] = place;
                *next += 1;
            }
        }
        self.starts.pop();
    }

    /// How many lines of the tree have a smaller number than `line`.
    fn rank(&self, line: u32) -> usize {
        let word = line as usize / 64;
        let smaller = self.lines.0[word] & ((1 << (line % 64)) - 1);
        (self.before[word] + smaller.count_ones()) as usize
    }

    /// The places of a line, in ascending order. Empty if the tree does not have the line.
    pub fn of_line(&self, line: u32) -> &[u32] {
        if !self.lines.has(line) {
            return &[];
        }
        let rank = self.rank(line);
        &self.at[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }

    /// A place where the run `lines` begins. `None` if the tree does not have this run, or if `lines` is empty.
    pub fn of_run(&self, corpus: &Corpus, lines: &[u32]) -> Option<u32> {
        let rarest = (0..lines.len()).min_by_key(|&at| self.of_line(lines[at]).len())?;
        let before = index(rarest);
        let starts = self.of_line(lines[rarest]).iter();
        starts
            .filter_map(|place| place.checked_sub(before))
            .find(|&start| corpus.solid_from(start).starts_with(lines))
    }
}

/// The number of equal lines at the beginning of two lists. Counting stops at [`NONE`], the end of a content.
pub(super) fn common(one: &[u32], other: &[u32]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(a, b)| a == b && **a != NONE).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Language, RepoPath};
    use crate::context::CorpusConfig;
    use crate::history::BlobId;

    #[test]
    fn a_run_is_found_only_in_the_contents_of_the_tree() {
        let mut corpus = Corpus::new(CorpusConfig::of(Language::Python));
        let mut add = |text: &str| {
            let blob = BlobId::of(text.as_bytes()).unwrap();
            corpus.add(blob, &RepoPath::new("a.py"), text, &[]).unwrap()
        };
        let contents = [add("a\n\nb\na\nc"), add("c\nb\nb"), add("b\nc")];
        let mut bits = Bits::with_capacity(3);
        bits.insert(contents[0]);
        bits.insert(contents[1]);
        let places = Places::of(&corpus, &bits);
        let ids: Vec<u32> = corpus.solid(0).1.to_vec();
        let (a, b, c) = (ids[0], ids[1], ids[3]);
        assert_eq!(places.of_line(a), [0, 2]);
        assert_eq!(places.of_line(b), [1, 6, 7]);
        assert_eq!(places.of_line(NONE - 1), [0; 0]);
        assert_eq!(places.of_run(&corpus, &[b, a, c]), Some(1));
        assert_eq!(places.of_run(&corpus, &[c, b]), Some(5));
        assert_eq!(places.of_run(&corpus, &[b, c]), None);
        assert_eq!(places.of_run(&corpus, &[c, c]), None);
        assert_eq!(bits.members().collect::<Vec<_>>(), contents[..2]);
        assert_eq!(common(corpus.solid_from(0), corpus.solid_from(2)), 1);
    }
}
