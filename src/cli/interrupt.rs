//! Handles Ctrl-C, SIGTERM and SIGHUP in long commands.

use std::fs;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::Cancel;

/// Starts a thread that handles the signals. The first Ctrl-C, SIGTERM or SIGHUP raises `cancel`, which ends the
/// command cleanly. A later Ctrl-C or SIGTERM ends the process at once. A later SIGHUP has no effect, because the
/// kernel and the shell both send SIGHUP when a terminal is closed.
pub(super) fn on_interrupt(cancel: &Cancel) {
    let cancel = cancel.clone();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        else {
            return;
        };
        // If a signal's handler cannot be set, the default action of this signal still ends the process.
        let _ = runtime.block_on(listen(&cancel));
    });
}

/// Handles the signals until the process ends. Returns an error if a handler cannot be set.
async fn listen(cancel: &Cancel) -> std::io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let hangup = (!hangup_is_ignored()).then(|| signal(SignalKind::hangup()));
    let mut hangup = hangup.transpose()?;
    loop {
        tokio::select! {
            _ = interrupt.recv() => end(cancel),
            _ = terminate.recv() => end(cancel),
            () = received(&mut hangup) => cancel.raise(),
        }
    }
}

/// Waits for the next signal. If `signal` is `None`, waits forever.
async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

fn end(cancel: &Cancel) {
    if cancel.is_raised() {
        std::process::exit(130);
    }
    cancel.raise();
}

/// Whether this process was started with SIGHUP ignored, for example by `nohup`. Such a process must continue after its
/// terminal is closed.
fn hangup_is_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // Bit 0 is set if signal 1, SIGHUP, is ignored.
    mask.is_some_and(|mask| mask & 1 == 1)
}
