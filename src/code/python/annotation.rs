//! Reads types that are written in strings (`"list[pkg.Node] | None"`) and in comments (`# type: Node`).

use super::build::Builder;
use super::facts::{Expr, ExprId};
use super::node_kinds::Kind;

/// The maximum number of bytes that are read to find a type comment.
const LONGEST_COMMENT: usize = 400;

/// The maximum depth of nested brackets. A type with deeper brackets is not read.
const DEEPEST: usize = 20;

/// Reads one type from a text.
struct Reader<'s> {
    text: &'s str,
    /// The byte offset in `text` of the first character that has not been read.
    at: usize,
    /// The byte range in the file. All expressions of the type get this range.
    span: (u32, u32),
}

impl Builder<'_> {
    /// The type that the string `text` spells, if the string is part of an annotation. `None` outside annotations, in
    /// `Literal[…]` and `Annotated[…]`, and if the text is not a type.
    pub(super) fn annotation_text(&mut self, text: &str, span: (u32, u32)) -> Option<ExprId> {
        let mut inside = false;
        for frame in self.frames.iter().rev() {
            match frame.kind {
                Kind::Annotation => {
                    inside = true;
                    break;
                }
                Kind::Subscript | Kind::GenericType => {
                    let base = self.values.get(frame.first)?.expr;
                    if let Expr::Name(name) | Expr::Attribute(_, name) = self.facts.expr(base)
                        && matches!(self.facts.text(name), "Literal" | "Annotated")
                    {
                        return None;
                    }
                }
                Kind::Through
                | Kind::Wrapper
                | Kind::Tuple
                | Kind::Sequence
                | Kind::Binary
                | Kind::UnionType => {}
                _ => return None,
            }
        }
        if !inside {
            return None;
        }
        let mut reader = Reader { text, at: 0, span };
        let expr = reader.union(self, 0)?;
        reader.rest().trim().is_empty().then_some(expr)
    }
}

impl<'a> Builder<'a> {
    /// The type in a type comment after the byte `from`, as in `x = []  # type: list[Node]`. `None` if there is none.
    pub(super) fn commented_type(&mut self, from: u32) -> Option<ExprId> {
        let text = self.type_comment(from)?;
        self.type_from_comment(text, from)
    }

    /// (types of the parameters, type of the result) in a comment such as `# type: (A, B) -> C`, which follows the
    /// signature. `from` is the byte offset of the end of the parameters. Without such a comment, the result is (empty,
    /// `None`). A type that cannot be read is `None`.
    pub(super) fn commented_signature(
        &mut self,
        from: u32,
    ) -> (Vec<Option<ExprId>>, Option<ExprId>) {
        let declared = self.type_comment(from).and_then(|text| {
            let (parameters, result) = text.strip_prefix('(')?.rsplit_once("->")?;
            Some((parameters.trim_end().strip_suffix(')')?, result))
        });
        let Some((parameters, result)) = declared else {
            return (Vec::new(), None);
        };
        let types = split_at_commas(parameters)
            .into_iter()
            .map(|text| self.type_from_comment(text.trim_start_matches('*'), from))
            .collect();
        (types, self.type_from_comment(result, from))
    }

    /// The text after `# type:` in the comment that follows the byte `from`, on the same line or the next line. Only
    /// blanks and `:` may come before the comment. `None` if there is no such comment, and for `# type: ignore`.
    fn type_comment(&self, from: u32) -> Option<&'a str> {
        let source: &'a [u8] = self.source;
        let rest = source.get(from as usize..)?;
        let rest =
            std::str::from_utf8(&rest[..rest.len().min(LONGEST_COMMENT)]).unwrap_or_else(|error| {
                std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default()
            });
        let text = rest.trim_start_matches([':', ' ', '\t']);
        let text = text.strip_prefix('\r').unwrap_or(text);
        let text = text
            .strip_prefix('\n')
            .unwrap_or(text)
            .trim_start_matches([' ', '\t']);
        let declared = text.strip_prefix('#')?.trim_start().strip_prefix("type:")?;
        let declared = declared.lines().next()?.split('#').next()?.trim();
        (declared != "ignore" && !declared.starts_with("ignore[")).then_some(declared)
    }

    fn type_from_comment(&mut self, text: &str, at: u32) -> Option<ExprId> {
        let first = self.facts.exprs.len();
        let mut reader = Reader {
            text,
            at: 0,
            span: (at, at),
        };
        let declared = reader.union(self, 0);
        let whole = reader.rest().trim().is_empty();
        self.quote(first);
        declared.filter(|_| whole)
    }
}

/// Splits a list of types at the commas outside square brackets.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn take(&mut self, mark: char) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let blanks = rest.len() - trimmed.len();
        let found = trimmed.starts_with(mark);
        if found {
            self.at += blanks + mark.len_utf8();
        }
        found
    }

    fn word(&mut self) -> Option<String> {
        let rest = self.rest();
        let trimmed = rest.trim_start();
        let end = trimmed
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(trimmed.len());
        let word = trimmed
            .get(..end)
            .filter(|word| !word.is_empty())?
            .to_owned();
        self.at += rest.len() - trimmed.len() + end;
        Some(word)
    }

    fn union(&mut self, builder: &mut Builder<'_>, depth: usize) -> Option<ExprId> {
        let mut members = vec![self.item(builder, depth)?];
        while self.take('|') {
            members.push(self.item(builder, depth)?);
        }
        if let [only] = members[..] {
            return Some(only);
        }
        let list = builder.list(&members);
        Some(builder.add(Expr::Either(list), self.span))
    }

    fn item(&mut self, builder: &mut Builder<'_>, depth: usize) -> Option<ExprId> {
        if depth > DEEPEST {
            return None;
        }
        if self.take('[') {
            let list = self.members(builder, depth)?;
            return Some(builder.add(Expr::Sequence(list), self.span));
        }
        let first = self.word()?;
        let name = builder.intern(&first);
        let mut expr = if first == "None" {
            builder.add(Expr::Nothing, self.span)
        } else {
            builder.add(Expr::Name(name), self.span)
        };
        while self.take('.') {
            let word = self.word()?;
            let name = builder.intern(&word);
            expr = builder.add(Expr::Attribute(expr, name), self.span);
        }
        if self.take('[') {
            let list = self.members(builder, depth)?;
            let index = builder.add(Expr::Tuple(list), self.span);
            expr = builder.add(Expr::Subscript(expr, Some(index)), self.span);
        }
        Some(expr)
    }

    /// Reads the types up to and including the closing bracket.
    fn members(&mut self, builder: &mut Builder<'_>, depth: usize) -> Option<super::facts::List> {
        let mut members = Vec::new();
        while !self.take(']') {
            members.push(self.union(builder, depth + 1)?);
            if !self.take(',') && !self.rest().trim_start().starts_with(']') {
                return None;
            }
        }
        Some(builder.list(&members))
    }
}
