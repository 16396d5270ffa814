//! Takes the body from a model's answer to a Python task, by the official rules or by the target's name.

use tree_sitter::Node;

use super::outline::{Definition, DefinitionKind, outline};
use super::parse::parse;
use super::syntax::text;
use crate::benchmark::Language;

/// The body that the official `process_completion.py` writes if the function has none.
const NO_BODY: &str = "    pass\n";

/// The body that `extract_body_gpt` of EvoCodeBench's `process_completion.py` takes from an answer. The code is the
/// first fenced block, or the whole answer if no line starts with a fence. The result is the body of the first function
/// called `name`, without its docstring. All imports of the code are repeated before this body, the last import first.
/// If the function has no body, the result is `pass`.
///
/// If the code does not contain `def name(`, the result is the beginning of the code. It ends before the first line
/// that is not blank and has less indentation than the code's first line.
pub fn official_body(answer: &str, name: &str) -> String {
    let code = first_block(answer);
    if !code.contains(&format!("def {name}(")) {
        return leading_block(&code);
    }
    function_body(&code, name).unwrap_or_else(|| NO_BODY.to_owned())
}

/// The body of the function `name` in an answer. Searches the fenced blocks in order, then the whole answer, for a
/// definition of `name` with a body. A docstring alone, `pass`, `...`, and code on the signature's line do not count as
/// a body. If a block has several such definitions, the last one is used. The imports at the top level of the block
/// come before the body, in their order. `None` if there is no such definition.
pub fn body_by_name(answer: &str, name: &str) -> Option<String> {
    let mut blocks = fenced_blocks(answer);
    blocks.push(answer.to_owned());
    blocks.iter().find_map(|code| defined_body(code, name))
}

/// The body that `extract_body_lm` of `process_completion.py` takes from the answer of a plain language model. It is
/// the beginning of the answer, as in [`official_body`] for code without `def name(`.
pub fn continuation_body(answer: &str) -> String {
    leading_block(answer.trim_matches('\u{407}'))
}

/// Explains why the official body of an answer differs from the result of [`body_by_name`]. The official body is
/// [`official_body`] if `chat` is true, and [`continuation_body`] if it is false.
pub fn extraction_difference(answer: &str, name: &str, chat: bool) -> &'static str {
    if !chat {
        return "the official script takes the first lines of a plain language model's answer, \
                but this answer defines the target as a function";
    }
    let definition = format!("def {name}(");
    let code = first_block(answer);
    if !code.contains(&definition) {
        return "the official script reads the first code block, which does not define the target";
    }
    let Some(body) = function_body(&code, name) else {
        return "the official script finds no body in the first code block";
    };
    if code.matches(&definition).count() > 1 {
        return "the official script takes the first of several definitions of the target";
    }
    if body.contains("import ") {
        return "the official script repeats every import of the code in front of the body, the last one first";
    }
    "the first code block has no statement in the target's body"
}

/// The code of an answer in a language other than Python: the first fenced block, or else the whole answer.
pub fn fenced_code(answer: &str) -> String {
    first_block(answer)
}

fn first_block(answer: &str) -> String {
    let lines: Vec<&str> = answer.split('\n').collect();
    let is_fence = |line: &&str| line.starts_with("```");
    let Some(fence) = lines.iter().position(is_fence) else {
        return answer.to_owned();
    };
    let inside = &lines[fence + 1..];
    let end = inside.iter().position(is_fence).unwrap_or(inside.len());
    inside[..end].join("\n")
}

fn fenced_blocks(answer: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in answer.lines() {
        let fence = line.trim_start().starts_with("```");
        match (&mut open, fence) {
            (Some(_), true) => blocks.extend(open.take().map(|lines| lines.join("\n"))),
            (Some(lines), false) => lines.push(line),
            (None, true) => open = Some(Vec::new()),
            (None, false) => {}
        }
    }
    blocks.extend(open.map(|lines| lines.join("\n")));
    blocks
}

/// The beginning of the code, before the first line that is not blank and has less indentation than the first line.
fn leading_block(code: &str) -> String {
    let lines = code.trim_matches('\n').split('\n');
    let mut margin = None;
    let block: Vec<&str> = lines
        .take_while(|line| {
            let own = indentation(line);
            own >= *margin.get_or_insert(own) || line.trim().is_empty()
        })
        .collect();
    block.join("\n")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn function_body(code: &str, name: &str) -> Option<String> {
    let tree = parse(Language::Python, code.as_bytes())?;
    let block = find_function(tree.root_node(), code, name)?;
    let first = block.child(0)?;
    let is_docstring = first.kind() == "expression_statement"
        && first.child(0).is_some_and(|inner| inner.kind() == "string");
    let start = if is_docstring {
        first.end_position().row + 1
    } else {
        block.start_position().row
    };
    let lines: Vec<&str> = code.split('\n').collect();
    let body = lines
        .get(start..=block.end_position().row.min(lines.len() - 1))
        .filter(|body| !body.is_empty())?;
    let margin = body.iter().find(|line| !line.trim().is_empty());
    let margin = " ".repeat(margin.map_or(0, |line| indentation(line)));
    let mut found = Vec::new();
    imports(tree.root_node(), &mut found);
    let found = found.iter().rev().map(|node| {
        let rows = node.start_position().row..=node.end_position().row;
        format!("{margin}{}", lines[rows].join("\n"))
    });
    let all: Vec<String> = found
        .chain(body.iter().map(|line| (*line).to_owned()))
        .collect();
    Some(all.join("\n"))
}

/// The body of the first function called `name`, in depth-first order.
fn find_function<'a>(node: Node<'a>, code: &str, name: &str) -> Option<Node<'a>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find_map(|child| {
        let own = child.child_by_field_name("name");
        let is_wanted = child.kind() == "function_definition"
            && own.is_some_and(|own| text(own, code.as_bytes()) == name);
        if is_wanted {
            child.child_by_field_name("body")
        } else {
            find_function(child, code, name)
        }
    })
}

fn imports<'a>(node: Node<'a>, found: &mut Vec<Node<'a>>) {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        if matches!(child.kind(), "import_statement" | "import_from_statement") {
            found.push(child);
        }
        imports(child, found);
    }
}

fn defined_body(code: &str, name: &str) -> Option<String> {
    let outline = outline(Language::Python, code.as_bytes());
    let lines: Vec<&str> = code.lines().collect();
    let mut named = outline.definitions.iter().filter(|definition| {
        definition.kind != DefinitionKind::Class
            && definition.name() == name
            && is_filled(definition, &lines)
    });
    let found = named.next_back()?;
    let body = lines.get(found.body.first() as usize - 1..found.body.last() as usize)?;
    let margin = " ".repeat(indentation(body.first()?));
    let tree = parse(Language::Python, code.as_bytes())?;
    let root = tree.root_node();
    let mut cursor = root.walk();
    let outer = root
        .children(&mut cursor)
        .filter(|child| child.kind().starts_with("import_"))
        .map(|child| format!("{margin}{}", text(child, code.as_bytes())));
    let all: Vec<String> = outer
        .chain(body.iter().map(|line| (*line).to_owned()))
        .collect();
    Some(all.join("\n"))
}

/// Whether a definition has a body to take. False if the body is only a docstring, is a single line with `pass` or
/// `...`, or is on the signature's line (`def f(): return 1`).
fn is_filled(definition: &Definition, lines: &[&str]) -> bool {
    let body = definition.body;
    let signature_only = body.last() <= definition.signature.last();
    let docstring_only = definition.docstring == Some(body);
    let line = lines
        .get(body.first() as usize - 1)
        .map_or("", |line| line.trim());
    let idle = body.first() == body.last() && matches!(line, "pass" | "...");
    !(signature_only || docstring_only || idle)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases for a function `f`: the name of the case, a model's answer, and the body that the official
    /// `extract_body_gpt` takes from that answer.
    const OFFICIAL: &[(&str, &str, &str)] = &[
        (
            "fenced function with prose",
            "Here it is:\n```python\nimport os\n\ndef f(a):\n    \"\"\"Doc.\n\n    More.\n    \"\"\"\n    b = a\n\n    return b\n```\nIt works.",
            "    import os\n    b = a\n\n    return b",
        ),
        ("no fence", "def f(a):\n    return a\n", "    return a"),
        ("open fence", "```\ndef f(a):\n    return a", "    return a"),
        (
            "body only",
            "    b = a\n\n    return b\nand prose",
            "    b = a\n\n    return b",
        ),
        (
            "fenced body",
            "```python\n    return 1\n```",
            "    return 1",
        ),
        (
            "method",
            "```python\nfrom a import b\nclass C:\n    def g(self):\n        return 0\n\n    def f(self):\n        import os\n        from x import (\n            y,\n        )\n        return y\n```",
            "                from x import (\n            y,\n        )\n                import os\n        from a import b\n        import os\n        from x import (\n            y,\n        )\n        return y",
        ),
        (
            "docstring only",
            "```python\ndef f(a):\n    \"\"\"Doc.\"\"\"\n```",
            "    pass\n",
        ),
        (
            "repeated",
            "```python\ndef f(a):\n    pass\n\ndef f(a):\n    return a\n```",
            "    pass",
        ),
        (
            "two fences",
            "```python\nx = 1\n```\nthen\n```python\ndef f(a):\n    return a\n```",
            "x = 1",
        ),
        (
            "comment first",
            "```python\ndef f(a):\n    # Start.\n    return a\n```",
            "    return a",
        ),
        ("empty", "", ""),
        ("one line", "def f(a): return a", "def f(a): return a"),
    ];

    #[test]
    fn official_body_takes_the_same_body_as_the_official_script() {
        for (case, answer, body) in OFFICIAL {
            assert_eq!(official_body(answer, "f"), *body, "{case}");
        }
    }

    #[test]
    fn a_body_is_found_by_name_in_any_block() {
        let body_in_case = |case: &str| {
            let found = OFFICIAL.iter().find(|(name, ..)| *name == case);
            body_by_name(found.unwrap().1, "f")
        };
        let body = |text: &str| Some(text.to_owned());
        assert_eq!(body_in_case("two fences"), body("    return a"));
        assert_eq!(body_in_case("repeated"), body("    return a"));
        let method = "        from a import b\n        import os\n        from x import (\n            y,\n        )\n        return y";
        assert_eq!(body_in_case("method"), body(method));
        assert_eq!(body_in_case("docstring only"), None);
        assert_eq!(body_in_case("fenced body"), None);
    }
}
