//! Dependency levels: how far a function reaches.

use std::collections::BTreeSet;

use serde::Serialize;

use super::dependencies::DependencyResolver;
use super::java;
use super::outline::Definition;
use super::python::{self, Expr, ExprId, Facts};
use super::resolve::{Origin, Resolver};
use super::stdlib::{Minor, is_builtin, is_standard_module};
use crate::benchmark::{DependencyType, Language, Level, RepoPath};

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

    fn import(&mut self, module: &str, version: Option<Minor>) {
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

/// What code without its file reaches, such as generated code. A name that it does not define counts as a module of the
/// standard library if there is a module of this name, and as unknown otherwise.
pub fn reach_of_code(language: Language, code: &str, version: Option<Minor>) -> DependencyScope {
    match language {
        Language::Python => reach_of_python(&python::read(code.as_bytes()), version),
        Language::Java => java::reach_of_code(code),
    }
}

fn reach_of_python(facts: &Facts, version: Option<Minor>) -> DependencyScope {
    let mut reach = DependencyScope::default();
    for import in &facts.imports {
        if import.level > 0 {
            reach.project = true;
        } else {
            reach.import(&import.module, version);
        }
    }
    for id in 0..u32::try_from(facts.exprs.len()).unwrap_or(u32::MAX) {
        let expr = ExprId(id);
        match facts.expr(expr) {
            Expr::Name(name) if !facts.targets[id as usize] => {
                let text = facts.text(name);
                if Resolver::is_bound(facts, expr, name) || is_builtin(text) {
                    continue;
                }
                if is_standard_module(text, version) {
                    reach.standard.insert(text.to_owned());
                } else {
                    reach.unknown.insert(text.to_owned());
                }
            }
            Expr::Attribute(base, _) => {
                if let Expr::Name(name) = facts.expr(base) {
                    let text = facts.text(name);
                    reach.own_class |= text == "self" || text == "cls";
                }
            }
            _ => {}
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(code: &str) -> Level {
        reach_of_code(Language::Python, code, None).coder_eval()
    }

    #[test]
    fn the_farthest_reach_is_the_level() {
        assert_eq!(
            level("def f(a):\n    return len(a)\n"),
            Level::SelfContained
        );
        assert_eq!(
            level("def f(a):\n    return os.path.join(a)\n"),
            Level::StandardLibrary
        );
        assert_eq!(
            level("import numpy as np\ndef f(a):\n    return np.sum(a)\n"),
            Level::ThirdParty
        );
        assert_eq!(level("def f(self):\n    return self.x\n"), Level::Class);
        assert_eq!(
            level("def f(self):\n    return helper(self.x)\n"),
            Level::File
        );
        assert_eq!(
            level("from . import a\ndef f():\n    return a\n"),
            Level::Project
        );
    }

    #[test]
    fn human_evo_counts_the_project_only() {
        let mut reach = DependencyScope::default();
        reach.third_party.insert("numpy".to_owned());
        assert_eq!(reach.human_evo(), Level::Standalone);
        reach.own_class = true;
        assert_eq!(reach.human_evo(), Level::IntraClass);
        reach.own_file = true;
        assert_eq!(reach.human_evo(), Level::InterClass);
    }
}
