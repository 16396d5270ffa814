//! The review: one requirement after the other, beside the reference code, and what the annotator says of it.

use std::collections::VecDeque;

use ratatui::layout::Rect;
use ratatui_textarea::{TextArea, WrapMode};

use super::inquiry::{Exhibit, Kind};
use crate::benchmark::RequirementStyle;
use crate::review::{
    Action, Answer, Change, Codebook, Conflict, Draft, Event, Item, Judgements, Question, Session,
    agreement,
};
use crate::tui::layout::{cut_left, cut_top, frame};

/// What an annotator asks of the log by a key; done one after the other, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Say something of the item in sight.
    Act(Action),
    /// Settle a conflict.
    Settle(Draft),
    /// Take the last thing back.
    Undo,
}

/// What is asked of the log.
#[derive(Debug, Clone)]
pub enum ReviewWork {
    /// Open it, with the queue of these tasks where no plan says otherwise.
    Open(Vec<crate::benchmark::TaskId>, Kind),
    /// Append a change.
    Record(Draft),
    /// Take the annotator's last event back.
    Undo,
}

/// What came of it.
#[derive(Debug)]
pub enum Reviewed {
    /// The log is open: the annotator's session, everything that stands in it, and the codebook.
    Opened(Box<Session>, Vec<Event>, Codebook),
    /// A change was appended.
    Recorded(Event),
    /// The last event was taken back; `None` at the very beginning.
    Undone(Option<Event>),
}

/// The requirement's text while it is rewritten.
#[derive(Debug)]
pub struct Editor {
    /// The text.
    pub area: TextArea<'static>,
    /// Which of the benchmark's texts it is.
    pub style: RequirementStyle,
    /// As the benchmark has it.
    pub original: String,
    /// The text that the editor was opened with.
    opened: String,
    /// Whether Esc was pressed on a changed text.
    pub asked: bool,
}

impl Editor {
    /// An editor that holds `text`.
    pub fn new(style: RequirementStyle, original: &str, text: &str) -> Self {
        let mut area = TextArea::new(text.lines().map(str::to_owned).collect());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        Self {
            area,
            style,
            original: original.to_owned(),
            opened: text.to_owned(),
            asked: false,
        }
    }

    /// The same editor with another text in it.
    pub fn with_text(&self, text: &str) -> Self {
        Self {
            opened: self.opened.clone(),
            ..Self::new(self.style, &self.original, text)
        }
    }

    /// Whether Esc closes the editor: where nothing has changed, and at the second press.
    pub fn discards(&self) -> bool {
        self.asked || self.text().trim_end() == self.opened.trim_end()
    }

    /// The text as it stands, with the original's last line end.
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
pub struct ReviewScreen {
    /// The annotator's work; `None` until the log is open.
    pub session: Option<Box<Session>>,
    /// What everybody says, for what may be seen of it.
    pub all: Judgements,
    log: Vec<Event>,
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
    /// The reference code, or the right text, has the focus.
    pub code: bool,
    /// What is reviewed.
    pub kind: Kind,
    /// The causes that failures are sorted by.
    pub codebook: Codebook,
    /// Two texts, and the item that they belong to.
    pub exhibit: Option<(Item, Box<Exhibit>)>,
    /// First row of the two texts in sight.
    pub top: usize,
    /// Labels under which annotators differ, those that nobody settled first.
    pub conflicts: Vec<Conflict>,
    /// The conflict in sight.
    pub conflict_at: usize,
}

/// The screen's rectangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Desk {
    /// The top line.
    pub head: Rect,
    /// The requirement, or the editor.
    pub requirement: Rect,
    /// The reference code.
    pub reference: Rect,
    /// What is said of it.
    pub judgement: Rect,
    /// The bottom line.
    pub foot: Rect,
}

/// From this width on, the panes stand side by side.
const BESIDE: u16 = 100;
/// Rows of the judgement, its border included.
const JUDGEMENT: u16 = 5;

impl ReviewScreen {
    /// Whether steps are not in the log yet.
    pub fn is_recording(&self) -> bool {
        self.under_way || !self.waiting.is_empty()
    }

    /// Where things stand on a terminal of `size`.
    pub fn desk(size: (u16, u16)) -> Desk {
        let (head, body, foot) = frame(size);
        let (panes, judgement) = cut_top(body, body.height.saturating_sub(JUDGEMENT));
        let (requirement, reference) = if size.0 >= BESIDE {
            cut_left(panes, panes.width / 2)
        } else {
            cut_top(panes, panes.height / 2)
        };
        Desk {
            head,
            requirement,
            reference,
            judgement,
            foot,
        }
    }

    /// Takes in an open log.
    pub fn begin(&mut self, session: Box<Session>, log: Vec<Event>, codebook: Codebook) {
        self.all = Judgements::of(&log);
        self.log = log;
        self.codebook = codebook;
        self.conflicts = self.all.conflicts();
        self.conflicts
            .sort_by_key(|conflict| conflict.settled.is_some());
        (self.conflict_at, self.top) = (0, 0);
        self.session = Some(session);
        self.waiting.clear();
        self.under_way = false;
        self.first_question();
    }

    /// Takes in an event that stands in the log now.
    pub fn record(&mut self, event: Event, undo: bool) {
        self.log.push(event.clone());
        self.all = Judgements::of(&self.log);
        self.resettle();
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

    /// What an undo took back, in words: with the task, and with a remark where the queue in sight does not hold it.
    pub fn undo_message(&self, undo: &Event) -> String {
        let undone = match &undo.change {
            Change::Undo(uid) => self.log.iter().find(|event| event.uid == *uid),
            _ => None,
        };
        let what = undone.map_or_else(|| "a judgement".to_owned(), |event| event.change.summary());
        let item = Item {
            task: undo.task.clone(),
            subject: undo.subject.clone(),
        };
        let queued = |session: &Session| session.items().contains(&item);
        let elsewhere = if self.session.as_deref().is_some_and(queued) {
            ""
        } else {
            ", which is not in this queue"
        };
        format!("undone: {what} of {}{elsewhere}", undo.task)
    }

    /// What holds of the conflicts now; they keep their places, and the next open one comes into sight.
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
