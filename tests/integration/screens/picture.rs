//! A screen as text that a person can review: its rows, and under each row the letters of its styles.

use std::fmt::Write;
use std::path::Path;

use evoscope::tui::theme::{ColourDepth, Glyphs, Theme, ThemeFolders};
use evoscope::tui::{Headless, StoredState, Styles, WorkerState, parse_script};
use evoscope::workspace::AppDirs;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};
use unicode_width::UnicodeWidthStr;

/// The sizes of the snapshots: (columns, rows).
pub const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// The default theme in the terminal's 16 colours, with Unicode signs.
pub fn styles() -> Styles {
    Styles {
        theme: Theme::load("default", &ThemeFolders::built_in(), ColourDepth::Ansi16).unwrap(),
        glyphs: Glyphs::UNICODE,
    }
}

/// An explorer of `folder` with the home folder `home`, after the keys of `script`.
pub fn explorer(folder: &Path, home: &Path, size: (u16, u16), script: &str) -> Headless {
    let workers = WorkerState::new(
        vec![folder.to_owned()],
        false,
        AppDirs::under(home),
        StoredState::Ignored,
    );
    let mut explorer = Headless::open(workers, size).unwrap();
    explorer.press(&parse_script(script).unwrap());
    explorer
}

/// The screen's rows as text, without styles.
pub fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let (row, _) = row(buffer, y, &mut Vec::new());
        text += row[1..].trim_end();
        text.push('\n');
    }
    text
}

/// The screen's rows as text. Under each row with styles, each column has the letter of its style. The last lines
/// explain the letters.
pub fn picture(buffer: &Buffer) -> String {
    let mut styles: Vec<Style> = Vec::new();
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let (row, letters) = row(buffer, y, &mut styles);
        text += row.trim_end();
        text.push('\n');
        if !letters.trim().is_empty() {
            text += letters.trim_end();
            text.push('\n');
        }
    }
    for (letter, style) in ('a'..).zip(&styles) {
        writeln!(text, "{letter} {}", words(*style)).unwrap();
    }
    text
}

fn row(buffer: &Buffer, y: u16, styles: &mut Vec<Style>) -> (String, String) {
    let (mut row, mut letters) = (String::from("|"), String::from(":"));
    let mut x = 0;
    while x < buffer.area.width {
        let cell = &buffer[(x, y)];
        let columns = u16::try_from(cell.symbol().width()).unwrap().max(1);
        row += cell.symbol();
        let letter = letter(cell.style(), styles);
        letters.extend(std::iter::repeat_n(letter, columns.into()));
        x += columns;
    }
    let letters = if letters[1..].trim().is_empty() {
        String::new()
    } else {
        letters
    };
    (row, letters)
}

fn letter(style: Style, styles: &mut Vec<Style>) -> char {
    if words(style).is_empty() {
        return ' ';
    }
    let at = styles
        .iter()
        .position(|known| *known == style)
        .unwrap_or_else(|| {
            styles.push(style);
            styles.len() - 1
        });
    ('a'..='z').nth(at).unwrap_or('?')
}

fn words(style: Style) -> String {
    let colour = |name: &str, colour: Option<Color>| match colour {
        None | Some(Color::Reset) => String::new(),
        Some(colour) => format!("{name} {colour} ").to_lowercase(),
    };
    let modifiers = style
        .add_modifier
        .iter_names()
        .map(|(name, _)| name.to_lowercase());
    let modifiers: Vec<_> = modifiers.collect();
    let words = colour("fg", style.fg) + &colour("bg", style.bg) + &modifiers.join(" ");
    words.trim_end().to_owned()
}
