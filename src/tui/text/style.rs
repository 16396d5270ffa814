//! Applies layers of styles to a line of source, replaces its control characters by visible pictures (such as `␛`), and
//! cuts it to the visible columns.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::clean::pieces;

/// Styles of byte ranges of a line, for example of the search matches. The ranges are sorted and do not overlap.
pub type Layer<'a> = &'a [(Range<usize>, Style)];

/// The visible `columns` (0-based) of a line. The styles of each layer are patched over the styles of the layers before
/// it. The pictures of control characters also get the style `picture`, patched over all layers. A wide character that
/// an edge cuts becomes blanks.
pub fn styled(
    line: &str,
    layers: &[Layer],
    picture: Style,
    columns: Range<usize>,
) -> Line<'static> {
    let mut ahead: Vec<Layer> = layers.to_vec();
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut run = String::new();
    let mut run_style = Style::new();
    for piece in pieces(line) {
        if piece.column >= columns.end {
            break;
        }
        if piece.column + piece.width <= columns.start {
            continue;
        }
        let mut style = style_at(&mut ahead, piece.source.start);
        if piece.picture {
            style = style.patch(picture);
        }
        if style != run_style {
            flush(&mut spans, &mut run, run_style);
            run_style = style;
        }
        let cut_left = columns.start.saturating_sub(piece.column);
        let cut_right = (piece.column + piece.width).saturating_sub(columns.end);
        if cut_left == 0 && cut_right == 0 {
            run.push_str(&piece.shown);
        } else {
            run.extend(std::iter::repeat_n(' ', piece.width - cut_left - cut_right));
        }
    }
    flush(&mut spans, &mut run, run_style);
    Line::from(spans)
}

fn flush(spans: &mut Vec<Span<'static>>, run: &mut String, style: Style) {
    if !run.is_empty() {
        spans.push(Span::styled(std::mem::take(run), style));
    }
}

/// The combined style of all layers at the byte offset `at`. Removes from `ahead` the ranges that end at or before
/// `at`.
fn style_at(ahead: &mut [Layer], at: usize) -> Style {
    let mut style = Style::new();
    for layer in ahead {
        while layer.first().is_some_and(|(range, _)| range.end <= at) {
            *layer = &layer[1..];
        }
        if let Some((range, over)) = layer.first()
            && range.start <= at
        {
            style = style.patch(*over);
        }
    }
    style
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier};

    use super::*;
    use crate::tui::text::{sanitize, width};

    fn content(line: &Line) -> String {
        line.spans
            .iter()
            .map(|span| span.content.as_ref())
            .collect()
    }

    #[test]
    fn a_later_layer_is_patched_over_an_earlier_layer() {
        let red = Style::new().fg(Color::Red);
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let line = styled(
            "\tdef é(x)",
            &[&[(1..4, red)], &[(3..7, bold)]],
            Style::new(),
            0..80,
        );
        let shown: Vec<_> = line
            .spans
            .iter()
            .map(|s| (s.content.as_ref(), s.style))
            .collect();
        assert_eq!(
            shown,
            [
                ("    ", Style::new()),
                ("de", red),
                ("f", red.patch(bold)),
                (" é", bold),
                ("(x)", Style::new()),
            ]
        );
    }

    #[test]
    fn a_wide_character_that_is_cut_becomes_blanks() {
        assert_eq!(content(&styled("日本語x", &[], Style::new(), 1..5)), " 本 ");
    }

    proptest! {
        #[test]
        fn a_window_shows_exactly_its_columns(
            text in "[a-z日\t\u{1b}\u{202e}]{0,40}",
            from in 0usize..30,
            wide in 0usize..30,
        ) {
            let all = width(&sanitize(&text));
            let line = styled(&text, &[], Style::new(), from..from + wide);
            let shown = width(&content(&line));
            prop_assert_eq!(shown, all.saturating_sub(from).min(wide));
        }
    }
}
