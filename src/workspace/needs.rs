//! What a task's code needs of its project, as the dependency pane and `deps` show it: labelled and found, in turn, and
//! set against a completion.

use std::collections::BTreeSet;

use super::analyses::Analyses;
use super::benchmarks::TaskRef;
use super::open::Workspace;
use crate::benchmark::{DependencyType, LineSpan, Namespace, RepoPath};
use crate::code::{DependencyResolver, ElementKind, FoundDependency, Use};
use crate::context::ContextItem;
use crate::error::{Cancel, Result};

/// Where a dependency is defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The file.
    pub path: RepoPath,
    /// Its lines, decorators included; the first line for a module.
    pub lines: LineSpan,
    /// What it defines.
    pub kind: ElementKind,
}

impl Definition {
    /// Whether one of the items holds its first line.
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
    /// Its name in the benchmark's form.
    pub namespace: Namespace,
    /// The dependency path: `A.py::ClassB::close`; the name where it was not found.
    pub path: String,
    /// Where it is defined, seen from the code that uses it.
    pub dependency_type: DependencyType,
    /// Where it was found; `None` while nobody looked, and when it was not found.
    pub definition: Option<Definition>,
    /// Whether the benchmark labels it; otherwise only the analysis found it.
    pub labelled: bool,
    /// Where the code uses it.
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

    /// Whether it can depend on something in turn: functions and methods do.
    pub fn can_need(&self) -> bool {
        let kind = self.definition.as_ref().map(|found| found.kind);
        matches!(kind, Some(ElementKind::Function | ElementKind::Method))
    }
}

impl Analyses {
    /// What the task's reference code needs: what the benchmark labels, in its order and with its types, then what only
    /// the analysis finds. Where the target is not in its file, and in languages that the analysis does not read, the
    /// labels alone. Errors when the project's sources are not available, or when cancelled.
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

    /// What a dependency of the task needs in turn; nothing for one that is no function, or is not in the project.
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

    /// What a completion needs in the target's place; `None` when it has syntax errors there, or means 'no code
    /// found'.
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

/// Compares the reference's needs with a completion's: which of the reference's it uses, in their order, and what it uses
/// beyond them.
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
    fn a_dependency_has_dependencies_in_turn_and_a_completion_is_set_against_them() {
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
    fn a_completion_that_does_not_parse_needs_nothing_that_is_known() {
        let (workspace, studies, cancel) = (sample(), Analyses::default(), Cancel::default());
        let task = workspace.find("siskin.rings.RingStock.take").unwrap();
        let written = studies.needs_of_completion(&workspace, task, "return (\n", &cancel);
        assert_eq!(written.unwrap(), None);
    }
}
