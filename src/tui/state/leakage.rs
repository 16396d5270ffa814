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

/// The colours of items' lines, by side and item.
pub type SideColours = FxHashMap<(Side, usize), Vec<LineRoles>>;

/// The base next to one version, arranged raw and with the target masked.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What was compared.
    pub comparison: Comparison,
    raw: ContextAlignment,
    masked: ContextAlignment,
}

impl Compared {
    /// Arranges a comparison, both ways.
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

    /// The share of the version's snippets that leaked by half of their lines; 0 where it shows none.
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
    /// Those that did.
    pub count: usize,
    /// All.
    pub of: usize,
}

impl Leaked {
    /// The share, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "counts of snippets on a screen")]
    pub fn share(self) -> f64 {
        if self.of == 0 {
            0.0
        } else {
            self.count as f64 / self.of as f64
        }
    }
}

/// A moment on the timeline.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Its commit.
    pub revision: String,
    /// What it is called: `base`, a tag, a short commit id, `newest`.
    pub name: String,
    /// Its author's date; `None` for a plain folder.
    pub date: Option<Date>,
    /// Whether it is labelled before others: the ends and the first release of a major version.
    pub major: bool,
    /// The base next to it, once it is known.
    pub compared: Option<Arc<Compared>>,
    /// Pass@1 of what was written with context from here, where there are results, and the tasks that it rests on.
    pub passed: Option<(f64, usize)>,
}

impl Moment {
    /// Whether a version's name in a setting means this moment: its own name, with or without the leading `v` of tags,
    /// or the start of its commit.
    pub fn is_called(&self, version: &str) -> bool {
        let bare = |name: &str| name.strip_prefix('v').unwrap_or(name).to_owned();
        let hex = version.len() >= 7 && version.bytes().all(|byte| byte.is_ascii_hexdigit());
        bare(&self.name) == bare(version) || (hex && self.revision.starts_with(version))
    }
}

/// How the base was found, and what makes it less than certain.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grounds {
    /// How, in words.
    pub how: String,
    /// Doubts, in words.
    pub doubts: Vec<String>,
}

/// The task to which the contexts belong, the setting, and the wording of the requirement where there are several.
pub type Subject = (TaskRef, Setting, Option<RequirementStyle>);

/// A run of lines at a moment: what a commit is looked up for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// Which side shows it.
    pub side: Side,
    /// The commit that shows it.
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
    /// The colours of what is shown, of which comparison, and whether with the target masked.
    pub colours: Option<(Arc<Compared>, bool, SideColours)>,
    /// Which context is compared.
    pub setting: Setting,
    /// What the moments below belong to.
    pub of: Option<Subject>,
    /// How the base was found.
    pub grounds: Grounds,
    /// From the base to the newest.
    pub moments: Vec<Moment>,
    /// The chosen moment.
    pub at: usize,
    /// What is on screen; that of another moment while the chosen one is compared.
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
    /// Columns scrolled off at the left.
    pub left: usize,
    /// Why there is nothing: a line, and what to do.
    pub trouble: Option<(String, Option<String>)>,
    /// The commits behind runs, as far as they were looked up; `None` where there is none.
    pub commits: FxHashMap<Place, Option<Arc<Commit>>>,
    /// A commit's message is to be shown as soon as it is known.
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
    /// The evolving-aware side, where it is in sight.
    pub aware: Option<Rect>,
    /// The evolving-ignored side, where it is in sight.
    pub ignored: Option<Rect>,
    /// What differs, in words.
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

    /// Rows of the contexts in sight.
    pub fn rows(&self) -> usize {
        let rect = self.aware.or(self.ignored).unwrap_or_default();
        usize::from(rect.height.saturating_sub(2))
    }
}

/// Columns at the left of the timeline that say what its rows are.
pub const LEGEND: u16 = 10;
/// Fewer columns than this show one side at a time.
const BOTH: u16 = 72;

impl LeakageScreen {
    /// The colours of an item's lines, where they are known of what is shown.
    pub fn colours_of(&self, side: Side, item: usize) -> Option<&Vec<LineRoles>> {
        let (of, masked, colours) = self.colours.as_ref()?;
        let same = Arc::ptr_eq(of, self.shown.as_ref()?) && *masked == self.masked;
        colours.get(&(side, item)).filter(|_| same)
    }

    /// Where things are on a terminal of `size`.
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

    /// The axis on a timeline of so many columns.
    pub fn axis(&self, columns: u16) -> Axis {
        let space = usize::from(columns.saturating_sub(LEGEND + 2));
        Axis::new(self.moments.len(), self.at, space)
    }

    /// The moment at a column of a timeline of so many columns.
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

    /// The item and line of it that are on a side of a row.
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

    /// The first run without a known commit: the one under the cursor, then those in sight.
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

    /// The first row of the evolving-ignored side that shows a leaked line, but for its indentation.
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

    /// The leaked or missing line under the cursor, as its commit is looked up.
    pub fn place_at_cursor(&self) -> Option<Place> {
        let run = self.difference()?;
        let (_, line) = self.part(self.cursor.at, run.side)?;
        self.place(run, line.unwrap_or(run.first))
    }

    /// A line of a run as its commit is looked up: with its neighbours in the run, since a line alone is often found
    /// elsewhere, and a whole run may have been added by several commits.
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

    /// Whether what is on screen belongs to another moment than the chosen one.
    pub fn is_behind(&self) -> bool {
        self.moment()
            .is_some_and(|moment| moment.compared.is_none())
    }

    /// Goes to a moment; what it shows is on screen at once where it is known. The cursor stays on its row.
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

    /// Limits the cursor to the rows.
    pub fn refit(&mut self, height: usize) {
        let len = self.rows().map_or(0, |rows| rows.rows.len());
        self.cursor.to(self.cursor.at, len, height);
    }

    /// Goes to the next leaked or missing run, or the one before; says whether there was one.
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
