//! Processes each node of a Python tree after its children.

use tree_sitter::Node;

use super::build::{Builder, Frame, Value};
use super::facts::{
    Binding, END, Expr, ExprId, OPERATORS, Parameter, ParameterKind, ScopeId, Source, Sym,
};
use super::node_kinds::{Field, Kind};
use crate::code::syntax;

impl Builder<'_> {
    /// Finishes the node on top of the stack and removes it. The node's value (an expression), if it has one, replaces
    /// the values of its children. Some kinds of nodes instead pass the values of their children on to the parent.
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
                Kind::Block => parent.flag = matches!(frame.kind, Kind::Return | Kind::Leaves),
                Kind::If if frame.field == Field::Consequence => parent.flag = frame.flag,
                _ => {}
            }
        }
    }

    pub(super) fn child(&self, frame: &Frame, field: Field) -> Option<ExprId> {
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

    /// The value of a node that is an expression and binds no name. `None` for other nodes.
    fn expression(&mut self, frame: &Frame) -> Option<Expr> {
        let first = self.nth(frame, 0);
        let second = self.nth(frame, 1);
        Some(match frame.kind {
            Kind::Attribute => {
                let name = frame.name?;
                if self.facts.text(name) == "__dict__" {
                    self.set_dynamically(first?);
                }
                Expr::Attribute(first?, name)
            }
            Kind::Call => self.call(frame)?,
            Kind::KeywordArgument => Expr::Keyword(frame.name?, first?),
            Kind::Subscript => self.subscript(frame)?,
            Kind::GenericType => {
                let members = self.members(frame);
                let list = self.list(members.get(1..).unwrap_or_default());
                let index = self.add(Expr::Tuple(list), frame.span);
                Expr::Subscript(first?, Some(index))
            }
            Kind::Text | Kind::Literal | Kind::Slice | Kind::MemberType | Kind::Comparison
                if !(frame.kind == Kind::Comparison && frame.flag) =>
            {
                Expr::Opaque
            }
            Kind::Tuple => Expr::Tuple(self.all(frame)),
            Kind::Sequence => Expr::Sequence(self.all(frame)),
            Kind::Set => Expr::Set(self.all(frame)),
            Kind::Mapping => Expr::Mapping(self.all(frame)),
            Kind::Boolean if frame.flag => Expr::Both(self.all(frame)),
            Kind::Boolean | Kind::UnionType => Expr::Either(self.all(frame)),
            Kind::Conditional => {
                let members: Vec<ExprId> = first.into_iter().chain(self.nth(frame, 2)).collect();
                Expr::Either(self.list(&members))
            }
            Kind::Pair => Expr::Pair(first?, second?),
            Kind::Binary => Expr::Binary(first?, second?, self.operator(first?, second?)),
            Kind::Not => Expr::Not(first?),
            Kind::Comparison => Expr::Same(first?, second?),
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

    /// The operator between two expressions, as an index into [`OPERATORS`]. `u8::MAX` for another operator.
    fn operator(&self, left: ExprId, right: ExprId) -> u8 {
        let between = self.facts.spans[left.0 as usize].1 as usize
            ..self.facts.spans[right.0 as usize].0 as usize;
        let mark = |byte: &&u8| b"+-*/%@&|^<>".contains(byte);
        let text = self.source.get(between).unwrap_or_default();
        let word: Vec<u8> = text
            .iter()
            .skip_while(|byte| !mark(byte))
            .take_while(mark)
            .copied()
            .collect();
        OPERATORS
            .iter()
            .position(|(known, _, _)| known.as_bytes() == word)
            .and_then(|at| u8::try_from(at).ok())
            .unwrap_or(u8::MAX)
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
        if let (Expr::Name(called), Some(&object)) = (self.facts.expr(function), arguments.first())
            && self.facts.text(called) == "setattr"
        {
            self.set_dynamically(object);
        }
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

    /// If `object` is `self` or `cls` of a class, records that the class gets attributes with computed names.
    fn set_dynamically(&mut self, object: ExprId) {
        if let Some(class) = self.class_of_self(object)
            && self.facts.dynamic.last() != Some(&class)
        {
            self.facts.dynamic.push(class);
        }
    }

    /// Records the bindings of a node. Returns the node's value; `None` if the node has no value.
    fn statement(&mut self, frame: &Frame) -> Option<ExprId> {
        let end = frame.span.1;
        match frame.kind {
            Kind::Named => {
                let (target, value) = (
                    self.child(frame, Field::Name)?,
                    self.child(frame, Field::Value)?,
                );
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

    pub(super) fn owner(&self) -> ScopeId {
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
        let in_function = self
            .frames
            .last()
            .is_some_and(|parent| parent.kind == Kind::Function);
        if in_function {
            self.types_from_comment(scope, frame.span.1);
        }
    }

    /// If no parameter has an annotation, takes the types of the parameters and of the result from a type comment after
    /// the signature. `from` is the byte offset of the end of the parameters.
    fn types_from_comment(&mut self, scope: ScopeId, from: u32) {
        let has_no_type = |parameter: &Parameter| parameter.annotation.is_none();
        if !self.facts.scope(scope).parameters.iter().all(has_no_type) {
            return;
        }
        let (types, returns) = self.commented_signature(from);
        let opened = &mut self.facts.scopes[scope.0 as usize];
        opened.returns = returns;
        // The comment may omit `self`.
        let skip = usize::from(opened.parameters.len() == types.len() + 1);
        for (parameter, annotation) in opened.parameters.iter_mut().skip(skip).zip(types) {
            parameter.annotation = annotation;
        }
    }

    fn function(&mut self, frame: &Frame) {
        let (Some(scope), Some(name)) = (frame.opened, frame.name) else {
            return;
        };
        let returns = self.child(frame, Field::ReturnType);
        let end = u32::try_from(self.facts.exprs.len()).unwrap_or(u32::MAX);
        let opened = &mut self.facts.scopes[scope.0 as usize];
        opened.name = name;
        opened.returns = returns.or(opened.returns);
        opened.exprs = (frame.exprs, end);
        self.bind_name(
            name,
            Source::Definition(scope),
            frame.span.0,
            [END; 3],
            None,
        );
        self.set_decorated_scope(scope);
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
        self.bind_name(
            name,
            Source::Definition(scope),
            frame.span.0,
            [END; 3],
            None,
        );
        self.set_decorated_scope(scope);
    }

    fn set_decorated_scope(&mut self, scope: ScopeId) {
        if let Some(parent) = self.frames.last_mut()
            && parent.kind == Kind::Decorated
        {
            parent.opened = Some(scope);
        }
    }

    fn assignment(&mut self, frame: &Frame) -> Option<ExprId> {
        let target = self.child(frame, Field::Left)?;
        let value = self.child(frame, Field::Right);
        let annotation = self
            .child(frame, Field::Type)
            .or_else(|| self.commented_type_on_line(frame.span.1));
        let source = value.map_or(Source::Declared, Source::Value);
        self.bind(target, source, annotation, frame.span.1);
        if let Some(value) = value {
            self.exports(target, value);
        }
        value
    }

    /// The type in a type comment that follows the byte offset `from` on the same line. `None` if there is none.
    fn commented_type_on_line(&mut self, from: u32) -> Option<ExprId> {
        let rest = self.source.get(from as usize..)?;
        let next = rest.iter().find(|byte| !b" \t".contains(byte));
        if next != Some(&b'#') {
            return None;
        }
        self.commented_type(from)
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

    /// If `target` is `__all__` of the module, records the names in `value`.
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
            comprehension.flag = true;
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

    /// Records a dotted name. In a `case` pattern, a name without a dot is bound. Any other name is read.
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
}
