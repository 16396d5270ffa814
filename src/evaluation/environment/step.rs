//! One step of building a virtual environment: a command that is ended with what it has started when the run is cancelled.
//!
//! It has a process group of its own, so that the terminal's Ctrl-C reaches it only through the run that is cancelled.

use std::io::{self, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::LOOK;
use crate::error::{Cancel, Error, Result};

/// A step, as errors name it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'a> {
    /// What it does: `install pytest`.
    pub what: &'a str,
    /// How a failure of it is mended.
    pub hint: &'static str,
}

impl Step<'_> {
    /// Runs a command to its end. What it has left in the background may live on.
    ///
    /// Errors when it cannot be run or does not succeed, with the line of what it said that tells why, and when the run is
    /// cancelled; its whole process group has ended then.
    pub fn run(self, command: &mut Command, cancel: &Cancel) -> Result<()> {
        cancel.check()?;
        let mut child = command
            .process_group(0)
            // A question could be asked of nobody.
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|why| self.failed(&why.to_string()))?;
        let complaints = heard(child.stderr.take());
        let mut told = None;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(why) => return Err(self.failed(&why.to_string())),
            }
            if let Err(cancelled) = cancel.check() {
                end(&mut child);
                return Err(cancelled);
            }
            if told.is_some() {
                thread::park_timeout(LOOK);
            } else {
                told = next(&complaints);
            }
        };
        let told = told.or_else(|| next(&complaints)).unwrap_or_default();
        self.succeeded(status, &told)
    }

    fn failed(self, why: &str) -> Error {
        Error::sandbox(format!("cannot {}: {why}", self.what)).hint(self.hint)
    }

    fn succeeded(self, status: ExitStatus, told: &str) -> Result<()> {
        if status.success() {
            return Ok(());
        }
        let mut lines = told.lines().filter(|line| !line.trim().is_empty());
        let telling = ["ERROR: ", "Error: ", "Exception: ", "error: "]
            .iter()
            .find_map(|mark| lines.clone().rfind(|line| line.contains(mark)))
            .or_else(|| lines.next_back());
        let why = telling.map_or_else(|| status.to_string(), |line| line.trim().to_owned());
        Err(self.failed(&why))
    }
}

/// What a process writes to its standard error, told when that is closed.
fn heard(stderr: Option<ChildStderr>) -> Receiver<String> {
    let (sender, said) = channel();
    thread::spawn(move || {
        let mut told = Vec::new();
        if let Some(mut stderr) = stderr {
            let _: io::Result<usize> = stderr.read_to_end(&mut told);
        }
        sender.send(String::from_utf8_lossy(&told).into_owned())
    });
    said
}

/// What was told, waited for a moment.
fn next(complaints: &Receiver<String>) -> Option<String> {
    match complaints.recv_timeout(LOOK) {
        Ok(told) => Some(told),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(String::new()),
    }
}

/// Ends a process that was not waited for yet, so that its number is its own, and its group.
fn end(leader: &mut Child) {
    if let Ok(group) = i32::try_from(leader.id()) {
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    let _ = leader.wait();
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, OpenOptions};
    use std::io::{BufRead, BufReader};

    use super::*;

    const STEP: Step = Step {
        what: "do it",
        hint: "do it otherwise",
    };

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn fails(script: &str) -> String {
        let why = STEP.run(&mut shell(script), &Cancel::default());
        why.unwrap_err().to_string()
    }

    #[test]
    fn a_step_that_fails_is_told_by_the_line_that_says_why() {
        STEP.run(&mut shell("exit 0"), &Cancel::default()).unwrap();
        let told = fails("echo 'ERROR: no such thing' >&2; echo hint >&2; exit 3");
        assert!(
            told.contains("cannot do it: ERROR: no such thing"),
            "{told}"
        );
        assert!(fails("echo; echo 'so it is' >&2; echo >&2; exit 3").contains("so it is"));
        assert!(fails("exit 3").contains("exit status: 3"));
    }

    fn pipe(home: &tempfile::TempDir) -> std::path::PathBuf {
        let pipe = home.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        pipe
    }

    #[test]
    fn a_cancelled_step_ends_with_all_that_it_has_started() {
        let (cancel, home) = (Cancel::default(), tempfile::tempdir().unwrap());
        let pipe = pipe(&home);
        // The reader sees the end once nobody in the group holds the other side.
        let script = format!(
            "exec 9>'{}'; sleep 600 & echo up >&9; sleep 600",
            pipe.display()
        );
        let raised = cancel.clone();
        let reader = thread::spawn(move || {
            let mut lines = BufReader::new(File::open(pipe).unwrap());
            let mut line = String::new();
            lines.read_line(&mut line).unwrap();
            raised.raise();
            lines.read_to_string(&mut line).unwrap();
            line
        });
        let why = STEP.run(&mut shell(&script), &cancel).unwrap_err();
        assert!(why.to_string().contains("cancelled"), "{why}");
        assert_eq!(reader.join().unwrap(), "up\n");
    }

    #[test]
    fn what_a_step_leaves_in_the_background_is_not_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let (pipe, done) = (pipe(&home), home.path().join("done"));
        let script = format!(
            "setsid sh -c 'cat \"{}\" >&2; echo > \"{}\"' &",
            pipe.display(),
            done.display()
        );
        STEP.run(&mut shell(&script), &Cancel::default()).unwrap();
        assert!(!done.exists());
        // It ends once somebody has written to it and gone.
        drop(OpenOptions::new().write(true).open(&pipe).unwrap());
        while fs::read(&done).is_err() {
            thread::yield_now();
        }
    }
}
