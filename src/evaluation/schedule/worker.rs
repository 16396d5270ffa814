//! One job: takes submissions, keeps a warm session, hands in verdicts.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::super::ledger::{Ledger, LedgerKey};
use super::super::protocol::{Bench, Footing, Runner};
use super::super::sandbox::Sandbox;
use super::super::subject::Subject;
use super::super::verdict::{CounterTest, Judgement, official_failure};
use super::super::warden::{Live, Warmth};
use super::queue::{Queue, Taken};
use super::seat::{Seat, Warm};
use super::{Control, Environment, Event};
use crate::benchmark::Verdict;
use crate::error::{Error, Result};

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

impl<'a> Worker<'a> {
    pub fn new(
        number: usize,
        queue: &'a Queue,
        sandbox: &'a Arc<dyn Sandbox>,
        ledger: &'a Ledger,
        events: &'a Sender<Event>,
        control: &'a Control,
    ) -> Self {
        let seat = Seat::new(number, queue, sandbox, events, &control.cancel, ledger);
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
            follows: false,
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
            follows: false,
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
