//! Code that the readers of all formats share: an interner, which stores one copy of each name, and functions that make
//! dotted names.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::language::Language;
use super::names::Namespace;
use super::span::RepoPath;

/// Stores one copy of each name that several tasks have.
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

/// The folders that may contain the packages of a Java module.
const JAVA_ROOTS: [&str; 3] = ["/src/main/java/", "/src/test/java/", "/src/"];

/// The dotted name of the definition `inside` in the Java file at `path`: package, classes and name, as in `a.b.C.f`.
/// `inside` may contain the package and the types of parameters. If it contains no class, the file's name is the class.
pub(super) fn dotted_java(path: &str, inside: &str) -> String {
    let path = format!("/{path}");
    let below = JAVA_ROOTS.iter().find_map(|root| {
        let at = path.find(root)?;
        Some(&path[at + root.len()..])
    });
    let path = below.unwrap_or(&path[1..]);
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let package = folder.replace('/', ".");
    let class = file.trim_end_matches(".java");
    let inside = inside.split('(').next().unwrap_or(inside);
    let own = inside
        .strip_prefix(&package)
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(inside);
    let own = if own.contains('.') {
        own.to_owned()
    } else {
        format!("{class}.{own}")
    };
    if package.is_empty() {
        own
    } else {
        format!("{package}.{own}")
    }
}

/// The dotted name of the definition `inside` in the Python file at `path`: `a.b.C.f` for `C.f` in `a/b.py`. A leading
/// `src/` or `src/main/java/` of the path is not part of the name.
pub(super) fn dotted_python(path: &str, inside: &str) -> String {
    let holders = ["src/main/java/", "src/"];
    let path = holders
        .iter()
        .find_map(|holder| path.strip_prefix(holder))
        .unwrap_or(path);
    let module = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let module = module.trim_end_matches("/__init__").replace('/', ".");
    if module.is_empty() {
        inside.to_owned()
    } else {
        format!("{module}.{inside}")
    }
}

/// The dotted name of the definition `inside` in the file at `path`, by the rules of the file's language. If the
/// language is unknown, Python's rules are used. `None` if the name is empty.
pub(crate) fn dotted(path: &str, inside: &str) -> Option<Namespace> {
    let language = Language::of_path(path).unwrap_or(Language::Python);
    Namespace::new(&language.dotted(path, inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dotted_java_name_has_the_package_and_the_classes() {
        let name = |path, inside| dotted(path, inside).unwrap().as_str().to_owned();
        for (path, inside) in [
            ("m/src/main/java/a/b/C.java", "a.b.C.f(int,List<T>)"),
            ("m/src/main/java/a/b/C.java", "C.f"),
            ("src/a/b/C.java", "f"),
            ("a/b/C.java", "C.f"),
        ] {
            assert_eq!(name(path, inside), "a.b.C.f", "{path} {inside}");
        }
        assert_eq!(name("src/main/java/a/C.java", "C.In.f"), "a.C.In.f");
    }
}
