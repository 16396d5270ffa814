//! A program on its own pseudo-terminal.
#![allow(
    dead_code,
    reason = "the tests and the benchmark use different parts of this module"
)]

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// The longest wait. A test that waits longer fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program and its terminal.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    chunks: Receiver<(Instant, Vec<u8>)>,
    screen: vt100::Parser,
    /// The program's process.
    pub child: Box<dyn Child + Send + Sync>,
    /// Everything that the program wrote.
    pub written: Vec<u8>,
    /// When the latest bytes came.
    pub latest: Instant,
    /// When the program was started.
    pub started: Instant,
}

impl Pty {
    /// Starts `program` on a terminal of this size. `home` is the value of `EVOSCOPE_HOME` and the working folder. The
    /// program gets the environment variables `variables`, but of this process's variables only `PATH`.
    pub fn start(
        program: &str,
        arguments: &[&str],
        home: &Path,
        (columns, rows): (u16, u16),
        variables: &HashMap<&str, &str>,
    ) -> Self {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.env_clear();
        command.args(arguments);
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("EVOSCOPE_HOME", home);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.cwd(home);
        for (name, value) in variables {
            command.env(name, value);
        }
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let (sender, chunks) = channel();
        let started = Instant::now();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        thread::spawn(move || {
            let mut buffer = vec![0; 65536];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0
                    || sender
                        .send((Instant::now(), buffer[..count].to_vec()))
                        .is_err()
                {
                    return;
                }
            }
        });
        Self {
            master: pair.master,
            writer,
            chunks,
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
            child,
            written: Vec::new(),
            latest: started,
            started,
        }
    }

    /// Types `keys`.
    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Types a byte. A program that has ended takes none.
    pub fn send_byte(&mut self, byte: u8) {
        let _ = self.writer.write_all(&[byte]);
        let _ = self.writer.flush();
    }

    /// Reads what the program writes within `time`.
    pub fn read_for(&mut self, time: Duration) {
        let until = Instant::now() + time;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.chunks.recv_timeout(left) {
                Ok(chunk) => self.take(chunk),
                Err(RecvTimeoutError::Timeout) => return,
                Err(RecvTimeoutError::Disconnected) => return thread::sleep(left),
            }
        }
    }

    /// Whether the program has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        // Output that was written for the earlier size must be drawn at the earlier size.
        while let Ok(chunk) = self.chunks.try_recv() {
            self.take(chunk);
        }
        self.screen
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        self.master.resize(size).unwrap();
    }

    /// The screen as text, one line per row.
    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// The terminal's state.
    pub fn screen(&self) -> &vt100::Screen {
        self.screen.screen()
    }

    /// Reads until the program has written `bytes`.
    pub fn wait_for_bytes(&mut self, bytes: &[u8]) {
        let deadline = Instant::now() + PATIENCE;
        while !self.written.windows(bytes.len()).any(|part| part == bytes) {
            let left = deadline.saturating_duration_since(Instant::now());
            let chunk = self
                .chunks
                .recv_timeout(left)
                .expect("the bytes were written");
            self.take(chunk);
        }
    }

    /// Reads until `wanted` accepts the screen. Returns the time at which the latest bytes came.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) -> Instant {
        let deadline = Instant::now() + PATIENCE;
        while !wanted(self.screen.screen()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.chunks.recv_timeout(left) {
                Ok(chunk) => self.take(chunk),
                Err(why) => panic!(
                    "{what}: {why} after {PATIENCE:?}; the screen:\n{}",
                    self.text()
                ),
            }
        }
        self.latest
    }

    /// Reads until `text` is on the screen. Returns the time at which the latest bytes came.
    pub fn wait_for(&mut self, text: &str) -> Instant {
        self.wait(text, |screen| screen.contents().contains(text))
    }

    /// Reads until `wanted` accepts the text of the screen, or the program ends. Returns whether `wanted` accepted a
    /// text.
    pub fn reaches(&mut self, mut wanted: impl FnMut(&str) -> bool) -> bool {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let contents = self.text();
            if wanted(&contents) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.chunks.recv_timeout(left) {
                Ok(chunk) => self.take(chunk),
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("not after {PATIENCE:?}; the screen:\n{contents}")
                }
            }
        }
    }

    /// Reads until the program has written nothing for the time `quiet`.
    pub fn settle(&mut self, quiet: Duration) {
        while let Ok(chunk) = self.chunks.recv_timeout(quiet) {
            self.take(chunk);
        }
    }

    /// Reads until the program has ended. Returns its exit code.
    pub fn wait_for_end(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.chunks.recv_timeout(Duration::from_millis(20)) {
                Ok(chunk) => self.take(chunk),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if let Some(status) = self.child.try_wait().unwrap() {
                while let Ok(chunk) = self.chunks.recv_timeout(Duration::from_millis(100)) {
                    self.take(chunk);
                }
                return status.exit_code();
            }
            assert!(
                Instant::now() < deadline,
                "it does not end:\n{}",
                self.text()
            );
        }
        self.child.wait().unwrap().exit_code()
    }

    /// The program's process id.
    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends the program a signal.
    pub fn signal(&self, signal: nix::sys::signal::Signal) {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(self.pid()).unwrap());
        nix::sys::signal::kill(pid, signal).unwrap();
    }

    fn take(&mut self, (at, bytes): (Instant, Vec<u8>)) {
        self.screen.process(&bytes);
        self.written.extend_from_slice(&bytes);
        self.latest = at;
    }
}

fn cells(count: u16) -> std::num::NonZeroU16 {
    std::num::NonZeroU16::new(count).unwrap()
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
