//! The contents of a repository's files, as retrieval needs them. All revisions of the repository share one corpus.
//!
//! A content is the text of one blob. It is cut into windows once, and its tokens are counted once, even if many
//! revisions have it. Equal windows are one candidate. Distinct lines, words and candidates are numbered in the order
//! in which they first occur. An inverted index lists the candidates that contain each token.

use rustc_hash::FxHashMap;

use super::intern::{self, Interner, Numbers, Parts, index};
use super::options::{Chunking, Tokens};
use super::text;
use crate::benchmark::{Language, LineSpan, RepoPath};
use crate::error::{Error, Result};
use crate::history::BlobId;

/// Replaces a missing number: a blank line has no stripped text, or a position is unknown. Also ends each content in
/// `Corpus::solid`.
pub(super) const NONE: u32 = u32::MAX;

/// How many further lines of the previous content are searched for a new line that differs from the expected line.
const AHEAD: usize = 200;
/// The minimum length of a line that is searched for, in bytes. Shorter lines occur too often.
const DISTINCTIVE: usize = 8;

/// The maximum size of a corpus: the number of lines of all contents, plus the number of word tokens of the distinct
/// lines, plus the bytes of the distinct lines. A corpus takes about four bytes of memory for each unit of this sum.
/// For example, 115 MB of sources without repeated lines take 600 MB.
const LARGEST_CORPUS: usize = 1 << 29;

/// A pool: the files that retrieval searches, how they are cut into snippets, and which tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CorpusConfig {
    /// The language of the files. The pool contains the files with the extension of this language: `.py` or `.java`.
    pub language: Language,
    /// How files are cut into snippets.
    pub chunking: Chunking,
    /// Which tokens are counted.
    pub tokens: Tokens,
}

impl CorpusConfig {
    /// The default pool of a language: windows of 20 lines, a new window every 10 lines, and word tokens.
    pub fn of(language: Language) -> Self {
        Self {
            language,
            chunking: Chunking::default(),
            tokens: Tokens::default(),
        }
    }

    /// Whether the file at `path` belongs to the pool. The extension decides.
    pub fn takes(&self, path: &str) -> bool {
        self.language.is_source(path)
    }
}

/// A content that has been cut into windows.
#[derive(Clone)]
pub(super) struct Content {
    /// The content's lines, as a range of `Corpus::lines_of`.
    first_line: u32,
    line_count: u32,
    /// The content's stripped, non-blank lines, as a range of `Corpus::solid`.
    first_solid: u32,
    solid_count: u32,
    /// The content's windows, as a range of `Corpus::windows`.
    pub windows: std::ops::Range<u32>,
}

/// A candidate and its position in a content: lines `[start, end)`, 0-based.
pub(super) struct Window {
    pub candidate: u32,
    pub start: u32,
    pub end: u32,
}

/// A distinct snippet: its lines as a range of `Corpus::lines_of`, and its number of distinct tokens (`size`).
pub(super) struct Candidate {
    first_line: u32,
    line_count: u32,
    pub size: u32,
}

/// All contents added so far, with their windows and tokens. See the module documentation.
pub struct Corpus {
    pool: CorpusConfig,
    /// The distinct lines.
    raw: Interner,
    /// For each distinct line, the number of its stripped text in `stripped`; [`NONE`] for a blank line.
    stripped_of: Vec<u32>,
    stripped: Parts,
    words: Interner,
    /// The word tokens of each distinct line, one line after the other. For each line, `line_word_ends` has the index
    /// after the line's last token.
    line_words: Vec<u32>,
    line_word_ends: Vec<usize>,
    /// The lines of all contents, one content after the other.
    lines_of: Vec<u32>,
    contents: Vec<Content>,
    by_blob: FxHashMap<BlobId, u32>,
    /// For each path, the content that was added last.
    by_path: FxHashMap<RepoPath, u32>,
    windows: Vec<Window>,
    candidates: Vec<Candidate>,
    /// The numbers of the candidates, found by the hash of their lines.
    by_text: Numbers,
    /// For each token, the candidates that contain the token.
    postings: Vec<Vec<u32>>,
    /// For each token, the number of the last candidate in the token's `postings`, plus one. 0 if there is none.
    counted: Vec<u32>,
    /// The stripped, non-blank lines of all contents. [`NONE`] ends each content.
    solid: Vec<u32>,
}

impl Corpus {
    /// An empty corpus for `pool`.
    pub fn new(pool: CorpusConfig) -> Self {
        Self {
            pool,
            raw: Interner::default(),
            stripped_of: Vec::new(),
            stripped: Parts::default(),
            words: Interner::default(),
            line_words: Vec::new(),
            line_word_ends: Vec::new(),
            lines_of: Vec::new(),
            contents: Vec::new(),
            by_blob: FxHashMap::default(),
            by_path: FxHashMap::default(),
            windows: Vec::new(),
            candidates: Vec::new(),
            by_text: Numbers::default(),
            postings: Vec::new(),
            counted: Vec::new(),
            solid: Vec::new(),
        }
    }

    /// The pool that the corpus was created with.
    pub fn pool(&self) -> CorpusConfig {
        self.pool
    }

    /// (number of distinct contents, number of candidates, number of distinct lines).
    pub fn size(&self) -> (usize, usize, usize) {
        (self.contents.len(), self.candidates.len(), self.raw.len())
    }

    pub(super) fn content_of(&self, blob: BlobId) -> Option<u32> {
        self.by_blob.get(&blob).copied()
    }

    /// Adds a content, unless the corpus has it already. Returns the content's number. `path` names a file with this
    /// content; the file's previous content makes the look-ups faster. If the pool cuts by syntax, `chunks` are the
    /// windows. Errors when the corpus would become too large.
    pub(super) fn add(
        &mut self,
        blob: BlobId,
        path: &RepoPath,
        text: &str,
        chunks: &[LineSpan],
    ) -> Result<u32> {
        if let Some(known) = self.content_of(blob) {
            return Ok(known);
        }
        let known = self.lines_of.len() + self.line_words.len() + self.raw.bytes().len();
        if known + text.len() > LARGEST_CORPUS {
            return Err(Error::data("the sources are too large for one index")
                .hint("open the repositories one at a time"));
        }
        let before = self.by_path.get(path).copied();
        let first_line = index(self.lines_of.len());
        self.lines(text, before);
        let line_count = index(self.lines_of.len()) - first_line;
        let first_window = index(self.windows.len());
        match self.pool.chunking {
            Chunking::Lines { window, step } => {
                let cuts = line_windows(line_count, window, step);
                self.cut(first_line, line_count, cuts, before);
            }
            Chunking::Syntax => {
                let spans = chunks.iter().map(|span| (span.first() - 1, span.last()));
                let cuts = spans.map(|(start, end)| (start, end.min(line_count)));
                let cuts = cuts.filter(|(start, end)| start < end);
                self.cut(first_line, line_count, cuts, None);
            }
        }
        let id = index(self.contents.len());
        let (first_solid, solid_count) = self.store_solid(first_line);
        self.contents.push(Content {
            first_line,
            line_count,
            first_solid,
            solid_count,
            windows: first_window..index(self.windows.len()),
        });
        self.by_blob.insert(blob, id);
        self.by_path.insert(path.clone(), id);
        Ok(id)
    }

    /// Numbers the lines of a text and adds them to `lines_of`. Each line is first compared with the next line of the
    /// content `before`, because this is faster than a look-up.
    fn lines(&mut self, text: &str, before: Option<u32>) {
        let (mut guess, end) = before.map_or((0, 0), |before| {
            let before = self.content(before);
            let first = before.first_line as usize;
            (first, first + before.line_count as usize)
        });
        for line in text::lines(text) {
            let guessed = (guess < end).then(|| self.lines_of[guess]);
            let right = guessed.filter(|id| self.raw.get(*id) == line.as_bytes());
            let id = right.unwrap_or_else(|| self.line(line));
            if right.is_some() {
                guess += 1;
            } else if line.len() >= DISTINCTIVE {
                let ahead = &self.lines_of[guess..end.min(guess + AHEAD)];
                let skipped = ahead.iter().position(|known| *known == id);
                guess += skipped.map_or(0, |skipped| skipped + 1);
            }
            self.lines_of.push(id);
        }
    }

    /// Adds the windows of the content that is being added. If the content `before` has an equal window at the same
    /// distance from its beginning or from its end, the candidate of that window is used without a look-up.
    fn cut(
        &mut self,
        first_line: u32,
        line_count: u32,
        cuts: impl Iterator<Item = (u32, u32)>,
        before: Option<u32>,
    ) {
        let old = before.map(|before| self.content(before).clone());
        for (start, end) in cuts {
            let known = old.as_ref().and_then(|old| {
                let same = self.same(old, (start, end), (first_line, start));
                same.or_else(|| {
                    let back = |line: u32| (old.line_count + line).checked_sub(line_count);
                    let there = (back(start)?, back(end)?);
                    (there.0 != start).then(|| self.same(old, there, (first_line, start)))?
                })
            });
            let candidate = known.unwrap_or_else(|| self.candidate(first_line, start, end));
            self.windows.push(Window {
                candidate,
                start,
                end,
            });
        }
    }

    /// The candidate of the window `[start, end)` of the content `old`. `None` if `old` has no such window, or if the
    /// window's lines differ from those of the new window. `at` is (index of the new content's first line in
    /// `lines_of`, first line of the new window in its content).
    fn same(&self, old: &Content, (start, end): (u32, u32), at: (u32, u32)) -> Option<u32> {
        let windows = &self.windows[old.windows.start as usize..old.windows.end as usize];
        let found =
            windows.binary_search_by_key(&(start, end), |window| (window.start, window.end));
        let window = &windows[found.ok()?];
        let there = (old.first_line + start) as usize..(old.first_line + end) as usize;
        let here = (at.0 + at.1) as usize;
        let same = self.lines_of[here..].starts_with(&self.lines_of[there]);
        same.then_some(window.candidate)
    }

    /// Stores the stripped, non-blank lines of the content that is being added. Returns (index of the first of these
    /// lines in `solid`, number of these lines).
    fn store_solid(&mut self, first_line: u32) -> (u32, u32) {
        let first = index(self.solid.len());
        for &line in &self.lines_of[first_line as usize..] {
            let id = self.stripped_of[line as usize];
            if id != NONE {
                self.solid.push(id);
            }
        }
        let count = index(self.solid.len()) - first;
        self.solid.push(NONE);
        (first, count)
    }

    fn line(&mut self, line: &str) -> u32 {
        let (id, new) = self.raw.intern(line.as_bytes());
        if new {
            let stripped = text::strip(line);
            self.stripped_of.push(if stripped.is_empty() {
                NONE
            } else {
                let start = self.raw.bytes().len() - line.len()
                    + (stripped.as_ptr().addr() - line.as_ptr().addr());
                let end = start + stripped.len();
                self.stripped.intern(self.raw.bytes(), start, end)
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

    /// The candidate that has the lines `[start, end)` of the content at `first_line`. Adds the candidate if it is new.
    fn candidate(&mut self, first_line: u32, start: u32, end: u32) -> u32 {
        let (from, to) = (first_line + start, first_line + end);
        let Self {
            by_text,
            lines_of,
            candidates,
            ..
        } = self;
        let text = &lines_of[from as usize..to as usize];
        let hash = intern::hash(text);
        let found = by_text.find(hash, |id| candidates[id as usize].lines(lines_of) == text);
        if let Some(known) = found {
            known
        } else {
            let id = index(candidates.len());
            candidates.push(Candidate {
                first_line: from,
                line_count: end - start,
                size: 0,
            });
            by_text.add(hash, id);
            self.count_tokens(id, from, to);
            id
        }
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

    /// Adds `candidate` to the list of `token`, at most once. Returns 1 if the candidate was added, else 0.
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

    /// The word tokens of a candidate, in order and with repetitions. Empty if the pool counts other tokens.
    pub(super) fn words_of(&self, candidate: u32) -> impl Iterator<Item = u32> {
        let lines = self.candidates[candidate as usize].lines(&self.lines_of);
        lines.iter().flat_map(|&line| {
            let (first, last) = self.words_range(line);
            self.line_words[first..last].iter().copied()
        })
    }

    pub(super) fn word_count(&self) -> usize {
        self.words.len()
    }

    pub(super) fn candidate_count(&self) -> usize {
        self.candidates.len()
    }

    pub(super) fn candidate_size(&self, id: u32) -> u32 {
        self.candidates[id as usize].size
    }

    /// The numbers of the candidates that contain a token, in ascending order.
    pub(super) fn holding(&self, token: u32) -> &[u32] {
        self.postings.get(token as usize).map_or(&[], Vec::as_slice)
    }

    /// (distinct tokens of a query, number of distinct tokens). The number includes the words that the corpus does not
    /// have. The list does not include these words.
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

    /// The text of the line with the number `line`.
    pub(super) fn line_text(&self, line: u32) -> &str {
        std::str::from_utf8(self.raw.get(line)).unwrap_or_default()
    }

    /// The number of the stripped text of a distinct line; [`NONE`] for a blank line.
    pub(super) fn stripped(&self, line: u32) -> u32 {
        self.stripped_of[line as usize]
    }

    pub(super) fn stripped_count(&self) -> usize {
        self.stripped.len()
    }

    /// (place of the first line, lines) of the content's stripped, non-blank lines. A place is an index into the
    /// stripped, non-blank lines of all contents.
    pub(super) fn solid(&self, content: u32) -> (u32, &[u32]) {
        let content = self.content(content);
        let first = content.first_solid as usize;
        let lines = &self.solid[first..first + content.solid_count as usize];
        (content.first_solid, lines)
    }

    /// The stripped, non-blank lines from a place on: the rest of its content and all later contents. [`NONE`] ends
    /// each content.
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

/// The windows of a file of `count` lines, 0-based and half-open, as [`Chunking::Lines`] defines them.
pub(super) fn line_windows(count: u32, window: u32, step: u32) -> impl Iterator<Item = (u32, u32)> {
    let half = window / 2;
    (0..count)
        .step_by(step as usize)
        .map(move |k| (k.saturating_sub(half), (k + half).min(count)))
}
