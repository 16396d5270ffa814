//! The user's editor, while it has the terminal.
//!
//! The event loop goes on to read its channel while the editor runs, so that SIGTERM and SIGHUP end the explorer, and so
//! that the editor and the explorer are stopped and continued together.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, raise};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::message::Msg;
use super::wake::{EditorNews, Wake};
use crate::error::{Error, Result};

/// How the use of the editor ended.
#[derive(Debug)]
pub enum Edited {
    /// The editor could not be started.
    NotStarted(Error),
    /// The editor ended. An error if it did not succeed.
    Ended(Result<()>),
    /// A signal asks the explorer to end.
    Terminated,
}

/// How long an editor may take to end after it received the signal that ends the explorer. Then it is left to itself.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs `$VISUAL`, `$EDITOR` or vi on a file until the editor ends, or until a signal asks the explorer to end. The
/// editor's command is split at blanks. Wakes that are not about the editor are appended to `later`.
pub fn run(
    (file, line): (&Path, u32),
    (sender, receiver): (&Sender<Wake>, &Receiver<Wake>),
    later: &mut VecDeque<Wake>,
) -> Edited {
    let pid = match start(file, line, sender) {
        Ok(pid) => pid,
        Err(error) => return Edited::NotStarted(error),
    };
    while let Ok(wake) = receiver.recv() {
        match wake {
            Wake::Editor(EditorNews::Ended(result)) => return Edited::Ended(result),
            Wake::Editor(EditorNews::Stopped) => {
                // The shell gets the terminal only when the explorer is stopped too.
                let _ = raise(Signal::SIGSTOP);
                let _ = kill(pid, Signal::SIGCONT);
            }
            Wake::Msg(Msg::Terminate) => {
                let _ = kill(pid, Signal::SIGTERM);
                let _ = kill(pid, Signal::SIGCONT);
                wait_for_end(receiver, later);
                return Edited::Terminated;
            }
            // The terminal sends these to the editor too, and it answers them.
            Wake::Interrupt | Wake::Mark | Wake::Stop | Wake::Continued | Wake::Resized => {}
            wake @ Wake::Msg(_) => later.push_back(wake),
        }
    }
    Edited::Terminated
}

fn wait_for_end(receiver: &Receiver<Wake>, later: &mut VecDeque<Wake>) {
    let until = Instant::now() + PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok(Wake::Editor(EditorNews::Ended(_)))
            | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
            Ok(wake @ Wake::Msg(_)) => later.push_back(wake),
            Ok(_) => {}
        }
    }
}

/// Starts the editor, and a thread that sends its news.
fn start(file: &Path, line: u32, sender: &Sender<Wake>) -> Result<Pid> {
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.trim().is_empty())
        .unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace().map(OsString::from);
    let program = words.next().unwrap_or_else(|| OsString::from("vi"));
    let child = Command::new(&program)
        .args(words)
        .arg(format!("+{line}"))
        .arg(file)
        .spawn()
        .map_err(|why| {
            Error::user(format!(
                "cannot start '{}': {why}",
                program.to_string_lossy()
            ))
            .hint("set EDITOR to your editor's command")
        })?;
    let pid = i32::try_from(child.id()).map(Pid::from_raw);
    let pid = pid.map_err(|_| Error::internal("the editor has no process number"))?;
    let sender = sender.clone();
    thread::Builder::new()
        .name("evoscope-editor".to_owned())
        .spawn(move || watch(pid, &editor, &sender))
        .map_err(|why| Error::internal(format!("cannot watch the editor: {why}")))?;
    Ok(pid)
}

/// Sends the news of the editor until it has ended.
fn watch(pid: Pid, editor: &str, sender: &Sender<Wake>) {
    let failed = |how: String| Err(Error::user(format!("'{editor}' ended with {how}")));
    loop {
        let news = match waitpid(pid, Some(WaitPidFlag::WUNTRACED)) {
            Ok(WaitStatus::Stopped(..)) => EditorNews::Stopped,
            Ok(WaitStatus::Exited(_, 0)) => EditorNews::Ended(Ok(())),
            Ok(WaitStatus::Exited(_, code)) => {
                EditorNews::Ended(failed(format!("exit code {code}")))
            }
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                EditorNews::Ended(failed(format!("signal {signal}")))
            }
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(why) => EditorNews::Ended(failed(why.to_string())),
        };
        let is_last = matches!(news, EditorNews::Ended(_));
        if sender.send(Wake::Editor(news)).is_err() || is_last {
            return;
        }
    }
}
