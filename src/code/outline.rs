//! Outlines: the classes, functions and methods of a file with their lines.

mod java;
mod python;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

use super::syntax::{self, Bounds};
use crate::benchmark::{Language, LineSpan, ParameterTypes, vocabulary};

vocabulary! {
    /// What a definition defines.
    DefinitionKind: "a kind of definition" {
        /// A class (Java: also an interface, enum, record or annotation type).
        Class = "class",
        /// A function outside any class, nested functions included.
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
    /// Everything, decorators and annotations included, comments around it not.
    pub whole: LineSpan,
    /// From `def`, `async def` or `class` to the line before its first statement or docstring, as the benchmarks count
    /// it: comments after the colon belong to it (Java: from the first word after the annotations to the line of the
    /// opening brace).
    pub signature: LineSpan,
    /// The statements, docstring and the comments around them left out, as the benchmarks count it. A definition
    /// that holds nothing but a docstring has that for its body; an empty one has the signature's last line.
    pub body: LineSpan,
    /// The docstring (Java: the Javadoc comment before the definition).
    pub docstring: Option<LineSpan>,
    /// Whether it is a signature without code of its own, decorated by `typing.overload`.
    pub overload: bool,
    /// The types of its parameters, where it is a method or a constructor of Java.
    #[serde(skip)]
    pub parameters: Option<ParameterTypes>,
    /// Index of the definition that it stands in.
    pub parent: Option<usize>,
    /// The columns that the definition's first line is indented by: its leading blanks, a tab counted as one.
    pub indent: u32,
}

impl Definition {
    /// The last component of the qualname: the own name.
    pub fn name(&self) -> &str {
        self.qualname.rsplit('.').next().unwrap_or(&self.qualname)
    }

    /// The qualname, in Java with the types of parameters: `C.f(int, String[])`.
    pub fn shown(&self) -> String {
        let parameters = self.parameters.as_ref().map(ParameterTypes::shown);
        format!("{}{}", self.qualname, parameters.unwrap_or_default())
    }
}

/// The definitions of one file, in the order in which they begin.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Outline {
    /// The definitions; those inside `if`, `try`, `with` and loops too. The same qualname may come more than once.
    pub definitions: Vec<Definition>,
    /// What could not be read.
    pub bounds: Bounds,
}

impl Outline {
    /// The innermost definition whose whole span holds the 1-based `line`.
    pub fn at_line(&self, line: u32) -> Option<&Definition> {
        self.definitions
            .iter()
            .filter(|definition| definition.whole.contains(line))
            .min_by_key(|definition| definition.whole.count())
    }
}

/// The outline of `source`. Never fails: a file with syntax errors gives what can be read of it, a file past the bounds
/// gives no definitions; `bounds` says which.
pub fn outline(language: Language, source: &[u8]) -> Outline {
    match syntax::parse(language, source) {
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

/// The outline of a file that is parsed already.
pub(crate) fn outline_of(language: Language, tree: &Tree, source: &[u8]) -> Outline {
    let step = match language {
        Language::Python => python::step,
        Language::Java => java::step,
    };
    let bounds = Bounds {
        errors: tree.root_node().has_error(),
        given_up: false,
    };
    Outline {
        definitions: collect(tree, source, step),
        bounds,
    }
}

/// What to do at a node of the walk.
enum Step {
    /// Look at its children.
    Into,
    /// Nothing is defined in it.
    Over,
    /// It defines something; its children are looked at too.
    Define(Part),
}

/// A definition before it has a place among the others.
struct Part {
    name: String,
    class: bool,
    whole: LineSpan,
    signature: LineSpan,
    body: LineSpan,
    docstring: Option<LineSpan>,
    overload: bool,
    parameters: Option<ParameterTypes>,
    indent: u32,
}

fn collect(tree: &Tree, source: &[u8], step: fn(Node<'_>, &[u8]) -> Step) -> Vec<Definition> {
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

/// Longer qualnames than this are cut: nesting that deep is no program's, and its names would fill the memory.
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

/// The columns of leading blanks on the line that `byte` stands on.
fn indent_at(source: &[u8], byte: usize) -> u32 {
    let start = memchr::memrchr(b'\n', &source[..byte.min(source.len())]).map_or(0, |at| at + 1);
    let blanks = source[start..]
        .iter()
        .take_while(|&&byte| byte == b' ' || byte == b'\t')
        .count();
    u32::try_from(blanks).unwrap_or(u32::MAX)
}

/// The span from `first` to `last`, or the line `first` when they are the wrong way round.
fn span(first: u32, last: u32) -> LineSpan {
    LineSpan::new(first, last).unwrap_or_else(|| LineSpan::line(first))
}
