//! A run of many completions: what is queued, the results so far, and the visible log.

use std::collections::VecDeque;
use std::sync::Arc;

use ratatui::layout::Rect;
use rustc_hash::FxHashMap;

use super::list::Cursor;
use super::log::Log;
use crate::benchmark::Verdict;
use crate::tui::layout::{cut_left, cut_top, frame, inside};
use crate::tui::text::{width, wrap};
use crate::workspace::{CompletionVerdict, TaskRef, log_note};

/// A completion: the task, and the index among the task's completions.
pub type CompletionRef = (TaskRef, usize);

/// Completions that can be queued together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The description on screen.
    pub words: String,
    /// The completions.
    pub completions: Arc<[CompletionRef]>,
    /// The number of completions with a verdict that Evoscope gave, in this or an earlier run.
    pub evaluated: usize,
}

/// Where completions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunPlace {
    /// In the sandbox that the explorer is configured for.
    #[default]
    Configured,
    /// In the local sandbox, even if there is a container engine.
    Local,
    /// On the nodes of the cluster that `config.toml` names.
    Cluster,
}

/// The state of a completion in the run.
#[derive(Debug, Clone)]
pub enum EntryState {
    /// It has not started.
    Waiting,
    /// It runs now.
    Running,
    /// It cannot be run: its verdict, and why.
    LeftOut(Verdict, String),
    /// It has its verdict. The flag: whether the verdict is from an earlier run.
    Evaluated(Arc<CompletionVerdict>, bool),
}

/// A completion of the run.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The completion.
    pub of: CompletionRef,
    /// The name of its task, without the package.
    pub name: String,
    /// Its model and setting.
    pub set: String,
    /// Its state.
    pub state: EntryState,
}

impl Entry {
    /// Its verdict, if it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        match &self.state {
            EntryState::Evaluated(judgement, _) => Some(judgement.verdict),
            EntryState::LeftOut(verdict, _) => Some(*verdict),
            EntryState::Waiting | EntryState::Running => None,
        }
    }

    /// The reason for its verdict, in one line.
    pub fn reason(&self) -> &str {
        match &self.state {
            EntryState::Evaluated(judgement, _) => &judgement.reason,
            EntryState::LeftOut(_, why) => why,
            EntryState::Running => "running",
            EntryState::Waiting => "",
        }
    }

    /// The rank in the list: failures, then running, passed, not evaluated, and waiting completions.
    fn rank(&self) -> u8 {
        match (&self.state, self.verdict()) {
            (EntryState::Running, _) => 1,
            (_, Some(Verdict::Pass)) => 2,
            (_, Some(Verdict::Unusable | Verdict::Infrastructure)) => 3,
            (_, Some(_)) => 0,
            (_, None) => 4,
        }
    }
}

/// What the label of an entry contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LabelledBy {
    #[default]
    Both,
    Task,
    Set,
}

impl LabelledBy {
    fn of(entries: &[Entry]) -> Self {
        let Some((first, others)) = entries.split_first() else {
            return Self::Both;
        };
        let same_task = others.iter().all(|other| other.of.0 == first.of.0);
        let same_set = others.iter().all(|other| other.set == first.set);
        match (same_task && !others.is_empty(), same_set) {
            (true, _) => Self::Set,
            (false, true) => Self::Task,
            (false, false) => Self::Both,
        }
    }
}

/// A single completion that is evaluated from the workbench.
#[derive(Debug, Clone)]
pub struct SingleEvaluation {
    /// The completion.
    pub of: CompletionRef,
    /// The sandbox that runs it; empty until it is known.
    pub sandbox: &'static str,
    /// The judgement; `None` until it arrives.
    pub outcome: Option<super::result::Evaluated>,
}

impl SingleEvaluation {
    /// An evaluation that starts.
    pub fn new(of: CompletionRef) -> Self {
        Self {
            of,
            sandbox: "",
            outcome: None,
        }
    }
}

/// The phase of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Phase {
    /// Nothing is queued; the choices are shown.
    #[default]
    Choosing,
    /// Running.
    Running,
    /// Paused before the next completion.
    Paused,
    /// Finished.
    Done,
    /// Cancelled by the reader.
    Cancelled,
    /// Ended by an error.
    Failed(String),
}

impl Phase {
    /// Whether work continues, or will after a pause.
    pub fn is_under_way(&self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }
}

/// The number of verdicts from which the rate is computed.
const RECENT: usize = 40;

/// The screen.
#[derive(Debug, Default)]
pub struct RunScreen {
    /// The choices of completions to queue.
    pub choices: Vec<Choice>,
    /// The cursor in the choices.
    pub choice: Cursor,
    /// The phase of the run.
    pub phase: Phase,
    /// Where the completions run.
    pub place: RunPlace,
    /// A description of the queued completions.
    pub title: String,
    /// The sandbox that runs them; empty until it is known.
    pub sandbox: String,
    /// The step that precedes the next completion.
    pub step: String,
    /// The completions.
    pub entries: Vec<Entry>,
    /// The rows: indices of entries, failures first.
    pub rows: Vec<usize>,
    /// The text to search for. Rows without it are left out.
    pub search: String,
    /// The row under the cursor.
    pub cursor: Cursor,
    /// Whether the log shows the completion that is running, and not that of the row under the cursor.
    pub following: bool,
    /// Whether keys apply to the log.
    pub in_log: bool,
    /// The shown log.
    pub log: Log,
    /// The entry that the log belongs to.
    pub logged: Option<usize>,
    /// The width of the longest label in columns.
    pub label_width: usize,
    labelled_by: LabelledBy,
    seconds: f64,
    live: FxHashMap<usize, String>,
    stamps: VecDeque<f64>,
}

/// The headings of pytest above failures.
const FAILURES: [&str; 2] = [" FAILURES ", " ERRORS "];

/// The maximum number of bytes that are stored of a running completion's log.
const MAX_LOG_BYTES: usize = 256 << 10;

impl RunScreen {
    /// Starts a run of `entries`.
    pub fn begin(&mut self, title: String, place: RunPlace, entries: Vec<Entry>) {
        *self = Self {
            choices: std::mem::take(&mut self.choices),
            choice: self.choice,
            phase: Phase::Running,
            title,
            place,
            entries,
            following: true,
            ..Self::default()
        };
        self.stamps.push_back(0.0);
        self.labelled_by = LabelledBy::of(&self.entries);
        let labels = self.entries.iter().map(|entry| width(&self.label(entry)));
        self.label_width = labels.max().unwrap_or(0);
        self.sort();
    }

    /// Sorts the rows. The cursor stays on its entry unless it is at the top.
    pub fn sort(&mut self) {
        let chosen = self.rows.get(self.cursor.at).copied();
        let needle = self.search.to_lowercase();
        let fits = |entry: &Entry| {
            needle.is_empty()
                || [&entry.name, &entry.set, entry.reason()]
                    .iter()
                    .any(|text| text.to_lowercase().contains(&needle))
        };
        let found = (0..self.entries.len()).filter(|index| fits(&self.entries[*index]));
        self.rows = found.collect();
        self.rows
            .sort_by_key(|index| (self.entries[*index].rank(), *index));
        let chosen_row = chosen.filter(|_| self.cursor.at > 0);
        let at =
            chosen_row.and_then(|chosen_row| self.rows.iter().position(|row| *row == chosen_row));
        self.cursor.at = at.unwrap_or(0);
    }

    /// The label of an entry: its task, its set, or both.
    pub fn label(&self, entry: &Entry) -> String {
        match self.labelled_by {
            LabelledBy::Set => entry.set.clone(),
            LabelledBy::Task => entry.name.clone(),
            LabelledBy::Both => format!("{} · {}", entry.name, entry.set),
        }
    }

    /// The entry under the cursor, with its index.
    pub fn chosen(&self) -> Option<(usize, &Entry)> {
        let index = *self.rows.get(self.cursor.at)?;
        Some((index, self.entries.get(index)?))
    }

    /// The number of entries with each verdict, in the order of the verdicts. Without any entry, only pass and fail are
    /// listed.
    pub fn counts(&self) -> Vec<(Verdict, usize)> {
        let count = |wanted: Verdict| {
            let own = self.entries.iter();
            own.filter(|entry| entry.verdict() == Some(wanted)).count()
        };
        let all = Verdict::ALL
            .iter()
            .map(|verdict| (*verdict, count(*verdict)));
        all.filter(|(verdict, count)| {
            *count > 0 || matches!(verdict, Verdict::Pass | Verdict::Fail)
        })
        .collect()
    }

    /// The number of entries with a verdict.
    pub fn done(&self) -> usize {
        let own = self.entries.iter();
        own.filter(|entry| entry.verdict().is_some()).count()
    }

    /// Records the time of a verdict, in seconds since the start of the run.
    pub fn stamp(&mut self, seconds: f64) {
        self.seconds = seconds;
        self.stamps.push_back(seconds);
        if self.stamps.len() > RECENT {
            self.stamps.pop_front();
        }
    }

    /// The seconds from the start of the first completion to the last verdict; `None` if nothing was run.
    pub fn seconds(&self) -> Option<f64> {
        (self.seconds > 0.0).then_some(self.seconds)
    }

    /// Clears the times, because they are not valid after a pause.
    pub fn forget_times(&mut self) {
        self.stamps.clear();
    }

    /// Verdicts per second, computed from the most recent ones; `None` if there are too few.
    pub fn rate(&self) -> Option<f64> {
        let (first, last) = (self.stamps.front()?, self.stamps.back()?);
        let steps = u32::try_from(self.stamps.len() - 1).ok()?;
        (steps > 0 && last > first).then(|| f64::from(steps) / (last - first))
    }

    /// The estimated remaining seconds at that rate.
    pub fn left(&self) -> Option<f64> {
        let left = u32::try_from(self.entries.len() - self.done()).ok()?;
        Some(f64::from(left) / self.rate()?)
    }

    /// Adds text that a running completion printed.
    pub fn print(&mut self, index: usize, text: &str, height: usize) {
        let live = self.live.entry(index).or_default();
        if live.len() + text.len() <= MAX_LOG_BYTES {
            live.push_str(text);
        }
        if self.logged == Some(index) {
            self.log.push(text, height);
        }
    }

    /// Shows the log of an entry: the current output, or the log stored with its verdict.
    pub fn show_log(&mut self, index: usize, size: (u16, u16)) {
        let inner = inside(Self::areas(size).log);
        let (columns, height) = (usize::from(inner.width), usize::from(inner.height));
        let Some(entry) = self.entries.get(index) else {
            return;
        };
        let text = match &entry.state {
            EntryState::Evaluated(judgement, _) => {
                let note = log_note(judgement).map(|note| wrapped(note, columns));
                let reason = format!("{}: {}", judgement.verdict, judgement.reason);
                let reason = wrapped(&reason, columns);
                let log = &judgement.log;
                format!("{log}{}{}{reason}", gap(log), note.unwrap_or_default())
            }
            EntryState::LeftOut(_, why) => wrapped(&format!("left out: {why}"), columns),
            EntryState::Waiting | EntryState::Running => {
                self.live.get(&index).cloned().unwrap_or_default()
            }
        };
        self.log = Log::new(self.label(entry));
        self.log.push(&text, height);
        self.logged = Some(index);
    }

    /// Scrolls the log to its failures, or to its start if there are none.
    pub fn show_failures(&mut self, height: usize) {
        let reported =
            |line: &str| line.starts_with("===") && FAILURES.iter().any(|word| line.contains(word));
        let at = (0..self.log.len()).find(|row| reported(self.log.line(*row)));
        let len = self.log.len();
        self.log.following = false;
        self.log.cursor.at = at.unwrap_or(0);
        self.log.cursor.top = self.log.cursor.at.min(len.saturating_sub(height));
    }

    /// Drops the stored output of a completion, because its verdict now contains it.
    pub fn settle(&mut self, index: usize) {
        self.live.remove(&index);
    }

    /// The areas on a terminal of `size`: head, progress, list, log. List and log are side by side if there is space.
    pub fn areas(size: (u16, u16)) -> Areas {
        let (head, body, _) = frame(size);
        let (progress, panes) = cut_top(body, 1);
        let (list, log) = if size.0 >= 100 {
            cut_left(panes, panes.width * 11 / 20)
        } else {
            cut_top(panes, panes.height * 3 / 5)
        };
        Areas {
            head,
            progress,
            panes,
            list,
            log,
        }
    }

    /// The number of rows of the list, or of the log if keys apply to it.
    pub fn height(&self, size: (u16, u16)) -> usize {
        let areas = Self::areas(size);
        let rect = match (self.phase == Phase::Choosing, self.in_log) {
            (true, _) => areas.panes,
            (_, true) => areas.log,
            _ => areas.list,
        };
        usize::from(inside(rect).height)
    }

    /// The number of rows of the log.
    pub fn log_height(size: (u16, u16)) -> usize {
        usize::from(inside(Self::areas(size).log).height)
    }
}

fn wrapped(text: &str, columns: usize) -> String {
    let space = columns.saturating_sub(1).max(20);
    let pieces = wrap(text, space).into_iter();
    let lines: Vec<&str> = pieces.map(|piece| &text[piece]).collect();
    lines.join("\n") + "\n"
}

fn gap(log: &str) -> &'static str {
    if log.is_empty() || log.ends_with('\n') {
        ""
    } else {
        "\n"
    }
}

/// The areas of the screen.
#[derive(Debug, Clone, Copy)]
pub struct Areas {
    /// The top line.
    pub head: Rect,
    /// The progress.
    pub progress: Rect,
    /// The area of all panes.
    pub panes: Rect,
    /// The completions.
    pub list: Rect,
    /// The log.
    pub log: Rect,
}
