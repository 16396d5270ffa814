//! `CoderEval`'s oracle context: the names that the reference code uses but does not define.

use serde_json::{Map, Value};

use super::names::vocabulary;

use serde::{Deserialize, Serialize};

use crate::files::parse_json;

vocabulary! {
    /// The kind of an oracle token (CoderEval paper, section 3.3: type, API and variable references).
    TokenKind: "a kind of oracle token" {
        /// A referenced type; `classes` in the record.
        Class = "class",
        /// A called function or method; `apis` in the record.
        Api = "api",
        /// A variable or attribute in use; `vars` in the record.
        Variable = "variable",
    }
}

impl TokenKind {
    fn field(self) -> &'static str {
        match self {
            Self::Class => "classes",
            Self::Api => "apis",
            Self::Variable => "vars",
        }
    }
}

/// The tokens of a record's `oracle_context`: first the classes, then the APIs, then the variables. No token is
/// repeated within its kind. `context` is a JSON object with a list for each kind: a JSON list, or a text as Python or
/// Java prints a list (`['a', 'b']`, `[a, b]`). Values of other types have no tokens. If `context` is no JSON object,
/// the result is empty.
pub fn oracle_tokens(context: &str) -> Vec<(TokenKind, String)> {
    let Ok(fields) = parse_json::<Map<String, Value>>(context.as_bytes()) else {
        return Vec::new();
    };
    let mut tokens = Vec::new();
    for kind in TokenKind::ALL {
        let words: Vec<String> = match fields.get(kind.field()) {
            Some(Value::String(list)) => printed(list),
            Some(Value::Array(list)) => list
                .iter()
                .filter_map(Value::as_str)
                .map(String::from)
                .collect(),
            _ => Vec::new(),
        };
        for word in words {
            let token = (*kind, word);
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        }
    }
    tokens
}

/// The elements of a list that Python or Java printed: `['a', 'b']` or `[a, b]`.
fn printed(list: &str) -> Vec<String> {
    let inner = list
        .trim()
        .trim_start_matches(['[', '{', '('])
        .trim_end_matches([']', '}', ')']);
    inner
        .split(',')
        .map(|word| word.trim().trim_matches(['\'', '"']).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_python_or_java_prints_them() {
        let names = |context| {
            oracle_tokens(context)
                .into_iter()
                .map(|(kind, token)| format!("{kind} {token}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(r#"{ "apis" : "['g', 'h', 'g']", "classes" : "[]", "vars" : "['self.x']" }"#),
            ["api g", "api h", "variable self.x"]
        );
        assert_eq!(
            names(r#"{"apis":"[size, get]","classes":["List"],"vars":7}"#),
            ["class List", "api size", "api get"]
        );
        assert!(names("no object").is_empty());
    }
}
