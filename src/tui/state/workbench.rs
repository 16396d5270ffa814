//! The workbench: the tasks, and the chosen task's panes.

use super::completions::Completions;
use super::context::ContextPane;
use super::log::Log;
use super::pane::Pane;
use super::run::SingleEvaluation;
use super::task::TaskPanes;
use super::tasks::TaskList;
use super::viewer::Viewer;
use crate::context::PromptSetting;
use crate::tui::layout::{Divider, Splits};

/// A text to search for in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// The pane.
    pub pane: Pane,
    /// The text. Without capital letters, the search ignores case.
    pub text: String,
}

/// The tasks and the chosen task's panes.
#[derive(Debug)]
pub struct Workbench {
    /// The pane that keys apply to.
    pub focus: Pane,
    /// The pane that the shared area shows.
    pub shared: Pane,
    /// Whether the focused pane fills the screen.
    pub zoomed: bool,
    /// The positions of the dividers.
    pub splits: Splits,
    /// The divider that the mouse drags.
    pub dragged: Option<Divider>,
    /// The task list.
    pub tasks: TaskList,
    /// The chosen task: its requirement and dependencies.
    pub task: TaskPanes,
    /// The reference code, and the files that the reader jumped to.
    pub viewer: Viewer,
    /// The context.
    pub context: ContextPane,
    /// The completions.
    pub completions: Completions,
    /// The log of the latest evaluation.
    pub log: Log,
    /// The completion that the log belongs to.
    pub evaluated: Option<SingleEvaluation>,
    /// The text to search for.
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

impl Workbench {
    /// The setting that the context pane shows, with the wording that the requirement pane shows.
    pub fn prompt_setting(&self) -> PromptSetting {
        PromptSetting {
            setting: self.context.setting,
            at: Some(self.context.tree.clone()),
            requirement: self.task.wording(),
        }
    }
}
