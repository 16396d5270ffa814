//! Finds where each line of a tree occurs. The lines are stripped, and blank lines do not count. A *place* is an index
//! into the list of all such lines of the corpus (`Corpus::solid`). Each distinct line has a number in the corpus.

use super::corpus::{Corpus, NONE};
use super::intern::index;

/// A set of numbers, with one bit for each number.
#[derive(Debug, Clone, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub fn with_capacity(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Adds a number. Returns true if the number is new.
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

pub(super) struct Places {
    lines: Bits,
    /// For each 64-bit word of the set `lines`: how many lines the previous words contain.
    before: Vec<u32>,
    /// For each line of the tree, in ascending order: the index in `at` of the line's first place. The last entry is
    /// the length of `at`.
    starts: Vec<u32>,
    /// All places, sorted by line.
    at: Vec<u32>,
}

impl Places {
    /// The places of the lines of a tree. `contents` are the numbers of the tree's contents in `corpus`.
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

    /// Fills `starts` and `at` with a counting sort of the places by line.
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

    /// A place where the consecutive lines `lines` begin. `None` if the tree does not have them, or if `lines` is
    /// empty.
    pub fn of_run(&self, corpus: &Corpus, lines: &[u32]) -> Option<u32> {
        let rarest = (0..lines.len()).min_by_key(|&at| self.of_line(lines[at]).len())?;
        let before = index(rarest);
        let starts = self.of_line(lines[rarest]).iter();
        starts
            .filter_map(|place| place.checked_sub(before))
            .find(|&start| corpus.solid_from(start).starts_with(lines))
    }
}

/// The number of equal lines at the beginning of two lists. Counting stops at [`NONE`], which ends each content.
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
