//! Generations that are killed. The server refuses some requests, and truncates or omits some answers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::server::{Reply, Seen, Server};
use super::{Place, lines, text};

const SAMPLES: usize = 6;
const JOBS: usize = 6;
const SETTINGS: [&str; 2] = ["retrieved@base", "local_infilling@newest"];

/// The key of a sample in the server: (prompt, seed).
type Sample = (String, u64);

/// Counts and limits the complete answers of the server.
#[derive(Default)]
struct Ledger {
    /// How many answers may be given. Further requests wait.
    allowed: usize,
    given: usize,
    /// Value: (number of answered or waiting requests, number of tokens of the prompt).
    asked: BTreeMap<Sample, (usize, u64)>,
}

struct Shared {
    ledger: Mutex<Ledger>,
    changed: Condvar,
}

impl Shared {
    /// Refuses or truncates some requests, or does not answer them. Other requests wait until an answer is allowed.
    fn reply(&self, request: &Seen) -> Reply {
        match request.number {
            n if n % 13 == 3 => return Reply::Send(429, "retry-after: 0\r\n", "{}".to_owned()),
            n if n % 13 == 7 => {
                return Reply::Bytes(
                    b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"choi".to_vec(),
                );
            }
            n if n % 67 == 5 => return Reply::Silence,
            _ => {}
        }
        let seed = request.body["seed"].as_u64().unwrap();
        let tokens = seed % 5 + request.prompt().len() as u64;
        let mut ledger = self.ledger.lock().unwrap();
        let sample = (request.prompt().to_owned(), seed);
        ledger.asked.entry(sample).or_insert((0, tokens)).0 += 1;
        while ledger.given >= ledger.allowed {
            ledger = self.changed.wait(ledger).unwrap();
        }
        ledger.given += 1;
        let body = json!({
            "choices": [{"message": {"content": format!("    return {seed}\n")}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": tokens, "completion_tokens": 2},
        });
        Reply::Send(200, "", body.to_string())
    }

    fn allow(&self, more: usize) {
        let mut ledger = self.ledger.lock().unwrap();
        // Requests of a killed client may still wait, and use up some of these answers.
        ledger.allowed = ledger.given + more;
        self.changed.notify_all();
    }

    fn is_spent(&self) -> bool {
        let ledger = self.ledger.lock().unwrap();
        ledger.given >= ledger.allowed
    }
}

fn records(place: &Place) -> Vec<Value> {
    let files =
        SETTINGS.map(|setting| place.out().join(setting).join("org_scripted/records.jsonl"));
    let files = files.into_iter().filter(|file| file.exists());
    files
        .flat_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let whole = text
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok());
            whole.collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn five_kills_lose_no_sample_and_store_none_twice() {
    let place = Place::new();
    let shared = Arc::new(Shared {
        ledger: Mutex::default(),
        changed: Condvar::new(),
    });
    let script = Arc::clone(&shared);
    let server = Server::start(move |seen| script.reply(seen));
    let jobs = JOBS.to_string();
    let samples = SAMPLES.to_string();
    let arguments = [
        "--setting",
        SETTINGS[0],
        "--setting",
        SETTINGS[1],
        "--samples",
        &samples,
        "--seed",
        "1",
        "--jobs",
        &jobs,
        "--request-timeout",
        "2",
        "--attempts",
        "50",
        "--filter",
        "kind:function",
    ];
    for _ in 0..5 {
        let before = records(&place).len();
        let mut client = place.command(&server.endpoint(), &arguments);
        let mut client = client
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        shared.allow(2 * JOBS + 8);
        while !(shared.is_spent() && records(&place).len() > before) {
            assert!(
                client.try_wait().unwrap().is_none(),
                "the client ended before the kill"
            );
            thread::park_timeout(Duration::from_millis(5));
        }
        client.kill().unwrap();
        client.wait().unwrap();
    }
    shared.allow(1_000_000);
    let run = place.generate(&server.endpoint(), &arguments);
    assert!(run.status.success(), "{}", text(&run.stderr));

    let ledger = shared.ledger.lock().unwrap();
    let records = records(&place);
    assert!(records.len() >= 240, "{} are too few", records.len());
    let distinct: BTreeSet<String> = records
        .iter()
        .map(|record| {
            format!(
                "{} {} {}",
                record["setting"], record["task"], record["sample"]
            )
        })
        .collect();
    assert_eq!(distinct.len(), records.len(), "a sample is stored twice");
    assert_eq!(ledger.asked.len(), records.len(), "a sample is missing");
    let asked: usize = ledger.asked.values().map(|(times, _)| times).sum();
    let again = asked - records.len();
    // A kill interrupts at most `JOBS` requests. The next client sends these requests again.
    assert!(again <= 5 * JOBS, "{again} requests were repeated");
    let stored: u64 = records
        .iter()
        .map(|record| record["usage"]["prompt_tokens"].as_u64().unwrap())
        .sum();
    let counted: u64 = ledger.asked.values().map(|(_, tokens)| tokens).sum();
    assert_eq!(stored, counted);
    for setting in SETTINGS {
        let folder = place.out().join(setting).join("org_scripted");
        let completions = lines(&folder.join("completion.jsonl"));
        let mut by_task: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in completions {
            let word = |field: &str| line[field].as_str().unwrap().to_owned();
            by_task
                .entry(word("namespace"))
                .or_default()
                .push(word("completion"));
        }
        let expected: Vec<String> = (1..=SAMPLES)
            .map(|seed| format!("    return {seed}"))
            .collect();
        for (task, bodies) in by_task {
            let bodies: Vec<_> = bodies.iter().map(|body| body.trim_end()).collect();
            assert_eq!(bodies, expected, "{task}");
        }
    }
}

#[test]
fn a_second_process_on_the_folder_is_refused() {
    let place = Place::new();
    let server = Server::start(|_| Reply::Silence);
    let arguments = ["--setting", "without_context"];
    let mut first = place
        .command(&server.endpoint(), &arguments)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while server.seen().is_empty() {
        assert!(
            first.try_wait().unwrap().is_none(),
            "the first process ended early"
        );
        thread::park_timeout(Duration::from_millis(5));
    }
    let second = place.generate(&server.endpoint(), &arguments);
    first.kill().unwrap();
    first.wait().unwrap();
    let said = text(&second.stderr);
    assert_eq!(second.status.code(), Some(2), "{said}");
    assert!(said.contains("is writing to this file"), "{said}");
}
