//! Finds the sources that a project's tests need, from what sources import.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::benchmark::{Language, LanguageFeature, RepoPath};
use crate::error::Result;

/// The sources that the project's tests and the files of its targets (`withheld`) import, directly or through other
/// sources. A test, or a file that pytest reads, is needed too. In Java, every class that another source names is
/// needed, unless a target's file has the same name.
pub(super) fn needed<'a>(
    language: Language,
    paths: &[&'a RepoPath],
    withheld: &'a [RepoPath],
    read: &(dyn Fn(&RepoPath) -> Result<Vec<u8>> + Sync),
) -> Result<BTreeSet<&'a RepoPath>> {
    let sources = paths.iter().copied().chain(withheld);
    let sources: Vec<&RepoPath> = sources
        .filter(|path| language.is_source(path.as_str()))
        .collect();
    let modules = Modules::new(&sources, withheld);
    let mut needed: BTreeSet<&RepoPath> = withheld.iter().collect();
    needed.extend(sources.iter().filter(|path| is_root(path)));
    let mut waiting: Vec<&RepoPath> = needed.iter().copied().collect();
    while let Some(path) = waiting.pop() {
        let bytes = read(path)?;
        let text = String::from_utf8_lossy(&bytes);
        let named = if language.has(LanguageFeature::MethodsOnly) {
            modules.classes_in(&text)
        } else {
            modules.imported(path, &text)
        };
        waiting.extend(named.into_iter().filter(|path| needed.insert(path)));
    }
    Ok(needed)
}

/// Whether pytest or `JUnit` reads a source by itself: a test, or `conftest.py`.
fn is_root(path: &RepoPath) -> bool {
    let name = path.file_name();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem == "conftest"
        || stem.starts_with("test")
        || stem.ends_with("_test")
        || ["Test", "Tests", "TestCase"]
            .iter()
            .any(|end| stem.ends_with(end))
}

/// The sources by the names that import them.
struct Modules<'a> {
    /// Key: the last component of a source's dotted name. Value: (components, path) of the sources: the
    /// targets' files first, then the shortest paths first.
    by_name: FxHashMap<String, Vec<(Vec<String>, &'a RepoPath)>>,
}

impl<'a> Modules<'a> {
    fn new(sources: &[&'a RepoPath], targets: &[RepoPath]) -> Self {
        let mut by_name: FxHashMap<String, Vec<(Vec<String>, &RepoPath)>> = FxHashMap::default();
        for path in sources {
            let parts = components(path);
            if let Some(last) = parts.last() {
                by_name.entry(last.clone()).or_default().push((parts, path));
            }
        }
        for own in by_name.values_mut() {
            own.sort_by_key(|(parts, path)| (!targets.contains(path), parts.len(), *path));
        }
        Self { by_name }
    }

    /// The source that the dotted name `name` means: of the sources with this name at the end of their path, a target's
    /// file, or else the one with the shortest path.
    fn named(&self, name: &[&str]) -> Option<&'a RepoPath> {
        let found = self.by_name.get(*name.last()?)?;
        let fits = |parts: &[String]| {
            let tail = parts.len().checked_sub(name.len());
            tail.is_some_and(|tail| parts[tail..].iter().zip(name).all(|(a, b)| a == b))
        };
        found
            .iter()
            .find(|(parts, _)| fits(parts))
            .map(|(_, path)| *path)
    }

    /// The source with exactly these components.
    fn exactly(&self, parts: &[&str]) -> Option<&'a RepoPath> {
        let found = self.by_name.get(*parts.last()?)?;
        found
            .iter()
            .find(|(own, _)| own == parts)
            .map(|(_, path)| *path)
    }

    /// The sources that the Python source `text` at `path` imports, or names with a dot in between.
    fn imported(&self, path: &RepoPath, text: &str) -> Vec<&'a RepoPath> {
        let mut found = Vec::new();
        for name in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')) {
            if name.contains('.') && !name.starts_with('.') {
                let parts: Vec<&str> = name.split('.').collect();
                // `a.b.C` may name the module a.b.
                found.extend((2..=parts.len()).filter_map(|end| self.named(&parts[..end])));
            }
        }
        for (module, names) in statements(text) {
            let level = module.len() - module.trim_start_matches('.').len();
            let inside: Vec<&str> = module[level..]
                .split('.')
                .filter(|part| !part.is_empty())
                .collect();
            let own = folder_of(path, level);
            let find = |parts: &[&str]| match &own {
                Some(folder) => self.exactly(&[folder, parts].concat()),
                None => self.named(parts),
            };
            found.extend((0..=inside.len()).filter_map(|end| find(&inside[..end])));
            let submodules = names.iter().map(|name| [&inside[..], &[*name]].concat());
            found.extend(submodules.filter_map(|parts| find(&parts)));
        }
        found
    }

    /// The Java sources with the words of `text` as the names of their classes.
    fn classes_in(&self, text: &str) -> Vec<&'a RepoPath> {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter_map(|word| self.named(&[word])).collect()
    }
}

/// The components of a source's dotted name. A package has the name of its folder.
fn components(path: &RepoPath) -> Vec<String> {
    let stem = path
        .as_str()
        .rsplit_once('.')
        .map_or(path.as_str(), |(stem, _)| stem);
    let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
    stem.split('/').map(str::to_owned).collect()
}

/// The components of the folder that a relative import with `level` dots starts from. `None` for an absolute import.
fn folder_of(path: &RepoPath, level: usize) -> Option<Vec<&str>> {
    let up = level.checked_sub(1)?;
    let parts: Vec<&str> = path
        .folder()
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    Some(parts[..parts.len().saturating_sub(up)].to_vec())
}

/// (module, imported names) of each import statement in a Python source. `import a, b` gives two modules without names.
fn statements(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let code = line.trim_start().trim_start_matches(">>> ");
        if let Some(names) = code.strip_prefix("import ") {
            found.extend(items(names).map(|name| (name, Vec::new())));
        } else if let Some((module, names)) = code
            .strip_prefix("from ")
            .and_then(|code| code.split_once(" import"))
        {
            let names = names.trim_start();
            let names = if let Some(first) = names.strip_prefix('(') {
                // The list goes on up to the closing parenthesis.
                let from = first.as_ptr().addr() - text.as_ptr().addr();
                text[from..].split(')').next().unwrap_or(first)
            } else {
                names
            };
            found.push((module.trim(), items(names).collect()));
        }
        rest = after;
    }
    found
}

/// The names in a list of an import statement, without aliases.
fn items(list: &str) -> impl Iterator<Item = &str> {
    let words = list
        .split([',', '\n'])
        .map(|item| item.split('#').next().unwrap_or(item));
    words.filter_map(|item| item.split_whitespace().find(|word| *word != "\\"))
}
