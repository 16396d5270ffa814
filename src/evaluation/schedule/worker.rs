//! One job: takes submissions, keeps a warm session, hands in verdicts.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::super::ledger::{Ledger, LedgerKey};
use super::super::protocol::{Bench, Footing, Runner};
use super::super::sandbox::{Recipe, Sandbox, SandboxKind};
use super::super::subject::Subject;
use super::super::verdict::{CounterTest, Judgement, official_failure};
use super::super::warden::{Live, Loss, Order, Pattern, RunReport, Stock, Warden, Warmth};
use super::ahead::{Ahead, Stocks};
use super::queue::{Queue, Taken};
use super::{Control, Environment, Event};
use crate::benchmark::Verdict;
use crate::error::{Cancel, Error, Result};

pub(super) struct Worker<'a> {
    number: usize,
    queue: &'a Queue,
    ledger: &'a Ledger,
    events: &'a Sender<Event>,
    control: &'a Control,
    seat: Seat<'a>,
    /// Whether any session has come up.
    proven: bool,
}

/// The session at hand, opened when it is first needed and again when it is lost.
struct Seat<'a> {
    queue: &'a Queue,
    sandbox: &'a Arc<dyn Sandbox>,
    events: &'a Sender<Event>,
    cancel: &'a Cancel,
    ledger: &'a Ledger,
    environment: Option<Environment>,
    warden: Option<Warden>,
    warmth: Warm,
    missing: Vec<String>,
    limits: Option<super::Limits>,
    next: Option<Ahead>,
    /// The environment that comes up beside this one in the session, by its identity.
    budding: Option<String>,
    /// Whether this one has come up so.
    grown: bool,
    /// Whether the session that is opened next has to be a new one, not one brought up ahead.
    anew: bool,
}

/// What was ever asked to be ready in this environment, and how much of it is.
#[derive(Default)]
struct Warm {
    asked: Warmth,
    ready: (usize, usize),
    known: (HashSet<String>, HashSet<Pattern>),
    /// Nothing can be made ready.
    forgone: bool,
}

impl Warm {
    /// Asks for what was not asked for yet.
    fn want(&mut self, warmth: &Warmth) {
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
    fn take(&mut self) -> Option<Warmth> {
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

impl<'a> Worker<'a> {
    pub fn new(
        number: usize,
        queue: &'a Queue,
        sandbox: &'a Arc<dyn Sandbox>,
        ledger: &'a Ledger,
        events: &'a Sender<Event>,
        control: &'a Control,
    ) -> Self {
        let seat = Seat {
            queue,
            sandbox,
            events,
            cancel: &control.cancel,
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
        };
        Self {
            number,
            queue,
            ledger,
            events,
            control,
            seat,
            proven: false,
        }
    }

    pub fn work(mut self) -> Result<()> {
        loop {
            let at_hand = self.seat.environment.as_ref();
            let taken = self.queue.take(self.number, at_hand, self.control)?;
            let Some(taken) = taken else {
                return Ok(());
            };
            match self.one(&taken) {
                Ok(()) => self.proven = true,
                Err(why) => {
                    // Whoever waits for this footing has to find it: nobody else will.
                    self.queue.give_up(taken.footing_key);
                    if !self.proven {
                        return Err(why);
                    }
                    self.control.cancel.check()?;
                    self.infrastructure(&taken, &why)?;
                }
            }
        }
    }

    fn one(&mut self, taken: &Taken) -> Result<()> {
        let subject = &taken.submission.subject;
        let environment = self.queue.environment(subject)?;
        if self.seat.sit(environment) && !self.queue.settings.fresh {
            let known = self.known_warmth(environment)?;
            self.seat.warm(Some(&known));
        }
        let footing = self.footing(taken)?;
        self.look_ahead()?;
        self.seat.warm(footing.warmth.as_ref());
        let number = taken.submission.number;
        let _ = self.events.send(Event::Started { number });
        let events = self.events;
        let mut live = |live: Live| {
            let _ = events.send(match live {
                Live::Log(bytes) => Event::Log {
                    number,
                    bytes: bytes.to_vec(),
                },
                Live::Test(test) => Event::Test {
                    number,
                    test: test.clone(),
                },
            });
        };
        let limits = self.queue.limits(subject);
        let repeats = self.queue.settings.repeats;
        let mut bench = Bench {
            subject,
            limits,
            runner: &mut self.seat,
            repeats,
            fresh: self.queue.settings.fresh,
            pairs: self.queue.settings.pairs,
        };
        let judgement = bench.judge(&footing, &taken.submission.completion, &mut live)?;
        if self.queue.settings.fresh {
            self.seat.warden = None;
        }
        self.hand_in(taken, judgement)
    }

    /// Has the environment that will be needed next come up beside the work that is left in this one: in the session at
    /// hand where that serves it, else in a session of its own.
    fn look_ahead(&mut self) -> Result<()> {
        let Some(at_hand) = self.seat.environment.clone() else {
            return Ok(());
        };
        if self.queue.settings.fresh || self.seat.warden.is_none() {
            return Ok(());
        }
        if self.seat.budding.is_none()
            && self.queue.spare_cores
            && let Some(next) = self.queue.following(self.number, &at_hand)?
        {
            let environment = self.queue.environment(&next.subject)?;
            let warmth = self.known_warmth(environment)?;
            self.seat.bud(environment, &warmth)?;
        }
        if self.seat.next.is_none()
            && let Some(next) = self.queue.upcoming(self.number, &at_hand)?
        {
            let environment = self.queue.environment(&next.subject)?;
            let warmth = self.known_warmth(environment)?;
            let limits = self.queue.limits(&next.subject);
            self.seat.bring_up(environment, limits, warmth)?;
        }
        Ok(())
    }

    /// What the next runs in an environment will load, where it is known from before; nothing where one of its tasks is
    /// not to find anything loaded.
    fn known_warmth(&self, environment: &Environment) -> Result<Warmth> {
        let mut warm = Warm::default();
        for key in self.queue.footings_of(environment)? {
            if self.queue.settled(key).is_none()
                && let Some(footing) = self.ledger.footing(key)?
            {
                self.queue.settle(key, Arc::new(footing));
            }
            match self.queue.settled(key) {
                Some(footing) if footing.unusable.is_none() => match &footing.warmth {
                    Some(warmth) => warm.want(warmth),
                    None => return Ok(Warmth::default()),
                },
                Some(_) | None => {}
            }
        }
        Ok(warm.take().unwrap_or_default())
    }

    fn hand_in(&self, taken: &Taken, judgement: Judgement) -> Result<()> {
        let submission = &taken.submission;
        let key = self.queue.verdict_key(submission)?;
        self.ledger
            .record(key, &self.queue.run, &submission.subject.id, &judgement)?;
        self.ledger
            .note(submission.key(), &submission.subject.id, key)?;
        let judgement = Box::new(judgement);
        let _ = self.events.send(Event::Verdict {
            number: submission.number,
            judgement,
            known: false,
        });
        Ok(())
    }

    fn footing(&mut self, taken: &Taken) -> Result<Arc<Footing>> {
        if let Some(footing) = &taken.footing {
            return Ok(Arc::clone(footing));
        }
        let key = taken.footing_key;
        let footing = match self.ledger.footing(key)? {
            Some(footing) => footing,
            None => self.find_footing(&taken.submission.subject, key)?,
        };
        let footing = Arc::new(footing);
        self.queue.settle(key, Arc::clone(&footing));
        Ok(footing)
    }

    fn find_footing(&mut self, subject: &Arc<Subject>, key: LedgerKey) -> Result<Footing> {
        let _ = self.events.send(Event::Preparing {
            task: subject.id.clone(),
        });
        let limits = self.queue.limits(subject);
        let repeats = self.queue.settings.repeats;
        let footing = Bench {
            subject,
            limits,
            runner: &mut self.seat,
            repeats,
            fresh: false,
            pairs: 1,
        }
        .footing()?;
        if let Some(reason) = footing.unusable.clone() {
            let _ = self.events.send(Event::Unusable {
                task: subject.id.clone(),
                reason,
            });
        }
        self.ledger.record_footing(key, &subject.id, &footing)?;
        Ok(footing)
    }

    /// A completion that could not be judged for the sandbox's sake.
    fn infrastructure(&mut self, taken: &Taken, why: &Error) -> Result<()> {
        let subject = &taken.submission.subject;
        self.seat.warden = None;
        let judgement = Judgement {
            verdict: Verdict::Infrastructure,
            reason: why.to_string(),
            tests: Vec::new(),
            seconds: 0.0,
            test_seconds: 0.0,
            sandbox: self.seat.sandbox.kind(),
            reference_ok: false,
            stub_fails: false,
            counter_test: CounterTest::NotNeeded,
            own_sessions: false,
            pairs: 0,
            official: official_failure(subject.format),
            differs: None,
            syntax: None,
            over_indented: false,
            without_addopts: false,
            missing_limits: self.seat.missing.clone(),
            log: String::new(),
        };
        self.hand_in(taken, judgement)
    }
}

impl Seat<'_> {
    /// Takes the place for an environment; whether it is another one. The session of the last one ends where they have no
    /// trunk in common.
    fn sit(&mut self, environment: &Environment) -> bool {
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
    fn bud(&mut self, environment: &Environment, warmth: &Warmth) -> Result<()> {
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
    fn bring_up(
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
            let stock = stock.filled(self.ledger)?;
            Warden::open(self.sandbox.as_ref(), &recipe, &stock, self.cancel)
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
