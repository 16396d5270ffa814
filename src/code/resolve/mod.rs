//! Resolution: what a name or attribute chain in a Python file means, and what is known of its value.
//!
//! By the language's rules: scopes and shadowing, imports of every form, classes with their method resolution order,
//! and types as far as annotations, constructors, assignments, returns and `isinstance` give them. What is unknown
//! stays unknown; nothing is guessed by name.

mod annotations;
mod calls;
mod classes;
mod containers;
mod names;
mod reaching;
mod values;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::project::Project;
use super::python::{Expr, ExprId, Facts, List, OPERATORS, ScopeId, Sym};
pub(crate) use names::Origin;
pub(crate) use values::{Element, ScopeRef, Value, Values};
use values::{Gathered, nothing, one};

/// Expressions nested or chained deeper than this are unknown.
const DEEPEST: u32 = 48;

/// Steps for one target before the rest stays unknown; ordinary targets take a few thousand.
const FUEL: u32 = 300_000;

/// Steps for one target after which what was worked out inside a cycle is taken as it is, and not computed again.
const PATIENCE: u32 = 20_000;

/// What the names of modules refer to, by file and name.
type NamesOfModules = FxHashMap<(u32, Box<str>), Option<Element>>;

/// A resolver over one project: holds what it has worked out. Not for several threads; make one each.
pub(crate) struct Resolver<'p> {
    project: &'p Project,
    files: RefCell<FxHashMap<u32, Arc<Facts>>>,
    known: RefCell<FxHashMap<(u32, ExprId), Values>>,
    returns: RefCell<FxHashMap<ScopeRef, Values>>,
    /// What was worked out inside cycles for this target, and may lack something.
    provisional: RefCell<FxHashMap<(u32, ExprId), Values>>,
    orders: RefCell<FxHashMap<ScopeRef, Rc<[ScopeRef]>>>,
    open: RefCell<FxHashSet<(u32, ExprId)>>,
    open_calls: RefCell<FxHashSet<ScopeRef>>,
    open_orders: RefCell<FxHashSet<ScopeRef>>,
    /// The names of modules that the present lookup of a name has met; `None` while they are looked up.
    looked_up: RefCell<NamesOfModules>,
    lookups: Cell<u32>,
    /// Counts the times that a question came back to itself, so that what was worked out meanwhile is not cached.
    cycles: Cell<u32>,
    depth: Cell<u32>,
    fuel: Cell<u32>,
    /// Whether a file was reached that was given up.
    gave_up: Cell<bool>,
}

impl<'p> Resolver<'p> {
    /// A resolver that knows nothing yet.
    pub(crate) fn new(project: &'p Project) -> Self {
        Self {
            project,
            files: RefCell::default(),
            known: RefCell::default(),
            returns: RefCell::default(),
            provisional: RefCell::default(),
            orders: RefCell::default(),
            open: RefCell::default(),
            open_calls: RefCell::default(),
            open_orders: RefCell::default(),
            looked_up: RefCell::default(),
            lookups: Cell::new(0),
            cycles: Cell::new(0),
            depth: Cell::new(0),
            fuel: Cell::new(FUEL),
            gave_up: Cell::new(false),
        }
    }

    /// The project.
    pub(crate) fn project(&self) -> &'p Project {
        self.project
    }

    /// Fills the fuel for another target.
    pub(crate) fn refuel(&self) {
        self.fuel.set(FUEL);
        self.gave_up.set(false);
        self.provisional.borrow_mut().clear();
    }

    /// Whether the last target took more steps than are allowed, or reached a file that was given up, so that its
    /// result may lack something.
    pub(crate) fn is_cut_short(&self) -> bool {
        self.fuel.get() == 0 || self.gave_up.get()
    }

    /// What a file says; a file that cannot be read says nothing.
    pub(crate) fn facts(&self, file: u32) -> Arc<Facts> {
        if let Some(facts) = self.files.borrow().get(&file) {
            if facts.bounds.given_up {
                self.gave_up.set(true);
            }
            return Arc::clone(facts);
        }
        let facts = self
            .project
            .facts(file)
            .unwrap_or_else(|_| Arc::new(super::python::read(b"")));
        if facts.bounds.given_up {
            self.gave_up.set(true);
        }
        self.files.borrow_mut().insert(file, Arc::clone(&facts));
        facts
    }

    /// One step deeper; `None` past the bounds.
    fn deeper<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let depth = self.depth.get();
        let fuel = self.fuel.get();
        if depth >= DEEPEST || fuel == 0 {
            self.cycles.set(self.cycles.get() + 1);
            return None;
        }
        self.fuel.set(fuel - 1);
        self.depth.set(depth + 1);
        let done = work();
        self.depth.set(depth);
        Some(done)
    }

    /// What is known of an expression's value.
    pub(crate) fn eval(&self, file: u32, expr: ExprId) -> Values {
        let key = (file, expr);
        if let Some(known) = self.known.borrow().get(&key) {
            return Rc::clone(known);
        }
        if self.fuel.get() < FUEL - PATIENCE
            && let Some(known) = self.provisional.borrow().get(&key)
        {
            self.cycles.set(self.cycles.get() + 1);
            return Rc::clone(known);
        }
        if !self.open.borrow_mut().insert(key) {
            self.cycles.set(self.cycles.get() + 1);
            return nothing();
        }
        let cycles = self.cycles.get();
        let values = self
            .deeper(|| self.work_out(file, expr))
            .unwrap_or_else(nothing);
        self.open.borrow_mut().remove(&key);
        if self.cycles.get() == cycles || self.depth.get() == 0 {
            self.known.borrow_mut().insert(key, Rc::clone(&values));
        } else {
            let copy = Rc::clone(&values);
            self.provisional.borrow_mut().insert(key, copy);
        }
        values
    }

    fn work_out(&self, file: u32, expr: ExprId) -> Values {
        let facts = self.facts(file);
        match facts.expr(expr) {
            Expr::Name(name) => self.name_values(file, expr, name),
            Expr::Attribute(base, name) => {
                self.attribute_values(&self.eval(file, base), facts.text(name))
            }
            Expr::Call(function, arguments) => self.call(file, function, arguments),
            Expr::Subscript(base, index) => self.subscript(file, base, index),
            Expr::Tuple(list) | Expr::Sequence(list) => self.literal(file, &facts, list),
            Expr::Set(list) => one(Value::Elements(self.union(file, facts.list(list)))),
            Expr::Mapping(list) => self.mapping(file, &facts, list),
            Expr::Either(list) | Expr::Both(list) => self.union(file, facts.list(list)),
            Expr::Binary(left, right, operator) => self.operated(file, left, right, operator),
            Expr::Lambda(scope) => one(Value::Lambda(ScopeRef { file, scope })),
            Expr::Comprehension(element, false) => one(Value::Elements(self.eval(file, element))),
            Expr::Comprehension(element, true) => match facts.expr(element) {
                Expr::Pair(key, value) => {
                    one(Value::Mapping(self.eval(file, key), self.eval(file, value)))
                }
                _ => nothing(),
            },
            Expr::Await(inner) => self.eval(file, inner),
            Expr::As(value, _) => self.eval(file, value),
            _ => nothing(),
        }
    }

    /// The values of several expressions together.
    fn union(&self, file: u32, exprs: &[ExprId]) -> Values {
        let mut gathered = Gathered::default();
        for &expr in exprs {
            gathered.extend(&self.eval(file, expr));
        }
        gathered.done()
    }

    fn literal(&self, file: u32, facts: &Facts, list: List) -> Values {
        let members = facts.list(list);
        let starred = members
            .iter()
            .any(|&member| matches!(facts.expr(member), Expr::Starred(_)));
        if members.len() > 8 || starred {
            let mut gathered = Gathered::default();
            for &member in members.iter().take(64) {
                match facts.expr(member) {
                    Expr::Starred(inner) => {
                        gathered.extend(&self.iterate(&self.eval(file, inner)));
                    }
                    _ => gathered.extend(&self.eval(file, member)),
                }
            }
            return one(Value::Elements(gathered.done()));
        }
        let places: Vec<Values> = members
            .iter()
            .map(|&member| self.eval(file, member))
            .collect();
        one(Value::Tuple(places.into()))
    }

    fn mapping(&self, file: u32, facts: &Facts, list: List) -> Values {
        let (mut keys, mut values) = (Gathered::default(), Gathered::default());
        for &member in facts.list(list).iter().take(64) {
            if let Expr::Pair(key, value) = facts.expr(member) {
                keys.extend(&self.eval(file, key));
                values.extend(&self.eval(file, value));
            }
        }
        one(Value::Mapping(keys.done(), values.done()))
    }

    /// What an operator gives: what its method returns, by the left side's class, else the right side's; else
    /// containers joined.
    fn operated(&self, file: u32, left: ExprId, right: ExprId, operator: u8) -> Values {
        let Some((_, forward, backward)) = OPERATORS.get(usize::from(operator)) else {
            return self.binary(file, left, right);
        };
        for (side, method) in [(left, forward), (right, backward)] {
            let instances: Values = self
                .eval(file, side)
                .iter()
                .filter(|value| matches!(value, Value::Instance { .. }))
                .cloned()
                .collect();
            let given = self.called(&self.attribute_values(&instances, method));
            if !given.is_empty() {
                return given;
            }
        }
        self.binary(file, left, right)
    }

    /// Containers joined by `+` stay containers.
    fn binary(&self, file: u32, left: ExprId, right: ExprId) -> Values {
        let mut elements = Gathered::default();
        for value in self
            .eval(file, left)
            .iter()
            .chain(self.eval(file, right).iter())
        {
            if matches!(value, Value::Tuple(_) | Value::Elements(_)) {
                elements.extend(&self.iterate(&one(value.clone())));
            }
        }
        if elements.is_empty() {
            nothing()
        } else {
            one(Value::Elements(elements.done()))
        }
    }

    /// The elements that a name or attribute chain refers to, the places of the project that it depends on. A local
    /// variable, a parameter and anything outside the project refer to none.
    pub(crate) fn elements(&self, file: u32, expr: ExprId) -> Vec<Element> {
        let facts = self.facts(file);
        let mut found = match facts.expr(expr) {
            Expr::Name(name) => self.name_element(file, expr, name).into_iter().collect(),
            Expr::Attribute(base, name) => self.attribute(file, base, name),
            _ => Vec::new(),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The elements that the attribute `name` of an expression's value is.
    pub(crate) fn attribute(&self, file: u32, object: ExprId, name: Sym) -> Vec<Element> {
        let values = self.eval(file, object);
        let facts = self.facts(file);
        let found = self.attribute_elements(&values, facts.text(name));
        if found.is_empty() {
            self.undeclared(file, &values, name).into_iter().collect()
        } else {
            found
        }
    }

    /// The class of a method, or the class itself.
    fn enclosing_class(&self, file: u32, mut scope: ScopeId) -> Option<ScopeRef> {
        let facts = self.facts(file);
        loop {
            if let Some(class) = facts.class_of(scope) {
                return Some(ScopeRef { file, scope: class });
            }
            scope = facts.scope(scope).parent?;
        }
    }
}
