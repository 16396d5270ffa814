//! Finds the definition of a task's target in a file by the target's namespace (its dotted name). The position in the
//! task's record is only a hint.

use super::language::support;
use super::outline::{Outline, outline};
use super::sought::{Anchor, AnchorState, Choice, Sought, is_at};

/// Finds a target in the file with the text `source`.
///
/// A namespace consists of the name of the module and the target's qualname (its name inside the file). The components
/// that match the file's path are taken as the module, also in `src` layouts and for `__init__.py`.
///
/// In Python, several definitions may have this qualname, for example a property and its setter, or the branches of an
/// `if`. The definition nearest to the recorded signature is the target. If no position is recorded, the last
/// definition is the target, because it replaces the others when the module is executed. Signatures with
/// `typing.overload` are taken only if there is no other definition.
///
/// If no definition has the qualname, only the last component of the namespace is compared. The function with this name
/// that is nearest to the recorded signature is the target. If no position is recorded, the file must have only one
/// such function.
///
/// In Java, several methods may have this qualname. The method with the recorded parameters is the target. If several
/// methods are possible, the recorded position decides. Otherwise the target is `Ambiguous`.
///
/// A target that is not found is `Missing`.
pub fn locate(sought: Sought<'_>, source: &[u8]) -> Anchor {
    locate_in(&outline(sought.language, source), sought)
}

/// Does the same as [`locate`], with the outline of the file instead of its text.
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
    fn the_definition_nearest_to_the_recorded_position_is_the_target() {
        let getter = find("pkg.mod.A.size", "src/pkg/mod.py", Some((5, 6)));
        assert_eq!((getter.state, line(&getter)), (AnchorState::Exact, 5));
        let setter = find("pkg.mod.A.size", "src/pkg/mod.py", Some((10, 11)));
        assert_eq!((setter.state, line(&setter)), (AnchorState::Moved, 9));
        assert_eq!(line(&find("pkg.f", "pkg/__init__.py", None)), 16);
    }

    #[test]
    fn a_record_may_give_the_whole_function_as_the_body() {
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
    fn a_target_that_the_file_does_not_define_is_missing() {
        let gone = find("pkg.mod.A.area", "pkg/mod.py", Some((5, 6)));
        assert_eq!((gone.state, gone.definition), (AnchorState::Missing, None));
    }

    #[test]
    fn a_namespace_without_a_module_is_found_by_its_qualname() {
        assert_eq!(line(&find("A.size", "anywhere.py", Some((9, 10)))), 9);
        assert_eq!(find("size", "x.py", None).state, AnchorState::Missing);
    }
}
