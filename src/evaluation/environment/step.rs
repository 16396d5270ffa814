//! One step of building a virtual environment: a command that is ended with what it has started when the run is cancelled.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::LOOK;
use crate::error::{Cancel, Error, Result};

/// Runs a command to its end.
///
/// Errors when it cannot be run or does not succeed, with the line of what it said that tells why, and when the run is
/// cancelled; its whole process group has ended then.
pub(super) fn run(step: &str, command: &mut Command, cancel: &Cancel) -> Result<()> {
    cancel.check()?;
    let failed = |why: io::Error| Error::sandbox(format!("cannot {step}: {why}"));
    let child = command
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let group = child.id();
    let end = awaited(child);
    let output = loop {
        match end.recv_timeout(LOOK) {
            Ok(output) => break output.map_err(failed)?,
            Err(RecvTimeoutError::Timeout) => {
                if let Err(cancelled) = cancel.check() {
                    end_group(group);
                    let _ = end.recv();
                    return Err(cancelled);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::internal("a step's end was lost"));
            }
        }
    };
    succeeded(step, &output)
}

fn awaited(child: Child) -> Receiver<io::Result<Output>> {
    let (sender, end) = channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    end
}

fn end_group(leader: u32) {
    if let Ok(leader) = i32::try_from(leader) {
        let _ = killpg(Pid::from_raw(leader), Signal::SIGKILL);
    }
}

fn succeeded(step: &str, output: &Output) -> Result<()> {
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let last = ["ERROR: ", "Error: ", "Exception: ", "error: "]
        .iter()
        .find_map(|mark| text.lines().rfind(|line| line.contains(mark)))
        .or_else(|| text.lines().last())
        .unwrap_or_default();
    Err(Error::sandbox(format!("cannot {step}: {}", last.trim()))
        .hint("name the environment in evoscope.toml, or see that pip reaches its index"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_step_that_fails_is_told_by_the_line_that_says_why() {
        let never = Cancel::default();
        run("do it", &mut shell("exit 0"), &never).unwrap();
        let script = "echo 'ERROR: no such thing' >&2; echo hint >&2; exit 3";
        let why = run("do it", &mut shell(script), &never).unwrap_err();
        assert!(
            why.to_string()
                .contains("cannot do it: ERROR: no such thing"),
            "{why}"
        );
    }

    #[test]
    fn a_cancelled_step_ends_with_all_that_it_has_started() {
        let cancel = Cancel::default();
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        // The reader sees the end once nobody in the group holds the other side.
        let script = format!(
            "exec 9>'{}'; sleep 600 & echo up >&9; sleep 600",
            pipe.display()
        );
        let raised = cancel.clone();
        let reader = thread::spawn(move || {
            let mut lines = io::BufReader::new(std::fs::File::open(pipe).unwrap());
            let mut line = String::new();
            io::BufRead::read_line(&mut lines, &mut line).unwrap();
            raised.raise();
            io::Read::read_to_string(&mut lines, &mut line).unwrap();
            line
        });
        let ended = run("wait", &mut shell(&script), &cancel);
        assert!(ended.is_err());
        assert_eq!(reader.join().unwrap(), "up\n");
    }
}
