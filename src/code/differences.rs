//! Compares the dependencies that Evoscope finds in a target with the labels of the task, and explains each difference.
//! The labels are the dependencies that the benchmark lists for the task.

use serde::Serialize;

use super::dependencies::{Dependencies, DependencyResolver};
use crate::benchmark::{Dependency, DependencyType, Namespace};

/// A dependency that is labelled but not found, or found but not labelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The dotted name of the dependency.
    pub namespace: Namespace,
    /// The type of the dependency: the labelled type if `missing` is true, otherwise the found type.
    #[serde(rename = "type")]
    pub dependency_type: DependencyType,
    /// True if the dependency is labelled but not found, false if it is found but not labelled.
    pub missing: bool,
    /// An explanation of the difference, for users.
    pub cause: String,
}

/// The differences between `labels` and `found`. `code` is the text of the target. Missing dependencies come first, in
/// the order of `labels`. Dependencies without a label follow, in the order of `found`.
pub fn differences(
    resolver: &DependencyResolver<'_>,
    labels: &[Dependency],
    found: &Dependencies,
    code: &str,
) -> Vec<Difference> {
    let is_found = |name: &Namespace| found.found.iter().any(|known| known.namespace == *name);
    let is_labelled = |name: &Namespace| labels.iter().any(|known| known.namespace == *name);
    let unlabelled: Vec<&Namespace> = found
        .found
        .iter()
        .map(|known| &known.namespace)
        .filter(|name| !is_labelled(name))
        .collect();
    let missing: Vec<&Dependency> = labels
        .iter()
        .filter(|label| !is_found(&label.namespace))
        .collect();
    let mut differences: Vec<Difference> = missing
        .iter()
        .map(|label| Difference {
            namespace: label.namespace.clone(),
            dependency_type: label.dependency_type,
            missing: true,
            cause: why_missing(resolver, &label.namespace, &unlabelled, code),
        })
        .collect();
    for extra in found
        .found
        .iter()
        .filter(|known| !is_labelled(&known.namespace))
    {
        let twin = missing
            .iter()
            .find(|label| label.namespace.name() == extra.namespace.name());
        let line = extra.uses.first().map_or(0, |place| place.line);
        differences.push(Difference {
            namespace: extra.namespace.clone(),
            dependency_type: extra.dependency_type,
            missing: false,
            cause: match twin {
                Some(label) => format!("labelled as {}", label.namespace),
                None => format!("used in line {line}, not labelled"),
            },
        });
    }
    differences
}

fn why_missing(
    resolver: &DependencyResolver<'_>,
    label: &Namespace,
    unlabelled: &[&Namespace],
    code: &str,
) -> String {
    let own_name = label.name();
    if let Some(twin) = unlabelled.iter().find(|name| name.name() == own_name) {
        return format!("the name means {twin} here");
    }
    let (bare, attribute) = occurrences(code, own_name);
    if !resolver.defines(label) {
        return "the project has no such element".to_owned();
    }
    match (bare, attribute) {
        (0, 0) => "its name is not in the code".to_owned(),
        (0, _) => "the type of the object before the dot is unknown".to_owned(),
        _ => {
            "here the name means a built-in, a local variable or something else outside the project"
                .to_owned()
        }
    }
}

/// (number of occurrences of `name` without a dot before it, number of occurrences after a dot). Longer names that
/// contain `name` do not count.
fn occurrences(code: &str, name: &str) -> (usize, usize) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut counts = (0, 0);
    for (at, _) in code.match_indices(name) {
        let before = code[..at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        if before.is_some_and(is_word) || after.is_some_and(is_word) {
            continue;
        }
        if before == Some('.') {
            counts.1 += 1;
        } else {
            counts.0 += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_as_words() {
        assert_eq!(occurrences("a.len + len(x) - length", "len"), (1, 1));
        assert_eq!(occurrences("", "x"), (0, 0));
    }
}
