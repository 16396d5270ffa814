//! How a virtual environment is built, on this machine and in a container: a shell script, and the Python programs that it
//! runs in the environment. They need Python 3.7 or later and no packages.

use serde_json::json;

use super::build_context::STEP_PREFIX;
use super::requirements::{Requirements, USUAL_PYTEST};

/// The files of the programs, which import each other and stay in one folder.
pub(super) const SCRIPTS: [(&str, &str); 3] = [
    ("distributions.py", include_str!("python/distributions.py")),
    ("install.py", include_str!("python/install.py")),
    ("remove_copies.py", include_str!("python/remove_copies.py")),
];

/// Where a virtual environment is built, and with what.
pub(super) struct Places<'a> {
    /// The Python that it is made with.
    pub python: &'a str,
    /// Where it will be.
    pub folder: &'a str,
    /// The folder of the programs, and of what they read: `request.json` and `sources`.
    pub build: &'a str,
    /// A copy of the project, where there are setup commands.
    pub project: &'a str,
    /// Whether it sees the packages of the Python that it is made with.
    pub sees_packages: bool,
}

/// The script that builds the virtual environment. It prints the title of each step, and what went wrong.
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

/// The commands after the packages are installed: the project's own, and the removal of copies of its modules.
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

/// A word as the shell reads it whole.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// The request that `install.py` reads. `own_pytest` says that the interpreter sees a pytest of its image.
pub(super) fn install_request(requirements: &Requirements, own_pytest: bool) -> String {
    json!({
        "packages": requirements.packages,
        "found": requirements.found,
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
