//! Finds the target of a task: by its namespace in the syntax tree; the recorded position is a hint.

use super::language::support;
use super::outline::{Outline, outline};
use super::sought::{Anchor, AnchorState, Choice, Sought, is_at};

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
    let choice = support(sought.language).choose(outline, sought);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Language, LineSpan, Namespace, Position, RepoPath};

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
