//! Changes the indentation of Python code. Lines that begin inside a string keep their text.

use std::borrow::Cow;

use tree_sitter::Node;

use crate::benchmark::Language;
use crate::code::parse::parse;
use crate::code::splice::{common_prefix, is_blank, leading};

/// Removes the longest common indentation, and the blanks of blank lines.
pub(super) fn dedented(code: &str) -> String {
    changed(code, |line, margin| Cow::Borrowed(&line[margin..]))
}

/// Removes the longest common indentation, and then indents all lines that are not blank by `margin`.
pub(super) fn indented(code: &str, margin: &str) -> String {
    changed(code, |line, old| {
        Cow::Owned(format!("{margin}{}", &line[old..]))
    })
}

/// Whether a line of the code begins inside a string.
pub(super) fn has_long_strings(code: &str) -> bool {
    in_strings(code).contains(&true)
}

/// The code with `change` applied to each line that is not blank and does not begin inside a string. The second
/// parameter of `change` is the length of the common indentation.
fn changed<'c>(code: &'c str, change: impl Fn(&'c str, usize) -> Cow<'c, str>) -> String {
    let in_strings = in_strings(code);
    let lines = || code.split('\n').zip(&in_strings);
    let own = lines().filter(|(line, in_string)| !**in_string && !is_blank(line));
    let margin = own
        .map(|(line, _)| leading(line))
        .reduce(common_prefix)
        .unwrap_or("");
    let lines: Vec<Cow<'c, str>> = lines()
        .map(|(line, in_string)| match (in_string, is_blank(line)) {
            (true, _) => Cow::Borrowed(line),
            (false, true) => Cow::Borrowed(""),
            (false, false) => change(line, margin.len()),
        })
        .collect();
    lines.join("\n")
}

/// For each line: whether it begins inside a string.
fn in_strings(code: &str) -> Vec<bool> {
    let mut found = vec![false; code.split('\n').count()];
    let long = ["'''", "\"\"\"", "\\\n"]
        .iter()
        .any(|mark| code.contains(mark));
    if let Some(tree) = long
        .then(|| parse(Language::Python, code.as_bytes()))
        .flatten()
    {
        mark_strings(tree.root_node(), &mut found);
    }
    found
}

fn mark_strings(node: Node<'_>, found: &mut [bool]) {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        let (first, last) = (node.start_position().row, node.end_position().row);
        if first == last {
            continue;
        }
        if node.kind() == "string" {
            found[first + 1..=last].fill(true);
        } else {
            waiting.extend(node.children(&mut node.walk()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_inside_of_strings_keep_their_indentation() {
        let code = "    x = f'''\nfoo\n      {bar}\n   \n'''\n\n    if x:\n        y = 'a\\\n  b'\n    return x + \\\n        y\n";
        let expected = "\t\tx = f'''\nfoo\n      {bar}\n   \n'''\n\n\t\tif x:\n\t\t    y = 'a\\\n  b'\n\t\treturn x + \\\n\t\t    y\n";
        assert_eq!(indented(code, "\t\t"), expected);
        assert_eq!(
            dedented(expected),
            code.replace("\n    ", "\n")
                .replacen("    ", "", 1)
                .replace("\n  {bar}", "\n      {bar}")
        );
        assert!(has_long_strings(code));
        assert!(!has_long_strings("x = \\\n    1\ny = ''' '''\n"));
    }

    #[test]
    fn code_without_long_strings_is_dedented_as_by_textwrap() {
        for code in ["  a\n\n    b\n   \n", "\ta\n  b\n", "", "a\n  b"] {
            assert_eq!(dedented(code), crate::code::splice::dedent(code));
        }
    }
}
