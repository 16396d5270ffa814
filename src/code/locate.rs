//! Where a task's target stands: by its namespace in the syntax tree; the recorded position is a hint.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::outline::{Definition, DefinitionKind, Outline, outline};
use crate::benchmark::{Language, Namespace, Position, RepoPath, vocabulary};

vocabulary! {
    /// How the target's place relates to the recorded position.
    AnchorState: "an anchor state" {
        /// Found where the benchmark says, or found where the benchmark says nothing.
        Exact = "exact",
        /// Found on other lines than the benchmark says.
        Moved = "moved",
        /// Not found.
        Missing = "missing",
    }
}

/// Where a target stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Exact, moved or missing.
    pub state: AnchorState,
    /// The target's definition; `None` exactly when `state` is missing.
    pub definition: Option<Definition>,
}

impl Anchor {
    /// Signature and body as found.
    pub fn position(&self) -> Option<Position> {
        self.definition.as_ref().map(|found| Position {
            signature: found.signature,
            body: found.body,
        })
    }
}

/// Finds the target that `namespace` names in the file `path` with the text `source`.
///
/// The leading components of the namespace that name the file (`src` layouts and `__init__.py` included) are set aside;
/// the rest is the qualname. Of several definitions with that qualname (property setters, branches of an `if`;
/// `typing.overload`'s signatures come last) the one nearest to the recorded signature wins, without a record the last, which is the one that holds when
/// the module has run. Bad input is `Missing`, never an error.
pub fn locate(
    namespace: &Namespace,
    path: &RepoPath,
    recorded: Option<Position>,
    language: Language,
    source: &[u8],
) -> Anchor {
    locate_in(
        &outline(language, source),
        namespace,
        path,
        recorded,
        language,
    )
}

/// [`locate`] in an outline that is at hand already.
pub fn locate_in(
    outline: &Outline,
    namespace: &Namespace,
    path: &RepoPath,
    recorded: Option<Position>,
    language: Language,
) -> Anchor {
    let names: Vec<&str> = namespace.components().collect();
    let definition = qualname_starts(&names, path, language)
        .into_iter()
        .find_map(|start| nearest(outline, &names[start..].join("."), recorded))
        .or_else(|| by_own_name(outline, namespace.name(), recorded));
    let state = match (definition, recorded) {
        (None, _) => AnchorState::Missing,
        (Some(found), Some(place)) if !stands_at(found, place) => AnchorState::Moved,
        (Some(_), _) => AnchorState::Exact,
    };
    Anchor {
        state,
        definition: definition.cloned(),
    }
}

/// Whether a definition is where the record says. A record that gives the function as one span, or its first line only
/// (`CoderEval`'s `lineno` and `end_lineno`), has a body that begins with the signature.
fn stands_at(found: &Definition, place: Position) -> bool {
    let (signature, body) = (found.signature, found.body);
    if place.body.first() > place.signature.first() {
        return signature == place.signature && body == place.body;
    }
    let end = [place.signature.last(), body.last()];
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

fn nearest<'a>(
    outline: &'a Outline,
    qualname: &str,
    recorded: Option<Position>,
) -> Option<&'a Definition> {
    let same = outline
        .definitions
        .iter()
        .filter(|definition| definition.qualname == qualname);
    choose(same, recorded)
}

/// A function of that own name anywhere, where a position tells which one is meant or only one exists.
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

    fn find(namespace: &str, path: &str, signature: Option<(u32, u32)>) -> Anchor {
        let position = signature.map(|(signature, body)| Position {
            signature: LineSpan::line(signature),
            body: LineSpan::line(body),
        });
        let namespace = Namespace::new(namespace).unwrap();
        locate(
            &namespace,
            &RepoPath::new(path),
            position,
            Language::Python,
            SOURCE,
        )
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
            let found = locate(&namespace, &path, Some(recorded), Language::Python, SOURCE);
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
