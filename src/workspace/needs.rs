//! Lists the dependencies of a task's code in the project, for the dependency pane and `deps`. A *need* is a
//! dependency that the benchmark labels, that the analysis finds, or both.

use std::collections::BTreeSet;

use super::analyses::Analyses;
use super::benchmarks::TaskRef;
use super::open::Workspace;
use crate::benchmark::{DependencyType, LineSpan, Namespace, RepoPath};
use crate::code::{DependencyResolver, ElementKind, FoundDependency, Use};
use crate::context::ContextItem;
use crate::error::{Cancel, Result};

/// The definition of a dependency in the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The file that contains the definition.
    pub path: RepoPath,
    /// The lines of the definition, without its decorators. Line 1 for a module, and for an attribute that is set only
    /// with `setattr` or `__dict__`.
    pub lines: LineSpan,
    /// The kind of element that is defined.
    pub kind: ElementKind,
}

impl Definition {
    /// Whether a snippet in `items` contains the first line of the definition.
    pub fn is_in(&self, items: &[ContextItem]) -> bool {
        let first = self.lines.first();
        items
            .iter()
            .any(|item| item.path == self.path && (item.start..=item.end).contains(&first))
    }
}

/// A dependency of a task's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The dotted name of the dependency, as benchmarks write it.
    pub namespace: Namespace,
    /// The dependency path: `A.py::ClassB::close`. If the definition was not found, the dotted name.
    pub path: String,
    /// Where the definition is, seen from the code that uses it: in the same class, the same file, or another file.
    pub dependency_type: DependencyType,
    /// The definition of the dependency. `None` if it was not found in the project.
    pub definition: Option<Definition>,
    /// Whether the benchmark labels the dependency. If false, only the analysis found it.
    pub labelled: bool,
    /// Where the code uses the dependency. Empty if the analysis found no use.
    pub uses: Vec<Use>,
}

impl Need {
    fn of(found: FoundDependency, dependency_type: DependencyType, labelled: bool) -> Self {
        let definition = Definition {
            path: found.file,
            lines: found.lines.unwrap_or(LineSpan::line(1)),
            kind: found.kind,
        };
        Self {
            namespace: found.namespace,
            path: found.path,
            dependency_type,
            definition: Some(definition),
            labelled,
            uses: found.uses,
        }
    }

    fn found(found: FoundDependency) -> Self {
        let dependency_type = found.dependency_type;
        Self::of(found, dependency_type, false)
    }

    /// Whether the dependency can have dependencies itself: only functions and methods can.
    pub fn can_need(&self) -> bool {
        let kind = self.definition.as_ref().map(|found| found.kind);
        matches!(kind, Some(ElementKind::Function | ElementKind::Method))
    }
}

impl Analyses {
    /// The dependencies of the task's reference code. First come those that the benchmark labels, in the order and
    /// with the types of the labels. Then come those that only the analysis finds. The analysis finds none if the
    /// target is not in its file, or if the task is not written in Python. Errors when the project's sources are not
    /// available, or when cancelled.
    pub fn needs(
        &self,
        workspace: &Workspace,
        task: TaskRef,
        cancel: &Cancel,
    ) -> Result<Vec<Need>> {
        let project = self.project(workspace, task, cancel)?;
        let resolver = DependencyResolver::new(&project);
        let target = self.target(workspace, task, cancel).ok();
        let mut found = target.map_or_else(Vec::new, |target| target.reference(&resolver).found);
        let mut needs = Vec::new();
        for label in workspace.detail(task)?.dependencies {
            cancel.check()?;
            let kind = label.dependency_type;
            let at = found
                .iter()
                .position(|own| own.namespace == label.namespace);
            let known = at
                .map(|at| found.remove(at))
                .or_else(|| resolver.named(&label.namespace, kind));
            needs.push(match known {
                Some(known) => Need::of(known, kind, true),
                None => Need {
                    path: label.namespace.to_string(),
                    namespace: label.namespace,
                    dependency_type: kind,
                    definition: None,
                    labelled: true,
                    uses: Vec::new(),
                },
            });
        }
        needs.extend(found.into_iter().map(Need::found));
        Ok(needs)
    }

    /// The dependencies of the function or method `namespace` in the task's project. Empty if the project has no such
    /// function or method. Errors when the project's sources are not available, or when cancelled.
    pub fn in_turn(
        &self,
        workspace: &Workspace,
        task: TaskRef,
        namespace: &Namespace,
        cancel: &Cancel,
    ) -> Result<Vec<Need>> {
        let project = self.project(workspace, task, cancel)?;
        let resolver = DependencyResolver::new(&project);
        let found = resolver.named(namespace, DependencyType::CrossFile);
        let needs = found.map_or_else(Vec::new, |found| resolver.in_turn(&found).found);
        Ok(needs.into_iter().map(Need::found).collect())
    }

    /// The dependencies of a completion that replaces the target. `None` if the completion has syntax errors or is only
    /// `pass`. Errors when the target cannot be found in the sources.
    pub fn needs_of_completion(
        &self,
        workspace: &Workspace,
        task: TaskRef,
        completion: &str,
        cancel: &Cancel,
    ) -> Result<Option<Vec<Need>>> {
        let target = self.target(workspace, task, cancel)?;
        let found = target.completion(completion);
        Ok(found.map(|found| found.found.into_iter().map(Need::found).collect()))
    }
}

/// Compares the dependencies of the reference code with those of a completion. The first list has one entry for each of
/// `reference`: whether the completion uses the dependency. The second list has the dependencies that only the
/// completion uses.
pub fn compared(reference: &[Need], completion: &[Need]) -> (Vec<bool>, Vec<Need>) {
    let written: BTreeSet<&Namespace> = completion.iter().map(|need| &need.namespace).collect();
    let wanted: BTreeSet<&Namespace> = reference.iter().map(|need| &need.namespace).collect();
    let used = reference
        .iter()
        .map(|need| written.contains(&need.namespace))
        .collect();
    let extra = completion
        .iter()
        .filter(|need| !wanted.contains(&need.namespace))
        .cloned()
        .collect();
    (used, extra)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Workspace {
        Workspace::sample().unwrap()
    }

    fn names(needs: &[Need]) -> Vec<&str> {
        needs.iter().map(|need| need.namespace.name()).collect()
    }

    #[test]
    fn the_dependencies_of_a_dependency_are_found_and_a_completion_is_compared() {
        let (workspace, studies, cancel) = (sample(), Analyses::default(), Cancel::default());
        let task = workspace.find("siskin.rings.RingStock.take").unwrap();
        let needs = studies.needs(&workspace, task, &cancel).unwrap();
        assert!(names(&needs).contains(&"following"), "{needs:?}");
        let following = needs
            .iter()
            .find(|need| need.namespace.name() == "following")
            .unwrap();
        assert!(following.can_need());
        let turn = studies.in_turn(&workspace, task, &following.namespace, &cancel);
        assert_eq!(names(&turn.unwrap()), ["series", "number"]);
        let text = "        check_letter('A')\n        return self.first\n";
        let written = studies.needs_of_completion(&workspace, task, text, &cancel);
        let (used, extra) = compared(&needs, &written.unwrap().unwrap());
        let used = needs.iter().zip(used).filter(|(_, used)| *used);
        let used: Vec<_> = used.map(|(need, _)| need.namespace.name()).collect();
        assert_eq!(used, ["first", "Ring"]);
        assert_eq!(names(&extra), ["check_letter"]);
    }

    #[test]
    fn a_completion_that_does_not_parse_has_no_list_of_dependencies() {
        let (workspace, studies, cancel) = (sample(), Analyses::default(), Cancel::default());
        let task = workspace.find("siskin.rings.RingStock.take").unwrap();
        let written = studies.needs_of_completion(&workspace, task, "return (\n", &cancel);
        assert_eq!(written.unwrap(), None);
    }
}
