//! Reads uv's error messages.

use std::collections::BTreeSet;

use pep508_rs::PackageName;

use crate::environment::native_build::missing_native;

/// Why uv could not resolve or install requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::environment) struct Failure {
    /// uv's message in one line, without its hints.
    pub why: String,
    /// The packages that the message names, in normalised form.
    packages: BTreeSet<String>,
    lacks_upload_times: bool,
    /// What to install so that a native build works. `None` if the output names nothing of this kind.
    pub advice: Option<String>,
}

/// Words after which uv names a package.
const BEFORE_A_NAME: [&str; 8] = [
    "because", "require", "requires", "of", "that", "on", "only", "included",
];
/// Characters that uv draws before the lines of a message.
const DRAWN: [char; 5] = ['×', '╰', '─', '▶', '│'];

impl Failure {
    /// Reads the output of uv.
    pub fn of(output: &str) -> Self {
        let message = message(output);
        Self {
            packages: packages(&message),
            advice: missing_native(output),
            lacks_upload_times: output.contains("is missing an upload date"),
            why: message
                .split("hint:")
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned(),
        }
    }

    /// Whether the message names the package.
    pub fn names(&self, package: &PackageName) -> bool {
        self.packages.contains(package.as_ref())
    }

    /// Whether the index does not say when files were uploaded, so that it has no packages as of a date.
    pub fn lacks_upload_times(&self) -> bool {
        self.lacks_upload_times
    }

    /// Whether the index has releases, but only as archives that uv does not take, such as `.tar.bz2` (PEP 625).
    pub fn is_of_archives(&self) -> bool {
        self.why.contains("non-PEP 625-compliant")
    }

    /// Whether the index could not be reached.
    pub fn is_of_the_network(&self) -> bool {
        const MARKS: [&str; 5] = [
            "Failed to fetch",
            "Request failed",
            "error sending request",
            "Network connectivity is disabled",
            "network was disabled",
        ];
        MARKS.iter().any(|mark| self.why.contains(mark))
    }
}

/// The message in one line: from the first line that begins like an error, without drawn characters, indentation, and
/// the output of build backends.
fn message(output: &str) -> String {
    let lines = output
        .lines()
        .map(|line| line.trim_matches(|c: char| c.is_whitespace() || DRAWN.contains(&c)));
    let mut lines = lines.skip_while(|line| {
        !(line.starts_with("error")
            || line.contains("No solution found")
            || line.starts_with("Failed to"))
    });
    let mut words = Vec::new();
    let mut in_backend = false;
    for line in &mut lines {
        let begins_backend = line.starts_with("[stdout]")
            || line.starts_with("[stderr]")
            || line.starts_with("--- std");
        in_backend = (in_backend || begins_backend) && !line.starts_with("hint:");
        if !in_backend && !line.is_empty() {
            words.push(
                line.trim_start_matches("error:")
                    .trim_start_matches("cause:")
                    .trim(),
            );
        }
    }
    words.join(" ")
}

/// The packages that a message names: after certain words, in backticks, or with a version.
fn packages(message: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut before = "";
    for word in message.split_whitespace() {
        let bare = word.trim_matches(['`', ',', '.', ';', ':', '(', ')']);
        let end = bare
            .find(['<', '>', '=', '!', '~', '[', '@'])
            .unwrap_or(bare.len());
        let named = word.starts_with('`')
            || end < bare.len()
            || BEFORE_A_NAME.contains(&before.to_ascii_lowercase().as_str());
        if let (true, Ok(name)) = (named, bare[..end].parse::<PackageName>()) {
            found.insert(name.to_string());
        }
        before = word;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(output: &str) -> Vec<&'static str> {
        let failure = Failure::of(output);
        [
            "click",
            "flask",
            "nosuch-zz",
            "pyyaml",
            "numpy",
            "requirements",
            "build",
        ]
        .into_iter()
        .filter(|name| failure.names(&name.parse().unwrap()))
        .collect()
    }

    #[test]
    fn the_packages_of_a_message_are_found() {
        let conflict = "error: No solution found when resolving dependencies\n  cause: Because flask==1.0 depends on \
                        click>=5.1 and you require click==4, we can conclude that your requirements are unsatisfiable.\n";
        assert_eq!(named(conflict), ["click", "flask"]);
        let missing = "  × No solution found when resolving dependencies:\n  ╰─▶ Because nosuch-zz was not found in \
                       the package registry and you require\n      nosuch-zz, we can conclude that your\n      \
                       requirements are unsatisfiable.\n";
        assert_eq!(named(missing), ["nosuch-zz"]);
        let build = "error: Failed to download and build `pyyaml==3.10`\n  cause: Failed to resolve requirements from \
                     `setup.py` build\n\nhint: `pyyaml` was included because `flask` (v1) depends on `pyyaml`\n";
        assert_eq!(named(build), ["flask", "pyyaml"]);
        assert!(!Failure::of(build).why.contains("hint"));
        let backend = "error: Failed to build `numpy==1.10.0`\n  cause: The build backend returned an error\n\
                       [stderr]\nwarning of flask\n";
        assert_eq!(named(backend), ["numpy"]);
    }

    #[test]
    fn failures_of_the_index_are_recognised() {
        let offline = "error: Failed to fetch: `https://example.org/simple/six/`\n";
        assert!(Failure::of(offline).is_of_the_network());
        assert!(!Failure::of("error: No solution found").is_of_the_network());
        let archive = "error: No solution found\n  cause: Because all versions of twisted have a non-PEP 625-compliant \
                       source distribution filename and you require twisted\n";
        assert!(Failure::of(archive).is_of_archives());
        let undated = "warning: six-1.0.whl is missing an upload date, but user provided: 2021\nerror: No solution \
                       found when resolving dependencies\n";
        assert!(Failure::of(undated).lacks_upload_times());
    }
}
