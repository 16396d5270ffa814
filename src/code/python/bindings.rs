//! Records bindings: the names and members to which statements give a value.

use super::build::{Builder, Frame};
use super::facts::{Binding, END, Expr, ExprId, Fill, Path, REST, ScopeId, ScopeKind, Source, Sym};
use super::node_kinds::Field;

impl Builder<'_> {
    /// Binds the names and members in `target`, which may be nested in tuples and lists. The bindings are visible from
    /// the byte `at` on.
    pub(super) fn bind(
        &mut self,
        target: ExprId,
        source: Source,
        annotation: Option<ExprId>,
        at: u32,
    ) {
        let mut open: Vec<(ExprId, Path, usize)> = vec![(target, [END; 3], 0)];
        self.from = self.facts.spans[target.0 as usize].0;
        while let Some((target, path, depth)) = open.pop() {
            match self.facts.expr(target) {
                Expr::Name(name) => {
                    self.facts.targets[target.0 as usize] = true;
                    self.bind_name(name, deep(source, depth), at, path, annotation);
                }
                Expr::Attribute(base, name) => {
                    self.facts.targets[target.0 as usize] = true;
                    if let Some(class) = self.class_of_self(base) {
                        self.bind_member(class, name, deep(source, depth), at, path, annotation);
                    }
                }
                Expr::Subscript(base, _) => {
                    if let Source::Value(value) = source {
                        self.fill(base, value, false);
                    }
                }
                Expr::Starred(inner) => open.push((inner, placed(path, depth, REST), depth + 1)),
                Expr::Tuple(list) | Expr::Sequence(list) => {
                    for (index, member) in self.facts.list(list).iter().enumerate() {
                        let index = u8::try_from(index).unwrap_or(REST).min(REST);
                        let starred = matches!(self.facts.expr(*member), Expr::Starred(_));
                        if starred {
                            open.push((*member, path, depth));
                        } else {
                            open.push((*member, placed(path, depth, index), depth + 1));
                        }
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn bind_name(
        &mut self,
        name: Sym,
        source: Source,
        at: u32,
        path: Path,
        annotation: Option<ExprId>,
    ) {
        self.facts.bindings.push(Binding {
            scope: self.scope(),
            name,
            at,
            from: self.from.min(at),
            block: self.block,
            source,
            annotation,
            path,
            member: false,
        });
    }

    pub(super) fn bind_member(
        &mut self,
        class: ScopeId,
        name: Sym,
        source: Source,
        at: u32,
        path: Path,
        annotation: Option<ExprId>,
    ) {
        self.facts.bindings.push(Binding {
            scope: class,
            name,
            at,
            from: self.from.min(at),
            block: self.block,
            source,
            annotation,
            path,
            member: true,
        });
    }

    /// Binds the target of `:=`. If `:=` is inside comprehensions or lambdas, the name belongs to the scope around the
    /// outermost of them.
    pub(super) fn bind_outside(&mut self, target: ExprId, value: ExprId, at: u32) {
        let owner = self.owner();
        let held = self.block;
        if self.scope() != owner {
            self.block = self.facts.scope(owner).root;
        }
        self.bind(target, Source::Value(value), None, at);
        self.block = held;
    }

    /// The class of the enclosing method that has the expression `base` as its first parameter (`self` or `cls`).
    /// `None` if `base` is another expression.
    pub(super) fn class_of_self(&self, base: ExprId) -> Option<ScopeId> {
        let Expr::Name(name) = self.facts.expr(base) else {
            return None;
        };
        let mut at = Some(self.scope());
        while let Some(id) = at {
            let scope = self.facts.scope(id);
            let parent = scope.parent;
            let place = scope.parameters.iter().position(|known| known.name == name);
            match place {
                Some(0) if scope.kind == ScopeKind::Function => {
                    return parent
                        .filter(|&outer| self.facts.scope(outer).kind == ScopeKind::Class);
                }
                Some(_) => return None,
                None => at = parent,
            }
        }
        None
    }

    /// Records that `value` is added to the container that the expression `container` names. If `spread` is true, the
    /// elements of `value` are added.
    pub(super) fn fill(&mut self, container: ExprId, value: ExprId, spread: bool) {
        let (scope, name, member) = match self.facts.expr(container) {
            Expr::Name(name) => (self.scope(), name, false),
            Expr::Attribute(base, name) => match self.class_of_self(base) {
                Some(class) => (class, name, true),
                None => return,
            },
            // A value that is added to an element of a container, as in `d[k].append(x)`, belongs to the element.
            _ => return,
        };
        self.facts.fills.push(Fill {
            scope,
            name,
            member,
            value,
            spread,
        });
    }

    /// Records the types that names have in a branch of an `if`, because the branch's condition is true.
    pub(super) fn narrow_branch(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        if let Some(condition) = self.child(frame, Field::Condition) {
            let at = self.facts.spans[condition.0 as usize].1;
            self.narrow(condition, at);
        }
    }

    /// Records the types that names have after an `if not …` if its first branch ends with `return`, `raise`, `break`
    /// or `continue`. For example, `x` is a `C` after `if not isinstance(x, C): return`.
    pub(super) fn narrow_after(&mut self, frame: &Frame) {
        let Some(condition) = self.child(frame, Field::Condition) else {
            return;
        };
        if frame.flag
            && let Expr::Not(inner) = self.facts.expr(condition)
        {
            self.narrow(inner, frame.span.1);
        }
    }

    /// Records the types that names have from the byte `at` on, if `condition` is true. Only `isinstance(x, C)`,
    /// `type(x) is C`, and several of these joined by `and` give types.
    pub(super) fn narrow(&mut self, condition: ExprId, at: u32) {
        let mut open = vec![condition];
        while let Some(condition) = open.pop() {
            let narrowed = match self.facts.expr(condition) {
                Expr::Both(list) => {
                    open.extend_from_slice(self.facts.list(list));
                    None
                }
                Expr::Same(left, class) => self
                    .called_on_name(left, "type")
                    .map(|(name, _)| (name, class)),
                Expr::Call(..) => self
                    .called_on_name(condition, "isinstance")
                    .and_then(|(name, class)| Some((name, class?))),
                _ => None,
            };
            if let Some((name, class)) = narrowed {
                self.from = at;
                self.bind_name(name, Source::Narrowed(class), at, [END; 3], None);
            }
        }
    }

    /// (first argument, second argument if there is one) of a call of the function with the name `function`. `None` if
    /// `call` is another expression, or if the first argument is not a name.
    fn called_on_name(&self, call: ExprId, function: &str) -> Option<(Sym, Option<ExprId>)> {
        let Expr::Call(called, list) = self.facts.expr(call) else {
            return None;
        };
        let arguments = self.facts.list(list);
        match (
            self.facts.expr(called),
            self.facts.expr(*arguments.first()?),
        ) {
            (Expr::Name(called), Expr::Name(name)) if self.facts.text(called) == function => {
                Some((name, arguments.get(1).copied()))
            }
            _ => None,
        }
    }

    /// If a function declares a name `global`, adds the function's bindings of this name to the module.
    pub(super) fn settle_globals(&mut self) {
        let declared: Vec<(ScopeId, Sym)> = self
            .facts
            .bindings
            .iter()
            .filter(|binding| binding.source == Source::Global)
            .map(|binding| (binding.scope, binding.name))
            .collect();
        if declared.is_empty() {
            return;
        }
        let of_module: Vec<Binding> = self
            .facts
            .bindings
            .iter()
            .filter(|binding| {
                !binding.member
                    && binding.source != Source::Global
                    && declared.contains(&(binding.scope, binding.name))
            })
            .map(|binding| Binding {
                scope: ScopeId(0),
                ..*binding
            })
            .collect();
        self.facts.bindings.extend(of_module);
    }

    /// Sets the scope of each entry in `fills` to the innermost scope that binds the container's name. Entries for
    /// members are unchanged.
    pub(super) fn settle_fills(&mut self) {
        if self.facts.fills.is_empty() {
            return;
        }
        let bound: rustc_hash::FxHashSet<(ScopeId, Sym)> = self
            .facts
            .bindings
            .iter()
            .filter(|binding| !binding.member)
            .map(|binding| (binding.scope, binding.name))
            .collect();
        let mut fills = std::mem::take(&mut self.facts.fills);
        for fill in fills.iter_mut().filter(|fill| !fill.member) {
            let mut at = Some(fill.scope);
            while let Some(scope) = at {
                if bound.contains(&(scope, fill.name)) {
                    fill.scope = scope;
                    break;
                }
                at = self.facts.scope(scope).parent;
            }
        }
        self.facts.fills = fills;
    }
}

/// The path with `index` at `depth`. Unchanged if `depth` is outside the path.
fn placed(mut path: Path, depth: usize, index: u8) -> Path {
    if let Some(slot) = path.get_mut(depth) {
        *slot = index;
    }
    path
}

/// The source of a name in a target, inside `depth` nested tuples or lists. `Unknown` if the depth exceeds the
/// length of a path.
fn deep(source: Source, depth: usize) -> Source {
    if depth > 3 { Source::Unknown } else { source }
}
