use std::sync::atomic::AtomicUsize;
use std::thread;
use std::time::Duration;

use super::*;
use crate::error::Cancel;
use crate::generation::{
    Client, ClientOptions, Endpoint, Event, Interface, Job, Key, Parameters, RunOptions, run,
};

#[path = "../../../tests/integration/generate/server.rs"]
#[allow(dead_code, reason = "the integration tests use the other items")]
mod server;

use server::{Reply, Server, answer};

const PARAMETERS: Parameters = Parameters {
    interface: Interface::Chat,
    temperature: None,
    top_p: None,
    max_tokens: 5,
    stop: Vec::new(),
    seed: None,
    logprobs: false,
};

/// Sends ten requests, two at once, and calls `each` for each event. Returns how many requests were answered.
fn send(server: &Server, pause: &Pause, cancel: &Cancel, each: &mut dyn FnMut()) -> usize {
    let client = Client::new(ClientOptions {
        endpoint: Endpoint::parse(&server.endpoint()).unwrap(),
        key: Key::default(),
        key_name: "KEY".to_owned(),
        timeout: Duration::from_secs(20),
    })
    .unwrap();
    let options = RunOptions {
        jobs: 2,
        attempts: 8,
        delay: Duration::from_millis(1),
        pause: pause.clone(),
    };
    let (sender, source) = tokio::sync::mpsc::channel(10);
    for sample in 0..10 {
        let prompt = Arc::from("p");
        let tag = ();
        let job = Job {
            tag,
            prompt,
            sample,
        };
        sender.try_send(job).unwrap();
    }
    drop(sender);
    let mut answered = 0;
    let mut take = |events: Vec<Event<()>>| {
        for event in events {
            answered += usize::from(matches!(event, Event::Answered { .. }));
            each();
        }
        Ok(())
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let ended = runtime.block_on(run(
        &client,
        "m",
        &PARAMETERS,
        options,
        source,
        cancel,
        &mut take,
    ));
    assert_eq!(ended.is_ok(), !cancel.is_raised());
    answered
}

/// Waits for the requests in flight, and checks that a paused run sends no further request for 400 ms. Returns how many
/// requests the server has received.
fn seen_while_paused(server: &Server) -> usize {
    thread::sleep(Duration::from_millis(300));
    let seen = server.seen().len();
    thread::sleep(Duration::from_millis(400));
    assert_eq!(server.seen().len(), seen, "a request was sent while paused");
    seen
}

#[test]
fn a_paused_run_sends_no_request_and_waits_for_requests_in_flight() {
    let server = Server::start(|_| {
        thread::sleep(Duration::from_millis(20));
        answer("x")
    });
    let (pause, cancel) = (Pause::default(), Cancel::default());
    let events = Arc::new(AtomicUsize::new(0));
    let answered = thread::scope(|scope| {
        scope.spawn(|| {
            while events.load(Ordering::Acquire) == 0 {
                thread::yield_now();
            }
            let seen = seen_while_paused(&server);
            assert!((1..10).contains(&seen), "{seen}");
            assert_eq!(
                events.load(Ordering::Acquire),
                seen,
                "requests in flight have ended"
            );
            pause.set(false);
        });
        send(&server, &pause, &cancel, &mut || {
            if events.fetch_add(1, Ordering::AcqRel) == 0 {
                pause.set(true);
            }
        })
    });
    assert_eq!((answered, server.seen().len()), (10, 10));
}

#[test]
fn a_paused_run_does_not_repeat_a_failed_request() {
    let server = Server::start(|seen| match seen.number {
        0..4 => Reply::Send(503, "", "{}".to_owned()),
        _ => answer("x"),
    });
    let (pause, cancel) = (Pause::default(), Cancel::default());
    let answered = thread::scope(|scope| {
        scope.spawn(|| {
            while server.seen().is_empty() {
                thread::yield_now();
            }
            pause.set(true);
            let seen = seen_while_paused(&server);
            assert!(seen < 10, "{seen}");
            pause.set(false);
        });
        send(&server, &pause, &cancel, &mut || {
            // Slow down the run, so that it is paused before its end.
            thread::sleep(Duration::from_millis(20));
        })
    });
    assert_eq!(answered, 10);
}

#[test]
fn a_paused_run_can_be_cancelled() {
    let server = Server::start(|_| answer("x"));
    let (pause, cancel) = (Pause::default(), Cancel::default());
    pause.set(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            cancel.raise();
        });
        assert_eq!(send(&server, &pause, &cancel, &mut || ()), 0);
    });
    assert!(server.seen().is_empty());
}
