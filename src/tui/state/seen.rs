//! What the review screen shows. A judgement can be made of nothing else.

use super::result::ResultScreen;
use super::{Screen, State};
use crate::benchmark::RequirementText;
use crate::review::{Action, Change, Draft, Edit, ReviewItem, ReviewSubject};
use crate::tui::effect::Slot;
use crate::tui::layout::Form;

/// An item of the review that was loaded into the panes and drawn. Only [`State::mark_drawn`] makes one, so that code that
/// holds one knows that the annotator had the item before their eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    item: ReviewItem,
    /// The label in conflict, where conflicts are settled.
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

/// What an annotator asks of the log by a key; done one after the other, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A judgement of what was on the screen.
    Record(Seen, ReviewAction),
    /// Takes back the last judgement of the queue.
    Undo,
}

impl Step {
    /// Whether another item comes into sight with it, or may.
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
    /// Takes in that this state was drawn: what the review shows now is what keys record about until it is drawn again.
    pub fn mark_drawn(&mut self) {
        self.review.seen = self.loaded();
    }

    /// The item in sight, where the panes hold it and no step that leaves it is under way.
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

    /// Why the panes do not show the item in sight; `None` where they do, and where nothing is reviewed.
    ///
    /// The heading, the panes and the judgement of one frame are of one item: while the panes hold another task than
    /// the item's, they are not drawn.
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

    /// Whether the panes hold an item of the review.
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

    /// The verdict of a run of this session on a completion, with what led to it.
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

    /// The text that the annotator wrote for the requirement in sight, where the review shows it.
    pub fn rewritten(&self) -> Option<&Edit> {
        let session = self.review.session.as_ref()?;
        let edit = session.judgement()?.edit.as_ref()?;
        let texts = &self.workbench.task.detail.requirement.texts;
        let same_text = is_of(edit, texts.get(self.workbench.task.style)?);
        let here = self.screen == Screen::Review && self.panes_hold(session.item()?);
        (here && same_text).then_some(edit)
    }
}

/// Whether an annotator's text is that for a wording: it replaces a benchmark's text, and is taken from a draft.
pub fn is_of(edit: &Edit, text: &RequirementText) -> bool {
    match &text.origin {
        Some(_) => edit.origin == text.origin,
        None => edit.style == text.style,
    }
}

/// What a settlement of a conflict that was seen appends to the log.
pub fn settlement(seen: &Seen, value: String) -> Option<Draft> {
    Some(Draft {
        item: seen.item.clone(),
        change: Change::Adjudicate {
            label: seen.label.clone()?,
            value,
        },
    })
}
