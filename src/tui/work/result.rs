//! What a result shows beside the verdict: the ledger's judgement, the difference, the completion's own lines.

use std::sync::Arc;

use super::{Desk, diff};
use crate::benchmark::{LineSpan, RepoPath};
use crate::code::adjust_indent;
use crate::error::{Error, Result};
use crate::tui::message::Answer;
use crate::tui::state::result::Sheet;
use crate::tui::state::run::CompletionRef;
use crate::workspace::{TaskRef, Workspace};

impl Desk {
    /// Reads what a result shows; the judgement from the ledger unless one is at hand.
    pub(super) fn result(
        &self,
        (task, completion): CompletionRef,
        at_hand: bool,
    ) -> Result<Answer> {
        let workspace = self.workspace()?;
        let diff = diff::compare(&workspace, task, completion)?;
        let completions = workspace.completions(task)?;
        let chosen = completions
            .get(completion)
            .ok_or_else(|| Error::internal("no such completion"))?;
        let text = workspace.completion_text(chosen)?;
        let mut sheet = Sheet {
            own: own_lines(&workspace, task, &text),
            diff,
            judged: None,
        };
        if !at_hand && self.remembers {
            let key = workspace.completion_key(task, &text);
            let kept = self.ledger()?.latest_judgement(key)?;
            sheet.judged = kept.map(|judgement| (Arc::new(judgement), true));
        }
        Ok(Answer::Result(Box::new(sheet)))
    }
}

/// Where the completion's lines stand in its file while it is evaluated; `None` without the source.
fn own_lines(workspace: &Workspace, task: TaskRef, text: &str) -> Option<(RepoPath, LineSpan)> {
    let source = workspace.source_text(task).ok()?;
    let record = workspace.task(task);
    let body = source.anchor(record).position()?.body;
    let indent = workspace.detail(task).ok()?.indent.unwrap_or(0);
    let lines = adjust_indent(text, indent as usize).lines().count();
    // A blank line goes before it.
    let last = body.first() + u32::try_from(lines).ok()?;
    Some((record.path.clone(), LineSpan::new(body.first(), last)?))
}
