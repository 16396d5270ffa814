//! What a setting is given and what it shows.

use std::sync::Arc;

use super::super::listing::{ContextItem, ContextListing, ItemLine, Mark};
use super::super::search::Mask;
use super::super::text;
use crate::benchmark::{
    Dependency, Language, LineSpan, Namespace, ParameterTypes, Position, RepoPath,
};
use crate::error::Result;
use crate::history::Snapshot;

/// What the settings need to know of a task.
#[derive(Debug, Clone)]
pub struct SettingTarget {
    /// The function's dotted name.
    pub namespace: Namespace,
    /// Its file in the newest tree.
    pub path: RepoPath,
    /// The recorded position there.
    pub position: Option<Position>,
    /// The types of its parameters, where it is Java's.
    pub parameters: Option<ParameterTypes>,
    /// Its language.
    pub language: Language,
    /// The requirement, which retrieval looks for.
    pub query: String,
    /// The reference dependencies, which the oracle shows.
    pub dependencies: Vec<Dependency>,
    /// The text of its file in the newest tree: shows where the function would be in a tree that does not have it.
    pub newest: Option<Arc<str>>,
}

/// Which part of the local file a setting shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LocalPart {
    /// None of it.
    #[default]
    Alone,
    /// The text above the target.
    Above,
    /// The texts above and below it.
    Around,
}

/// What a setting shows of a snapshot.
#[derive(Debug, Clone, Default)]
pub struct GatheredContext {
    /// The lines, in the order of the prompt.
    pub listing: ContextListing,
    /// How many leading items are the target's own file above it.
    pub above: usize,
    /// How many items after those are the target's own file below it.
    pub below: usize,
    /// Which part of the local file the setting shows, be there something or not.
    pub form: LocalPart,
    /// Whether the text below ends without a line end, as its file does.
    pub unended: bool,
    /// Reference dependencies that the tree does not have (oracle).
    pub absent: Vec<Namespace>,
}

/// An item of lines `span` of a file with the given lines; cut at the file's end.
pub(super) fn item_of(rank: usize, path: &RepoPath, lines: &[&str], span: LineSpan) -> ContextItem {
    let last = lines.len().min(span.last() as usize);
    let shown = lines
        .get(span.first() as usize - 1..last)
        .unwrap_or_default();
    let shown = shown.iter().map(|line| ItemLine {
        text: (*line).into(),
        mark: Mark::Plain,
        target: false,
    });
    ContextItem::new(rank, path.clone(), span.first(), shown.collect())
}

/// An item for each run of lines of `span` that no mask hides.
pub(super) fn items_of(
    rank: usize,
    path: &RepoPath,
    lines: &[&str],
    span: LineSpan,
    masks: &[Mask],
) -> Vec<ContextItem> {
    let hidden = |line: u32| {
        masks
            .iter()
            .any(|mask| mask.path == *path && mask.span.contains(line))
    };
    let last = span
        .last()
        .min(u32::try_from(lines.len()).unwrap_or(u32::MAX));
    let mut runs: Vec<LineSpan> = Vec::new();
    for line in (span.first()..=last).filter(|line| !hidden(*line)) {
        match runs.last_mut().filter(|run| run.last() + 1 == line) {
            Some(run) => *run = run.cover(LineSpan::line(line)),
            None => runs.push(LineSpan::line(line)),
        }
    }
    let ranks = rank..;
    ranks
        .zip(runs)
        .map(|(rank, run)| item_of(rank, path, lines, run))
        .collect()
}

/// A file's text by the rules of contexts; `None` where the tree has no such file or it is not UTF-8.
pub(in crate::context) fn text_at(snapshot: &Snapshot, path: &RepoPath) -> Result<Option<String>> {
    let bytes = snapshot.read_path(path)?;
    Ok(bytes.and_then(|bytes| text::decode(&bytes).map(std::borrow::Cow::into_owned)))
}

pub(in crate::context) fn ending(language: Language) -> &'static str {
    match language {
        Language::Python => ".py",
        Language::Java => ".java",
    }
}
