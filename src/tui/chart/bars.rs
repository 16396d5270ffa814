//! A chart of horizontal bars, one bar per row.

use ratatui::text::{Line, Span};

use super::eighths;
use crate::tui::text::{fit, width};
use crate::tui::theme::{Glyphs, Role, Theme};

/// A row of a bar chart.
#[derive(Debug, Clone)]
pub struct Bar {
    /// The text at the start of the row.
    pub label: String,
    /// The value that the bar shows, from 0 to 1; `None` while it is not known.
    pub share: Option<f64>,
    /// The value as text for the end of the row, for example `70 %  (7 of 10)`.
    pub figure: String,
}

/// A bar of `cells` columns, as (filled part, empty part). The filled part is `share` (0 to 1) of the bar, rounded up
/// to half a column. Only the share 1 fills the bar.
pub fn bar(share: f64, cells: usize, glyphs: &Glyphs) -> (String, String) {
    let halves = eighths(share, cells).div_ceil(4);
    let full = if share < 1.0 {
        halves.min((2 * cells).saturating_sub(1))
    } else {
        halves
    };
    let end = if full % 2 == 1 { glyphs.half } else { "" };
    let used = full.div_ceil(2);
    (
        glyphs.stroke.repeat(full / 2) + end,
        " ".repeat(cells - used),
    )
}

/// The minimum number of columns for the bars in a chart of at least 40 columns.
const MIN_CELLS: usize = 8;

/// The rows of a bar chart with a width of `columns`: a label, a bar and a figure. The rows have no bars if fewer than
/// four columns are left for them.
pub fn bars(rows: &[Bar], columns: usize, theme: &Theme, glyphs: &Glyphs) -> Vec<Line<'static>> {
    let figures = rows
        .iter()
        .map(|row| width(&row.figure))
        .max()
        .unwrap_or(0)
        .min(columns / 2);
    let wanted = rows.iter().map(|row| width(&row.label)).max().unwrap_or(0);
    let labels = wanted.min((columns.saturating_sub(figures + 2)).max(columns / 3));
    // In a wide chart, long labels are shortened so that the bars have space too.
    let labels = if columns >= 40 {
        labels.min(columns.saturating_sub(figures + 4 + MIN_CELLS))
    } else {
        labels
    };
    let cells = columns.saturating_sub(labels + figures + 4);
    rows.iter()
        .map(|row| bar_row(row, (labels, cells, figures), theme, glyphs))
        .collect()
}

fn bar_row(
    row: &Bar,
    (labels, cells, figures): (usize, usize, usize),
    theme: &Theme,
    glyphs: &Glyphs,
) -> Line<'static> {
    let mut spans = vec![
        Span::raw(fit(&row.label, labels, glyphs.ellipsis)),
        Span::raw("  "),
    ];
    if cells >= 4 {
        let (filled, empty) = match row.share {
            Some(share) => bar(share, cells, glyphs),
            None => (
                String::new(),
                glyphs.dot.to_owned() + &" ".repeat(cells - 1),
            ),
        };
        spans.push(Span::styled(filled, theme.style(Role::Bar)));
        spans.push(Span::styled(empty, theme.style(Role::BarRest)));
        spans.push(Span::raw("  "));
    }
    let pad = figures.saturating_sub(width(&row.figure));
    let role = if row.share.is_some() {
        Role::Text
    } else {
        Role::Dim
    };
    let figure = fit(&row.figure, figures - pad, glyphs.ellipsis);
    spans.push(Span::raw(" ".repeat(pad)));
    spans.push(Span::styled(figure, theme.style(role)));
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::{ColourDepth, ThemeFolders};

    fn drawn(columns: usize, glyphs: &Glyphs) -> String {
        let theme = Theme::load("mono", &ThemeFolders::built_in(), ColourDepth::None).unwrap();
        let row = |label: &str, share, figure: &str| Bar {
            label: label.to_owned(),
            share,
            figure: figure.to_owned(),
        };
        let rows = [
            row("self_contained", Some(0.0), "0 %"),
            row("file_runnable", Some(0.43), "43 %"),
            row("project_runnable", Some(1.0), "100 %"),
            row("class_runnable", None, "counting"),
        ];
        let lines = bars(&rows, columns, &theme, glyphs);
        lines
            .iter()
            .map(|line| format!("{line}|"))
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn bars_are_between_labels_and_figures() {
        insta::assert_snapshot!(drawn(44, &Glyphs::UNICODE), @r"
        self_contained                           0 %|
        file_runnable     ━━━━━━━               43 %|
        project_runnable  ━━━━━━━━━━━━━━━━     100 %|
        class_runnable    ·                 counting|
        ");
        insta::assert_snapshot!(drawn(44, &Glyphs::ASCII), @r"
        self_contained                           0 %|
        file_runnable     =======               43 %|
        project_runnable  ================     100 %|
        class_runnable    -                 counting|
        ");
        insta::assert_snapshot!(drawn(20, &Glyphs::UNICODE), @r"
        self_cont…       0 %|
        file_runn…      43 %|
        project_r…     100 %|
        class_run…  counting|
        ");
    }

    #[test]
    fn the_two_parts_of_a_bar_fill_its_columns_exactly() {
        for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
            for cells in 0..12 {
                for tenth in 0..=10 {
                    let (filled, empty) = bar(f64::from(tenth) / 10.0, cells, &glyphs);
                    assert_eq!(width(&filled) + width(&empty), cells, "{tenth} of {cells}");
                }
            }
        }
    }
}
