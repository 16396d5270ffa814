//! `evoscope theme`: checks, lists and shows themes.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Output;
use crate::error::{Error, Result};
use crate::files::{refuse_inputs, replace};
use crate::tui::screenshot::{Canvas, ansi, svg};
use crate::tui::theme::{Background, ColourDepth, Glyphs, Theme, ThemeFolders, specimen};
use crate::workspace::AppDirs;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Check themes: report each unknown word of a theme file with its line and a suggestion.
    Check {
        /// Theme files or names. Default: all themes.
        #[arg(value_name = "FILE|NAME")]
        themes: Vec<String>,
        /// Print one JSON object for each theme.
        #[arg(long)]
        json: bool,
    },
    /// List the built-in themes and the themes in the folder `themes` of the settings folder.
    List {
        /// Print one JSON object for each theme.
        #[arg(long)]
        json: bool,
    },
    /// Show a sample of a theme.
    Show {
        /// A theme file or the name of a theme.
        #[arg(value_name = "FILE|NAME", default_value = "default")]
        theme: String,
        /// Write the sample to an SVG file instead of the terminal.
        #[arg(long, value_name = "FILE")]
        screenshot: Option<PathBuf>,
    },
}

/// A checked theme, as `--json` prints it.
#[derive(Serialize)]
struct Checked<'a> {
    theme: &'a str,
    ok: bool,
    problems: Vec<Problem>,
}

/// A problem of a theme, as `--json` prints it.
#[derive(Serialize)]
struct Problem {
    file: Option<PathBuf>,
    line: Option<u64>,
    what: String,
    hint: Option<String>,
}

/// A listed theme, as `--json` prints it.
#[derive(Serialize)]
struct Listed<'a> {
    theme: &'a str,
    file: Option<&'a Path>,
    background: &'static str,
    description: &'a str,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let folders = AppDirs::of_user().map_or_else(
        |_| ThemeFolders::built_in(),
        |places| ThemeFolders::of_config(&places.config),
    );
    match &args.action {
        Action::Check { themes, json } => check(themes, *json, &folders, out),
        Action::List { json } => list(*json, &folders, out),
        Action::Show { theme, screenshot } => show(theme, screenshot.as_deref(), &folders, out),
    }
}

/// The path of a theme file. `None` if `theme` is the name of a theme: it has no slash, no backslash and no extension.
fn as_file(theme: &str) -> Option<&Path> {
    let path = Path::new(theme);
    let like_a_file = theme.contains(['/', '\\']) || path.extension().is_some();
    like_a_file.then_some(path)
}

fn check(themes: &[String], json: bool, folders: &ThemeFolders, out: &mut Output) -> Result<()> {
    let all: Vec<String>;
    let themes = if themes.is_empty() {
        all = folders.list().into_iter().map(|(name, _)| name).collect();
        &all
    } else {
        themes
    };
    let mut wrong = 0;
    for theme in themes {
        let problems = match as_file(theme) {
            Some(path) => Theme::file_problems(path, folders),
            None => Theme::problems(theme, folders),
        };
        wrong += usize::from(!problems.is_empty());
        if json {
            out.json(&checked(theme, &problems))?;
        } else {
            print(theme, &problems, out)?;
        }
    }
    if wrong == 0 {
        return Ok(());
    }
    out.flush()?;
    let what = format!(
        "{wrong} of {} themes {} wrong",
        themes.len(),
        if wrong == 1 { "is" } else { "are" }
    );
    Err(Error::data(what).hint("fix the lines named above"))
}

fn checked<'a>(theme: &'a str, problems: &[Error]) -> Checked<'a> {
    let problem = |why: &Error| Problem {
        file: why.place().map(|place| place.file.clone()),
        line: why.place().and_then(|place| place.line),
        what: why.what().to_owned(),
        hint: why.advice().map(str::to_owned),
    };
    Checked {
        theme,
        ok: problems.is_empty(),
        problems: problems.iter().map(problem).collect(),
    }
}

fn print(theme: &str, problems: &[Error], out: &mut Output) -> Result<()> {
    if problems.is_empty() {
        return out.line(format!("{theme}: ok"));
    }
    for why in problems {
        out.line(why.to_string())?;
        if let Some(hint) = why.advice() {
            out.line(format!("  hint: {hint}"))?;
        }
    }
    Ok(())
}

fn list(json: bool, folders: &ThemeFolders, out: &mut Output) -> Result<()> {
    for (name, file) in folders.list() {
        let theme = Theme::load(&name, folders, ColourDepth::True);
        let (background, description) = match &theme {
            Ok(theme) => (background_word(theme.background()), theme.description()),
            Err(why) => ("any", why.what()),
        };
        if json {
            let file = file.as_deref();
            out.json(&Listed {
                theme: &name,
                file,
                background,
                description,
            })?;
        } else {
            let place = file.map_or_else(String::new, |file| format!("  ({})", file.display()));
            out.line(format!("{name:<20}{background:<7}{description}{place}"))?;
        }
    }
    Ok(())
}

fn background_word(background: Background) -> &'static str {
    match background {
        Background::Dark => "dark",
        Background::Light => "light",
        Background::Any => "any",
    }
}

fn show(name: &str, file: Option<&Path>, folders: &ThemeFolders, out: &mut Output) -> Result<()> {
    let variable = |name: &str| std::env::var(name).ok();
    let depth = if file.is_some() {
        ColourDepth::True
    } else {
        ColourDepth::detect(variable)
    };
    let theme = match as_file(name) {
        Some(path) => Theme::load_file(path, folders, depth)?,
        None => Theme::load(name, folders, depth)?,
    };
    let page = specimen(&theme, &Glyphs::detect(variable));
    match file {
        Some(file) => {
            let picture = svg(
                &page,
                &format!("The theme {name}"),
                &theme,
                Canvas::of(&theme),
            );
            refuse_inputs(file, as_file(name))?;
            replace(file, picture)
        }
        None => out.document(ansi(&page, std::io::stdout().is_terminal()) + "\n"),
    }
}
