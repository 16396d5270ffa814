//! Packages that a project lists for development and that its tests do not need.

use pep508_rs::PackageName;

/// Tools by their normalized name (PEP 503): building, linting, and documentation with its themes.
const TOOLS: &str = "alabaster black build bump2version bumpversion codecov cogapp coverage coveralls flake8 furo isort \
    mkdocs mkdocs-material mypy nox pip pre-commit pydata-sphinx-theme pylint pyright pytest-runner ruff sphinx \
    sphinx-autobuild sphinx-book-theme sphinx-rtd-theme towncrier tox tox-gh-actions twine uv virtualenv wheel";

/// Whether a package is such a tool.
pub(super) fn is_tool(name: &PackageName) -> bool {
    TOOLS.split(' ').any(|tool| tool == name.as_ref())
}

/// The module that such a tool is imported as.
pub(super) fn module_of(name: &PackageName) -> String {
    name.as_dist_info_name().into_owned()
}
