//! Chooses which method of a Java file is the target, for example among overloads.

use crate::benchmark::ParameterTypes;
use crate::code::outline::{Definition, DefinitionKind, Outline};
use crate::code::sought::{Choice, Sought, is_at, qualname_starts};

/// Chooses among the methods with the target's name in the target's class. If there are no such methods, chooses among
/// the methods with the target's name in all classes of the file.
pub(super) fn choose<'a>(outline: &'a Outline, sought: Sought<'_>) -> Choice<'a> {
    let components: Vec<&str> = sought.namespace.components().collect();
    let methods = || {
        let all = outline.definitions.iter();
        all.filter(|each| each.kind != DefinitionKind::Class)
    };
    let starts = qualname_starts(&components, sought.path, sought.language);
    let of_class = starts.into_iter().find_map(|start| {
        let qualname = components[start..].join(".");
        let same: Vec<_> = methods().filter(|each| each.qualname == qualname).collect();
        (!same.is_empty()).then_some(same)
    });
    let same = of_class.unwrap_or_else(|| {
        let own = sought.namespace.name();
        methods().filter(|each| each.name() == own).collect()
    });
    among(same, sought)
}

/// Chooses among `same`, methods with the same name. The candidates are the methods with the recorded parameter types,
/// or all methods if no parameter types are recorded. The types take precedence over the recorded position, because
/// some benchmarks record the positions of another release of the project.
///
/// - No candidate: chooses the method at exactly the recorded position. Without such a method, [`Choice::None`].
/// - One candidate: chooses the candidate.
/// - Several candidates: chooses the only candidate that contains the recorded position. Otherwise [`Choice::Several`].
fn among<'a>(same: Vec<&'a Definition>, sought: Sought<'_>) -> Choice<'a> {
    let at_place = |found: &&Definition| {
        sought.position.is_some_and(|place| {
            is_at(found, place) || found.whole.contains(place.signature.first())
        })
    };
    let fitting = match sought.parameters {
        Some(parameters) => fitting(&same, parameters),
        None => same.clone(),
    };
    match fitting.as_slice() {
        [] => {
            // The types in the record may have an unknown notation. An exact position is reliable even then.
            let exact = sought
                .position
                .and_then(|place| same.iter().find(|found| is_at(found, place)).copied());
            exact.map_or(Choice::None(same), Choice::One)
        }
        [only] => Choice::One(only),
        several => {
            let mut here = several.iter().filter(|found| at_place(found));
            match (here.next(), here.next()) {
                (Some(only), None) => Choice::One(only),
                _ => Choice::Several(fitting),
            }
        }
    }
}

/// The methods with these parameter types. If there are none, the methods that have these types after type erasure.
fn fitting<'a>(same: &[&'a Definition], parameters: &ParameterTypes) -> Vec<&'a Definition> {
    let those = |fits: fn(&ParameterTypes, &ParameterTypes) -> bool| -> Vec<&'a Definition> {
        let found = same.iter().copied();
        found
            .filter(|each| {
                each.parameters
                    .as_ref()
                    .is_some_and(|own| fits(own, parameters))
            })
            .collect()
    };
    let exact = those(ParameterTypes::fits);
    if exact.is_empty() {
        those(ParameterTypes::fits_erased)
    } else {
        exact
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::benchmark::{Language, LineSpan, Namespace, Position, RepoPath};
    use crate::code::{AnchorState, locate};

    const SOURCE: &[u8] = b"package a.b;
public class C<T> {
  public C() { }
  public C(int n) { }
  void f(float x) { }
  void f(String x) { }
  @Deprecated
  <K> void f(java.util.Map.Entry<K, T> x, T... y) {
    g();
  }
  static class In {
    In(int n) { }
    void f(float x) { }
    void only() { }
  }
  interface I {
    default int g(int[] x) { return 1; }
  }
}
";

    fn find(
        namespace: &str,
        parameters: Option<&str>,
        line: Option<u32>,
    ) -> (AnchorState, Option<u32>) {
        let (namespace, path) = (
            Namespace::new(namespace).unwrap(),
            RepoPath::new("src/main/java/a/b/C.java"),
        );
        let parameters = parameters.map(|list| ParameterTypes::of_declaration(list).unwrap());
        let position = line.map(|line| Position {
            signature: LineSpan::line(line),
            body: LineSpan::line(line),
        });
        let sought = Sought {
            namespace: &namespace,
            path: &path,
            position,
            parameters: parameters.as_ref(),
            language: Language::Java,
        };
        let found = locate(sought, SOURCE);
        (
            found.state,
            found.definition.map(|found| found.signature.first()),
        )
    }

    #[test]
    fn parameter_types_select_the_overload() {
        for (name, parameters, line) in [
            ("a.b.C.C", "public C()", 3),
            ("a.b.C.C", "C(int count)", 4),
            ("a.b.C.f", "void f(float x)", 5),
            ("a.b.C.f", "f(java.lang.String)", 6),
            ("a.b.C.f", "f(Entry,Object[])", 8),
            ("a.b.C.In.In", "In(int n)", 12),
            ("a.b.C.In.f", "void f(float x)", 13),
            ("a.b.C.I.g", "default int g(final int... x)", 17),
            ("a.b.C.g", "int g(int x[])", 17),
        ] {
            let found = find(name, Some(parameters), None);
            assert_eq!(
                found,
                (AnchorState::Exact, Some(line)),
                "{name} {parameters}"
            );
        }
    }

    #[test]
    fn parameter_types_decide_before_the_recorded_position() {
        assert_eq!(
            find("a.b.C.f", Some("f(int)"), None),
            (AnchorState::Missing, None)
        );
        assert_eq!(
            find("a.b.C.f", Some("f(int)"), Some(6)),
            (AnchorState::Exact, Some(6))
        );
        assert_eq!(
            find("a.b.C.f", Some("f(float)"), Some(6)),
            (AnchorState::Moved, Some(5))
        );
        assert_eq!(find("a.b.C.f", None, None), (AnchorState::Ambiguous, None));
        assert_eq!(
            find("a.b.C.f", None, Some(40)),
            (AnchorState::Ambiguous, None)
        );
        assert_eq!(
            find("a.b.C.f", None, Some(9)),
            (AnchorState::Moved, Some(8))
        );
        assert_eq!(
            find("a.b.C.only", None, None),
            (AnchorState::Exact, Some(14))
        );
        assert_eq!(find("a.b.C.none", None, None), (AnchorState::Missing, None));
    }

    #[test]
    fn the_error_names_the_candidates() {
        let (namespace, path) = (Namespace::new("a.b.C.f").unwrap(), RepoPath::new("C.java"));
        let sought = Sought {
            namespace: &namespace,
            path: &path,
            position: None,
            parameters: None,
            language: Language::Java,
        };
        let fault = locate(sought, SOURCE).fault(&"t", std::path::Path::new("C.java"));
        let expected = "the target of 't' is ambiguous: C.f(float) at line 5, C.f(String) at line 6, C.f(java.util.Map.Entry, T[]) at line 8";
        assert_eq!(fault.what(), expected);
    }
}
