//! Finds the elements (types, methods and fields) of the project that a Java method uses.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::facts::{File, Member, bare, step, type_text};
use super::names::is_standard_package;
use super::project::{JavaProject, Meaning, TypeRef};
use crate::benchmark::{DependencyType, Language, Namespace, RepoPath};
use crate::code::dependencies::{Dependencies, ElementKind, FoundDependency, Use};
use crate::code::levels::DependencyScope;
use crate::code::outline::Definition;
use crate::code::parse::parse;
use crate::code::syntax::text;

/// The maximum length of a chain of calls and field accesses (`a.b().c`). The type of a longer chain is unknown.
const DEEPEST: u32 = 32;

/// (type, `None`) for the type itself; (type, index) for the type's member with this index.
type Element = (TypeRef, Option<usize>);

/// The analysis of one method.
struct Study<'p> {
    project: &'p JavaProject,
    source: &'p [u8],
    file: u32,
    /// The index of the method's class among the types that the file declares.
    class: Option<usize>,
    /// The declared type of each local variable and parameter, by name. Empty for lambda parameters that have no
    /// declared type.
    locals: FxHashMap<String, String>,
    found: BTreeMap<Element, Vec<Use>>,
    reach: DependencyScope,
}

impl JavaProject {
    /// The dependencies of the method `definition` in the file at `path`, and a summary of what the method uses. Both
    /// are empty if the project does not have the file or the method, or if the file exceeds the limits of the parser.
    pub fn dependencies(
        &self,
        path: &RepoPath,
        definition: &Definition,
    ) -> (Dependencies, DependencyScope) {
        let Some(file) = self.file_at(path) else {
            return Default::default();
        };
        let source = self.source(file);
        let Some(tree) = parse(Language::Java, &source) else {
            return Default::default();
        };
        let declared = self.declared(file);
        let outer = definition.qualname.rsplit_once('.').map(|(outer, _)| outer);
        let class = declared
            .types
            .iter()
            .position(|known| Some(known.qualname.as_str()) == outer);
        let Some(method) = method_at(tree.root_node(), definition) else {
            return Default::default();
        };
        let mut study = Study {
            project: self,
            source: &source,
            file,
            class,
            locals: FxHashMap::default(),
            found: BTreeMap::new(),
            reach: DependencyScope::default(),
        };
        study.each(method, Study::note_local);
        study.each(method, Study::note_use);
        let broken = method.has_error();
        (study.finish(broken), study.reach)
    }
}

/// The first method or constructor declaration that begins on the first line of `definition`.
fn method_at<'t>(root: Node<'t>, definition: &Definition) -> Option<Node<'t>> {
    let row = definition.whole.first() as usize - 1;
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let starts = node.start_position().row == row;
        if starts
            && matches!(
                node.kind(),
                "method_declaration"
                    | "constructor_declaration"
                    | "compact_constructor_declaration"
            )
        {
            return Some(node);
        }
        let around = node.start_position().row <= row && node.end_position().row >= row;
        if !step(&mut cursor, around, &mut depth) {
            return None;
        }
    }
}

impl<'p> Study<'p> {
    /// Calls `take` with `root` and every node inside it, in depth-first order.
    fn each(&mut self, root: Node<'_>, take: fn(&mut Self, Node<'_>)) {
        let mut cursor = root.walk();
        let mut depth = 0;
        loop {
            take(self, cursor.node());
            if !step(&mut cursor, true, &mut depth) {
                return;
            }
        }
    }

    fn text(&self, node: Node<'_>) -> &'p str {
        text(node, self.source)
    }

    /// Records the local variables and parameters that a node declares.
    fn note_local(&mut self, node: Node<'_>) {
        let type_name = match node.kind() {
            "formal_parameter"
            | "catch_formal_parameter"
            | "resource"
            | "instanceof_expression"
            | "enhanced_for_statement" => type_text(node, self.source),
            "local_variable_declaration" => {
                let type_name = type_text(node, self.source);
                let mut cursor = node.walk();
                for declarator in node.children_by_field_name("declarator", &mut cursor) {
                    if let Some(name) = declarator.child_by_field_name("name") {
                        self.locals
                            .insert(self.text(name).to_owned(), type_name.clone());
                    }
                }
                return;
            }
            "inferred_parameters" | "lambda_expression" => {
                let holder = node.child_by_field_name("parameters").unwrap_or(node);
                let mut cursor = holder.walk();
                let plain = holder.kind() == "identifier";
                let children: Vec<Node<'_>> = holder.named_children(&mut cursor).collect();
                let names = if plain { vec![holder] } else { children };
                for name in names.into_iter().filter(|name| name.kind() == "identifier") {
                    self.locals.entry(self.text(name).to_owned()).or_default();
                }
                return;
            }
            _ => return,
        };
        if let Some(name) = node.child_by_field_name("name") {
            self.locals.insert(self.text(name).to_owned(), type_name);
        }
    }

    /// Records the elements that a node of the method uses.
    fn note_use(&mut self, node: Node<'_>) {
        match node.kind() {
            "method_invocation" => {
                let Some(name) = node.child_by_field_name("name") else {
                    return;
                };
                let owner = match node.child_by_field_name("object") {
                    Some(object) => self.type_of(object, 0),
                    None => self.own_type(),
                };
                if node.child_by_field_name("object").is_none() {
                    self.note_bare(name, true);
                } else if let Some(element) =
                    owner.and_then(|own| self.member(own, self.text(name), true))
                {
                    self.note(element, name);
                }
            }
            "field_access" => {
                let (Some(object), Some(field)) = (
                    node.child_by_field_name("object"),
                    node.child_by_field_name("field"),
                ) else {
                    return;
                };
                let owner = self.type_of(object, 0);
                if let Some(element) =
                    owner.and_then(|own| self.member(own, self.text(field), false))
                {
                    self.note(element, field);
                }
            }
            "this" | "super" => self.reach.own_class = true,
            "type_identifier" => self.note_type(node),
            "identifier" if is_expression(node) => self.note_bare(node, false),
            _ => {}
        }
    }

    /// Records the use of a name that no object precedes. The name is searched for among the local variables, the
    /// members of the class and of its enclosing classes, the static imports, and the types, in this order. For a
    /// method, only members and static imports are searched. A method that is not found counts as a member of the
    /// class.
    fn note_bare(&mut self, name: Node<'_>, method: bool) {
        let own_name = self.text(name);
        if !method && self.locals.contains_key(own_name) {
            return;
        }
        let declared = self.project.declared(self.file);
        let mut around = self.class;
        while let Some(at) = around {
            let own = TypeRef {
                file: self.file,
                at,
            };
            if let Some(element) = self.member(own, own_name, method) {
                self.note(element, name);
                return;
            }
            around = declared.types[at].parent;
        }
        if let Some(element) = self.imported_member(&declared, own_name, method) {
            self.note(element, name);
        } else if method {
            self.reach.own_class = true;
        } else if own_name.starts_with(char::is_uppercase) {
            self.note_type(name);
        }
    }

    fn imported_member(&self, declared: &File, name: &str, method: bool) -> Option<Element> {
        declared
            .imports
            .iter()
            .filter(|import| import.fixed)
            .find_map(|import| {
                let class = if import.star {
                    &import.path
                } else {
                    import.path.strip_suffix(name)?.strip_suffix('.')?
                };
                match self.project.meaning(self.file, None, class) {
                    Meaning::Project(own) => self.member(own, name, method),
                    _ => None,
                }
            })
    }

    fn note_type(&mut self, node: Node<'_>) {
        let mut whole = node;
        while let Some(parent) = whole.parent()
            && parent.kind() == "scoped_type_identifier"
        {
            whole = parent;
        }
        let name = bare(self.text(whole));
        match self.project.meaning(self.file, self.class, &name) {
            Meaning::Project(found) => self.note((found, None), node),
            Meaning::Outside(package) if is_standard_package(&package) => {
                self.reach.standard.insert(package);
            }
            Meaning::Outside(package) => {
                self.reach.third_party.insert(package);
            }
            Meaning::BuiltIn => {}
            Meaning::Unknown if self.is_type_variable(node, &name) => {}
            Meaning::Unknown => {
                self.reach.unknown.insert(name);
            }
        }
    }

    /// Whether a name is a type parameter of the method or of an enclosing class.
    fn is_type_variable(&self, node: Node<'_>, name: &str) -> bool {
        let mut at = node.parent();
        while let Some(around) = at {
            let mut cursor = around.walk();
            let parameters = around
                .named_children(&mut cursor)
                .find(|child| child.kind() == "type_parameters");
            if let Some(parameters) = parameters {
                let mut inner = parameters.walk();
                let mut names = parameters
                    .named_children(&mut inner)
                    .filter_map(|one| one.named_child(0));
                if names.any(|own| self.text(own) == name) {
                    return true;
                }
            }
            at = around.parent();
        }
        false
    }

    fn own_type(&self) -> Option<TypeRef> {
        let file = self.file;
        self.class.map(|at| TypeRef { file, at })
    }

    /// The type of an expression. `None` if the type is not in the project, or does not follow from declarations.
    fn type_of(&self, node: Node<'_>, depth: u32) -> Option<TypeRef> {
        if depth > DEEPEST {
            return None;
        }
        match node.kind() {
            "this" => self.own_type(),
            "super" => {
                let own = self.own_type()?;
                self.supers(own).into_iter().next()
            }
            "identifier" => {
                let name = self.text(node);
                if let Some(type_name) = self.locals.get(name) {
                    return self.named(self.file, self.class, type_name);
                }
                let field = self
                    .own_type()
                    .and_then(|own| self.member(own, name, false));
                match field {
                    Some(field) => self.declared_type(field),
                    None => self.named(self.file, self.class, name),
                }
            }
            "object_creation_expression" | "cast_expression" => {
                self.named(self.file, self.class, &type_text(node, self.source))
            }
            "parenthesized_expression" => self.type_of(node.named_child(0)?, depth + 1),
            "method_invocation" => {
                let name = self.text(node.child_by_field_name("name")?);
                let owner = match node.child_by_field_name("object") {
                    Some(object) => self.type_of(object, depth + 1)?,
                    None => self.own_type()?,
                };
                self.declared_type(self.member(owner, name, true)?)
            }
            "field_access" => {
                let owner = self.type_of(node.child_by_field_name("object")?, depth + 1)?;
                let name = self.text(node.child_by_field_name("field")?);
                self.declared_type(self.member(owner, name, false)?)
            }
            _ => None,
        }
    }

    fn named(&self, file: u32, inside: Option<usize>, name: &str) -> Option<TypeRef> {
        match self.project.meaning(file, inside, name) {
            Meaning::Project(found) => Some(found),
            _ => None,
        }
    }

    fn declared_member(&self, (owner, at): Element) -> Option<Member> {
        let declared = self.project.declared(owner.file);
        declared.types.get(owner.at)?.members.get(at?).cloned()
    }

    /// The declared type of a member.
    fn declared_type(&self, element: Element) -> Option<TypeRef> {
        let member = self.declared_member(element)?;
        self.named(element.0.file, Some(element.0.at), &member.type_name)
    }

    fn supers(&self, own: TypeRef) -> Vec<TypeRef> {
        let declared = self.project.declared(own.file);
        declared.types[own.at]
            .supers
            .iter()
            .filter_map(|name| self.named(own.file, Some(own.at), name))
            .collect()
    }

    /// The method `name` of the type `own`, or the field `name` if `method` is false. If `own` does not declare the
    /// member, the nearest base type with such a member is used. `None` if there is no such member.
    fn member(&self, own: TypeRef, name: &str, method: bool) -> Option<Element> {
        let mut seen = vec![own];
        let mut next = 0;
        while let Some(&class) = seen.get(next) {
            let declared = self.project.declared(class.file);
            let members = &declared.types[class.at].members;
            let fits = |member: &Member| member.name == name && member.method == method;
            if let Some(at) = members.iter().position(fits) {
                return Some((class, Some(at)));
            }
            if seen.len() < 256 {
                for above in self.supers(class) {
                    if !seen.contains(&above) {
                        seen.push(above);
                    }
                }
            }
            next += 1;
        }
        None
    }

    /// Records the use of `element` at the node `name`, unless the element is the method's own class.
    fn note(&mut self, element: Element, name: Node<'_>) {
        let own = self.own_type();
        if element.1.is_none() && Some(element.0) == own {
            return;
        }
        match self.type_of_dependency(element) {
            DependencyType::IntraClass => self.reach.own_class = true,
            DependencyType::IntraFile => self.reach.own_file = true,
            DependencyType::CrossFile => self.reach.project = true,
        }
        let column = |point: tree_sitter::Point| u32::try_from(point.column).unwrap_or(u32::MAX);
        let place = Use {
            line: crate::code::syntax::first_line(name),
            columns: (column(name.start_position()), column(name.end_position())),
        };
        let places = self.found.entry(element).or_default();
        if !places.contains(&place) {
            places.push(place);
        }
    }

    fn type_of_dependency(&self, (owner, member): Element) -> DependencyType {
        if owner.file != self.file {
            DependencyType::CrossFile
        } else if member.is_some() && Some(owner) == self.own_type() {
            DependencyType::IntraClass
        } else {
            DependencyType::IntraFile
        }
    }

    fn finish(&self, broken: bool) -> Dependencies {
        let mut found: Vec<FoundDependency> = self
            .found
            .iter()
            .filter_map(|(&element, uses)| self.describe(element, uses.clone()))
            .collect();
        found.sort_by_key(|dependency| dependency.uses.first().copied());
        Dependencies {
            found,
            broken,
            cut_short: false,
        }
    }

    fn describe(&self, element: Element, uses: Vec<Use>) -> Option<FoundDependency> {
        let declared = self.project.declared(element.0.file);
        let owner = declared.types.get(element.0.at)?;
        let member = self.declared_member(element);
        let mut qualname = owner.qualname.clone();
        let mut kind = ElementKind::Class;
        let mut lines = owner.lines;
        if let Some(member) = member {
            qualname = format!("{qualname}.{}", member.name);
            kind = if member.method {
                ElementKind::Method
            } else {
                ElementKind::Attribute
            };
            lines = member.lines;
        }
        let file = self.project.path(element.0.file).clone();
        let namespace = if declared.package.is_empty() {
            qualname.clone()
        } else {
            format!("{}.{qualname}", declared.package)
        };
        Some(FoundDependency {
            namespace: Namespace::new(&namespace)?,
            path: format!("{file}::{}", qualname.replace('.', "::")),
            file,
            lines: Some(lines),
            dependency_type: self.type_of_dependency(element),
            kind,
            uses,
        })
    }
}

/// Whether an identifier is an expression, and not the name in a declaration, call, field access, label or annotation.
fn is_expression(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else {
        return false;
    };
    let named = |field| parent.child_by_field_name(field) == Some(node);
    match parent.kind() {
        "field_access" => !named("field"),
        "method_invocation"
        | "variable_declarator"
        | "formal_parameter"
        | "catch_formal_parameter"
        | "resource"
        | "enhanced_for_statement"
        | "instanceof_expression"
        | "method_declaration"
        | "constructor_declaration"
        | "class_declaration" => !named("name"),
        "lambda_expression" => !named("parameters"),
        "inferred_parameters"
        | "labeled_statement"
        | "break_statement"
        | "continue_statement"
        | "scoped_identifier"
        | "annotation"
        | "marker_annotation"
        | "element_value_pair"
        | "method_reference" => {
            parent.kind() == "method_reference" && parent.named_child(0) == Some(node)
        }
        _ => true,
    }
}
