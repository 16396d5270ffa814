//! Finds the bindings of a local name that may reach a use of it.

use crate::code::python::{Binding, BlockId, ExprId, Facts, ScopeId, Source, Sym};

/// Whether `inner` is `outer` or inside it.
fn is_inside(facts: &Facts, mut inner: BlockId, outer: BlockId) -> bool {
    loop {
        if inner == outer {
            return true;
        }
        match facts.block(inner).parent {
            Some(parent) => inner = parent,
            None => return false,
        }
    }
}

/// The bindings that may give a local name its value at a use. Going back from the use, these are all up to the first
/// one that must have run. Later bindings in a loop around the use count too. From another scope, all bindings count.
pub(super) fn reaching(facts: &Facts, scope: ScopeId, name: Sym, expr: ExprId) -> Vec<&Binding> {
    let block = facts.block_of(expr);
    let bindings = facts.bindings(scope, name);
    let plain = |binding: &&Binding| !binding.member;
    if facts.block(block).scope != scope {
        return bindings.iter().filter(plain).collect();
    }
    let at = facts.spans[expr.0 as usize].0;
    let mut found = Vec::new();
    for binding in bindings.iter().rev().filter(plain) {
        if binding.at > at {
            if shares_loop(facts, binding.block, block) && !is_narrow(binding) {
                found.push(binding);
            }
            continue;
        }
        let runs_before = is_inside(facts, block, binding.block);
        if is_narrow(binding) && !runs_before {
            continue;
        }
        found.push(binding);
        if runs_before && !matches!(binding.source, Source::Updated(_)) {
            if is_narrow(binding) {
                return vec![binding];
            }
            break;
        }
    }
    found
}

fn is_narrow(binding: &Binding) -> bool {
    matches!(binding.source, Source::Narrowed(_))
}

/// What `isinstance` says about a module's name at a use inside a function.
pub(super) fn narrowing(facts: &Facts, name: Sym, expr: ExprId) -> Vec<&Binding> {
    let block = facts.block_of(expr);
    let at = facts.spans[expr.0 as usize].0;
    let scope = facts.block(block).scope;
    facts
        .bindings(scope, name)
        .iter()
        .rev()
        .find(|binding| {
            is_narrow(binding) && binding.at <= at && is_inside(facts, block, binding.block)
        })
        .into_iter()
        .collect()
}

/// Whether a loop contains both blocks.
fn shares_loop(facts: &Facts, one: BlockId, other: BlockId) -> bool {
    let mut at = Some(other);
    while let Some(block) = at {
        if facts.block(block).repeats && is_inside(facts, one, block) {
            return true;
        }
        at = facts.block(block).parent;
    }
    false
}
