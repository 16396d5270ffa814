//! Reads the declarations of a Java file: its package, imports, types and their members.

use tree_sitter::{Node, TreeCursor};

use crate::benchmark::{Language, LineSpan};
use crate::code::parse::parse;
use crate::code::syntax::{lines, text};

/// An import declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    /// The dotted path, without a final `.*`.
    pub(super) path: String,
    /// Whether the import ends in `.*`.
    pub(super) star: bool,
    /// Whether this is a static import, which imports members of a type.
    pub(super) fixed: bool,
}

/// A field, enum constant, record component, method or constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) method: bool,
    /// The declared type, or the result type of a method, as [`bare`] returns it. Empty for constructors.
    pub(super) type_name: String,
    pub(super) lines: LineSpan,
}

/// A class, interface, enum, record or annotation type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) name: String,
    /// The dotted name inside the file: `Outer.Inner`.
    pub(super) qualname: String,
    /// The index in [`File::types`] of the type that contains this type. `None` at the top level.
    pub(super) parent: Option<usize>,
    /// The names of the types that this type extends or implements, as written but without type arguments.
    pub(super) supers: Vec<String>,
    pub(super) members: Vec<Member>,
    pub(super) lines: LineSpan,
}

/// All declarations of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct File {
    pub(super) package: String,
    pub(super) imports: Vec<Import>,
    pub(super) types: Vec<Type>,
}

/// Reads the declarations of a file. The result is empty if the file exceeds the limits of the parser.
pub(super) fn read(source: &[u8]) -> File {
    let mut file = File::default();
    let Some(tree) = parse(Language::Java, source) else {
        return file;
    };
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0;
    let mut cursor = tree.walk();
    loop {
        while open.last().is_some_and(|&(at, _)| at >= depth) {
            open.pop();
        }
        let around = open.last().map(|&(_, index)| index);
        let node = cursor.node();
        if let Some(index) = take(node, source, &mut file, around) {
            open.push((depth, index));
        }
        if step(&mut cursor, is_body(node), &mut depth) {
            continue;
        }
        return file;
    }
}

/// Moves the cursor to the next node in depth-first order, and updates `depth`. If `into` is false, the children of the
/// current node are skipped. Returns false if no node is left.
pub(super) fn step(cursor: &mut TreeCursor<'_>, into: bool, depth: &mut usize) -> bool {
    if into && cursor.goto_first_child() {
        *depth += 1;
        return true;
    }
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
        *depth -= 1;
    }
    true
}

/// Whether the children of a node can be declarations.
fn is_body(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "program"
            | "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
            | "class_body"
            | "interface_body"
            | "enum_body"
            | "enum_body_declarations"
            | "annotation_type_body"
            | "ERROR"
    )
}

/// Adds the declarations of a node to `file`. `around` is the index of the innermost type that contains the node. If
/// the node declares a type, returns the index of this type in [`File::types`].
fn take(node: Node<'_>, source: &[u8], file: &mut File, around: Option<usize>) -> Option<usize> {
    match node.kind() {
        "package_declaration" => {
            let name = node.named_child(
                u32::try_from(node.named_child_count())
                    .ok()?
                    .checked_sub(1)?,
            )?;
            file.package = dotted(text(name, source));
        }
        "import_declaration" => file.imports.push(import(node, source)),
        "class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration" => {
            return declare(node, source, file, around);
        }
        "field_declaration" | "constant_declaration" => {
            let type_name = type_text(node, source);
            let mut cursor = node.walk();
            for declarator in node.children_by_field_name("declarator", &mut cursor) {
                let name = declarator.child_by_field_name("name");
                add(
                    file,
                    around,
                    name,
                    source,
                    false,
                    type_name.clone(),
                    lines(node),
                );
            }
        }
        "enum_constant" => {
            let own = around.and_then(|index| file.types.get(index));
            let type_name = own.map(|own| own.name.clone()).unwrap_or_default();
            let name = node.child_by_field_name("name");
            add(file, around, name, source, false, type_name, lines(node));
        }
        "method_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration"
        | "annotation_type_element_declaration" => {
            let name = node.child_by_field_name("name");
            add(
                file,
                around,
                name,
                source,
                true,
                type_text(node, source),
                lines(node),
            );
        }
        _ => {}
    }
    None
}

fn add(
    file: &mut File,
    around: Option<usize>,
    name: Option<Node<'_>>,
    source: &[u8],
    method: bool,
    type_name: String,
    lines: LineSpan,
) {
    if let (Some(name), Some(own)) = (name, around.and_then(|index| file.types.get_mut(index))) {
        own.members.push(Member {
            name: text(name, source).to_owned(),
            method,
            type_name,
            lines,
        });
    }
}

fn declare(node: Node<'_>, source: &[u8], file: &mut File, around: Option<usize>) -> Option<usize> {
    let name = text(node.child_by_field_name("name")?, source).to_owned();
    let qualname = match around.and_then(|index| file.types.get(index)) {
        Some(outer) => format!("{}.{name}", outer.qualname),
        None => name.clone(),
    };
    let mut supers = Vec::new();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if matches!(
            child.kind(),
            "superclass" | "super_interfaces" | "extends_interfaces"
        ) {
            type_names(child, source, &mut supers);
        }
    }
    let mut members = Vec::new();
    if let Some(components) = node.child_by_field_name("parameters") {
        let mut cursor = components.walk();
        for component in components.named_children(&mut cursor) {
            if let Some(name) = component.child_by_field_name("name") {
                members.push(Member {
                    name: text(name, source).to_owned(),
                    method: false,
                    type_name: type_text(component, source),
                    lines: lines(component),
                });
            }
        }
    }
    file.types.push(Type {
        name,
        qualname,
        parent: around,
        supers,
        members,
        lines: lines(node),
    });
    Some(file.types.len() - 1)
}

/// Adds the types of an `extends` or `implements` clause to `names`, without their type arguments.
fn type_names(clause: Node<'_>, source: &[u8], names: &mut Vec<String>) {
    let mut cursor = clause.walk();
    for child in clause.named_children(&mut cursor) {
        if child.kind() == "type_list" {
            let mut inner = child.walk();
            names.extend(
                child
                    .named_children(&mut inner)
                    .map(|one| bare(text(one, source))),
            );
        } else {
            names.push(bare(text(child, source)));
        }
    }
}

fn import(node: Node<'_>, source: &[u8]) -> Import {
    let words = text(node, source)
        .trim_start_matches("import")
        .trim_end_matches(';')
        .trim();
    let (fixed, words) = match words.strip_prefix("static") {
        Some(rest) if rest.starts_with(char::is_whitespace) => (true, rest),
        _ => (false, words),
    };
    let path = dotted(words);
    let star = path.ends_with(".*");
    Import {
        path: path.trim_end_matches(".*").to_owned(),
        star,
        fixed,
    }
}

/// The type in the `type` field of a node, as [`bare`] returns it. Empty if the node has no such field.
pub(super) fn type_text(node: Node<'_>, source: &[u8]) -> String {
    node.child_by_field_name("type")
        .map(|type_name| bare(text(type_name, source)))
        .unwrap_or_default()
}

/// The name of a type without type arguments, brackets and white space: `Map` for `Map<String, List<A>>[]`.
pub(super) fn bare(written: &str) -> String {
    let end = written.find(['<', '[']).unwrap_or(written.len());
    dotted(&written[..end])
}

fn dotted(written: &str) -> String {
    written.chars().filter(|c| !c.is_whitespace()).collect()
}
