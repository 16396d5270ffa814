//! Reads and writes the review log. The log is opened for a review mode. Then changes are written to the log in order.

use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::WorkerState;
use crate::benchmark::TaskId;
use crate::error::{Error, Result};
use crate::review::{Judgements, Mode, ReviewItem, ReviewPlan, ReviewSession, ReviewStore};
use crate::tui::state::review::{OpenReview, ReviewWork, Reviewed};

/// An open review log.
pub(super) struct Reviewer {
    store: ReviewStore,
    annotator: String,
    /// When the log was opened, or the last change was recorded.
    last: Instant,
}

/// The maximum time since [`Reviewer::last`] that counts as work on an item. A longer time is recorded as 0 s.
const PAUSE: Duration = Duration::from_mins(10);

impl WorkerState {
    /// Performs one request to the review log. Requests must come in order, from one thread. An error if the log cannot
    /// be opened or written, or is not open yet.
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
        // If the annotator must not see the judgements of others in this mode, their events are removed here. So the
        // state of the screens never contains these events.
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

    /// (items of a mode, reason if there are none). Only items of the listed tasks are returned, because the panes can
    /// show only listed tasks.
    fn queue(
        &self,
        mode: Mode,
        tasks: Vec<TaskId>,
        store: &ReviewStore,
        annotator: &str,
        all: &Judgements,
    ) -> Result<(Vec<ReviewItem>, Option<String>)> {
        let listed: HashSet<TaskId> = tasks.iter().cloned().collect();
        // A plan does not assign conflicts. The person who settles them is often not an annotator of the plan.
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

    /// The annotator's name: from the options or settings, or else from the environment variables `EVOSCOPE_ANNOTATOR`,
    /// `USER` and `LOGNAME` in this order. An error if no name is set.
    fn annotator(&self) -> Result<String> {
        if let Some(name) = &self.running.annotator {
            return Ok(name.clone());
        }
        // A screenshot must not depend on the name of the user.
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

/// The reason why there are no items in this mode.
fn why_empty(mode: Mode) -> &'static str {
    match mode {
        Mode::Requirements => "no task is listed",
        Mode::Pairs => "no listed task has two texts of its requirement",
        Mode::Failures => "no completion of the listed tasks has a failing verdict; run them first",
        Mode::Checks => "no other annotator has finished a requirement of the listed tasks",
        Mode::Conflicts => "no conflict between other annotators is left for you to settle",
    }
}

impl Reviewer {
    fn perform(&mut self, work: ReviewWork) -> Result<Reviewed> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let at = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        match work {
            ReviewWork::Open(..) => Err(Error::internal("the review log is already open")),
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
