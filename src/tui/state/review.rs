//! The review: one requirement after the other, next to the reference code, and what the annotator says of it.

use std::collections::{BTreeSet, VecDeque};

use ratatui::layout::Rect;
use ratatui_textarea::{TextArea, WrapMode};

use super::review_choices::ItemDetail;
use super::seen::{Seen, Step};
use crate::benchmark::{DraftOrigin, RequirementStyle, TaskId};
use crate::review::{
    Answer, Change, Codebook, Conflict, Draft, Judgements, Mode, Question, ReviewEvent, ReviewItem,
    ReviewSession, Uid, agreement,
};
use crate::tui::layout::{cut_left, cut_top, frame};

/// What is asked of the log.
#[derive(Debug, Clone)]
pub enum ReviewWork {
    /// Open it, with the queue of these tasks where no plan says otherwise.
    Open(Vec<TaskId>, Mode),
    /// Append a change.
    Record(Draft),
    /// Take the annotator's event back.
    Undo(Uid),
}

/// What came of it.
#[derive(Debug)]
pub enum Reviewed {
    /// The log is open.
    Opened(Box<OpenReview>),
    /// A change was appended.
    Recorded(Box<ReviewEvent>),
    /// An event was taken back.
    Undone(Box<ReviewEvent>),
}

/// An open log, as far as the annotator may see it.
#[derive(Debug)]
pub struct OpenReview {
    /// The annotator's queue.
    pub session: ReviewSession,
    /// The annotator's own events; everybody's in the modes that need them.
    pub log: Vec<ReviewEvent>,
    /// The causes that failures are sorted by.
    pub codebook: Codebook,
    /// The benchmark that the log belongs to, with its data's hash.
    pub benchmark: String,
    /// Why the queue is empty, where it is.
    pub empty: Option<String>,
}

/// The requirement's text while it is rewritten.
#[derive(Debug)]
pub struct Editor {
    /// What the text belongs to.
    pub seen: Seen,
    /// The text.
    pub area: TextArea<'static>,
    /// Which of the benchmark's texts it is.
    pub style: RequirementStyle,
    /// As the benchmark has it.
    pub original: String,
    /// The draft that the text is taken from, where it is one.
    pub origin: Option<DraftOrigin>,
    /// The text that the editor was opened with.
    opened: String,
    /// Whether Esc was pressed on a changed text.
    pub asked: bool,
}

impl Editor {
    /// An editor that holds `text`.
    pub fn new(seen: Seen, style: RequirementStyle, original: &str, text: &str) -> Self {
        let mut area = TextArea::new(text.lines().map(str::to_owned).collect());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        Self {
            seen,
            area,
            style,
            original: original.to_owned(),
            origin: None,
            opened: text.to_owned(),
            asked: false,
        }
    }

    /// The same editor with another text in it.
    pub fn with_text(&self, text: &str) -> Self {
        Self {
            opened: self.opened.clone(),
            origin: self.origin.clone(),
            ..Self::new(self.seen.clone(), self.style, &self.original, text)
        }
    }

    /// Whether Esc closes the editor: where nothing has changed, and at the second press.
    pub fn discards(&self) -> bool {
        self.asked || self.text().trim_end() == self.opened.trim_end()
    }

    /// The current text, with the original's last line end.
    pub fn text(&self) -> String {
        let mut text = self.area.lines().join("\n");
        if self.original.ends_with('\n') && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

/// The screen.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "flags that do not depend on each other"
)]
pub struct ReviewScreen {
    /// The annotator's work; `None` until the log is open.
    pub session: Option<Box<ReviewSession>>,
    /// What the log says, as far as the annotator may see it.
    pub all: Judgements,
    log: Vec<ReviewEvent>,
    /// The benchmark that the log belongs to.
    pub benchmark: String,
    /// Why there is nothing to review.
    pub empty: Option<String>,
    /// What was drawn last, where it is an item that can be reviewed.
    pub seen: Option<Seen>,
    /// Whether a step is under way with which another item may come into sight.
    pub leaving: bool,
    /// The question that the next answer is to: an index into [`Question::ALL`].
    pub question: usize,
    /// Steps that wait for the one before them.
    pub waiting: VecDeque<Step>,
    /// A step is on its way to the log.
    pub under_way: bool,
    /// The explorer ends once every step is in the log.
    pub ends: bool,
    /// The requirement while it is rewritten.
    pub editor: Option<Box<Editor>>,
    /// What the note that is typed belongs to.
    pub noted: Option<Seen>,
    /// The reference code, or the right text, has the focus.
    pub code: bool,
    /// What is reviewed.
    pub mode: Mode,
    /// The causes that failures are sorted by.
    pub codebook: Codebook,
    /// What is shown of an item, and the item.
    pub item_detail: Option<(ReviewItem, Box<ItemDetail>)>,
    /// How a failed completion is looked at.
    pub failure: super::failure::FailureView,
    /// First row of the two texts in sight.
    pub top: usize,
    /// Labels under which others differ, those that nobody settled first.
    pub conflicts: Vec<Conflict>,
    /// The conflict in sight.
    pub conflict_at: usize,
}

/// The screen's rectangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Areas {
    /// The top line.
    pub head: Rect,
    /// The requirement, or the editor, and the reference code.
    pub panes: Rect,
    /// The reference code below two texts, where there is space for it.
    pub below: Rect,
    /// The requirement, or the editor.
    pub requirement: Rect,
    /// The reference code.
    pub reference: Rect,
    /// What is said of it.
    pub judgement: Rect,
    /// The bottom line.
    pub foot: Rect,
}

/// From this width on, the panes are side by side.
const WIDE: u16 = 100;
/// From this height on, the reference code is below two texts.
const BELOW: u16 = 36;
/// Rows of the judgement, its border included.
const JUDGEMENT: u16 = 5;

impl ReviewScreen {
    /// Whether steps are not in the log yet.
    pub fn is_recording(&self) -> bool {
        self.under_way || !self.waiting.is_empty()
    }

    /// Where things are on a terminal of `size`.
    pub fn areas(&self, size: (u16, u16)) -> Areas {
        let (head, body, foot) = frame(size);
        let (panes, judgement) = cut_top(body, body.height.saturating_sub(JUDGEMENT));
        let two_texts = self.has_item_detail() && !self.is_failure() && size.1 >= BELOW;
        let (texts, below) = if two_texts {
            cut_top(panes, panes.height / 2)
        } else {
            (panes, Rect::ZERO)
        };
        let (requirement, reference) = if size.0 >= WIDE {
            cut_left(texts, texts.width / 2)
        } else {
            cut_top(texts, texts.height / 2)
        };
        Areas {
            head,
            panes,
            below,
            requirement,
            reference,
            judgement,
            foot,
        }
    }

    /// Takes in an open log. A party to a conflict does not settle it.
    pub fn begin(&mut self, open: OpenReview) {
        self.all = Judgements::of(&open.log);
        self.log = open.log;
        self.codebook = open.codebook;
        (self.benchmark, self.empty) = (open.benchmark, open.empty);
        self.conflicts = self.all.conflicts();
        let me = open.session.annotator();
        let listed: BTreeSet<&TaskId> =
            open.session.items().iter().map(|item| &item.task).collect();
        self.conflicts
            .retain(|conflict| !conflict.said.contains_key(me) && listed.contains(&conflict.task));
        self.conflicts
            .sort_by_key(|conflict| conflict.settled.is_some());
        (self.conflict_at, self.top) = (0, 0);
        self.session = Some(Box::new(open.session));
        self.waiting.clear();
        (self.under_way, self.leaving) = (false, false);
        self.first_question();
    }

    /// Takes in an event that is in the log now.
    pub fn record(&mut self, event: ReviewEvent) {
        let undo = matches!(event.change, Change::Undo(_));
        self.log.push(event.clone());
        self.all = Judgements::of(&self.log);
        let undone = self.undone(&event).cloned();
        self.resettle();
        if let Some(Change::Adjudicate { label, .. }) = undone.map(|event| event.change) {
            let is_it = |conflict: &Conflict| {
                conflict.task == event.task
                    && conflict.subject == event.subject
                    && conflict.label == label
            };
            let place = self.conflicts.iter().position(is_it);
            self.conflict_at = place.unwrap_or(self.conflict_at);
        }
        let Some(session) = &mut self.session else {
            return;
        };
        let before = session.position();
        if undo {
            session.undone(event);
        } else {
            session.recorded(event);
        }
        if undo || session.position() != before {
            self.first_question();
        }
    }

    /// The event that an undo took back.
    fn undone(&self, undo: &ReviewEvent) -> Option<&ReviewEvent> {
        let Change::Undo(uid) = &undo.change else {
            return None;
        };
        self.log.iter().find(|event| event.uid == *uid)
    }

    /// The event that an undo takes back: the annotator's last in the queue of this mode.
    pub fn undoable(&self) -> Option<Uid> {
        let session = self.session.as_deref()?;
        if self.mode != Mode::Conflicts {
            return session.undoable().map(|(_, uid)| uid);
        }
        let undone = |uid: &Uid| {
            let names = |event: &ReviewEvent| event.change == Change::Undo(uid.clone());
            self.log.iter().any(names)
        };
        let mine = |event: &&ReviewEvent| {
            event.annotator == session.annotator() && self.mode.covers(event) && !undone(&event.uid)
        };
        let last = self.log.iter().rev().find(mine)?;
        Some(last.uid.clone())
    }

    /// What an undo took back, in words.
    pub fn undo_message(&self, undo: &ReviewEvent) -> String {
        let what = self
            .undone(undo)
            .map_or_else(|| "a judgement".to_owned(), |event| event.change.summary());
        format!("undone: {what} of {}", undo.task)
    }

    /// What holds of the conflicts now; their places do not change, and the next open one comes into sight.
    fn resettle(&mut self) {
        for conflict in &mut self.conflicts {
            let settled = self.all.settled(&conflict.task, &conflict.subject);
            let settled = settled.and_then(|all| all.get(&conflict.label));
            conflict.settled = settled.map(|settlement| settlement.value.clone());
        }
        let open = |conflict: &Conflict| conflict.settled.is_none();
        let after = self.conflicts.iter().skip(self.conflict_at).position(open);
        if let Some(after) = after {
            self.conflict_at += after;
        } else if let Some(first) = self.conflicts.iter().position(open) {
            self.conflict_at = first;
        }
    }

    /// Whether the item in sight is asked the three questions: a requirement, and before a check one's own judgement.
    pub fn asks_questions(&self) -> bool {
        match self.mode {
            Mode::Requirements => true,
            Mode::Checks => self.choices().is_empty(),
            Mode::Pairs | Mode::Failures | Mode::Conflicts => false,
        }
    }

    /// Goes to the first question without an answer, or to the first.
    pub fn first_question(&mut self) {
        let answered = |question: &Question| {
            let judgement = self
                .session
                .as_ref()
                .and_then(|session| session.judgement());
            judgement.is_some_and(|judgement| judgement.answers.contains_key(question))
        };
        let open = Question::ALL
            .iter()
            .position(|question| !answered(question));
        self.question = open.unwrap_or(0);
    }

    /// The question that the next answer is to, with the answer given so far.
    pub fn answer_to(&self, question: Question) -> Option<Answer> {
        let judgement = self.session.as_ref()?.judgement()?;
        judgement.answers.get(&question).copied()
    }

    /// Agreement so far, in a few words: kappa with one other, alpha with more.
    pub fn agreement(&self) -> Option<String> {
        let rows = agreement(&self.all, 0.95);
        let widest = rows.into_iter().max_by_key(|row| row.subjects)?;
        let (name, value) = match (widest.kappa, widest.alpha) {
            (Some(kappa), _) => ("kappa", kappa),
            (None, Some(alpha)) => ("alpha", alpha),
            (None, None) => return None,
        };
        Some(format!(
            "{name} {value:.2} on {} ({})",
            widest.label, widest.subjects
        ))
    }
}
