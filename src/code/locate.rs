//! Where a task's target is: by its namespace in the syntax tree; the recorded position is a hint.

mod java;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::outline::{Definition, DefinitionKind, Outline, outline};
use crate::benchmark::{Language, Namespace, ParameterTypes, Position, RepoPath, Task, vocabulary};
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

/// Finds a target in the file with the text `source`.
///
/// The leading components of the namespace that name the file (`src` layouts and `__init__.py` included) are left out;
/// the rest is the qualname. Of several definitions of Python with that qualname (property setters, branches of an `if`;
/// `typing.overload`'s signatures come last) the one nearest to the recorded signature wins, without a record the last,
/// which is the one that holds when the module has run. Of several methods of Java, the one with these parameters is
/// meant, or the one at the recorded position; where neither chooses one, the target is ambiguous. Bad input is
/// `Missing`, never an error.
pub fn locate(sought: Sought<'_>, source: &[u8]) -> Anchor {
    locate_in(&outline(sought.language, source), sought)
}

/// [`locate`] in an outline that was made before.
pub fn locate_in(outline: &Outline, sought: Sought<'_>) -> Anchor {
    let choice = match sought.language {
        Language::Python => {
            python_definition(outline, sought).map_or_else(Choice::none, Choice::One)
        }
        Language::Java => java::choose(outline, sought),
    };
    let (state, definition, candidates) = match choice {
        Choice::One(found) => match sought.position {
            Some(place) if !is_at(found, place) => (AnchorState::Moved, Some(found), Vec::new()),
            _ => (AnchorState::Exact, Some(found), Vec::new()),
        },
        Choice::None(others) => (AnchorState::Missing, None, others),
        Choice::Several(these) => (AnchorState::Ambiguous, None, these),
    };
    Anchor {
        state,
        definition: definition.cloned(),
        candidates: candidates.into_iter().cloned().collect(),
    }
}

/// Which of a file's definitions is meant.
enum Choice<'a> {
    One(&'a Definition),
    /// None, though these have its name.
    None(Vec<&'a Definition>),
    /// Nothing says which of these.
    Several(Vec<&'a Definition>),
}

impl Choice<'_> {
    fn none() -> Self {
        Self::None(Vec::new())
    }
}

fn python_definition<'a>(outline: &'a Outline, sought: Sought<'_>) -> Option<&'a Definition> {
    named(outline, sought)
        .or_else(|| by_own_name(outline, sought.namespace.name(), sought.position))
}

/// Whether a definition is where the record says. A record that gives the function as one span, or its first line only
/// (`CoderEval`'s `lineno` and `end_lineno`), has a body that begins with the signature.
fn is_at(found: &Definition, place: Position) -> bool {
    let (signature, body) = (found.signature, found.body);
    if place.body.first() > place.signature.first() {
        return signature == place.signature && body == place.body;
    }
    let end = [place.signature.last(), body.last(), found.whole.last()];
    signature.first() == place.signature.first() && end.contains(&place.body.last())
}

/// The places in the namespace where the qualname may start, the likeliest first: after the components that match the
/// file's path, then every other place from the left.
fn qualname_starts(names: &[&str], path: &RepoPath, language: Language) -> Vec<usize> {
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
        if language == Language::Python && stem != "__init__" {
            components.push(stem);
        }
    }
    components
}

fn named<'a>(outline: &'a Outline, sought: Sought<'_>) -> Option<&'a Definition> {
    let names: Vec<&str> = sought.namespace.components().collect();
    let starts = qualname_starts(&names, sought.path, sought.language);
    starts.into_iter().find_map(|start| {
        let qualname = names[start..].join(".");
        let same = outline.definitions.iter();
        choose(
            same.filter(|each| each.qualname == qualname),
            sought.position,
        )
    })
}

/// A function of that own name anywhere, where a position identifies it or only one exists.
fn by_own_name<'a>(
    outline: &'a Outline,
    name: &str,
    recorded: Option<Position>,
) -> Option<&'a Definition> {
    let mut same = outline
        .definitions
        .iter()
        .filter(|found| found.kind != DefinitionKind::Class && found.name() == name);
    if recorded.is_some() {
        return choose(same, recorded);
    }
    let only = same.next()?;
    same.next().is_none().then_some(only)
}

fn choose<'a>(
    candidates: impl Iterator<Item = &'a Definition>,
    recorded: Option<Position>,
) -> Option<&'a Definition> {
    match recorded {
        Some(place) => candidates.min_by_key(|found| {
            let distance = found.signature.first().abs_diff(place.signature.first());
            (found.overload, distance)
        }),
        None => candidates.max_by_key(|found| (!found.overload, found.whole.first())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::LineSpan;

    const SOURCE: &[u8] = b"import x\n\nclass A:\n    @property\n    def size(self):\n        return 1\n\n    @size.setter\n    def size(self, value):\n        self.n = value\n\nif x:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n";

    fn sought<'a>(
        namespace: &'a Namespace,
        path: &'a RepoPath,
        position: Option<Position>,
    ) -> Sought<'a> {
        Sought {
            namespace,
            path,
            position,
            parameters: None,
            language: Language::Python,
        }
    }

    fn find(namespace: &str, path: &str, signature: Option<(u32, u32)>) -> Anchor {
        let position = signature.map(|(signature, body)| Position {
            signature: LineSpan::line(signature),
            body: LineSpan::line(body),
        });
        let namespace = Namespace::new(namespace).unwrap();
        locate(sought(&namespace, &RepoPath::new(path), position), SOURCE)
    }

    fn line(anchor: &Anchor) -> u32 {
        anchor.definition.as_ref().unwrap().signature.first()
    }

    #[test]
    fn the_nearest_of_several_is_the_target() {
        let getter = find("pkg.mod.A.size", "src/pkg/mod.py", Some((5, 6)));
        assert_eq!((getter.state, line(&getter)), (AnchorState::Exact, 5));
        let setter = find("pkg.mod.A.size", "src/pkg/mod.py", Some((10, 11)));
        assert_eq!((setter.state, line(&setter)), (AnchorState::Moved, 9));
        assert_eq!(line(&find("pkg.f", "pkg/__init__.py", None)), 16);
    }

    #[test]
    fn a_record_may_give_the_function_as_one_span() {
        let namespace = Namespace::new("pkg.mod.A.size").unwrap();
        for (last, state) in [
            (10, AnchorState::Exact),
            (9, AnchorState::Exact),
            (11, AnchorState::Moved),
        ] {
            let recorded = Position {
                signature: LineSpan::line(9),
                body: LineSpan::new(9, last).unwrap(),
            };
            let path = RepoPath::new("pkg/mod.py");
            let found = locate(sought(&namespace, &path, Some(recorded)), SOURCE);
            assert_eq!(found.state, state, "to line {last}");
        }
    }

    #[test]
    fn what_is_not_there_is_missing() {
        let gone = find("pkg.mod.A.area", "pkg/mod.py", Some((5, 6)));
        assert_eq!((gone.state, gone.definition), (AnchorState::Missing, None));
    }

    #[test]
    fn a_bare_name_is_found_without_its_module() {
        assert_eq!(line(&find("A.size", "anywhere.py", Some((9, 10)))), 9);
        assert_eq!(find("size", "x.py", None).state, AnchorState::Missing);
    }
}
