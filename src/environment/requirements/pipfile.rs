//! Requirements in a `Pipfile`. Its entries have the syntax of Poetry's, with the version specifiers of PEP 440.

use toml::Table;

use super::collector::Collector;
use super::model::Purpose;
use super::poetry::poetry_table;

/// Adds the packages of a `Pipfile`: `[packages]` for the project itself, unless other files name its requirements, and
/// `[dev-packages]` for tests.
pub(super) fn from_pipfile(text: &str, collector: &mut Collector) {
    let table: Table = text.parse().unwrap_or_default();
    let purpose = if collector.has_runtime_requirements() {
        Purpose::Tests
    } else {
        Purpose::Runtime
    };
    poetry_table(table.get("packages"), purpose, collector);
    poetry_table(table.get("dev-packages"), Purpose::Tests, collector);
}
