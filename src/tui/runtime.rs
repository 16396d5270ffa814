//! The event loop: waits for a message, passes it to `update`, performs the effects that `update` returns, and draws.
//!
//! The loop blocks on one channel: while nothing happens, no thread wakes up. Messages that arrive at the same time are
//! handled together, and then one frame is drawn.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nix::sys::signal::{Signal, raise};

use super::effect::{Effect, Request, Slot, Ticket};
use super::input::{self, Listener};
use super::message::{Answer, Msg};
use super::state::State;
use super::state::demo::{Demo, Guide};
use super::state::preferences::Preferences;
use super::state::review::ReviewWork;
use super::terminal::{self, Session};
use super::update::update;
use super::views::{Styles, draw, limit_scroll, links};
use super::work::WorkerState;
use super::worker_threads::WorkerThreads;
use crate::error::{Cancel, Error, Result};

/// What wakes the loop.
#[derive(Debug)]
pub enum Wake {
    /// A message for `update`.
    Msg(Msg),
    /// The terminal's size may have changed.
    Resized,
    /// The process was asked to stop (SIGTSTP).
    Stop,
    /// The process continues after it was stopped (SIGCONT).
    Continued,
}

/// The maximum number of messages that are handled after the first one, before a frame is drawn.
const BURST: usize = 4096;
/// The time after which a frame is drawn even if more messages are waiting.
const LONGEST_BURST: Duration = Duration::from_millis(8);

/// The explorer on a terminal.
pub struct Runtime {
    state: State,
    styles: Styles,
    session: Session,
    listener: Listener,
    worker_threads: WorkerThreads<Slot>,
    /// The channel to the thread that performs the work of reviews. `None` until the first such work.
    reviews: Option<Sender<ReviewWork>>,
    workers: Arc<WorkerState>,
    /// Work to submit after the next frame. A worker thread that starts before the frame could delay the frame.
    waiting: Vec<(Slot, Ticket, Request)>,
    sender: Sender<Wake>,
    receiver: Receiver<Wake>,
}

impl Runtime {
    /// Takes over the terminal and starts to load the inputs of the command line.
    ///
    /// # Errors
    ///
    /// When standard input or output is not a terminal, or when the terminal or a thread cannot be set up.
    pub fn start(
        workers: Arc<WorkerState>,
        styles: Styles,
        guide: Option<Guide>,
        preferences: Preferences,
    ) -> Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let mut worker_threads = WorkerThreads::new();
        let mut state = State::new((0, 0));
        state.demo = guide.map(Demo::new);
        state.preferences = preferences;
        let first = state.ask(Slot::Open, Request::Open);
        if let Effect::Work {
            slot,
            ticket,
            request,
        } = first
        {
            submit(
                &mut worker_threads,
                &workers,
                &sender,
                slot,
                ticket,
                request,
            );
        }
        input::signals(sender.clone())?;
        let session = Session::start(state.preferences.leaves_mouse)?;
        let listener = Listener::start(sender.clone())?;
        state.fit(size()?);
        Ok(Self {
            state,
            styles,
            session,
            listener,
            worker_threads,
            reviews: None,
            waiting: Vec::new(),
            workers,
            sender,
            receiver,
        })
    }

    /// Runs until the user quits.
    ///
    /// # Errors
    ///
    /// When the terminal is lost, or when the inputs of the command line cannot be opened.
    pub fn run(mut self) -> Result<()> {
        self.draw()?;
        self.begin_work();
        while !self.state.ended {
            let Ok(wake) = self.receiver.recv() else {
                break;
            };
            self.take(wake)?;
            let begun = Instant::now();
            let mut taken = 0;
            while taken < BURST && begun.elapsed() < LONGEST_BURST && !self.state.ended {
                let Ok(wake) = self.receiver.try_recv() else {
                    break;
                };
                self.take(wake)?;
                taken += 1;
            }
            if !self.state.ended {
                self.draw()?;
                self.begin_work();
            }
        }
        self.worker_threads.cancel_all();
        Ok(())
    }

    fn begin_work(&mut self) {
        for (slot, ticket, request) in self.waiting.drain(..) {
            submit(
                &mut self.worker_threads,
                &self.workers,
                &self.sender,
                slot,
                ticket,
                request,
            );
        }
    }

    fn draw(&mut self) -> Result<()> {
        let now = size()?;
        if now != self.state.terminal() {
            self.take(Wake::Msg(Msg::Resize(now.0, now.1)))?;
        }
        limit_scroll(&mut self.state, &self.styles);
        let (state, styles) = (&self.state, &self.styles);
        self.session
            .draw(
                |frame| draw(state, styles, frame),
                |buffer| links(state, buffer),
            )
            .map_err(|why| Error::internal(format!("cannot draw: {why}")))?;
        self.state.mark_drawn();
        Ok(())
    }

    fn take(&mut self, wake: Wake) -> Result<()> {
        let msg = match wake {
            Wake::Msg(Msg::Answer {
                slot: Slot::Open,
                result: Err(error),
                ..
            }) => return Err(error),
            Wake::Msg(msg) => msg,
            Wake::Resized => {
                // The terminal may have moved or cut the old frame, so everything is drawn again.
                self.session.forget()?;
                let (width, height) = size()?;
                Msg::Resize(width, height)
            }
            Wake::Stop => return self.suspend(),
            Wake::Continued => return self.session.retake(),
        };
        for effect in update(&mut self.state, msg) {
            self.perform(effect)?;
        }
        Ok(())
    }

    fn perform(&mut self, effect: Effect) -> Result<()> {
        match effect {
            Effect::Work {
                slot,
                ticket,
                request,
            } => self.waiting.push((slot, ticket, request)),
            Effect::Review(work) => self.review(work),
            Effect::Cancel(slot) => {
                self.waiting.retain(|(waits, ..)| *waits != slot);
                self.worker_threads.cancel(&slot);
            }
            Effect::Pause(paused) => self.workers.pause(paused),
            Effect::PauseGeneration(held) => self.workers.pause_generation(held),
            Effect::Copy(text) => self.session.pass(&clipboard(&text))?,
            Effect::Edit { file, line } => {
                self.edit(&file, line)?;
            }
            Effect::EditText(text) => self.edit_text(&text)?,
            Effect::AdvanceTourAfter(pause, turn) => {
                let sender = self.sender.clone();
                thread::spawn(move || {
                    thread::sleep(pause);
                    let _ = sender.send(Wake::Msg(Msg::AdvanceTour(turn)));
                });
            }
            Effect::Suspend => self.suspend()?,
            Effect::Redraw => self.session.forget()?,
            Effect::Ring => self.session.pass(b"\x07")?,
            Effect::LeaveMouse(leaves) => self.session.leave_mouse(leaves)?,
            Effect::Save(saved) => {
                if let Err(error) = self.workers.save(&saved) {
                    // Evoscope must quit even if the user's place in the explorer cannot be saved.
                    let _ = self.sender.send(Wake::Msg(Msg::Failed(error)));
                }
            }
        }
        Ok(())
    }

    /// Sends work of a review to the thread for reviews, which performs the work in order.
    fn review(&mut self, work: ReviewWork) {
        let steps = self.reviews.get_or_insert_with(|| {
            let (steps, waiting) = mpsc::channel();
            let (workers, sender) = (Arc::clone(&self.workers), self.sender.clone());
            let spawned = thread::Builder::new()
                .name(terminal::WORKER.to_owned())
                .spawn(move || {
                    for work in waiting {
                        let _ = sender.send(Wake::Msg(Msg::Reviewed(workers.review(work))));
                    }
                });
            drop(spawned);
            steps
        });
        let _ = steps.send(work);
    }

    /// Restores the terminal and stops the process. Returns when the process is continued.
    fn suspend(&mut self) -> Result<()> {
        self.listener.halt();
        let stopped = self.session.lend(|| {
            raise(Signal::SIGSTOP).map_err(|why| Error::internal(format!("cannot stop: {why}")))
        });
        self.listener.resume();
        let _ = self.sender.send(Wake::Resized);
        stopped?
    }

    /// Opens a text in the user's editor. Sends the edited text, or the failure, as a message.
    fn edit_text(&mut self, text: &str) -> Result<()> {
        let write = || -> std::io::Result<tempfile::NamedTempFile> {
            let file = tempfile::Builder::new().suffix(".txt").tempfile()?;
            std::fs::write(file.path(), text)?;
            Ok(file)
        };
        let file = match write() {
            Ok(file) => file,
            Err(why) => {
                let failed =
                    Error::user(format!("cannot write the text to a temporary file: {why}"));
                let _ = self.sender.send(Wake::Msg(Msg::Failed(failed)));
                return Ok(());
            }
        };
        if self.edit(file.path(), 1)? {
            let msg = match std::fs::read_to_string(file.path()) {
                Ok(text) => Msg::Edited(text),
                Err(why) => Msg::Failed(Error::io("read", file.path(), why)),
            };
            let _ = self.sender.send(Wake::Msg(msg));
        }
        Ok(())
    }

    /// Gives the terminal to the user's editor until the editor ends. Returns whether the editor succeeded. Sends a
    /// failure of the editor as a message.
    fn edit(&mut self, file: &Path, line: u32) -> Result<bool> {
        self.listener.halt();
        let outcome = self.session.lend(|| run_editor(file, line));
        self.listener.resume();
        let _ = self.sender.send(Wake::Resized);
        let outcome = outcome?;
        let good = outcome.is_ok();
        if let Err(error) = outcome {
            let _ = self.sender.send(Wake::Msg(Msg::Failed(error)));
        }
        Ok(good)
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        self.worker_threads.cancel_all();
        terminal::leave();
    }
}

fn size() -> Result<(u16, u16)> {
    crossterm::terminal::size()
        .map_err(|why| Error::user(format!("the terminal does not report its size: {why}")))
}

/// On Linux, lowers the priority of this thread, so that the explorer responds to keys at once while this thread works.
fn yield_to_input() {
    // On other systems, all threads of a process have the same priority.
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), 10);
    }
}

fn submit(
    worker_threads: &mut WorkerThreads<Slot>,
    workers: &Arc<WorkerState>,
    sender: &Sender<Wake>,
    slot: Slot,
    ticket: Ticket,
    request: Request,
) {
    let (workers, sender) = (Arc::clone(workers), sender.clone());
    worker_threads.submit(slot, move |cancel| {
        // The processes that a run starts would inherit the low priority.
        if !matches!(slot, Slot::Run | Slot::Generation) {
            yield_to_input();
        }
        let report = |news| {
            let _ = sender.send(Wake::Msg(Msg::Progress { slot, ticket, news }));
        };
        let result = guarded(&workers, &request, cancel, &report);
        if cancel.is_raised() && !matches!(slot, Slot::Run | Slot::Generation) {
            return;
        }
        let _ = sender.send(Wake::Msg(Msg::Answer {
            slot,
            ticket,
            result,
        }));
    });
}

/// Performs a request and returns the answer. A panic becomes an internal error.
pub(super) fn guarded(
    workers: &WorkerState,
    request: &Request,
    cancel: &Cancel,
    report: &(dyn Fn(super::message::News) + Sync),
) -> Result<Answer> {
    let work = AssertUnwindSafe(|| workers.perform(request, cancel, report));
    catch_unwind(work).unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<&str>()
            .map(|words| (*words).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(Error::internal(format!("a worker failed: {words}"))
            .hint("this is a bug in Evoscope; you can continue to work"))
    })
}

/// The escape sequence that puts text on the clipboard of the terminal's own machine (xterm control sequences, OSC 52).
fn clipboard(text: &str) -> Vec<u8> {
    format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).into_bytes()
}

/// Runs `$VISUAL`, `$EDITOR` or vi on a file. The editor's command is split at blanks.
fn run_editor(file: &Path, line: u32) -> Result<()> {
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty())
        })
        .unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace().map(OsString::from);
    let program = words.next().unwrap_or_else(|| OsString::from("vi"));
    let status = Command::new(&program)
        .args(words)
        .arg(format!("+{line}"))
        .arg(file)
        .status()
        .map_err(|why| {
            Error::user(format!(
                "cannot start '{}': {why}",
                program.to_string_lossy()
            ))
            .hint("set EDITOR to your editor's command")
        })?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::user(format!("'{editor}' ended with {status}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_copied_text_is_encoded_in_base64() {
        let bytes = clipboard("a\x1b[31m");
        assert_eq!(bytes, b"\x1b]52;c;YRtbMzFt\x07");
    }
}
