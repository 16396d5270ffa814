//! Threads that wait for input: one for keys and the mouse, one for signals. Both sleep until input arrives.

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

/// The thread that reads the terminal. It can be halted so that another program can read it.
pub struct Listener {
    bell: UnixStream,
    halted: Receiver<()>,
}

impl Listener {
    /// Starts the thread.
    pub fn start(sender: Sender<Wake>) -> Result<Self> {
        let (bell, receiver) = UnixStream::pair().map_err(|why| failed(&why))?;
        let (halt, halted) = mpsc::channel();
        thread::Builder::new()
            .name("evoscope-input".to_owned())
            .spawn(move || listen(receiver, &halt, &sender))
            .map_err(|why| failed(&why))?;
        Ok(Self { bell, halted })
    }

    /// Halts the thread. Returns once the thread has stopped reading.
    pub fn halt(&mut self) {
        if self.bell.write_all(b"h").is_ok() {
            let _ = self.halted.recv();
        }
    }

    /// Lets the thread continue.
    pub fn resume(&mut self) {
        let _ = self.bell.write_all(b"r");
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
        let (typed, rung) = (is_ready(&both[0]), is_ready(&both[1]));
        if rung {
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

/// Reports that the thread has stopped reading, and waits for the permission to continue. `false` if the other end is
/// closed.
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

/// How long the thread waits for more input before it sleeps again. If crossterm's time limit is over before it begins
/// to read, it reads nothing. So this is longer than a thread can be delayed.
const QUIET: Duration = Duration::from_millis(50);

/// Sends all available input as messages. `false` if the terminal or the receiver is gone.
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

/// The message for an event of the terminal; `None` for an event without meaning.
fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Key::from_event(key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Mouse(mouse) => clicked(mouse),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::FocusGained | Event::FocusLost => None,
    }
}

/// The number of rows that a step of the wheel scrolls.
const WHEEL: isize = 3;

fn clicked(event: MouseEvent) -> Option<Msg> {
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

/// Starts a thread that waits for signals: new window size, termination, stop and continue.
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
    go_on: Signal,
}

impl Streams {
    fn new() -> io::Result<Self> {
        Ok(Self {
            resized: signal(SignalKind::window_change())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            stop: signal(SignalKind::from_raw(nix::libc::SIGTSTP))?,
            go_on: signal(SignalKind::from_raw(nix::libc::SIGCONT))?,
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
                _ = self.go_on.recv() => Wake::Continued,
            };
            if sender.send(wake).is_err() {
                return;
            }
        }
    }
}
