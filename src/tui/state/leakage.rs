//! The leakage screen: the evolving-aware context next to the evolving-ignored one, and the versions between.

use std::sync::Arc;

use ratatui::layout::Rect;
use rustc_hash::FxHashMap;

use super::context::Setting;
use super::list::Cursor;
use crate::benchmark::{RepoPath, RequirementStyle};
use crate::context::{Comparison, ContextItem, ContextListing};
use crate::history::{Commit, Date};
use crate::tui::alignment::{ContextAlignment, Difference, Part, Side};
use crate::tui::chart::Axis;
use crate::tui::highlight::LineRoles;
use crate::tui::layout::{cut_left, cut_top, frame};
use crate::workspace::TaskRef;

/// The colours of the lines of each item, by side and item index.
pub type SideColours = FxHashMap<(Side, usize), Vec<LineRoles>>;

/// The comparison of the base with one version, aligned twice: raw, and with the target masked.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What was compared.
    pub comparison: Comparison,
    raw: ContextAlignment,
    masked: ContextAlignment,
}

impl Compared {
    /// Aligns a comparison, both raw and masked.
    pub fn new(comparison: Comparison) -> Self {
        let raw = ContextAlignment::new(&comparison.aware, &comparison.ignored);
        let masked = ContextAlignment::new(&comparison.aware, &comparison.ignored_masked);
        Self {
            comparison,
            raw,
            masked,
        }
    }

    /// The rows, raw or with the target masked.
    pub fn rows(&self, masked: bool) -> &ContextAlignment {
        if masked { &self.masked } else { &self.raw }
    }

    /// A side's context, raw or with the target masked.
    pub fn listing(&self, side: Side, masked: bool) -> &ContextListing {
        match (side, masked) {
            (Side::Aware, _) => &self.comparison.aware,
            (Side::Ignored, false) => &self.comparison.ignored,
            (Side::Ignored, true) => &self.comparison.ignored_masked,
        }
    }

    /// How many of the version's snippets leaked by at least half of their lines.
    pub fn leaked(&self, masked: bool) -> Leaked {
        let counts = self.comparison.counts;
        let count = if masked {
            counts.masked_leak_half
        } else {
            counts.leak_half
        };
        Leaked {
            count,
            of: self.listing(Side::Ignored, masked).items.len(),
        }
    }
}

/// How many of a context's snippets leaked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Leaked {
    /// The number of leaked snippets.
    pub count: usize,
    /// The number of all snippets.
    pub of: usize,
}

impl Leaked {
    /// The leaked share, from 0 to 1; 0 if there are no snippets.
    #[expect(clippy::cast_precision_loss, reason = "counts of snippets on a screen")]
    pub fn share(self) -> f64 {
        if self.of == 0 {
            0.0
        } else {
            self.count as f64 / self.of as f64
        }
    }
}

/// A moment (version) on the timeline.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Its commit.
    pub revision: String,
    /// What it is called: `base`, a tag, a short commit id, `newest`.
    pub name: String,
    /// Its author's date; `None` for a plain folder.
    pub date: Option<Date>,
    /// Whether the timeline labels this moment first: an end, or the first release of a major version.
    pub major: bool,
    /// The comparison of the base with this moment, once it has been computed.
    pub compared: Option<Arc<Compared>>,
    /// Pass@1 of the completions generated with context from this moment, and the number of tasks it is computed from.
    /// `None` without results.
    pub passed: Option<(f64, usize)>,
}

impl Moment {
    /// Whether `version`, as named in a setting, means this moment. It matches the moment's name, with or without a
    /// leading `v`, or a prefix (at least 7 hex digits) of its commit id.
    pub fn is_called(&self, version: &str) -> bool {
        let bare = |name: &str| name.strip_prefix('v').unwrap_or(name).to_owned();
        let hex = version.len() >= 7 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
        bare(&self.name) == bare(version) || (hex && self.revision.starts_with(version))
    }
}

/// How the base was found, and the reasons to doubt it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grounds {
    /// How the base was found, in words.
    pub how: String,
    /// Doubts, in words.
    pub doubts: Vec<String>,
}

/// The task of the compared contexts, the setting, and the wording of the requirement if the task has several.
pub type Subject = (TaskRef, Setting, Option<RequirementStyle>);

/// A run of lines in the tree of a moment; the key under which the commit of the run is looked up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Which side shows it.
    pub side: Side,
    /// The commit of the tree with the lines.
    pub shown_at: String,
    /// The commit on the other side.
    pub other: String,
    /// The file.
    pub path: RepoPath,
    /// Its lines.
    pub lines: Vec<String>,
}

/// The screen.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct LeakageScreen {
    /// The comparison that the colours belong to, whether its target is masked, and the colours.
    pub colours: Option<(Arc<Compared>, bool, SideColours)>,
    /// The setting of the compared contexts.
    pub setting: Setting,
    /// The subject of `moments`.
    pub of: Option<Subject>,
    /// How the base was found.
    pub grounds: Grounds,
    /// The moments, from the base to the newest.
    pub moments: Vec<Moment>,
    /// The chosen moment.
    pub at: usize,
    /// The comparison on screen. While the chosen moment is being compared, this is still the comparison of another
    /// moment.
    pub shown: Option<Arc<Compared>>,
    /// Whether the target is masked on the evolving-ignored side.
    pub masked: bool,
    /// The side with the focus.
    pub side: Side,
    /// Whether the focused side has the whole width.
    pub zoomed: bool,
    /// Whether the timeline is drawn as a chart.
    pub tall: bool,
    /// The row under the cursor.
    pub cursor: Cursor,
    /// The number of columns scrolled off at the left.
    pub left: usize,
    /// Why there is nothing to show: a message, and what to do about it.
    pub trouble: Option<(String, Option<String>)>,
    /// The commit that each run comes from, for the runs already looked up; `None` if no commit was found.
    pub commits: FxHashMap<Place, Option<Arc<Commit>>>,
    /// Whether to show the commit's message as soon as it is known.
    pub wants_message: bool,
}

impl Default for LeakageScreen {
    fn default() -> Self {
        Self {
            setting: Setting::Retrieved,
            of: None,
            grounds: Grounds::default(),
            moments: Vec::new(),
            at: 0,
            shown: None,
            colours: None,
            masked: false,
            side: Side::default(),
            zoomed: false,
            tall: false,
            cursor: Cursor::default(),
            left: 0,
            trouble: None,
            commits: FxHashMap::default(),
            wants_message: false,
        }
    }
}

/// The screen's rectangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sheet {
    /// The top line.
    pub head: Rect,
    /// The evolving-aware side; `None` if it is hidden.
    pub aware: Option<Rect>,
    /// The evolving-ignored side; `None` if it is hidden.
    pub ignored: Option<Rect>,
    /// The summary of the differences.
    pub differs: Rect,
    /// The timeline.
    pub timeline: Rect,
    /// The bottom line.
    pub foot: Rect,
}

impl Sheet {
    /// The side under a cell.
    pub fn side_at(&self, column: u16, row: u16) -> Option<Side> {
        let at = ratatui::layout::Position::new(column, row);
        let on = |rect: Option<Rect>| rect.is_some_and(|rect| rect.contains(at));
        on(self.aware)
            .then_some(Side::Aware)
            .or_else(|| on(self.ignored).then_some(Side::Ignored))
    }

    /// The number of visible rows of a context.
    pub fn rows(&self) -> usize {
        let rect = self.aware.or(self.ignored).unwrap_or_default();
        usize::from(rect.height.saturating_sub(2))
    }
}

/// The width of the row labels at the left of the timeline.
pub const LEGEND: u16 = 10;
/// The minimum number of columns for showing both sides at once.
const BOTH: u16 = 72;

impl LeakageScreen {
    /// The colours of an item's lines; `None` unless they belong to the comparison on screen.
    pub fn colours_of(&self, side: Side, item: usize) -> Option<&Vec<LineRoles>> {
        let (of, masked, colours) = self.colours.as_ref()?;
        let same = Arc::ptr_eq(of, self.shown.as_ref()?) && *masked == self.masked;
        colours.get(&(side, item)).filter(|_| same)
    }

    /// The screen's rectangles on a terminal of `size`.
    pub fn sheet(&self, size: (u16, u16)) -> Sheet {
        let (head, body, foot) = frame(size);
        let timeline = match body.height {
            0..14 => 0,
            height if self.tall => (height / 3).clamp(3, 10),
            _ => 3,
        };
        let timeline = match timeline {
            3 if self.is_scored() => 4,
            other => other,
        };
        let differs = u16::from(body.height >= 10) + u16::from(body.height >= 26);
        let (sides, below) = cut_top(body, body.height - timeline - differs);
        let (differs, timeline) = cut_top(below, differs);
        let (aware, ignored) = if self.zoomed || size.0 < BOTH {
            match self.side {
                Side::Aware => (Some(sides), None),
                Side::Ignored => (None, Some(sides)),
            }
        } else {
            let (left, right) = cut_left(sides, sides.width / 2);
            (Some(left), Some(right))
        };
        Sheet {
            head,
            aware,
            ignored,
            differs,
            timeline,
            foot,
        }
    }

    /// Whether there are results by version.
    pub fn is_scored(&self) -> bool {
        self.moments.iter().any(|moment| moment.passed.is_some())
    }

    /// The axis of a timeline that is `columns` wide.
    pub fn axis(&self, columns: u16) -> Axis {
        let space = usize::from(columns.saturating_sub(LEGEND + 2));
        Axis::new(self.moments.len(), self.at, space)
    }

    /// The moment at `column` of a timeline that is `columns` wide.
    pub fn moment_at(&self, columns: u16, column: u16) -> Option<usize> {
        self.axis(columns)
            .step_at(usize::from(column.checked_sub(LEGEND)?))
    }

    /// The rows on screen.
    pub fn rows(&self) -> Option<&ContextAlignment> {
        self.shown.as_ref().map(|shown| shown.rows(self.masked))
    }

    /// A side's context on screen.
    pub fn listing(&self, side: Side) -> Option<&ContextListing> {
        self.shown
            .as_ref()
            .map(|shown| shown.listing(side, self.masked))
    }

    /// The item on a side of a row, and the index of its line; `None` for the item's heading.
    pub fn part(&self, row: usize, side: Side) -> Option<(&ContextItem, Option<usize>)> {
        let (item, line) = match self.rows()?.rows.get(row)?.part(side)? {
            Part::Heading(item) => (item, None),
            Part::Line(item, line) => (item, Some(line)),
        };
        Some((self.listing(side)?.items.get(item)?, line))
    }

    /// The leaked or missing run under the cursor.
    pub fn difference(&self) -> Option<&Difference> {
        self.rows()?.at(self.cursor.at, self.side)
    }

    /// The next place to look a commit up for: the run at the cursor, then the visible runs.
    pub fn unknown(&self, height: usize) -> Option<Place> {
        let seen = self.cursor.top..self.cursor.top + height;
        let runs = self.rows().map_or(&[][..], |rows| &rows.differences);
        let in_sight = runs.iter().filter(|run| seen.contains(&run.row));
        let begins = in_sight.filter_map(|run| self.place(run, run.first));
        self.place_at_cursor()
            .into_iter()
            .chain(begins)
            .find(|place| !self.commits.contains_key(place))
    }

    /// The first row of the evolving-ignored side that shows `line` as leaked, ignoring indentation.
    pub fn row_of_leaked_line(&self, line: &str) -> Option<usize> {
        let side = Side::Ignored;
        let rows = self.rows()?;
        (0..rows.rows.len()).find(|row| {
            let shown = self
                .part(*row, side)
                .and_then(|(item, at)| item.lines.get(at?));
            shown.is_some_and(|shown| shown.text.trim() == line) && rows.at(*row, side).is_some()
        })
    }

    /// The place by which the commit of the leaked or missing line under the cursor is looked up.
    pub fn place_at_cursor(&self) -> Option<Place> {
        let run = self.difference()?;
        let (_, line) = self.part(self.cursor.at, run.side)?;
        self.place(run, line.unwrap_or(run.first))
    }

    /// The place by which the commit of a run's line is looked up: the line and its neighbours in the run. A single
    /// line often occurs elsewhere too, and several commits may have added the whole run.
    pub fn place(&self, run: &Difference, line: usize) -> Option<Place> {
        let item = self.listing(run.side)?.items.get(run.item)?;
        let base = &self.moments.first()?.revision;
        let later = &self.moment()?.revision;
        let (shown_at, other) = match run.side {
            Side::Aware => (base, later),
            Side::Ignored => (later, base),
        };
        let first = line.saturating_sub(1).max(run.first);
        let lines = item.lines.get(first..=(line + 1).min(run.last))?;
        Some(Place {
            side: run.side,
            shown_at: shown_at.clone(),
            other: other.clone(),
            path: item.path.clone(),
            lines: lines.iter().map(|line| line.text.to_string()).collect(),
        })
    }

    /// The chosen moment.
    pub fn moment(&self) -> Option<&Moment> {
        self.moments.get(self.at)
    }

    /// Whether the chosen moment is not compared yet, so that the screen shows another moment.
    pub fn is_behind(&self) -> bool {
        self.moment()
            .is_some_and(|moment| moment.compared.is_none())
    }

    /// Goes to a moment and shows its comparison if it is already known. The cursor stays on its row.
    pub fn go_to(&mut self, at: usize, height: usize) {
        self.at = at.min(self.moments.len().saturating_sub(1));
        if let Some(compared) = self.moment().and_then(|moment| moment.compared.clone()) {
            self.show(compared, height);
        }
    }

    /// Puts a comparison on screen.
    pub fn show(&mut self, compared: Arc<Compared>, height: usize) {
        self.shown = Some(compared);
        self.refit(height);
    }

    /// Moves the cursor back into the rows if it is beyond the last one.
    pub fn refit(&mut self, height: usize) {
        let len = self.rows().map_or(0, |rows| rows.rows.len());
        self.cursor.to(self.cursor.at, len, height);
    }

    /// Goes to the next (`forward`) or the previous leaked or missing run. Returns false if there is none.
    pub fn jump(&mut self, forward: bool, height: usize) -> bool {
        let Some(rows) = self.rows() else {
            return false;
        };
        let len = rows.rows.len();
        let to = if forward {
            rows.next(self.cursor.at)
        } else {
            rows.previous(self.cursor.at)
        };
        let Some(row) = to else {
            return false;
        };
        if let Some(run) = rows.differences.iter().find(|run| run.row == row) {
            self.side = run.side;
        }
        if (self.cursor.top..self.cursor.top + height).contains(&row) {
            self.cursor.to(row, len, height);
        } else {
            self.cursor.show(row, len, height);
        }
        true
    }
}
