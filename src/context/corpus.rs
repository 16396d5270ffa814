//! Everything that retrieval knows of a repository's contents, shared by all its moments.
//!
//! Lines, tokens and windows are numbered in the order of their first sight, and a content is cut and counted once,
//! whatever revisions hold it. Equal windows are one candidate. An inverted index leads from a token to the candidates
//! that hold it.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::intern::{Interner, index};
use super::options::{Chunking, Tokens};
use super::text;
use crate::benchmark::{Language, LineSpan};
use crate::error::{Error, Result};
use crate::history::BlobId;

/// No line, no place: ends chains and separates files.
pub(super) const NONE: u32 = u32::MAX;

/// What is retrieved from: the files of one language, cut and counted in one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pool {
    /// Whose files are taken: those ending in `.py` or `.java`.
    pub language: Language,
    /// How files are cut.
    pub chunking: Chunking,
    /// What is counted.
    pub tokens: Tokens,
}

impl Pool {
    /// The usual pool of a language: windows of 20 lines, one every 10, word tokens.
    pub fn of(language: Language) -> Self {
        Self {
            language,
            chunking: Chunking::default(),
            tokens: Tokens::default(),
        }
    }

    /// Whether a file belongs to it, by the end of its name.
    pub fn takes(&self, path: &str) -> bool {
        path.ends_with(match self.language {
            Language::Python => ".py",
            Language::Java => ".java",
        })
    }
}

/// A content that was cut.
pub(super) struct Content {
    /// Its lines, as a range of `Corpus::lines_of`.
    first_line: u32,
    line_count: u32,
    /// Its stripped, non-blank lines, as a range of `Corpus::solid`.
    first_solid: u32,
    solid_count: u32,
    /// Its windows, as a range of `Corpus::windows`.
    pub windows: std::ops::Range<u32>,
}

/// A snippet where it stands in a content: lines `[start, end)`, 0-based.
pub(super) struct Window {
    pub candidate: u32,
    pub start: u32,
    pub end: u32,
}

/// A distinct snippet: its lines as a range of `Corpus::lines_of`, and how many distinct tokens it has.
pub(super) struct Candidate {
    first_line: u32,
    line_count: u32,
    pub size: u32,
}

/// All contents seen so far, cut and counted. See the module's words.
pub struct Corpus {
    pool: Pool,
    raw: Interner,
    /// For each distinct line, the number of its stripped text; [`NONE`] when that is empty.
    stripped_of: Vec<u32>,
    stripped: Interner,
    words: Interner,
    /// The word tokens of each distinct line, one after the other, and where each line's end.
    line_words: Vec<u32>,
    line_word_ends: Vec<usize>,
    /// The lines of all contents, one content after the other.
    lines_of: Vec<u32>,
    contents: Vec<Content>,
    by_blob: FxHashMap<BlobId, u32>,
    windows: Vec<Window>,
    candidates: Vec<Candidate>,
    by_text: HashTable<u32>,
    postings: Vec<Vec<u32>>,
    /// For each token, the last candidate that counted it, plus one.
    counted: Vec<u32>,
    /// The stripped, non-blank lines of all contents, each content closed by [`NONE`].
    solid: Vec<u32>,
}

impl Corpus {
    /// An empty corpus for `pool`.
    pub fn new(pool: Pool) -> Self {
        Self {
            pool,
            raw: Interner::default(),
            stripped_of: Vec::new(),
            stripped: Interner::default(),
            words: Interner::default(),
            line_words: Vec::new(),
            line_word_ends: Vec::new(),
            lines_of: Vec::new(),
            contents: Vec::new(),
            by_blob: FxHashMap::default(),
            windows: Vec::new(),
            candidates: Vec::new(),
            by_text: HashTable::new(),
            postings: Vec::new(),
            counted: Vec::new(),
            solid: Vec::new(),
        }
    }

    /// What it is made of.
    pub fn pool(&self) -> Pool {
        self.pool
    }

    /// How many distinct contents, windows and lines it knows.
    pub fn size(&self) -> (usize, usize, usize) {
        (self.contents.len(), self.candidates.len(), self.raw.len())
    }

    pub(super) fn content_of(&self, blob: BlobId) -> Option<u32> {
        self.by_blob.get(&blob).copied()
    }

    /// Cuts and counts a content, unless it is known; `chunks` are its spans where the pool cuts by syntax.
    pub(super) fn add(&mut self, blob: BlobId, text: &str, chunks: &[LineSpan]) -> Result<u32> {
        if let Some(known) = self.content_of(blob) {
            return Ok(known);
        }
        if self.lines_of.len() + self.line_words.len() + text.len() > (u32::MAX / 2) as usize {
            return Err(Error::data("the sources are too large for one index")
                .hint("open the repositories one at a time"));
        }
        let first_line = index(self.lines_of.len());
        for line in text::lines(text) {
            let id = self.line(line);
            self.lines_of.push(id);
        }
        let line_count = index(self.lines_of.len()) - first_line;
        let first_window = index(self.windows.len());
        match self.pool.chunking {
            Chunking::Lines { window, step } => {
                for (start, end) in line_windows(line_count, window, step) {
                    self.window(first_line, start, end);
                }
            }
            Chunking::Syntax => {
                for span in chunks {
                    let end = span.last().min(line_count);
                    if span.first() <= end {
                        self.window(first_line, span.first() - 1, end);
                    }
                }
            }
        }
        let first_solid = index(self.solid.len());
        for &line in &self.lines_of[first_line as usize..] {
            let id = self.stripped_of[line as usize];
            if id != NONE {
                self.solid.push(id);
            }
        }
        let solid_count = index(self.solid.len()) - first_solid;
        self.solid.push(NONE);
        let id = index(self.contents.len());
        self.contents.push(Content {
            first_line,
            line_count,
            first_solid,
            solid_count,
            windows: first_window..index(self.windows.len()),
        });
        self.by_blob.insert(blob, id);
        Ok(id)
    }

    fn line(&mut self, line: &str) -> u32 {
        let (id, new) = self.raw.intern(line.as_bytes());
        if new {
            let stripped = text::strip(line);
            self.stripped_of.push(if stripped.is_empty() {
                NONE
            } else {
                self.stripped.intern(stripped.as_bytes()).0
            });
            if self.pool.tokens == Tokens::Word {
                for word in text::words(line) {
                    let (word, _) = self.words.intern(word.as_bytes());
                    self.line_words.push(word);
                }
            }
            self.line_word_ends.push(self.line_words.len());
        }
        id
    }

    fn window(&mut self, first_line: u32, start: u32, end: u32) {
        let (from, to) = (first_line + start, first_line + end);
        let Self {
            by_text,
            lines_of,
            candidates,
            ..
        } = self;
        let text = &lines_of[from as usize..to as usize];
        let hash = FxBuildHasher.hash_one(text);
        let found = by_text.find(hash, |&id| candidates[id as usize].lines(lines_of) == text);
        let candidate = if let Some(&known) = found {
            known
        } else {
            let id = index(candidates.len());
            candidates.push(Candidate {
                first_line: from,
                line_count: end - start,
                size: 0,
            });
            by_text.insert_unique(hash, id, |&id| {
                FxBuildHasher.hash_one(candidates[id as usize].lines(lines_of))
            });
            self.count_tokens(id, from, to);
            id
        };
        self.windows.push(Window {
            candidate,
            start,
            end,
        });
    }

    fn count_tokens(&mut self, candidate: u32, from: u32, to: u32) {
        let mut size = 0;
        match self.pool.tokens {
            Tokens::Word => {
                for at in from..to {
                    let line = self.lines_of[at as usize];
                    let (first, last) = self.words_range(line);
                    for at in first..last {
                        size += self.post(self.line_words[at], candidate);
                    }
                }
            }
            Tokens::Cl100k => {
                let text = self.join(from, to);
                for token in bpe_openai::cl100k_base().encode(&text) {
                    size += self.post(token, candidate);
                }
            }
        }
        self.candidates[candidate as usize].size = size;
    }

    /// Lists `candidate` under `token` once; 1 when it was not there yet.
    fn post(&mut self, token: u32, candidate: u32) -> u32 {
        let at = token as usize;
        if at >= self.counted.len() {
            self.counted.resize(at + 1, 0);
            self.postings.resize(at + 1, Vec::new());
        }
        if self.counted[at] == candidate + 1 {
            return 0;
        }
        self.counted[at] = candidate + 1;
        self.postings[at].push(candidate);
        1
    }

    fn words_range(&self, line: u32) -> (usize, usize) {
        let at = line as usize;
        let first = if at == 0 {
            0
        } else {
            self.line_word_ends[at - 1]
        };
        (first, self.line_word_ends[at])
    }

    fn join(&self, from: u32, to: u32) -> String {
        let lines: Vec<_> = (from..to)
            .map(|at| self.line_text(self.lines_of[at as usize]))
            .collect();
        lines.join("\n")
    }

    pub(super) fn content(&self, id: u32) -> &Content {
        &self.contents[id as usize]
    }

    pub(super) fn windows_of(&self, content: u32) -> &[Window] {
        let range = &self.contents[content as usize].windows;
        &self.windows[range.start as usize..range.end as usize]
    }

    /// The numbers of the lines of a content.
    pub(super) fn lines_of(&self, content: u32) -> &[u32] {
        let content = self.content(content);
        let from = content.first_line as usize;
        &self.lines_of[from..from + content.line_count as usize]
    }

    pub(super) fn candidate_count(&self) -> usize {
        self.candidates.len()
    }

    pub(super) fn candidate_size(&self, id: u32) -> u32 {
        self.candidates[id as usize].size
    }

    /// The candidates that hold a token, in order.
    pub(super) fn holding(&self, token: u32) -> &[u32] {
        self.postings.get(token as usize).map_or(&[], Vec::as_slice)
    }

    /// The distinct tokens of a query that the corpus knows, and how many distinct ones it has in all.
    pub(super) fn query_tokens(&self, query: &str) -> (Vec<u32>, u32) {
        match self.pool.tokens {
            Tokens::Word => {
                let mut distinct: Vec<&str> = text::words(query).collect();
                distinct.sort_unstable();
                distinct.dedup();
                let known = distinct
                    .iter()
                    .filter_map(|word| self.words.find(word.as_bytes()));
                (known.collect(), index(distinct.len()))
            }
            Tokens::Cl100k => {
                let mut tokens = bpe_openai::cl100k_base().encode(query);
                tokens.sort_unstable();
                tokens.dedup();
                let count = index(tokens.len());
                (tokens, count)
            }
        }
    }

    /// The text of a line by its number.
    pub(super) fn line_text(&self, line: u32) -> &str {
        std::str::from_utf8(self.raw.get(line)).unwrap_or_default()
    }

    /// The number of a line's stripped text; [`NONE`] when blank.
    pub(super) fn stripped(&self, line: u32) -> u32 {
        self.stripped_of[line as usize]
    }

    pub(super) fn stripped_count(&self) -> usize {
        self.stripped.len()
    }

    /// The stripped, non-blank lines of a content, and the place of the first.
    pub(super) fn solid(&self, content: u32) -> (u32, &[u32]) {
        let content = self.content(content);
        let first = content.first_solid as usize;
        let lines = &self.solid[first..first + content.solid_count as usize];
        (content.first_solid, lines)
    }

    /// The stripped lines from a place on, to the end of everything; [`NONE`] closes each content.
    pub(super) fn solid_from(&self, place: u32) -> &[u32] {
        &self.solid[place as usize..]
    }
}

impl Candidate {
    fn lines<'a>(&self, lines_of: &'a [u32]) -> &'a [u32] {
        let from = self.first_line as usize;
        &lines_of[from..from + self.line_count as usize]
    }
}

/// The windows of a file of `count` lines, 0-based and half open, as [`Chunking::Lines`] defines them.
pub(super) fn line_windows(count: u32, window: u32, step: u32) -> impl Iterator<Item = (u32, u32)> {
    let half = window / 2;
    (0..count)
        .step_by(step as usize)
        .map(move |k| (k.saturating_sub(half), (k + half).min(count)))
}
