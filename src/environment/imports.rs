//! The modules that a project's tests import, directly or through the project's own modules, and the distributions that
//! contain modules.
//!
//! Only statements outside of functions, conditions and `try` count: without these modules, the tests cannot be
//! collected. No code runs.

use std::collections::{BTreeSet, VecDeque};

use tree_sitter::Node;

use super::requirements::test_sources;
use crate::benchmark::Language;
use crate::code::parse;
use crate::history::SourceTree;

/// The maximum number of files to read.
const FILES: usize = 600;
/// The folders that are import roots of most projects.
const ROOTS: [&str; 3] = ["", "src/", "lib/"];

/// Modules whose distribution has another name.
const DISTRIBUTIONS: [(&str, &str); 44] = [
    ("Crypto", "pycryptodome"),
    ("IPython", "ipython"),
    ("MySQLdb", "mysqlclient"),
    ("OpenSSL", "pyOpenSSL"),
    ("PIL", "Pillow"),
    ("attr", "attrs"),
    ("babel", "Babel"),
    ("bs4", "beautifulsoup4"),
    ("bson", "pymongo"),
    ("cattr", "cattrs"),
    ("cpuinfo", "py-cpuinfo"),
    ("cv2", "opencv-python-headless"),
    ("dateutil", "python-dateutil"),
    ("distutils", "setuptools"),
    ("docx", "python-docx"),
    ("dotenv", "python-dotenv"),
    ("factory", "factory-boy"),
    ("faker", "Faker"),
    ("fixtures", "fixtures"),
    ("git", "GitPython"),
    ("jose", "python-jose"),
    ("jwt", "PyJWT"),
    ("ldap", "python-ldap"),
    ("magic", "python-magic"),
    ("markdown", "Markdown"),
    ("memcache", "python-memcached"),
    ("multipart", "python-multipart"),
    ("nose", "nose"),
    ("odf", "odfpy"),
    ("pkg_resources", "setuptools"),
    ("psycopg2", "psycopg2-binary"),
    ("pydispatch", "PyDispatcher"),
    ("pytest_mock", "pytest-mock"),
    ("rest_framework", "djangorestframework"),
    ("ruamel", "ruamel.yaml"),
    ("serial", "pyserial"),
    ("skimage", "scikit-image"),
    ("sklearn", "scikit-learn"),
    ("slugify", "python-slugify"),
    ("socks", "PySocks"),
    ("yaml", "PyYAML"),
    ("zmq", "pyzmq"),
    ("zope", "zope.interface"),
    ("google", "protobuf"),
];

/// The name of the distribution that contains the top-level module `module`: the name in a table of exceptions, or else
/// the module's own name.
pub(super) fn distribution_of(module: &str) -> &str {
    let known = DISTRIBUTIONS.iter().find(|(name, _)| *name == module);
    known.map_or(module, |(_, distribution)| distribution)
}

/// The top-level modules outside of the project that its tests import, directly or through the project's own modules.
pub(super) fn imported_modules(tree: &SourceTree) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut queue: VecDeque<String> = test_sources(tree).into();
    let mut seen: BTreeSet<String> = queue.iter().cloned().collect();
    let mut read = 0;
    while let Some(path) = queue.pop_front().filter(|_| read < FILES) {
        read += 1;
        let Some(text) = tree.small_text(&path) else {
            continue;
        };
        for dotted in imports(&text, &path) {
            let own = own_files(tree, &path, &dotted);
            if own.is_empty() && !is_own(tree, &path, &dotted) {
                found.extend(dotted.split('.').next().map(str::to_owned));
            }
            queue.extend(own.into_iter().filter(|file| seen.insert(file.clone())));
        }
    }
    found.remove("");
    found
}

/// The dotted names that the statements at the top of a file import. A relative import begins with the path of its
/// folder, with a slash at the end.
fn imports(text: &str, path: &str) -> Vec<String> {
    let Some(tree) = parse(Language::Python, text.as_bytes()) else {
        return Vec::new();
    };
    let root = tree.root_node();
    let mut cursor = root.walk();
    let statements = root.children(&mut cursor);
    statements
        .flat_map(|statement| imported_by(statement, text, path))
        .collect()
}

fn imported_by(statement: Node, text: &str, path: &str) -> Vec<String> {
    let of = |node: Node| text[node.byte_range()].to_owned();
    let mut cursor = statement.walk();
    let names = statement
        .children_by_field_name("name", &mut cursor)
        .map(|item| match item.kind() {
            "aliased_import" => item.child_by_field_name("name").unwrap_or(item),
            _ => item,
        });
    match (
        statement.kind(),
        statement.child_by_field_name("module_name"),
    ) {
        ("import_statement", _) => names.map(of).collect(),
        ("import_from_statement", Some(module)) => {
            let module = absolute(&of(module), path);
            let dot = if module.ends_with('/') { "" } else { "." };
            let inside: Vec<String> = names
                .map(|name| format!("{module}{dot}{}", of(name)))
                .collect();
            [module].into_iter().chain(inside).collect()
        }
        _ => Vec::new(),
    }
}

/// The module of an import statement in the file at `path`: unchanged, or `FOLDER/module` for a relative one.
fn absolute(module: &str, path: &str) -> String {
    let rest = module.trim_start_matches('.');
    let level = module.len() - rest.len();
    if level == 0 {
        return module.to_owned();
    }
    let mut folder = path;
    for _ in 0..level {
        folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
    }
    format!("{folder}/{rest}")
}

/// The folders in which the file at `path` finds modules.
fn roots(path: &str) -> impl Iterator<Item = &str> {
    let own = path.rfind('/').map_or("", |at| &path[..=at]);
    ROOTS.into_iter().chain([own])
}

/// The files of the project that an import of `dotted` runs: the module, and the packages around it.
fn own_files(tree: &SourceTree, path: &str, dotted: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (root, inner) in places(path, dotted) {
        let parts: Vec<&str> = inner.split('/').collect();
        for end in 1..=parts.len() {
            let module = format!("{root}{}", parts[..end].join("/"));
            let files = [format!("{module}/__init__.py"), format!("{module}.py")];
            found.extend(files.into_iter().filter(|file| tree.is_file(file)));
        }
    }
    found
}

/// Whether the project has the top-level module of `dotted`.
fn is_own(tree: &SourceTree, path: &str, dotted: &str) -> bool {
    let relative = dotted.contains('/');
    let top = dotted.split('.').next().unwrap_or(dotted);
    relative
        || roots(path).any(|root| {
            tree.is_file(&format!("{root}{top}.py")) || tree.is_folder(&format!("{root}{top}"))
        })
}

/// (import root, path below it without an extension) for each place that `dotted` may have in the project.
fn places<'p>(path: &'p str, dotted: &str) -> Vec<(&'p str, String)> {
    if let Some((folder, rest)) = dotted.rsplit_once('/') {
        let place = format!("{folder}/{}", rest.replace('.', "/"));
        return vec![("", place.trim_matches('/').to_owned())];
    }
    let inner = dotted.replace('.', "/");
    roots(path).map(|root| (root, inner.clone())).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn modules(files: &[(&str, &str)]) -> Vec<String> {
        let home = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = home.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        imported_modules(&home.path().into()).into_iter().collect()
    }

    #[test]
    fn modules_are_found_in_tests_and_in_what_they_import() {
        let found = modules(&[
            (
                "tests/test_a.py",
                "import os.path, yaml as y\nfrom pkg.core import f\nfrom helper import g\n",
            ),
            ("tests/helper.py", "import requests\n"),
            ("src/pkg/__init__.py", "from . import other\n"),
            (
                "src/pkg/core.py",
                "from ._impl import (\n    f,\n)\nfrom .sub.deep import h\n",
            ),
            ("src/pkg/_impl.py", "import numpy as np\n"),
            ("src/pkg/other.py", "import six\n"),
            ("src/pkg/sub/deep.py", "from ..more import x\n"),
            ("src/pkg/more.py", "import attr\n"),
            ("src/pkg/unused.py", "import django\n"),
        ]);
        assert_eq!(found, ["attr", "numpy", "os", "requests", "six", "yaml"]);
    }

    #[test]
    fn optional_imports_do_not_count() {
        let found = modules(&[(
            "test_a.py",
            "try:\n    import simplejson\nexcept ImportError:\n    pass\nif True:\n    import orjson\n\
             def f():\n    import lxml\n'''\nimport docs\n'''\nimport pytest\n",
        )]);
        assert_eq!(found, ["pytest"]);
    }

    #[test]
    fn a_module_may_have_another_name_than_its_distribution() {
        assert_eq!(distribution_of("yaml"), "PyYAML");
        assert_eq!(distribution_of("requests"), "requests");
        let names = DISTRIBUTIONS.iter().map(|(module, _)| module);
        assert_eq!(names.collect::<BTreeSet<_>>().len(), DISTRIBUTIONS.len());
    }
}
