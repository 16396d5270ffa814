//! Checks the import cycles of files. A file imports another file if it names an item that the other file defines,
//! directly or through re-exports.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The maximum number of files in an import cycle.
const MOST: usize = 3;

/// The path of a module, split at `::`.
type Module = Vec<String>;

/// The imports of a file.
struct Source {
    file: String,
    /// The paths of private `use` lines, and the paths in the code.
    paths: Vec<Vec<String>>,
    /// Key: an imported name; value: its path.
    names: BTreeMap<String, Vec<String>>,
}

type Sources = BTreeMap<Module, Source>;

/// What a path names: a module, or an item that the module's file defines.
enum Place {
    Module(Module),
    ItemOf(Module),
}

#[test]
fn no_import_cycle_has_more_than_three_files() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    super::rust_files(&src, &mut files);
    let sources: Sources = files
        .iter()
        .filter_map(|file| {
            let inside = file.strip_prefix(&src).ok()?.to_str()?;
            let module = module_of(inside)?;
            Some((
                module,
                Source::read(inside, &fs::read_to_string(file).ok()?),
            ))
        })
        .collect();
    assert!(sources.len() > 300, "found only {} files", sources.len());
    let imports: BTreeMap<&Module, BTreeSet<Module>> = sources
        .keys()
        .map(|module| (module, imports(&sources, module)))
        .collect();
    let known = |of: &str, other: &str| {
        let path = |name: &str| name.split("::").map(str::to_owned).collect::<Module>();
        imports[&path(of)].contains(&path(other))
    };
    assert!(known(
        "evaluation::schedule::worker",
        "evaluation::schedule::run_plan"
    ));
    assert!(known("tui::update::keys", "tui::commands::id"));
    let large = circles(&imports)
        .into_iter()
        .filter(|circle| circle.len() > MOST);
    let large: Vec<String> = large
        .map(|circle| {
            let files = circle.iter().map(|module| sources[*module].file.as_str());
            files.collect::<Vec<_>>().join(", ")
        })
        .collect();
    assert!(large.is_empty(), "import cycles: {}", large.join("; "));
}

/// The module of the file with the path `file` below `src`. `None` for tests and the binary.
fn module_of(file: &str) -> Option<Module> {
    let mut names: Module = file
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if names.iter().any(|name| name == "tests") || names == ["main"] {
        return None;
    }
    if matches!(names.last().map(String::as_str), Some("mod" | "lib")) {
        names.pop();
    }
    Some(names)
}

impl Source {
    fn read(file: &str, text: &str) -> Self {
        let code = without_tests(text);
        let mut source = Self {
            file: file.to_owned(),
            paths: Vec::new(),
            names: BTreeMap::new(),
        };
        let mut rest = String::new();
        let mut statement: Option<String> = None;
        for line in code.lines() {
            let start = line.trim_start();
            let begins = start.starts_with("use ")
                || start.starts_with("pub") && start.contains(" use ") && !start.contains('"');
            if statement.is_none() && !begins {
                rest.push_str(line);
                rest.push('\n');
                continue;
            }
            let own = statement.get_or_insert_default();
            own.push_str(start);
            own.push(' ');
            if start.ends_with(';') {
                let whole = statement.take().unwrap_or_default();
                source.add_use(&whole);
            }
        }
        source.paths.extend(paths_in(&rest));
        source
    }

    fn add_use(&mut self, statement: &str) {
        let exported = statement.starts_with("pub");
        let (_, tree) = statement.split_once("use ").unwrap();
        let mut found = Vec::new();
        expand(&[], tree.trim().trim_end_matches(';'), &mut found);
        for (path, name) in found {
            if !exported {
                self.paths.push(path.clone());
            }
            self.names.insert(name, path);
        }
    }
}

/// The code of a file without tests, comments and the content of one-line strings.
pub(super) fn without_tests(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            let indent = &line[..line.len() - line.trim_start().len()];
            let (item, block) = (format!("{indent}}}"), |line: &&str| line.ends_with('{'));
            let first = lines
                .find(|line| !line.trim().starts_with("#["))
                .unwrap_or_default();
            if block(&first) || !first.ends_with([';', '}']) {
                lines.find(|line| **line == item);
            }
            continue;
        }
        let line = line.split("//").next().unwrap_or_default();
        let parts = line
            .split('"')
            .enumerate()
            .filter(|(number, _)| number % 2 == 0);
        code.extend(parts.map(|(_, part)| part));
        code.push('\n');
    }
    code
}

/// Adds (path, imported name) to `found` for each path of a `use` tree. `before` is the path before the tree.
fn expand(before: &[String], tree: &str, found: &mut Vec<(Vec<String>, String)>) {
    let tree = tree.trim();
    if let Some((path, inner)) = tree.split_once('{') {
        let mut before = before.to_vec();
        before.extend(
            path.split("::")
                .map(|part| part.trim().to_owned())
                .filter(|part| !part.is_empty()),
        );
        let inner = inner.trim().strip_suffix('}').unwrap_or(inner);
        let (mut depth, mut start) = (0, 0);
        for (at, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    expand(&before, &inner[start..at], found);
                    start = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
    let mut whole = before.to_vec();
    whole.extend(path.split("::").map(|part| part.trim().to_owned()));
    if whole.last().is_some_and(|last| last == "self") && whole.len() > 1 {
        whole.pop();
    }
    let last = whole.last().cloned().unwrap_or_default();
    if !last.is_empty() && last != "*" {
        let name = if name.is_empty() {
            last
        } else {
            name.trim().to_owned()
        };
        found.push((whole, name));
    }
}

/// The paths in `code` that contain `::`.
fn paths_in(code: &str) -> Vec<Vec<String>> {
    let part_of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    code.split(|c: char| !part_of_path(c))
        .map(|word| word.trim_matches(':'))
        .filter(|word| word.contains("::"))
        .map(|word| word.split("::").map(str::to_owned).collect())
        .collect()
}

/// What a path in `module` names. `None` if the path leads out of the crate, or after `depth` re-exports.
fn resolve(sources: &Sources, module: &Module, path: &[String], depth: u8) -> Option<Place> {
    let depth = depth.checked_sub(1)?;
    let child = |of: &Module, name: &String| {
        let mut inner = of.clone();
        inner.push(name.clone());
        sources.contains_key(&inner).then_some(inner)
    };
    let first = path.first()?;
    let (mut at, mut rest) = match first.as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (module.clone(), &path[1..]),
        "super" => (module[..module.len().checked_sub(1)?].to_vec(), &path[1..]),
        _ if child(module, first).is_some() => (module.clone(), path),
        _ => match resolve(sources, module, sources[module].names.get(first)?, depth)? {
            Place::Module(found) => (found, &path[1..]),
            item @ Place::ItemOf(_) => return Some(item),
        },
    };
    while let Some((name, further)) = rest.split_first() {
        if name == "super" {
            at.pop();
        } else if let Some(inner) = child(&at, name) {
            at = inner;
        } else if let Some(path) = sources.get(&at)?.names.get(name) {
            match resolve(sources, &at, path, depth)? {
                Place::Module(found) => at = found,
                item @ Place::ItemOf(_) => return Some(item),
            }
        } else {
            return Some(Place::ItemOf(at));
        }
        rest = further;
    }
    Some(Place::Module(at))
}

/// The other modules that define items which the file of `module` names.
fn imports(sources: &Sources, module: &Module) -> BTreeSet<Module> {
    let paths = sources[module].paths.iter();
    let found = paths.filter_map(|path| match resolve(sources, module, path, 32)? {
        Place::ItemOf(other) if other != *module => Some(other),
        _ => None,
    });
    found.filter(|other| sources.contains_key(other)).collect()
}

/// The groups of modules that import each other, directly or through other modules of the group.
fn circles<'m>(imports: &BTreeMap<&'m Module, BTreeSet<Module>>) -> Vec<BTreeSet<&'m Module>> {
    let reached = |start: &Module| {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![start.clone()];
        while let Some(module) = waiting.pop() {
            for other in &imports[&module] {
                if reached.insert(other.clone()) {
                    waiting.push(other.clone());
                }
            }
        }
        reached
    };
    let all: BTreeMap<&Module, BTreeSet<Module>> = imports
        .keys()
        .map(|module| (*module, reached(module)))
        .collect();
    let circle = |module: &'m Module| -> BTreeSet<&'m Module> {
        let others = all
            .iter()
            .filter(|(other, reached)| all[module].contains(**other) && reached.contains(module));
        others.map(|(other, _)| *other).collect()
    };
    let mut found: Vec<_> = all.keys().map(|module| circle(module)).collect();
    found.sort();
    found.dedup();
    found
}
