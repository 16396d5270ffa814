//! The slow work of the explorer. A worker thread performs each request, and the request can be cancelled.

mod analysis;
mod colours;
mod context;
mod dependencies;
mod diff;
mod failure;
mod generation;
mod leakage;
mod listing;
mod open;
mod overview;
mod result;
mod review;
mod review_items;
mod run;
mod search;
mod stored_state;
mod task;
mod task_data;
mod worker_state;

pub use stored_state::StoredState;
pub use worker_state::{Running, WorkerState};

use super::effect::Request;
use super::message::{Answer, News};
use crate::error::{Cancel, Result};

impl WorkerState {
    /// Performs a request and returns its answer. `report` receives news during the work. Errors when the work fails or
    /// is cancelled.
    pub fn perform(
        &self,
        request: &Request,
        cancel: &Cancel,
        report: &(dyn Fn(News) + Sync),
    ) -> Result<Answer> {
        match request {
            Request::Open => self.open(cancel, report),
            Request::Index => self.index(cancel, report),
            Request::Anchors => self.anchors(cancel),
            Request::List(query) => {
                listing::list(&*self.workspace()?, query, &self.running.filters, cancel)
            }
            Request::Task(task) => self.task(*task),
            Request::Dependencies(task) => self.dependencies(*task, cancel),
            Request::Read {
                task,
                path,
                line,
                tree,
            } => self.read(*task, path, *line, tree, cancel),
            Request::Peek {
                task,
                namespace,
                definition,
            } => task::peek(&*self.workspace()?, *task, namespace, definition, cancel),
            Request::InTurn(task, namespace) => self.in_turn(*task, namespace, cancel),
            Request::Against(what, needs) => self.against(*what, needs, cancel),
            Request::Since(task, needs) => self.since(*task, needs, cancel, report),
            Request::Context(task, wanted) => self.context(*task, wanted, cancel, report),
            Request::Diff { task, completion } => {
                diff::compare(&*self.workspace()?, *task, *completion).map(Answer::Diff)
            }
            Request::Colours(document, block) => self.colour(document, *block, cancel),
            Request::ItemColours {
                task,
                tree,
                shown,
                item,
                block,
            } => self.colour_item((*task, tree), shown, (*item, *block), cancel),
            Request::LeakageColours {
                task,
                compared,
                masked,
                revisions,
            } => self.colour_leakage(*task, compared, (*masked, revisions), cancel),
            Request::Leakage(subject) => self.leakage(*subject, cancel, report),
            Request::Origin(task, place) => self.origin(*task, place, cancel),
            Request::ItemDetail(item, annotator) => self.item_detail(item, annotator, cancel),
            Request::Overview(tasks, setting) => self.overview(tasks, *setting, cancel, report),
            Request::Analyse(tasks, by, own) => self.analyse(tasks, *by, own, cancel),
            Request::Run(wanted, place) => self.run(wanted, *place, cancel, report),
            Request::PlanGeneration(job) => self.plan_generation(job, cancel),
            Request::Generate(job) => self.generate(job, cancel, report),
            Request::OpenCompletions(benchmark, files) => {
                self.open_completions(*benchmark, files, cancel)
            }
            Request::Search(text) => self.search(text, cancel),
            Request::TaskData {
                task,
                completion,
                setting,
            } => self.task_data(*task, *completion, setting, cancel),
            Request::Recall => self.recall(cancel),
            Request::Result(of, at_hand) => self.result(*of, *at_hand, cancel),
        }
    }
}
