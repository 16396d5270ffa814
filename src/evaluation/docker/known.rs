//! What an engine has told and need not be asked again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::OnceCell;

/// Images and volumes that are there. What is not there is never remembered: another process may make it.
#[derive(Default)]
pub(super) struct Known {
    images: Mutex<HashMap<String, String>>,
    volumes: OnceCell<Mutex<HashMap<String, String>>>,
    hosts: OnceCell<Option<String>>,
    is_without_hosts: AtomicBool,
}

impl Known {
    /// The id of an image.
    pub fn image(&self, image: &str) -> Option<String> {
        lock(&self.images).get(image).cloned()
    }

    pub fn has_image(&self, image: &str, id: &str) {
        lock(&self.images).insert(image.to_owned(), id.to_owned());
    }

    /// Where a volume lies on the engine's machine, if it is known to be there; the first question has all of them listed.
    pub async fn volume<F>(&self, name: &str, list: impl FnOnce() -> F) -> Option<String>
    where
        F: Future<Output = HashMap<String, String>>,
    {
        let listed = async || Mutex::new(list().await);
        let volumes = self.volumes.get_or_init(listed).await;
        lock(volumes).get(name).cloned()
    }

    pub fn has_volume(&self, name: &str, place: &str) {
        if let Some(volumes) = self.volumes.get() {
            lock(volumes).insert(name.to_owned(), place.to_owned());
        }
    }

    /// The file for `/etc/hosts`; the first question looks for it.
    pub async fn hosts<F>(&self, find: impl FnOnce() -> F) -> Option<String>
    where
        F: Future<Output = Option<String>>,
    {
        let found = self.hosts.get_or_init(find).await.clone();
        found.filter(|_| !self.is_without_hosts.load(Ordering::Relaxed))
    }

    /// There is none, whatever was found.
    pub fn forgo_hosts(&self) {
        self.is_without_hosts.store(true, Ordering::Relaxed);
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
