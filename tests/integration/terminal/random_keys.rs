//! Random keys and sequences, whole and half, with pauses between their bytes. After each, the explorer must answer a
//! change of the window's size. At the end, SIGTERM must end it.
//!
//! `EVOSCOPE_TEST_RANDOM_KEYS=10000:50` types 10,000 sequences, 50 into each process, and prints the longest times.
//! Without this variable, the test types few. A failure names the seed of its process and what was typed.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::half_sequences::{HALVES, script};
use super::pty::Pty;
use super::{PROGRAM, fixture, is_stopped};

const WHOLE: [&str; 32] = [
    "\x1b[A",
    "\x1b[B",
    "\x1bOC",
    "\x1b[1;5D",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[Z",
    "\x1b[27u",
    "\x1b[97;5u",
    "\x1b[<0;10;5M",
    "\x1b[<32;40;9M",
    "\x1b[<0;40;9m",
    "\x1b[<65;20;9M",
    "\x1b[<0;0;0M",
    "\x1b[M !!",
    "\x1b[32;3;3M",
    "\x1b[200~some text\x1b[201~",
    "\x1b[201~",
    "\x1b[I",
    "\x1b]11;rgb:0/0/0\x07",
    "\x1bP1$r\x1b\\",
    "\x1b[?62;c",
    "é",
    "日",
    "🦀",
    "\x1bx",
    "\x1b\x1b",
    "3e",
    "2e",
    "\x1a",
    "\x0f",
    "Je",
];
/// The keys of the commands, without `q`.
const KEYS: &[u8] = b"abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789/:?,.;[]{}()<>+-*=^$#@!%&|~'\"`\\ \t\r\x7f\x04\x07\x0c\x10\x12\x13\x15";
/// The pauses between two bytes, in milliseconds.
const PAUSES: [u64; 8] = [0, 0, 0, 1, 5, 20, 60, 120];
/// After this time without an answer, the explorer hangs.
const HANG: Duration = Duration::from_mins(1);

struct Random(ChaCha8Rng);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u64() % u64::try_from(end).unwrap()).unwrap()
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn sequence(&mut self) -> Vec<u8> {
        match self.below(10) {
            0..4 => vec![self.of(KEYS)],
            4..7 => self.of(&WHOLE).into(),
            7..9 => self.of(&HALVES).into(),
            _ => {
                let length = 1 + self.below(6);
                (0..length)
                    .map(|_| self.0.next_u64().to_le_bytes()[0])
                    .collect()
            }
        }
    }
}

/// What was typed, and how long the answers took.
#[derive(Default)]
struct Tally {
    sequences: usize,
    answers: Vec<Duration>,
    ends: Vec<Duration>,
}

/// Types up to `count` sequences into a new process. Fewer if a key ends the process.
fn type_into_process(seed: u64, count: usize, tally: &mut Tally) {
    let home = tempfile::tempdir().unwrap();
    let benchmark = home.path().join("benchmark");
    fixture::write(&benchmark);
    let editor = script(home.path(), "exit 0");
    // Without a PATH, a run ends at once, because there is no Python.
    let variables = HashMap::from([("EDITOR", &*editor), ("PATH", "/nonexistent")]);
    let arguments = [
        benchmark.to_str().unwrap(),
        "--sandbox=local",
        "--annotator=ana",
    ];
    let mut pty = Pty::start(PROGRAM, &arguments, home.path(), (120, 40), &variables);
    pty.wait_for("1 of 4");
    let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
    let mut typed = Vec::new();
    for number in 0..count {
        let sequence = random.sequence();
        typed.push(String::from_utf8_lossy(&sequence).into_owned());
        for byte in &sequence {
            pty.send_byte(*byte);
            pty.read_for(Duration::from_millis(random.of(&PAUSES)));
        }
        tally.sequences += 1;
        let asked = Instant::now();
        let small = number % 2 == 0;
        let (columns, rows) = if small { (30, 8) } else { (120, 40) };
        pty.resize(columns, rows);
        loop {
            if pty.has_ended() {
                return;
            }
            if is_stopped(pty.pid()) {
                pty.signal(Signal::SIGCONT);
            }
            pty.read_for(Duration::from_millis(2));
            if pty.screen().alternate_screen() && pty.text().contains("too small") == small {
                break;
            }
            assert!(
                asked.elapsed() < HANG,
                "seed {seed}: no answer after {typed:?}:\n{}",
                pty.text()
            );
        }
        tally.answers.push(asked.elapsed());
    }
    let asked = Instant::now();
    pty.signal(Signal::SIGTERM);
    while !pty.has_ended() {
        pty.read_for(Duration::from_millis(2));
        assert!(
            asked.elapsed() < HANG,
            "seed {seed}: SIGTERM does not end it after {typed:?}"
        );
    }
    tally.ends.push(asked.elapsed());
}

#[test]
fn no_random_keys_stop_the_explorer_and_sigterm_ends_it() {
    let wanted = std::env::var("EVOSCOPE_TEST_RANDOM_KEYS").unwrap_or_else(|_| "60:30".to_owned());
    let (total, each) = wanted.split_once(':').unwrap();
    let (total, each): (usize, usize) = (total.parse().unwrap(), each.parse().unwrap());
    let mut tally = Tally::default();
    let mut processes = 0;
    while tally.sequences < total {
        let count = each.min(total - tally.sequences);
        type_into_process(processes, count, &mut tally);
        processes += 1;
    }
    let slow = |times: &[Duration]| {
        let late = times
            .iter()
            .filter(|time| **time > Duration::from_secs(1))
            .count();
        format!(
            "{} in all, {late} over 1 s, longest {:?}",
            times.len(),
            times.iter().max()
        )
    };
    println!("{} sequences in {processes} processes", tally.sequences);
    println!(
        "answers: {}; ends by SIGTERM: {}",
        slow(&tally.answers),
        slow(&tally.ends)
    );
}
