//! Threads that wait for input: one for keys and the mouse, one for signals. Both threads sleep until input arrives.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use crossterm::event::{Event, MouseButton, MouseEvent, MouseEventKind};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::keys::Key;
use super::message::{Mouse, Msg};
use super::runtime::Wake;
use crate::error::{Error, Result};

/// The thread that reads the terminal. The thread can be halted, so that another program can read the terminal.
pub struct Listener {
    control: UnixStream,
    halted: Receiver<()>,
}

impl Listener {
    /// Starts the thread, which sends its messages to `sender`. Errors when the thread cannot be started.
    pub fn start(sender: Sender<Wake>) -> Result<Self> {
        let (control, receiver) = UnixStream::pair().map_err(|why| failed(&why))?;
        let (halt, halted) = mpsc::channel();
        thread::Builder::new()
            .name("evoscope-input".to_owned())
            .spawn(move || listen(receiver, &halt, &sender))
            .map_err(|why| failed(&why))?;
        Ok(Self { control, halted })
    }

    /// Halts the thread. Returns once the thread has stopped reading.
    pub fn halt(&mut self) {
        if self.control.write_all(b"h").is_ok() {
            let _ = self.halted.recv();
        }
    }

    /// Lets the thread continue.
    pub fn resume(&mut self) {
        let _ = self.control.write_all(b"r");
    }
}

fn failed(why: &io::Error) -> Error {
    Error::internal(format!("cannot listen to the terminal: {why}"))
}

fn listen(mut receiver: UnixStream, halt: &Sender<()>, sender: &Sender<Wake>) {
    let stdin = io::stdin();
    // Input that arrived while the terminal's capabilities were queried is still buffered in crossterm.
    if !read_all(sender) {
        return;
    }
    loop {
        let mut both = [
            PollFd::new(stdin.as_fd(), PollFlags::POLLIN),
            PollFd::new(receiver.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut both, PollTimeout::NONE) {
            Err(Errno::EINTR) => continue,
            Err(_) => return,
            Ok(_) => {}
        }
        let is_ready = |fd: &PollFd| fd.any().unwrap_or(false);
        let (typed, commanded) = (is_ready(&both[0]), is_ready(&both[1]));
        if commanded {
            if !wait_to_resume(&mut receiver, halt) {
                return;
            }
            continue;
        }
        if typed && !read_all(sender) {
            return;
        }
    }
}

/// Reports that the thread has stopped reading, and waits for the command to resume. Returns `false` if the
/// [`Listener`] was dropped.
fn wait_to_resume(receiver: &mut UnixStream, halt: &Sender<()>) -> bool {
    let mut byte = [0];
    while receiver.read_exact(&mut byte).is_ok() {
        match byte[0] {
            b'r' => return true,
            _ if halt.send(()).is_err() => return false,
            _ => {}
        }
    }
    false
}

/// How long the thread waits for more input before it sleeps again. If this time ends before crossterm begins to read,
/// crossterm reads nothing. So this time must be longer than a thread usually waits for a processor.
const QUIET: Duration = Duration::from_millis(50);

/// Sends all available input as messages. Returns `false` if the terminal cannot be read or the receiver was dropped.
fn read_all(sender: &Sender<Wake>) -> bool {
    loop {
        match crossterm::event::poll(QUIET) {
            Ok(true) => {}
            Ok(false) => return true,
            Err(_) => return false,
        }
        let Ok(event) = crossterm::event::read() else {
            return false;
        };
        if let Some(msg) = message(event)
            && sender.send(Wake::Msg(msg)).is_err()
        {
            return false;
        }
    }
}

/// The message for an event of the terminal; `None` for an event that the explorer ignores.
fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Key::from_event(key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Mouse(mouse) => mouse_message(mouse),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::FocusGained | Event::FocusLost => None,
    }
}

/// The number of rows that one step of the mouse wheel scrolls.
const WHEEL: isize = 3;

/// The message for a mouse event; `None` for an event that the explorer ignores.
fn mouse_message(event: MouseEvent) -> Option<Msg> {
    let mouse = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Mouse::Press,
        MouseEventKind::Drag(MouseButton::Left) => Mouse::Drag,
        MouseEventKind::Up(MouseButton::Left) => Mouse::Release,
        MouseEventKind::ScrollDown => Mouse::Wheel(WHEEL),
        MouseEventKind::ScrollUp => Mouse::Wheel(-WHEEL),
        _ => return None,
    };
    Some(Msg::Mouse(mouse, event.column, event.row))
}

/// Starts a thread that waits for signals: new window size, termination, stop and continue. Errors when the thread
/// cannot be started.
pub fn signals(sender: Sender<Wake>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .map_err(|why| failed(&why))?;
    let streams = {
        let _inside = runtime.enter();
        Streams::new().map_err(|why| failed(&why))?
    };
    thread::Builder::new()
        .name("evoscope-signals".to_owned())
        .spawn(move || runtime.block_on(streams.pass_on(&sender)))
        .map_err(|why| failed(&why))?;
    Ok(())
}

struct Streams {
    resized: Signal,
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
    stop: Signal,
    continued: Signal,
}

impl Streams {
    fn new() -> io::Result<Self> {
        Ok(Self {
            resized: signal(SignalKind::window_change())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            stop: signal(SignalKind::from_raw(nix::libc::SIGTSTP))?,
            continued: signal(SignalKind::from_raw(nix::libc::SIGCONT))?,
        })
    }

    async fn pass_on(mut self, sender: &Sender<Wake>) {
        loop {
            let wake = tokio::select! {
                _ = self.resized.recv() => Wake::Resized,
                _ = self.terminate.recv() => Wake::Msg(Msg::Terminate),
                _ = self.hangup.recv() => Wake::Msg(Msg::Terminate),
                _ = self.interrupt.recv() => Wake::Msg(Msg::Terminate),
                _ = self.stop.recv() => Wake::Stop,
                _ = self.continued.recv() => Wake::Continued,
            };
            if sender.send(wake).is_err() {
                return;
            }
        }
    }
}
