//! Where a job sits: the session at hand, the one that comes up beside it, and what is ready in them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::super::ledger::Ledger;
use super::super::protocol::Runner;
use super::super::sandbox::{Recipe, Sandbox, SandboxKind};
use super::super::warden::{Live, Loss, Order, Pattern, RunReport, Stock, Warden, Warmth};
use super::ahead::{Ahead, Stocks};
use super::queue::Queue;
use super::{Environment, Event};
use crate::error::{Cancel, Error, Result};

/// The session at hand, opened when it is first needed and again when it is lost.
pub(super) struct Seat<'a> {
    queue: &'a Queue,
    /// Where each job has a processor of its own at most, its sessions keep to one: what a run is handed through then stays
    /// in that processor's memory.
    processor: Option<usize>,
    pub sandbox: &'a Arc<dyn Sandbox>,
    events: &'a Sender<Event>,
    cancel: &'a Cancel,
    ledger: &'a Ledger,
    pub environment: Option<Environment>,
    pub warden: Option<Warden>,
    warmth: Warm,
    pub missing: Vec<String>,
    limits: Option<super::Limits>,
    pub next: Option<Ahead>,
    /// The environment that comes up beside this one in the session, by its identity.
    pub budding: Option<String>,
    /// Whether this one has come up so.
    grown: bool,
    /// Whether the session that is opened next has to be a new one, not one brought up ahead.
    anew: bool,
}

/// What was ever asked to be ready in this environment, and how much of it is.
#[derive(Default)]
pub(super) struct Warm {
    asked: Warmth,
    ready: (usize, usize),
    known: (HashSet<String>, HashSet<Pattern>),
    /// Nothing can be made ready.
    forgone: bool,
}

impl Warm {
    /// Asks for what was not asked for yet.
    pub fn want(&mut self, warmth: &Warmth) {
        if self.forgone {
            return;
        }
        let (modules, patterns) = &mut self.known;
        let new = |name: &&String| modules.insert((*name).clone());
        let names = warmth.modules.iter().filter(new).cloned();
        self.asked.modules.extend(names);
        let new = |pattern: &&Pattern| patterns.insert((*pattern).clone());
        let found = warmth.patterns.iter().filter(new).cloned();
        self.asked.patterns.extend(found);
    }

    /// What is not ready yet, if anything.
    pub fn take(&mut self) -> Option<Warmth> {
        let (modules, patterns) = self.ready;
        self.ready = (self.asked.modules.len(), self.asked.patterns.len());
        let wanted = Warmth {
            modules: self.asked.modules[modules..].to_vec(),
            patterns: self.asked.patterns[patterns..].to_vec(),
        };
        (wanted != Warmth::default()).then_some(wanted)
    }

    /// A session has begun in which this is ready.
    fn begin_with(&mut self, warmth: &Warmth) {
        let before = std::mem::take(&mut self.asked);
        self.known = Default::default();
        self.want(warmth);
        self.ready = (self.asked.modules.len(), self.asked.patterns.len());
        self.want(&before);
    }

    /// Nothing is asked for any more, unless it is asked for anew. Whether anything was ready.
    fn forget(&mut self) -> bool {
        let warm = self.ready != (0, 0);
        *self = Self {
            forgone: self.forgone,
            ..Self::default()
        };
        warm
    }

    /// It cannot be made ready in this environment.
    fn forgo(&mut self) {
        self.forget();
        self.forgone = true;
    }
}

impl<'a> Seat<'a> {
    /// The seat of the job with this number.
    pub fn new(
        number: usize,
        queue: &'a Queue,
        sandbox: &'a Arc<dyn Sandbox>,
        events: &'a Sender<Event>,
        cancel: &'a Cancel,
        ledger: &'a Ledger,
    ) -> Self {
        Self {
            queue,
            processor: (!queue.spare_cores).then_some(number),
            sandbox,
            events,
            cancel,
            ledger,
            environment: None,
            warden: None,
            warmth: Warm::default(),
            missing: Vec::new(),
            limits: None,
            next: None,
            budding: None,
            grown: false,
            anew: false,
        }
    }
}

impl Seat<'_> {
    /// Takes the place for an environment; whether it is another one. The session of the last one ends where they have no
    /// trunk in common.
    pub fn sit(&mut self, environment: &Environment) -> bool {
        let before = self.environment.replace(environment.clone());
        if before
            .as_ref()
            .is_some_and(|before| before.identity == environment.identity)
        {
            return false;
        }
        self.warmth = Warm::default();
        self.grown = self.budding.take().as_ref() == Some(&environment.identity);
        if before.map(|before| before.trunk).as_ref() != Some(&environment.trunk) {
            self.warden = None;
        }
        if let Some(warden) = &mut self.warden {
            warden.enter(&environment.interpreter);
        }
        true
    }

    /// Has an environment come up in the session at hand, without waiting for it. A session that cannot be told so is
    /// found lost by its next run.
    pub fn bud(&mut self, environment: &Environment, warmth: &Warmth) -> Result<()> {
        let stock = self.branch_stock(environment).filled(self.ledger)?;
        if let Some(warden) = &mut self.warden {
            let _ = warden.ahead(&environment.interpreter, warmth, &stock);
            self.budding = Some(environment.identity.clone());
        }
        Ok(())
    }

    /// What the first process of a session loads.
    fn trunk_stock(&self, environment: &Environment) -> Stock {
        let identity = format!("trunk {}", environment.trunk);
        Stock::empty(self.sandbox.kind(), &environment.interpreter, &identity)
    }

    /// What an environment's own process loads beyond that.
    fn branch_stock(&self, environment: &Environment) -> Stock {
        let identity = format!("branch {}", environment.identity);
        Stock::empty(self.sandbox.kind(), &environment.interpreter, &identity)
    }

    /// Starts a session for an environment, without waiting for it.
    pub fn bring_up(
        &mut self,
        environment: &Environment,
        limits: super::Limits,
        warmth: Warmth,
    ) -> Result<()> {
        let stocks = Stocks {
            trunk: self.trunk_stock(environment).filled(self.ledger)?,
            branch: self.branch_stock(environment).filled(self.ledger)?,
        };
        self.next = Some(Ahead::start(
            self.sandbox,
            environment,
            self.recipe(environment, limits),
            warmth,
            stocks,
            self.cancel,
        ));
        Ok(())
    }

    fn recipe(&self, environment: &Environment, limits: super::Limits) -> Recipe {
        Recipe {
            trunk: environment.interpreter.clone(),
            environments: self.queue.akin(environment),
            limits,
            processor: self.processor,
        }
    }

    /// The session that was brought up ahead, where it is of use now, and what is ready in it.
    fn brought_up(
        &mut self,
        environment: &Environment,
        limits: super::Limits,
    ) -> Option<(Warden, Warmth)> {
        let next = self
            .next
            .take_if(|next| next.environment.trunk == environment.trunk)?;
        if next.limits.memory != limits.memory {
            return None;
        }
        let same = next.environment.identity == environment.identity;
        let (mut warden, warmth) = next.wait(self.cancel).ok()?;
        warden.enter(&environment.interpreter);
        Some((warden, if same { warmth } else { Warmth::default() }))
    }

    /// The session at hand, with what its runs will load ready in it.
    fn warden(&mut self, limits: super::Limits) -> Result<&mut Warden> {
        if self
            .limits
            .is_some_and(|at_hand| at_hand.memory != limits.memory)
        {
            self.warden = None;
        }
        if self.warden.is_none() {
            self.seat_anew(limits)?;
        }
        if let Some((warmth, stock)) = self.wanted()?
            && let Some(warden) = &mut self.warden
            && let Err(why) = warden.preload(&warmth, &stock, self.cancel)
        {
            self.warmth.forgo();
            return Err(why);
        }
        self.warden
            .as_mut()
            .ok_or_else(|| Error::internal("a seat without a session"))
    }

    /// What is yet to be made ready, and, where nothing is, what was loaded before.
    fn wanted(&mut self) -> Result<Option<(Warmth, Stock)>> {
        let first = self.warmth.ready == (0, 0) && !self.grown;
        let (Some(warmth), Some(environment)) = (self.warmth.take(), &self.environment) else {
            return Ok(None);
        };
        let stock = self.branch_stock(environment);
        let stock = if first {
            stock.filled(self.ledger)?
        } else {
            stock
        };
        Ok(Some((warmth, stock)))
    }

    fn seat_anew(&mut self, limits: super::Limits) -> Result<()> {
        let environment = self
            .environment
            .clone()
            .ok_or_else(|| Error::internal("a seat without a place"))?;
        let recipe = self.recipe(&environment, limits);
        let stock = self.trunk_stock(&environment);
        let open = || {
            let filled = || stock.filled(self.ledger);
            Warden::open(self.sandbox.as_ref(), &recipe, filled, self.cancel)
        };
        let brought_up = if std::mem::take(&mut self.anew) {
            None
        } else {
            self.brought_up(&environment, limits)
        };
        let (warden, warmth) = match brought_up {
            Some(brought_up) => brought_up,
            None => (open()?, Warmth::default()),
        };
        self.warmth.begin_with(&warmth);
        // What came up beside the last session has ended with it.
        self.budding = None;
        self.grown = false;
        if self.missing.is_empty() && !warden.missing_limits().is_empty() {
            self.missing = warden.missing_limits().to_vec();
            let _ = self.events.send(Event::Notice(format!(
                "limits not set here: {}",
                self.missing.join("; ")
            )));
        }
        self.limits = Some(limits);
        self.warden = Some(warden);
        Ok(())
    }
}

impl Runner for Seat<'_> {
    /// Makes a run. One that takes its session with it is made once more in a new one, so that a sandbox's own
    /// failure is not taken for the completion's; one that could not begin likewise.
    fn run(&mut self, order: &Order, live: &mut dyn FnMut(Live)) -> Result<RunReport> {
        let mut last = None;
        for retried in [false, true] {
            let (cancel, ledger) = (self.cancel, self.ledger);
            match self
                .warden(order.limits)
                .and_then(|warden| warden.run(order, ledger, live, cancel))
            {
                Ok(mut report) => {
                    report.left.retried = retried;
                    // What the kernel has ended for want of memory is told once in a session's life.
                    if report.loss.is_some() || report.marked || report.oom_kills > 0 {
                        self.warden = None;
                    }
                    if !matches!(report.loss, Some(Loss::Died | Loss::Engine)) {
                        return Ok(report);
                    }
                    last = Some(Ok(report));
                }
                Err(why) => {
                    self.warden = None;
                    self.cancel.check()?;
                    last = Some(Err(why));
                }
            }
        }
        last.unwrap_or_else(|| Err(Error::internal("a run without an end")))
    }

    fn warm(&mut self, warmth: Option<&Warmth>) {
        match warmth {
            Some(warmth) if !self.queue.settings.fresh => self.warmth.want(warmth),
            Some(_) => {}
            None => {
                self.cool();
            }
        }
    }

    fn cool(&mut self) -> bool {
        let warm = self.warmth.forget();
        if warm {
            self.warden = None;
        }
        warm
    }

    fn renew(&mut self) {
        self.warden = None;
        self.anew = true;
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
