//! How a command opens its `[PATH…]`.

use super::output::{warn, warn_with_hint};
use std::path::PathBuf;

use crate::error::Result;
use crate::workspace::{AppDirs, OpenOptions, UserSettings, Workspace};

/// The paths that a command works on.
#[derive(Debug, clap::Args)]
pub(crate) struct Input {
    /// Benchmark checkouts or files to open. Default: the built-in sample.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Open nothing if any input has an error. By default, Evoscope reports errors and opens the valid records.
    #[arg(long)]
    pub(crate) strict: bool,
}

impl Input {
    /// The same with further paths.
    pub(crate) fn with(&self, further: impl Iterator<Item = PathBuf>) -> Self {
        Self {
            paths: self.paths.iter().cloned().chain(further).collect(),
            ..*self
        }
    }
}

/// Opens the paths. What is wrong with them goes to standard error, a line each with its hint.
pub(crate) fn open(input: &Input) -> Result<Workspace> {
    if input.paths.is_empty() {
        return Workspace::sample();
    }
    let options = OpenOptions {
        strict: input.strict,
        ..OpenOptions::default()
    };
    Workspace::open(&input.paths, &options)
}

/// Prints what is wrong with the input to standard error: the first 20 faults with their hints, and how many more.
pub(crate) fn print_faults(workspace: &Workspace) {
    const SHOWN: usize = 20;
    let mut faults = workspace.diagnostics();
    for fault in faults.by_ref().take(SHOWN) {
        warn_with_hint(fault, fault.hint.as_deref());
    }
    let more = faults.count();
    if more > 0 {
        warn(format_args!("and {more} more faults"));
    }
}

/// What the user set for themselves; nothing where there is no home folder.
pub(super) fn user_settings() -> Result<UserSettings> {
    match AppDirs::of_user() {
        Ok(places) => UserSettings::read(&places.config),
        Err(_) => Ok(UserSettings::default()),
    }
}
