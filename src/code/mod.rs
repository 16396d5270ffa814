//! The meaning of source code: parsing, outlines, imports, symbols, dependency resolution and levels, cached by blob
//! id.

mod answer;
mod chunks;
mod declared;
mod dependencies;
mod differences;
mod extraction;
mod identifiers;
mod imports;
mod java;
mod levels;
mod locate;
mod outline;
mod project;
mod python;
mod resolve;
mod splice;
mod stdlib;
mod syntax;
mod test_mutations;
mod whole_function;
mod whole_method;

pub use answer::{body_by_name, continuation_body, official_body};
pub use chunks::chunks;
pub use declared::{Declared, DeclaredFunction, TouchedFile, declared_functions};
pub use dependencies::{Dependencies, DependencyResolver, ElementKind, FoundDependency, Use};
pub use differences::{Difference, differences};
pub use extraction::{Extracted, Extraction, OtherBody};
pub use identifiers::identifiers;
pub use imports::imported_files;
pub use java::JavaProject;
pub use levels::{DependencyScope, reach_of_code};
pub use locate::{Anchor, AnchorState, Sought, locate, locate_in};
pub use outline::{Definition, DefinitionKind, Outline, outline};
pub use project::{Library, Project};
pub(crate) use python::{
    NamedValues, find_function, import_roots, listed_elements, parameter_values, top_level_modules,
};
pub use splice::{adjust_indent, level_first_lines, parses_as_python, splice, splice_java};
pub use stdlib::{Minor, is_builtin, is_standard_module};
pub use syntax::Bounds;
pub(crate) use syntax::{ancestors, children, first_line, last_line, module, name_of, parse};
pub(crate) use test_mutations::{
    Edit, Mutation, MutationKind, TestFunction, edited, is_test_support, java_test_place,
    test_source,
};
pub use test_mutations::{Sources, without_parameters};
pub use whole_function::{Placed, place};
