//! Threads that wait for input: one for keys and the mouse, one for signals. Both threads sleep until input arrives.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::decoder::{Decoder, Event};
use super::message::Msg;
use super::wake::Wake;
use crate::error::{Error, Result};

/// The thread that reads the terminal. The thread can be halted, so that another program can read the terminal.
pub struct Listener {
    control: UnixStream,
    halted: Receiver<()>,
}

impl Listener {
    /// Starts the thread, which sends its messages to `sender`, those of `early` first. Errors when the thread cannot be
    /// started.
    pub fn start(sender: Sender<Wake>, early: Early) -> Result<Self> {
        let (control, receiver) = UnixStream::pair().map_err(|why| failed(&why))?;
        let (halt, halted) = mpsc::channel();
        thread::Builder::new()
            .name("evoscope-input".to_owned())
            .spawn(move || listen(receiver, &halt, &sender, early))
            .map_err(|why| failed(&why))?;
        Ok(Self { control, halted })
    }

    /// Halts the thread. Returns once the thread has stopped reading, which it does at once: it never waits for the end
    /// of a sequence.
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

fn listen(mut receiver: UnixStream, halt: &Sender<()>, sender: &Sender<Wake>, early: Early) {
    let stdin = io::stdin();
    let Early {
        mut decoder,
        events,
    } = early;
    if !send(sender, events) {
        return;
    }
    loop {
        let mut both = [
            PollFd::new(stdin.as_fd(), PollFlags::POLLIN),
            PollFd::new(receiver.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut both, time_until(decoder.deadline())) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return,
        }
        let is_ready = |fd: &PollFd| fd.any().unwrap_or(false);
        let (typed, commanded) = (is_ready(&both[0]), is_ready(&both[1]));
        if commanded {
            // The other program reads the end of the sequence.
            decoder = Decoder::default();
            if !wait_to_resume(&mut receiver, halt) {
                return;
            }
            continue;
        }
        let events = if typed {
            let Some(events) = read(&stdin, &mut decoder) else {
                // The terminal is gone.
                let _ = sender.send(Wake::Msg(Msg::Terminate));
                return;
            };
            events
        } else {
            expired(&mut decoder)
        };
        if !send(sender, events) {
            return;
        }
    }
}

/// The time until `deadline`, rounded up to milliseconds. Without a deadline: no limit.
fn time_until(deadline: Option<Instant>) -> PollTimeout {
    let Some(deadline) = deadline else {
        return PollTimeout::NONE;
    };
    let left = deadline.saturating_duration_since(Instant::now()) + Duration::from_micros(999);
    PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX)
}

/// Decodes what the terminal has sent; at least one byte must be available. `None` if the terminal is gone.
fn read(stdin: &io::Stdin, decoder: &mut Decoder) -> Option<Vec<Event>> {
    let mut buffer = [0; 4096];
    match nix::unistd::read(stdin.as_fd(), &mut buffer) {
        Ok(0) => None,
        Ok(count) => Some(decoder.feed(&buffer[..count], Instant::now())),
        Err(Errno::EINTR | Errno::EAGAIN) => Some(Vec::new()),
        Err(_) => None,
    }
}

/// Drops an unfinished sequence whose deadline has passed.
fn expired(decoder: &mut Decoder) -> Vec<Event> {
    let is_over = decoder.deadline().is_some_and(|end| end <= Instant::now());
    let event = if is_over { decoder.expire() } else { None };
    event.into_iter().collect()
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

/// Sends the events as messages. Returns `false` if the receiver was dropped.
fn send(sender: &Sender<Wake>, events: Vec<Event>) -> bool {
    let mut messages = events.into_iter().filter_map(|event| match event {
        Event::Key(key) => Some(Msg::Key(key)),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Mouse(mouse, column, row) => Some(Msg::Mouse(mouse, column, row)),
        // An answer to the query of an earlier program, or one that came late.
        Event::KnowsKeys | Event::Attributes => None,
    });
    messages.all(|msg| sender.send(Wake::Msg(msg)).is_ok())
}

/// What the terminal sent before the input thread started.
#[derive(Debug, Default)]
pub struct Early {
    decoder: Decoder,
    events: Vec<Event>,
}

/// How long a terminal may take to answer a query. A later answer is not taken for keys either.
const ANSWER_PATIENCE: Duration = Duration::from_millis(700);

impl Early {
    /// Asks the terminal, which must be in raw mode, whether it supports the kitty keyboard protocol. Keeps the keys
    /// that come before the answer.
    pub fn knows_keys(&mut self) -> bool {
        // Every terminal answers the second query, so an answer to it alone means no.
        let mut out = io::stdout();
        let asked = out.write_all(b"\x1b[?u\x1b[c").and_then(|()| out.flush());
        let until = Instant::now() + ANSWER_PATIENCE;
        let mut knows = false;
        while asked.is_ok() && Instant::now() < until {
            let events = self.next_events(until);
            let is_answered = events.contains(&Event::Attributes);
            knows |= events.contains(&Event::KnowsKeys);
            self.events.extend(events);
            if is_answered {
                break;
            }
        }
        knows
    }

    /// The events of the next read, or none after `until`.
    fn next_events(&mut self, until: Instant) -> Vec<Event> {
        let stdin = io::stdin();
        let deadline = self.decoder.deadline().map_or(until, |own| own.min(until));
        let mut input = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        match poll(&mut input, time_until(Some(deadline))) {
            Ok(1..) => read(&stdin, &mut self.decoder).unwrap_or_default(),
            _ => expired(&mut self.decoder),
        }
    }
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

/// The signal that this process sends itself to learn which signals have arrived before.
pub const MARK: nix::sys::signal::Signal = nix::sys::signal::Signal::SIGUSR2;

struct Streams {
    resized: Signal,
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
    mark: Signal,
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
            mark: signal(SignalKind::from_raw(MARK as i32))?,
            stop: signal(SignalKind::from_raw(nix::libc::SIGTSTP))?,
            continued: signal(SignalKind::from_raw(nix::libc::SIGCONT))?,
        })
    }

    async fn pass_on(mut self, sender: &Sender<Wake>) {
        loop {
            let wake = tokio::select! {
                // An interrupt is passed on before a mark that was sent later.
                biased;
                _ = self.interrupt.recv() => Wake::Interrupt,
                _ = self.resized.recv() => Wake::Resized,
                _ = self.terminate.recv() => Wake::Msg(Msg::Terminate),
                _ = self.hangup.recv() => Wake::Msg(Msg::Terminate),
                _ = self.mark.recv() => Wake::Mark,
                _ = self.stop.recv() => Wake::Stop,
                _ = self.continued.recv() => Wake::Continued,
            };
            if sender.send(wake).is_err() {
                return;
            }
        }
    }
}
