//! A sample page of a theme: the name of every role in the role's style, the signs, and a few lines of code.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Glyphs, LineRelation, Role, Theme};
use crate::benchmark::{DependencyType, Verdict};

const COLUMNS: u16 = 80;
/// The number of roles in a line of the page.
const ACROSS: usize = 4;

/// The sample page of `theme`, 80 columns wide.
pub fn specimen(theme: &Theme, glyphs: &Glyphs) -> Buffer {
    let lines = page(theme, glyphs);
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let mut buffer = Buffer::empty(Rect::new(0, 0, COLUMNS, rows));
    buffer.set_style(buffer.area, theme.style(Role::Text));
    for (y, line) in (0..).zip(&lines) {
        buffer.set_line(1, y, line, COLUMNS - 2);
    }
    buffer
}

fn page(theme: &Theme, glyphs: &Glyphs) -> Vec<Line<'static>> {
    let mut lines = vec![
        Line::from(vec![
            Span::styled(theme.name().to_owned(), theme.style(Role::Strong)),
            Span::raw("  "),
            Span::styled(theme.description().to_owned(), theme.style(Role::Dim)),
        ]),
        Line::default(),
    ];
    let words = |roles: &[Role]| -> Line<'static> {
        let cell = |role: &Role| {
            let gap = " ".repeat(19usize.saturating_sub(role.word().len()));
            [
                Span::styled(role.word(), theme.style(*role)),
                Span::raw(gap),
            ]
        };
        roles.iter().flat_map(cell).collect()
    };
    lines.extend(Role::ALL.chunks(ACROSS).map(words));
    lines.push(Line::default());
    lines.extend(signs(theme, glyphs));
    lines.push(Line::default());
    lines.extend(code(theme));
    lines
}

/// The signs of verdicts, dependency types and line relations, each with its meaning.
fn signs(theme: &Theme, glyphs: &Glyphs) -> [Line<'static>; 4] {
    let sign = |sign: &'static str, role, word: &str| {
        [
            Span::styled(sign, theme.style(role)),
            Span::raw(format!(" {word}   ")),
        ]
    };
    let verdicts = |verdicts: &[Option<Verdict>]| -> Line<'static> {
        let signs = verdicts.iter().flat_map(|verdict| {
            let word = verdict.map_or("not run", Verdict::word);
            sign(glyphs.verdict(*verdict), Role::verdict(*verdict), word)
        });
        signs.collect()
    };
    let all: Vec<_> = Verdict::ALL
        .iter()
        .copied()
        .map(Some)
        .chain([None])
        .collect();
    let (first, second) = all.split_at(all.len() / 2);
    let kinds = DependencyType::ALL
        .iter()
        .flat_map(|kind| {
            sign(
                glyphs.dependency(Some(*kind)),
                Role::dependency(*kind),
                kind.word(),
            )
        })
        .chain(sign(glyphs.dependency(None), Role::NotFound, "not found"));
    let relations = [
        (LineRelation::Leaked, Role::Leaked, "leaked"),
        (LineRelation::Missing, Role::Missing, "missing"),
        (LineRelation::Moved, Role::Moved, "moved"),
        (LineRelation::Shared, Role::Shared, "shared"),
        (LineRelation::Target, Role::TargetRun, "target"),
    ];
    let relations = relations
        .into_iter()
        .flat_map(|(at, role, word)| sign(glyphs.relation(at), role, word));
    [
        verdicts(first),
        verdicts(second),
        kinds.collect(),
        relations.collect(),
    ]
}

/// A sample function with tokens of most kinds. It uses a dependency.
fn code(theme: &Theme) -> [Line<'static>; 4] {
    let styled = |parts: &[(&'static str, Role)]| -> Line<'static> {
        parts
            .iter()
            .map(|(text, role)| Span::styled(*text, theme.style(*role)))
            .collect()
    };
    let used = theme
        .style(Role::CrossFile)
        .patch(theme.style(Role::DependencyUse));
    let mut last = styled(&[
        ("988  ", Role::LineNumber),
        ("        return ", Role::Keyword),
        ("default ", Role::Text),
        ("or ", Role::Keyword),
    ]);
    last.push_span(Span::styled("make_sentinel", used));
    last.push_span(Span::styled("()", theme.style(Role::Text)));
    [
        styled(&[("985  ", Role::LineNumber), ("@cached", Role::Decorator)]),
        styled(&[
            ("986  ", Role::LineNumber),
            ("def ", Role::Keyword),
            ("first", Role::Function),
            ("(", Role::Text),
            ("self", Role::Builtin),
            (", iterable, size=", Role::Text),
            ("1", Role::Number),
            (", default=", Role::Text),
            ("None", Role::Constant),
            ("):", Role::Text),
        ]),
        styled(&[
            ("987  ", Role::LineNumber),
            ("    \"The first true element", Role::StringLiteral),
            ("\\n", Role::Escape),
            ("\"", Role::StringLiteral),
            ("  # or the default", Role::Comment),
        ]),
        last,
    ]
}
