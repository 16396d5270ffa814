//! The description of a target that is searched for, and the result of the search.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::outline::Definition;
use crate::benchmark::{
    Language, LanguageFeature, Namespace, ParameterTypes, Position, RepoPath, Task, vocabulary,
};
use crate::error::Error;

vocabulary! {
    /// How the position of the target relates to the position in the task's record.
    AnchorState: "an anchor state" {
        /// The target is at the recorded position, or no position is recorded.
        Exact = "exact",
        /// The target is on other lines than the recorded position.
        Moved = "moved",
        /// The file does not have the target.
        Missing = "missing",
        /// The file has several overloads, and the record does not say which of them is the target.
        Ambiguous = "ambiguous",
    }
}

/// What is known about a target, and the file in which it is searched for.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    /// The target's dotted name.
    pub namespace: &'a Namespace,
    /// The path of the file.
    pub path: &'a RepoPath,
    /// The position in the task's record. It is only a hint.
    pub position: Option<Position>,
    /// The types of the parameters of a Java method. They select the overload.
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
    /// How the target was found.
    pub state: AnchorState,
    /// The target's definition. `None` if `state` is `Missing` or `Ambiguous`, and only then.
    pub definition: Option<Definition>,
    /// If no definition was chosen, the methods with the target's name, in the order of the file. Otherwise, and for
    /// Python, empty.
    pub candidates: Vec<Definition>,
}

impl Anchor {
    /// The lines of the target's signature and body. `None` if no definition was chosen.
    pub fn position(&self) -> Option<Position> {
        self.definition.as_ref().map(|found| Position {
            signature: found.signature,
            body: found.body,
        })
    }

    /// The error that explains why no definition of the target `name` was chosen in the file at `path`.
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
            format!("methods with its name have other parameters: {others}")
        })
    }
}

/// The choice of the target among the definitions of a file.
pub(crate) enum Choice<'a> {
    /// This definition is the target.
    One(&'a Definition),
    /// The file does not have the target. These methods have its name, but other parameters.
    None(Vec<&'a Definition>),
    /// Each of these may be the target.
    Several(Vec<&'a Definition>),
}

impl Choice<'_> {
    pub(super) fn none() -> Self {
        Self::None(Vec::new())
    }
}

/// Whether a definition is at the recorded position. A record may give the whole function as one span (`CoderEval`'s
/// `lineno` and `end_lineno`). If so, the recorded body begins with the signature, and only the first and the last line
/// are compared.
pub(super) fn is_at(found: &Definition, place: Position) -> bool {
    let (signature, body) = (found.signature, found.body);
    if place.body.first() > place.signature.first() {
        return signature == place.signature && body == place.body;
    }
    let end = [place.signature.last(), body.last(), found.whole.last()];
    signature.first() == place.signature.first() && end.contains(&place.body.last())
}

/// The indices in `names` at which the qualname may start, the most likely first. `names` are the components of a
/// namespace. The qualname is the part after the module, such as `Class.method`. If components match the file's path,
/// the index after them comes first. All other indices follow in ascending order.
pub(super) fn qualname_starts(names: &[&str], path: &RepoPath, language: Language) -> Vec<usize> {
    let modules = module_components(path, language);
    let matched = (0..modules.len())
        .map(|skip| &modules[skip..])
        .find(|tail| tail.len() < names.len() && names.starts_with(tail))
        .map(<[&str]>::len);
    let others = (0..names.len()).filter(|start| Some(*start) != matched);
    matched.into_iter().chain(others).collect()
}

/// The components of a file's path as a dotted module name: `src` and `mistune` for `src/mistune/__init__.py`. The name
/// of a Java file is left out, because it names a class and not a package.
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
