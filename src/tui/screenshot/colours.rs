//! The colours of a picture. Each cell has the colours that a terminal would use.

use std::fmt;

use ratatui::style::{Color, Modifier};

use crate::tui::theme::{Background, Colour, Role, Theme, rgb_of};

pub(super) type Rgb = (u8, u8, u8);

/// The kind of terminal that the picture shows. It determines the colours that the theme does not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Canvas {
    /// A dark terminal.
    Dark,
    /// A light terminal.
    Light,
}

impl Canvas {
    /// The terminal that a theme is made for; dark if the theme is made for any terminal.
    pub fn of(theme: &Theme) -> Self {
        match theme.background() {
            Background::Light => Self::Light,
            Background::Dark | Background::Any => Self::Dark,
        }
    }
}

/// The terminal's 16 colours in a picture with a dark background.
const DARK: [&str; 16] = [
    "#22252c", "#e8817d", "#8fc98b", "#dcba74", "#82aeea", "#c6a0e6", "#78c5bf", "#d6d9e0",
    "#737a88", "#f29b97", "#a6d9a2", "#ebd096", "#a0c3f2", "#d7baf0", "#96d8d2", "#f4f5f8",
];
/// The terminal's 16 colours in a picture with a light background.
const LIGHT: [&str; 16] = [
    "#2d3138", "#b02a2f", "#2a6b2e", "#805400", "#2352a8", "#7e35a0", "#0c6670", "#dcdad4",
    "#6b717c", "#c8454a", "#3d8342", "#9a6a0c", "#3b6cc4", "#964cb8", "#1f808b", "#fbfaf7",
];

/// The colours of a picture.
pub(super) struct Colours {
    /// The colour of text for which the program sets no colour.
    pub fore: Rgb,
    /// The background colour of the picture.
    pub back: Rgb,
    /// The terminal's 16 colours.
    ansi: [&'static str; 16],
}

impl Colours {
    /// The colours of a canvas. If the theme has a text or background colour, it replaces the colour of the canvas.
    pub(super) fn new(canvas: Canvas, theme: &Theme) -> Self {
        let (fore, back, ansi) = match canvas {
            Canvas::Dark => ((0xd6, 0xd9, 0xe0), (0x17, 0x19, 0x1e), DARK),
            Canvas::Light => ((0x2d, 0x31, 0x38), (0xfd, 0xfc, 0xfa), LIGHT),
        };
        let mut colours = Self { fore, back, ansi };
        let ground = theme.style(Role::Text);
        colours.fore = ground.fg.and_then(|own| colours.rgb(own)).unwrap_or(fore);
        colours.back = ground.bg.and_then(|own| colours.rgb(own)).unwrap_or(back);
        colours
    }

    /// (text colour, background colour) of a cell with these attributes.
    pub(super) fn of(&self, fg: Color, bg: Color, modifier: Modifier) -> (Rgb, Rgb) {
        let mut fore = self.rgb(fg).unwrap_or(self.fore);
        let mut back = self.rgb(bg).unwrap_or(self.back);
        if modifier.contains(Modifier::REVERSED) {
            std::mem::swap(&mut fore, &mut back);
        }
        if modifier.contains(Modifier::DIM) {
            fore = between(fore, back);
        }
        (fore, back)
    }

    /// The RGB values of a colour; `None` if the colour is the terminal's default.
    fn rgb(&self, colour: Color) -> Option<Rgb> {
        match Colour::ansi_index(colour) {
            Some(index) => match Colour::named(self.ansi[index])? {
                Colour::Rgb(r, g, b) => Some((r, g, b)),
                _ => None,
            },
            None => rgb_of(colour),
        }
    }
}

/// The colour of dimmed text: three fifths text, two fifths background.
fn between(fore: Rgb, back: Rgb) -> Rgb {
    let mix = |a: u8, b: u8| u8::try_from((u32::from(a) * 3 + u32::from(b) * 2) / 5).unwrap_or(a);
    (
        mix(fore.0, back.0),
        mix(fore.1, back.1),
        mix(fore.2, back.2),
    )
}

pub(super) fn hex((r, g, b): Rgb) -> impl fmt::Display {
    format!("#{r:02x}{g:02x}{b:02x}")
}
