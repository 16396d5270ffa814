//! Tasks as the context settings see them.

use std::sync::Arc;

use super::benchmarks::TaskRef;
use super::open::Workspace;
use crate::context::{Asked, Target, input_code};
use crate::error::{Cancel, Error, Result};

impl Workspace {
    /// The task as the settings see it. The text of its newest file is left out where no source is at hand.
    ///
    /// # Errors
    /// Of kind data, when its record cannot be read.
    pub fn target(&self, task: TaskRef) -> Result<Target> {
        let told = self.task(task);
        let detail = self.detail(task)?;
        let query = detail.requirement.texts.first();
        let source = self.source_text(task).ok();
        let newest = match self.instance_tree(task) {
            Ok(Some(_)) => self.newest_text(task),
            _ => source.as_ref().map(|source| Arc::from(source.text())),
        };
        Ok(Target {
            namespace: told.namespace.clone(),
            path: source
                .as_ref()
                .map_or_else(|| told.path.clone(), |source| source.inside().clone()),
            position: told.position,
            language: told.language,
            query: query.map(|text| text.text.clone()).unwrap_or_default(),
            dependencies: detail.dependencies,
            newest,
        })
    }

    /// The text of the task's file in the newest tree; `None` where it is not there, as after a move.
    fn newest_text(&self, task: TaskRef) -> Option<Arc<str>> {
        let newest = self.newest(task, &Cancel::default()).ok()?;
        let bytes = newest.read_path(&self.task(task).path).ok()??;
        Some(Arc::from(&*String::from_utf8_lossy(&bytes)))
    }

    /// What a prompt asks for: the signature with the requirement as its docstring. The signature is the source's own,
    /// else the record's declaration.
    ///
    /// # Errors
    /// Of kind data, when the task has neither, or its record cannot be read.
    pub fn asked(&self, task: TaskRef) -> Result<Asked> {
        let told = self.task(task);
        let detail = self.detail(task)?;
        let source = self.source_text(task).ok();
        let found = source.as_ref().and_then(|source| {
            let definition = source.anchor(told).definition?;
            let signature = source.lines(definition.signature).to_owned();
            Some((signature, definition.indent as usize + 4))
        });
        let declared = || {
            detail
                .declaration
                .clone()
                .map(|declaration| (declaration, 4))
        };
        let (signature, indent) = found.or_else(declared).ok_or_else(|| {
            let (file, line) = self.record_place(task);
            Error::data(format!("no signature for '{}'", told.id))
                .at_line(file, u64::from(line))
                .hint("name the project's sources, so that its signature can be read")
        })?;
        let requirement = detail.requirement.texts.first();
        let arguments = detail.requirement.arguments.as_deref();
        let text = requirement
            .map(|text| text.text.as_str())
            .unwrap_or_default();
        Ok(Asked {
            function: told.namespace.name().to_owned(),
            input_code: input_code(
                &signature,
                text,
                arguments,
                detail.indent.map_or(indent, |n| n as usize),
            ),
            language: told.language,
        })
    }
}
