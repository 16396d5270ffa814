//! The project's files that a Java file imports.

use rustc_hash::FxHashMap;
use tree_sitter::{Node, Tree};

use crate::benchmark::RepoPath;
use crate::code::import_statements::each_import;
use crate::code::syntax::text;
use crate::history::Snapshot;

/// The project's files that a file imports, in the order of the imports. A file may occur several times.
pub(super) fn imported_files(snapshot: &Snapshot, source: &[u8], tree: &Tree) -> Vec<RepoPath> {
    let classes = classes_by_name(snapshot);
    let mut found = Vec::new();
    each_import(&tree.root_node(), |statement| {
        found.extend(file_of(&classes, source, statement));
    });
    found
}

/// Key: an end of a file's dotted path (`a.b.C`, `b.C` and `C` for `a/b/C.java`). Value: the project's first Java file
/// with this end.
fn classes_by_name(snapshot: &Snapshot) -> FxHashMap<String, RepoPath> {
    let mut classes = FxHashMap::default();
    for entry in snapshot.entries() {
        let Some(stem) = entry.path.as_str().strip_suffix(".java") else {
            continue;
        };
        let dotted = stem.replace('/', ".");
        let tails = dotted.match_indices('.').map(|(at, _)| &dotted[at + 1..]);
        for tail in std::iter::once(dotted.as_str()).chain(tails) {
            classes
                .entry(tail.to_owned())
                .or_insert_with(|| entry.path.clone());
        }
    }
    classes
}

/// The file of an imported class. For the import of a static member or a nested class: the file of the class around it.
/// Empty for an import with `*`, and if the project has no such file.
fn file_of(classes: &FxHashMap<String, RepoPath>, source: &[u8], statement: Node) -> Vec<RepoPath> {
    let mut cursor = statement.walk();
    let whole_package = statement
        .children(&mut cursor)
        .any(|child| child.kind() == "asterisk");
    let Some(name) = statement.named_child(0).filter(|_| !whole_package) else {
        return Vec::new();
    };
    let dotted = text(name, source);
    let owner = dotted.rsplit_once('.').map(|(owner, _)| owner);
    std::iter::once(dotted)
        .chain(owner)
        .filter(|name| name.contains('.'))
        .find_map(|name| classes.get(name).cloned())
        .into_iter()
        .collect()
}
