//! The item that the review screen shows. Annotators can give a judgement only of this item.

use super::result::ResultScreen;
use super::{Screen, State};
use crate::benchmark::RequirementText;
use crate::review::{Action, Change, Draft, Edit, ReviewItem, ReviewSubject};
use crate::tui::effect::Slot;
use crate::tui::layout::Form;

/// A review item that was loaded into the panes and drawn. Only [`State::mark_drawn`] creates one, so code that has one
/// knows that the annotator could see the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    item: ReviewItem,
    /// The label of the conflict, when conflicts are settled.
    label: Option<String>,
}

impl Seen {
    /// The item.
    pub fn item(&self) -> &ReviewItem {
        &self.item
    }
}

/// An action of an annotator on the item on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewAction {
    /// Records a judgement of the item.
    Act(Action),
    /// Settles the conflict with a value.
    Settle(String),
}

/// A request of an annotator's key to the log. Steps are done one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Records a judgement of the item that was on the screen.
    Record(Seen, ReviewAction),
    /// Undoes the last judgement of the queue.
    Undo,
}

impl Step {
    /// Whether another item may be shown after the step.
    pub fn leaves(&self) -> bool {
        match self {
            Self::Undo | Self::Record(_, ReviewAction::Settle(_)) => true,
            Self::Record(_, ReviewAction::Act(action)) => matches!(
                action,
                Action::Decide(_)
                    | Action::Prefer(_)
                    | Action::Check { .. }
                    | Action::Edit { accepts: true, .. }
            ),
        }
    }
}

impl State {
    /// Records that this state was drawn. Until the next frame, keys apply to the item that the review shows now.
    pub fn mark_drawn(&mut self) {
        self.review.seen = self.loaded();
    }

    /// The current item, if the panes show it and no step that leaves it is under way.
    fn loaded(&self) -> Option<Seen> {
        let too_small = self.arrangement().form == Form::TooSmall;
        if self.screen != Screen::Review || self.review.leaving || too_small {
            return None;
        }
        let item = self.review.item()?;
        self.panes_hold(&item).then(|| Seen {
            label: self
                .review
                .conflict()
                .map(|conflict| conflict.label.clone()),
            item,
        })
    }

    /// Why the panes do not show the current item; `None` if they do, or if nothing is reviewed.
    ///
    /// The heading, the panes and the judgement of a frame must belong to the same item. While the panes contain
    /// another task, they are not drawn.
    pub fn awaited_item(&self) -> Option<String> {
        let item = self.review.item()?;
        let workspace = self.workspace.as_ref()?;
        let shown = self.workbench.task.task;
        let task = workspace.find(item.task.as_str()).ok();
        if shown.is_some() && shown == task {
            return None;
        }
        let listing = &self.workbench.tasks.listing;
        if task.is_none_or(|task| listing.row_of(task).is_none()) {
            let words = "is not among the listed tasks; clear the filter";
            return Some(format!("'{}' {words}", item.task));
        }
        let trouble = self.workbench.task.trouble.as_ref();
        let failed = trouble.filter(|_| !self.tickets.is_busy(Slot::Task));
        Some(failed.map_or_else(|| "reading".to_owned(), ToString::to_string))
    }

    /// Whether the panes show a review item.
    fn panes_hold(&self, item: &ReviewItem) -> bool {
        let exhibited = || {
            let item_detail = self.review.item_detail.as_ref();
            item_detail.is_some_and(|(of, _)| of == item)
        };
        let task = || {
            let workspace = self.workspace.as_ref()?;
            workspace.find(item.task.as_str()).ok()
        };
        let shown = self.workbench.task.task;
        let loaded = shown.is_some() && shown == task();
        match item.subject {
            ReviewSubject::Pair { .. } | ReviewSubject::Failure { .. } => loaded && exhibited(),
            ReviewSubject::Requirement | ReviewSubject::Check { .. } => loaded,
        }
    }

    /// The result screen's data for a completion that was evaluated in this session; `None` if it was not.
    pub fn evaluated_now(&self, of: super::run::CompletionRef) -> Option<ResultScreen> {
        let evaluated = self
            .workbench
            .evaluated
            .as_ref()
            .filter(|own| own.of == of)?;
        Some(ResultScreen {
            evaluated: Some(evaluated.outcome.clone()?),
            ..ResultScreen::default()
        })
    }

    /// The text that the annotator wrote for the shown requirement, if the review screen shows it.
    pub fn rewritten(&self) -> Option<&Edit> {
        let session = self.review.session.as_ref()?;
        let edit = session.judgement()?.edit.as_ref()?;
        let texts = &self.workbench.task.detail.requirement.texts;
        let same_text = is_of(edit, texts.get(self.workbench.task.style)?);
        let here = self.screen == Screen::Review && self.panes_hold(session.item()?);
        (here && same_text).then_some(edit)
    }
}

/// Whether an annotator's text belongs to a wording: to the draft that it was taken from, or to the benchmark's text of
/// the same style.
pub fn is_of(edit: &Edit, text: &RequirementText) -> bool {
    match &text.origin {
        Some(_) => edit.origin == text.origin,
        None => edit.style == text.style,
    }
}

/// The change that settles the conflict that was seen; `None` without a conflict.
pub fn settlement(seen: &Seen, value: String) -> Option<Draft> {
    Some(Draft {
        item: seen.item.clone(),
        change: Change::Adjudicate {
            label: seen.label.clone()?,
            value,
        },
    })
}
