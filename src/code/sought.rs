//! Where a task's target is: by its namespace in the syntax tree; the recorded position is a hint.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::outline::Definition;
use crate::benchmark::{
    Language, LanguageFeature, Namespace, ParameterTypes, Position, RepoPath, Task, vocabulary,
};
use crate::error::Error;

vocabulary! {
    /// How the target's place relates to the recorded position.
    AnchorState: "an anchor state" {
        /// Found where the benchmark says, or found where the benchmark says nothing.
        Exact = "exact",
        /// Found on other lines than the benchmark says.
        Moved = "moved",
        /// Not found.
        Missing = "missing",
        /// Several overloads are there, and the record does not say which one is meant.
        Ambiguous = "ambiguous",
    }
}

/// What is known of a target, and the file in which it is searched.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    /// Its dotted name.
    pub namespace: &'a Namespace,
    /// The file.
    pub path: &'a RepoPath,
    /// The recorded position, a hint.
    pub position: Option<Position>,
    /// The types of its parameters, where it is Java's: they name the overload.
    pub parameters: Option<&'a ParameterTypes>,
    /// The file's language.
    pub language: Language,
}

impl<'a> Sought<'a> {
    /// The target of a task, in the file `path`.
    pub fn of(task: &'a Task, path: &'a RepoPath) -> Self {
        Self {
            namespace: &task.namespace,
            path,
            position: task.position,
            parameters: task.parameters.as_ref(),
            language: task.language,
        }
    }
}

/// Where a target is in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// How its place relates to the recorded position.
    pub state: AnchorState,
    /// The target's definition; `None` exactly when `state` is missing or ambiguous.
    pub definition: Option<Definition>,
    /// The methods of its name where none was chosen, in the order of the file. Empty for Python.
    pub candidates: Vec<Definition>,
}

impl Anchor {
    /// Signature and body as found.
    pub fn position(&self) -> Option<Position> {
        self.definition.as_ref().map(|found| Position {
            signature: found.signature,
            body: found.body,
        })
    }

    /// Why there is no definition of the target `name` in `path`, with what to do about it.
    pub fn fault(&self, name: &dyn fmt::Display, path: &Path) -> Error {
        let shown =
            |each: &Definition| format!("{} at line {}", each.shown(), each.signature.first());
        let others: Vec<String> = self.candidates.iter().map(shown).collect();
        let others = others.join(", ");
        if self.state == AnchorState::Ambiguous {
            return Error::data(format!("the target of '{name}' is ambiguous: {others}"))
                .at(path)
                .hint("give the types of its parameters in the record (signature, function_declaration, or qualified_name as in a.b.C.f(int,String[])), or its exact position");
        }
        let missing = Error::data(format!("the target of '{name}' is not in the file")).at(path);
        missing.hint(if others.is_empty() {
            "check that the sources are the version from which the benchmark was made".to_owned()
        } else {
            format!("methods of its name have other parameters: {others}")
        })
    }
}

/// Which of a file's definitions is meant.
pub(crate) enum Choice<'a> {
    One(&'a Definition),
    /// None, though these have its name.
    None(Vec<&'a Definition>),
    /// Nothing says which of these.
    Several(Vec<&'a Definition>),
}

impl Choice<'_> {
    pub(super) fn none() -> Self {
        Self::None(Vec::new())
    }
}

/// Whether a definition is where the record says. A record that gives the function as one span, or its first line only
/// (`CoderEval`'s `lineno` and `end_lineno`), has a body that begins with the signature.
pub(super) fn is_at(found: &Definition, place: Position) -> bool {
    let (signature, body) = (found.signature, found.body);
    if place.body.first() > place.signature.first() {
        return signature == place.signature && body == place.body;
    }
    let end = [place.signature.last(), body.last(), found.whole.last()];
    signature.first() == place.signature.first() && end.contains(&place.body.last())
}

/// The places in the namespace where the qualname may start, the likeliest first: after the components that match the
/// file's path, then every other place from the left.
pub(super) fn qualname_starts(names: &[&str], path: &RepoPath, language: Language) -> Vec<usize> {
    let modules = module_components(path, language);
    let matched = (0..modules.len())
        .map(|skip| &modules[skip..])
        .find(|tail| tail.len() < names.len() && names.starts_with(tail))
        .map(<[&str]>::len);
    let others = (0..names.len()).filter(|start| Some(*start) != matched);
    matched.into_iter().chain(others).collect()
}

/// The dotted components that a file's path spells: `src/mistune/__init__.py` is `src.mistune`. A Java file's own name
/// is a class, not a package, so it is left out.
fn module_components(path: &RepoPath, language: Language) -> Vec<&str> {
    let mut components: Vec<&str> = path.as_str().split('/').collect();
    if let Some(file) = components.pop() {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        if !language.has(LanguageFeature::MethodsOnly) && stem != "__init__" {
            components.push(stem);
        }
    }
    components
}
