//! What a project and its tests require. The requirements are read from the project's files; no code of the project
//! runs.

mod collector;
mod covering;
mod files;
mod find;
mod line;
mod model;
mod nox;
mod pipfile;
mod poetry;
mod pyproject;
mod pytest;
mod pytest_options;
mod requirement_files;
mod setup;
mod test_files;
mod tools;
mod tox;

pub(super) use self::files::{ini_entries, ini_list};
pub use self::find::find_requirements;
pub(super) use self::find::project_name;
pub(super) use self::line::parse;
pub use self::model::Requirements;
pub(super) use self::poetry::alternatives;
pub(super) use self::pyproject::{at, strings};
pub(crate) use self::test_files::PLUGIN_FIXTURES;
pub(super) use self::test_files::test_sources;
pub(super) use self::tox::{expanded, python_of_factor, tox_files};

#[cfg(test)]
mod tests;
