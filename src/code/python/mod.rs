//! Python files as facts: one walk of the syntax tree, after which the tree is dropped.

mod annotation;
mod bindings;
mod build;
mod facts;
mod imports;
mod node_kinds;
mod statements;

pub(crate) use build::read;
pub(crate) use facts::{
    Binding, BlockId, END, Expr, ExprId, Facts, List, OPERATORS, ParameterKind, REST, ScopeId,
    ScopeKind, Source, Sym,
};
