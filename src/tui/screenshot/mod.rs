//! A screen as a picture (SVG) or as text with escape sequences. The same buffer gives the same bytes on every machine.
//!
//! Text is placed in a grid of cells. ASCII text is stretched to the width of its cells. Box-drawing characters and
//! block elements are drawn as shapes, so that they join without gaps in any font.

mod ansi;
mod colours;
mod shapes;
#[cfg(test)]
mod tests;

use std::fmt;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;
use unicode_width::UnicodeWidthStr;

use super::theme::Theme;
pub use ansi::ansi;
pub use colours::Canvas;
use colours::{Colours, Rgb, hex};

/// The width of a cell in hundredths of a pixel: the advance of most monospace fonts at 14 pixels.
const WIDE: u32 = 843;
/// The height of a cell in hundredths of a pixel.
const HIGH: u32 = 1800;
/// The distance from the top of a cell to the base line of its text, in hundredths of a pixel.
const BASE: u32 = 1370;
/// The margin around the grid in hundredths of a pixel.
const MARGIN: u32 = 1400;

/// The buffer as an SVG document. `label` is the title of the document, for readers who cannot see the picture.
pub fn svg(buffer: &Buffer, label: &str, theme: &Theme, canvas: Canvas) -> String {
    let colours = Colours::new(canvas, theme);
    let width = Px(2 * MARGIN + u32::from(buffer.area.width) * WIDE);
    let height = Px(2 * MARGIN + u32::from(buffer.area.height) * HIGH);
    let mut picture = Picture {
        text: String::new(),
        ground: colours.back,
    };
    picture.push(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{}</title>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{}\"/>\n\
         <g font-family=\"'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace\" \
         font-size=\"14\" xml:space=\"preserve\">\n",
        Escaped(label),
        hex(colours.back),
    ));
    for y in 0..buffer.area.height {
        picture.row(&row(buffer, y, &colours), MARGIN + u32::from(y) * HIGH);
    }
    picture.text.push_str("</g>\n</svg>\n");
    picture.text
}

/// The style of a cell. The colours already show the effects of reversed and dim text.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CellStyle {
    fore: Rgb,
    back: Rgb,
    shape: Modifier,
}

/// A character of a row, with its first column and its number of columns.
struct Drawn<'a> {
    symbol: &'a str,
    column: u32,
    columns: u32,
    cell_style: CellStyle,
}

impl Drawn<'_> {
    fn left(&self) -> u32 {
        MARGIN + self.column * WIDE
    }

    fn end(&self) -> u32 {
        self.column + self.columns
    }

    fn is_blank(&self) -> bool {
        self.symbol.trim().is_empty()
    }
}

fn row<'a>(buffer: &'a Buffer, y: u16, colours: &Colours) -> Vec<Drawn<'a>> {
    let area = buffer.area;
    let mut cells = Vec::with_capacity(area.width.into());
    let mut x = 0;
    while x < area.width {
        let Some(cell) = buffer.cell((area.x + x, area.y + y)) else {
            break;
        };
        let wide = u16::try_from(cell.symbol().width()).unwrap_or(1);
        let columns = wide.clamp(1, area.width - x);
        let cell_style = cell_style(cell, colours);
        cells.push(Drawn {
            symbol: cell.symbol(),
            column: x.into(),
            columns: columns.into(),
            cell_style,
        });
        x += columns;
    }
    cells
}

fn cell_style(cell: &Cell, colours: &Colours) -> CellStyle {
    let (fore, back) = colours.of(cell.fg, cell.bg, cell.modifier);
    let drawn = Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::CROSSED_OUT;
    CellStyle {
        fore,
        back,
        shape: cell.modifier & drawn,
    }
}

struct Picture {
    text: String,
    ground: Rgb,
}

impl Picture {
    fn push(&mut self, what: fmt::Arguments) {
        // Writing to a String cannot fail.
        let _ = fmt::write(&mut self.text, what);
    }

    fn row(&mut self, cells: &[Drawn], top: u32) {
        for run in cells.chunk_by(|a, b| a.cell_style.back == b.cell_style.back) {
            if run[0].cell_style.back != self.ground {
                self.block(run, top, HIGH, run[0].cell_style.back);
            }
        }
        for run in cells.chunk_by(|a, b| a.cell_style == b.cell_style) {
            self.text_runs(run, top);
            if run[0].cell_style.shape.contains(Modifier::UNDERLINED) {
                self.block(run, top + BASE + 180, 90, run[0].cell_style.fore);
            }
            if run[0].cell_style.shape.contains(Modifier::CROSSED_OUT) {
                self.block(run, top + BASE - 430, 90, run[0].cell_style.fore);
            }
        }
    }

    fn block(&mut self, run: &[Drawn], top: u32, high: u32, colour: Rgb) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            return;
        };
        let (x, width) = (Px(first.left()), Px((last.end() - first.column) * WIDE));
        let (y, height, fill) = (Px(top), Px(high), hex(colour));
        self.push(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>\n"
        ));
    }

    /// Draws cells of one style. Box-drawing characters and block elements become shapes. ASCII text is divided at two
    /// or more consecutive blanks. Every other character is drawn separately, in its own cell.
    fn text_runs(&mut self, cells: &[Drawn], top: u32) {
        let mut from = 0;
        while from < cells.len() {
            let cell = &cells[from];
            let run = stretch(&cells[from..]);
            if cell.is_blank() {
                from += 1;
            } else if let Some(shape) = shapes::shape(cell.symbol, cell.left(), top, run) {
                self.push(format_args!(
                    "{}\n",
                    shape.colour(&hex(cell.cell_style.fore).to_string())
                ));
                from += run;
            } else if cell.symbol.is_ascii() {
                let plain = cells[from..]
                    .iter()
                    .take_while(|cell| cell.symbol.is_ascii())
                    .count();
                let run = words(&cells[from..from + plain]);
                self.words(run, top);
                from += run.len();
            } else {
                self.words(&cells[from..=from], top);
                from += 1;
            }
        }
    }

    fn words(&mut self, run: &[Drawn], top: u32) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            return;
        };
        let (x, y) = (Px(first.left()), Px(top + BASE));
        let length = Px((last.end() - first.column) * WIDE);
        let (fill, bold, italic) = (
            hex(first.cell_style.fore),
            if first.cell_style.shape.contains(Modifier::BOLD) {
                " font-weight=\"bold\""
            } else {
                ""
            },
            if first.cell_style.shape.contains(Modifier::ITALIC) {
                " font-style=\"italic\""
            } else {
                ""
            },
        );
        let stretch = if run.len() > 1 {
            format!(" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\"")
        } else {
            String::new()
        };
        self.push(format_args!(
            "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\"{bold}{italic}{stretch}>"
        ));
        for cell in run {
            self.push(format_args!("{}", Escaped(cell.symbol)));
        }
        self.text.push_str("</text>\n");
    }
}

/// The number of cells, from the first cell on, that form one shape.
fn stretch(cells: &[Drawn]) -> usize {
    let Some(first) = cells
        .first()
        .filter(|first| shapes::stretches(first.symbol))
    else {
        return 1;
    };
    cells
        .iter()
        .take_while(|cell| cell.symbol == first.symbol)
        .count()
}

/// The cells before the first two consecutive blanks, without blanks at the end.
fn words<'r, 'a>(run: &'r [Drawn<'a>]) -> &'r [Drawn<'a>] {
    let gap = run
        .windows(2)
        .position(|two| two[0].is_blank() && two[1].is_blank());
    let run = &run[..gap.unwrap_or(run.len())];
    let end = run
        .iter()
        .rposition(|cell| !cell.is_blank())
        .map_or(0, |last| last + 1);
    &run[..end]
}

/// Hundredths of a pixel, written as pixels.
#[derive(Clone, Copy)]
struct Px(u32);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 / 100)?;
        match self.0 % 100 {
            0 => Ok(()),
            rest if rest % 10 == 0 => write!(f, ".{}", rest / 10),
            rest => write!(f, ".{rest:02}"),
        }
    }
}

/// Text escaped for XML. Control characters, and characters that XML 1.0 forbids, become U+FFFD.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c if c.is_control() => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}
