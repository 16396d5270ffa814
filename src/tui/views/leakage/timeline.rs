//! The versions from base to newest, and how much of each context leaked.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::chart::{Axis, Tick, columns, sparkline};
use crate::tui::state::leakage::{LEGEND, LeakageScreen, Moment};
use crate::tui::theme::Role;
use crate::tui::views::{Look, put};

/// Draws chart, axis and labels; nothing where there is no space or nothing to show.
pub fn draw(screen: &LeakageScreen, look: &Look, rect: Rect, buffer: &mut Buffer) {
    if rect.height < 3 || screen.moments.is_empty() {
        return;
    }
    let axis = screen.axis(rect.width);
    let high = rect.height - 2;
    let chart = chart(screen, look, &axis, usize::from(high));
    for (row, line) in chart.iter().enumerate() {
        put(buffer, rect, row, line);
    }
    let mut rule = vec![legend(look, "version")];
    rule.extend(rule_spans(look, &axis));
    put(buffer, rect, usize::from(high), &Line::from(rule));
    let ticks: Vec<_> = screen
        .moments
        .iter()
        .map(|moment| Tick {
            label: &moment.name,
            major: moment.major,
        })
        .collect();
    let under = Rect {
        x: rect.x + LEGEND,
        width: rect.width.saturating_sub(LEGEND),
        ..rect
    };
    let chosen = axis.column(screen.at).unwrap_or(0);
    for (at, label) in axis.labels(&ticks) {
        let here = (at..at + label.len().max(1)).contains(&chosen);
        let shifted = Rect {
            x: under.x + u16::try_from(at).unwrap_or(0),
            ..under
        };
        put(
            buffer,
            shifted,
            usize::from(high) + 1,
            &Line::from(look.span(if here { Role::Strong } else { Role::Dim }, label)),
        );
    }
}

fn legend(look: &Look, word: &str) -> Span<'static> {
    look.span(Role::Dim, format!(" {word:<0$}", usize::from(LEGEND) - 1))
}

/// A mark on the chart's scale.
fn scale(look: &Look, word: &str) -> Span<'static> {
    let space = usize::from(LEGEND) - 2;
    look.span(Role::Dim, format!("{word:>space$} {}", look.glyphs.bar))
}

fn rule_spans(look: &Look, axis: &Axis) -> Vec<Span<'static>> {
    let rule = axis.rule(&look.glyphs);
    let here = look.glyphs.here;
    match rule.split_once(here) {
        Some((before, after)) => vec![
            look.span(Role::BarRest, before),
            look.span(Role::Accent, here),
            look.span(Role::BarRest, after),
        ],
        None => vec![look.span(Role::BarRest, rule)],
    }
}

fn chart(screen: &LeakageScreen, look: &Look, axis: &Axis, high: usize) -> Vec<Line<'static>> {
    let leaked = |moment: &Moment| {
        let compared = moment.compared.as_ref()?;
        Some(compared.leaked(screen.masked).share())
    };
    let passed = |moment: &Moment| moment.passed.map(|(pass, _)| pass);
    if !screen.is_scored() || high < 2 {
        return rows(screen, look, axis, high, (&leaked, "leaked", Role::Leaked));
    }
    let above = high / 2;
    let mut lines = rows(screen, look, axis, above, (&passed, "pass@1", Role::Pass));
    let below = high - above;
    lines.extend(rows(
        screen,
        look,
        axis,
        below,
        (&leaked, "leaked", Role::Leaked),
    ));
    lines
}

/// What is drawn: a share of each moment, its word, its colour.
type Drawn<'a> = (&'a dyn Fn(&Moment) -> Option<f64>, &'static str, Role);

fn rows(
    screen: &LeakageScreen,
    look: &Look,
    axis: &Axis,
    high: usize,
    (share, word, role): Drawn,
) -> Vec<Line<'static>> {
    let seen = axis.visible();
    let shares: Vec<_> = screen.moments[seen].iter().map(share).collect();
    let rows = if high == 1 {
        vec![sparkline(&shares, &look.glyphs)]
    } else {
        columns(&shares, high, &look.glyphs)
    };
    let stride = axis.stride();
    let last = rows.len() - 1;
    let spread = rows.into_iter().enumerate().map(|(number, row)| {
        let label = match number {
            0 if last == 0 => legend(look, word),
            0 => scale(look, "all"),
            n if n == last => scale(look, if last == 1 { word } else { "none" }),
            1 if screen.is_scored() => legend(look, word),
            _ => legend(look, ""),
        };
        let mut text = String::new();
        for cell in row.chars() {
            text.push_str(&" ".repeat(stride / 2));
            text.push(cell);
            text.push_str(&" ".repeat(stride - stride / 2 - 1));
        }
        Line::from(vec![label, look.span(role, text)])
    });
    spread.collect()
}
