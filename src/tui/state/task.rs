//! The chosen task: what the model is asked, and what the reference code uses.

use std::sync::Arc;

use ratatui::layout::Rect;

use super::document::Use;
use super::list::Cursor;
use super::tree::{Against, Branch, Tree};
use crate::benchmark::{Namespace, RequirementStyle, TaskDetail};
use crate::error::Error;
use crate::tui::highlight::LineRoles;
use crate::workspace::{InstanceOutcome, Need, TaskRef};

/// How far the dependencies of the chosen task are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Resolution {
    /// The labels only, so far.
    #[default]
    Labels,
    /// Looked up in the project.
    Resolved,
    /// Why they cannot be looked up.
    Unresolved(String),
}

/// A dependency's source, as far as a pane can show it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Peeked {
    /// The first line's 1-based number.
    pub first: u32,
    /// The lines.
    pub lines: Vec<String>,
    /// Their colours.
    pub roles: Vec<LineRoles>,
}

/// The chosen task's panes.
#[derive(Debug, Default)]
pub struct TaskPanes {
    /// The task that the panes show.
    pub task: Option<TaskRef>,
    /// Its record.
    pub detail: Arc<TaskDetail>,
    /// Why its record or its source cannot be shown.
    pub trouble: Option<Arc<Error>>,
    /// How its tests ended at the base commit and with the production patch, where that is known.
    pub outcomes: Vec<InstanceOutcome>,
    /// What a commit's id is appended to, for the address of its page.
    pub commit_page: Option<String>,
    /// Which of the requirement's texts is shown.
    pub style: usize,
    /// First line of the requirement in sight.
    pub top: usize,
    /// What its reference code uses.
    pub dependencies: Vec<Need>,
    /// How far they are known.
    pub resolution: Resolution,
    /// Where the target uses them.
    pub uses: Arc<[Use]>,
    /// What the chosen completion uses, compared with it, as far as it was looked at.
    pub against: Option<Against>,
    /// The dependencies as rows.
    pub tree: Tree,
    /// The chosen row.
    pub cursor: Cursor,
    /// Whether the chosen dependency's source is shown under the list.
    pub peek: bool,
    /// The source of the dependency of that name.
    pub peeked: Option<(Namespace, Arc<Peeked>)>,
}

impl TaskPanes {
    /// The row under the cursor.
    pub fn chosen(&self) -> Option<&Branch> {
        self.tree.rows.get(self.cursor.at)
    }

    /// The wording of the requirement in sight, where there are several: contexts are gathered for it.
    pub fn wording(&self) -> Option<RequirementStyle> {
        let texts = &self.detail.requirement.texts;
        let own = texts.iter().filter(|text| !text.is_draft()).count();
        // Drafts are in no prompt.
        let shown = texts
            .get(self.style)
            .filter(|text| own > 1 && !text.is_draft());
        shown.map(|text| text.style)
    }

    /// Rows under the list that say more of the chosen one, a rule above them: more where the pane is narrow.
    pub fn detail_height(inner: Rect) -> u16 {
        let lines = match inner.width {
            0..40 => 4,
            40..76 => 2,
            _ => 1,
        };
        (lines + 1).min(inner.height / 2)
    }

    /// Rows of the dependency list in a pane that shows `height` rows: below is what is known of the chosen one,
    /// and its source.
    pub fn list_height(&self, inner: Rect) -> u16 {
        let height = inner.height;
        if height < 8 || self.tree.rows.is_empty() {
            return height;
        }
        if !self.peek {
            return height - Self::detail_height(inner);
        }
        let wanted = u16::try_from(self.tree.rows.len()).unwrap_or(height);
        wanted.clamp(1, (height - Self::detail_height(inner)) / 2)
    }
}
