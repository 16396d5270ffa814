//! Builds the [`Facts`] of a Python file in one walk over its syntax tree. Each node is processed after its children.
//! The walk uses an explicit stack, so that deep nesting does not overflow the call stack.

use rustc_hash::FxHashMap;
use tree_sitter::{Node, TreeCursor};

use super::facts::{
    Block, BlockId, Expr, ExprId, Facts, List, Parameter, Scope, ScopeId, ScopeKind, Sym,
};
use super::node_kinds::{Field, GRAMMAR, Kind};
use crate::benchmark::Language;
use crate::code::parse::parse;
use crate::code::syntax::{self, Bounds};

/// The maximum length of [`Facts::errors`].
const MOST_ERRORS: usize = 64;

/// A node that the walk has entered but not left.
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) field: Field,
    pub(super) span: (u32, u32),
    /// The index in [`Builder::values`] of the first value of the node's children.
    pub(super) first: usize,
    /// The number of expressions when the node was entered.
    pub(super) exprs: u32,
    /// The name in the node, such as a function's name. A child that is an identifier sets it.
    pub(super) name: Option<Sym>,
    /// The scope that the node opened.
    pub(super) opened: Option<ScopeId>,
    /// The block to return to when the node is left.
    pub(super) outer: BlockId,
    /// Depends on the kind of the node. Block: whether the last statement leaves the block (`return`, `raise`, `break`,
    /// `continue`). `if`: the same for its first block. Boolean: whether the only operator is `and`. Comparison:
    /// whether the only operator is `is` or `==`. Comprehension: whether the walk has left the first `for` clause.
    pub(super) flag: bool,
}

/// The expression of a child node, and the child's field in its parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) field: Field,
    pub(super) expr: ExprId,
}

pub(super) struct Builder<'a> {
    pub(super) source: &'a [u8],
    pub(super) facts: Facts,
    /// The nodes that contain the current node, the innermost last.
    pub(super) frames: Vec<Frame>,
    /// The expressions of nodes with a parent that is not processed yet.
    pub(super) values: Vec<Value>,
    /// The block that the walk is in.
    pub(super) block: BlockId,
    /// The parameters with an annotation or a default in the signature that the walk is in.
    pub(super) parameters: Vec<Parameter>,
    /// The value of `Binding::from` for the next bindings.
    pub(super) from: u32,
}

/// Reads a file. If the file exceeds the limits of the parser, the result contains only an empty module, and
/// `bounds.given_up` is true.
pub(crate) fn read(source: &[u8]) -> Facts {
    let Some(tree) = parse(Language::Python, source) else {
        let mut builder = Builder::new(source);
        builder.facts.bounds.given_up = true;
        return builder.finish();
    };
    let mut builder = Builder::new(source);
    builder.facts.bounds = Bounds {
        errors: tree.root_node().has_error(),
        given_up: false,
    };
    builder.walk(&mut tree.walk());
    drop(tree);
    builder.finish()
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl<'a> Builder<'a> {
    fn new(source: &'a [u8]) -> Self {
        let mut facts = Facts {
            names: Vec::new(),
            by_name: FxHashMap::default(),
            ..Facts::default()
        };
        facts.lines.push(0);
        facts
            .lines
            .extend(memchr::memchr_iter(b'\n', source).map(|at| small(at + 1)));
        let mut builder = Self {
            source,
            facts,
            frames: Vec::new(),
            values: Vec::new(),
            block: BlockId(0),
            parameters: Vec::new(),
            from: 0,
        };
        let name = builder.intern("");
        let span = (0, small(source.len()));
        builder
            .facts
            .scopes
            .push(new_scope(ScopeKind::Module, name, None, 0, span));
        builder.facts.blocks.push(Block {
            parent: None,
            scope: ScopeId(0),
            repeats: false,
        });
        builder
    }

    fn walk(&mut self, cursor: &mut TreeCursor<'_>) {
        loop {
            let node = cursor.node();
            let kind = if node.is_named() {
                GRAMMAR.kind(node.kind_id())
            } else {
                Kind::Skip
            };
            let field = GRAMMAR.field(cursor.field_id().map(std::num::NonZero::get));
            if self.enter(node, kind, field) {
                if cursor.goto_first_child() {
                    continue;
                }
                self.leave();
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave();
            }
        }
    }

    /// Enters a node. Returns false if the walk must skip the node's children.
    fn enter(&mut self, node: Node<'_>, kind: Kind, field: Field) -> bool {
        let span = (small(node.start_byte()), small(node.end_byte()));
        if (node.is_error() || node.is_missing()) && self.facts.errors.len() < MOST_ERRORS {
            self.facts.errors.push(span);
        }
        match kind {
            Kind::Skip => return false,
            Kind::Identifier => {
                self.identifier(node, field, span);
                return false;
            }
            Kind::Integer => {
                let value = syntax::text(node, self.source).parse().unwrap_or(i32::MAX);
                self.value(field, Expr::Integer(value), span);
                return false;
            }
            Kind::Nothing => {
                self.value(field, Expr::Nothing, span);
                return false;
            }
            Kind::Import => {
                self.import(node);
                return false;
            }
            Kind::ImportFrom => {
                self.import_from(node);
                return false;
            }
            Kind::Global | Kind::Nonlocal => {
                self.declare(node, kind == Kind::Global);
                return false;
            }
            Kind::DottedName => {
                self.dotted(node, field);
                return false;
            }
            Kind::Python2 => self.facts.python_2 = true,
            Kind::Text => {
                if let Some(text) = self.plain_text(node) {
                    self.plain(field, text, span);
                    return false;
                }
            }
            _ => {}
        }
        let outer = self.block;
        let opened = self.open(node, kind, field, span);
        self.frames.push(Frame {
            kind,
            field,
            span,
            first: self.values.len(),
            exprs: small(self.facts.exprs.len()),
            name: None,
            opened,
            outer,
            flag: match kind {
                Kind::Boolean => has_operator(node, &["and"]),
                Kind::Comparison => has_operator(node, &["is", "=="]),
                _ => false,
            },
        });
        true
    }

    /// Opens the scope or block that a node creates, and switches to the block that the node's contents belong to.
    /// Returns the scope, if the node creates one.
    fn open(
        &mut self,
        node: Node<'_>,
        kind: Kind,
        field: Field,
        span: (u32, u32),
    ) -> Option<ScopeId> {
        let parent = self.frames.last();
        let around = parent.map(|frame| (frame.kind, frame.opened));
        match kind {
            Kind::Function => return Some(self.push_scope(ScopeKind::Function, node, span)),
            Kind::Class => return Some(self.push_scope(ScopeKind::Class, node, span)),
            Kind::Lambda => return Some(self.push_scope(ScopeKind::Lambda, node, span)),
            Kind::ListComprehension | Kind::MappingComprehension => {
                let scope = self.push_scope(ScopeKind::Comprehension, node, span);
                self.block = self.facts.scope(scope).root;
                return Some(scope);
            }
            Kind::Block => {
                let loops = matches!(around, Some((Kind::For | Kind::While, _)));
                self.block = match around {
                    Some((Kind::Function | Kind::Class, Some(scope))) => {
                        self.facts.scope(scope).root
                    }
                    _ => self.push_block(
                        self.scope(),
                        Some(self.block),
                        loops && field == Field::Body,
                    ),
                };
                if field == Field::Consequence {
                    self.narrow_branch();
                }
            }
            _ => {}
        }
        if field == Field::Body
            && let Some((Kind::Lambda, Some(scope))) = around
        {
            self.block = self.facts.scope(scope).root;
        }
        // The first iterable of a comprehension is evaluated outside the comprehension.
        if field == Field::Right
            && let Some(block) = self.outside_comprehension()
        {
            self.block = block;
        }
        None
    }

    /// The block around a comprehension, if the walk is entering the iterable of the comprehension's first `for`
    /// clause.
    pub(super) fn outside_comprehension(&self) -> Option<BlockId> {
        let [.., comprehension, clause] = self.frames.as_slice() else {
            return None;
        };
        let is_comprehension = matches!(
            comprehension.kind,
            Kind::ListComprehension | Kind::MappingComprehension
        );
        let first = clause.kind == Kind::ForIn && !comprehension.flag;
        (is_comprehension && first).then_some(comprehension.outer)
    }

    fn push_scope(&mut self, kind: ScopeKind, node: Node<'_>, span: (u32, u32)) -> ScopeId {
        let line = small(node.start_position().row);
        let name = Sym(0);
        let parent = Some(self.scope());
        let scope = ScopeId(small(self.facts.scopes.len()));
        let mut opened = new_scope(kind, name, parent, line, span);
        opened.root = self.push_block(scope, None, false);
        self.facts.scopes.push(opened);
        scope
    }

    fn push_block(&mut self, scope: ScopeId, parent: Option<BlockId>, repeats: bool) -> BlockId {
        self.facts.blocks.push(Block {
            parent,
            scope,
            repeats,
        });
        BlockId(small(self.facts.blocks.len() - 1))
    }

    /// The scope that the walk is in.
    pub(super) fn scope(&self) -> ScopeId {
        self.facts.block(self.block).scope
    }

    pub(super) fn intern(&mut self, text: &str) -> Sym {
        if let Some(&known) = self.facts.by_name.get(text) {
            return known;
        }
        let name = Sym(small(self.facts.names.len()));
        self.facts.names.push(text.into());
        self.facts.by_name.insert(text.into(), name);
        name
    }

    /// Adds an expression in the current block.
    pub(super) fn add(&mut self, expr: Expr, span: (u32, u32)) -> ExprId {
        self.facts.exprs.push(expr);
        self.facts.spans.push(span);
        self.facts.blocks_of.push(self.block);
        self.facts.targets.push(false);
        ExprId(small(self.facts.exprs.len() - 1))
    }

    /// Adds an expression, and records it as the value of the child with this field.
    pub(super) fn value(&mut self, field: Field, expr: Expr, span: (u32, u32)) {
        let expr = self.add(expr, span);
        self.values.push(Value { field, expr });
    }

    pub(super) fn list(&mut self, members: &[ExprId]) -> List {
        let start = small(self.facts.lists.len());
        self.facts.lists.extend_from_slice(members);
        List {
            start,
            length: small(members.len()),
        }
    }

    fn identifier(&mut self, node: Node<'_>, field: Field, span: (u32, u32)) {
        let source = self.source;
        let name = self.intern(syntax::text(node, source));
        let names_parent = self.frames.last().is_some_and(|frame| {
            matches!(
                (frame.kind, field),
                (Kind::Attribute, Field::Attribute)
                    | (
                        Kind::KeywordArgument | Kind::Function | Kind::Class,
                        Field::Name
                    )
            ) || (frame.kind == Kind::KeywordPattern && frame.name.is_none())
        });
        if names_parent && let Some(frame) = self.frames.last_mut() {
            frame.name = Some(name);
            return;
        }
        let outside = (field == Field::Right).then(|| self.outside_comprehension());
        if let Some(Some(block)) = outside {
            let held = std::mem::replace(&mut self.block, block);
            self.value(field, Expr::Name(name), span);
            self.block = held;
        } else if field == Field::Body
            && let Some(scope) = self.lambda_around()
        {
            let block = self.facts.scope(scope).root;
            let held = std::mem::replace(&mut self.block, block);
            self.value(field, Expr::Name(name), span);
            self.block = held;
        } else {
            self.value(field, Expr::Name(name), span);
        }
    }

    fn lambda_around(&self) -> Option<ScopeId> {
        let frame = self.frames.last()?;
        (frame.kind == Kind::Lambda)
            .then_some(frame.opened)
            .flatten()
    }

    /// The text between the quotes of a string, with escapes as written. `None` if the text is longer than 200 bytes,
    /// or the string has a prefix other than `u` or `r`.
    fn plain_text(&self, node: Node<'_>) -> Option<&'a str> {
        let whole = syntax::text(node, self.source);
        let body = whole.trim_start_matches(['u', 'U', 'r', 'R']);
        let quote = body
            .chars()
            .next()
            .filter(|&quote| quote == '"' || quote == '\'')?;
        let inner = body.trim_matches(quote);
        (node.child_count() <= 3 && inner.len() <= 200).then_some(inner)
    }

    fn plain(&mut self, field: Field, text: &str, span: (u32, u32)) {
        let first = self.facts.exprs.len();
        let parsed = self.annotation_text(text, span);
        self.quote(first);
        let expr = parsed.unwrap_or_else(|| {
            let name = self.intern(text);
            self.add(Expr::Text(name), span)
        });
        self.values.push(Value { field, expr });
    }

    /// Records that the expressions from the index `first` on are in quotes or comments.
    pub(super) fn quote(&mut self, first: usize) {
        let read = first..self.facts.exprs.len();
        let ids = read.map(|at| ExprId(small(at)));
        self.facts.quoted.extend(ids);
    }

    fn finish(mut self) -> Facts {
        self.settle_globals();
        self.settle_fills();
        self.facts
            .bindings
            .sort_by_key(|binding| (binding.scope, binding.name, binding.at));
        self.facts
            .fills
            .sort_by_key(|fill| (fill.scope, fill.name, fill.member));
        self.facts.lists.shrink_to_fit();
        self.facts.exprs.shrink_to_fit();
        self.facts
    }
}

/// Whether a node has exactly one operator, and this operator is in `known`.
fn has_operator(node: Node<'_>, known: &[&str]) -> bool {
    node.child_count() == 3
        && node
            .child(1)
            .is_some_and(|operator| known.contains(&operator.kind()))
}

fn new_scope(
    kind: ScopeKind,
    name: Sym,
    parent: Option<ScopeId>,
    line: u32,
    span: (u32, u32),
) -> Scope {
    Scope {
        kind,
        name,
        parent,
        root: BlockId(0),
        line,
        span,
        exprs: (0, 0),
        decorators: Vec::new(),
        bases: Vec::new(),
        parameters: Vec::new(),
        returns: None,
        returned: Vec::new(),
        yielded: Vec::new(),
    }
}
