//! What all builds of environments share: the cache, the log, cancellation, the lock and the key.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::project_files::ProjectFiles;
use super::requirements::Requirements;
use crate::benchmark::Language;
use crate::error::{Cancel, Error, Result};

/// How often a build checks whether it is cancelled.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Where a build stores environments, how it reports progress, and what cancels it.
pub struct BuildContext<'a> {
    /// The folder that environments are stored in.
    pub cache: &'a Path,
    /// Receives the title of each step and each line that pip and the setup commands print, in order. The lines contain
    /// no control characters.
    pub progress: &'a mut dyn FnMut(&str),
    /// Cancels the build.
    pub cancel: &'a Cancel,
}

/// The prefix of a step's title in the output of the scripts and the container.
pub(super) const STEP_PREFIX: &str = "evoscope: ";
/// An unfinished line with more bytes than this is passed on like a line.
const LONGEST_LINE: usize = 1 << 16;
/// How many lines at the end of the output are searched for the reason of a failure.
const TAIL_LINES: usize = 40;

/// The output of a step. Passes on each line, and stores the last lines to find the reason of a failure.
#[derive(Default)]
pub(super) struct StepOutput {
    unfinished: Vec<u8>,
    last: VecDeque<String>,
}

impl StepOutput {
    /// Receives the next bytes of the output, and passes each complete line that is not empty to `progress`.
    pub fn push(&mut self, bytes: &[u8], progress: &mut dyn FnMut(&str)) {
        for part in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            self.unfinished.extend_from_slice(part);
            if part.ends_with(b"\n")
                || part.ends_with(b"\r")
                || self.unfinished.len() > LONGEST_LINE
            {
                self.finish(progress);
            }
        }
    }

    /// Passes the unfinished line to `progress` if it is not empty. Control characters and [`STEP_PREFIX`] are removed.
    pub fn finish(&mut self, progress: &mut dyn FnMut(&str)) {
        let text = String::from_utf8_lossy(&self.unfinished).replace('\t', "    ");
        let line: String = text.chars().filter(|c| !c.is_control()).collect();
        self.unfinished.clear();
        let line = line.trim_end();
        if !line.is_empty() {
            let title = line.strip_prefix(STEP_PREFIX);
            if title.is_some() {
                // The reason of a failure is in the output of the last step.
                self.last.clear();
            }
            let line = title.unwrap_or(line);
            progress(line);
            self.last.push_back(line.to_owned());
            if self.last.len() > TAIL_LINES {
                self.last.pop_front();
            }
        }
    }

    /// The line that most likely says why a step failed: the last line that looks like an error, otherwise the last
    /// line, which may be the step's title. `None` if there was no output.
    pub fn reason(&self) -> Option<&str> {
        let lines = || self.last.iter().map(|line| line.trim());
        ["ERROR: ", "Error: ", "Exception: ", "error: "]
            .iter()
            .find_map(|mark| lines().rfind(|line| line.contains(mark)))
            .or_else(|| lines().next_back())
    }
}

/// Waits until no other process holds the lock at `path`, then takes the lock. The lock is released when the returned
/// file is closed.
///
/// Errors if the file cannot be created or locked, or if the build is cancelled during the wait.
pub(super) fn lock(path: &Path, cancel: &Cancel) -> Result<File> {
    let file = File::create(path).map_err(|why| Error::io("write", path, why))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {
                cancel.check()?;
                thread::park_timeout(POLL_INTERVAL);
            }
            Err(TryLockError::Error(why)) => return Err(Error::io("lock", path, why)),
        }
    }
}

/// The files of the project. The setup commands run in a folder with these files.
pub(super) fn project(requirements: &Requirements, cancel: &Cancel) -> Result<ProjectFiles> {
    ProjectFiles::of_tree("project", requirements.tree.clone(), &[], cancel)
}

/// The paths of the project's Python files, one on each line.
pub(super) fn own_sources(requirements: &Requirements, cancel: &Cancel) -> Result<String> {
    let files = project(requirements, cancel)?.files;
    let paths = files.iter().map(|file| file.path.as_str());
    let python: Vec<&str> = paths
        .filter(|path| Language::of_path(path) == Some(Language::Python))
        .collect();
    Ok(python.join("\n"))
}

/// The key (a hash) of the environment with these requirements. `base` is its interpreter or image.
///
/// If there are setup commands, the key covers the content of the project's files, because the commands may read them.
/// Otherwise, if anything is required, the key covers only the paths of the project's Python files: a build finds and
/// removes installed copies of the project by these paths.
pub(super) fn environment_key(
    requirements: &Requirements,
    base: &str,
    cancel: &Cancel,
) -> Result<String> {
    let mut hash = Sha256::new();
    if !requirements.setup.is_empty() {
        hash.update(project(requirements, cancel)?.content_hash(cancel)?);
    } else if !requirements.is_empty() {
        hash.update(own_sources(requirements, cancel)?);
    }
    hash.update(format!(
        "5\n{base}\n{}\n{:?}\n{:?}\n{:?}",
        requirements.pytest(),
        requirements.packages,
        requirements.found(),
        requirements.setup
    ));
    Ok(hex(&hash.finalize()[..12]))
}

/// The bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_passed_on_as_lines_without_control_characters() {
        let (mut output, mut lines) = (StepOutput::default(), Vec::new());
        for bytes in [
            &b"evoscope: ins"[..],
            b"tall\none\ttwo\x1b[0m\r\n\n",
            b"three",
        ] {
            output.push(bytes, &mut |line| lines.push(line.to_owned()));
        }
        output.finish(&mut |line| lines.push(line.to_owned()));
        assert_eq!(lines, ["install", "one    two[0m", "three"]);
        assert_eq!(output.reason(), Some("three"));
        output.push(b"ERROR: no such thing\nhint\n", &mut |_| {});
        assert_eq!(output.reason(), Some("ERROR: no such thing"));
        output.push(b"evoscope: run false\n", &mut |_| {});
        assert_eq!(output.reason(), Some("run false"));
    }
}
