//! Tasks made ready to be evaluated: from what is open to what the evaluation room takes.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::benchmarks::TaskRef;
use super::open::Workspace;
use crate::benchmark::{Language, LineSpan, RepoPath, Verdict};
use crate::code::AnchorState;
use crate::error::{Cancel, Error, Result};
use crate::evaluation::{Ledger, LedgerKey, ProjectFiles, Subject, completion_key};

/// Makes subjects; tasks of the same project share its file list.
pub struct Subjects<'a> {
    workspace: &'a Workspace,
    projects: HashMap<(u32, Arc<str>), Arc<ProjectFiles>>,
    cancel: Cancel,
}

impl Workspace {
    /// The name by which evaluation knows the task's project.
    fn project_label(&self, at: TaskRef) -> String {
        format!("{}-{}", self.benchmark(at).name(), self.task(at).project)
    }

    /// The key under which the ledger notes the latest verdict on a completion's text.
    pub fn completion_key(&self, at: TaskRef, text: &str) -> LedgerKey {
        completion_key(&self.project_label(at), &self.task(at).id, text)
    }

    /// Keeps the ledger's latest verdicts on the completions that are indexed, as those of this session's runs are
    /// kept, and gives them. Only completions of tasks that the ledger knows are read.
    pub fn recall(
        &self,
        ledger: &Ledger,
        cancel: &Cancel,
    ) -> Result<Vec<(TaskRef, usize, Verdict)>> {
        let latest = ledger.latest()?;
        let mut recalled = Vec::new();
        let known = self.tasks().filter(|(_, task)| latest.knows(&task.id));
        for (at, _) in known {
            cancel.check()?;
            for (number, completion) in self.completions(at)?.iter().enumerate() {
                let text = self.completion_text(completion)?;
                if let Some(verdict) = latest.verdict(self.completion_key(at, &text)) {
                    let place = u32::try_from(number).unwrap_or(u32::MAX);
                    self.judge(at, place, verdict);
                    recalled.push((at, number, verdict));
                }
            }
        }
        Ok(recalled)
    }
}

impl<'a> Subjects<'a> {
    /// A maker for tasks of `workspace`.
    pub fn new(workspace: &'a Workspace, cancel: &Cancel) -> Self {
        Self {
            workspace,
            projects: HashMap::new(),
            cancel: cancel.clone(),
        }
    }

    /// The task made ready. Errors where it cannot be evaluated: no sources at hand, no target found in them, no tests,
    /// a language other than Python.
    pub fn subject(&mut self, at: TaskRef) -> Result<Arc<Subject>> {
        let target = Target::find(self.workspace, at)?;
        self.made(at, target)
    }

    /// The tasks made ready, their sources read side by side; each as [`subject`](Self::subject) makes it.
    pub fn subjects(&mut self, tasks: &[TaskRef]) -> Vec<Result<Arc<Subject>>> {
        let (workspace, cancel) = (self.workspace, &self.cancel);
        let targets: Vec<Result<Target>> = tasks
            .par_iter()
            .map(|at| {
                cancel.check()?;
                Target::find(workspace, *at)
            })
            .collect();
        let found = tasks.iter().zip(targets);
        found.map(|(at, target)| self.made(*at, target?)).collect()
    }

    fn made(&mut self, at: TaskRef, target: Target) -> Result<Arc<Subject>> {
        let task = self.workspace.task(at);
        Ok(Arc::new(Subject {
            id: task.id.clone(),
            namespace: task.namespace.clone(),
            format: self.workspace.benchmark(at).format(),
            project: self.project(at)?,
            path: task.path.clone(),
            body: target.body,
            indent: target.indent,
            tests: target.tests,
        }))
    }

    fn project(&mut self, at: TaskRef) -> Result<Arc<ProjectFiles>> {
        let name = &self.workspace.task(at).project;
        let key = (at.benchmark, Arc::clone(name));
        if let Some(project) = self.projects.get(&key) {
            return Ok(Arc::clone(project));
        }
        let benchmark = self.workspace.benchmark(at);
        let root = self
            .workspace
            .source_root(at)
            .ok_or_else(|| Error::internal("a task with a source and without a root"))?;
        let targets: Vec<RepoPath> = benchmark
            .tasks()
            .iter()
            .filter(|task| task.project == *name)
            .map(|task| task.path.clone())
            .collect();
        let label = self.workspace.project_label(at);
        let mut files = ProjectFiles::list(&label, &root, &targets, &self.cancel)?;
        if let Some(entry) = benchmark.projects.entry(name) {
            files = files.with_folders(&entry.folders)?;
            if let Some(folder) = &entry.files {
                files = files.with_files(folder, &self.cancel)?;
            }
        }
        let project = Arc::new(files);
        self.projects.insert(key, Arc::clone(&project));
        Ok(project)
    }
}

/// What a task's source and record say of it.
struct Target {
    body: LineSpan,
    indent: u32,
    tests: Vec<String>,
}

impl Target {
    fn find(workspace: &Workspace, at: TaskRef) -> Result<Self> {
        let task = workspace.task(at);
        if task.language != Language::Python {
            return Err(
                Error::user(format!("'{}' is not a Python task", task.id)).hint(
                    "evaluation runs Python tasks; released verdicts of the others can be scored",
                ),
            );
        }
        let source = workspace.source_text(at)?;
        let anchor = source.anchor(task);
        let (Some(place), true) = (anchor.position(), anchor.state != AnchorState::Missing) else {
            return Err(Error::data(format!(
                "the target of '{}' is not in {}",
                task.id, task.path
            ))
            .at(source.path()));
        };
        let detail = workspace.detail(at)?;
        let line = source.line(place.signature.first());
        let column = line.len() - line.trim_start().len();
        let indent = detail
            .indent
            .unwrap_or_else(|| u32::try_from(column + 4).unwrap_or(4));
        Ok(Self {
            body: place.body,
            indent,
            tests: detail.tests,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{CounterTest, Judgement, SandboxKind, Submission};

    fn judgement(verdict: Verdict) -> Judgement {
        Judgement {
            verdict,
            reason: String::new(),
            tests: Vec::new(),
            seconds: 0.0,
            test_seconds: 0.0,
            sandbox: SandboxKind::Local,
            reference_ok: true,
            stub_fails: true,
            counter_test: CounterTest::Failed,
            own_sessions: false,
            pairs: 0,
            official: crate::benchmark::OfficialResult::Pass,
            differs: None,
            syntax: None,
            over_indented: false,
            without_addopts: false,
            missing_limits: Vec::new(),
            log: "1 passed".to_owned(),
        }
    }

    #[test]
    fn tasks_made_ready_side_by_side_are_those_made_ready_in_turn() {
        let workspace = Workspace::sample().unwrap();
        let cancel = Cancel::default();
        let tasks: Vec<TaskRef> = workspace.tasks().map(|(at, _)| at).collect();
        let together = Subjects::new(&workspace, &cancel).subjects(&tasks);
        let mut subjects = Subjects::new(&workspace, &cancel);
        let in_turn: Vec<_> = tasks.iter().map(|at| subjects.subject(*at)).collect();
        let told = |made: &[Result<Arc<Subject>>]| -> Vec<String> {
            let told = made.iter().map(|subject| match subject {
                Ok(subject) => format!("{} {:?} {:?}", subject.id, subject.body, subject.tests),
                Err(why) => why.to_string(),
            });
            told.collect()
        };
        assert_eq!(told(&together), told(&in_turn));
        assert!(together.iter().any(Result::is_ok));
    }

    #[test]
    fn the_latest_verdict_on_the_same_text_comes_back_into_the_marks() {
        let workspace = Workspace::sample().unwrap();
        let ledger = Ledger::in_memory().unwrap();
        let cancel = Cancel::default();
        let at = workspace.find("siskin.rings.RingStock.take").unwrap();
        let completion = workspace.completions(at).unwrap()[1];
        let text = workspace.completion_text(&completion).unwrap();
        assert!(workspace.recall(&ledger, &cancel).unwrap().is_empty());
        let submission = Submission {
            subject: Subjects::new(&workspace, &cancel).subject(at).unwrap(),
            completion: text.clone(),
            number: 0,
        };
        assert_eq!(submission.key(), workspace.completion_key(at, &text));
        let (id, own) = (&workspace.task(at).id, workspace.completion_key(at, &text));
        for (number, verdict) in [Verdict::Pass, Verdict::Timeout].into_iter().enumerate() {
            let key = LedgerKey::over(&[&[u8::try_from(number).unwrap()]]);
            ledger.record(key, "r", id, &judgement(verdict)).unwrap();
            ledger.note(own, id, key).unwrap();
        }
        let recalled = workspace.recall(&ledger, &cancel).unwrap();
        assert!(
            recalled.contains(&(at, 1, Verdict::Timeout)),
            "{recalled:?}"
        );
        assert_eq!(workspace.verdicts(at)[1], Some(Verdict::Timeout));
        let latest = ledger.latest_judgement(own).unwrap().unwrap();
        assert_eq!(latest.log, "1 passed");
        let other = workspace.completion_key(at, "return None");
        assert_eq!(ledger.latest_judgement(other).unwrap(), None);
    }
}
