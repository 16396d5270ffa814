//! The signs of the explorer and their meanings, for the help.

use ratatui::text::{Line, Span};

use super::Styles;
use crate::benchmark::{DependencyType, Verdict};
use crate::tui::text::width;
use crate::tui::theme::{LineRelation, Role};

/// The signs with their meanings, as many on a line as fit.
pub fn lines(styles: &Styles, columns: usize) -> Vec<Line<'static>> {
    let verdicts = Verdict::ALL.iter().map(|verdict| {
        let role = Role::verdict(Some(*verdict));
        let sign = styles.glyphs.verdict(Some(*verdict));
        (role, sign, verdict_words(*verdict))
    });
    let not_run = (Role::Dim, styles.glyphs.verdict(None), "not run".to_owned());
    let verdicts = verdicts.chain([not_run]);
    let dependencies = DependencyType::ALL.iter().map(|kind| {
        let word = format!("{} dependency", kind.word().replace('_', "-"));
        let role = Role::dependency(*kind);
        (role, styles.glyphs.dependency(Some(*kind)), word)
    });
    let relations = [
        (
            LineRelation::Leaked,
            Role::Leaked,
            "leaked: from after the base commit",
        ),
        (
            LineRelation::Missing,
            Role::Missing,
            "missing from the latest version",
        ),
        (
            LineRelation::Moved,
            Role::Moved,
            "moved: elsewhere in the other version",
        ),
        (
            LineRelation::Shared,
            Role::Shared,
            "the other context has this snippet too, at the named rank",
        ),
        (LineRelation::Target, Role::TargetRun, "the target itself"),
    ];
    let relations = relations
        .into_iter()
        .map(|(relation, role, words)| (role, styles.glyphs.relation(relation), words.to_owned()));
    let other = [
        (Role::Accent, styles.glyphs.on, "selected task"),
        (Role::Accent, styles.glyphs.pointer, "current row"),
        (
            Role::Pass,
            "1/2",
            "solved by 1 of 2 combinations of model and setting",
        ),
        (
            Role::DiffRemoved,
            "-",
            "used by the reference, missed by the completion",
        ),
        (
            Role::DiffAdded,
            "+",
            "used by the completion, not by the reference",
        ),
        (
            Role::Dim,
            "absent",
            "a dependency that the shown context does not contain",
        ),
    ];
    let other = other.map(|(role, sign, words)| (role, sign, words.to_owned()));
    let mut lines = flow(styles, verdicts, columns);
    lines.extend(flow(styles, dependencies, columns));
    lines.extend(flow(styles, relations, columns));
    lines.extend(flow(styles, other.into_iter(), columns));
    lines
}

/// The word for the verdict, with an explanation if the word alone is not clear.
fn verdict_words(verdict: Verdict) -> String {
    let word = verdict.word().replace('_', " ");
    let meaning = match verdict {
        Verdict::Limit => "(exceeded the limit of output, disk or processes)",
        Verdict::Tampered => "(passes a test that correct code must fail)",
        Verdict::Infrastructure => "(the sandbox failed)",
        Verdict::Unusable => "(the task cannot be evaluated)",
        _ => return word,
    };
    format!("{word} {meaning}")
}

/// Arranges signs with their meanings on lines of at most `columns` columns.
fn flow(
    styles: &Styles,
    signs: impl Iterator<Item = (Role, &'static str, String)>,
    columns: usize,
) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut line = Line::from("   ");
    for (role, sign, words) in signs {
        let wide = width(sign) + width(&words) + 1;
        if line.spans.len() > 1 && line.width() + wide > columns {
            lines.push(std::mem::replace(&mut line, Line::from("   ")));
        }
        line.push_span(styles.span(role, sign));
        line.push_span(Span::raw(" "));
        line.push_span(styles.span(Role::Dim, words));
        line.push_span(Span::raw("   "));
    }
    lines.push(line);
    lines
}
