//! The explorer, when it ends during a run.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use evoscope::evaluation::SandboxKind;

use crate::fixture::IMAGE;
use crate::pty::Pty;
use crate::resumed::{Place, bodies, left_behind};

/// However the explorer ends during a run, no folder, control group, container or process of the run is left, and the
/// terminal is restored.
pub fn ended_during_a_run(kind: SandboxKind) {
    for how in ["q", "SIGTERM", "SIGHUP"] {
        let place = Place::new(&bodies(60));
        let checkout = place.checkout.path();
        let folder = checkout.join("Experiments/model_prediction/local_completion/alpha");
        fs::create_dir_all(&folder).unwrap();
        let file = "completion.jsonl";
        fs::rename(checkout.join(file), folder.join(file)).unwrap();
        let own: Vec<(String, String)> = std::env::vars().collect();
        let mut variables: HashMap<&str, &str> = own
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let temporary = place.home.path().join("tmp");
        variables.insert("TMPDIR", temporary.to_str().unwrap());
        variables.insert("EVOSCOPE_HOME", place.home.path().to_str().unwrap());
        variables.insert("TERM", "xterm-256color");
        let arguments = [
            checkout.to_str().unwrap(),
            "--sandbox",
            kind.word(),
            "--image",
            IMAGE,
        ];
        let program = env!("CARGO_BIN_EXE_evoscope");
        let home = place.home.path();
        let mut pty = Pty::start(program, &arguments, home, (120, 40), &variables);
        pty.wait_for("1 of 1");
        pty.send("R");
        pty.wait_for("all sets");
        pty.send("\r");
        while place.stored().len() < 3 {
            pty.settle(Duration::from_millis(5));
        }
        match how {
            "q" => {
                pty.send("q");
                pty.wait_for("again");
                pty.send("q");
            }
            "SIGTERM" => pty.signal(Signal::SIGTERM),
            _ => pty.signal(Signal::SIGHUP),
        }
        pty.wait_for_end();
        let process = Pid::from_raw(i32::try_from(pty.pid()).unwrap());
        assert_eq!(left_behind(kind, &place, &[process]), [""; 0], "{how}");
        assert_eq!(place.processes(), 0, "{how}: processes were left");
        let rest: Vec<_> = fs::read_dir(&temporary).unwrap().flatten().collect();
        assert!(rest.is_empty(), "{how}: {rest:?}");
        assert!(!pty.screen().alternate_screen(), "{how}");
    }
}
