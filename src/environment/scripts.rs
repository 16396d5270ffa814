//! The shell script that builds a virtual environment, on this machine or in a container. The script runs Python
//! programs in the virtual environment. The programs need Python 3.7 or later and no packages.

use serde_json::json;

use super::build_context::STEP_PREFIX;
use super::requirements::{Requirements, USUAL_PYTEST};

/// The file name and the text of each Python program. The programs import each other, so they must be in one folder.
pub(super) const SCRIPTS: [(&str, &str); 3] = [
    ("distributions.py", include_str!("python/distributions.py")),
    ("install.py", include_str!("python/install.py")),
    ("remove_copies.py", include_str!("python/remove_copies.py")),
];

/// The paths and options for building a virtual environment.
pub(super) struct Places<'a> {
    /// The Python that creates the virtual environment.
    pub python: &'a str,
    /// The folder of the virtual environment.
    pub folder: &'a str,
    /// The folder with the Python programs and their input files `request.json` and `sources`.
    pub build: &'a str,
    /// The folder with a copy of the project. It is used only if there are setup commands.
    pub project: &'a str,
    /// Whether the virtual environment can import the packages of `python`.
    pub sees_packages: bool,
}

/// The script that builds the virtual environment. The script prints the title of each step, and the output of each
/// program that it runs.
pub(super) fn script(requirements: &Requirements, places: &Places) -> String {
    let [python, folder, build] = [places.python, places.folder, places.build].map(quoted);
    let site = if places.sees_packages {
        "--system-site-packages "
    } else {
        ""
    };
    let mut lines = vec![
        "exec 2>&1; set -e".to_owned(),
        format!("export PYTHONUNBUFFERED=1; cd {build}"),
        "[ -s certificates.pem ] && export PIP_CERT=$PWD/certificates.pem".to_owned(),
        format!("echo '{STEP_PREFIX}making the virtual environment'"),
        format!("{python} -m venv {site}{folder}"),
        format!("{folder}/bin/python -B -s install.py request.json"),
    ];
    lines.extend(setup(requirements, places));
    lines.join("\n")
}

/// The shell commands that run after the packages are installed: the project's setup commands, then the removal of
/// installed copies of the project's modules.
pub(super) fn setup(requirements: &Requirements, places: &Places) -> Vec<String> {
    let [folder, project] = [places.folder, places.project].map(quoted);
    let run = |command: &String| {
        format!(
            "echo '{STEP_PREFIX}run' {}; (cd {project}; PATH={folder}/bin:$PATH; {command})",
            quoted(command)
        )
    };
    let mut lines: Vec<String> = requirements.setup.iter().map(run).collect();
    lines.push(format!(
        "{folder}/bin/python -B -s remove_copies.py sources"
    ));
    lines
}

/// Quotes `word` so that the shell reads it as one word.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The request that `install.py` reads. `own_pytest` is true if the virtual environment can import the image's pytest.
/// The request asks for the image's pytest only if the project accepts the default version.
pub(super) fn install_request(requirements: &Requirements, own_pytest: bool) -> String {
    json!({
        "packages": requirements.packages,
        "found": requirements.found(),
        "pytest": requirements.pytest(),
        "own_pytest": own_pytest && requirements.pytest() == USUAL_PYTEST,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted("a'b c;d"), "'a'\\''b c;d'");
    }
}
