//! Access to the review log. It is opened once, and one step after the other is written to it.

use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::WorkerState;
use crate::benchmark::TaskId;
use crate::error::{Error, Result};
use crate::review::{Judgements, Mode, ReviewItem, ReviewPlan, ReviewSession, ReviewStore};
use crate::tui::state::review::{OpenReview, ReviewWork, Reviewed};

/// An open log.
pub(super) struct Reviewer {
    store: ReviewStore,
    annotator: String,
    /// The time of the annotator's last action.
    last: Instant,
}

/// A longer pause does not count as work on a task.
const PAUSE: Duration = Duration::from_mins(10);

impl WorkerState {
    /// Performs one step of the review. Steps must not run in parallel.
    pub fn review(&self, work: ReviewWork) -> Result<Reviewed> {
        let mut open = self.reviewer.lock().unwrap_or_else(PoisonError::into_inner);
        if let ReviewWork::Open(tasks, mode) = work {
            let (reviewer, opened) = self.open_review(tasks, mode)?;
            *open = Some(reviewer);
            return Ok(Reviewed::Opened(Box::new(opened)));
        }
        let reviewer = open
            .as_mut()
            .ok_or_else(|| Error::internal("a judgement came before the log was open"))?;
        reviewer.perform(work)
    }

    fn open_review(&self, tasks: Vec<TaskId>, mode: Mode) -> Result<(Reviewer, OpenReview)> {
        let of_benchmark = self.workspace()?.review_log(&self.places)?;
        let store = ReviewStore::open(&of_benchmark.path)?;
        let annotator = self.annotator()?;
        let mut log = store.events()?;
        let all = Judgements::of(&log);
        // In the blind modes, the events of other annotators are removed here, so that the state of the screens never
        // contains them.
        log.retain(|event| mode.reads_others() || event.annotator == annotator);
        let (items, empty) = self.queue(mode, tasks, &store, &annotator, &all)?;
        let opened = OpenReview {
            session: ReviewSession::resume(&annotator, mode, items, &log),
            log,
            codebook: self.codebook()?,
            benchmark: of_benchmark.name,
            empty,
        };
        let reviewer = Reviewer {
            store,
            annotator,
            last: Instant::now(),
        };
        Ok((reviewer, opened))
    }

    /// The items of a mode among the listed tasks, and why there are none. Other tasks of the plan are left out,
    /// because the panes can show only listed tasks.
    fn queue(
        &self,
        mode: Mode,
        tasks: Vec<TaskId>,
        store: &ReviewStore,
        annotator: &str,
        all: &Judgements,
    ) -> Result<(Vec<ReviewItem>, Option<String>)> {
        let listed: HashSet<TaskId> = tasks.iter().cloned().collect();
        // The person who settles conflicts is often not part of the plan.
        let plan = match store.plan()? {
            Some(plan) if mode != Mode::Conflicts => plan,
            _ => ReviewPlan::everything(tasks),
        };
        let items = self.items(mode, &plan, annotator, all);
        let mut items = items.map_err(|why| {
            if plan.annotators.is_empty() || plan.annotators.iter().any(|name| name == annotator) {
                return why;
            }
            why.hint("set your name as annotator in config.toml, or make a new review plan")
        })?;
        let planned = items.len();
        items.retain(|item| listed.contains(&item.task));
        let empty = items.is_empty().then(|| match planned {
            0 => why_empty(mode).to_owned(),
            _ => format!(
                "none of the {planned} items of your review plan is among the listed tasks; clear the filter and open \
                 the review again"
            ),
        });
        Ok((items, empty))
    }

    /// The annotator: the name from the options or settings, otherwise `EVOSCOPE_ANNOTATOR`, otherwise the user's name.
    fn annotator(&self) -> Result<String> {
        if let Some(name) = &self.running.annotator {
            return Ok(name.clone());
        }
        // A screenshot must not depend on the user.
        if !self.remembers {
            return Ok("you".to_owned());
        }
        let set = |name| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty())
        };
        ["EVOSCOPE_ANNOTATOR", "USER", "LOGNAME"]
            .into_iter()
            .find_map(set)
            .ok_or_else(|| {
                Error::user("no annotator is named").hint(
                    "set your name as annotator in config.toml, or start with --annotator NAME",
                )
            })
    }
}

/// Why a mode has no items, if no plan is the cause.
fn why_empty(mode: Mode) -> &'static str {
    match mode {
        Mode::Requirements => "no task is listed",
        Mode::Pairs => "no listed task has two texts of its requirement",
        Mode::Failures => "no completion of the listed tasks has a failing verdict; run them first",
        Mode::Checks => "nobody else has finished a requirement of the listed tasks",
        Mode::Conflicts => "no conflict of others is there for you to settle",
    }
}

impl Reviewer {
    fn perform(&mut self, work: ReviewWork) -> Result<Reviewed> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let at = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        match work {
            ReviewWork::Open(..) => Err(Error::internal("the log is open already")),
            ReviewWork::Record(draft) => {
                let spent = self.last.elapsed();
                let seconds = if spent > PAUSE {
                    0.0
                } else {
                    spent.as_secs_f64()
                };
                let (task, subject) = (draft.item.task, draft.item.subject);
                let name = &self.annotator;
                let event = self
                    .store
                    .append(name, &task, &subject, draft.change, at, seconds)?;
                self.last = Instant::now();
                Ok(Reviewed::Recorded(Box::new(event)))
            }
            ReviewWork::Undo(uid) => {
                let undo = self.store.undo(&self.annotator, &uid, at)?;
                Ok(Reviewed::Undone(Box::new(undo)))
            }
        }
    }
}
