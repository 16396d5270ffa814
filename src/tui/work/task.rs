//! Reading a task: its record, and its source with the target's place in it.

use std::sync::Arc;

use super::Desk;
use crate::benchmark::{Namespace, RepoPath};
use crate::error::{Cancel, Error, Result};
use crate::tui::highlight::{Highlighter, SourceLines};
use crate::tui::message::{Answer, LoadedTask};
use crate::tui::state::context::Tree;
use crate::tui::state::document::{Document, TargetLines};
use crate::tui::state::task::Peeked;
use crate::workspace::{Definition, TaskRef, Workspace};

/// Reads a task's record and its source.
pub(super) fn load(workspace: &Workspace, task: TaskRef) -> Result<Answer> {
    let detail = workspace.detail(task)?;
    let source = source(workspace, task).or_else(|error| match &detail.reference_code {
        Some(code) => Ok(from_record(workspace, task, code)),
        None => Err(error),
    });
    Ok(Answer::Task(Box::new(LoadedTask {
        task,
        has_past: detail.base_commit.is_some() || matches!(workspace.repository(task), Ok(Some(_))),
        detail,
        source,
    })))
}

fn source(workspace: &Workspace, task: TaskRef) -> Result<Document> {
    let source = workspace.source_text(task)?;
    let about = workspace.task(task);
    let anchor = source.anchor(about);
    let target = anchor.definition.map(|found| TargetLines {
        whole: found.whole,
        signature: found.signature,
        body: found.body,
    });
    Ok(Document {
        path: about.path.clone(),
        file: source.on_disk().map(Into::into),
        revision: String::new(),
        anchor: Some(anchor.state),
        text: Arc::new(SourceLines::new(source.text())),
        target,
    })
}

/// The developers' code as the record holds it, where the sources are not at hand.
fn from_record(workspace: &Workspace, task: TaskRef, code: &str) -> Document {
    let about = workspace.task(task);
    Document {
        path: about.path.clone(),
        file: None,
        revision: "from the record".to_owned(),
        anchor: None,
        text: Arc::new(SourceLines::new(code)),
        target: None,
    }
}

/// Lines of a definition that are read to be looked at.
const PEEKED: u32 = 120;

/// Reads the first lines of a definition, with their colours.
pub(super) fn peek(
    workspace: &Workspace,
    task: TaskRef,
    namespace: &Namespace,
    definition: &Definition,
    cancel: &Cancel,
) -> Result<Answer> {
    let file = workspace.project_file(task, &definition.path)?;
    let first = definition.lines.first();
    let last = definition.lines.last().min(file.line_count());
    let last = last.min(first.saturating_add(PEEKED));
    let text = Arc::new(SourceLines::new(file.text()));
    let highlighter = Highlighter::new(definition.path.as_str(), text);
    let peeked = Peeked {
        first,
        lines: (first..=last)
            .map(|line| file.line(line).to_owned())
            .collect(),
        roles: highlighter.roles(first as usize - 1..last as usize, cancel)?,
    };
    Ok(Answer::Peek(namespace.clone(), Arc::new(peeked)))
}

impl Desk {
    /// Reads a file of the task's project: from its folder, or at a revision.
    pub(super) fn read(
        &self,
        task: TaskRef,
        path: &RepoPath,
        line: u32,
        tree: &Tree,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let on_disk = workspace.project_file(task, path);
        let document = if let (Tree::Newest, Ok(file)) = (tree, on_disk) {
            Document {
                path: path.clone(),
                file: file.on_disk().map(Into::into),
                revision: String::new(),
                anchor: None,
                text: Arc::new(SourceLines::new(file.text())),
                target: None,
            }
        } else {
            let snapshot = self.snapshot(&workspace, task, tree, cancel)?;
            let bytes = snapshot
                .read_path(path)?
                .ok_or_else(|| Error::data(format!("{} has no file '{path}'", snapshot.label())))?;
            Document {
                path: path.clone(),
                file: None,
                revision: snapshot.label().to_owned(),
                anchor: None,
                text: Arc::new(SourceLines::of_bytes(&bytes)),
                target: None,
            }
        };
        Ok(Answer::Document(Arc::new(document), line))
    }
}
