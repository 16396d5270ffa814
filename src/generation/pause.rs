//! Pauses a generation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Whether a generation is paused. A paused generation sends no new requests, but waits for the answers to earlier
/// requests. All clones pause the same generation. Any thread may use a clone.
#[derive(Debug, Clone, Default)]
pub struct Pause(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    held: AtomicBool,
    released: Notify,
}

impl Pause {
    /// Pauses the generation if `held` is true. Continues it otherwise.
    pub fn set(&self, held: bool) {
        self.0.held.store(held, Ordering::Release);
        if !held {
            self.0.released.notify_waiters();
        }
    }

    /// Waits while the generation is paused.
    pub(super) async fn released(&self) {
        loop {
            let released = self.0.released.notified();
            tokio::pin!(released);
            // Register for notifications now, so that a call of `set` between the check and the wait is not missed.
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
