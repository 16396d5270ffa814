//! The Python versions in the files of continuous integration, where they are plain data. The files are read by lines,
//! not as YAML: only lists and values of the well-known keys count, and everything else is ignored.

use super::Listed;
use crate::history::SourceTree;

/// The keys whose values are Python versions, in Travis, GitHub, Azure and others.
const KEYS: [&str; 6] = [
    "python",
    "python-version",
    "python-versions",
    "python_version",
    "pyversion",
    "python.version",
];

/// Adds the versions in the files of continuous integration. Lists, such as a matrix, come before single values: a
/// single value is often the version of a linter.
pub(super) fn add_versions(tree: &SourceTree, listed: &mut Listed) {
    let workflows = ".github/workflows/";
    let mut files: Vec<String> = [".travis.yml", "azure-pipelines.yml", ".cirrus.yml"]
        .map(str::to_owned)
        .into();
    files.extend(
        tree.children(workflows)
            .into_iter()
            .map(|(name, _)| format!("{workflows}{name}")),
    );
    let (mut lists, mut values) = (Vec::new(), Vec::new());
    let is_yaml = |file: &&String| {
        let extension = std::path::Path::new(file.as_str()).extension();
        extension.is_some_and(|extension| extension == "yml" || extension == "yaml")
    };
    for file in files.iter().filter(is_yaml) {
        let text = tree.small_text(file).unwrap_or_default();
        read(&text, &mut lists, &mut values);
    }
    for version in if lists.is_empty() { values } else { lists } {
        listed.add(&version);
    }
}

/// Adds the versions in lists and in the entries of lists (`- python: 3.7`) to `lists`, and other versions to `values`.
fn read(text: &str, lists: &mut Vec<String>, values: &mut Vec<String>) {
    /// Where the list of the last key may have its entries.
    enum List {
        None,
        /// `- x` on the following lines, at least this far to the right.
        Below(usize),
        /// Until the closing bracket.
        Bracket,
    }
    let mut list = List::None;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line);
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        match list {
            List::Bracket => {
                lists.extend(scalars(trimmed));
                if trimmed.contains(']') {
                    list = List::None;
                }
                continue;
            }
            List::Below(least) => {
                if let Some(entry) = trimmed.strip_prefix("- ").filter(|_| indent >= least) {
                    lists.extend(scalars(entry));
                    continue;
                }
                list = List::None;
            }
            List::None => {}
        }
        let entry = trimmed.strip_prefix("- ").map(str::trim_start);
        let Some((key, value)) = entry.unwrap_or(trimmed).split_once(':') else {
            continue;
        };
        if !KEYS.contains(&key.trim().trim_matches(['"', '\''])) {
            continue;
        }
        let value = value.trim();
        if value.is_empty() {
            list = List::Below(indent);
        } else if value.starts_with('[') {
            lists.extend(scalars(value));
            if !value.contains(']') {
                list = List::Bracket;
            }
        } else if entry.is_some() {
            lists.extend(scalars(value));
        } else {
            values.extend(scalars(value));
        }
    }
}

/// The values in a line of a list: `["3.6", 3.7]`.
fn scalars(line: &str) -> impl Iterator<Item = String> {
    let parts = line.split([',', '[', ']']);
    let parts = parts.map(|part| part.trim().trim_matches(['"', '\'']).to_owned());
    parts.filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(text: &str) -> (Vec<String>, Vec<String>) {
        let (mut lists, mut values) = (Vec::new(), Vec::new());
        read(text, &mut lists, &mut values);
        (lists, values)
    }

    #[test]
    fn lists_of_travis_and_github_are_read() {
        let travis = "language: python\npython:\n  - \"2.7\"\n  - 3.6 # old\n\n  - '3.9-dev'\nmatrix:\n  include:\n    \
                      - python: 3.7\n      dist: xenial\ninstall:\n  - pip install .\n";
        assert_eq!(versions(travis).0, ["2.7", "3.6", "3.9-dev", "3.7"]);
        let unindented = "python:\n- 3.5\n- 3.6\nscript:\n- 3.8\n";
        assert_eq!(versions(unindented).0, ["3.5", "3.6"]);
        let github = "jobs:\n  a:\n    strategy:\n      matrix:\n        python-version: ['3.8', \"3.9\",\n          \
                      3.10]\n    steps:\n    - uses: setup-python\n      with:\n        python-version: ${{ matrix.x }}\n  \
                      lint:\n    steps:\n    - with:\n        python-version: 3.12\n";
        let (lists, values) = versions(github);
        assert_eq!(lists, ["3.8", "3.9", "3.10"]);
        assert_eq!(values, ["${{ matrix.x }}", "3.12"]);
    }
}
