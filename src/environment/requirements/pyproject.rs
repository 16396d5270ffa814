//! Requirements in `pyproject.toml`: PEP 621, dependency groups and Poetry.

use pep508_rs::ExtraName;
use toml::{Table, Value};

use super::collector::Collector;
use super::model::Purpose;
use super::poetry::poetry_table;

/// The project's name in `[project]`, or else in the tables of Poetry or Flit.
pub(super) fn name_in_pyproject(text: &str) -> Option<String> {
    let table = text.parse::<Table>().ok()?;
    let tool = table.get("tool");
    let name = at(table.get("project"), &["name"])
        .or_else(|| at(tool, &["poetry", "name"]))
        .or_else(|| at(tool, &["flit", "metadata", "dist-name"]))
        .or_else(|| at(tool, &["flit", "metadata", "module"]));
    name?.as_str().map(str::to_owned)
}

/// Adds the project's dependencies, and the dependencies of those extras and groups that tests use.
pub(super) fn from_pyproject(text: &str, collector: &mut Collector) {
    let table = text.parse::<Table>().unwrap_or_default();
    let (project, tool) = (table.get("project"), table.get("tool"));
    for path in [
        &["flit", "metadata", "requires"][..],
        &["pdm", "dependencies"],
    ] {
        require_all(at(tool, path), Purpose::Runtime, collector);
    }
    require_all(at(project, &["dependencies"]), Purpose::Runtime, collector);
    groups(at(project, &["optional-dependencies"]), collector);
    groups(table.get("dependency-groups"), collector);
    groups(at(tool, &["flit", "metadata", "requires-extra"]), collector);
    groups(at(tool, &["pdm", "dev-dependencies"]), collector);
    require_all(
        at(tool, &["uv", "dev-dependencies"]),
        Purpose::Tests,
        collector,
    );
    let poetry = at(tool, &["poetry"]);
    poetry_table(at(poetry, &["dependencies"]), Purpose::Runtime, collector);
    poetry_table(at(poetry, &["dev-dependencies"]), Purpose::Tests, collector);
    let groups = at(poetry, &["group"]).and_then(Value::as_table);
    for (_, group) in groups
        .into_iter()
        .flatten()
        .filter(|(name, _)| collector.wants(name))
        .collect::<Vec<_>>()
    {
        poetry_table(group.get("dependencies"), Purpose::Tests, collector);
    }
    hatch_environments(at(tool, &["hatch", "envs"]), collector);
}

/// Adds the packages of those environments of Hatch that tests run in.
fn hatch_environments(table: Option<&Value>, collector: &mut Collector) {
    for name in ["default", "hatch-test", "test", "tests", "dev"] {
        for key in ["dependencies", "extra-dependencies"] {
            require_all(at(table, &[name, key]), Purpose::Tests, collector);
        }
        for extra in strings(at(table, &[name, "features"])) {
            collector.want_group(&extra);
        }
    }
}

fn require_all(list: Option<&Value>, purpose: Purpose, collector: &mut Collector) {
    for line in strings(list) {
        collector.require(&line, purpose);
    }
}

/// The strings in a TOML list; other elements are ignored. Empty if `value` is not a list.
pub(in crate::environment) fn strings(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

pub(in crate::environment) fn at<'v>(value: Option<&'v Value>, keys: &[&str]) -> Option<&'v Value> {
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
        require_all(group, Purpose::Tests, collector);
        let items = group.and_then(Value::as_array).into_iter().flatten();
        for other in items.filter_map(|item| item.get("include-group")?.as_str()) {
            collector.want_group(other);
        }
    }
}
