//! The chosen task: what the model is asked, and what the reference code uses.

use std::sync::Arc;

use super::document::Use;
use super::list::Cursor;
use crate::benchmark::{DependencyType, LineSpan, Namespace, RepoPath, TaskDetail};
use crate::error::Error;
use crate::workspace::TaskRef;

/// Where a dependency is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The file.
    pub path: RepoPath,
    /// Its lines, decorators included.
    pub lines: LineSpan,
    /// What it defines: class, function, method, variable, module.
    pub kind: String,
}

/// A dependency of the reference code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyRow {
    /// Its name in the benchmark's form.
    pub namespace: Namespace,
    /// The dependency path: `A.py::ClassB::close`.
    pub path: String,
    /// Where it is defined, seen from the target.
    pub dependency_type: DependencyType,
    /// Where it was found; `None` while looking, and when it was not found.
    pub definition: Option<Definition>,
    /// Whether the benchmark labels it; otherwise only the analysis found it.
    pub labelled: bool,
}

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

/// The chosen task's panes.
#[derive(Debug, Default)]
pub struct TaskPanes {
    /// The task that the panes show.
    pub task: Option<TaskRef>,
    /// Its record.
    pub detail: Arc<TaskDetail>,
    /// Why its record or its source cannot be shown.
    pub trouble: Option<Arc<Error>>,
    /// Which of the requirement's texts is shown.
    pub style: usize,
    /// First line of the requirement in sight.
    pub top: usize,
    /// Its dependencies.
    pub dependencies: Vec<DependencyRow>,
    /// How far they are known.
    pub resolution: Resolution,
    /// Where the target uses them.
    pub uses: Arc<[Use]>,
    /// The chosen dependency.
    pub cursor: Cursor,
    /// Whether the chosen dependency's source is shown under the list.
    pub peek: bool,
    /// The source of the chosen dependency, with its index.
    pub peeked: Option<(usize, Arc<str>)>,
}

impl TaskPanes {
    /// Rows of the dependency list in a pane that shows `height` rows: the rest is the source of the chosen one.
    pub fn list_height(&self, height: u16) -> u16 {
        if self.peek && height >= 8 {
            let wanted = u16::try_from(self.dependencies.len()).unwrap_or(height);
            wanted.clamp(1, height / 3).max(2)
        } else {
            height
        }
    }
}
