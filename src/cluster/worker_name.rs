//! Names of workers. A worker is a process of Evoscope that a job of the scheduler starts on a node.

/// A worker's name, `<array>_<index>.<restarts>.<node>.<process>`. The job and its restarts do not identify a worker: a
/// scheduler that has lost its latest state may start a running job again, on any node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerName<'a> {
    /// The id of the job array and the job's index in the array: `71_3`.
    pub job: &'a str,
    /// How many times the scheduler has queued the job again.
    pub restarts: u32,
    /// The node.
    pub node: &'a str,
}

impl<'a> WorkerName<'a> {
    /// Parses the name of a worker. `None` if the name does not have the format of [`WorkerName`].
    pub fn parse(name: &'a str) -> Option<Self> {
        let (rest, _process) = name.rsplit_once('.')?;
        let (job, rest) = rest.split_once('.')?;
        let (restarts, node) = rest.split_once('.')?;
        Some(Self {
            job,
            restarts: restarts.parse().ok()?,
            node,
        })
    }

    /// The index of the job in its array. 0 if the job is not part of an array.
    pub fn array_task(&self) -> usize {
        let task = self.job.split_once('_').map(|(_, task)| task);
        task.and_then(|task| task.parse().ok()).unwrap_or_default()
    }

    /// Whether `later` is a worker of the same job, started after the scheduler queued the job again.
    pub fn was_restarted_as(&self, later: &WorkerName) -> bool {
        self.job == later.job && self.restarts < later.restarts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_job_restarts_node_and_process() {
        let first = WorkerName::parse("71_3.0.n12.lab.4711").unwrap();
        assert_eq!(
            (first.job, first.restarts, first.node),
            ("71_3", 0, "n12.lab")
        );
        assert_eq!(first.array_task(), 3);
        let later = WorkerName::parse("71_3.1.n7.12").unwrap();
        assert!(first.was_restarted_as(&later) && !later.was_restarted_as(&first));
        let twice = WorkerName::parse("71_3.0.n12.lab.4800").unwrap();
        assert!(!first.was_restarted_as(&twice));
        assert_eq!(WorkerName::parse("71_3"), None);
    }
}
