//! What a project needs, read from its files without running any of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toml::Value;
use tree_sitter::Node;

/// A project's needs: as declared in `evoscope.toml`, and as found in its files where nothing is declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// The Python version: `3.9`.
    pub python: Option<String>,
    /// Packages that were declared; that one cannot be installed is an error.
    pub packages: Vec<String>,
    /// Packages that were found; one that cannot be installed is left out, with a notice.
    pub found: Vec<String>,
    /// Commands run after the packages are there.
    pub setup: Vec<String>,
    /// The project's root, which the commands of `setup` run in a copy of.
    pub root: PathBuf,
    /// The container image to start from.
    pub image: Option<String>,
}

/// Extras and groups that hold what tests need.
const TEST_GROUPS: [&str; 6] = [
    "test",
    "tests",
    "testing",
    "tests_require",
    "dev",
    "develop",
];

/// Tools that no test imports, and pytest itself, whose version is Evoscope's.
const NOT_NEEDED: [&str; 26] = [
    "pytest",
    "tox",
    "nox",
    "black",
    "flake8",
    "mypy",
    "isort",
    "pylint",
    "twine",
    "wheel",
    "setuptools",
    "pip",
    "build",
    "pre-commit",
    "codecov",
    "coverage",
    "coveralls",
    "sphinx",
    "ruff",
    "bumpversion",
    "towncrier",
    "furo",
    "cogapp",
    "pytest-runner",
    "python",
    "virtualenv",
];

/// Reads what the project at `root` says that it and its tests need: `pyproject.toml` (PEP 621 and Poetry),
/// `setup.cfg`, `setup.py` read as text, `tox.ini`, requirements files, and the metadata of a source release.
pub fn find_needs(root: &Path) -> Needs {
    let mut found = Found {
        groups: TEST_GROUPS.map(str::to_owned).to_vec(),
        ..Found::default()
    };
    let tox = read(root, "tox.ini").unwrap_or_default();
    let extras = ini_list(&tox, "testenv", "extras");
    found
        .groups
        .extend(extras.iter().map(|line| after_condition(line).to_owned()));
    if let Some(text) = read(root, "pyproject.toml") {
        from_pyproject(&text, &mut found);
    }
    if let Some(text) = read(root, "setup.cfg") {
        from_setup_cfg(&text, &mut found);
    }
    if let Some(text) = read(root, "setup.py") {
        from_setup_py(&text, &mut found);
    }
    for line in ini_list(&tox, "testenv", "deps") {
        found.add(after_condition(&line), root);
    }
    for name in requirement_files(root) {
        found.file(root, &name, 0);
    }
    if let Some(text) = metadata(root) {
        from_requires_txt(&text, &mut found);
    }
    Needs {
        python: found.python,
        found: found.packages,
        root: root.to_owned(),
        ..Needs::default()
    }
}

/// Tox's `factor: package` without the factor: which factor would hold cannot be told here, so the package is taken.
fn after_condition(line: &str) -> &str {
    line.split_once(": ")
        .map_or(line, |(_, package)| package)
        .trim()
}

#[derive(Default)]
struct Found {
    groups: Vec<String>,
    python: Option<String>,
    packages: Vec<String>,
    names: BTreeSet<String>,
}

impl Found {
    fn requirement(&mut self, line: &str) {
        let line = line.split(" #").next().unwrap_or(line).trim();
        let name: String = line
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || "._-".contains(*c))
            .collect();
        let name = name.to_ascii_lowercase().replace('_', "-");
        let local = line.starts_with(['-', '.', '/', '#', '{', '$']) || line.contains("://");
        if name.is_empty()
            || local
            || NOT_NEEDED.contains(&name.as_str())
            || name.starts_with("sphinx")
        {
            return;
        }
        if self.names.insert(name) {
            self.packages.push(line.to_owned());
        }
    }

    /// A requirement, or `-r file`.
    fn add(&mut self, line: &str, root: &Path) {
        match line.strip_prefix("-r").map(|name| {
            name.trim_start_matches([' ', '='])
                .replace("{toxinidir}/", "")
        }) {
            Some(name) => self.file(root, &name, 1),
            None => self.requirement(line),
        }
    }

    fn file(&mut self, root: &Path, name: &str, depth: u8) {
        let Some(text) = read(root, name) else { return };
        let folder = name
            .rsplit_once('/')
            .map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for line in text.lines() {
            match line.trim().strip_prefix("-r") {
                Some(other) if depth < 4 => {
                    self.file(root, &format!("{folder}{}", other.trim()), depth + 1);
                }
                _ => self.requirement(line.trim()),
            }
        }
    }
}

fn read(root: &Path, name: &str) -> Option<String> {
    let path = root.join(name);
    let small = fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() < 1 << 20);
    if small {
        fs::read(path)
            .ok()
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    } else {
        None
    }
}

fn requirement_files(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for folder in ["", "requirements/", "tests/", "test/"] {
        let Ok(entries) = fs::read_dir(root.join(folder)) else {
            continue;
        };
        for name in entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
        {
            let lower = name.to_ascii_lowercase();
            let requirements = lower.contains("requirements") || folder == "requirements/";
            let wanted = ["test", "base", "main", "requirements.txt", "dev"]
                .iter()
                .any(|word| lower.contains(word));
            let text = Path::new(&lower)
                .extension()
                .is_some_and(|end| end == "txt" || end == "in");
            if text && requirements && wanted {
                names.push(format!("{folder}{name}"));
            }
        }
    }
    names.sort_by_key(|name| (name.contains("dev"), name.clone()));
    if names.iter().any(|name| name.contains("test")) {
        names.retain(|name| !name.contains("dev"));
    }
    names
}

fn from_pyproject(text: &str, found: &mut Found) {
    let Ok(table) = text.parse::<toml::Table>() else {
        return;
    };
    if let Some(project) = table.get("project") {
        found.python = project
            .get("requires-python")
            .and_then(Value::as_str)
            .and_then(lowest_python);
        for line in strings(project.get("dependencies")) {
            found.requirement(&line);
        }
        groups(project.get("optional-dependencies"), found);
    }
    groups(table.get("dependency-groups"), found);
    if let Some(poetry) = table.get("tool").and_then(|tool| tool.get("poetry")) {
        poetry_table(poetry.get("dependencies"), found);
        poetry_table(poetry.get("dev-dependencies"), found);
        for name in TEST_GROUPS {
            poetry_table(
                poetry
                    .get("group")
                    .and_then(|g| g.get(name))
                    .and_then(|g| g.get("dependencies")),
                found,
            );
        }
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    let list = value.and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn groups(value: Option<&Value>, found: &mut Found) {
    for name in found.groups.clone() {
        for line in strings(value.and_then(|groups| groups.get(&name))) {
            found.requirement(&line);
        }
    }
}

/// Poetry's `name = "^1.2"`: the caret and the tilde are its own, so only the name is taken with them.
fn poetry_table(value: Option<&Value>, found: &mut Found) {
    for (name, version) in value.and_then(Value::as_table).into_iter().flatten() {
        let version = version.as_str().unwrap_or("*");
        match version.chars().next() {
            Some('=' | '<' | '>' | '!') => found.requirement(&format!("{name}{version}")),
            Some(digit) if digit.is_ascii_digit() => {
                found.requirement(&format!("{name}=={version}"));
            }
            _ => found.requirement(name),
        }
    }
}

/// The lowest version that a specifier like `>=3.7,<4` allows.
fn lowest_python(specifier: &str) -> Option<String> {
    let part = specifier
        .split(',')
        .map(str::trim)
        .find(|part| part.starts_with(">=") || part.starts_with("~="))?;
    let version = part.trim_start_matches(['>', '=', '~']).trim();
    Some(version.split('.').take(2).collect::<Vec<_>>().join("."))
}

fn from_setup_cfg(text: &str, found: &mut Found) {
    for line in ini_list(text, "options", "install_requires") {
        found.requirement(&line);
    }
    for line in ini_list(text, "options", "tests_require") {
        found.requirement(&line);
    }
    for name in found.groups.clone() {
        for line in ini_list(text, "options.extras_require", &name) {
            found.requirement(&line);
        }
    }
    if let Some(specifier) = ini_list(text, "options", "python_requires").first() {
        found.python = found.python.take().or_else(|| lowest_python(specifier));
    }
}

/// The lines of a key's value in an INI file, as Python's `configparser` continues them.
fn ini_list(text: &str, section: &str, key: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut in_section, mut in_key) = (false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            (in_section, in_key) = (name == section, false);
        } else if line.starts_with([' ', '\t']) {
            if in_key {
                lines.push(trimmed.to_owned());
            }
        } else if let Some((name, value)) = trimmed.split_once(['=', ':']) {
            in_key = in_section && name.trim() == key;
            if in_key && !value.trim().is_empty() {
                lines.push(value.trim().to_owned());
            }
        }
    }
    lines
}

/// `install_requires`, `tests_require` and test extras of the `setup(…)` call, where they are lists of strings, in
/// place or under a name. Nothing is run.
fn from_setup_py(text: &str, found: &mut Found) {
    let mut parser = tree_sitter::Parser::new();
    if parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .is_err()
    {
        return;
    }
    let Some(tree) = parser.parse(text, None) else {
        return;
    };
    let mut pairs = Vec::new();
    pairs_in(tree.root_node(), text, &mut pairs);
    for (name, value) in &pairs {
        let wanted = matches!(
            name.as_str(),
            "install_requires" | "tests_require" | "setup_requires"
        );
        if wanted || found.groups.contains(name) {
            for line in string_list(*value, text, &pairs, 0) {
                found.requirement(&line);
            }
        } else if name == "python_requires"
            && let Some(specifier) = string_list(*value, text, &pairs, 0).first()
        {
            found.python = found.python.take().or_else(|| lowest_python(specifier));
        }
    }
}

/// Every keyword argument, assignment and dictionary entry, by name.
fn pairs_in<'t>(node: Node<'t>, text: &str, pairs: &mut Vec<(String, Node<'t>)>) {
    let fields = match node.kind() {
        "keyword_argument" => Some(("name", "value")),
        "assignment" => Some(("left", "right")),
        "pair" => Some(("key", "value")),
        _ => None,
    };
    if let Some((name, value)) = fields
        && let (Some(name), Some(value)) = (
            node.child_by_field_name(name),
            node.child_by_field_name(value),
        )
    {
        pairs.push((
            text[name.byte_range()].trim_matches(['"', '\'']).to_owned(),
            value,
        ));
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        pairs_in(child, text, pairs);
    }
}

fn string_list(node: Node, text: &str, pairs: &[(String, Node)], depth: u8) -> Vec<String> {
    match node.kind() {
        "string" => {
            let mut cursor = node.walk();
            let content = node
                .named_children(&mut cursor)
                .find(|child| child.kind() == "string_content");
            content
                .map(|content| text[content.byte_range()].to_owned())
                .into_iter()
                .collect()
        }
        "identifier" if depth < 3 => {
            let name = &text[node.byte_range()];
            let value = pairs
                .iter()
                .find(|(other, value)| other == name && *value != node);
            value
                .map(|(_, value)| string_list(*value, text, pairs, depth + 1))
                .unwrap_or_default()
        }
        "list" | "tuple" | "binary_operator" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor)
                .flat_map(|child| string_list(child, text, pairs, depth))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// `*.egg-info/requires.txt` of a source release, beside the project or under `src`.
fn metadata(root: &Path) -> Option<String> {
    for folder in ["", "src"] {
        for entry in fs::read_dir(root.join(folder))
            .into_iter()
            .flatten()
            .flatten()
        {
            if entry
                .path()
                .extension()
                .is_some_and(|end| end == "egg-info")
            {
                let found = read(&entry.path(), "requires.txt");
                if found.is_some() {
                    return found;
                }
            }
        }
    }
    None
}

fn from_requires_txt(text: &str, found: &mut Found) {
    let mut wanted = true;
    let mut marker = String::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(section) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            let (extra, condition) = section.split_once(':').unwrap_or((section, ""));
            wanted = extra.is_empty() || found.groups.iter().any(|name| name == extra);
            marker = if condition.is_empty() {
                String::new()
            } else {
                format!("; {condition}")
            };
        } else if wanted {
            found.requirement(&format!("{line}{marker}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Needs {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        find_needs(dir.path())
    }

    #[test]
    fn pyproject_with_extras() {
        let needs = found(&[(
            "pyproject.toml",
            "[project]\nrequires-python = '>=3.7, <4'\ndependencies = ['click>=7', 'a[b]==1; python_version<\"3.8\"']\n[project.optional-dependencies]\ntest = ['pytest', 'hypothesis']\ndocs = ['sphinx']\n",
        )]);
        assert_eq!(
            needs.found,
            ["click>=7", "a[b]==1; python_version<\"3.8\"", "hypothesis"]
        );
        assert_eq!(needs.python.as_deref(), Some("3.7"));
    }

    #[test]
    fn poetry_takes_the_name_where_the_version_is_its_own() {
        let needs = found(&[(
            "pyproject.toml",
            "[tool.poetry.dependencies]\npython = '^3.7'\nrequests = '^2.1'\nsix = '1.16.0'\n",
        )]);
        assert_eq!(needs.found, ["requests", "six==1.16.0"]);
    }

    #[test]
    fn setup_py_is_read_and_not_run() {
        let needs = found(&[(
            "setup.py",
            "from setuptools import setup\nREQUIRES = ['lxml', 'w3lib>=1.19']\nsetup(install_requires=REQUIRES, tests_require=['psutil'] + ['six'], extras_require={'test': ['sybil'], 'docs': ['furo']}, python_requires='>=3.6')\n",
        )]);
        assert_eq!(
            needs.found,
            ["lxml", "w3lib>=1.19", "psutil", "six", "sybil"]
        );
        assert_eq!(needs.python.as_deref(), Some("3.6"));
    }

    #[test]
    fn requirements_files_follow_each_other_and_leave_out_what_is_local() {
        let needs = found(&[
            (
                "requirements-test.txt",
                "-r requirements.txt\nmock==4.0 # old\n-e .\n./local\n",
            ),
            ("requirements.txt", "attrs\ngit+https://example.org/x\n"),
            (
                "setup.cfg",
                "[options]\ninstall_requires =\n  requests\n  # no\n  six\n",
            ),
            (
                "tox.ini",
                "[testenv]\ndeps =\n    -rrequirements.txt\n    py37: pytest-mock\n    sybil\n",
            ),
        ]);
        assert_eq!(
            needs.found,
            [
                "requests",
                "six",
                "attrs",
                "pytest-mock",
                "sybil",
                "mock==4.0"
            ]
        );
    }

    #[test]
    fn metadata_of_a_release_is_the_last_resort() {
        let needs = found(&[(
            "src/x.egg-info/requires.txt",
            "aiohttp>=2\n\n[dev]\ntox\nmock\n\n[docs]\nfuro\n\n[:python_version<'3']\nenum34\n",
        )]);
        assert_eq!(
            needs.found,
            ["aiohttp>=2", "mock", "enum34; python_version<'3'"]
        );
    }
}
