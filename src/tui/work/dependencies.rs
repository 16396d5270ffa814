//! Looking a task's dependencies up in its project.

use super::Desk;
use crate::benchmark::{Dependency, Language, RepoPath};
use crate::code::DefinitionKind;
use crate::error::{Cancel, Result};
use crate::tui::message::Answer;
use crate::tui::state::task::{Definition, DependencyRow};
use crate::workspace::{TaskRef, Workspace};

impl Desk {
    /// Finds where the labelled dependencies are defined.
    pub(super) fn dependencies(&self, task: TaskRef, cancel: &Cancel) -> Result<Answer> {
        let workspace = self.workspace()?;
        workspace.source_text(task)?;
        let mut rows = Vec::new();
        for dependency in workspace.detail(task)?.dependencies {
            cancel.check()?;
            rows.push(look_up(&workspace, task, dependency));
        }
        Ok(Answer::Dependencies(rows, Vec::new()))
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
