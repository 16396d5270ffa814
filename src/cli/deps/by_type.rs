//! Dependencies by type.

use serde::Serialize;

use crate::benchmark::{Dependency, DependencyType};
use crate::code::Dependencies;
use crate::workspace::CompletionUse;

/// Names by type, as `--json` prints them.
#[derive(Debug, Default, Serialize)]
pub(super) struct ByType {
    intra_class: Vec<String>,
    intra_file: Vec<String>,
    cross_file: Vec<String>,
}

impl ByType {
    fn of<'a>(names: impl IntoIterator<Item = (DependencyType, &'a str)>) -> Self {
        let mut lists = Self::default();
        for (dependency_type, name) in names {
            let list = match dependency_type {
                DependencyType::IntraClass => &mut lists.intra_class,
                DependencyType::IntraFile => &mut lists.intra_file,
                DependencyType::CrossFile => &mut lists.cross_file,
            };
            list.push(name.to_owned());
        }
        lists
    }

    pub(super) fn of_labels(labels: &[Dependency]) -> Self {
        Self::of(
            labels
                .iter()
                .map(|label| (label.dependency_type, label.namespace.as_str())),
        )
    }

    pub(super) fn of_use(used: &CompletionUse) -> Self {
        let names = used.names.iter();
        Self::of(names.map(|name| (name.dependency_type, name.namespace.as_str())))
    }

    pub(super) fn of_found(found: &Dependencies) -> Self {
        let names = found.found.iter();
        Self::of(names.map(|found| (found.dependency_type, found.namespace.as_str())))
    }
}
