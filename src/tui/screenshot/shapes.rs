//! Box-drawing characters and block elements as SVG shapes, so that they join without gaps.

use super::{HIGH, Px, WIDE};

/// A shape without a colour. `path` is the data of an SVG path. `thick` is the width of the line in hundredths of a
/// pixel. `opacity` is empty, or a space and an SVG attribute.
pub(super) enum Shape {
    Stroke { path: String, thick: u32 },
    Fill { path: String, opacity: &'static str },
}

impl Shape {
    /// The SVG element of the shape in a colour.
    pub(super) fn colour(&self, colour: &str) -> String {
        match self {
            Self::Stroke { path, thick } => format!(
                "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\"/>",
                Px(*thick)
            ),
            Self::Fill { path, opacity } => {
                format!("<path d=\"{path}\" fill=\"{colour}\"{opacity}/>")
            }
        }
    }
}

/// Whether consecutive cells with this character are drawn as one shape.
pub(super) fn stretches(symbol: &str) -> bool {
    matches!(symbol, "─" | "━" | "█" | "░" | "▒" | "▓")
}

/// The shape of a box-drawing character or block element. The top left corner of the first cell is at (`left`, `top`),
/// in hundredths of a pixel. The shape covers `cells` cells; `cells` is 1 unless [`stretches`] is true. `None` for a
/// character that is not drawn as a shape.
pub(super) fn shape(symbol: &str, left: u32, top: u32, cells: usize) -> Option<Shape> {
    let cells = u32::try_from(cells).ok()?;
    let mut characters = symbol.chars();
    let (sign, None) = (characters.next()?, characters.next()) else {
        return None;
    };
    rule(sign, left, top, cells).or_else(|| block(sign, left, top, cells))
}

fn rule(sign: char, left: u32, top: u32, cells: u32) -> Option<Shape> {
    let (right, bottom) = (left + WIDE * cells, top + HIGH);
    let (x, y) = (left + WIDE / 2, top + HIGH / 2);
    let thick = if matches!(sign, '━' | '╸' | '┃') {
        240
    } else {
        110
    };
    let across = || line((left, y), (right, y));
    let down = || line((x, top), (x, bottom));
    let path = match sign {
        '─' | '━' => across(),
        '╸' => line((left, y), (x, y)),
        '│' | '┃' => down(),
        '┼' => across() + &down(),
        '├' => down() + &line((x, y), (right, y)),
        '┤' => down() + &line((left, y), (x, y)),
        '┬' => across() + &line((x, y), (x, bottom)),
        '┴' => across() + &line((x, top), (x, y)),
        '╭' | '┌' => corner((x, bottom), (x, y), (right, y)),
        '╮' | '┐' => corner((left, y), (x, y), (x, bottom)),
        '╰' | '└' => corner((x, top), (x, y), (right, y)),
        '╯' | '┘' => corner((left, y), (x, y), (x, top)),
        _ => return None,
    };
    Some(Shape::Stroke { path, thick })
}

fn line(from: (u32, u32), to: (u32, u32)) -> String {
    format!("M{} {}L{} {}", Px(from.0), Px(from.1), Px(to.0), Px(to.1))
}

fn corner(from: (u32, u32), at: (u32, u32), to: (u32, u32)) -> String {
    let [a, b, c] = [from, at, to].map(|(x, y)| format!("{} {}", Px(x), Px(y)));
    format!("M{a}Q{b} {c}")
}

fn block(sign: char, left: u32, top: u32, cells: u32) -> Option<Shape> {
    let code = u32::from(sign);
    let (wide, high, opacity) = match code {
        0x2581..=0x2588 => (8, code - 0x2580, ""),
        0x2589..=0x258f => (0x2590 - code, 8, ""),
        0x2591 => (8, 8, " fill-opacity=\"0.25\""),
        0x2592 => (8, 8, " fill-opacity=\"0.5\""),
        0x2593 => (8, 8, " fill-opacity=\"0.75\""),
        _ => return None,
    };
    let (wide, high) = (WIDE * cells * wide / 8, HIGH * high / 8);
    let (x, y) = (Px(left), Px(top + HIGH - high));
    let path = format!("M{x} {y}h{}v{}h-{}z", Px(wide), Px(high), Px(wide));
    Some(Shape::Fill { path, opacity })
}
