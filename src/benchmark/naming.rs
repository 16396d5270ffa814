//! How the formats name things alike: one copy of what many tasks share, a file's language, its dotted name.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{Language, Namespace};
use super::span::RepoPath;

/// Keeps one copy of each name that many tasks share.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    names: FxHashSet<Arc<str>>,
    paths: FxHashMap<Box<str>, RepoPath>,
}

impl Interner {
    /// The shared copy of `name`.
    pub(crate) fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let new: Arc<str> = name.into();
        self.names.insert(Arc::clone(&new));
        new
    }

    /// The shared copy of `path`.
    pub(crate) fn path(&mut self, path: &str) -> RepoPath {
        if let Some(known) = self.paths.get(path) {
            return known.clone();
        }
        let new = RepoPath::new(path);
        self.paths.insert(path.into(), new.clone());
        new
    }
}

/// The language of a source file by its ending; Python where it says nothing.
pub(crate) fn language_of(path: &str) -> Option<Language> {
    let ending = path.rsplit_once('.')?.1;
    match ending {
        "java" => Some(Language::Java),
        "py" | "pyi" => Some(Language::Python),
        _ => None,
    }
}

/// The dotted name of the file at `path` and what stands in it: `a/b.py`, `C.f` → `a.b.C.f`. Folders that only hold
/// the packages (`src`, `src/main/java`) are no part of it.
pub(crate) fn dotted(path: &str, inside: &str) -> Option<Namespace> {
    let holders = ["src/main/java/", "src/"];
    let path = holders
        .iter()
        .find_map(|holder| path.strip_prefix(holder))
        .unwrap_or(path);
    let module = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let module = module.trim_end_matches("/__init__").replace('/', ".");
    if module.is_empty() {
        Namespace::new(inside)
    } else {
        Namespace::new(&format!("{module}.{inside}"))
    }
}
