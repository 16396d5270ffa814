//! A run of many completions: what is queued, what became of it, and the log in sight.

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

/// A completion: its task, and its place among the task's completions.
pub type CompletionRef = (TaskRef, usize);

/// Completions that can be queued together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What they are.
    pub words: String,
    /// Which.
    pub completions: Arc<[CompletionRef]>,
    /// How many of them have a verdict from here.
    pub evaluated: usize,
}

/// Where completions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RunPlace {
    /// In the sandbox that the explorer was started for.
    #[default]
    Configured,
    /// In the local sandbox, whatever container engine there is.
    Local,
    /// On the nodes of the cluster that `config.toml` names.
    Cluster,
}

/// How far a completion is.
#[derive(Debug, Clone)]
pub enum EntryState {
    /// Its turn has not come.
    Waiting,
    /// It runs now.
    Running,
    /// It cannot be run: what that counts as, and why.
    LeftOut(Verdict, String),
    /// It has its verdict, from this run or, where the flag says so, from one before.
    Evaluated(Arc<CompletionVerdict>, bool),
}

/// A completion of the run.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Which.
    pub of: CompletionRef,
    /// Its task's name, the package left out.
    pub name: String,
    /// Its model and setting.
    pub set: String,
    /// How far it is.
    pub state: EntryState,
}

impl Entry {
    /// Its verdict, where it has one.
    pub fn verdict(&self) -> Option<Verdict> {
        match &self.state {
            EntryState::Evaluated(judgement, _) => Some(judgement.verdict),
            EntryState::LeftOut(verdict, _) => Some(*verdict),
            EntryState::Waiting | EntryState::Running => None,
        }
    }

    /// In a line, why it has its verdict.
    pub fn reason(&self) -> &str {
        match &self.state {
            EntryState::Evaluated(judgement, _) => &judgement.reason,
            EntryState::LeftOut(_, why) => why,
            EntryState::Running => "running",
            EntryState::Waiting => "",
        }
    }

    /// Its place in the list: failures, then what runs, what passed, what could not be evaluated, what waits.
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

/// What distinguishes the entries.
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

/// A completion evaluated by itself, from the workbench.
#[derive(Debug, Clone)]
pub struct SingleEvaluation {
    /// Which.
    pub of: CompletionRef,
    /// Which sandbox runs it; empty until it is known.
    pub sandbox: &'static str,
    /// Its judgement, once it is there.
    pub outcome: Option<super::result::Evaluated>,
}

impl SingleEvaluation {
    /// An evaluation that begins.
    pub fn new(of: CompletionRef) -> Self {
        Self {
            of,
            sandbox: "",
            outcome: None,
        }
    }
}

/// What the run is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Phase {
    /// Nothing was queued: the choices are in sight.
    #[default]
    Choosing,
    /// On its way.
    Running,
    /// Held before the next completion.
    Paused,
    /// Over.
    Done,
    /// Ended by the reader.
    Cancelled,
    /// Ended by an error.
    Failed(String),
}

impl Phase {
    /// Whether work goes on or will go on.
    pub fn is_under_way(&self) -> bool {
        matches!(self, Self::Running | Self::Paused)
    }
}

/// The verdicts from which the rate is computed.
const RECENT: usize = 40;

/// The screen.
#[derive(Debug, Default)]
pub struct RunScreen {
    /// What can be queued.
    pub choices: Vec<Choice>,
    /// The chosen choice.
    pub choice: Cursor,
    /// What is being done.
    pub phase: Phase,
    /// Where it runs.
    pub place: RunPlace,
    /// What was queued, in words.
    pub title: String,
    /// Which sandbox runs it; empty until it is known.
    pub sandbox: String,
    /// What is done before the next completion.
    pub step: String,
    /// The completions.
    pub entries: Vec<Entry>,
    /// The rows: indices of entries, failures first.
    pub rows: Vec<usize>,
    /// What is looked for; rows without it are left out.
    pub search: String,
    /// The row under the cursor.
    pub cursor: Cursor,
    /// Whether the log shows what runs now; otherwise that of the row under the cursor.
    pub following: bool,
    /// Whether the log has the keys.
    pub in_log: bool,
    /// The log of what ran last.
    pub log: Log,
    /// The entry that the log belongs to.
    pub logged: Option<usize>,
    /// Columns of the longest label.
    pub label_width: usize,
    labelled_by: LabelledBy,
    seconds: f64,
    live: FxHashMap<usize, String>,
    stamps: VecDeque<f64>,
}

/// pytest's headings over what failed.
const FAILURES: [&str; 2] = [" FAILURES ", " ERRORS "];

/// Bytes of a running completion's log that are stored.
const MAX_LOG_BYTES: usize = 256 << 10;

impl RunScreen {
    /// Begins a run of `entries`.
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

    /// Puts the rows in order; the cursor stays on its entry unless it is at the top.
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

    /// What distinguishes an entry: its task, its set, or both.
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

    /// How many entries have each verdict, in the order of the verdicts.
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

    /// How many entries are done with.
    pub fn done(&self) -> usize {
        let own = self.entries.iter();
        own.filter(|entry| entry.verdict().is_some()).count()
    }

    /// A verdict came, so many seconds into the run.
    pub fn stamp(&mut self, seconds: f64) {
        self.seconds = seconds;
        self.stamps.push_back(seconds);
        if self.stamps.len() > RECENT {
            self.stamps.pop_front();
        }
    }

    /// Seconds from the first completion's turn to the last verdict; `None` when nothing was run.
    pub fn seconds(&self) -> Option<f64> {
        (self.seconds > 0.0).then_some(self.seconds)
    }

    /// Forgets the times: they say nothing after a pause.
    pub fn forget_times(&mut self) {
        self.stamps.clear();
    }

    /// Verdicts a second, over the last ones.
    pub fn rate(&self) -> Option<f64> {
        let (first, last) = (self.stamps.front()?, self.stamps.back()?);
        let steps = u32::try_from(self.stamps.len() - 1).ok()?;
        (steps > 0 && last > first).then(|| f64::from(steps) / (last - first))
    }

    /// Seconds that are left at that rate.
    pub fn left(&self) -> Option<f64> {
        let left = u32::try_from(self.entries.len() - self.done()).ok()?;
        Some(f64::from(left) / self.rate()?)
    }

    /// Something was printed by a running completion.
    pub fn print(&mut self, index: usize, text: &str, height: usize) {
        let live = self.live.entry(index).or_default();
        if live.len() + text.len() <= MAX_LOG_BYTES {
            live.push_str(text);
        }
        if self.logged == Some(index) {
            self.log.push(text, height);
        }
    }

    /// Puts the log of an entry into sight: what it prints now, or the log stored with its verdict.
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

    /// Scrolls the log to its failures; without one, its start.
    pub fn show_failures(&mut self, height: usize) {
        let reported =
            |line: &str| line.starts_with("===") && FAILURES.iter().any(|word| line.contains(word));
        let at = (0..self.log.len()).find(|row| reported(self.log.line(*row)));
        let len = self.log.len();
        self.log.following = false;
        self.log.cursor.at = at.unwrap_or(0);
        self.log.cursor.top = self.log.cursor.at.min(len.saturating_sub(height));
    }

    /// What it printed is in its verdict now.
    pub fn settle(&mut self, index: usize) {
        self.live.remove(&index);
    }

    /// The rectangles on a terminal of `size`: head, progress, list, log. Side by side where there is space.
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

    /// Rows of the list, or of the log where that has the keys.
    pub fn height(&self, size: (u16, u16)) -> usize {
        let areas = Self::areas(size);
        let rect = match (self.phase == Phase::Choosing, self.in_log) {
            (true, _) => areas.panes,
            (_, true) => areas.log,
            _ => areas.list,
        };
        usize::from(inside(rect).height)
    }

    /// Rows of the log.
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
    /// How far it is.
    pub progress: Rect,
    /// The area of all panes.
    pub panes: Rect,
    /// The completions.
    pub list: Rect,
    /// The log.
    pub log: Rect,
}
