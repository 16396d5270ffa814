//! `evoscope [PATH…]`: the explorer.

use std::path::PathBuf;
use std::str::FromStr;

use super::open::Input;
use crate::error::{Error, Result};
use crate::tui::theme::{ColourDepth, Glyphs, Theme, ThemeFolders};
use crate::tui::{Look, Options, parse_script, picture, run as explore};
use crate::workspace::Places;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The theme, by name; see 'evoscope theme list'.
    #[arg(long, default_value = "default", value_name = "NAME")]
    theme: String,
    /// Draw the screen to an SVG file instead of the terminal.
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// The picture's size in columns and rows.
    #[arg(
        long,
        default_value = "120x40",
        value_name = "WxH",
        requires = "screenshot"
    )]
    size: Size,
    /// Keys to press before the picture is taken: characters, and <enter>, <esc>, <tab>, <c-d>, … for the others.
    #[arg(long, default_value = "", value_name = "KEYS", requires = "screenshot")]
    keys: String,
}

/// Columns and rows.
#[derive(Debug, Clone, Copy)]
struct Size(u16, u16);

impl FromStr for Size {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::user(format!("'{text}' is not a size")).hint("write 120x40");
        let (width, height) = text.split_once(['x', 'X', '×']).ok_or_else(wrong)?;
        let (Ok(width), Ok(height)) = (width.parse::<u16>(), height.parse::<u16>()) else {
            return Err(wrong());
        };
        if !(1..=1000).contains(&width) || !(1..=1000).contains(&height) {
            return Err(wrong());
        }
        Ok(Self(width, height))
    }
}

pub(crate) fn run(args: Args) -> Result<()> {
    let variable = |name: &str| std::env::var(name).ok();
    let places = Places::of_user()?;
    let depth = if args.screenshot.is_some() {
        ColourDepth::True
    } else {
        ColourDepth::detect(variable)
    };
    let theme = Theme::load(&args.theme, &ThemeFolders::of_config(&places.config), depth)?;
    let look = Look {
        theme,
        glyphs: Glyphs::detect(variable),
    };
    let options = Options {
        paths: args.input.paths,
        strict: args.input.strict,
        places,
        look,
    };
    let Some(file) = args.screenshot else {
        return explore(options);
    };
    let Size(width, height) = args.size;
    let svg = picture(options, (width, height), &parse_script(&args.keys)?)?;
    std::fs::write(&file, svg).map_err(|why| Error::io("write", &file, why))
}
