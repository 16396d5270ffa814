//! The tree-sitter grammar of each language, with its query for syntax colours and its function for outlines.

use super::outline::step::StepFn;
use super::{java, python};
use crate::benchmark::Language;

/// See the module documentation.
pub(crate) struct Grammar {
    language: fn() -> tree_sitter::Language,
    /// The query for syntax colours. Each capture is named after a role of the theme.
    pub highlights: &'static str,
    /// Decides whether a node of the tree is a definition in the outline.
    pub(super) step: StepFn,
}

impl Grammar {
    /// The grammar as a tree-sitter language.
    pub fn language(&self) -> tree_sitter::Language {
        (self.language)()
    }
}

/// The grammar of a language.
pub(crate) fn grammar(language: Language) -> &'static Grammar {
    match language {
        Language::Python => &Grammar {
            language: || tree_sitter_python::LANGUAGE.into(),
            highlights: include_str!("python/highlights.scm"),
            step: python::outline::step,
        },
        Language::Java => &Grammar {
            language: || tree_sitter_java::LANGUAGE.into(),
            highlights: include_str!("java/highlights.scm"),
            step: java::outline::step,
        },
    }
}
