//! Replaces a target by a completion that is a whole Java method. All samples of CoderEval and some completions of
//! HumanEvo are whole methods.

use std::ops::Range;

use tree_sitter::Node;

use super::splice::method_around;
use crate::benchmark::{Language, LineSpan, ParameterTypes};
use crate::code::parse::parse;
use crate::code::placed::Placed;
use crate::code::syntax::{children, text};

/// Replaces the target by a completion. The target is the method in `source` with the lines `body` in its body. `None`
/// if `source` has no such method, or if the completion does not declare a whole method with the target's name.
///
/// The completion's method replaces the target, including the signature. If the method has annotations, they replace
/// the target's annotations. Otherwise the target's annotations stay. Imports of the completion are added to the file,
/// unless the file already imports or declares the name. Other members, except constructors, are placed after the
/// method, unless the target's class already has them. If the completion has a class around the method, its other
/// top-level types are placed at the end of the file, unless the file already has them.
pub(super) fn place_method(source: &[u8], body: LineSpan, completion: &str) -> Option<Placed> {
    let tree = parse(Language::Java, source)?;
    let target = ReplacedMethod::find(tree.root_node(), source, body)?;
    let parts = Parts::of(completion, &target)?;
    Some(parts.placed(source, &target))
}

/// The target in its file.
struct ReplacedMethod<'t> {
    node: Node<'t>,
    /// The root of the file's syntax tree.
    root: Node<'t>,
    source: &'t [u8],
}

impl<'t> ReplacedMethod<'t> {
    fn find(root: Node<'t>, source: &'t [u8], body: LineSpan) -> Option<Self> {
        let node = method_around(root, body)?;
        Some(Self { node, root, source })
    }

    fn member(&self) -> Member {
        Member::of(self.node, self.source)
    }

    fn siblings(&self) -> Vec<Member> {
        let parent = self.node.parent();
        let nodes = parent.into_iter().flat_map(children);
        nodes.flat_map(|node| members(node, self.source)).collect()
    }
}

/// What identifies a member of a class.
#[derive(PartialEq)]
struct Member {
    kind: MemberKind,
    name: String,
    parameters: Option<ParameterTypes>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberKind {
    Constructor,
    Method,
    Field,
    Type,
    Initializer,
}

impl MemberKind {
    fn of(node: Node<'_>) -> Option<Self> {
        Some(match node.kind() {
            "constructor_declaration" | "compact_constructor_declaration" => Self::Constructor,
            "method_declaration" => Self::Method,
            "field_declaration" | "constant_declaration" | "local_variable_declaration" => {
                Self::Field
            }
            "static_initializer" => Self::Initializer,
            kind if is_type(kind) => Self::Type,
            _ => return None,
        })
    }

    fn word(self) -> &'static str {
        match self {
            Self::Constructor => "constructor",
            Self::Method => "method",
            Self::Field => "field",
            Self::Type => "class",
            Self::Initializer => "static initializer",
        }
    }
}

impl Member {
    fn of(node: Node<'_>, source: &[u8]) -> Self {
        let named = |field| node.child_by_field_name(field);
        let list = named("parameters").and_then(|list| text(list, source).strip_prefix('('));
        Self {
            kind: MemberKind::of(node).unwrap_or(MemberKind::Method),
            name: named("name")
                .map_or("", |name| text(name, source))
                .to_owned(),
            parameters: list.map(ParameterTypes::of_list),
        }
    }

    /// Whether the two members have the same kind, name and parameters, so that one class cannot have both.
    fn is_same(&self, other: &Self) -> bool {
        let parameters = match (&self.parameters, &other.parameters) {
            (Some(own), Some(others)) => own.fits(others),
            _ => true,
        };
        self.kind == other.kind && self.name == other.name && parameters
    }

    /// The entry in [`Placed::extra`], such as `method f`.
    fn label(&self) -> String {
        format!("{} {}", self.kind.word(), self.name)
            .trim_end()
            .to_owned()
    }
}

fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
    )
}

/// The members that a node declares. A field declaration may declare several fields.
fn members(node: Node<'_>, source: &[u8]) -> Vec<Member> {
    let Some(kind) = MemberKind::of(node) else {
        return Vec::new();
    };
    if kind != MemberKind::Field {
        return vec![Member::of(node, source)];
    }
    let mut cursor = node.walk();
    let declarators = node.children_by_field_name("declarator", &mut cursor);
    let names = declarators.filter_map(|each| each.child_by_field_name("name"));
    let fields = names.map(|name| Member {
        kind,
        name: text(name, source).to_owned(),
        parameters: None,
    });
    fields.collect()
}

/// The parts of a completion. Their indentation is not changed, because it has no meaning in Java.
#[derive(Default)]
struct Parts {
    /// The import declarations that are added to the file.
    imports: Vec<String>,
    /// The text of the method that replaces the target. The other members follow it, because annotations of the target
    /// that stay in the file must directly precede the method.
    method: String,
    /// (label, text) of each other member.
    members: Vec<(String, String)>,
    /// The 0-based line in `method` on which the declaration begins, after any annotations.
    declaration: u32,
    /// Whether `method` begins with annotations.
    annotated: bool,
    /// (label, text) of each type that is placed at the end of the file.
    types: Vec<(String, String)>,
}

impl Parts {
    fn of(completion: &str, target: &ReplacedMethod<'_>) -> Option<Self> {
        let tree = parse(Language::Java, completion.as_bytes())?;
        let top = children(tree.root_node());
        let code = completion.as_bytes();
        let class = top
            .iter()
            .filter(|node| is_type(node.kind()))
            .find_map(|node| class_with(*node, code, target));
        let mut parts = Self::default();
        parts.add_imports(&top, code, target);
        if let Some(class) = class {
            // Statements next to the class mean that the completion is a body with a local class.
            let only_declarations = top
                .iter()
                .all(|node| MemberKind::of(*node).is_some() || is_header(node.kind()));
            only_declarations.then_some(())?;
            parts.add_members(class, code, target)?;
            let others = top.iter().filter(|node| !covers(**node, class));
            parts.add_types(others, code, target);
            return Some(parts);
        }
        let header = top.iter().take_while(|node| is_header(node.kind()));
        let start = header.last().map_or(0, Node::end_byte);
        let wrapped = format!("class Wrapped {{{}\n}}", completion.get(start..)?);
        let tree = parse(Language::Java, wrapped.as_bytes())?;
        let class = children(tree.root_node()).into_iter().next()?;
        let block = class.child_by_field_name("body")?;
        parts.add_members(block, wrapped.as_bytes(), target)?;
        Some(parts)
    }

    fn add_imports(&mut self, top: &[Node<'_>], code: &[u8], target: &ReplacedMethod<'_>) {
        let file = children(target.root);
        let own = |kind: fn(&str) -> bool| file.iter().filter(move |node| kind(node.kind()));
        let imported: Vec<String> = own(|kind| kind == "import_declaration")
            .map(|node| import_name(text(*node, target.source)))
            .collect();
        let declared: Vec<&str> = own(is_type)
            .filter_map(|node| node.child_by_field_name("name"))
            .map(|name| text(name, target.source))
            .collect();
        for node in top
            .iter()
            .filter(|node| node.kind() == "import_declaration")
        {
            let written = text(*node, code);
            let name = import_name(written);
            let known = name != "*" && (imported.contains(&name) || declared.contains(&&*name));
            if !known {
                self.imports.push(written.to_owned());
            }
        }
    }

    /// Adds members from the block of a class: the method that replaces the target, and the members that the target's
    /// class does not have. Constructors are left out. `None` if the block has no method that replaces the target.
    fn add_members(
        &mut self,
        block: Node<'_>,
        code: &[u8],
        target: &ReplacedMethod<'_>,
    ) -> Option<()> {
        let own = method_in(block, code, target)?;
        let siblings = target.siblings();
        for node in children(block) {
            let written = text(node, code).to_owned();
            if node == own {
                let modifiers = children(node)
                    .into_iter()
                    .find(|child| child.kind() == "modifiers");
                let start = declaration_start(node, modifiers);
                self.annotated = start > node.start_byte();
                let before = code.get(node.start_byte()..start).unwrap_or_default();
                self.declaration = line_count(before);
                self.method = written;
                continue;
            }
            let declared = members(node, code);
            let known = |member: &Member| siblings.iter().any(|other| other.is_same(member));
            let first = declared.first();
            let is_retained = first.is_some_and(|first| first.kind != MemberKind::Constructor)
                && !declared.iter().any(known);
            if let (true, Some(first)) = (is_retained, first) {
                self.members.push((first.label(), written));
            }
        }
        Some(())
    }

    fn add_types<'n, 't: 'n>(
        &mut self,
        nodes: impl Iterator<Item = &'n Node<'t>>,
        code: &[u8],
        target: &ReplacedMethod<'_>,
    ) {
        let file: Vec<Member> = children(target.root)
            .into_iter()
            .map(|node| Member::of(node, target.source))
            .collect();
        for node in nodes.filter(|node| is_type(node.kind())) {
            let member = Member::of(*node, code);
            if !file.iter().any(|other| other.is_same(&member)) {
                // Only the file's main type may be public.
                let written = text(*node, code);
                let written = written.strip_prefix("public ").unwrap_or(written);
                self.types.push((member.label(), written.to_owned()));
            }
        }
    }

    fn placed(&self, source: &[u8], target: &ReplacedMethod<'_>) -> Placed {
        let node = target.node;
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        if !self.imports.is_empty() {
            let at = imports_end(target.root);
            edits.push((at..at, format!("\n{}\n", self.imports.join("\n"))));
        }
        let modifiers = children(node)
            .into_iter()
            .find(|child| child.kind() == "modifiers");
        let start = if self.annotated {
            node.start_byte()
        } else {
            declaration_start(node, modifiers)
        };
        let others = self.members.iter().map(|(_, code)| code.as_str());
        let members: Vec<&str> = std::iter::once(&*self.method).chain(others).collect();
        edits.push((start..node.end_byte(), members.join("\n")));
        if !self.types.is_empty() {
            let types: Vec<&str> = self.types.iter().map(|(_, code)| code.as_str()).collect();
            let end = source.len();
            edits.push((end..end, format!("\n{}\n", types.join("\n"))));
        }
        let first = edits.iter().take_while(|(range, _)| range.start < start);
        let shift: u32 = first.map(|(_, code)| line_count(code.as_bytes())).sum();
        let first = line_count(&source[..start]) + 1 + shift;
        let last = first + line_count(members.join("\n").as_bytes());
        Placed {
            content: edited(source, &edits),
            lines: LineSpan::new(first, last).unwrap_or_else(|| LineSpan::line(first)),
            signature: Some(first + self.declaration),
            extra: self.extra(),
            fault: None,
        }
    }

    fn extra(&self) -> Vec<String> {
        let imports = self
            .imports
            .iter()
            .map(|import| import.trim_end_matches(';').to_owned());
        let members = self.members.iter().map(|(label, _)| label.clone());
        let types = self.types.iter().map(|(label, _)| label.clone());
        imports.chain(members).chain(types).collect()
    }
}

/// Whether a node of this kind may precede the declarations of a file.
fn is_header(kind: &str) -> bool {
    matches!(
        kind,
        "package_declaration" | "import_declaration" | "line_comment" | "block_comment"
    )
}

fn covers(outer: Node<'_>, inner: Node<'_>) -> bool {
    outer.start_byte() <= inner.start_byte() && inner.end_byte() <= outer.end_byte()
}

/// The block that declares the target: the block of the type `class`, or of a type nested in `class`.
fn class_with<'t>(class: Node<'t>, code: &[u8], target: &ReplacedMethod<'_>) -> Option<Node<'t>> {
    let block = class.child_by_field_name("body")?;
    if method_in(block, code, target).is_some() {
        return Some(block);
    }
    let inner = children(block)
        .into_iter()
        .filter(|node| is_type(node.kind()));
    inner
        .into_iter()
        .find_map(|node| class_with(node, code, target))
}

/// The method in a block that corresponds to the target: the method with the target's name and parameters, or else the
/// last method with the target's name.
fn method_in<'t>(block: Node<'t>, code: &[u8], target: &ReplacedMethod<'_>) -> Option<Node<'t>> {
    let wanted = target.member();
    let named: Vec<Node<'t>> = children(block)
        .into_iter()
        .filter(|node| {
            let is_method = matches!(
                MemberKind::of(*node),
                Some(MemberKind::Method | MemberKind::Constructor)
            );
            is_method && is_declared(*node) && Member::of(*node, code).name == wanted.name
        })
        .collect();
    let exact = named
        .iter()
        .find(|node| Member::of(**node, code).is_same(&wanted));
    exact.or(named.last()).copied()
}

/// Whether a method has a body, and no syntax error before the body. In the block of a class, the parser also reads the
/// statements `return f(a);` and `synchronized (f(a)) { }` as methods.
fn is_declared(method: Node<'_>) -> bool {
    let Some(body) = method.child_by_field_name("body") else {
        return false;
    };
    let mut cursor = method.walk();
    let mut header = method.children(&mut cursor).filter(|child| *child != body);
    !header.any(|child| child.has_error() || child.is_missing())
}

/// The byte offset of the first word after the annotations at the start of a declaration.
fn declaration_start(node: Node<'_>, modifiers: Option<Node<'_>>) -> usize {
    let Some(modifiers) = modifiers else {
        return node.start_byte();
    };
    let mut cursor = modifiers.walk();
    let mut start = modifiers.start_byte();
    for child in modifiers.children(&mut cursor) {
        if !child.kind().ends_with("annotation") && !child.is_extra() {
            return child.start_byte();
        }
        start = child.end_byte();
    }
    modifiers
        .next_sibling()
        .map_or(start, |next| next.start_byte())
}

/// The simple name that an import adds to a file. `*` for a whole package.
fn import_name(written: &str) -> String {
    let path = written.trim().trim_end_matches(';').trim_end();
    let name = path.rsplit(['.', ' ']).next().unwrap_or(path);
    name.trim().to_owned()
}

/// The byte offset at which imports are added: after the file's imports, or else after its package declaration, or else
/// at the start of the file.
fn imports_end(root: Node<'_>) -> usize {
    let mut header = children(root)
        .into_iter()
        .filter(|node| matches!(node.kind(), "package_declaration" | "import_declaration"));
    header.next_back().map_or(0, |node| node.end_byte())
}

fn line_count(text: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text).count()).unwrap_or(u32::MAX)
}

fn edited(source: &[u8], edits: &[(Range<usize>, String)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len());
    let mut at = 0;
    for (range, text) in edits {
        out.extend_from_slice(&source[at..range.start]);
        out.extend_from_slice(text.as_bytes());
        at = range.end;
    }
    out.extend_from_slice(&source[at..]);
    out
}

#[cfg(test)]
mod tests;
