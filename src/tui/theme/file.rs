//! The format of theme files, and a reader that reports every problem with its line.
//!
//! ```toml
//! description = "Quiet greys on a dark background"
//! inherits = "default"            # the theme to take missing roles from; if left out: `default`
//! background = "dark"             # the terminal background that the theme is made for: dark, light or any
//!
//! [palette]                       # names for colours; in a list, each colour is the fallback of the colours before it
//! ink = ["#d5d8de", "terminal"]
//!
//! [roles]                         # for each role, a text colour or a table
//! text = { fg = "ink", bg = "terminal" }
//! title = { fg = "ink", modifiers = ["bold"] }
//! ```

use std::path::{Path, PathBuf};

use ratatui::style::Modifier;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::colour::{ANSI_NAMES, Colour, TERMINAL_NAME};
use super::role::Role;
use crate::error::Error;
use crate::spelling::nearest;
use crate::workspace::invalid_toml;

/// The terminal background that a theme is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Dark terminals.
    Dark,
    /// Light terminals.
    Light,
    /// Any terminal, because the theme uses only the terminal's own colours.
    Any,
}

/// A colour of a role: the colour itself, or the name of a palette entry with the 1-based line of this name in the
/// file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ColourReference {
    Colour(Colour),
    Palette { name: String, line: u64 },
}

/// The colours and modifiers of a role in a theme file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RoleStyle {
    pub fg: Option<ColourReference>,
    pub bg: Option<ColourReference>,
    pub modifiers: Modifier,
}

/// The content of one theme file, without the inherited theme.
#[derive(Debug, Clone)]
pub(super) struct ThemeFile {
    /// The path of the file, for errors.
    pub file: PathBuf,
    pub description: String,
    /// (name of the inherited theme, 1-based line that names it).
    pub inherits: Option<(String, u64)>,
    pub background: Option<Background>,
    /// (name of an entry, its colours). Each colour is the fallback of the colours before it.
    pub palette: Vec<(String, Vec<Colour>)>,
    pub roles: Vec<(Role, RoleStyle)>,
}

const KEYS: [&str; 5] = ["description", "inherits", "background", "palette", "roles"];
const ROLE_KEYS: [&str; 3] = ["fg", "bg", "modifiers"];
const BACKGROUNDS: [&str; 3] = ["dark", "light", "any"];
const MODIFIERS: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("crossed-out", Modifier::CROSSED_OUT),
];

/// Reads the text of a theme file. `file` is the path for errors. Returns the valid entries, and an error for every
/// problem.
pub(super) fn parse(file: &Path, text: &str) -> (ThemeFile, Vec<Error>) {
    let mut reader = Reader {
        file,
        text,
        problems: Vec::new(),
    };
    let (table, broken) = DeTable::parse_recoverable(text);
    for why in broken {
        let at = why.span().map_or(0, |span| span.start);
        let line = usize::try_from(reader.line(at)).unwrap_or(usize::MAX);
        let written = text.lines().nth(line - 1).unwrap_or_default();
        let what = invalid_toml(why.message(), written);
        reader.problem(at, what, "write it as TOML: key = \"value\"");
    }
    let theme = reader.theme(table.get_ref());
    (theme, reader.problems)
}

/// A hint for an unknown word: the most similar word of `known`, or all of them if none is similar.
pub(super) fn suggest<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(name) => format!("did you mean '{name}'?"),
        None => format!("use one of {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Reads the entries of a theme file and collects the problems.
struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
    problems: Vec<Error>,
}

type Entry<'a, 'i> = (&'a Spanned<DeString<'i>>, &'a Spanned<DeValue<'i>>);

impl Reader<'_> {
    /// The 1-based line of the byte offset `at`.
    fn line(&self, at: usize) -> u64 {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        memchr::memchr_iter(b'\n', before).count() as u64 + 1
    }

    /// Adds a problem at the byte offset `at`.
    fn problem(&mut self, at: usize, what: String, hint: impl Into<String>) {
        let line = self.line(at);
        self.problems
            .push(Error::data(what).at_line(self.file, line).hint(hint));
    }

    fn wrong_type(&mut self, key: &str, value: &Spanned<DeValue>, wanted: &str) {
        let found = value.get_ref().type_str();
        let what = format!("'{key}' is a TOML {found}");
        self.problem(value.span().start, what, format!("write {wanted}"));
    }

    fn word<'v>(&mut self, key: &str, value: &'v Spanned<DeValue>) -> Option<&'v str> {
        if value.get_ref().as_str().is_none() {
            self.wrong_type(key, value, "a word in quotes");
        }
        value.get_ref().as_str()
    }

    fn theme(&mut self, table: &DeTable) -> ThemeFile {
        let mut theme = ThemeFile {
            file: self.file.to_owned(),
            description: String::new(),
            inherits: None,
            background: None,
            palette: Vec::new(),
            roles: Vec::new(),
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "description" => {
                    self.word("description", value)
                        .unwrap_or_default()
                        .clone_into(&mut theme.description);
                }
                "inherits" => {
                    let line = self.line(value.span().start);
                    theme.inherits = self
                        .word("inherits", value)
                        .map(|name| (name.to_owned(), line));
                }
                "background" => theme.background = self.background(value),
                "palette" => theme.palette = self.table("palette", value, Self::palette_entry),
                "roles" => theme.roles = self.table("roles", value, Self::role_entry),
                other => {
                    let hint = suggest(other, KEYS.into_iter());
                    self.problem(
                        key.span().start,
                        format!("no key '{other}' in a theme"),
                        hint,
                    );
                }
            }
        }
        theme
    }

    fn table<T>(
        &mut self,
        name: &str,
        value: &Spanned<DeValue>,
        read: fn(&mut Self, Entry) -> Option<T>,
    ) -> Vec<T> {
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type(name, value, &format!("a table: [{name}]"));
            return Vec::new();
        };
        table.iter().filter_map(|entry| read(self, entry)).collect()
    }

    fn background(&mut self, value: &Spanned<DeValue>) -> Option<Background> {
        match self.word("background", value)? {
            "dark" => Some(Background::Dark),
            "light" => Some(Background::Light),
            "any" => Some(Background::Any),
            other => {
                let hint = suggest(other, BACKGROUNDS.into_iter());
                self.problem(value.span().start, format!("no background '{other}'"), hint);
                None
            }
        }
    }

    fn palette_entry(&mut self, (key, value): Entry) -> Option<(String, Vec<Colour>)> {
        let name = key.get_ref().as_ref();
        if Colour::named(name).is_some() {
            let what = format!("'{name}' is a colour's own name");
            self.problem(
                key.span().start,
                what,
                "give the palette entry another name",
            );
            return None;
        }
        let colours = match value.get_ref().as_array() {
            Some(list) => list
                .iter()
                .map(|item| self.colour(name, item))
                .collect::<Option<Vec<_>>>()?,
            None => vec![self.colour(name, value)?],
        };
        if colours.is_empty() {
            self.problem(
                value.span().start,
                format!("'{name}' names no colour"),
                "name at least one",
            );
            return None;
        }
        Some((name.to_owned(), colours))
    }

    fn colour(&mut self, key: &str, value: &Spanned<DeValue>) -> Option<Colour> {
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::String(text) => text.as_ref().to_owned(),
            _ => {
                self.wrong_type(key, value, COLOUR_FORMS);
                return None;
            }
        };
        let colour = Colour::named(&text);
        if colour.is_none() {
            self.problem(
                value.span().start,
                format!("no colour '{text}'"),
                colour_hint(&text),
            );
        }
        colour
    }

    fn role_entry(&mut self, (key, value): Entry) -> Option<(Role, RoleStyle)> {
        let word = key.get_ref().as_ref();
        let Some(role) = Role::named(word) else {
            let hint = suggest(word, Role::ALL.iter().map(|role| role.word()));
            self.problem(key.span().start, format!("no role '{word}'"), hint);
            return None;
        };
        let Some(table) = value.get_ref().as_table() else {
            let fg = self.colour_reference(word, value);
            return Some((
                role,
                RoleStyle {
                    fg,
                    ..RoleStyle::default()
                },
            ));
        };
        let mut style = RoleStyle::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "fg" => style.fg = self.colour_reference("fg", value),
                "bg" => style.bg = self.colour_reference("bg", value),
                "modifiers" => style.modifiers = self.modifiers(value),
                other => {
                    let hint = suggest(other, ROLE_KEYS.into_iter());
                    self.problem(
                        key.span().start,
                        format!("no key '{other}' in a role"),
                        hint,
                    );
                }
            }
        }
        Some((role, style))
    }

    fn colour_reference(&mut self, key: &str, value: &Spanned<DeValue>) -> Option<ColourReference> {
        match value.get_ref() {
            DeValue::String(text) => match Colour::named(text) {
                Some(colour) => Some(ColourReference::Colour(colour)),
                None if text.starts_with('#') => {
                    self.colour(key, value).map(ColourReference::Colour)
                }
                None => {
                    let line = self.line(value.span().start);
                    Some(ColourReference::Palette {
                        name: text.as_ref().to_owned(),
                        line,
                    })
                }
            },
            _ => self.colour(key, value).map(ColourReference::Colour),
        }
    }

    fn modifiers(&mut self, value: &Spanned<DeValue>) -> Modifier {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type("modifiers", value, "a list: [\"bold\"]");
            return Modifier::empty();
        };
        let mut all = Modifier::empty();
        for item in list {
            let Some(word) = self.word("modifiers", item) else {
                continue;
            };
            if let Some((_, modifier)) = MODIFIERS.iter().find(|(name, _)| *name == word) {
                all |= *modifier;
            } else {
                let hint = suggest(word, MODIFIERS.iter().map(|(name, _)| *name));
                self.problem(item.span().start, format!("no modifier '{word}'"), hint);
            }
        }
        all
    }
}

const COLOUR_FORMS: &str =
    "a colour: \"#rrggbb\", \"terminal\", an ANSI name such as \"red\", or 0 to 255";

fn colour_hint(text: &str) -> String {
    if text.starts_with('#') || text.bytes().all(|b| b.is_ascii_digit()) {
        return format!("write {COLOUR_FORMS}");
    }
    suggest(text, ANSI_NAMES.into_iter().chain([TERMINAL_NAME]))
}

/// A hint for an unknown colour of a role: the most similar name of a palette entry or colour, or all of them if none
/// is similar.
pub(super) fn colour_suggestion<'a>(
    word: &str,
    palette: impl Iterator<Item = &'a str> + Clone,
) -> String {
    suggest(word, palette.chain(ANSI_NAMES).chain([TERMINAL_NAME]))
}
