//! Worker threads: one lane for each kind of slow work. In a lane the latest request wins: it raises the flag of the
//! one before it and takes the place of any that waits. Idle lanes sleep on a condition variable.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::terminal::WORKER;
use crate::error::Cancel;

type Job = Box<dyn FnOnce(&Cancel) + Send>;

#[derive(Default)]
struct Waiting {
    next: Option<(Job, Cancel)>,
    running: Option<Cancel>,
}

#[derive(Default)]
struct Lane {
    waiting: Mutex<Waiting>,
    bell: Condvar,
}

impl Lane {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cancel(&self) {
        let mut waiting = self.lock();
        waiting.next = None;
        if let Some(running) = waiting.running.take() {
            running.raise();
        }
    }

    fn submit(&self, job: Job) {
        let mut waiting = self.lock();
        if let Some(running) = waiting.running.take() {
            running.raise();
        }
        waiting.next = Some((job, Cancel::default()));
        self.bell.notify_one();
    }

    fn take(&self) -> (Job, Cancel) {
        let mut waiting = self.lock();
        loop {
            if let Some((job, cancel)) = waiting.next.take() {
                waiting.running = Some(cancel.clone());
                return (job, cancel);
            }
            waiting = self
                .bell
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The lanes, by a key of the caller's; each starts its thread with its first job and reuses it.
pub struct Lanes<K> {
    lanes: HashMap<K, Arc<Lane>>,
}

impl<K: Eq + Hash> Lanes<K> {
    /// No lanes yet.
    pub fn new() -> Self {
        Self {
            lanes: HashMap::new(),
        }
    }

    /// Runs `job` in the lane `key`, in place of whatever runs or waits there. A job must not panic: it is the
    /// caller's to catch.
    pub fn submit(&mut self, key: K, job: impl FnOnce(&Cancel) + Send + 'static) {
        let lane = self.lanes.entry(key).or_insert_with(|| {
            let lane = Arc::new(Lane::default());
            let own = Arc::clone(&lane);
            let spawned = thread::Builder::new()
                .name(WORKER.to_owned())
                .spawn(move || {
                    loop {
                        let (job, cancel) = own.take();
                        job(&cancel);
                    }
                });
            drop(spawned);
            lane
        });
        lane.submit(Box::new(job));
    }

    /// Asks the lane's work to end.
    pub fn cancel(&self, key: &K) {
        if let Some(lane) = self.lanes.get(key) {
            lane.cancel();
        }
    }

    /// Asks all work to end.
    pub fn cancel_all(&self) {
        for lane in self.lanes.values() {
            lane.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn the_latest_job_cancels_the_one_before() {
        let mut lanes = Lanes::new();
        let (started, has_started) = mpsc::channel();
        let (done, is_done) = mpsc::channel();
        let finished = done.clone();
        lanes.submit("a", move |cancel| {
            started.send(()).unwrap();
            while !cancel.is_raised() {
                thread::yield_now();
            }
            finished.send(1).unwrap();
        });
        has_started.recv().unwrap();
        lanes.submit("a", move |_| done.send(2).unwrap());
        assert_eq!((is_done.recv().unwrap(), is_done.recv().unwrap()), (1, 2));
    }

    #[test]
    fn a_cancelled_job_that_waits_never_runs() {
        let lane = Lane::default();
        lane.submit(Box::new(|_| panic!("must not run")));
        lane.cancel();
        lane.submit(Box::new(|_| ()));
        let (job, cancel) = lane.take();
        job(&cancel);
        assert!(!cancel.is_raised());
    }
}
