//! Pauses a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Whether a run is paused. A paused run sends no new request, but waits for the requests that it has sent. All clones
/// pause the same run. Any thread may use a clone.
#[derive(Debug, Clone, Default)]
pub struct Pause(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    held: AtomicBool,
    released: Notify,
}

impl Pause {
    /// Pauses the run if `held` is true. Continues the run otherwise.
    pub fn set(&self, held: bool) {
        self.0.held.store(held, Ordering::Release);
        if !held {
            self.0.released.notify_waiters();
        }
    }

    /// Waits while the run is paused.
    pub(super) async fn released(&self) {
        loop {
            let released = self.0.released.notified();
            tokio::pin!(released);
            // Register for notifications now, so that a release between the check and the wait is not missed.
            released.as_mut().enable();
            if !self.0.held.load(Ordering::Acquire) {
                return;
            }
            released.await;
        }
    }
}

#[cfg(test)]
mod tests;
