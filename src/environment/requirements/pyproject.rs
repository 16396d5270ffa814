//! Requirements in `pyproject.toml`: PEP 621, dependency groups and Poetry.

use pep508_rs::ExtraName;
use toml::{Table, Value};

use super::collector::{Collector, TEST_GROUPS};
use super::poetry::poetry_table;

/// Adds the minimum version of pytest and the plugins that `tool.pytest.ini_options` requires.
pub(super) fn pytest_in_pyproject(text: &str, collector: &mut Collector) {
    let table = text.parse::<Table>().unwrap_or_default();
    let option = |name| at(table.get("tool"), &["pytest", "ini_options", name]);
    if let Some(least) = option("minversion").and_then(Value::as_str) {
        collector.pytest_at_least(least);
    }
    let plugins = option("required_plugins");
    for line in strings(plugins) {
        collector.require(&line);
    }
    if let Some(line) = plugins.and_then(Value::as_str) {
        collector.require_plugins(line);
    }
}

/// The project's name in `[project]`, or else in `[tool.poetry]`.
pub(super) fn name_in_pyproject(text: &str) -> Option<String> {
    let table = text.parse::<Table>().ok()?;
    let name = at(table.get("project"), &["name"]);
    let name = name.or_else(|| at(table.get("tool"), &["poetry", "name"]));
    name?.as_str().map(str::to_owned)
}

/// Adds the Python version, the project's dependencies, and the dependencies of those extras and groups that tests use.
pub(super) fn from_pyproject(text: &str, collector: &mut Collector) {
    let table = text.parse::<Table>().unwrap_or_default();
    let project = table.get("project");
    let python = at(project, &["requires-python"]).and_then(Value::as_str);
    let python = python.and_then(|python| python.parse().ok());
    collector.python_at_least(python.as_ref());
    for line in strings(at(project, &["dependencies"])) {
        collector.require(&line);
    }
    groups(at(project, &["optional-dependencies"]), collector);
    groups(table.get("dependency-groups"), collector);
    let poetry = at(table.get("tool"), &["poetry"]);
    poetry_table(at(poetry, &["dependencies"]), collector);
    poetry_table(at(poetry, &["dev-dependencies"]), collector);
    for name in TEST_GROUPS {
        poetry_table(at(poetry, &["group", name, "dependencies"]), collector);
    }
}

/// The strings in a TOML list; other elements are ignored. Empty if `value` is not a list.
pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn at<'v>(value: Option<&'v Value>, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(value?, |value, key| value.get(key))
}

/// Adds the requirements of the groups to collect, and of the groups that these groups include. `value` is a table that
/// maps the name of a group to a list of requirements.
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
            collector.require(&line);
        }
        let items = group.and_then(Value::as_array).into_iter().flatten();
        for other in items.filter_map(|item| item.get("include-group")?.as_str()) {
            collector.want_group(other);
        }
    }
}
