//! What an engine has told and need not be asked again.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

/// Images and volumes that are there. What is not there is never remembered: another process may make it.
#[derive(Default)]
pub(super) struct Known {
    images: Mutex<HashMap<String, String>>,
    volumes: OnceCell<Mutex<HashSet<String>>>,
}

impl Known {
    /// The id of an image.
    pub fn image(&self, image: &str) -> Option<String> {
        lock(&self.images).get(image).cloned()
    }

    pub fn has_image(&self, image: &str, id: &str) {
        lock(&self.images).insert(image.to_owned(), id.to_owned());
    }

    /// Whether a volume is known to be there; the first question has all of them listed.
    pub async fn volume<F>(&self, name: &str, list: impl FnOnce() -> F) -> bool
    where
        F: Future<Output = HashSet<String>>,
    {
        let listed = async || Mutex::new(list().await);
        lock(self.volumes.get_or_init(listed).await).contains(name)
    }

    pub fn has_volume(&self, name: &str) {
        if let Some(volumes) = self.volumes.get() {
            lock(volumes).insert(name.to_owned());
        }
    }

    pub fn lost_volume(&self, name: &str) {
        if let Some(volumes) = self.volumes.get() {
            lock(volumes).remove(name);
        }
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
