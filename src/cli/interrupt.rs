//! Handles Ctrl-C and SIGTERM in long commands.

use crate::error::Cancel;

/// The first Ctrl-C or SIGTERM raises `cancel`, which ends the run cleanly. The second one ends the process at once.
pub(super) fn on_interrupt(cancel: &Cancel) {
    let cancel = cancel.clone();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        else {
            return;
        };
        runtime.block_on(async {
            let Ok(mut terminate) =
                tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
            else {
                return;
            };
            for _ in 0..2 {
                tokio::select! {
                    _ = tokio::signal::ctrl_c() => {}
                    _ = terminate.recv() => {}
                }
                if cancel.is_raised() {
                    std::process::exit(130);
                }
                cancel.raise();
            }
        });
    });
}
