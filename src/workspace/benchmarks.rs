//! One open benchmark. Its tasks are found by index and by id.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::layout::Plan;
use super::projects::Projects;
use crate::benchmark::{Format, Record, Task, TaskId};

/// Identifies a task of a workspace. It is valid as long as the workspace, and in the workspaces made from it by
/// `Workspace::with_completions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskRef {
    /// Index of the benchmark.
    pub benchmark: u32,
    /// Index of the task in it.
    pub task: u32,
}

/// A benchmark that is open.
#[derive(Debug, Clone)]
pub struct OpenBenchmark {
    pub(crate) name: Arc<str>,
    pub(crate) format: Format,
    pub(crate) folder: PathBuf,
    pub(crate) tasks: Vec<Task>,
    pub(crate) by_id: FxHashMap<TaskId, u32>,
    /// Further records of tasks, by the task's index. Each of CoderEval's input files has one wording of the
    /// requirement.
    pub(crate) further: FxHashMap<u32, Vec<Record>>,
    /// Whether there is no task data. The tasks are then made from the namespaces of the completions.
    pub(crate) bare: bool,
    pub(crate) projects: Arc<Projects>,
}

impl OpenBenchmark {
    pub(crate) fn of(plan: &Plan) -> Self {
        Self {
            name: plan.name.as_str().into(),
            format: plan.format,
            folder: plan.folder.clone(),
            tasks: Vec::new(),
            by_id: FxHashMap::default(),
            further: FxHashMap::default(),
            bare: plan.task_files.is_empty() && plan.samples.is_empty(),
            projects: Arc::new(Projects::new(plan.sources.clone(), plan.config.clone())),
        }
    }

    /// Its name, unique in the workspace: `deveval`, or the name in `evoscope.toml`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The official format of its files.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The folder that it was found in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its tasks, in file order.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Whether there are only completions, so that tasks have a namespace and nothing else.
    pub fn lacks_task_data(&self) -> bool {
        self.bare
    }

    /// The index of the task with this id. For HumanEvo, also the task with this namespace, if there is only one.
    pub fn find(&self, id: &str) -> Option<u32> {
        let by_id = self.by_id.get(&TaskId::new(id)).copied();
        by_id.or_else(|| self.find_by_namespace(id))
    }

    /// The instance of HumanEvo with this namespace. `None` where several have it: the same function may be added at
    /// different moments.
    fn find_by_namespace(&self, namespace: &str) -> Option<u32> {
        if self.format != Format::HumanEvo {
            return None;
        }
        let mut same = (0u32..).zip(&self.tasks);
        let mut same = same
            .by_ref()
            .filter(|(_, task)| task.namespace.as_str() == namespace);
        let (only, _) = same.next()?;
        same.next().is_none().then_some(only)
    }

    /// Adds a task. If its id is taken, returns the index of the task that has it as the error. A record of CoderEval's
    /// input files is joined with the records of the same id in other files.
    pub(crate) fn add(&mut self, task: Task) -> Result<(), u32> {
        let index = u32::try_from(self.tasks.len()).unwrap_or(u32::MAX);
        match self.by_id.entry(task.id.clone()) {
            std::collections::hash_map::Entry::Occupied(taken) => {
                let known = *taken.get();
                let first = &mut self.tasks[known as usize];
                let partial = first.is_input_only() || task.is_input_only();
                if !partial || first.record.file == task.record.file {
                    return Err(known);
                }
                let mut other = task.record;
                if first.is_input_only() && !task.is_input_only() {
                    other = std::mem::replace(first, task).record;
                }
                self.further.entry(known).or_default().push(other);
                Ok(())
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(index);
                self.tasks.push(task);
                Ok(())
            }
        }
    }
}
