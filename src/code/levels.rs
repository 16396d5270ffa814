//! Dependency levels: how far a function reaches.

use std::collections::BTreeSet;

use serde::Serialize;

use super::dependencies::DependencyResolver;
use super::outline::Definition;
use super::resolve::Origin;
use super::stdlib::{Minor, is_builtin, is_standard_module};
use crate::benchmark::{DependencyType, Level, RepoPath};

/// What a function reaches, including everything inside it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DependencyScope {
    /// Members of its own class.
    pub own_class: bool,
    /// Other elements of its own file.
    pub own_file: bool,
    /// Other files of its project.
    pub project: bool,
    /// Top-level modules of the standard library (Java: packages).
    pub standard: BTreeSet<String>,
    /// Top-level modules that are in neither the project nor the standard library (Java: packages).
    pub third_party: BTreeSet<String>,
    /// Names that have no known definition.
    pub unknown: BTreeSet<String>,
}

impl DependencyScope {
    /// `CoderEval`'s runnable level: the farthest that is reached of project, file, class, third-party packages and
    /// standard library (`CoderEval` paper, table 'levels'). Names without a known definition count as reaching the
    /// file.
    pub fn coder_eval(&self) -> Level {
        if self.project {
            Level::Project
        } else if self.own_file || !self.unknown.is_empty() {
            Level::File
        } else if self.own_class {
            Level::Class
        } else if !self.third_party.is_empty() {
            Level::ThirdParty
        } else if !self.standard.is_empty() {
            Level::StandardLibrary
        } else {
            Level::SelfContained
        }
    }

    /// `HumanEvo`'s level: standalone, only its own class, or other classes and files.
    pub fn human_evo(&self) -> Level {
        if self.project || self.own_file {
            Level::InterClass
        } else if self.own_class {
            Level::IntraClass
        } else {
            Level::Standalone
        }
    }

    pub(super) fn import(&mut self, module: &str, version: Option<Minor>) {
        let top = module.split('.').next().unwrap_or(module).to_owned();
        if is_standard_module(&top, version) {
            self.standard.insert(top);
        } else {
            self.third_party.insert(top);
        }
    }
}

impl DependencyResolver<'_> {
    /// What a function of the project reaches. `version` is the Python with the standard library that counts; `None`
    /// for any version. `None` when the file does not have the definition.
    pub fn reach(
        &self,
        path: &RepoPath,
        definition: &Definition,
        version: Option<Minor>,
    ) -> Option<DependencyScope> {
        let mut reach = DependencyScope::default();
        let seen = self.reached(path, definition)?;
        for dependency_type in seen.types {
            match dependency_type {
                DependencyType::IntraClass => reach.own_class = true,
                DependencyType::IntraFile => reach.own_file = true,
                DependencyType::CrossFile => reach.project = true,
            }
        }
        for origin in seen.origins {
            match origin {
                Origin::External(module) => reach.import(&module, version),
                Origin::Unknown(name) if !is_builtin(&name) => {
                    reach.unknown.insert(name);
                }
                Origin::Unknown(_) | Origin::Inside => {}
            }
        }
        Some(reach)
    }
}
