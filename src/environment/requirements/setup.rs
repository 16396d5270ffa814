//! Requirements in `setup.cfg` and `setup.py`.

use super::collector::Collector;
use super::files::ini_list;
use super::model::Purpose;
use crate::benchmark::Language;
use crate::code::{NamedValues, parse};

/// Reads from `setup.cfg`: `install_requires`, `tests_require`, and the extras in `Collector::groups`.
pub(super) fn from_setup_cfg(text: &str, collector: &mut Collector) {
    for (key, purpose) in [
        ("install_requires", Purpose::Runtime),
        ("tests_require", Purpose::Tests),
    ] {
        for line in ini_list(text, "options", key) {
            collector.require(&line, purpose);
        }
    }
    for extra in collector.groups().to_vec() {
        for line in ini_list(text, "options.extras_require", extra.as_ref()) {
            collector.require(&line, Purpose::Tests);
        }
    }
}

/// Reads from `setup.py`: `install_requires`, `tests_require`, `setup_requires`, and the extras in `Collector::groups`.
/// A value must be a list of strings, a string, or a variable with such a value. No code of `setup.py` runs.
pub(super) fn from_setup_py(text: &str, collector: &mut Collector) {
    let Some(tree) = parse(Language::Python, text.as_bytes()) else {
        return;
    };
    let pairs = NamedValues::of(&tree, text);
    for (name, value) in &pairs.found {
        let purpose = match *name {
            "install_requires" => Purpose::Runtime,
            "tests_require" | "setup_requires" => Purpose::Tests,
            name if collector.wants(extra_name(name)) => Purpose::Tests,
            _ => continue,
        };
        for line in pairs.strings(*value) {
            collector.require(line, purpose);
        }
    }
}

/// `test` for `extras_require['test']`; otherwise `name` itself.
fn extra_name(name: &str) -> &str {
    let key = name
        .strip_prefix("extras_require[")
        .and_then(|rest| rest.strip_suffix(']'));
    key.map_or(name, |key| key.trim_matches(['"', '\'']))
}

/// The project's name: the value of the first `name` in `setup.py` that has a string, or a variable with a string, as
/// its value. `None` if there is no such `name`.
pub(super) fn name_in_setup_py(text: &str) -> Option<String> {
    let tree = parse(Language::Python, text.as_bytes())?;
    let pairs = NamedValues::of(&tree, text);
    let mut names = pairs.found.iter().filter(|(name, _)| *name == "name");
    names.find_map(|(_, value)| pairs.strings(*value).first().map(ToString::to_string))
}
