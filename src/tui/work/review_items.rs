//! What a review of pairs, failures and checks is made of: the items, and what is shown of each.

use super::WorkerState;
use super::failure::is_failure;
use crate::benchmark::TaskId;
use crate::error::{Cancel, Result};
use crate::review::{Codebook, Judgements, Mode, ReviewItem, ReviewPlan, ReviewSubject, swapped};
use crate::tui::message::Answer;
use crate::tui::state::review_choices::ItemDetail;
use crate::workspace::{TaskRef, Workspace};

impl WorkerState {
    /// The codebook: `codebook.toml` in the folder of settings, else the papers' three causes.
    pub(super) fn codebook(&self) -> Result<Codebook> {
        let own = self.places.config.join("codebook.toml");
        if own.is_file() {
            Codebook::read(&own)
        } else {
            Ok(Codebook::default())
        }
    }

    /// The queue of a mode over the tasks of a plan, for an annotator.
    pub(super) fn items(
        &self,
        mode: Mode,
        plan: &ReviewPlan,
        annotator: &str,
        said: &Judgements,
    ) -> Result<Vec<ReviewItem>> {
        let queue = plan.queue(annotator)?;
        let requirement = |task| ReviewItem {
            task,
            subject: ReviewSubject::Requirement,
        };
        match mode {
            Mode::Requirements | Mode::Conflicts => {
                Ok(queue.into_iter().map(requirement).collect())
            }
            Mode::Checks => {
                let planned = plan.checks(annotator)?;
                let tasks = if planned.is_empty() { queue } else { planned };
                let of_another = |task: TaskId| {
                    let mut finished = said.finished(&task, &ReviewSubject::Requirement);
                    let (name, _) = finished
                        .find(|(name, one)| *name != annotator && !one.labels().is_empty())?;
                    let subject = ReviewSubject::Check {
                        annotator: name.to_owned(),
                    };
                    drop(finished);
                    Some(ReviewItem { task, subject })
                };
                Ok(tasks.into_iter().filter_map(of_another).collect())
            }
            Mode::Pairs => pairs(&*self.workspace()?, queue),
            Mode::Failures => failures(&*self.workspace()?, queue),
        }
    }

    /// What is shown of an item of pairs or failures.
    pub(super) fn item_detail(
        &self,
        item: &ReviewItem,
        annotator: &str,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let task = workspace.find(item.task.as_str())?;
        let item_detail = match &item.subject {
            ReviewSubject::Requirement | ReviewSubject::Check { .. } => ItemDetail::default(),
            ReviewSubject::Pair { .. } => pair(&workspace, task, item, annotator)?,
            ReviewSubject::Failure { .. } => {
                self.failure(&workspace, task, &item.subject, cancel)?
            }
        };
        Ok(Answer::ItemDetail(item.clone(), Box::new(item_detail)))
    }
}

/// Every two wordings that a record has.
fn pairs(workspace: &Workspace, queue: Vec<TaskId>) -> Result<Vec<ReviewItem>> {
    let mut items = Vec::new();
    for task in queue {
        let detail = workspace.detail(workspace.find(task.as_str())?)?;
        if let [first, second, ..] = detail.requirement.texts.as_slice() {
            items.push(ReviewItem {
                task,
                subject: ReviewSubject::Pair {
                    first: first.style.label().to_owned(),
                    second: second.style.label().to_owned(),
                },
            });
        }
    }
    Ok(items)
}

fn pair(
    workspace: &Workspace,
    task: TaskRef,
    item: &ReviewItem,
    annotator: &str,
) -> Result<ItemDetail> {
    let detail = workspace.detail(task)?;
    let text = |place: usize| {
        let text = detail.requirement.texts.get(place);
        text.map_or_else(String::new, |text| text.text.clone())
    };
    let (left, right) = if swapped(&item.task, &item.subject, annotator) {
        (text(1), text(0))
    } else {
        (text(0), text(1))
    };
    Ok(ItemDetail {
        left: ("Left".to_owned(), left),
        right: ("Right".to_owned(), right),
        ..ItemDetail::default()
    })
}

/// Every completion with a failing verdict of its own.
fn failures(workspace: &Workspace, queue: Vec<TaskId>) -> Result<Vec<ReviewItem>> {
    let sets = workspace.completion_sets();
    let mut items = Vec::new();
    for id in queue {
        let task = workspace.find(id.as_str())?;
        let verdicts = workspace.verdicts(task);
        for (completion, verdict) in workspace.completions(task)?.iter().zip(verdicts) {
            let failed = verdict.is_some_and(is_failure);
            if let Some(set) = sets.get(completion.set as usize).filter(|_| failed) {
                items.push(ReviewItem {
                    task: id.clone(),
                    subject: ReviewSubject::Failure {
                        model: set.model.to_string(),
                        setting: set.setting.to_string(),
                        sample: completion.sample,
                    },
                });
            }
        }
    }
    Ok(items)
}
