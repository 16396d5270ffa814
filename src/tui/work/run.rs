//! Running completions, and reading earlier verdicts back.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::Instant;

use super::Desk;
use crate::benchmark::Verdict;
use crate::error::{Cancel, Error, Result};
use crate::evaluation::{
    Control, Environment, Event, Ledger, Plan, SandboxKind, Settings, Submission, evaluate,
};
use crate::tui::message::{Answer, News, RunNews};
use crate::tui::state::run::CompletionRef;
use crate::workspace::{Engine, Subjects, Workspace};

/// Who hears of a run.
type Tell<'a> = &'a (dyn Fn(News) + Sync);

impl Desk {
    /// Runs completions, telling of each by its index among `wanted`; in the sandbox that the explorer was started for
    /// unless it is to be `local`.
    pub(super) fn run(
        &self,
        wanted: &Arc<[CompletionRef]>,
        local: bool,
        cancel: &Cancel,
        tell: Tell,
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let run = format!("{:08x}", rand::random::<u32>());
        let engine = self.sandbox_engine(&run, local, tell)?;
        let sandbox = engine.sandbox();
        sandbox.sweep()?;
        let mut submissions = gather(&workspace, wanted, cancel, tell)?;
        let environments =
            self.environments(&workspace, &engine, wanted, &mut submissions, cancel, tell)?;
        if submissions.is_empty() {
            return Ok(Answer::Ran);
        }
        let plan = Plan {
            run,
            environments,
            settings: self.settings(submissions.len()),
            submissions,
        };
        let ledger = self.ledger()?;
        let control = self.control(cancel);
        let (sender, events) = channel();
        let ended = thread::scope(|scope| {
            let work = scope.spawn(|| {
                let sender = sender;
                evaluate(plan, &sandbox, &ledger, &sender, &control)
            });
            listen(&workspace, wanted, &events, tell);
            work.join()
                .unwrap_or_else(|_| Err(Error::internal("the run panicked")))
        });
        ended.map(|()| Answer::Ran)
    }

    /// What runs things; it is told, with the reason where it is not the first choice.
    fn sandbox_engine(&self, run: &str, local: bool, tell: Tell) -> Result<Engine> {
        let (engine, instead) = match self.running.sandbox {
            _ if local => (Engine::local(), None),
            Some(SandboxKind::Local) => (Engine::local(), None),
            Some(SandboxKind::Docker | SandboxKind::Podman) => (Engine::docker(run)?, None),
            None => Engine::any(run),
        };
        let name = engine.sandbox().kind().word();
        let instead = instead.map(|why| why.to_string());
        tell(News::Run(RunNews::Sandbox(name, instead)));
        Ok(engine)
    }

    fn settings(&self, completions: usize) -> Settings {
        let jobs = self
            .running
            .jobs
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
        Settings {
            jobs: jobs.clamp(1, completions.max(1)),
            ..Settings::default()
        }
    }

    /// The ledger of verdicts; in pictures and tests one that ends with the process.
    pub(super) fn ledger(&self) -> Result<Ledger> {
        if !self.remembers {
            return Ledger::in_memory();
        }
        Ledger::open(&self.places.state.join("ledger.sqlite"))
    }

    /// The reins of a new run.
    fn control(&self, cancel: &Cancel) -> Control {
        let mut control = Control::default();
        control.cancel = cancel.clone();
        let mut reins = self.reins.lock().unwrap_or_else(PoisonError::into_inner);
        *reins = Some(control.clone());
        control
    }

    /// Holds the run before its next completion, or lets it go on.
    pub fn pause(&self, paused: bool) {
        let reins = self.reins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(control) = &*reins {
            control.pause(paused);
        }
    }

    /// The environment of each project; the completions of one whose environment cannot be built are left out.
    fn environments(
        &self,
        workspace: &Workspace,
        engine: &Engine,
        wanted: &[CompletionRef],
        submissions: &mut Vec<Submission>,
        cancel: &Cancel,
        tell: Tell,
    ) -> Result<HashMap<String, Environment>> {
        let projects = submissions
            .iter()
            .map(|own| (wanted[own.number].0, &*own.subject.project));
        let mut progress = |_, step: &str| tell(News::Run(RunNews::Step(step.to_owned())));
        let image = self.running.image.as_deref();
        let place = (self.places.cache.as_path(), cancel);
        let found = engine.environments(workspace, projects, image, place, &mut progress)?;
        submissions.retain(|submission| {
            let why = found.failed.get(&submission.subject.project.name);
            if let Some(why) = why {
                tell(News::Run(RunNews::LeftOut(
                    submission.number,
                    Verdict::Infrastructure,
                    with_advice(why),
                )));
            }
            why.is_none()
        });
        Ok(found.built)
    }

    /// Reads the ledger's verdicts on the completions that are open back.
    pub(super) fn recall(&self, cancel: &Cancel) -> Result<Answer> {
        if !self.remembers {
            return Ok(Answer::Recalled(Vec::new()));
        }
        let recalled = self.workspace()?.recall(&self.ledger()?, cancel)?;
        Ok(Answer::Recalled(recalled))
    }
}

/// The submissions, each with its index among `wanted` as its number; what cannot be evaluated is told and left out.
fn gather(
    workspace: &Workspace,
    wanted: &[CompletionRef],
    cancel: &Cancel,
    tell: Tell,
) -> Result<Vec<Submission>> {
    let mut subjects = Subjects::new(workspace, cancel);
    let mut ready = HashMap::new();
    let mut submissions = Vec::new();
    for (number, (task, completion)) in wanted.iter().enumerate() {
        cancel.check()?;
        let made = ready
            .entry(*task)
            .or_insert_with(|| subjects.subject(*task).map_err(|why| why.what().to_owned()));
        let subject = match made {
            Ok(subject) => Arc::clone(subject),
            Err(why) => {
                tell(News::Run(RunNews::LeftOut(
                    number,
                    Verdict::Unusable,
                    why.clone(),
                )));
                continue;
            }
        };
        let completions = workspace.completions(*task)?;
        let chosen = completions
            .get(*completion)
            .ok_or_else(|| Error::internal("no such completion"))?;
        submissions.push(Submission {
            subject,
            completion: workspace.completion_text(chosen)?,
            number,
        });
    }
    Ok(submissions)
}

fn with_advice(why: &Error) -> String {
    match why.advice() {
        Some(advice) => format!("{why}; {advice}"),
        None => why.to_string(),
    }
}

/// Passes on what happens until the run ends.
fn listen(workspace: &Workspace, wanted: &[CompletionRef], events: &Receiver<Event>, tell: Tell) {
    let began = Instant::now();
    for event in events {
        let news = match event {
            Event::Preparing { task } => RunNews::Step(format!(
                "{task}: the reference, the stub and the counter-test"
            )),
            Event::Started { number } => RunNews::Started(number),
            Event::Log { number, bytes } => {
                RunNews::Printed(number, String::from_utf8_lossy(&bytes).into_owned())
            }
            Event::Notice(text) => RunNews::Notice(text),
            Event::Verdict {
                number,
                judgement,
                known,
            } => {
                keep(workspace, wanted[number], judgement.verdict);
                RunNews::Judged {
                    index: number,
                    judgement: Arc::from(judgement),
                    known,
                    seconds: began.elapsed().as_secs_f64(),
                }
            }
            Event::Queued { .. } | Event::Test { .. } | Event::Unusable { .. } => continue,
        };
        tell(News::Run(news));
    }
}

fn keep(workspace: &Workspace, (task, completion): CompletionRef, verdict: Verdict) {
    let place = u32::try_from(completion).unwrap_or(u32::MAX);
    workspace.judge(task, place, verdict);
}
