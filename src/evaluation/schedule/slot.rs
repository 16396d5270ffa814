//! A worker's session: opened when a run needs it, and again when it is lost.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::super::bytecode_cache::BytecodeCache;
use super::super::runner::{Live, Loss, RunReport, RunRequest, Runner, SessionRunner, program};
use super::super::sandbox::{Limits, Recipe, Sandbox, SandboxKind};
use super::super::task_runner::RunHost;
use super::RunEvent;
use crate::environment::{Environment, ProjectFiles};
use crate::error::{Cancel, Error, Result};

/// One session at a time, for one environment and project.
pub(super) struct Slot<'a> {
    sandbox: &'a Arc<dyn Sandbox>,
    events: &'a Sender<RunEvent>,
    cancel: &'a Cancel,
    cache: &'a BytecodeCache,
    place: Option<Place>,
    runner: Option<Box<dyn Runner>>,
    /// The memory limit that the session was opened with.
    memory: u64,
    missing: Vec<String>,
}

/// What a session is for.
#[derive(Clone)]
struct Place {
    environment: Environment,
    project: Arc<ProjectFiles>,
}

impl Place {
    fn scope(&self) -> String {
        format!("{} {}", self.environment.identity, self.project.name)
    }
}

impl<'a> Slot<'a> {
    /// A slot without a session.
    pub fn new(
        sandbox: &'a Arc<dyn Sandbox>,
        events: &'a Sender<RunEvent>,
        cancel: &'a Cancel,
        cache: &'a BytecodeCache,
    ) -> Self {
        Self {
            sandbox,
            events,
            cancel,
            cache,
            place: None,
            runner: None,
            memory: 0,
            missing: Vec::new(),
        }
    }

    /// Prepares for an environment and a project. A session for other ones is closed.
    pub fn switch_to(&mut self, environment: &Environment, project: &Arc<ProjectFiles>) {
        let same = self.place.as_ref().is_some_and(|place| {
            place.environment.identity == environment.identity && place.project.name == project.name
        });
        if same {
            return;
        }
        self.close();
        self.place = Some(Place {
            environment: environment.clone(),
            project: Arc::clone(project),
        });
    }

    /// Closes the session, if there is one.
    pub fn close(&mut self) {
        self.runner = None;
    }

    fn runner(&mut self, limits: &Limits) -> Result<&mut dyn Runner> {
        if self.memory != limits.memory {
            self.close();
        }
        if self.runner.is_none() {
            self.open(limits)?;
        }
        let runner = self.runner.as_mut();
        let runner = runner.ok_or_else(|| Error::internal("a slot without a session"))?;
        Ok(runner.as_mut())
    }

    fn open(&mut self, limits: &Limits) -> Result<()> {
        let place = self.place.clone();
        let place = place.ok_or_else(|| Error::internal("a slot without an environment"))?;
        let known = self.cache.known(&place.scope());
        let recipe = Recipe {
            interpreter: place.environment.interpreter.clone(),
            program: program(),
            limits: *limits,
        };
        let session = self.sandbox.open(&recipe, self.cancel)?;
        let runner = SessionRunner::start(
            session,
            (&place.environment, &place.project),
            limits,
            &known,
            self.cancel,
        )?;
        if self.missing.is_empty() && !runner.missing_limits().is_empty() {
            self.missing = runner.missing_limits().to_vec();
            let missing = self.missing.join("; ");
            let _ = self
                .events
                .send(RunEvent::Notice(format!("limits not set here: {missing}")));
        }
        self.memory = limits.memory;
        self.runner = Some(Box::new(runner));
        Ok(())
    }
}

impl RunHost for Slot<'_> {
    /// Makes a run. One that ends its session is made once more in a new one, so that a sandbox's own failure is not taken
    /// for the completion's; one that could not start likewise.
    fn run(&mut self, request: &RunRequest, live: &mut dyn FnMut(Live)) -> Result<RunReport> {
        let mut last = None;
        for _ in 0..2 {
            let cancel = self.cancel;
            let result = self
                .runner(&request.limits)
                .and_then(|runner| runner.run(request, live, cancel));
            match result {
                Ok(mut report) => {
                    if let Some(place) = &self.place {
                        let found = std::mem::take(&mut report.found);
                        self.cache.insert(&place.scope(), &found);
                    }
                    // An engine reports memory kills once in a session's life, whatever ends the session later.
                    if report.loss.is_some() || report.oom_kills > 0 {
                        self.close();
                    }
                    if !matches!(report.loss, Some(Loss::Died | Loss::Engine)) {
                        return Ok(report);
                    }
                    last = Some(Ok(report));
                }
                Err(why) => {
                    self.close();
                    self.cancel.check()?;
                    last = Some(Err(why));
                }
            }
        }
        last.unwrap_or_else(|| Err(Error::internal("a run without an end")))
    }

    fn kind(&self) -> SandboxKind {
        self.sandbox.kind()
    }

    fn missing_limits(&self) -> Vec<String> {
        self.missing.clone()
    }

    fn cancel(&self) -> &Cancel {
        self.cancel
    }
}
