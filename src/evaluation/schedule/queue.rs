//! What waits, what is known of each task, and which of it a worker takes next.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use super::super::ledger::{Ledger, LedgerKey};
use super::super::protocol::Footing;
use super::super::sandbox::Limits;
use super::super::subject::{Subject, Submission};
use super::{Control, Environment, Event, Plan, Settings, environment};
use crate::environment::Interpreter;
use crate::error::Result;

/// Raised when the meaning of a verdict changes, so that older ledger entries are not taken for new ones.
const PROTOCOL: &[u8] = b"evoscope protocol 15";

/// How many submissions for a session are few enough to bring up the next one beside them.
const LITTLE: usize = 6;

/// How many tasks of an environment are asked what they will load, before it comes up.
const FEW: usize = 32;

/// Everything that the workers share.
pub(super) struct Queue {
    pub run: String,
    pub settings: Settings,
    /// Whether the machine has more processors than jobs, so that one may make something ready beside the runs.
    pub spare_cores: bool,
    environments: HashMap<String, Environment>,
    hashes: HashMap<String, [u8; 32]>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    waiting: VecDeque<Submission>,
    footings: HashMap<LedgerKey, Progress>,
    /// Which environments which workers have a session in, or are about to.
    held: Vec<(usize, String)>,
    /// The project that each worker's last submission was of.
    projects: HashMap<usize, String>,
}

impl State {
    fn held_by_others(&self, worker: usize, identity: &str) -> bool {
        let others = self.held.iter().filter(|(holder, _)| *holder != worker);
        others.map(|(_, held)| held).any(|held| held == identity)
    }
}

#[derive(Clone)]
enum Progress {
    Underway,
    Known(Arc<Footing>),
}

/// How near a submission is to the environment that a worker is at; the nearest is taken first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// Of the project that it was at.
    Project,
    /// Of its environment.
    Environment,
    /// Of another environment that its session serves.
    Trunk,
    /// Of an environment that no other worker is at.
    Free,
    /// Of an environment that another worker is at.
    Held,
}

/// A submission taken by a worker.
pub(super) struct Taken {
    pub submission: Submission,
    pub footing_key: LedgerKey,
    /// `None` when this worker has to find it.
    pub footing: Option<Arc<Footing>>,
}

impl Queue {
    /// Queues what has no verdict yet; tells of what has.
    pub fn new(
        plan: Plan,
        hashes: HashMap<String, [u8; 32]>,
        ledger: &Ledger,
        events: &Sender<Event>,
    ) -> Result<Self> {
        let state = State {
            waiting: VecDeque::new(),
            footings: HashMap::new(),
            held: Vec::new(),
            projects: HashMap::new(),
        };
        let queue = Self {
            run: plan.run,
            spare_cores: available_parallelism()
                .is_ok_and(|cores| cores.get() > plan.settings.jobs),
            settings: plan.settings,
            environments: plan.environments,
            hashes,
            state: Mutex::new(state),
            changed: Condvar::new(),
        };
        let total = plan.submissions.len();
        let mut known = Vec::new();
        for submission in plan.submissions {
            let key = queue.verdict_key(&submission)?;
            match ledger.verdict(key)? {
                Some(judgement) => {
                    ledger.note(submission.key(), &submission.subject.id, key)?;
                    known.push((submission.number, judgement));
                }
                None => queue.lock().waiting.push_back(submission),
            }
        }
        let _ = events.send(Event::Queued {
            total,
            known: known.len(),
        });
        for (number, judgement) in known {
            let _ = events.send(Event::Verdict {
                number,
                judgement: Box::new(judgement),
                known: true,
            });
        }
        Ok(queue)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn environment(&self, subject: &Subject) -> Result<&Environment> {
        environment(&self.environments, &subject.project)
    }

    /// The environments that can share a session with this one, itself among them.
    pub fn akin(&self, environment: &Environment) -> Vec<Interpreter> {
        let mut akin: Vec<&Environment> = self
            .environments
            .values()
            .filter(|other| other.trunk == environment.trunk)
            .collect();
        akin.sort_by(|a, b| a.identity.cmp(&b.identity));
        akin.dedup_by(|a, b| a.identity == b.identity);
        akin.into_iter()
            .map(|environment| environment.interpreter.clone())
            .collect()
    }

    pub fn limits(&self, subject: &Subject) -> Limits {
        self.settings.limits(subject.format, subject.tests.len())
    }

    pub fn footing_key(&self, subject: &Subject) -> Result<LedgerKey> {
        let hash = self
            .hashes
            .get(&subject.project.name)
            .copied()
            .unwrap_or_default();
        let environment = self.environment(subject)?;
        Ok(LedgerKey::over(&[
            PROTOCOL,
            &subject.key(&hash),
            subject.format.word().as_bytes(),
            environment.identity.as_bytes(),
            self.settings.identity().as_bytes(),
        ]))
    }

    pub fn verdict_key(&self, submission: &Submission) -> Result<LedgerKey> {
        let footing = self.footing_key(&submission.subject)?;
        Ok(LedgerKey::over(&[
            footing.bytes(),
            submission.completion.as_bytes(),
            &self.settings.pairs.to_be_bytes(),
        ]))
    }

    /// The next submission for a worker, the [nearest](Nearness) to the environment that it is at; `None` when nothing
    /// is left or the run is cancelled. A task whose footing another worker is finding is passed over.
    pub fn take(
        &self,
        worker: usize,
        at_hand: Option<&Environment>,
        control: &Control,
    ) -> Result<Option<Taken>> {
        let mut state = self.lock();
        loop {
            if state.waiting.is_empty() || control.cancel.is_raised() {
                return Ok(None);
            }
            if !control.is_paused()
                && let Some(taken) = self.pick(&mut state, worker, at_hand)?
            {
                return Ok(Some(taken));
            }
            let waited = self.changed.wait_timeout(state, Duration::from_millis(50));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn pick(
        &self,
        state: &mut State,
        worker: usize,
        at_hand: Option<&Environment>,
    ) -> Result<Option<Taken>> {
        let mut best: Option<(Nearness, usize, LedgerKey)> = None;
        for (index, submission) in state.waiting.iter().enumerate() {
            let key = self.footing_key(&submission.subject)?;
            if matches!(state.footings.get(&key), Some(Progress::Underway)) {
                continue;
            }
            let nearness = self.nearness(state, worker, at_hand, &submission.subject)?;
            if best.is_none_or(|(nearest, ..)| nearness < nearest) {
                best = Some((nearness, index, key));
            }
            if nearness == Nearness::Project {
                break;
            }
        }
        let Some((nearness, mut index, mut key)) = best else {
            return Ok(None);
        };
        if matches!(nearness, Nearness::Trunk | Nearness::Free)
            && let Some(first) = self.largest(state, worker, at_hand, nearness)?
        {
            let of = self.footing_key(&state.waiting[first].subject)?;
            if !matches!(state.footings.get(&of), Some(Progress::Underway)) {
                (index, key) = (first, of);
            }
        }
        let Some(submission) = state.waiting.remove(index) else {
            return Ok(None);
        };
        let identity = self.environment(&submission.subject)?.identity.clone();
        let project = submission.subject.project.name.clone();
        state.projects.insert(worker, project);
        state.held.retain(|(holder, _)| *holder != worker);
        state.held.push((worker, identity));
        let footing = if let Some(Progress::Known(footing)) = state.footings.get(&key) {
            Some(Arc::clone(footing))
        } else {
            state.footings.insert(key, Progress::Underway);
            None
        };
        Ok(Some(Taken {
            submission,
            footing_key: key,
            footing,
        }))
    }

    fn nearness(
        &self,
        state: &State,
        worker: usize,
        at_hand: Option<&Environment>,
        subject: &Subject,
    ) -> Result<Nearness> {
        let environment = self.environment(subject)?;
        let same = |of: fn(&Environment) -> &str| at_hand.map(of) == Some(of(environment));
        let held = state.held_by_others(worker, &environment.identity);
        Ok(if same(|environment| &environment.identity) {
            if state.projects.get(&worker) == Some(&subject.project.name) {
                Nearness::Project
            } else {
                Nearness::Environment
            }
        } else if held {
            Nearness::Held
        } else if same(|environment| &environment.trunk) {
            Nearness::Trunk
        } else {
            Nearness::Free
        })
    }

    /// The first submission, so near, of the environment that most is waiting for: what begins early need not be shared in
    /// the end. One that this worker was told of before comes first.
    fn largest(
        &self,
        state: &State,
        worker: usize,
        at_hand: Option<&Environment>,
        wanted: Nearness,
    ) -> Result<Option<usize>> {
        let mut candidates = Vec::new();
        for (index, submission) in state.waiting.iter().enumerate() {
            if self.nearness(state, worker, at_hand, &submission.subject)? == wanted {
                let environment = self.environment(&submission.subject)?;
                candidates.push((index, environment.identity.as_str()));
            }
        }
        let told = |identity: &str| {
            let mut held = state.held.iter();
            held.any(|(by, held)| *by == worker && held == identity)
        };
        Ok(first_of_largest(&candidates, told))
    }

    /// The submission that a worker will need another session for, once little is left for the one at hand. No other
    /// worker is told of the same environment.
    pub fn upcoming(&self, worker: usize, at_hand: &Environment) -> Result<Option<Submission>> {
        self.to_come(worker, at_hand, Nearness::Trunk, Nearness::Free)
    }

    /// The submission with which a worker will turn to another environment in its session, once little is left for the
    /// one at hand. No other worker is told of the same environment.
    pub fn following(&self, worker: usize, at_hand: &Environment) -> Result<Option<Submission>> {
        self.to_come(worker, at_hand, Nearness::Environment, Nearness::Trunk)
    }

    /// The first submission of the environment `wanted` so near that comes next, once little is left `within` another
    /// distance.
    fn to_come(
        &self,
        worker: usize,
        at_hand: &Environment,
        within: Nearness,
        wanted: Nearness,
    ) -> Result<Option<Submission>> {
        let mut state = self.lock();
        let mut left = 0;
        for submission in &state.waiting {
            if self.nearness(&state, worker, Some(at_hand), &submission.subject)? <= within {
                left += 1;
                if left > LITTLE {
                    return Ok(None);
                }
            }
        }
        let Some(index) = self.largest(&state, worker, Some(at_hand), wanted)? else {
            return Ok(None);
        };
        let next = state.waiting[index].clone();
        let identity = self.environment(&next.subject)?.identity.clone();
        state.held.push((worker, identity));
        Ok(Some(next))
    }

    /// The footings, known or not, of what waits for an environment; not more than the first few.
    pub fn footings_of(&self, environment: &Environment) -> Result<Vec<LedgerKey>> {
        let mut tasks: Vec<Arc<Subject>> = Vec::new();
        for submission in &self.lock().waiting {
            let subject = &submission.subject;
            if self.environment(subject)?.identity == environment.identity
                && !tasks.iter().any(|known| known.id == subject.id)
            {
                tasks.push(Arc::clone(subject));
                if tasks.len() == FEW {
                    break;
                }
            }
        }
        tasks.iter().map(|task| self.footing_key(task)).collect()
    }

    /// A task's footing, where it is known.
    pub fn settled(&self, key: LedgerKey) -> Option<Arc<Footing>> {
        match self.lock().footings.get(&key) {
            Some(Progress::Known(footing)) => Some(Arc::clone(footing)),
            Some(Progress::Underway) | None => None,
        }
    }

    /// Tells the others a task's footing.
    pub fn settle(&self, key: LedgerKey, footing: Arc<Footing>) {
        self.lock().footings.insert(key, Progress::Known(footing));
        self.changed.notify_all();
    }

    /// Lets another try to find a footing that could not be found.
    pub fn give_up(&self, key: LedgerKey) {
        self.lock().footings.remove(&key);
        self.changed.notify_all();
    }
}

/// The first index of the name that is `told`, else of the one that most have, else of the one that comes first.
fn first_of_largest(candidates: &[(usize, &str)], told: impl Fn(&str) -> bool) -> Option<usize> {
    let mut sizes: HashMap<&str, (usize, Reverse<usize>)> = HashMap::new();
    for (index, name) in candidates {
        sizes.entry(name).or_insert((0, Reverse(*index))).0 += 1;
    }
    let largest = sizes
        .into_iter()
        .max_by_key(|(name, size)| (told(name), *size));
    largest.map(|(_, (_, Reverse(index)))| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_comes_first_but_for_what_was_told_before() {
        let waiting = [(3, "a"), (4, "b"), (5, "c"), (6, "b"), (9, "c")];
        assert_eq!(first_of_largest(&waiting, |_| false), Some(4));
        assert_eq!(first_of_largest(&waiting, |name| name == "a"), Some(3));
        assert_eq!(first_of_largest(&[], |_| true), None);
    }
}
