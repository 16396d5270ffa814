//! The values of the resolution: elements of the project, and what is known about an expression.

use std::rc::Rc;

use crate::code::project::ModuleRef;
use crate::code::python::{ScopeId, Sym};

/// A class or function of the project: its file, and its scope in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ScopeRef {
    pub(crate) file: u32,
    pub(crate) scope: ScopeId,
}

/// An element of the project that code can depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Element {
    /// A module, used as an object.
    Module(ModuleRef),
    /// A class, function or method.
    Scope(ScopeRef),
    /// A variable of a module, a class variable or an instance attribute. It has its owner (the scope of the module or
    /// class) and its name in that file.
    Variable(ScopeRef, Sym),
}

/// What is known about a value. `own` marks `self` and `cls`; in a call with another receiver, they stand for that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Module(ModuleRef),
    Class {
        class: ScopeRef,
        own: bool,
    },
    Instance {
        class: ScopeRef,
        own: bool,
    },
    Function(ScopeRef),
    /// A method, with the class of its receiver.
    Method {
        function: ScopeRef,
        class: ScopeRef,
        own: bool,
    },
    /// `super()` in the class `after`: the classes after it in the order of `of`.
    Super {
        after: ScopeRef,
        of: ScopeRef,
        instance: bool,
    },
    /// A lambda.
    Lambda(ScopeRef),
    Tuple(Rc<[Values]>),
    /// Any iterable, with the values of its elements.
    Elements(Values),
    Mapping(Values, Values),
}

/// The known possible values of an expression; empty if none is known.
pub(crate) type Values = Rc<[Value]>;

/// How many alternatives are followed at most.
pub(super) const MOST: usize = 12;

/// Collects values without duplicates, at most [`MOST`].
#[derive(Debug, Default)]
pub(super) struct Gathered(Vec<Value>);

impl Gathered {
    pub(super) fn push(&mut self, value: Value) {
        if self.0.len() < MOST && !self.0.contains(&value) {
            self.0.push(value);
        }
    }

    pub(super) fn extend(&mut self, values: &[Value]) {
        for value in values {
            self.push(value.clone());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn done(self) -> Values {
        self.0.into()
    }
}

/// No values.
pub(super) fn nothing() -> Values {
    Rc::from([])
}

/// One value.
pub(super) fn one(value: Value) -> Values {
    Rc::from([value])
}
