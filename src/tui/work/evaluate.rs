//! Evaluating a completion.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use super::Desk;
use crate::error::{Cancel, Error, Result};
use crate::evaluation::{
    Building, Control, Event, Judgement, Ledger, Plan, Sandbox, Settings, Submission, evaluate,
};
use crate::tui::message::{Answer, News};
use crate::workspace::{Engine, Subjects, TaskRef, Workspace};

impl Desk {
    /// Evaluates a completion, in a container where there is a service for it unless it is to be `local`; its log is
    /// told as it comes.
    pub(super) fn evaluate(
        &self,
        (task, completion): (TaskRef, usize),
        local: bool,
        cancel: &Cancel,
        tell: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let completions = workspace.completions(task)?;
        let chosen = completions
            .get(completion)
            .ok_or_else(|| Error::internal("no such completion"))?;
        let submission = Submission {
            subject: Subjects::new(&workspace, cancel).subject(task)?,
            completion: workspace.completion_text(chosen)?,
            number: 0,
        };
        let run = format!("{:08x}", rand::random::<u32>());
        let engine = if local {
            Engine::local()
        } else {
            Engine::any(&run)
        };
        let sandbox = engine.sandbox();
        sandbox.sweep()?;
        let plan = self.plan(run, &engine, (&workspace, task), submission, (cancel, tell))?;
        let judgement = run_plan(plan, &sandbox, &self.ledger()?, cancel, tell)?;
        let number = u32::try_from(completion).unwrap_or(u32::MAX);
        workspace.judge(task, number, judgement.verdict);
        Ok(Answer::Verdict(
            task,
            completion,
            judgement.verdict,
            judgement.reason,
        ))
    }

    /// A plan for one completion, its project's environment built where it is not there yet.
    fn plan(
        &self,
        run: String,
        engine: &Engine,
        (workspace, task): (&Workspace, TaskRef),
        submission: Submission,
        (cancel, tell): (&Cancel, &(dyn Fn(News) + Sync)),
    ) -> Result<Plan> {
        let project = &submission.subject.project;
        let mut progress = |step: &str| tell(News::Words(step.to_owned()));
        let mut building = Building {
            cache: &self.places.cache,
            progress: &mut progress,
            cancel,
        };
        let environment =
            engine.environment(workspace, task, &project.root, None, &mut building)?;
        Ok(Plan {
            run,
            environments: HashMap::from([(project.name.clone(), environment)]),
            submissions: vec![submission],
            settings: Settings::default(),
        })
    }

    /// The ledger of verdicts; in pictures and tests one that ends with the process.
    pub(super) fn ledger(&self) -> Result<Ledger> {
        if !self.remembers {
            return Ledger::in_memory();
        }
        let state = &self.places.state;
        std::fs::create_dir_all(state).map_err(|why| Error::io("make", state, why))?;
        Ledger::open(&state.join("ledger.sqlite"))
    }
}

fn run_plan(
    plan: Plan,
    sandbox: &Arc<dyn Sandbox>,
    ledger: &Ledger,
    cancel: &Cancel,
    tell: &(dyn Fn(News) + Sync),
) -> Result<Judgement> {
    let mut control = Control::default();
    control.cancel = cancel.clone();
    let (sender, events) = channel();
    let (judgement, ended) = std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let sender = sender;
            evaluate(plan, sandbox, ledger, &sender, &control)
        });
        let judgement = listen(&events, tell);
        let ended = work
            .join()
            .unwrap_or_else(|_| Err(Error::internal("the run panicked")));
        (judgement, ended)
    });
    ended?;
    judgement.ok_or_else(|| Error::internal("the run ended without a verdict"))
}

/// Passes on what happens until the run ends; gives the verdict.
fn listen(events: &Receiver<Event>, tell: &(dyn Fn(News) + Sync)) -> Option<Judgement> {
    let mut judged = None;
    for event in events {
        match event {
            Event::Preparing { .. } => {
                tell(News::Words(
                    "running the reference, the stub and the counter-test".to_owned(),
                ));
            }
            Event::Started { .. } => tell(News::Words("running the completion".to_owned())),
            Event::Log { bytes, .. } => {
                tell(News::Log(String::from_utf8_lossy(&bytes).into_owned()));
            }
            Event::Unusable { reason, .. } => {
                tell(News::Log(format!("the task is unusable: {reason}\n")));
            }
            Event::Notice(text) => tell(News::Log(format!("{text}\n"))),
            Event::Verdict {
                judgement, known, ..
            } => {
                if known {
                    tell(News::Log(format!(
                        "{}\nthis verdict is from an earlier run\n",
                        judgement.log
                    )));
                }
                judged = Some(*judgement);
            }
            Event::Queued { .. } | Event::Test { .. } => {}
        }
    }
    judged
}
