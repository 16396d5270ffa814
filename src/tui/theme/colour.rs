//! Colours: their names in theme files, the nearest colour that a terminal can show, and the contrast of two colours.

use ratatui::style::Color;

/// The number of colours that the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColourDepth {
    /// No colours: `NO_COLOR` is set, or the terminal has no colours. Styles then differ only by modifiers such as
    /// bold.
    None,
    /// The eight ANSI colours.
    Ansi8,
    /// The eight ANSI colours and their bright variants.
    Ansi16,
    /// The 256 colours of xterm.
    Indexed,
    /// 24-bit colours.
    True,
}

impl ColourDepth {
    /// The depth according to the environment variables, which `variable` looks up. There are no colours if `NO_COLOR`
    /// is set and not empty (<https://no-color.org>), or if `TERM` is `dumb` or begins with `vt`. Colours have 24 bits
    /// if `COLORTERM` is `truecolor` or `24bit`. Otherwise `TERM` decides.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        if set("NO_COLOR").is_some() {
            return Self::None;
        }
        let term = set("TERM").unwrap_or_default();
        if term == "dumb" || term.starts_with("vt") {
            return Self::None;
        }
        if set("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit") {
            return Self::True;
        }
        Self::of_terminal(&term)
    }

    /// The depth of a terminal with this value of `TERM`; 16 colours for an unknown value.
    fn of_terminal(term: &str) -> Self {
        const TRUE: [&str; 7] = [
            "kitty",
            "alacritty",
            "foot",
            "ghostty",
            "wezterm",
            "contour",
            "-direct",
        ];
        if TRUE.iter().any(|name| term.contains(name)) {
            Self::True
        } else if term.contains("256") {
            Self::Indexed
        } else if term == "linux" || term == "ansi" || term == "cygwin" || term.contains("-8color")
        {
            Self::Ansi8
        } else {
            Self::Ansi16
        }
    }
}

/// A colour in a theme file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colour {
    /// The terminal's default foreground or background.
    Terminal,
    /// One of the 16 ANSI colours, as the terminal draws it.
    Ansi(u8),
    /// One of the 256 colours of xterm.
    Indexed(u8),
    /// A 24-bit colour.
    Rgb(u8, u8, u8),
}

/// The names of the 16 ANSI colours, in order.
pub(crate) const ANSI_NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// The name of the terminal's default colour in theme files.
pub(crate) const TERMINAL_NAME: &str = "terminal";

/// The RGB values of the 16 ANSI colours in xterm. Contrasts are computed with these values, because the values in the
/// user's terminal are not known.
const XTERM: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

impl Colour {
    /// The colour with the name `word`: `terminal`, an ANSI name, `#rrggbb`, `#rgb`, or 0 to 255. `None` for other
    /// words.
    pub fn named(word: &str) -> Option<Self> {
        if word == TERMINAL_NAME {
            return Some(Self::Terminal);
        }
        if let Some(at) = ANSI_NAMES.iter().position(|name| *name == word) {
            return u8::try_from(at).ok().map(Self::Ansi);
        }
        match word.strip_prefix('#') {
            Some(digits) => hexadecimal(digits),
            None if word.bytes().all(|b| b.is_ascii_digit()) => {
                word.parse().ok().map(Self::Indexed)
            }
            None => None,
        }
    }

    /// Whether a terminal of this depth shows this colour exactly, or a similar colour. Among 256 colours there is
    /// always a similar one.
    pub(crate) fn is_usable_at(self, depth: ColourDepth) -> bool {
        self.shows_at(depth) || depth == ColourDepth::Indexed
    }

    /// Whether a terminal of this depth shows exactly this colour.
    fn shows_at(self, depth: ColourDepth) -> bool {
        match self {
            Self::Terminal => true,
            Self::Ansi(0..8) => depth >= ColourDepth::Ansi8,
            Self::Ansi(_) => depth >= ColourDepth::Ansi16,
            Self::Indexed(_) => depth >= ColourDepth::Indexed,
            Self::Rgb(..) => depth >= ColourDepth::True,
        }
    }

    /// The nearest colour that a terminal of this depth shows; `None` if the terminal shows no colours. On a terminal
    /// with 8 colours, a bright ANSI colour becomes the same colour without `bright`.
    pub(crate) fn at(self, depth: ColourDepth) -> Option<Color> {
        if depth == ColourDepth::None {
            return None;
        }
        if self.shows_at(depth) {
            return Some(self.exact());
        }
        let (last, first) = match depth {
            ColourDepth::Indexed => (255, 16),
            ColourDepth::Ansi16 => (15, 0),
            _ => (7, 0),
        };
        if let Self::Ansi(bright) = self {
            return Some(ansi(bright & 7));
        }
        let wanted = self.rgb()?;
        let nearest = (first..=last).min_by_key(|index| distance(wanted, indexed(*index)))?;
        Some(if depth == ColourDepth::Indexed {
            Color::Indexed(nearest)
        } else {
            ansi(nearest)
        })
    }

    /// The index of `colour` among the 16 ANSI colours, from 0 to 15; `None` if it is not an ANSI colour.
    pub fn ansi_index(colour: Color) -> Option<usize> {
        (0..16).position(|index| ansi(index) == colour)
    }

    fn exact(self) -> Color {
        match self {
            Self::Terminal => Color::Reset,
            Self::Ansi(index) => ansi(index),
            Self::Indexed(index) => Color::Indexed(index),
            Self::Rgb(r, g, b) => Color::Rgb(r, g, b),
        }
    }

    fn rgb(self) -> Option<(u8, u8, u8)> {
        match self {
            Self::Terminal => None,
            Self::Ansi(index) | Self::Indexed(index) => Some(indexed(index)),
            Self::Rgb(r, g, b) => Some((r, g, b)),
        }
    }
}

/// The colour with the hexadecimal value `rrggbb` or `rgb`; `None` for other texts.
fn hexadecimal(digits: &str) -> Option<Colour> {
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let value = u32::from_str_radix(digits, 16).ok()?;
    let [_, r, g, b] = match digits.len() {
        6 => value.to_be_bytes(),
        3 => {
            let doubled = (value & 0xf00) << 8 | (value & 0x0f0) << 4 | (value & 0x00f);
            (doubled * 0x11).to_be_bytes()
        }
        _ => return None,
    };
    Some(Colour::Rgb(r, g, b))
}

fn ansi(index: u8) -> Color {
    const ANSI: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    ANSI[usize::from(index & 15)]
}

/// The RGB value of one of xterm's 256 colours: 16 ANSI colours, a cube of 6×6×6 colours, and 24 greys.
fn indexed(index: u8) -> (u8, u8, u8) {
    const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match index {
        0..16 => XTERM[usize::from(index)],
        16..232 => {
            let cube = usize::from(index - 16);
            (STEPS[cube / 36], STEPS[cube / 6 % 6], STEPS[cube % 6])
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

/// A fast approximation of the perceived distance of two colours: squared differences, with weights that depend on the
/// mean of the red values ("redmean", T. Riemersma, <https://www.compuphase.com/cmetric.htm>).
fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> i64 {
    let mean = i64::midpoint(a.0.into(), b.0.into());
    let squared = |x: u8, y: u8| (i64::from(x) - i64::from(y)).pow(2);
    (512 + mean) * squared(a.0, b.0) + 1024 * squared(a.1, b.1) + (767 - mean) * squared(a.2, b.2)
}

/// The RGB value of a colour. ANSI colours have their values in xterm. `None` for the terminal's default colour.
pub fn rgb_of(colour: Color) -> Option<(u8, u8, u8)> {
    match colour {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(index) => Some(indexed(index)),
        named => Colour::ansi_index(named).map(|index| XTERM[index]),
    }
}

/// The contrast ratio of two colours, 1 to 21 (WCAG 2.2, 'contrast ratio' and 'relative luminance').
pub fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The relative luminance of a colour, from 0 (black) to 1 (white), as WCAG 2.2 defines it.
fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let linear = |channel: u8| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_valid_names_give_a_colour() {
        assert_eq!(
            Colour::named("#1a2b3c"),
            Some(Colour::Rgb(0x1a, 0x2b, 0x3c))
        );
        assert_eq!(Colour::named("#abc"), Some(Colour::Rgb(0xaa, 0xbb, 0xcc)));
        assert_eq!(Colour::named("bright-red"), Some(Colour::Ansi(9)));
        assert_eq!(Colour::named("208"), Some(Colour::Indexed(208)));
        for wrong in ["", "#12345", "#ggg", "256", "crimson", "#+12"] {
            assert_eq!(Colour::named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_colour_becomes_the_nearest_that_the_terminal_shows() {
        let orange = Colour::Rgb(255, 135, 0);
        assert_eq!(orange.at(ColourDepth::True), Some(Color::Rgb(255, 135, 0)));
        assert_eq!(orange.at(ColourDepth::Indexed), Some(Color::Indexed(208)));
        assert_eq!(
            Colour::Rgb(250, 10, 10).at(ColourDepth::Ansi16),
            Some(Color::LightRed)
        );
        assert_eq!(Colour::Ansi(12).at(ColourDepth::Ansi8), Some(Color::Blue));
        assert_eq!(orange.at(ColourDepth::None), None);
    }

    #[test]
    fn contrast_is_1_for_equal_colours_and_21_for_black_on_white() {
        assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
        assert!((contrast((9, 9, 9), (9, 9, 9)) - 1.0).abs() < 1e-9);
        assert!((contrast((255, 255, 255), (118, 118, 118)) - 4.54).abs() < 0.005);
    }

    #[test]
    fn no_color_and_a_dumb_terminal_override_colorterm_which_overrides_term() {
        let depth = |pairs: &'static [(&str, &str)]| {
            ColourDepth::detect(move |name| {
                let pair = pairs.iter().find(|(key, _)| *key == name)?;
                Some(pair.1.to_owned())
            })
        };
        assert_eq!(
            depth(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]),
            ColourDepth::None
        );
        assert_eq!(
            depth(&[("NO_COLOR", ""), ("COLORTERM", "truecolor")]),
            ColourDepth::True
        );
        assert_eq!(
            depth(&[("TERM", "dumb"), ("COLORTERM", "truecolor")]),
            ColourDepth::None
        );
        assert_eq!(depth(&[("TERM", "xterm-256color")]), ColourDepth::Indexed);
        assert_eq!(depth(&[("TERM", "xterm-kitty")]), ColourDepth::True);
        assert_eq!(depth(&[("TERM", "linux")]), ColourDepth::Ansi8);
        assert_eq!(depth(&[("TERM", "xterm")]), ColourDepth::Ansi16);
    }
}
