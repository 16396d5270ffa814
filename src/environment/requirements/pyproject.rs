//! Requirements in `pyproject.toml` and in a Pipfile: PEP 621, dependency groups, Poetry, PDM, Hatch, uv and Flit.

use pep508_rs::ExtraName;
use toml::{Table, Value};

use super::collector::{Collector, TEST_GROUPS};
use super::poetry::{Purpose, poetry_table};
use super::pytest::minimum_version;

/// Takes the pytest that `tool.pytest.ini_options` asks for.
pub(super) fn configured_in_pyproject(text: &str, collector: &mut Collector) {
    let table = text.parse::<Table>().unwrap_or_default();
    let Some(options) = table
        .get("tool")
        .and_then(|tool| at(tool, &["pytest", "ini_options"]))
    else {
        return;
    };
    if let Some(least) = options.get("minversion").and_then(Value::as_str) {
        collector.require(&minimum_version(least));
    }
    collector.plugin_settings(|name| options.get(name).is_some());
}

pub(super) fn from_pyproject(text: &str, collector: &mut Collector) {
    let table = text.parse::<Table>().unwrap_or_default();
    if let Some(project) = table.get("project") {
        let python = project.get("requires-python").and_then(Value::as_str);
        let python = python.and_then(|python| python.parse().ok());
        collector.python_at_least(python.as_ref());
        for line in strings(project.get("dependencies")) {
            collector.require(&line);
        }
        groups(project.get("optional-dependencies"), collector);
    }
    groups(table.get("dependency-groups"), collector);
    let Some(tool) = table.get("tool") else {
        return;
    };
    groups(at(tool, &["pdm", "dev-dependencies"]), collector);
    for line in strings(at(tool, &["uv", "dev-dependencies"])) {
        collector.require_for_development(&line);
    }
    hatch(at(tool, &["hatch", "envs"]), collector);
    for line in strings(at(tool, &["flit", "metadata", "requires"])) {
        collector.require(&line);
    }
    groups(at(tool, &["flit", "metadata", "requires-extra"]), collector);
    if let Some(poetry) = tool.get("poetry") {
        poetry_table(poetry.get("dependencies"), Purpose::Runtime, collector);
        let development = poetry.get("dev-dependencies");
        poetry_table(development, Purpose::Development, collector);
        for name in TEST_GROUPS {
            let group = at(poetry, &["group", name, "dependencies"]);
            poetry_table(group, Purpose::Development, collector);
        }
    }
}

/// The strings of a list.
pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn at<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| value.get(key))
}

/// Takes the wanted groups of a table of lists; one may include another.
fn groups(value: Option<&Value>, collector: &mut Collector) {
    let table = value.and_then(Value::as_table);
    let mut next = 0;
    while let Some(wanted) = collector.groups().get(next).cloned() {
        next += 1;
        let is_wanted = |name: &str| name.parse().is_ok_and(|name: ExtraName| name == wanted);
        let mut groups = table.into_iter().flatten();
        let group = groups.find(|(name, _)| is_wanted(name));
        let group = group.map(|(_, group)| group);
        for line in strings(group) {
            collector.require_for_development(&line);
        }
        let items = group.and_then(Value::as_array).into_iter().flatten();
        for other in items.filter_map(|item| item.get("include-group")?.as_str()) {
            collector.want_group(other);
        }
    }
}

/// Takes Hatch's environments for tests, and the one that is used without a name.
fn hatch(environments: Option<&Value>, collector: &mut Collector) {
    for name in TEST_GROUPS.iter().chain(&["default", "hatch-test"]) {
        let Some(environment) = environments.and_then(|all| all.get(name)) else {
            continue;
        };
        for key in ["dependencies", "extra-dependencies"] {
            for line in strings(environment.get(key)) {
                collector.require_for_development(&line);
            }
        }
        for extra in strings(environment.get("features")) {
            collector.want_group(&extra);
        }
    }
}

/// Takes a Pipfile's packages, also those for development.
pub(super) fn from_pipfile(text: &str, collector: &mut Collector) {
    let table = text.parse::<Table>().unwrap_or_default();
    poetry_table(table.get("packages"), Purpose::Runtime, collector);
    poetry_table(table.get("dev-packages"), Purpose::Development, collector);
}
