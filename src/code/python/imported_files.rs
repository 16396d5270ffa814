//! The files of the project that a Python file imports.

use tree_sitter::{Node, Tree};

use crate::benchmark::RepoPath;
use crate::code::import_statements::each_import;
use crate::code::project::{Library, ModuleRef, Project};
use crate::code::syntax::text;
use crate::history::Snapshot;

/// The files of the project that the file at `path` imports, in the order of the imports. A file may occur several
/// times.
pub(super) fn imported_files(
    snapshot: &Snapshot,
    path: &RepoPath,
    source: &[u8],
    tree: &Tree,
) -> Vec<RepoPath> {
    let project = Project::new(snapshot.clone(), Library::default(), []);
    let mut found = Vec::new();
    each_import(&tree.root_node(), |statement| {
        found.extend(files_of(&project, path, source, statement));
    });
    found
}

/// The name in an item of an import statement, without its alias.
fn plain_name<'s>(source: &'s [u8], item: Node) -> &'s str {
    let named = match item.kind() {
        "aliased_import" => item.child_by_field_name("name").unwrap_or(item),
        _ => item,
    };
    text(named, source)
}

fn files_of(project: &Project, path: &RepoPath, source: &[u8], statement: Node) -> Vec<RepoPath> {
    let Some(file) = project.file_at(path) else {
        return Vec::new();
    };
    let mut cursor = statement.walk();
    let names: Vec<&str> = statement
        .children_by_field_name("name", &mut cursor)
        .map(|item| plain_name(source, item))
        .collect();
    let Some(module) = statement.child_by_field_name("module_name") else {
        let modules = names
            .iter()
            .filter_map(|name| project.import(file, name, 0));
        return modules
            .filter_map(|module| file_of(project, module))
            .collect();
    };
    let written = text(module, source);
    let dotted = written.trim_start_matches('.');
    let level = u32::try_from(written.len() - dotted.len()).unwrap_or(0);
    let Some(from) = project.import(file, dotted.trim(), level) else {
        return Vec::new();
    };
    let mut files: Vec<RepoPath> = file_of(project, from).into_iter().collect();
    let inside = names
        .iter()
        .filter_map(|name| project.submodule(from, name));
    files.extend(inside.filter_map(|module| file_of(project, module)));
    files
}

fn file_of(project: &Project, module: ModuleRef) -> Option<RepoPath> {
    match module {
        ModuleRef::File(file) => Some(project.path(file).clone()),
        ModuleRef::Folder(_) => None,
    }
}
