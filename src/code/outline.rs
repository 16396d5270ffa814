//! Outlines: the classes, functions and methods of a file with their lines.

pub(super) mod step;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use tree_sitter::Tree;

use self::step::{Part, Step, StepFn};
use super::grammar::grammar;
use super::parse::parse;
use super::syntax::Bounds;
use crate::benchmark::{Language, LineSpan, ParameterTypes, vocabulary};

vocabulary! {
    /// The kind of a definition.
    DefinitionKind: "a kind of definition" {
        /// A class (Java: also an interface, enum, record or annotation type).
        Class = "class",
        /// A function outside any class, or nested in another function.
        Function = "function",
        /// A function of a class (Java: also a constructor).
        Method = "method",
    }
}

/// A class, function or method of a file. Lines are 1-based and inclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Definition {
    /// The name inside its file, dotted: `Class.method`, `outer.inner`.
    pub qualname: String,
    /// Class, function or method.
    pub kind: DefinitionKind,
    /// The whole definition with its decorators and annotations, but without comments around it.
    pub whole: LineSpan,
    /// The lines from `def`, `async def` or `class` to the line before its first statement or docstring, as the
    /// benchmarks count them. Comments after the colon belong to it. Java: from the first word after the annotations to
    /// the line of the opening brace.
    pub signature: LineSpan,
    /// The lines of the statements, without the docstring and the comments around them, as the benchmarks count them.
    /// If a definition contains only a docstring, the docstring's lines; if it is empty, the last line of the
    /// signature.
    pub body: LineSpan,
    /// The docstring (Java: the Javadoc comment before the definition).
    pub docstring: Option<LineSpan>,
    /// Whether it is only a signature, decorated with `typing.overload`.
    pub overload: bool,
    /// The types of its parameters, if it is a Java method or constructor.
    #[serde(skip)]
    pub parameters: Option<ParameterTypes>,
    /// The index of the definition that contains it.
    pub parent: Option<usize>,
    /// The number of columns by which its first line is indented. A tab counts as one column.
    pub indent: u32,
}

impl Definition {
    /// The last component of the qualname.
    pub fn name(&self) -> &str {
        self.qualname.rsplit('.').next().unwrap_or(&self.qualname)
    }

    /// The qualname; in Java with the types of parameters: `C.f(int, String[])`.
    pub fn shown(&self) -> String {
        let parameters = self.parameters.as_ref().map(ParameterTypes::shown);
        format!("{}{}", self.qualname, parameters.unwrap_or_default())
    }
}

/// The definitions of one file, in the order of their first lines.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Outline {
    /// The definitions, including those inside `if`, `try`, `with` and loops. A qualname may occur several times.
    pub definitions: Vec<Definition>,
    /// What could not be read.
    pub bounds: Bounds,
}

impl Outline {
    /// The innermost definition with the 1-based `line` in its `whole` span.
    pub fn at_line(&self, line: u32) -> Option<&Definition> {
        self.definitions
            .iter()
            .filter(|definition| definition.whole.contains(line))
            .min_by_key(|definition| definition.whole.count())
    }
}

/// The outline of `source`. Never fails: of a file with syntax errors it has what can be read, and of a file beyond the
/// limits of the parser it has no definitions. `bounds` states both.
pub fn outline(language: Language, source: &[u8]) -> Outline {
    match parse(language, source) {
        Some(tree) => outline_of(language, &tree, source),
        None => Outline {
            definitions: Vec::new(),
            bounds: Bounds {
                errors: false,
                given_up: true,
            },
        },
    }
}

/// The outline of a file that has been parsed.
pub(crate) fn outline_of(language: Language, tree: &Tree, source: &[u8]) -> Outline {
    let step = grammar(language).step;
    let bounds = Bounds {
        errors: tree.root_node().has_error(),
        given_up: false,
    };
    Outline {
        definitions: collect(tree, source, step),
        bounds,
    }
}

fn collect(tree: &Tree, source: &[u8], step: StepFn) -> Vec<Definition> {
    let mut found: Vec<Definition> = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0_usize;
    let mut cursor = tree.walk();
    loop {
        while open.last().is_some_and(|&(at, _)| at >= depth) {
            open.pop();
        }
        let descend = match step(cursor.node(), source) {
            Step::Over => false,
            Step::Into => true,
            Step::Define(part) => {
                found.push(place(part, open.last().map(|&(_, index)| index), &found));
                open.push((depth, found.len() - 1));
                true
            }
        };
        if descend && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
            depth -= 1;
        }
    }
}

/// Longer qualnames are cut. No real program is nested that deep, and such names would fill the memory.
const LONGEST_QUALNAME: usize = 4096;

fn place(part: Part, parent: Option<usize>, found: &[Definition]) -> Definition {
    let around = parent.and_then(|index| found.get(index));
    let qualname = match around {
        Some(outer) if outer.qualname.len() < LONGEST_QUALNAME => {
            format!("{}.{}", outer.qualname, part.name)
        }
        Some(outer) => outer.qualname.clone(),
        None => part.name,
    };
    let kind = match (part.class, around.map(|outer| outer.kind)) {
        (true, _) => DefinitionKind::Class,
        (false, Some(DefinitionKind::Class)) => DefinitionKind::Method,
        (false, _) => DefinitionKind::Function,
    };
    Definition {
        qualname,
        kind,
        whole: part.whole,
        signature: part.signature,
        body: part.body,
        docstring: part.docstring,
        overload: part.overload,
        parameters: part.parameters,
        parent,
        indent: part.indent,
    }
}
