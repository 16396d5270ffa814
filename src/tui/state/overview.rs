//! The leakage of many tasks: each measured in its turn, in a table and in charts by level, project and setting.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use indexmap::IndexMap;
use ratatui::layout::Rect;
use rustc_hash::FxHashMap;

use super::context::Setting;
use super::leakage::Leaked;
use super::list::Cursor;
use crate::tui::layout::{cut_left, cut_top, frame};
use crate::workspace::TaskRef;

/// What was measured of a task in a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// Snippets that leaked by half of their lines.
    pub raw: Leaked,
    /// The same with the target masked.
    pub masked: Leaked,
    /// Evolving-aware snippets that the newest tree lacks by half of their lines.
    pub missing: Leaked,
}

impl Measure {
    /// Leaked snippets, raw or with the target masked.
    pub fn leaked(&self, masked: bool) -> Leaked {
        if masked { self.masked } else { self.raw }
    }
}

/// A task with its measure, or why nothing could be measured.
pub type Measured = (TaskRef, Result<Measure, String>);

/// A task of the table.
#[derive(Debug, Clone)]
pub struct Row {
    /// Which.
    pub task: TaskRef,
    /// How it is called.
    pub name: String,
    /// Its benchmark.
    pub benchmark: String,
    /// Its project.
    pub project: String,
    /// Its dependency level, or where its farthest dependency is.
    pub level: String,
    /// What was measured, or why nothing could be; `None` until its turn.
    pub measured: Option<Result<Measure, String>>,
}

/// What the table is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Most leaked first; what is not measured last.
    #[default]
    Leaked,
    /// Most missing first.
    Missing,
    /// By project and name.
    Name,
}

impl Order {
    /// The next in turn.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Leaked => Self::Missing,
            Self::Missing => Self::Name,
            Self::Name => Self::Leaked,
        }
    }

    /// Its words on screen.
    pub fn words(self) -> &'static str {
        match self {
            Self::Leaked => "most leaked first",
            Self::Missing => "most missing first",
            Self::Name => "by name",
        }
    }
}

/// What the charts group by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// Dependency level.
    #[default]
    Level,
    /// Project.
    Project,
    /// The settings that were measured so far.
    Setting,
}

impl Grouping {
    /// The next in turn.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Level => Self::Project,
            Self::Project => Self::Setting,
            Self::Setting => Self::Level,
        }
    }

    /// Its words on screen.
    pub fn words(self) -> &'static str {
        match self {
            Self::Level => "by dependency level",
            Self::Project => "by project",
            Self::Setting => "by setting",
        }
    }
}

/// A bar: what it represents, the tasks that were measured, their leaked snippets of all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Group {
    /// Measured tasks.
    pub tasks: usize,
    /// Tasks with a leaked snippet.
    pub touched: usize,
    /// Snippets of all of them.
    pub leaked: Leaked,
}

impl Group {
    fn add(&mut self, leaked: Leaked) {
        self.tasks += 1;
        self.touched += usize::from(leaked.count > 0);
        self.leaked.count += leaked.count;
        self.leaked.of += leaked.of;
    }
}

/// What the rows belong to: the tasks that the filter let through, in a setting.
pub type Subject = (String, Setting);

/// The screen.
#[derive(Debug)]
pub struct OverviewScreen {
    /// Which context is measured.
    pub setting: Setting,
    /// What the rows belong to.
    pub of: Option<Subject>,
    /// The tasks, in the order of the table.
    pub rows: Vec<Row>,
    /// Sums over all tasks of settings measured before, by filter and setting.
    pub sums: IndexMap<Subject, [Group; 2]>,
    /// The table's order.
    pub order: Order,
    /// The charts' grouping.
    pub grouping: Grouping,
    /// Whether the target is masked.
    pub masked: bool,
    /// Whether the charts have the focus; on a narrow terminal, whether they are shown.
    pub charts: bool,
    /// The row under the cursor.
    pub cursor: Cursor,
    /// The reader ended the measuring before all was measured.
    pub stopped: bool,
}

impl Default for OverviewScreen {
    fn default() -> Self {
        Self {
            setting: Setting::Retrieved,
            of: None,
            rows: Vec::new(),
            sums: IndexMap::new(),
            order: Order::default(),
            grouping: Grouping::default(),
            masked: false,
            charts: false,
            cursor: Cursor::default(),
            stopped: false,
        }
    }
}

/// The screen's rectangles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sheet {
    /// The top line.
    pub head: Rect,
    /// The table, where it is in sight.
    pub table: Option<Rect>,
    /// The charts, where they are in sight.
    pub charts: Option<Rect>,
    /// The bottom line.
    pub foot: Rect,
}

/// From this width on, charts are next to the table.
const WIDE: u16 = 110;

impl OverviewScreen {
    /// Where things are on a terminal of `size`.
    pub fn sheet(&self, size: (u16, u16)) -> Sheet {
        let (head, body, foot) = frame(size);
        if size.0 >= WIDE {
            let (table, charts) = cut_left(body, body.width * 6 / 10);
            return Sheet {
                head,
                table: Some(table),
                charts: Some(charts),
                foot,
            };
        }
        if body.height >= 30 {
            let (table, charts) = cut_top(body, body.height * 6 / 10);
            return Sheet {
                head,
                table: Some(table),
                charts: Some(charts),
                foot,
            };
        }
        let (table, charts) = if self.charts {
            (None, Some(body))
        } else {
            (Some(body), None)
        };
        Sheet {
            head,
            table,
            charts,
            foot,
        }
    }

    /// Rows of tasks in sight: the table without its border and heading.
    pub fn height(&self, size: (u16, u16)) -> usize {
        let table = self.sheet(size).table.unwrap_or_default();
        usize::from(table.height.saturating_sub(3))
    }

    /// How many tasks were measured, or found to have no measure.
    pub fn done(&self) -> usize {
        self.rows
            .iter()
            .filter(|row| row.measured.is_some())
            .count()
    }

    /// How many tasks could not be measured, with the most frequent reason.
    pub fn left_out(&self) -> (usize, Option<&str>) {
        let mut reasons: IndexMap<&str, usize> = IndexMap::new();
        for row in &self.rows {
            if let Some(Err(why)) = &row.measured {
                *reasons.entry(why).or_default() += 1;
            }
        }
        let most = reasons
            .iter()
            .max_by_key(|(_, count)| **count)
            .map(|(why, _)| *why);
        (reasons.values().sum(), most)
    }

    /// All measured tasks together.
    pub fn total(&self, masked: bool) -> Group {
        let mut total = Group::default();
        self.measures()
            .for_each(|(_, measure)| total.add(measure.leaked(masked)));
        total
    }

    fn measures(&self) -> impl Iterator<Item = (&Row, &Measure)> {
        self.rows
            .iter()
            .filter_map(|row| Some((row, row.measured.as_ref()?.as_ref().ok()?)))
    }

    /// The bars of the grouping: levels in the order of the field, others most leaked first.
    pub fn groups(&self) -> Vec<(String, Group)> {
        let mut groups: IndexMap<String, Group> = IndexMap::new();
        match self.grouping {
            Grouping::Setting => return self.by_setting(),
            Grouping::Level => return self.by_level(),
            Grouping::Project => self.measures().for_each(|(row, measure)| {
                groups
                    .entry(row.project.clone())
                    .or_default()
                    .add(measure.leaked(self.masked));
            }),
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by(|(_, a), (_, b)| b.leaked.share().total_cmp(&a.leaked.share()));
        groups
    }

    /// Whether tasks of several benchmarks are listed, so that names and levels do not say which.
    pub fn has_several_benchmarks(&self) -> bool {
        let mut names = self.rows.iter().map(|row| &row.benchmark);
        let first = names.next();
        names.any(|name| Some(name) != first)
    }

    /// Levels of each benchmark on their own: `intra-class` of one is not `intra_class` of another.
    fn by_level(&self) -> Vec<(String, Group)> {
        let mut groups: BTreeMap<(&str, Option<usize>, &str), Group> = BTreeMap::new();
        for (row, measure) in self.measures() {
            let place = LEVELS.iter().position(|known| *known == row.level);
            let key = (row.benchmark.as_str(), place, row.level.as_str());
            let group = groups.entry(key).or_default();
            group.add(measure.leaked(self.masked));
        }
        let several = self.has_several_benchmarks();
        let label = |benchmark: &str, level: &str| {
            if several {
                format!("{level} · {benchmark}")
            } else {
                level.to_owned()
            }
        };
        let groups = groups.into_iter();
        groups
            .map(|((benchmark, _, level), group)| (label(benchmark, level), group))
            .collect()
    }

    fn by_setting(&self) -> Vec<(String, Group)> {
        let filter = self.of.as_ref().map_or("", |(filter, _)| filter.as_str());
        let mut groups: Vec<_> = self
            .sums
            .iter()
            .filter(|((own, setting), _)| own == filter && *setting != self.setting)
            .map(|((_, setting), sums)| (*setting, sums[usize::from(self.masked)].clone()))
            .chain([(self.setting, self.total(self.masked))])
            .collect();
        groups.sort_by_key(|(setting, _)| *setting);
        groups
            .into_iter()
            .map(|(setting, group)| (setting.word().replace('_', " "), group))
            .collect()
    }

    /// Takes the measures of tasks; the cursor stays on its task.
    pub fn take(&mut self, tasks: Vec<Measured>, height: usize) {
        let mut measured: FxHashMap<_, _> = tasks.into_iter().collect();
        for row in &mut self.rows {
            row.measured = measured.remove(&row.task).or(row.measured.take());
        }
        self.sort(height);
    }

    /// Orders the rows; the cursor stays on its task, or at the start when it is there.
    pub fn sort(&mut self, height: usize) {
        let chosen = self
            .rows
            .get(self.cursor.at)
            .map(|row| row.task)
            .filter(|_| self.cursor.at > 0);
        let (order, masked) = (self.order, self.masked);
        self.rows.sort_by(|a, b| compare(a, b, order, masked));
        let row = chosen.and_then(|task| self.rows.iter().position(|row| row.task == task));
        self.cursor.to(row.unwrap_or(0), self.rows.len(), height);
    }

    /// Remembers the sums of what was measured, for the chart by setting.
    pub fn remember(&mut self) {
        if let Some(of) = self.of.clone() {
            self.sums.insert(of, [self.total(false), self.total(true)]);
        }
    }
}

/// Levels in the order of the field: from what needs nothing to what needs the project.
const LEVELS: [&str; 13] = [
    "standalone",
    "self_contained",
    "slib_runnable",
    "plib_runnable",
    "no dependency",
    "intra-class",
    "class_runnable",
    "intra_class",
    "intra_file",
    "file_runnable",
    "inter-class",
    "cross_file",
    "project_runnable",
];

fn compare(a: &Row, b: &Row, order: Order, masked: bool) -> Ordering {
    let share = |row: &Row| {
        let measure = row.measured.as_ref()?.as_ref().ok()?;
        Some(match order {
            Order::Missing => measure.missing.share(),
            _ => measure.leaked(masked).share(),
        })
    };
    let names = || (&a.project, &a.name).cmp(&(&b.project, &b.name));
    if order == Order::Name {
        return names();
    }
    match (share(a), share(b)) {
        (Some(a), Some(b)) => b.total_cmp(&a).then_with(names),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a
            .measured
            .is_none()
            .cmp(&b.measured.is_none())
            .then_with(names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_arrive_in_batches_and_the_cursor_stays_on_its_task() {
        let at = |task| TaskRef { benchmark: 0, task };
        let row = |task: u32| Row {
            task: at(task),
            name: format!("f{task}"),
            benchmark: String::new(),
            project: String::new(),
            level: String::new(),
            measured: None,
        };
        let mut screen = OverviewScreen {
            rows: (0..4).map(row).collect(),
            ..OverviewScreen::default()
        };
        screen.cursor.to(1, 4, 10);
        let leaked = |count| {
            let leaked = Leaked { count, of: 4 };
            Ok(Measure {
                raw: leaked,
                masked: leaked,
                missing: leaked,
            })
        };
        screen.take(vec![(at(1), leaked(1)), (at(3), leaked(4))], 10);
        screen.take(vec![(at(0), Err("no sources".to_owned()))], 10);
        let order: Vec<u32> = screen.rows.iter().map(|row| row.task.task).collect();
        assert_eq!((order, screen.cursor.at), (vec![3, 1, 0, 2], 1));
        assert_eq!((screen.done(), screen.total(false).tasks), (3, 2));
    }
}
