//! Everything that the screens show, as plain data. Nothing here reads a file or asks a clock.

pub mod analysis;
pub mod completions;
pub mod context;
pub mod demo;
pub mod document;
pub mod failure;
pub mod generation;
pub mod generation_form;
pub mod generation_text;
pub mod goto_task;
pub mod input;
pub mod item_detail;
pub mod latest_requests;
pub mod leakage;
pub mod list;
pub mod log;
pub mod overlay;
pub mod overview;
pub mod pane;
pub mod place;
pub mod preferences;
pub mod requirement;
pub mod result;
pub mod review;
pub mod review_choices;
pub mod run;
pub mod screen;
pub mod seen;
pub mod task;
pub mod tasks;
pub mod tickets;
mod tour;
pub mod tree;
pub mod viewer;
pub mod workbench;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use overlay::{Notice, Overlay, Prompt, Severity};
pub use pane::Pane;
pub use screen::Screen;
pub use workbench::Workbench;

use super::commands::CommandId;
use super::layout::{self, Arrangement};
use crate::benchmark::Verdict;
use crate::workspace::{SourceSearch, TaskRef, Workspace};

/// What is shown and how.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says of its own whether something is the case"
)]
pub struct State {
    /// The terminal's columns and rows.
    pub size: (u16, u16),
    /// The screen in sight.
    pub screen: Screen,
    /// What is open; `None` until it is read.
    pub workspace: Option<Arc<Workspace>>,
    /// The tasks and the chosen one's panes.
    pub workbench: Workbench,
    /// The chosen task's context from two moments.
    pub leakage: leakage::LeakageScreen,
    /// The leakage of many tasks.
    pub overview: overview::OverviewScreen,
    /// What people say of requirements.
    pub review: review::ReviewScreen,
    /// Models and settings against each other.
    pub analysis: analysis::AnalysisScreen,
    /// A run of many completions.
    pub run: run::RunScreen,
    /// One completion's result in full.
    pub result: result::ResultScreen,
    /// Completions from a model server.
    pub generation: generation::GenerationScreen,
    /// The overlay, which takes the keys.
    pub overlay: Option<Overlay>,
    /// One line for the reader, until the next key.
    pub notice: Option<Notice>,
    /// Work under way.
    pub tickets: tickets::Tickets,
    /// What was asked for last.
    pub latest_requests: latest_requests::LatestRequests,
    /// Verdicts of evaluations made here, by task and index of the completion.
    pub verdicts: FxHashMap<(TaskRef, usize), Verdict>,
    /// The guided tour, while it is under way.
    pub demo: Option<demo::Demo>,
    /// What was found in the sources last.
    pub searched: Option<Arc<SourceSearch>>,
    /// What the user set.
    pub preferences: preferences::Preferences,
    /// Whether the terminal is to ring, since something is over that took its time.
    pub rings: bool,
    /// Whether a pane's size changed, so that cursors may be out of sight.
    pub sizes_changed: bool,
    /// Whether the explorer ends when it is asked to once more, though a run is under way.
    pub ends_on_repeat: bool,
    /// Set once the explorer is to end.
    pub ended: bool,
}

impl State {
    /// The state before anything is read, on a terminal of `size`.
    pub fn new(size: (u16, u16)) -> Self {
        Self {
            size,
            screen: Screen::Workbench,
            workspace: None,
            workbench: Workbench::default(),
            leakage: leakage::LeakageScreen::default(),
            overview: overview::OverviewScreen::default(),
            review: review::ReviewScreen::default(),
            analysis: analysis::AnalysisScreen::default(),
            run: run::RunScreen::default(),
            result: result::ResultScreen::default(),
            generation: generation::GenerationScreen::default(),
            overlay: None,
            notice: None,
            tickets: tickets::Tickets::default(),
            latest_requests: latest_requests::LatestRequests::default(),
            verdicts: FxHashMap::default(),
            demo: None,
            searched: None,
            preferences: preferences::Preferences::default(),
            rings: false,
            sizes_changed: false,
            ends_on_repeat: false,
            ended: false,
        }
    }

    /// The workbench's rectangles now.
    pub fn arrangement(&self) -> Arrangement {
        let bench = &self.workbench;
        layout::arrange(
            self.size,
            bench.focus,
            bench.shared,
            bench.zoomed,
            bench.splits,
        )
    }

    /// A pane's name in its frame; on the workbench after its key.
    pub fn pane_title(&self, pane: Pane) -> String {
        if self.screen == Screen::Workbench {
            pane.numbered()
        } else {
            pane.title().to_owned()
        }
    }

    /// Rows that a pane shows of its content. A review shows the reference code in a pane of its own size.
    pub fn rows(&self, pane: Pane) -> usize {
        let in_review = self.screen == Screen::Review && !self.review.is_failure();
        if pane == Pane::Reference && in_review {
            let area = self.review.areas(self.size).reference;
            return usize::from(layout::inside(area).height);
        }
        usize::from(self.arrangement().inner(pane).height)
    }

    /// The tasks that are asked for: all of the chosen task's benchmark, since one file holds the completions of one.
    pub fn generation_tasks(&self, scope: generation_form::Scope) -> Vec<TaskRef> {
        let bench = &self.workbench;
        let listing = &bench.tasks.listing;
        let mut listed = (0..listing.rows.len()).filter_map(|row| listing.task_at(row));
        let Some(chosen) = bench.task.task.or_else(|| listed.clone().next()) else {
            return Vec::new();
        };
        if scope == generation_form::Scope::Task {
            return vec![chosen];
        }
        let marked = |task: &TaskRef| {
            scope == generation_form::Scope::Listed || bench.tasks.marked.contains(task)
        };
        let wanted = listed
            .by_ref()
            .filter(|task| task.benchmark == chosen.benchmark && marked(task));
        wanted.collect()
    }

    /// A completion's task, the package left out, and its model and setting.
    pub fn names(&self, of: run::CompletionRef) -> (String, String) {
        let Some(workspace) = &self.workspace else {
            return <(String, String)>::default();
        };
        let namespace = workspace.task(of.0).namespace.to_string();
        let short = namespace.split_once('.').map(|(_, rest)| rest.to_owned());
        let completion = workspace
            .indexed()
            .and_then(|index| index.of(of.0).get(of.1));
        let sets = workspace.completion_sets();
        let set = completion.and_then(|own| sets.get(own.set as usize));
        let set = set.map_or_else(String::new, |set| {
            format!("{} · {}", set.model, set.setting.replace('_', " "))
        });
        (short.unwrap_or(namespace), set)
    }

    /// The key of a command, for a sentence that names it.
    pub fn key(&self, id: CommandId) -> String {
        self.preferences.keymap.key(id)
    }

    /// Says something in the bottom line.
    pub fn say(&mut self, severity: Severity, text: impl Into<String>) {
        self.notice = Some(Notice {
            severity,
            text: text.into(),
        });
    }
}
