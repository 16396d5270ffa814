//! Splits names into sets of tokens, and compares the sets. Names are split at every character that is not a letter or
//! digit, and between the words of camel case.

use std::collections::BTreeSet;

use crate::context::Overlap;

/// The lower-case tokens of a name. `parseHTTPDate_v2` has the tokens `parse`, `http`, `date` and `v2`.
pub(super) fn tokens(name: &str) -> BTreeSet<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut tokens = BTreeSet::new();
    let mut token = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && (before.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit())
                || (before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|c| c.is_lowercase())));
        if begins || !letter.is_alphanumeric() {
            tokens.extend((!token.is_empty()).then(|| std::mem::take(&mut token)));
        }
        if letter.is_alphanumeric() {
            token.extend(letter.to_lowercase());
        }
    }
    tokens.extend((!token.is_empty()).then_some(token));
    tokens
}

/// How much the tokens of two names have in common.
pub(super) fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> Overlap {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Overlap {
        shared: count(a.intersection(b).count()),
        union: count(a.union(b).count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_at_underscores_and_camel_case() {
        let split = |name| tokens(name).into_iter().collect::<Vec<_>>();
        assert_eq!(split("parseHTTPDate_v2"), ["date", "http", "parse", "v2"]);
        assert_eq!(split("__init__"), ["init"]);
        assert_eq!(split("_"), [""; 0]);
        assert_eq!(split("is_bool"), ["bool", "is"]);
    }
}
