//! What the project needs of each language beyond its grammar.

use std::sync::Arc;

use tree_sitter::Tree;

use super::dependencies::Dependencies;
use super::levels::DependencyScope;
use super::outline::{Definition, Outline};
use super::placed::Placed;
use super::sought::{Choice, Sought};
use super::stdlib::Minor;
use super::test_mutations::{Sources, TestSource};
use crate::benchmark::{LineSpan, Namespace, RepoPath};
use crate::error::{Cancel, Result};
use crate::history::Snapshot;

/// What the project needs of a language. `python::Python` and `java::Java` implement it.
pub(crate) trait LanguageSupport: Sync {
    /// The files of the project that `source`, the file at `path` with this tree, imports, in the order of the imports.
    /// A file may occur several times.
    fn imported_files(
        &self,
        snapshot: &Snapshot,
        path: &RepoPath,
        source: &[u8],
        tree: &Tree,
    ) -> Vec<RepoPath>;

    /// Which definition of a file is the target.
    fn choose<'a>(&self, outline: &'a Outline, sought: Sought<'_>) -> Choice<'a>;

    /// What code without its file uses, such as generated code.
    fn reach_of_code(&self, code: &str, version: Option<Minor>) -> DependencyScope;

    /// Puts a whole function in the place of the function in `source` that has the lines `body` as its body. `None` if
    /// the completion does not define a function with the target's name; then it is a body.
    fn place_function(&self, source: &[u8], body: LineSpan, completion: &str) -> Option<Placed>;

    /// The file with the lines of `body` replaced by the completion, which is indented by `indent` columns.
    fn splice(&self, source: &[u8], body: LineSpan, completion: &str, indent: usize) -> Vec<u8>;

    /// Parses a test file, to change its tests. `None` if its text cannot be parsed.
    fn test_source<'t>(&self, text: &'t str) -> Option<Box<dyn TestSource + 't>>;

    /// Whether a file with this name probably has code that the tests next to it share.
    fn is_test_support(&self, name: &str) -> bool;

    /// Whether a function in a test file with this text is a test.
    fn is_test(&self, function: &Definition, text: &str) -> bool;

    /// Finds a test by an id with its class. `None` for languages that name tests by their file.
    fn class_test_place(&self) -> Option<ClassTestPlace> {
        None
    }

    /// Where the named elements of the project are defined, for a target with this name and path. No lines are given
    /// for a module. `None` for each element that the tree does not have.
    ///
    /// # Errors
    /// When a file cannot be read, or when cancelled.
    fn definition_places(
        &self,
        target: (&Namespace, &RepoPath),
        names: &[&Namespace],
        snapshot: &Snapshot,
        cancel: &Cancel,
    ) -> Result<Vec<Option<DefinitionPlace>>>;

    /// A project in which the dependencies of a method are found from declarations alone. `None` for languages with a
    /// [`DependencyResolver`](super::DependencyResolver).
    fn declared_project(&self, snapshot: Snapshot) -> Option<Arc<dyn DeclaredProject>> {
        let _ = snapshot;
        None
    }
}

/// Returns the file and the names (classes, then the function) of the test with an id.
pub(crate) type ClassTestPlace = fn(&str, &dyn Sources) -> Option<(RepoPath, Vec<String>)>;

/// The file of a definition, and its lines. No lines if it is a whole file.
pub(crate) type DefinitionPlace = (RepoPath, Option<LineSpan>);

/// A project in which dependencies are found from declarations alone.
pub trait DeclaredProject: Send + Sync {
    /// The dependencies of a method in the file at `path`, and what it uses inside and outside the project.
    fn dependencies(&self, path: &RepoPath, method: &Definition)
    -> (Dependencies, DependencyScope);
}
