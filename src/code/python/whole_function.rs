//! Replaces a target by a completion that is a whole Python function. CoderEval's samples are whole functions, and so
//! are HumanEvo's completions that begin with the declaration.

use tree_sitter::Node;

use super::reindent::{dedented, indented};
use crate::benchmark::{Language, LineSpan};
use crate::code::outline::{Definition, DefinitionKind, Outline, outline};
use crate::code::parse::parse;
use crate::code::placed::Placed;
use crate::code::syntax::text;

/// Puts a whole Python function in the place of the target, the function in `source` with the body `body`. `None` if
/// `source` has no such function, or if the completion is only a body.
pub(super) fn place_function(source: &[u8], body: LineSpan, completion: &str) -> Option<Placed> {
    let outline = outline(Language::Python, source);
    let target = ReplacedFunction::find(&outline, body)?;
    let code = dedented(completion);
    let code = match written_name(&code, &target)? {
        name if name == target.definition.name() => code,
        name => renamed(&code, &name, target.definition.name())?,
    };
    let parts = Parts::of(&code, &target)?;
    Some(parts.placed(source, &target))
}

/// The target that the completion replaces.
struct ReplacedFunction<'a> {
    definition: &'a Definition,
    /// The target's class, if the target is a method.
    class: Option<&'a Definition>,
    /// The names of the definitions in the target's class.
    members: Vec<&'a str>,
    /// The outermost definition around the target. The target itself if there is none.
    outermost: &'a Definition,
}

impl<'a> ReplacedFunction<'a> {
    fn find(outline: &'a Outline, body: LineSpan) -> Option<Self> {
        let all = &outline.definitions;
        let definition = all
            .iter()
            .find(|each| each.kind != DefinitionKind::Class && each.body == body)?;
        let class = definition
            .parent
            .filter(|parent| all[*parent].kind == DefinitionKind::Class);
        let members = all
            .iter()
            .filter(|each| class.is_some() && each.parent == class);
        let mut outermost = definition;
        while let Some(parent) = outermost.parent {
            outermost = &all[parent];
        }
        Some(Self {
            definition,
            class: class.map(|class| &all[class]),
            members: members.map(Definition::name).collect(),
            outermost,
        })
    }

    fn is_named(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.definition.name())
    }
}

/// The name that a completion gives the target. It may differ from the target's name in upper and lower case. `None` if
/// the completion is only a body: it does not define the target, or has `return` or `yield` outside of functions.
fn written_name(code: &str, target: &ReplacedFunction<'_>) -> Option<String> {
    let tree = parse(Language::Python, code.as_bytes())?;
    let found = find_function(tree.root_node(), code, target)?;
    let mut cursor = found.scope.walk();
    let body = found
        .scope
        .children(&mut cursor)
        .any(|child| returns(child));
    (!body).then(|| name_of(found.function, code).to_owned())
}

/// The definition of the target in a completion.
struct FoundFunction<'t> {
    /// The function, with its decorators.
    function: Node<'t>,
    /// The module, or the block of the class, that contains the function.
    scope: Node<'t>,
}

/// The last definition of the target in a completion. If the target is a method, the definition may be in a class.
fn find_function<'t>(
    root: Node<'t>,
    code: &str,
    target: &ReplacedFunction<'_>,
) -> Option<FoundFunction<'t>> {
    let last_in = |scope: Node<'t>| {
        let mut cursor = scope.walk();
        let functions = scope.children(&mut cursor).filter(|child| {
            inner(*child).kind() == "function_definition" && target.is_named(name_of(*child, code))
        });
        let function = functions.last()?;
        Some(FoundFunction { function, scope })
    };
    last_in(root).or_else(|| {
        target.class?;
        let mut cursor = root.walk();
        let classes: Vec<_> = root
            .children(&mut cursor)
            .filter(|child| inner(*child).kind() == "class_definition")
            .collect();
        let blocks = classes
            .into_iter()
            .filter_map(|class| inner(class).child_by_field_name("body"));
        blocks.rev().find_map(last_in)
    })
}

/// The definition inside a decorated definition. For any other node, the node itself.
fn inner(node: Node<'_>) -> Node<'_> {
    node.child_by_field_name("definition").unwrap_or(node)
}

fn name_of<'c>(node: Node<'_>, code: &'c str) -> &'c str {
    inner(node)
        .child_by_field_name("name")
        .map_or("", |name| text(name, code.as_bytes()))
}

/// Whether a statement contains `return` or `yield` outside of functions, classes and syntax errors.
fn returns(node: Node<'_>) -> bool {
    match node.kind() {
        "function_definition" | "class_definition" | "lambda" | "ERROR" => false,
        "return_statement" | "yield" => true,
        _ => {
            let mut cursor = node.walk();
            node.children(&mut cursor).any(returns)
        }
    }
}

/// The code with every identifier `old` replaced by `new`.
fn renamed(code: &str, old: &str, new: &str) -> Option<String> {
    let tree = parse(Language::Python, code.as_bytes())?;
    let mut out = String::with_capacity(code.len());
    let mut at = 0;
    let mut waiting = vec![tree.root_node()];
    while let Some(node) = waiting.pop() {
        if node.kind() == "identifier" && text(node, code.as_bytes()) == old {
            out.push_str(code.get(at..node.start_byte())?);
            out.push_str(new);
            at = node.end_byte();
        }
        let mut cursor = node.walk();
        let children: Vec<_> = node.children(&mut cursor).collect();
        waiting.extend(children.into_iter().rev());
    }
    out.push_str(code.get(at..)?);
    Some(out)
}

/// A statement of a completion.
struct Part {
    /// The lines of the statement, without their common indentation.
    text: String,
    /// The entry in [`Placed::extra`]. Empty for comments.
    label: String,
    place: Place,
}

/// Where a statement of a completion is placed.
#[derive(PartialEq, Eq)]
enum Place {
    /// In the place of the target. `decorators` is the number of lines of the statement's decorators.
    Target { decorators: usize },
    /// Next to the target.
    Sibling,
    /// Before the outermost definition around the target.
    Outside,
}

/// The statements of a completion.
struct Parts(Vec<Part>);

impl Parts {
    fn of(code: &str, target: &ReplacedFunction<'_>) -> Option<Self> {
        let tree = parse(Language::Python, code.as_bytes())?;
        let root = tree.root_node();
        let found = find_function(root, code, target)?;
        let lines: Vec<&str> = code.split('\n').collect();
        let mut parts = Self(Vec::new());
        let mut next_row = 0;
        let mut cursor = root.walk();
        for child in root.children(&mut cursor) {
            if Some(child) == found.scope.parent().map(outer) {
                parts.add_members(&found, code, &lines, target);
                next_row = child.end_position().row + 1;
                continue;
            }
            let rows = rows_of(child, next_row);
            next_row = next_row.max(rows.end);
            if rows.is_empty() {
                continue;
            }
            let place = if child == found.function {
                target_place(child)
            } else if target.class.is_none() || is_for_class(child, code) {
                Place::Sibling
            } else {
                Place::Outside
            };
            parts.add(&lines[rows], label(child, code), place);
        }
        Some(parts)
    }

    /// From a class in the completion, adds the target and the methods that the target's class in the file does not
    /// have.
    fn add_members(
        &mut self,
        found: &FoundFunction<'_>,
        code: &str,
        lines: &[&str],
        target: &ReplacedFunction<'_>,
    ) {
        let mut cursor = found.scope.walk();
        for child in found.scope.children(&mut cursor) {
            let place = if child == found.function {
                target_place(child)
            } else if inner(child).kind() != "function_definition"
                || target.members.contains(&name_of(child, code))
            {
                continue;
            } else {
                Place::Sibling
            };
            self.add(&lines[rows_of(child, 0)], label(child, code), place);
        }
    }

    fn add(&mut self, lines: &[&str], label: String, place: Place) {
        self.0.push(Part {
            text: dedented(&lines.join("\n")),
            label,
            place,
        });
    }

    fn extra(&self) -> Vec<String> {
        let extra = self
            .0
            .iter()
            .filter(|part| !matches!(part.place, Place::Target { .. }) && !part.label.is_empty());
        extra.map(|part| part.label.clone()).collect()
    }

    fn placed(&self, source: &[u8], target: &ReplacedFunction<'_>) -> Placed {
        let lines: Vec<&[u8]> = source.split_inclusive(|byte| *byte == b'\n').collect();
        let row = |line: u32| (line as usize - 1).min(lines.len());
        let definition = target.definition;
        let outside = row(target.outermost.whole.first());
        let (first, signature) = (
            row(definition.whole.first()),
            row(definition.signature.first()),
        );
        let end = row(definition.whole.last()) + 1;
        let mut out = lines[..outside].concat();
        for part in self.0.iter().filter(|part| part.place == Place::Outside) {
            add_indented(&mut out, &part.text, blanks(lines[outside]));
        }
        out.extend(lines[outside..first].concat());
        let begin = line_after(&out);
        let mut found = None;
        let margin = blanks(lines[signature]);
        for part in self.0.iter().filter(|part| part.place != Place::Outside) {
            if let Place::Target { decorators } = part.place {
                if decorators == 0 {
                    out.extend(lines[first..signature].concat());
                }
                found = Some(line_number(line_after(&out) + decorators));
            }
            add_indented(&mut out, &part.text, margin);
        }
        let span = LineSpan::new(line_number(begin), line_number(line_after(&out) - 1));
        out.extend(lines.get(end..).unwrap_or_default().concat());
        Placed {
            content: out,
            lines: span.unwrap_or(definition.whole),
            signature: found,
            extra: self.extra(),
            fault: None,
        }
    }
}

/// The 1-based number of the line that follows `text`. Each line of `text` must end with a line feed.
fn line_after(text: &[u8]) -> usize {
    1 + memchr::memchr_iter(b'\n', text).count()
}

fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// The decorated definition around a definition, or the definition itself if it has no decorators.
fn outer(definition: Node<'_>) -> Node<'_> {
    match definition.parent() {
        Some(parent) if parent.kind() == "decorated_definition" => parent,
        _ => definition,
    }
}

/// The 0-based rows of a node, without rows before `from`.
fn rows_of(node: Node<'_>, from: usize) -> std::ops::Range<usize> {
    let end = node.end_position();
    let last = end.row + usize::from(end.column > 0);
    let first = node.start_position().row.max(from);
    first..last.max(first)
}

fn target_place(node: Node<'_>) -> Place {
    Place::Target {
        decorators: inner(node).start_position().row - node.start_position().row,
    }
}

/// Whether a node defines a method: its first parameter is `self` or `cls`, or it has a decorator for methods, such as
/// `staticmethod`.
fn is_for_class(node: Node<'_>, code: &str) -> bool {
    if inner(node).kind() != "function_definition" {
        return false;
    }
    let parameters = inner(node).child_by_field_name("parameters");
    let first = parameters.and_then(|parameters| parameters.named_child(0));
    let first = first.map_or("", |first| text(first, code.as_bytes()));
    let mut cursor = node.walk();
    let decorators = node.children(&mut cursor);
    let mut words = decorators
        .filter(|child| child.kind() == "decorator")
        .map(|child| text(child, code.as_bytes()).trim_start_matches('@'));
    matches!(
        first.split([':', '=']).next().map(str::trim),
        Some("self" | "cls")
    ) || words.any(|word| matches!(word.trim(), "staticmethod" | "classmethod" | "property"))
}

fn label(node: Node<'_>, code: &str) -> String {
    let name = name_of(node, code);
    match inner(node).kind() {
        "function_definition" => format!("def {name}"),
        "class_definition" => format!("class {name}"),
        "comment" => String::new(),
        _ => {
            let all = text(node, code.as_bytes());
            all.lines().next().unwrap_or_default().trim().to_owned()
        }
    }
}

fn blanks(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
    &line[..end.unwrap_or(0)]
}

/// Adds the lines of a statement, indented by `margin`.
fn add_indented(out: &mut Vec<u8>, text: &str, margin: &[u8]) {
    if out.last().is_some_and(|byte| *byte != b'\n') {
        out.push(b'\n');
    }
    out.extend_from_slice(indented(text, &String::from_utf8_lossy(margin)).as_bytes());
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{TargetPlace, splice};

    const MODULE: &[u8] =
        b"import os\n\n@cache\ndef area(a, b):\n    \"\"\"Doc.\"\"\"\n    return a * b\n\nX = 1\n";
    const CLASS: &[u8] = b"class A:\n\tdef __init__(self):\n\t\tself.n = 1\n\n\t@property\n\tdef size(self):\n\t\treturn self.n\n\n\tlast = 1\n";

    /// The target in `source` with this body, replaced by `completion`.
    fn place(
        source: &[u8],
        body: LineSpan,
        completion: &str,
        indent: usize,
        whole_functions: bool,
    ) -> Placed {
        let place = TargetPlace {
            language: Language::Python,
            body,
            indent,
            whole_functions,
        };
        place.place(source, completion)
    }

    fn placed(source: &[u8], line: u32, completion: &str) -> (String, Vec<String>) {
        let placed = place(source, LineSpan::line(line), completion, 4, true);
        (String::from_utf8(placed.content).unwrap(), placed.extra)
    }

    #[test]
    fn a_whole_function_replaces_the_target_with_its_signature() {
        let (text, extra) = placed(MODULE, 6, "def area(a, b=2):\n    return b\n");
        assert_eq!(
            text,
            "import os\n\n@cache\ndef area(a, b=2):\n    return b\n\nX = 1\n"
        );
        assert_eq!(extra, [""; 0]);
        let (text, _) = placed(MODULE, 6, "  @other\n  async def area(a):\n    return 0");
        assert_eq!(
            text,
            "import os\n\n@other\nasync def area(a):\n  return 0\n\nX = 1\n"
        );
    }

    #[test]
    fn a_function_with_a_name_in_other_case_is_renamed_with_all_its_uses() {
        let (text, _) = placed(MODULE, 6, "def Area(a, b):\n    return b and Area(a, 0)\n");
        assert!(
            text.contains("@cache\ndef area(a, b):\n    return b and area(a, 0)\n"),
            "{text}"
        );
    }

    #[test]
    fn definitions_next_to_a_function_stay_there_in_their_order() {
        let code = "import re\nfrom typing import (\n    Any,\n)\n\ndef help(x):\n    return x\n\ndef area(a, b):\n    return help(a)\n\nclass Late:\n    pass\n# End.\n";
        let (text, extra) = placed(MODULE, 6, code);
        assert!(
            text.starts_with("import os\n\nimport re\nfrom typing import (\n    Any,\n)\ndef help(x):\n    return x\n@cache\ndef area(a, b):\n    return help(a)\nclass Late:\n    pass\n# End.\n\nX = 1"),
            "{text}"
        );
        assert_eq!(
            extra,
            [
                "import re",
                "from typing import (",
                "def help",
                "class Late"
            ]
        );
    }

    #[test]
    fn only_methods_are_placed_in_the_class_of_a_method() {
        let code = "import re\ndef plain(x):\n    return x\ndef _part(self):\n    return 1\ndef size(self):\n    return self._part()\n";
        let (text, extra) = placed(CLASS, 7, code);
        assert_eq!(
            text,
            "import re\ndef plain(x):\n    return x\nclass A:\n\tdef __init__(self):\n\t\tself.n = 1\n\n\tdef _part(self):\n\t    return 1\n\t@property\n\tdef size(self):\n\t    return self._part()\n\n\tlast = 1\n"
        );
        assert_eq!(extra, ["import re", "def plain", "def _part"]);
        assert!(
            parse(Language::Python, text.as_bytes())
                .is_some_and(|tree| !tree.root_node().has_error())
        );
    }

    #[test]
    fn the_target_and_missing_methods_are_taken_from_a_repeated_class() {
        let code = "import re\nclass A(B):\n    def __init__(self):\n        self.n = 2\n    def more(self):\n        return 2\n    @property\n    def Size(self):\n        return self.more()\n";
        let (text, extra) = placed(CLASS, 7, code);
        let found = place(CLASS, LineSpan::line(7), code, 4, true);
        let lines = LineSpan::new(6, 10).unwrap();
        assert_eq!((found.lines, found.signature), (lines, Some(9)));
        assert_eq!(
            text,
            "import re\nclass A:\n\tdef __init__(self):\n\t\tself.n = 1\n\n\tdef more(self):\n\t    return 2\n\t@property\n\tdef size(self):\n\t    return self.more()\n\n\tlast = 1\n"
        );
        assert_eq!(extra, ["import re", "def more"]);
    }

    #[test]
    fn a_completion_that_is_a_body_is_placed_as_a_body() {
        for body in [
            "    return a\n",
            "def area(x):\n    return x\nreturn area(a)\n",
            "def inner(x):\n    return x\nwith b:\n    yield inner\n",
            "",
        ] {
            let expected = splice(MODULE, LineSpan::line(6), body, 4);
            let found = place(MODULE, LineSpan::line(6), body, 4, true);
            assert_eq!(found.content, expected, "{body}");
        }
        // A class in the completion counts as the target's class only if the target is a method.
        let class = "class C:\n    def area(self):\n        return 1\n";
        let expected = splice(MODULE, LineSpan::line(6), class, 4);
        assert_eq!(
            place(MODULE, LineSpan::line(6), class, 4, true).content,
            expected
        );
    }

    #[test]
    fn a_java_source_that_is_not_utf8_gets_escapes() {
        let source = b"class A {\n  // \xfc\n  int f() { return 1; }\n}\n";
        let place = TargetPlace {
            language: Language::Java,
            body: LineSpan::line(3),
            indent: 4,
            whole_functions: true,
        };
        let found = place.place(source, "g(\"\u{fc}\u{1f600}\");");
        let escaped = br#"g("\u00fc\ud83d\ude00");"#;
        assert!(memchr::memmem::find(&found.content, escaped).is_some());
    }

    #[test]
    fn a_whole_function_with_syntax_errors_is_placed_too() {
        let (text, _) = placed(MODULE, 6, "def area(a, b):\n    return (a\n");
        assert!(text.contains("return (a\n"), "{text}");
    }
}
