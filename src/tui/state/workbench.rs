//! The workbench: the tasks, and the chosen task's panes.

use super::completions::Completions;
use super::context::ContextPane;
use super::log::Log;
use super::run::SingleEvaluation;
use super::task::TaskPanes;
use super::tasks::TaskList;
use super::viewer::Viewer;
use crate::tui::layout::{Divider, Splits};

/// The panes of the workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Pane {
    /// The task list.
    Tasks,
    /// What the model is asked.
    Requirement,
    /// The developers' own code.
    Reference,
    /// What the reference code uses of the project.
    Dependencies,
    /// What the model is shown.
    Context,
    /// What models wrote.
    Completions,
    /// The log of an evaluation.
    Log,
}

impl Pane {
    /// Every pane, in the order of the tabs.
    pub const ALL: [Self; 7] = [
        Self::Tasks,
        Self::Requirement,
        Self::Reference,
        Self::Dependencies,
        Self::Context,
        Self::Completions,
        Self::Log,
    ];

    /// Its name on a tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Tasks => "Tasks",
            Self::Requirement => "Requirement",
            Self::Reference => "Reference",
            Self::Dependencies => "Dependencies",
            Self::Context => "Context",
            Self::Completions => "Completions",
            Self::Log => "Log",
        }
    }

    /// The key that shows it. 6 is the leakage screen's.
    pub fn number(self) -> char {
        match self {
            Self::Tasks => '0',
            Self::Requirement => '1',
            Self::Reference => '2',
            Self::Dependencies => '3',
            Self::Context => '4',
            Self::Completions => '5',
            Self::Log => '7',
        }
    }

    /// Its name after its key: `2 Reference`.
    pub fn numbered(self) -> String {
        format!("{} {}", self.number(), self.title())
    }

    /// Its word in the remembered place.
    pub fn named(title: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pane| pane.title() == title)
    }

    /// Whether it shares the place at the lower right when panes are side by side.
    pub fn is_lower(self) -> bool {
        matches!(self, Self::Context | Self::Completions | Self::Log)
    }
}

/// A text that is looked for in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// The pane.
    pub pane: Pane,
    /// The text; without capitals, case does not count.
    pub text: String,
}

/// The tasks and the chosen task's panes.
#[derive(Debug)]
pub struct Workbench {
    /// The pane that has the keys.
    pub focus: Pane,
    /// The pane that the shared place shows.
    pub shared: Pane,
    /// Whether the focused pane fills the screen.
    pub zoomed: bool,
    /// Where the dividers are.
    pub splits: Splits,
    /// The divider that the mouse holds.
    pub dragged: Option<Divider>,
    /// The task list.
    pub tasks: TaskList,
    /// The chosen task: requirement, dependencies.
    pub task: TaskPanes,
    /// The reference code, and files jumped to.
    pub viewer: Viewer,
    /// What the model is shown.
    pub context: ContextPane,
    /// What models wrote.
    pub completions: Completions,
    /// The log of the latest evaluation.
    pub log: Log,
    /// What the log is of.
    pub evaluated: Option<SingleEvaluation>,
    /// The text looked for.
    pub find: Option<Find>,
}

impl Default for Workbench {
    fn default() -> Self {
        Self {
            focus: Pane::Tasks,
            shared: Pane::Context,
            zoomed: false,
            splits: Splits::default(),
            dragged: None,
            tasks: TaskList::default(),
            task: TaskPanes::default(),
            viewer: Viewer::default(),
            context: ContextPane::default(),
            completions: Completions::default(),
            log: Log::default(),
            evaluated: None,
            find: None,
        }
    }
}
