//! What `pyproject.toml` and a Pipfile say: PEP 621, dependency groups, Poetry, PDM, Hatch, uv and Flit.

use toml::Value;

use super::{Found, TEST_GROUPS, by_configuration};

/// The pytest that `tool.pytest.ini_options` asks for.
pub(super) fn configured_in_pyproject(text: &str, found: &mut Found) {
    let table = text.parse::<toml::Table>().ok();
    let tool = table.as_ref().and_then(|table| table.get("tool"));
    let Some(options) = tool.and_then(|tool| at(tool, &["pytest", "ini_options"])) else {
        return;
    };
    let least = options.get("minversion").and_then(Value::as_str);
    if let Some(line) = least.and_then(by_configuration) {
        found.requirement(&line);
    }
    found.settings(|name| options.get(name).is_some());
}

pub(super) fn from_pyproject(text: &str, found: &mut Found) {
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
    let Some(tool) = table.get("tool") else {
        return;
    };
    groups(at(tool, &["pdm", "dev-dependencies"]), found);
    for line in strings(at(tool, &["uv", "dev-dependencies"])) {
        found.requirement(&line);
    }
    hatch(at(tool, &["hatch", "envs"]), found);
    for line in strings(at(tool, &["flit", "metadata", "requires"])) {
        found.requirement(&line);
    }
    groups(at(tool, &["flit", "metadata", "requires-extra"]), found);
    if let Some(poetry) = tool.get("poetry") {
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

fn at<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| value.get(key))
}

/// The wanted groups of a table of lists; one may include another.
fn groups(value: Option<&Value>, found: &mut Found) {
    let mut next = 0;
    while let Some(name) = found.groups.get(next).cloned() {
        next += 1;
        let group = value.and_then(|groups| groups.get(&name));
        for line in strings(group) {
            found.requirement(&line);
        }
        let items = group.and_then(Value::as_array).into_iter().flatten();
        for other in items.filter_map(|item| item.get("include-group")?.as_str()) {
            found.group(other);
        }
    }
}

/// Hatch's environments for tests, and the one that is used without a name.
fn hatch(environments: Option<&Value>, found: &mut Found) {
    for name in TEST_GROUPS.iter().chain(&["default", "hatch-test"]) {
        let Some(environment) = environments.and_then(|all| all.get(name)) else {
            continue;
        };
        for key in ["dependencies", "extra-dependencies"] {
            for line in strings(environment.get(key)) {
                found.requirement(&line);
            }
        }
        for extra in strings(environment.get("features")) {
            found.group(&extra);
        }
    }
}

/// A Pipfile's packages, with those for development.
pub(super) fn from_pipfile(text: &str, found: &mut Found) {
    let Ok(table) = text.parse::<toml::Table>() else {
        return;
    };
    for section in ["packages", "dev-packages"] {
        poetry_table(table.get(section), found);
    }
}

/// Poetry's `name = "^1.2"`: the caret and the tilde are its own, so only the name is taken with them; of pytest, whose line
/// depends on it, also the least release.
fn poetry_table(value: Option<&Value>, found: &mut Found) {
    for (name, version) in value.and_then(Value::as_table).into_iter().flatten() {
        let version = version.as_str().unwrap_or("*");
        match version.chars().next() {
            Some('=' | '<' | '>' | '!') => found.requirement(&format!("{name}{version}")),
            Some(digit) if digit.is_ascii_digit() => {
                found.requirement(&format!("{name}=={version}"));
            }
            Some('^') if name == "pytest" => {
                found.requirement(&format!("pytest>={}", &version[1..]));
            }
            _ => found.requirement(name),
        }
    }
}

/// The lowest version that a specifier like `>=3.7,<4` allows.
pub(super) fn lowest_python(specifier: &str) -> Option<String> {
    let part = specifier
        .split(',')
        .map(str::trim)
        .find(|part| part.starts_with(">=") || part.starts_with("~="))?;
    let version = part.trim_start_matches(['>', '=', '~']).trim();
    Some(version.split('.').take(2).collect::<Vec<_>>().join("."))
}
