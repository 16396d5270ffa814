//! More about one task's dependencies: what they use in turn, since when they exist, and whether a context shows them.

use std::collections::BTreeMap;

use crate::benchmark::Namespace;
use crate::context::{Revision, Setting};
use crate::error::{Cancel, Kind, Result};
use crate::workspace::{Analyses, ContextRequest, Contexts, Since, TaskRef, Workspace};

/// For how many names at most their own dependencies are listed.
const MOST: usize = 500;

/// Which information about a task's dependencies is wanted.
pub struct SurroundingsRequest<'a> {
    /// The task.
    pub task: TaskRef,
    /// The context that may show the dependencies.
    pub shown: Option<(Setting, &'a Revision)>,
}

/// More about a task's dependencies.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// What each dependency uses, and what each of those uses, and so on. Each name is listed once, so that cycles end.
    pub in_turn: BTreeMap<Namespace, Vec<Namespace>>,
    /// Since when each dependency exists. Empty without a repository.
    pub since: BTreeMap<Namespace, Since>,
    /// Whether the context has the definition of each dependency. Empty where no context was asked for.
    pub in_context: BTreeMap<Namespace, bool>,
}

impl Analyses {
    /// Finds the surroundings of a task's dependencies. Errors when the sources are missing, when the context cannot be
    /// gathered, or when cancelled.
    pub fn surroundings(
        &self,
        workspace: &Workspace,
        contexts: &Contexts,
        request: &SurroundingsRequest<'_>,
        cancel: &Cancel,
    ) -> Result<Surroundings> {
        let task = request.task;
        let needs = self.needs(workspace, task, cancel)?;
        let mut found = Surroundings::default();
        let mut waiting: Vec<Namespace> = needs.iter().map(|need| need.namespace.clone()).collect();
        while let Some(name) = waiting.pop() {
            if found.in_turn.len() >= MOST || found.in_turn.contains_key(&name) {
                continue;
            }
            let turn = self.in_turn(workspace, task, &name, cancel)?;
            let turn: Vec<_> = turn.into_iter().map(|need| need.namespace).collect();
            waiting.extend(turn.iter().cloned());
            found.in_turn.insert(name, turn);
        }
        let past = workspace.since(contexts, task, &needs, cancel, &mut |index, since| {
            found.since.insert(needs[index].namespace.clone(), since);
        });
        // Without a repository the dates are unknown. The other fields are still valid.
        past.or_else(|why| match why.kind() {
            Kind::Data => Ok(()),
            _ => Err(why),
        })?;
        if let Some((setting, at)) = request.shown {
            let asked = ContextRequest {
                task,
                setting,
                at,
                retrieval: None,
                masks: &[],
                mask_target: false,
                requirement: None,
            };
            let context = workspace.context(contexts, asked, &mut |_, _| {}, cancel)?;
            let items = &context.gathered.listing.items;
            for need in &needs {
                if let Some(definition) = &need.definition {
                    let name = need.namespace.clone();
                    found.in_context.insert(name, definition.is_in(items));
                }
            }
        }
        Ok(found)
    }
}
