//! Which module may import which: each knows only the modules above it in the list of `src/lib.rs`.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order of that list; `cli` and `tui` share the last layer and do not know each other.
const MODULES: [&str; 13] = [
    "error",
    "benchmark",
    "history",
    "code",
    "context",
    "environment",
    "evaluation",
    "metrics",
    "review",
    "workspace",
    "report",
    "cli",
    "tui",
];

/// The exceptions: the command line starts the explorer and checks its themes, and uses nothing else of it.
const EXCEPTIONS: [&str; 2] = ["cli/explore.rs", "cli/theme.rs"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

fn module_of(src: &Path, file: &Path) -> Option<String> {
    let inside = file.strip_prefix(src).ok()?;
    let first = inside.components().next()?.as_os_str().to_str()?;
    let name = first.trim_end_matches(".rs");
    MODULES.contains(&name).then(|| name.to_owned())
}

/// The modules that a text names as `crate::module`, each with its line number.
fn named_modules(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for (at, _) in code.match_indices("crate::") {
            let rest = &code[at + "crate::".len()..];
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            assert!(
                !rest.starts_with('{'),
                "line {}: write one `use crate::module::…` for each module, so that this test can read it",
                number + 1
            );
            found.push((number + 1, &rest[..end]));
        }
    }
    found
}

#[test]
fn each_module_imports_only_those_above_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    let mut breaches = Vec::new();
    for file in &files {
        let Some(module) = module_of(&src, file) else {
            continue;
        };
        let layer = MODULES.iter().position(|name| *name == module).unwrap();
        let text = fs::read_to_string(file).unwrap();
        for (line, named) in named_modules(&text) {
            let Some(other) = MODULES.iter().position(|name| *name == named) else {
                continue;
            };
            let faces = module != named
                && [module.as_str(), named]
                    .iter()
                    .all(|name| ["cli", "tui"].contains(name));
            let exception =
                faces && named == "tui" && EXCEPTIONS.iter().any(|end| file.ends_with(end));
            if (other > layer || faces) && !exception {
                breaches.push(format!(
                    "{}:{line}: {module} imports {named}",
                    file.display()
                ));
            }
        }
    }
    assert!(files.len() > 10, "found only {} files", files.len());
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}
