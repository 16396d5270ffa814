//! Looking a task's dependencies up in its project.

use super::Desk;
use crate::benchmark::{Dependency, DependencyType, Language, LineSpan, RepoPath};
use crate::code::{DefinitionKind, FoundDependency};
use crate::error::{Cancel, Result};
use crate::tui::message::Answer;
use crate::tui::state::document::Use;
use crate::tui::state::task::{Definition, DependencyRow};
use crate::workspace::{TaskRef, Workspace};

impl Desk {
    /// What the reference code uses: what the benchmark labels, with its place, and what only the analysis finds.
    pub(super) fn dependencies(&self, task: TaskRef, cancel: &Cancel) -> Result<Answer> {
        let workspace = self.workspace()?;
        let mut found = self.found(&workspace, task, cancel)?;
        let mut rows = Vec::new();
        let mut uses = Vec::new();
        for label in workspace.detail(task)?.dependencies {
            cancel.check()?;
            let at = found
                .iter()
                .position(|own| own.namespace == label.namespace);
            let row = match at.map(|at| found.remove(at)) {
                Some(own) => analysed(own, label.dependency_type, true, rows.len(), &mut uses),
                None => look_up(&workspace, task, label),
            };
            rows.push(row);
        }
        for own in found {
            let dependency_type = own.dependency_type;
            rows.push(analysed(own, dependency_type, false, rows.len(), &mut uses));
        }
        uses.sort_by_key(|place: &Use| (place.line, place.bytes.start));
        Ok(Answer::Dependencies(rows, uses))
    }

    /// What the analysis finds; nothing in languages that it does not read, and where the target is not found.
    fn found(
        &self,
        workspace: &Workspace,
        task: TaskRef,
        cancel: &Cancel,
    ) -> Result<Vec<FoundDependency>> {
        let about = workspace.task(task);
        let missing = workspace
            .source_text(task)?
            .anchor(about)
            .definition
            .is_none();
        if about.language != Language::Python || missing {
            return Ok(Vec::new());
        }
        Ok(self.studies.reference(workspace, task, cancel)?.found)
    }
}

/// A dependency that the analysis found, and its uses, which go to `uses` under the row's `index`.
fn analysed(
    own: FoundDependency,
    dependency_type: DependencyType,
    labelled: bool,
    index: usize,
    uses: &mut Vec<Use>,
) -> DependencyRow {
    uses.extend(own.uses.iter().map(|place| Use {
        line: place.line,
        bytes: place.columns.0 as usize..place.columns.1 as usize,
        dependency_type,
        dependency: index,
    }));
    let lines = own.lines.unwrap_or(LineSpan::line(1));
    DependencyRow {
        path: own.path,
        namespace: own.namespace,
        dependency_type,
        definition: Some(Definition {
            path: own.file,
            lines,
            kind: own.kind.word().to_owned(),
        }),
        labelled,
    }
}

/// The longest part of the name that names a file is the file; the rest is the name in it.
fn look_up(workspace: &Workspace, task: TaskRef, dependency: Dependency) -> DependencyRow {
    let names: Vec<&str> = dependency.namespace.components().collect();
    let found = (1..names.len()).rev().find_map(|end| {
        let qualname = names[end..].join(".");
        let paths = files(&names[..end], workspace, task);
        paths.into_iter().find_map(|path| {
            let definition = define(workspace, task, &path, &qualname)?;
            Some((path, qualname.clone(), definition))
        })
    });
    let path = match &found {
        Some((path, qualname, _)) => format!("{path}::{}", qualname.replace('.', "::")),
        None => dependency.namespace.to_string(),
    };
    DependencyRow {
        path,
        namespace: dependency.namespace,
        dependency_type: dependency.dependency_type,
        definition: found.map(|(_, _, definition)| definition),
        labelled: true,
    }
}

fn files(names: &[&str], workspace: &Workspace, task: TaskRef) -> Vec<RepoPath> {
    let about = workspace.task(task);
    let end = match about.language {
        Language::Python => "py",
        Language::Java => "java",
    };
    let inside = names.join("/");
    let mut prefixes = vec![String::new()];
    let folders = about.path.as_str().split('/').collect::<Vec<_>>();
    for (at, folder) in folders.iter().enumerate() {
        if *folder == names[0] {
            prefixes.push([&folders[..at], &[""]].concat().join("/"));
        }
    }
    prefixes
        .iter()
        .flat_map(|prefix| {
            [
                RepoPath::new(&format!("{prefix}{inside}.{end}")),
                RepoPath::new(&format!("{prefix}{inside}/__init__.{end}")),
            ]
        })
        .collect()
}

fn define(
    workspace: &Workspace,
    task: TaskRef,
    path: &RepoPath,
    qualname: &str,
) -> Option<Definition> {
    let file = workspace.project_file(task, path).ok()?;
    let found = file
        .outline()
        .definitions
        .iter()
        .find(|found| found.qualname == qualname)?;
    let kind = match found.kind {
        DefinitionKind::Class => "class",
        DefinitionKind::Function => "function",
        DefinitionKind::Method => "method",
    };
    Some(Definition {
        path: path.clone(),
        lines: found.whole,
        kind: kind.to_owned(),
    })
}
