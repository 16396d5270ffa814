//! The folders that a project's modules are imported from, and the names of these modules.

use std::collections::BTreeSet;

use crate::benchmark::{Language, RepoPath};
use crate::history::SourceTree;

/// The folders for the interpreter's search path, relative to the root of `tree`. They are the root as an empty string,
/// the folder above the topmost package of the file `target`, and `src` if it exists. If the file is in no package, the
/// second folder is the folder of the file. Each folder is listed once.
pub(crate) fn import_roots(tree: &SourceTree, target: &RepoPath) -> Vec<String> {
    let mut roots = vec![String::new()];
    let mut folder = target.folder();
    while !folder.is_empty() && tree.is_file(&format!("{folder}/__init__.py")) {
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
    }
    for root in [folder, "src"] {
        let root = root.to_owned();
        if !roots.contains(&root) && tree.is_folder(&root) {
            roots.push(root);
        }
    }
    roots
}

/// The sorted names of the top-level modules that the files at `paths` form. `roots` are the folders of
/// the search path.
pub(crate) fn top_level_modules<'a>(
    paths: impl Iterator<Item = &'a RepoPath>,
    roots: &[&str],
) -> Vec<String> {
    let is_python = |path: &str| Language::of_path(path) == Some(Language::Python);
    let below = |path: &'a RepoPath, root: &str| match root {
        "" => Some(path.as_str()),
        _ => path.as_str().strip_prefix(root)?.strip_prefix('/'),
    };
    let mut names = BTreeSet::new();
    for path in paths {
        for rest in roots.iter().filter_map(|root| below(path, root)) {
            match rest.split_once('/') {
                Some((package, inner)) if is_python(inner) => names.insert(package.to_owned()),
                None if is_python(rest) => names.insert(rest.trim_end_matches(".py").to_owned()),
                _ => false,
            };
        }
    }
    names.into_iter().collect()
}
