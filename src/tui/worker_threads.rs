//! Worker threads, one for each kind of slow work. A new job cancels the running job of the same thread, and replaces
//! the waiting job. Idle threads sleep on a condition variable.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::terminal::WORKER;
use crate::error::Cancel;

type Job = Box<dyn FnOnce(&Cancel) + Send>;

/// The jobs of a worker thread.
#[derive(Default)]
struct Jobs {
    /// (waiting job, flag that cancels this job).
    next: Option<(Job, Cancel)>,
    /// The flag that cancels the running job.
    running: Option<Cancel>,
    /// Whether a job is running, cancelled or not.
    is_busy: bool,
}

#[derive(Default)]
struct WorkerThread {
    jobs: Mutex<Jobs>,
    has_job: Condvar,
}

impl WorkerThread {
    fn lock(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cancel(&self) {
        let mut jobs = self.lock();
        jobs.next = None;
        if let Some(running) = jobs.running.take() {
            running.raise();
        }
    }

    fn submit(&self, job: Job) {
        let mut jobs = self.lock();
        if let Some(running) = jobs.running.take() {
            running.raise();
        }
        jobs.next = Some((job, Cancel::default()));
        self.has_job.notify_one();
    }

    fn take(&self) -> (Job, Cancel) {
        let mut jobs = self.lock();
        loop {
            if let Some((job, cancel)) = jobs.next.take() {
                jobs.running = Some(cancel.clone());
                jobs.is_busy = true;
                return (job, cancel);
            }
            jobs.is_busy = false;
            jobs = self
                .has_job
                .wait(jobs)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The worker threads, one for each key. A thread starts with the first job of its key and is reused.
pub struct WorkerThreads<K> {
    workers: HashMap<K, Arc<WorkerThread>>,
}

impl<K: Eq + Hash> WorkerThreads<K> {
    /// Starts no thread.
    pub fn new() -> Self {
        Self {
            workers: HashMap::new(),
        }
    }

    /// Runs `job` on the thread of `key`. Cancels the running job of this thread and drops the waiting job. `job` must
    /// catch its own panics.
    pub fn submit(&mut self, key: K, job: impl FnOnce(&Cancel) + Send + 'static) {
        let worker = self.workers.entry(key).or_insert_with(|| {
            let worker = Arc::new(WorkerThread::default());
            let own = Arc::clone(&worker);
            let spawned = thread::Builder::new()
                .name(WORKER.to_owned())
                .spawn(move || {
                    loop {
                        let (job, cancel) = own.take();
                        job(&cancel);
                    }
                });
            drop(spawned);
            worker
        });
        worker.submit(Box::new(job));
    }

    /// Cancels the running job of the thread of `key` and drops the waiting job.
    pub fn cancel(&self, key: &K) {
        if let Some(worker) = self.workers.get(key) {
            worker.cancel();
        }
    }

    /// Whether the thread of `key` runs a job, also if the job is cancelled.
    pub fn is_busy(&self, key: &K) -> bool {
        let worker = self.workers.get(key);
        worker.is_some_and(|worker| worker.lock().is_busy)
    }

    /// Whether any thread runs a job, also if the job is cancelled.
    pub fn is_any_busy(&self) -> bool {
        self.workers.values().any(|worker| worker.lock().is_busy)
    }

    /// Cancels the running jobs of all threads and drops the waiting jobs.
    pub fn cancel_all(&self) {
        for worker in self.workers.values() {
            worker.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn a_new_job_cancels_the_running_job() {
        let mut workers = WorkerThreads::new();
        let (started, has_started) = mpsc::channel();
        let (done, is_done) = mpsc::channel();
        let finished = done.clone();
        workers.submit("a", move |cancel| {
            started.send(()).unwrap();
            while !cancel.is_raised() {
                thread::yield_now();
            }
            finished.send(1).unwrap();
        });
        has_started.recv().unwrap();
        workers.submit("a", move |_| done.send(2).unwrap());
        assert_eq!((is_done.recv().unwrap(), is_done.recv().unwrap()), (1, 2));
    }

    #[test]
    fn a_cancelled_job_is_busy_until_it_has_returned() {
        let mut workers = WorkerThreads::new();
        let (started, has_started) = mpsc::channel();
        let (allow, is_allowed) = mpsc::channel::<()>();
        workers.submit("a", move |_| {
            started.send(()).unwrap();
            let _ = is_allowed.recv();
        });
        has_started.recv().unwrap();
        workers.cancel_all();
        assert!(workers.is_busy(&"a") && workers.is_any_busy() && !workers.is_busy(&"b"));
        drop(allow);
        while workers.is_any_busy() {
            thread::yield_now();
        }
    }

    #[test]
    fn a_waiting_job_that_is_cancelled_never_runs() {
        let worker = WorkerThread::default();
        worker.submit(Box::new(|_| panic!("must not run")));
        worker.cancel();
        worker.submit(Box::new(|_| ()));
        let (job, cancel) = worker.take();
        job(&cancel);
        assert!(!cancel.is_raised());
    }
}
