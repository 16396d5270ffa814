//! What each node of a Python tree says once its children are read.

use tree_sitter::Node;

use super::build::{Builder, Frame, Value};
use super::facts::{
    Binding, END, Expr, ExprId, Fill, ImportFact, Parameter, ParameterKind, Path, REST, ScopeId,
    ScopeKind, Source, Sym,
};
use super::kinds::{Field, Kind};
use crate::code::syntax;

impl Builder<'_> {
    /// Closes the innermost open node: its value, if it has one, takes its children's place.
    pub(super) fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if matches!(frame.kind, Kind::Through | Kind::Wrapper | Kind::Annotation) {
            if frame.field != Field::None {
                for value in &mut self.values[frame.first..] {
                    value.field = frame.field;
                }
            }
        } else {
            if frame.kind == Kind::ListComprehension || frame.kind == Kind::MappingComprehension {
                self.block = frame.outer;
            }
            let result = self.result(&frame);
            self.values.truncate(frame.first);
            if let Some(expr) = result {
                let field = frame.field;
                self.values.push(Value { field, expr });
            }
        }
        self.block = frame.outer;
        if let Some(parent) = self.frames.last_mut() {
            match parent.kind {
                Kind::Block => parent.leaves = matches!(frame.kind, Kind::Return | Kind::Leaves),
                Kind::If if frame.field == Field::Consequence => parent.leaves = frame.leaves,
                _ => {}
            }
        }
    }

    fn child(&self, frame: &Frame, field: Field) -> Option<ExprId> {
        self.values[frame.first..]
            .iter()
            .find(|value| value.field == field)
            .map(|value| value.expr)
    }

    fn nth(&self, frame: &Frame, index: usize) -> Option<ExprId> {
        self.values.get(frame.first + index).map(|value| value.expr)
    }

    fn members(&self, frame: &Frame) -> Vec<ExprId> {
        self.values[frame.first..]
            .iter()
            .map(|value| value.expr)
            .collect()
    }

    fn with_field(&self, frame: &Frame, field: Field) -> Vec<ExprId> {
        self.values[frame.first..]
            .iter()
            .filter(|value| value.field == field)
            .map(|value| value.expr)
            .collect()
    }

    fn result(&mut self, frame: &Frame) -> Option<ExprId> {
        if let Some(expr) = self.expression(frame) {
            let id = self.add(expr, frame.span);
            if frame.kind == Kind::Slice {
                self.facts.slices.push(id);
            }
            return Some(id);
        }
        self.statement(frame)
    }

    /// The value of a node that is an expression and binds nothing.
    fn expression(&mut self, frame: &Frame) -> Option<Expr> {
        let first = self.nth(frame, 0);
        let second = self.nth(frame, 1);
        Some(match frame.kind {
            Kind::Attribute => Expr::Attribute(first?, frame.name?),
            Kind::Call => self.call(frame)?,
            Kind::KeywordArgument => Expr::Keyword(frame.name?, first?),
            Kind::Subscript => self.subscript(frame)?,
            Kind::GenericType => {
                let members = self.members(frame);
                let list = self.list(members.get(1..).unwrap_or_default());
                let index = self.add(Expr::Tuple(list), frame.span);
                Expr::Subscript(first?, Some(index))
            }
            Kind::Text | Kind::Literal | Kind::Slice | Kind::MemberType => Expr::Opaque,
            Kind::Tuple => Expr::Tuple(self.all(frame)),
            Kind::Sequence => Expr::Sequence(self.all(frame)),
            Kind::Set => Expr::Set(self.all(frame)),
            Kind::Mapping => Expr::Mapping(self.all(frame)),
            Kind::UnionType => Expr::Either(self.all(frame)),
            Kind::Boolean if frame.leaves => Expr::Both(self.all(frame)),
            Kind::Boolean => Expr::Either(self.all(frame)),
            Kind::Conditional => {
                let members: Vec<ExprId> = first.into_iter().chain(self.nth(frame, 2)).collect();
                Expr::Either(self.list(&members))
            }
            Kind::Pair => Expr::Pair(first?, second?),
            Kind::Binary => Expr::Binary(first?, second?),
            Kind::Not => Expr::Not(first?),
            Kind::Comparison if frame.leaves => Expr::Same(first?, second?),
            Kind::Comparison => Expr::Opaque,
            Kind::Await => Expr::Await(first?),
            Kind::Starred => Expr::Starred(first?),
            Kind::Lambda => {
                let scope = frame.opened?;
                let body = self.child(frame, Field::Body);
                self.facts.scopes[scope.0 as usize].returned.extend(body);
                Expr::Lambda(scope)
            }
            Kind::ListComprehension => Expr::Comprehension(self.child(frame, Field::Body)?, false),
            Kind::MappingComprehension => {
                Expr::Comprehension(self.child(frame, Field::Body)?, true)
            }
            _ => return None,
        })
    }

    fn all(&mut self, frame: &Frame) -> super::facts::List {
        let members = self.members(frame);
        self.list(&members)
    }

    fn subscript(&mut self, frame: &Frame) -> Option<Expr> {
        let indices = self.with_field(frame, Field::Subscript);
        let index = match indices[..] {
            [] => None,
            [only] => Some(only),
            _ => {
                let list = self.list(&indices);
                Some(self.add(Expr::Tuple(list), frame.span))
            }
        };
        Some(Expr::Subscript(self.child(frame, Field::Value)?, index))
    }

    fn call(&mut self, frame: &Frame) -> Option<Expr> {
        let function = self.child(frame, Field::Function)?;
        let arguments = self.with_field(frame, Field::None);
        if let Expr::Attribute(container, method) = self.facts.expr(function) {
            let taken = match self.facts.text(method) {
                "append" | "add" | "appendleft" | "put" => Some((0, false)),
                "insert" | "setdefault" => Some((1, false)),
                "extend" | "update" | "extendleft" => Some((0, true)),
                _ => None,
            };
            if let Some((index, spread)) = taken
                && let Some(&value) = arguments.get(index)
            {
                self.fill(container, value, spread);
            }
        }
        Some(Expr::Call(function, self.list(&arguments)))
    }

    fn statement(&mut self, frame: &Frame) -> Option<ExprId> {
        let end = frame.span.1;
        match frame.kind {
            Kind::Named => {
                let (target, value) =
                    (self.child(frame, Field::Name)?, self.child(frame, Field::Value)?);
                self.bind_outside(target, value, end);
                return Some(value);
            }
            Kind::AsPattern => return self.as_pattern(frame),
            Kind::Yield => {
                let given = self.nth(frame, 0);
                let owner = self.owner();
                self.facts.scopes[owner.0 as usize].yielded.extend(given);
                return Some(self.add(Expr::Opaque, frame.span));
            }
            Kind::TypedParameter | Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                return self.parameter(frame);
            }
            Kind::Assignment => return self.assignment(frame),
            Kind::Parameters => self.parameters_of(frame),
            Kind::Function => self.function(frame),
            Kind::Class => self.class(frame),
            Kind::Decorated => {
                let decorators = self.members(frame);
                if let Some(scope) = frame.opened {
                    self.facts.scopes[scope.0 as usize].decorators = decorators;
                }
            }
            Kind::Augmented => self.augmented(frame),
            Kind::For | Kind::ForIn => self.iteration(frame),
            Kind::WithItem => {
                let value = self.nth(frame, 0)?;
                if let Expr::As(value, target) = self.facts.expr(value) {
                    self.bind(target, Source::Entered(value), None, end);
                }
            }
            Kind::Except => self.except(frame),
            Kind::If => self.narrow_after(frame),
            Kind::Return => {
                let given = self.nth(frame, 0);
                let owner = self.owner();
                self.facts.scopes[owner.0 as usize].returned.extend(given);
            }
            Kind::Assert => {
                let condition = self.nth(frame, 0)?;
                self.narrow(condition, end);
            }
            Kind::SplatPattern => {
                let target = self.nth(frame, 0)?;
                self.bind(target, Source::Unknown, None, end);
            }
            _ => {}
        }
        None
    }

    fn owner(&self) -> ScopeId {
        self.facts.owner(self.scope())
    }

    fn as_pattern(&mut self, frame: &Frame) -> Option<ExprId> {
        let value = self.nth(frame, 0)?;
        if let Some(alias) = self.child(frame, Field::Alias) {
            return Some(self.add(Expr::As(value, alias), frame.span));
        }
        if let Some(alias) = self.nth(frame, 1) {
            self.bind(alias, Source::Unknown, None, frame.span.1);
        }
        None
    }

    fn parameter(&mut self, frame: &Frame) -> Option<ExprId> {
        let name = match frame.kind {
            Kind::TypedParameter => self.nth(frame, 0)?,
            _ => self.child(frame, Field::Name)?,
        };
        let (kind, name) = self.parameter_name(name)?;
        self.parameters.push(Parameter {
            name,
            kind,
            annotation: self.child(frame, Field::Type),
            default: self.child(frame, Field::Value),
        });
        let index = u32::try_from(self.parameters.len() - 1).ok()?;
        Some(self.add(Expr::Parameter(index), frame.span))
    }

    fn parameter_name(&mut self, expr: ExprId) -> Option<(ParameterKind, Sym)> {
        self.facts.targets[expr.0 as usize] = true;
        match self.facts.expr(expr) {
            Expr::Name(name) => Some((ParameterKind::Plain, name)),
            Expr::Starred(inner) => {
                self.facts.targets[inner.0 as usize] = true;
                let start = self.facts.spans[expr.0 as usize].0 as usize;
                let double = self.source.get(start..start + 2) == Some(b"**");
                let kind = if double {
                    ParameterKind::Keywords
                } else {
                    ParameterKind::Positional
                };
                match self.facts.expr(inner) {
                    Expr::Name(name) => Some((kind, name)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn parameters_of(&mut self, frame: &Frame) {
        let Some(scope) = self.frames.last().and_then(|parent| parent.opened) else {
            return;
        };
        let root = self.facts.scope(scope).root;
        for expr in self.members(frame) {
            let parameter = match self.facts.expr(expr) {
                Expr::Parameter(index) => self.parameters.get(index as usize).copied(),
                _ => self.parameter_name(expr).map(|(kind, name)| Parameter {
                    name,
                    kind,
                    annotation: None,
                    default: None,
                }),
            };
            let Some(parameter) = parameter else { continue };
            let parameters = &mut self.facts.scopes[scope.0 as usize].parameters;
            parameters.push(parameter);
            let index = u32::try_from(parameters.len() - 1).unwrap_or(u32::MAX);
            self.facts.bindings.push(Binding {
                scope,
                name: parameter.name,
                at: frame.span.0,
                from: frame.span.0,
                block: root,
                source: Source::Parameter(index),
                annotation: parameter.annotation,
                path: [END; 3],
                member: false,
            });
        }
        self.parameters.clear();
    }

    fn function(&mut self, frame: &Frame) {
        let (Some(scope), Some(name)) = (frame.opened, frame.name) else {
            return;
        };
        let returns = self.child(frame, Field::ReturnType);
        let end = u32::try_from(self.facts.exprs.len()).unwrap_or(u32::MAX);
        let opened = &mut self.facts.scopes[scope.0 as usize];
        opened.name = name;
        opened.returns = returns;
        opened.exprs = (frame.exprs, end);
        self.bind_name(name, Source::Definition(scope), frame.span.0, [END; 3], None);
        self.tell_decorated(scope);
    }

    fn class(&mut self, frame: &Frame) {
        let (Some(scope), Some(name)) = (frame.opened, frame.name) else {
            return;
        };
        let bases: Vec<ExprId> = self
            .with_field(frame, Field::Superclasses)
            .into_iter()
            .filter(|&base| !matches!(self.facts.expr(base), Expr::Keyword(..)))
            .collect();
        let end = u32::try_from(self.facts.exprs.len()).unwrap_or(u32::MAX);
        let opened = &mut self.facts.scopes[scope.0 as usize];
        opened.name = name;
        opened.bases = bases;
        opened.exprs = (frame.exprs, end);
        self.bind_name(name, Source::Definition(scope), frame.span.0, [END; 3], None);
        self.tell_decorated(scope);
    }

    fn tell_decorated(&mut self, scope: ScopeId) {
        if let Some(parent) = self.frames.last_mut()
            && parent.kind == Kind::Decorated
        {
            parent.opened = Some(scope);
        }
    }

    fn assignment(&mut self, frame: &Frame) -> Option<ExprId> {
        let target = self.child(frame, Field::Left)?;
        let annotation = self.child(frame, Field::Type);
        let value = self.child(frame, Field::Right);
        let source = value.map_or(Source::Declared, Source::Value);
        self.bind(target, source, annotation, frame.span.1);
        if let Some(value) = value {
            self.exports(target, value);
        }
        value
    }

    fn augmented(&mut self, frame: &Frame) {
        let (Some(target), Some(value)) = (
            self.child(frame, Field::Left),
            self.child(frame, Field::Right),
        ) else {
            return;
        };
        self.from = frame.span.0;
        match self.facts.expr(target) {
            Expr::Name(name) => {
                let source = Source::Updated(value);
                self.bind_name(name, source, frame.span.1, [END; 3], None);
            }
            Expr::Attribute(base, name) => {
                if let Some(class) = self.class_of_self(base) {
                    let source = Source::Updated(value);
                    self.bind_member(class, name, source, frame.span.1, [END; 3], None);
                }
            }
            _ => {}
        }
        self.fill(target, value, true);
        self.exports(target, value);
    }

    /// Notes a module's `__all__`.
    fn exports(&mut self, target: ExprId, value: ExprId) {
        let (Expr::Name(name), Expr::Sequence(list) | Expr::Tuple(list)) =
            (self.facts.expr(target), self.facts.expr(value))
        else {
            return;
        };
        if self.scope() != ScopeId(0) || self.facts.text(name) != "__all__" {
            return;
        }
        let names: Vec<Sym> = self
            .facts
            .list(list)
            .iter()
            .filter_map(|&member| match self.facts.expr(member) {
                Expr::Text(name) => Some(name),
                _ => None,
            })
            .collect();
        self.facts.exported.get_or_insert_default().extend(names);
    }

    fn iteration(&mut self, frame: &Frame) {
        if let (Some(target), Some(value)) = (
            self.child(frame, Field::Left),
            self.child(frame, Field::Right),
        ) {
            let at = self.facts.spans[value.0 as usize].1;
            self.bind(target, Source::Element(value), None, at);
        }
        if frame.kind == Kind::ForIn
            && let Some(comprehension) = self.frames.last_mut()
        {
            comprehension.leaves = true;
        }
    }

    fn except(&mut self, frame: &Frame) {
        let Some(value) = self.child(frame, Field::Value) else {
            return;
        };
        let at = self.facts.spans[value.0 as usize].1;
        if let Expr::As(class, target) = self.facts.expr(value) {
            self.bind(target, Source::Caught(class), None, at);
        } else if let Some(target) = self.child(frame, Field::Alias) {
            self.bind(target, Source::Caught(value), None, at);
        }
    }

    /// Binds a target, unpacking tuples and lists.
    fn bind(&mut self, target: ExprId, source: Source, annotation: Option<ExprId>, at: u32) {
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

    fn bind_name(
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

    fn bind_member(
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

    /// Binds the target of `:=`, which belongs to the scope around comprehensions.
    fn bind_outside(&mut self, target: ExprId, value: ExprId, at: u32) {
        let owner = self.owner();
        let held = self.block;
        if self.scope() != owner {
            self.block = self.facts.scope(owner).root;
        }
        self.bind(target, Source::Value(value), None, at);
        self.block = held;
    }

    /// The class whose instance (or whose self) a name stands for: the first parameter of a method around here.
    fn class_of_self(&self, base: ExprId) -> Option<ScopeId> {
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
                    return parent.filter(|&outer| self.facts.scope(outer).kind == ScopeKind::Class);
                }
                Some(_) => return None,
                None => at = parent,
            }
        }
        None
    }

    /// Notes that `value` is put into what `container` names.
    fn fill(&mut self, container: ExprId, value: ExprId, spread: bool) {
        let (scope, name, member) = match self.facts.expr(container) {
            Expr::Name(name) => (self.scope(), name, false),
            Expr::Attribute(base, name) => match self.class_of_self(base) {
                Some(class) => (class, name, true),
                None => return,
            },
            // What is put into a container's element says something of the element, as in `d[k].append(x)`.
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

    /// Narrows the names of an `if`'s condition at the head of its branch.
    pub(super) fn narrow_branch(&mut self) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        if let Some(condition) = self.child(frame, Field::Condition) {
            let at = self.facts.spans[condition.0 as usize].1;
            self.narrow(condition, at);
        }
    }

    /// After `if not isinstance(x, C): return`, x is a C.
    fn narrow_after(&mut self, frame: &Frame) {
        let Some(condition) = self.child(frame, Field::Condition) else {
            return;
        };
        if frame.leaves
            && let Expr::Not(inner) = self.facts.expr(condition)
        {
            self.narrow(inner, frame.span.1);
        }
    }

    /// Notes what `isinstance` calls joined by `and` say, from the byte `at` on.
    fn narrow(&mut self, condition: ExprId, at: u32) {
        let mut open = vec![condition];
        while let Some(condition) = open.pop() {
            let told = match self.facts.expr(condition) {
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
            if let Some((name, class)) = told {
                self.from = at;
                self.bind_name(name, Source::Narrowed(class), at, [END; 3], None);
            }
        }
    }

    /// The name that a call of `function` has for its first argument, with the second.
    fn called_on_name(&self, call: ExprId, function: &str) -> Option<(Sym, Option<ExprId>)> {
        let Expr::Call(called, list) = self.facts.expr(call) else {
            return None;
        };
        let arguments = self.facts.list(list);
        match (self.facts.expr(called), self.facts.expr(*arguments.first()?)) {
            (Expr::Name(called), Expr::Name(name)) if self.facts.text(called) == function => {
                Some((name, arguments.get(1).copied()))
            }
            _ => None,
        }
    }

    /// `import a.b, c as d`.
    pub(super) fn import(&mut self, node: Node<'_>) {
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in children {
            let (module, alias) = self.imported(child);
            if module.is_empty() {
                continue;
            }
            let first = module.split('.').next().unwrap_or("").to_owned();
            let aliased = alias.is_some();
            let name = self.intern(alias.as_deref().unwrap_or(&first));
            self.bring(node, module, 0, None, aliased, Some(name));
        }
    }

    /// `from ..a import b as c, d`.
    pub(super) fn import_from(&mut self, node: Node<'_>) {
        let Some(place) = node.child_by_field_name("module_name") else {
            return;
        };
        let written = syntax::text(place, self.source);
        let compact: String = written.chars().filter(|c| !c.is_whitespace()).collect();
        let module = compact.trim_start_matches('.');
        let level = u32::try_from(compact.len() - module.len()).unwrap_or(u32::MAX);
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.named_children(&mut cursor).skip(1).collect();
        for child in children {
            if child.kind() == "wildcard_import" {
                let index = self.bring(node, module.to_owned(), level, None, false, None);
                self.facts.stars.push(index);
                continue;
            }
            let (name, alias) = self.imported(child);
            if name.is_empty() {
                continue;
            }
            let bound = self.intern(alias.as_deref().unwrap_or(&name));
            self.bring(node, module.to_owned(), level, Some(name), alias.is_some(), Some(bound));
        }
    }

    /// The dotted name and alias of one imported thing.
    fn imported(&self, node: Node<'_>) -> (String, Option<String>) {
        let compact = |node: Node<'_>| -> String {
            let text = syntax::text(node, self.source);
            text.chars().filter(|c| !c.is_whitespace()).collect()
        };
        match node.kind() {
            "dotted_name" => (compact(node), None),
            "aliased_import" => (
                node.child_by_field_name("name").map(compact).unwrap_or_default(),
                node.child_by_field_name("alias").map(compact),
            ),
            _ => (String::new(), None),
        }
    }

    fn bring(
        &mut self,
        node: Node<'_>,
        module: String,
        level: u32,
        name: Option<String>,
        aliased: bool,
        bound: Option<Sym>,
    ) -> u32 {
        let index = u32::try_from(self.facts.imports.len()).unwrap_or(u32::MAX);
        self.facts.imports.push(ImportFact {
            module,
            level,
            name,
            aliased,
            line: u32::try_from(node.start_position().row).unwrap_or(u32::MAX),
            scope: self.scope(),
        });
        if let Some(bound) = bound {
            let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
            self.from = at;
            self.bind_name(bound, Source::Import(index), at, [END; 3], None);
        }
        index
    }

    /// `global a, b` and `nonlocal a`.
    pub(super) fn declare(&mut self, node: Node<'_>, global: bool) {
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        for child in names {
            let name = self.intern(syntax::text(child, self.source));
            let source = if global {
                Source::Global
            } else {
                Source::Nonlocal
            };
            let at = u32::try_from(node.start_byte()).unwrap_or(u32::MAX);
            self.bind_name(name, source, at, [END; 3], None);
        }
    }

    /// A dotted name in a pattern: a lone name captures, more are read.
    pub(super) fn dotted(&mut self, node: Node<'_>, field: Field) {
        let captures = self
            .frames
            .last()
            .is_some_and(|frame| frame.kind == Kind::CasePattern);
        let mut cursor = node.walk();
        let parts: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
        let mut value = None;
        for part in &parts {
            let name = self.intern(syntax::text(*part, self.source));
            let bytes = (node.start_byte(), part.end_byte());
            let span = (
                u32::try_from(bytes.0).unwrap_or(u32::MAX),
                u32::try_from(bytes.1).unwrap_or(u32::MAX),
            );
            let expr = match value {
                None => Expr::Name(name),
                Some(base) => Expr::Attribute(base, name),
            };
            value = Some(self.add(expr, span));
        }
        let Some(expr) = value else { return };
        if captures && parts.len() == 1 {
            let at = u32::try_from(node.end_byte()).unwrap_or(u32::MAX);
            self.bind(expr, Source::Unknown, None, at);
        } else {
            self.values.push(Value { field, expr });
        }
    }

    /// Gives the module what functions assign to its names under `global`.
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
        let moved: Vec<Binding> = self
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
        self.facts.bindings.extend(moved);
    }

    /// Finds the scope that each filled name is bound in.
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

fn placed(mut path: Path, depth: usize, index: u8) -> Path {
    if let Some(slot) = path.get_mut(depth) {
        *slot = index;
    }
    path
}

/// Places nested deeper than a path can say are unknown.
fn deep(source: Source, depth: usize) -> Source {
    if depth > 3 { Source::Unknown } else { source }
}
