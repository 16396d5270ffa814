//! Themes: TOML files that dress the roles of the screen, compiled for what the terminal can show.
//!
//! The built-in themes (the crate's `themes/`) are inside the binary; a user's own are in `themes/NAME.toml` of the
//! configuration folder and win over a built-in one of the same name. A wrong name, key, colour or palette entry is an
//! error with file, line and a suggestion; nothing falls back silently.

mod colour;
mod file;
mod glyphs;
mod role;
mod specimen;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use ratatui::style::{Color, Style};

use crate::error::{Error, Result};
use crate::files::read_text;
pub use colour::{Colour, ColourDepth, contrast, rgb_of};
pub use file::Background;
use file::{Dress, Ink, ThemeFile, ink_hint, parse, suggest};
pub use glyphs::{Glyphs, LineRelation};
pub use role::Role;
pub use specimen::specimen;

/// The built-in themes: name and text.
const BUILT_IN: [(&str, &str); 7] = [
    ("default", include_str!("../../../themes/default.toml")),
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    (
        "high-contrast",
        include_str!("../../../themes/high-contrast.toml"),
    ),
    (
        "colour-blind-dark",
        include_str!("../../../themes/colour-blind-dark.toml"),
    ),
    (
        "colour-blind-light",
        include_str!("../../../themes/colour-blind-light.toml"),
    ),
    ("mono", include_str!("../../../themes/mono.toml")),
];

/// The theme that every other one builds on.
const ROOT: &str = "default";

/// The theme that replaces every other where there are no colours.
const COLOURLESS: &str = "mono";

/// Where themes are looked for: the user's folder, where there is one, then the built-in ones.
#[derive(Debug, Clone, Default)]
pub struct ThemeFolders {
    user: Option<PathBuf>,
}

impl ThemeFolders {
    /// The built-in themes only.
    pub fn built_in() -> Self {
        Self::default()
    }

    /// The folder `themes` of a configuration folder, which need not exist, before the built-in themes.
    pub fn of_config(config: &Path) -> Self {
        Self {
            user: Some(config.join("themes")),
        }
    }

    /// Every theme's name with the file of those that are the user's own: built-in ones in their order, then the
    /// user's by name.
    pub fn list(&self) -> Vec<(String, Option<PathBuf>)> {
        let mut names: Vec<_> = BUILT_IN
            .iter()
            .map(|(name, _)| {
                (
                    (*name).to_owned(),
                    self.user_file(name).filter(|path| path.is_file()),
                )
            })
            .collect();
        let mut own: Vec<_> = self
            .user
            .iter()
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flat_map(|entries| entries.filter_map(std::result::Result::ok))
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "toml") && path.is_file())
            .filter_map(|path| Some((path.file_stem()?.to_str()?.to_owned(), Some(path))))
            .filter(|(name, _)| BUILT_IN.iter().all(|(built_in, _)| built_in != name))
            .collect();
        own.sort();
        names.append(&mut own);
        names
    }

    fn user_file(&self, name: &str) -> Option<PathBuf> {
        Some(self.user.as_ref()?.join(format!("{name}.toml")))
    }

    /// The file and text of a theme: the user's own, else the built-in one.
    fn find(&self, name: &str) -> Result<(PathBuf, String)> {
        let plain = !name.contains(['/', '\\']);
        if let Some(path) = self.user_file(name).filter(|path| plain && path.is_file()) {
            let text = read_text(&path)?;
            return Ok((path, text));
        }
        built_in(name)
            .map(|(file, text)| (file, text.to_owned()))
            .ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> Error {
        let names = self.list();
        let hint = suggest(name, names.iter().map(|(name, _)| name.as_str()));
        Error::user(format!("no theme '{name}'")).hint(hint)
    }
}

fn built_in(name: &str) -> Option<(PathBuf, &'static str)> {
    let (name, text) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name)?;
    Some((Path::new("themes").join(format!("{name}.toml")), text))
}

/// The styles of one theme, compiled for a terminal. Cheap to ask, a few hundred bytes to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    name: String,
    description: String,
    background: Background,
    depth: ColourDepth,
    styles: Vec<Style>,
}

impl Theme {
    /// The theme `name`, compiled for a terminal of that depth. The first problem in its file, or in one that it
    /// builds on, is the error. Without colours every theme is checked and then replaced by `mono`, which has modifiers that carry
    /// the meaning.
    pub fn load(name: &str, folders: &ThemeFolders, depth: ColourDepth) -> Result<Self> {
        let (file, text) = folders.find(name)?;
        Self::of_text(name, &file, &text, folders, depth).map_err(|mut all| all.swap_remove(0))
    }

    /// The theme in a file of any place; its name is the file's.
    pub fn load_file(path: &Path, folders: &ThemeFolders, depth: ColourDepth) -> Result<Self> {
        let text = read_text(path)?;
        Self::of_text(&stem(path), path, &text, folders, depth)
            .map_err(|mut all| all.swap_remove(0))
    }

    /// Every problem of the theme `name`; none when it is sound.
    pub fn problems(name: &str, folders: &ThemeFolders) -> Vec<Error> {
        match folders.find(name) {
            Err(why) => vec![why],
            Ok((file, text)) => Self::of_text(name, &file, &text, folders, ColourDepth::True)
                .err()
                .unwrap_or_default(),
        }
    }

    /// Every problem of a theme file of any place.
    pub fn file_problems(path: &Path, folders: &ThemeFolders) -> Vec<Error> {
        match read_text(path) {
            Err(why) => vec![why],
            Ok(text) => Self::of_text(&stem(path), path, &text, folders, ColourDepth::True)
                .err()
                .unwrap_or_default(),
        }
    }

    fn of_text(
        name: &str,
        file: &Path,
        text: &str,
        folders: &ThemeFolders,
        depth: ColourDepth,
    ) -> std::result::Result<Self, Vec<Error>> {
        let theme = chain(name, file, text, folders)
            .and_then(|chain| compile(name, &chain, depth))
            .map_err(|mut all| {
                all.sort_by_key(|why| why.place().and_then(|place| place.line));
                all
            })?;
        if depth == ColourDepth::None && name != COLOURLESS {
            let plain = Self::load(COLOURLESS, &ThemeFolders::built_in(), depth)
                .map_err(|why| vec![why])?;
            return Ok(Self {
                styles: plain.styles,
                ..theme
            });
        }
        Ok(theme)
    }

    /// The style of a role, drawn over what is below it. [`Role::Selection`] is drawn over a row last, so that
    /// its text is read on its ground.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }

    /// The theme's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What its file says of it.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The ground that it is made for.
    pub fn background(&self) -> Background {
        self.background
    }

    /// The depth that it was compiled for.
    pub fn depth(&self) -> ColourDepth {
        self.depth
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(
        || "theme".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

/// The file and those that it builds on, the root first. A user's theme that inherits its own name means the built-in
/// one.
fn chain(
    name: &str,
    file: &Path,
    text: &str,
    folders: &ThemeFolders,
) -> std::result::Result<Vec<ThemeFile>, Vec<Error>> {
    let (theme, mut problems) = parse(file, text);
    let mut chain = vec![theme];
    let mut name = name.to_owned();
    while let Some((parent, place)) = parent_of(&chain[chain.len() - 1]) {
        let found = if parent == name {
            built_in(&parent)
                .map(|(file, text)| (file, text.to_owned()))
                .ok_or_else(|| folders.unknown(&parent))
        } else {
            folders.find(&parent)
        };
        let (file, text) = found.map_err(|why| vec![placed(&why, &place)])?;
        if chain.iter().any(|earlier| earlier.file == file) {
            let why = Error::data(format!(
                "themes inherit each other in a circle at '{parent}'"
            ));
            return Err(vec![placed(
                &why.hint("let one of them inherit 'default'"),
                &place,
            )]);
        }
        let (theme, mut more) = parse(&file, &text);
        problems.append(&mut more);
        chain.push(theme);
        name = parent;
    }
    chain.reverse();
    if problems.is_empty() {
        Ok(chain)
    } else {
        Err(problems)
    }
}

fn parent_of(theme: &ThemeFile) -> Option<(String, (PathBuf, u64))> {
    match &theme.inherits {
        Some((parent, line)) => Some((parent.clone(), (theme.file.clone(), *line))),
        None if built_in(ROOT).is_some_and(|(file, _)| file == theme.file) => None,
        None => Some((ROOT.to_owned(), (theme.file.clone(), 1))),
    }
}

fn placed(why: &Error, (file, line): &(PathBuf, u64)) -> Error {
    let error = Error::data(why.what()).at_line(file, *line);
    match why.advice() {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Merges the files of a chain, root first, and turns the roles into styles.
fn compile(
    name: &str,
    chain: &[ThemeFile],
    depth: ColourDepth,
) -> std::result::Result<Theme, Vec<Error>> {
    let palette = |wanted: &str| {
        let layers = chain.iter().rev();
        layers
            .flat_map(|theme| &theme.palette)
            .find(|(name, _)| name == wanted)
            .map(|(_, colours)| colours.as_slice())
    };
    let mut styles = vec![Style::new(); Role::ALL.len()];
    let mut problems = Vec::new();
    for theme in chain {
        for (role, dress) in &theme.roles {
            match wear(dress, &palette, depth) {
                Ok(style) => styles[*role as usize] = style,
                Err((wanted, line)) => {
                    let names = chain
                        .iter()
                        .flat_map(|theme| &theme.palette)
                        .map(|(name, _)| name.as_str());
                    let what = format!("no colour or palette entry '{wanted}'");
                    problems.push(
                        Error::data(what)
                            .at_line(&theme.file, line)
                            .hint(ink_hint(&wanted, names)),
                    );
                }
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let last = &chain[chain.len() - 1];
    Ok(Theme {
        name: name.to_owned(),
        description: last.description.clone(),
        background: chain
            .iter()
            .rev()
            .find_map(|theme| theme.background)
            .unwrap_or(Background::Any),
        depth,
        styles,
    })
}

fn wear<'p>(
    dress: &Dress,
    palette: &impl Fn(&str) -> Option<&'p [Colour]>,
    depth: ColourDepth,
) -> std::result::Result<Style, (String, u64)> {
    let shown = |ink: &Option<Ink>| match ink {
        None => Ok(None),
        Some(Ink::Own(colour)) => Ok(colour.at(depth)),
        Some(Ink::Palette { name, line }) => match palette(name) {
            Some(colours) => Ok(best(colours, depth)),
            None => Err((name.clone(), *line)),
        },
    };
    let mut style = Style::new().add_modifier(dress.modifiers);
    style.fg = shown(&dress.fg)?;
    style.bg = shown(&dress.bg)?;
    Ok(style)
}

/// The first colour that the terminal shows, else the nearest to the last.
fn best(colours: &[Colour], depth: ColourDepth) -> Option<Color> {
    let shown = colours.iter().find(|colour| colour.serves_at(depth));
    shown.or(colours.last()).and_then(|colour| colour.at(depth))
}
