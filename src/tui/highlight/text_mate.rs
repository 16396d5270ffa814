//! Highlighting with syntect, for languages other than Python and Java.

use std::ops::Range;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::lines::SourceLines;
use super::{LONGEST_LINE, LineRoles};
use crate::error::{Cancel, Result};
use crate::tui::theme::Role;

/// The number of lines between two stored states of the parser.
const STEP: usize = 64;

/// The language definitions. They are unpacked on first use. This takes tens of milliseconds, so the first drawing of
/// the screen must not need them.
static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(SyntaxSet::load_defaults_newlines);

/// A scope is syntect's name for a kind of text. Each entry, (prefix, role), gives a role to the scopes with this
/// prefix. The first match counts, so `constant.numeric` is listed before
/// `constant`.
static SCOPES: LazyLock<Vec<(Scope, Role)>> = LazyLock::new(|| {
    [
        ("comment", Role::Comment),
        ("constant.character.escape", Role::Escape),
        ("constant.numeric", Role::Number),
        ("constant", Role::Constant),
        ("string", Role::StringLiteral),
        ("keyword.operator", Role::Operator),
        ("keyword", Role::Keyword),
        ("storage", Role::Keyword),
        ("entity.name.function", Role::Function),
        ("entity.name.section", Role::Heading),
        ("entity.name.tag", Role::Keyword),
        ("entity.name", Role::Type),
        ("markup.heading", Role::Heading),
        ("markup.inserted", Role::DiffAdded),
        ("markup.deleted", Role::DiffRemoved),
        ("markup.bold", Role::Strong),
        ("markup.raw", Role::StringLiteral),
        ("variable.language", Role::Builtin),
        ("meta.annotation", Role::Decorator),
    ]
    .into_iter()
    .filter_map(|(text, role)| Some((Scope::new(text).ok()?, role)))
    .collect()
});

type State = (ParseState, ScopeStack);

/// The highlighter of one text. It stores the parser's state at every [`STEP`]th line, up to the last line that was
/// asked for.
pub(super) struct TextMate {
    states: Mutex<Vec<State>>,
}

impl TextMate {
    /// A highlighter for the language of a path's file name; `None` if the language is unknown.
    pub(super) fn for_path(path: &str) -> Option<Self> {
        let path = Path::new(path);
        let tokens = [path.file_name(), path.extension()];
        let syntax = tokens
            .into_iter()
            .flatten()
            .filter_map(|token| SYNTAXES.find_syntax_by_extension(token.to_str()?))
            .find(|syntax| syntax.name != "Plain Text")?;
        Some(Self {
            states: Mutex::new(vec![start(syntax)]),
        })
    }

    /// The roles of the lines `wanted` (0-based), which must exist.
    ///
    /// # Errors
    ///
    /// If the work is cancelled.
    pub(super) fn roles(
        &self,
        lines: &SourceLines,
        wanted: Range<usize>,
        cancel: &Cancel,
    ) -> Result<Vec<LineRoles>> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let known = (wanted.start / STEP).min(states.len() - 1);
        let (mut parse, mut scopes) = states[known].clone();
        let mut roles = Vec::with_capacity(wanted.len());
        for number in known * STEP..wanted.end {
            if number == states.len() * STEP {
                cancel.check()?;
                states.push((parse.clone(), scopes.clone()));
            }
            let line = line_roles(lines.line(number), &mut parse, &mut scopes);
            if number >= wanted.start {
                roles.push(line);
            }
        }
        Ok(roles)
    }
}

fn start(syntax: &SyntaxReference) -> State {
    (ParseState::new(syntax), ScopeStack::new())
}

/// The roles of one line. A line with more than [`LONGEST_LINE`] bytes has no roles and leaves the state unchanged. If
/// syntect fails, the line has no roles after the point of the failure.
fn line_roles(line: &str, parse: &mut ParseState, scopes: &mut ScopeStack) -> LineRoles {
    if line.len() > LONGEST_LINE {
        return LineRoles::new();
    }
    let ended = format!("{line}\n");
    let Ok(changes) = parse.parse_line(&ended, &SYNTAXES) else {
        return LineRoles::new();
    };
    let mut roles = LineRoles::new();
    let mut at = 0;
    for (next, change) in changes {
        push(&mut roles, line, at..next, scopes);
        if scopes.apply(&change).is_err() {
            return roles;
        }
        at = next;
    }
    push(&mut roles, line, at..line.len(), scopes);
    roles
}

fn push(roles: &mut LineRoles, line: &str, range: Range<usize>, scopes: &ScopeStack) {
    let range = range.start..range.end.min(line.len());
    if range.start >= range.end || line[range.clone()].trim().is_empty() {
        return;
    }
    let innermost = scopes.as_slice().iter().rev();
    let role = innermost
        .filter_map(|scope| {
            SCOPES
                .iter()
                .find(|(prefix, _)| prefix.is_prefix_of(*scope))
        })
        .map(|(_, role)| *role)
        .next();
    match (role, roles.last_mut()) {
        (Some(role), Some((last, same))) if *same == role && last.end == range.start => {
            last.end = range.end;
        }
        (Some(role), _) => roles.push((range, role)),
        (None, _) => {}
    }
}
