//! The commands, run as a user runs them: arguments in, output, errors and exit code out.

mod answers;
mod compare;
mod contexts;
mod deps;
mod faults;
mod hints;
mod java_sample;
mod official_files;
mod outputs;
mod prompts;
mod score;
mod tasks;
mod theme;

use std::path::Path;
use std::process::{Command, Output};

/// Runs `evoscope` with a home of its own and without the caller's colour settings.
fn evoscope(home: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_evoscope"))
        .args(arguments)
        .env("EVOSCOPE_HOME", home)
        .env_remove("NO_COLOR")
        .env_remove("EVOSCOPE_ASCII")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}
