//! What the configuration of pytest demands: a version, plugins, and the plugins of the options in it.

use toml::{Table, Value};

use super::collector::Collector;
use super::files::ini_list;
use super::model::Purpose;
use super::pyproject::{at, strings};
use crate::history::SourceTree;

/// Options in `addopts`, or the beginnings of options that end with `-`, each with the plugin that has them.
const OPTIONS: [(&str, &str); 32] = [
    ("--cov", "pytest-cov"),
    ("--cov-", "pytest-cov"),
    ("--no-cov", "pytest-cov"),
    ("-n", "pytest-xdist"),
    ("--numprocesses", "pytest-xdist"),
    ("--dist", "pytest-xdist"),
    ("--timeout", "pytest-timeout"),
    ("--timeout-", "pytest-timeout"),
    ("--flake8", "pytest-flake8"),
    ("--pep8", "pytest-pep8"),
    ("--flakes", "pytest-flakes"),
    ("--isort", "pytest-isort"),
    ("--black", "pytest-black"),
    ("--mypy", "pytest-mypy"),
    ("--pylint", "pytest-pylint"),
    ("--mpl", "pytest-mpl"),
    ("--doctest-plus", "pytest-doctestplus"),
    ("--doctest-rst", "pytest-doctestplus"),
    ("--remote-data", "pytest-remotedata"),
    ("--asyncio-", "pytest-asyncio"),
    ("--benchmark-", "pytest-benchmark"),
    ("--reruns", "pytest-rerunfailures"),
    ("--reruns-", "pytest-rerunfailures"),
    ("--html", "pytest-html"),
    ("--randomly-", "pytest-randomly"),
    ("--random-order", "pytest-random-order"),
    ("--disable-socket", "pytest-socket"),
    ("--allow-hosts", "pytest-socket"),
    ("--ds", "pytest-django"),
    ("--reuse-db", "pytest-django"),
    ("--instafail", "pytest-instafail"),
    ("--typeguard-", "typeguard"),
];

/// Settings that only a plugin reads, each with the plugin.
const SETTINGS: [(&str, &str); 5] = [
    ("asyncio_mode", "pytest-asyncio"),
    ("timeout", "pytest-timeout"),
    ("env", "pytest-env"),
    ("DJANGO_SETTINGS_MODULE", "pytest-django"),
    ("doctest_plus", "pytest-doctestplus"),
];

/// The INI files with a configuration of pytest, each with its section.
const FILES: [(&str, &str); 5] = [
    ("tox.ini", "pytest"),
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
    ("setup.cfg", "pytest"),
];

/// Adds the version of pytest (`minversion`) and the plugins (`required_plugins`, options and settings of well-known
/// plugins) that the configuration of pytest demands.
pub(super) fn from_pytest_options(tree: &SourceTree, pyproject: &str, collector: &mut Collector) {
    let table = pyproject.parse::<Table>().unwrap_or_default();
    let options = at(table.get("tool"), &["pytest", "ini_options"]);
    let in_table = |name: &str| {
        let value = options.and_then(|options| options.get(name));
        match value {
            // An entry of a list may have blanks: `pytest-cov >= 2`.
            Some(Value::Array(_)) => strings(value)
                .iter()
                .map(|entry| format!("'{entry}'"))
                .collect(),
            Some(Value::String(text)) => text.lines().map(str::to_owned).collect(),
            Some(other) => vec![other.to_string()],
            None => Vec::new(),
        }
    };
    add(&in_table, collector);
    for (file, section) in FILES {
        let text = tree.small_text(file).unwrap_or_default();
        add(&|name: &str| ini_list(&text, section, name), collector);
    }
}

/// Adds what one configuration demands. `setting` gives the lines of a setting; none if it is not set.
fn add(setting: &dyn Fn(&str) -> Vec<String>, collector: &mut Collector) {
    for least in setting("minversion") {
        collector.pytest_at_least(&least);
    }
    for line in setting("required_plugins") {
        collector.require_plugins(&line);
    }
    for line in setting("addopts") {
        for plugin in line.split_whitespace().filter_map(plugin) {
            collector.require(plugin, Purpose::Tests);
        }
    }
    for (name, plugin) in SETTINGS {
        if !setting(name).is_empty() {
            collector.require(plugin, Purpose::Tests);
        }
    }
}

/// The plugin that has the option in a word of `addopts`: `--cov=pkg`, `-n4`.
fn plugin(word: &str) -> Option<&'static str> {
    let word = word.trim_matches(['"', '\'']);
    let name = word.split('=').next().unwrap_or(word);
    let matches = |option: &str| match option {
        "-n" => {
            let count = name.strip_prefix("-n");
            count.is_some_and(|count| {
                count.bytes().all(|byte| byte.is_ascii_digit()) || count == "auto"
            })
        }
        _ if option.ends_with('-') => name.starts_with(option),
        _ => name == option,
    };
    let mut options = OPTIONS.iter();
    options
        .find(|(option, _)| matches(option))
        .map(|(_, plugin)| *plugin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_name_their_plugins() {
        for (word, expected) in [
            ("--cov=pkg", Some("pytest-cov")),
            ("--cov-report=term", Some("pytest-cov")),
            ("-n", Some("pytest-xdist")),
            ("-nauto", Some("pytest-xdist")),
            ("-n4", Some("pytest-xdist")),
            ("\"--timeout=10\"", Some("pytest-timeout")),
            ("--doctest-plus", Some("pytest-doctestplus")),
            ("--doctest-modules", None),
            ("-nothing", None),
            ("--strict-markers", None),
            ("--co", None),
        ] {
            assert_eq!(plugin(word), expected, "{word}");
        }
    }
}
