//! The review log behind the screen: opened once, written to one step after the other.

use std::collections::HashSet;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::Desk;
use crate::benchmark::TaskId;
use crate::error::{Error, Result};
use crate::review::{Event, Judgements, Plan, Session, Store};
use crate::tui::state::inquiry::Kind;
use crate::tui::state::review::{ReviewWork, Reviewed};

/// An open log.
pub(super) struct Reviewer {
    store: Store,
    annotator: String,
    /// When the annotator did something last.
    last: Instant,
}

/// A longer pause is not work on a task.
const PAUSE: Duration = Duration::from_mins(10);

impl Desk {
    /// Does one step of the review. Steps must come one after the other.
    pub fn review(&self, work: ReviewWork) -> Result<Reviewed> {
        let mut open = self.reviewer.lock().unwrap_or_else(PoisonError::into_inner);
        if let ReviewWork::Open(tasks, kind) = work {
            let (reviewer, session, log) = self.open_review(tasks, kind)?;
            *open = Some(reviewer);
            return Ok(Reviewed::Opened(Box::new(session), log, self.codebook()?));
        }
        let reviewer = open
            .as_mut()
            .ok_or_else(|| Error::internal("a judgement came before the log was open"))?;
        reviewer.perform(work)
    }

    fn open_review(
        &self,
        tasks: Vec<TaskId>,
        kind: Kind,
    ) -> Result<(Reviewer, Session, Vec<Event>)> {
        let store = Store::open(&self.places.state.join("review.sqlite"))?;
        // A picture is the same whoever makes it.
        let annotator = if self.remembers {
            annotator()
        } else {
            "you".to_owned()
        };
        let log = store.events()?;
        let listed: HashSet<TaskId> = tasks.iter().cloned().collect();
        let plan = store.plan()?.unwrap_or_else(|| Plan::everything(tasks));
        let items = self.items(kind, &plan, &annotator, &Judgements::of(&log));
        let mut items = items.map_err(|why| {
            if plan.annotators.is_empty() || plan.annotators.contains(&annotator) {
                return why;
            }
            why.hint("say who you are with EVOSCOPE_ANNOTATOR=NAME, or make a new review plan")
        })?;
        // The panes show listed tasks only, so the queue leaves out items that they cannot show.
        let all = items.len();
        items.retain(|item| listed.contains(&item.task));
        if items.is_empty() && all > 0 {
            let what =
                format!("none of the {all} items of your review plan is among the listed tasks");
            return Err(Error::data(what).hint("clear the filter, and open the review again"));
        }
        let session = Session::resume(&annotator, items, &log);
        let reviewer = Reviewer {
            store,
            annotator,
            last: Instant::now(),
        };
        Ok((reviewer, session, log))
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
                Ok(Reviewed::Recorded(event))
            }
            ReviewWork::Undo => Ok(Reviewed::Undone(self.store.undo(&self.annotator, at)?)),
        }
    }
}

/// Who judges: `EVOSCOPE_ANNOTATOR`, else the user's name.
fn annotator() -> String {
    ["EVOSCOPE_ANNOTATOR", "USER", "LOGNAME"]
        .into_iter()
        .find_map(|name| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty())
        })
        .unwrap_or_else(|| "you".to_owned())
}
