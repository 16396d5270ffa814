//! The reader's place, which is stored between sessions.

use serde::{Deserialize, Serialize};

use super::State;
use super::generation_form::Form;
use super::pane::Pane;
use super::tasks::Order;
use crate::benchmark::TaskId;
use crate::tui::layout::Splits;

/// The place of the reader.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// The task.
    pub task: Option<TaskId>,
    /// The filter.
    pub filter: String,
    /// Earlier filters, the latest last.
    pub filters: Vec<String>,
    /// The word of the order.
    pub order: String,
    /// Whether tasks are grouped by project.
    pub grouped: bool,
    /// The focused pane's title.
    pub focus: String,
    /// The title of the pane in the shared area.
    pub shared: String,
    /// The positions of the dividers.
    pub splits: Splits,
    /// The form of the generation screen, if it was opened.
    pub generation: Option<Box<Form>>,
    /// Whether no place was stored, so that this is the first start.
    #[serde(skip)]
    pub is_first_start: bool,
}

impl State {
    /// The place to store.
    pub fn saved(&self) -> Saved {
        let bench = &self.workbench;
        let task = bench.task.task.zip(self.workspace.as_ref());
        Saved {
            task: task.map(|(task, workspace)| workspace.task(task).id.clone()),
            filter: bench.tasks.query.filter.clone(),
            filters: bench.tasks.history.clone(),
            order: bench.tasks.query.order.word().to_owned(),
            grouped: bench.tasks.query.grouped,
            focus: bench.focus.title().to_owned(),
            shared: bench.shared.title().to_owned(),
            splits: bench.splits,
            generation: self.generation_form_to_remember(),
            is_first_start: false,
        }
    }

    fn generation_form_to_remember(&self) -> Option<Box<Form>> {
        let screen = &self.generation;
        (screen.is_filled || screen.form != Form::default()).then(|| Box::new(screen.form.clone()))
    }

    /// Restores a stored place, as far as it still exists. The first listing then selects the task.
    pub fn restore(&mut self, saved: &Saved) {
        let bench = &mut self.workbench;
        bench.tasks.query.filter.clone_from(&saved.filter);
        bench.tasks.history.clone_from(&saved.filters);
        bench.tasks.query.order = Order::named(&saved.order).unwrap_or_default();
        bench.tasks.query.grouped = saved.grouped;
        bench.splits = saved.splits;
        bench.focus = Pane::named(&saved.focus).unwrap_or(bench.focus);
        if let Some(form) = &saved.generation {
            self.generation.form = (**form).clone();
        }
        if let Some(shared) = Pane::named(&saved.shared) {
            bench.shared = shared;
        }
    }
}
