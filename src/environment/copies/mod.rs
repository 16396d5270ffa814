//! Finds the files of a project that contain a copy of a target, whatever their names and formats are.
//!
//! A copy is a text with the target's body: the same code without comments, docstring and whitespace (see [`text`]). A
//! body of fewer than [`STRONG_LINES`] lines or [`STRONG_LENGTH`] characters occurs by chance, so the target's name has
//! to stand before it. One trivial statement, such as `return self.x`, is no copy. Texts are also searched in web pages,
//! JSON (notebooks), patches, the swap files of Vim, compressed files and archives (see [`archive`]). A binary file is a
//! copy if it contains the names of the target, of its file and of what the body uses: compiled code does.

mod archive;
mod imports;
mod text;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use self::text::Normal;
use crate::benchmark::{Language, LanguageFeature, RepoPath};
use crate::error::{Cancel, Result};

/// A body with at least this many lines ...
const STRONG_LINES: usize = 2;
/// ... and at least this many characters without whitespace is recognised without the target's name.
const STRONG_LENGTH: usize = 40;
/// A body with fewer characters without whitespace is trivial.
const SHORTEST: usize = 8;
/// How many characters may be between the target's name and its body, in addition to its own docstring.
const SIGNATURE: usize = 1500;
/// The largest file that is searched, in bytes.
const LARGEST: usize = 64 << 20;
/// The share of the names in a body, in percent, that a binary file must contain.
const NAMES_IN_BINARY: usize = 80;

/// A target, whose copies are searched.
#[derive(Debug, Clone)]
pub struct TargetText<'a> {
    /// The target's file.
    pub path: &'a RepoPath,
    /// The target's name, without classes.
    pub name: &'a str,
    /// The lines of the target's body, without the docstring.
    pub body: &'a str,
    /// The number of characters of the target's docstring.
    pub docstring: usize,
    /// The language of the target's file.
    pub language: Language,
}

/// A target in the form that is searched.
struct Wanted {
    file_name: String,
    name: String,
    /// What stands before a body of this target: `deftotal(`.
    signature: String,
    body: String,
    /// Whether the body is recognised without the target's name.
    strong: bool,
    /// The names that the body uses, without keywords.
    names: Vec<String>,
    window: usize,
}

impl Wanted {
    /// `None` for a body of one trivial statement.
    fn of(target: &TargetText) -> Option<Self> {
        let body = Normal::of(target.body, target.language);
        if is_trivial(&body) {
            return None;
        }
        let signature = if target.language.has(LanguageFeature::MethodsOnly) {
            format!("{}(", target.name)
        } else {
            format!("def{}(", target.name)
        };
        Some(Self {
            file_name: target.path.file_name().to_owned(),
            name: target.name.to_owned(),
            signature,
            strong: body.lines() >= STRONG_LINES && body.text.len() >= STRONG_LENGTH,
            names: text::names(target.body, target.language),
            window: SIGNATURE + target.docstring,
            body: body.text,
        })
    }
}

/// Whether a body is empty or one trivial statement: `pass`, an exception without a value, or the return of a name, an
/// attribute or a constant.
fn is_trivial(body: &Normal) -> bool {
    let text = body.text.trim_end_matches(';');
    let plain = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || "_.".contains(c))
    };
    let quoted = |text: &str| {
        let inner = text
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        inner.is_some_and(|inner| !inner.contains('"'))
    };
    let returned = text.strip_prefix("return").unwrap_or(text);
    let raises = ["raiseNotImplementedError", "thrownew"];
    text.len() < SHORTEST
        || body.lines() < 2
            && (plain(returned)
                || quoted(returned)
                || raises.iter().any(|own| text.starts_with(own)))
}

/// The copies that were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Copies {
    /// The files that no test needs, in the order of the files.
    pub unneeded: Vec<RepoPath>,
    /// The sources that the project's tests import, directly or through other sources: they are part of the project.
    pub needed: Vec<RepoPath>,
}

/// Finds the copies of `targets` among the files at `paths`. `withheld` are the files of the targets. Errors when a file
/// cannot be read, or when cancelled.
pub(super) fn find(
    targets: &[TargetText],
    paths: &[&RepoPath],
    withheld: &[RepoPath],
    read: &(dyn Fn(&RepoPath) -> Result<Vec<u8>> + Sync),
    cancel: &Cancel,
) -> Result<Copies> {
    let wanted: Vec<Wanted> = targets.iter().filter_map(Wanted::of).collect();
    let Some(search) = Search::new(&wanted, targets) else {
        return Ok(Copies::default());
    };
    let found: Vec<Option<&RepoPath>> = paths
        .par_iter()
        .map(|path| {
            cancel.check()?;
            let bytes = read(path)?;
            Ok(search.is_copy(&bytes).then_some(*path))
        })
        .collect::<Result<_>>()?;
    let found: BTreeSet<&RepoPath> = found.into_iter().flatten().collect();
    let sources = found
        .iter()
        .any(|path| search.language.is_source(path.as_str()));
    let needed = if sources {
        imports::needed(search.language, paths, withheld, read)?
    } else {
        BTreeSet::new()
    };
    let (needed, unneeded): (Vec<&RepoPath>, Vec<&RepoPath>) =
        found.into_iter().partition(|path| needed.contains(path));
    Ok(Copies {
        unneeded: unneeded.into_iter().cloned().collect(),
        needed: needed.into_iter().cloned().collect(),
    })
}

/// A search for several targets at once.
struct Search<'w> {
    wanted: &'w [Wanted],
    bodies: AhoCorasick,
    language: Language,
    /// How many bytes may still be inflated from compressed files and archives of the project.
    budget: AtomicU64,
}

impl<'w> Search<'w> {
    /// `None` if no target is searched.
    fn new(wanted: &'w [Wanted], targets: &[TargetText]) -> Option<Self> {
        let language = targets.first()?.language;
        if wanted.is_empty() {
            return None;
        }
        let bodies = AhoCorasick::new(wanted.iter().map(|own| &own.body)).ok()?;
        Some(Self {
            wanted,
            bodies,
            language,
            budget: AtomicU64::new(archive::BUDGET),
        })
    }

    fn is_copy(&self, bytes: &[u8]) -> bool {
        if bytes.len() <= LARGEST && self.is_copy_as_text(bytes) {
            return true;
        }
        archive::any(bytes, &self.budget, &|member| self.is_copy_as_text(member))
    }

    fn is_copy_as_text(&self, bytes: &[u8]) -> bool {
        let mut views = text::views(bytes);
        views.any(|view| self.occurs_in(&Normal::of(&view, self.language)))
            || text::is_binary(bytes) && self.wanted.iter().any(|own| own.is_compiled_in(bytes))
    }

    fn occurs_in(&self, text: &Normal) -> bool {
        let mut found = self.bodies.find_overlapping_iter(&text.text);
        found.any(|found| {
            let wanted = &self.wanted[found.pattern().as_usize()];
            wanted.strong || wanted.is_named(text, found.start(), found.end())
        })
    }
}

impl Wanted {
    /// Whether the target's name stands before the body at `start`, with no other function in between, and the body ends
    /// at `end`.
    fn is_named(&self, text: &Normal, start: usize, end: usize) -> bool {
        let ends = match text.text.as_bytes().get(end) {
            Some(next) => text.is_line_start(end) || b"\"<;}".contains(next),
            None => true,
        };
        let first = start.saturating_sub(self.window);
        let before = &text.text[first..start];
        let Some(at) = before.rfind(&self.signature).filter(|_| ends) else {
            return false;
        };
        let between = text.line_starts(first + at + 1, start);
        !between.iter().any(|line| {
            let line = &text.text[*line..];
            ["def", "asyncdef", "class"]
                .iter()
                .any(|word| line.starts_with(word))
        })
    }

    /// Whether a binary file contains the names of the target's file, of the target, and of what its body uses.
    fn is_compiled_in(&self, bytes: &[u8]) -> bool {
        let has = |name: &str| memchr::memmem::find(bytes, name.as_bytes()).is_some();
        let present = || self.names.iter().filter(|name| has(name)).count();
        has(&self.file_name)
            && has(&self.name)
            && present() * 100 >= self.names.len() * NAMES_IN_BINARY
    }
}

/// Takes `bytes` from a budget. False if the budget does not suffice.
fn take(budget: &AtomicU64, bytes: u64) -> bool {
    budget
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            left.checked_sub(bytes)
        })
        .is_ok()
}

#[cfg(test)]
mod tests;
