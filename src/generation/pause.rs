//! Holding a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Whether a run is held: then it sends no request, and those in flight end. Copies are of one and the same run; any
/// thread may hold it.
#[derive(Debug, Clone, Default)]
pub struct Pause(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    held: AtomicBool,
    released: Notify,
}

impl Pause {
    /// Holds the run, or lets it go on.
    pub fn set(&self, held: bool) {
        self.0.held.store(held, Ordering::Release);
        if !held {
            self.0.released.notify_waiters();
        }
    }

    /// Waits while the run is held.
    pub(super) async fn released(&self) {
        loop {
            let released = self.0.released.notified();
            tokio::pin!(released);
            // It counts from here on, so that no release between the question and the wait is missed.
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
