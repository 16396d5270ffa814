//! Tools of development that tests do not import.

use super::Requirements;
use super::line::parse;

/// Packages of checkers, formatters, documentation and releases. A name that ends with `-` stands for all packages
/// whose names begin with it.
const TOOLS: [&str; 56] = [
    "autopep8",
    "bandit",
    "black",
    "build",
    "bump2version",
    "bumpversion",
    "check-manifest",
    "cibuildwheel",
    "codecov",
    "codespell",
    "coveralls",
    "detox",
    "doc8",
    "flake8",
    "flake8-",
    "furo",
    "hatch",
    "interrogate",
    "invoke",
    "ipdb",
    "isort",
    "jupyter",
    "livereload",
    "mkdocs",
    "mkdocs-",
    "mypy",
    "mypy-",
    "myst-parser",
    "notebook",
    "nox",
    "numpydoc",
    "pdbpp",
    "pip-tools",
    "poetry",
    "pre-commit",
    "pycodestyle",
    "pydocstyle",
    "pylint",
    "pyright",
    "pyroma",
    "pytest-runner",
    "pyupgrade",
    "readme-renderer",
    "reno",
    "ruff",
    "safety",
    "setuptools-scm",
    "sphinx",
    "sphinx-",
    "tox",
    "tox-",
    "towncrier",
    "twine",
    "types-",
    "vulture",
    "yapf",
];

impl Requirements {
    /// Leaves out well-known tools of development, such as checkers and formatters, from the requirements for tests.
    /// Their pins often conflict with others, and tests rarely import them.
    #[must_use]
    pub fn without_tools(mut self) -> Self {
        self.tests.retain(|line| {
            let name = parse(line).map(|requirement| requirement.name.to_string());
            !name.is_some_and(|name| is_tool(&name))
        });
        self
    }
}

fn is_tool(name: &str) -> bool {
    TOOLS.iter().any(|tool| match tool.strip_suffix('-') {
        Some(_) => name.starts_with(tool),
        None => name == *tool,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_left_out_of_the_requirements_for_tests_only() {
        let requirements = Requirements {
            runtime: vec!["black>=20".to_owned()],
            tests: [
                "flake8==3",
                "flake8-quotes",
                "blacken",
                "sphinx",
                "Sphinx_rtd_theme",
                "mock",
            ]
            .map(str::to_owned)
            .into(),
            ..Requirements::default()
        }
        .without_tools();
        assert_eq!(requirements.found(), ["black>=20", "blacken", "mock"]);
    }
}
