//! The one table of commands: it feeds the keys, the palette, the help, the hints in the bottom line and the key
//! lists of the README and the manual page. A command that cannot run says why.

mod keymap;
mod table;

use std::borrow::Cow;

pub use keymap::Keymap;
pub use table::{COMMANDS, CommandId};

use super::effect::Effect;
use super::keys::Key;
use super::state::generation::Phase as Generating;
use super::state::run::Phase;
use super::state::{Pane, Screen, State};

/// Where a command applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On every screen.
    Everywhere,
    /// On every screen while the guided tour is under way.
    Guided,
    /// On one screen, whatever has the focus.
    On(Screen),
    /// In one pane of the workbench.
    In(Pane),
}

/// Why a command cannot run now, as a clause.
pub type Reason = Cow<'static, str>;

/// A command.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Which.
    pub id: CommandId,
    /// The keys that run it, the one to show first; empty for commands that only the palette has.
    pub keys: &'static [Key],
    /// Its name in the palette.
    pub name: &'static str,
    /// What it does, for help and README.
    pub words: &'static str,
    /// Where it applies.
    pub places: &'static [Place],
    /// Its rank in the bottom line, 1 first; 0 is never hinted.
    pub hint: u8,
    /// Why it cannot run, if it cannot.
    pub refusal: fn(&State) -> Option<Reason>,
    /// Runs it; only where it is not refused.
    pub run: fn(&mut State) -> Vec<Effect>,
}

impl Command {
    /// How near the command's place is to where the keys go: 4 the tour, 3 the pane, 2 the screen, 1 everywhere, 0 elsewhere.
    fn nearness(&self, state: &State) -> u8 {
        let near = |place: &Place| match place {
            Place::Everywhere => 1,
            Place::Guided if state.demo.is_some() => 4,
            Place::On(screen) if *screen == state.screen => 2,
            Place::In(pane)
                if state.screen == Screen::Workbench && *pane == state.workbench.focus =>
            {
                3
            }
            _ => 0,
        };
        self.places.iter().map(near).max().unwrap_or(0)
    }

    /// Whether it applies where the keys go now.
    pub fn applies(&self, state: &State) -> bool {
        self.nearness(state) > 0
    }

    /// The words for its places, for the key lists.
    fn where_it_applies(&self) -> String {
        let places: Vec<_> = self.places.iter().map(|place| place.word()).collect();
        places.join(", ")
    }

    /// Its name for what it would do now.
    pub fn name_now(&self, state: &State) -> &'static str {
        if self.goes_on(state) {
            return "resume";
        }
        let sends = matches!(state.generation.phase, Generating::Planned(_));
        let on_form = state.screen == Screen::Generation && state.generation.phase.shows_form();
        match self.id {
            CommandId::Open if sends && on_form => "send",
            CommandId::Open if on_form => "change",
            CommandId::Open if state.screen == Screen::Generation => "read",
            _ => self.name,
        }
    }

    /// What it would do now.
    pub fn words_now(&self, state: &State) -> &'static str {
        match self.id {
            CommandId::Pause if self.goes_on(state) => "resume the run",
            CommandId::PauseGeneration if self.goes_on(state) => "send the remaining requests",
            CommandId::Pause => "pause the run before its next completion",
            _ => self.words,
        }
    }

    fn goes_on(&self, state: &State) -> bool {
        match self.id {
            CommandId::Pause => state.run.phase == Phase::Paused,
            CommandId::PauseGeneration => state.generation.phase == Generating::Paused,
            _ => false,
        }
    }
}

/// The command of an id.
#[cfg(test)]
pub fn command(id: CommandId) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.id == id)
}

/// The command that a key runs here: the pane's before the screen's before everyone's.
pub fn for_key(state: &State, key: Key) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .filter(|command| state.preferences.keymap.keys(command).contains(&key))
        .map(|command| (command.nearness(state), command))
        .filter(|(nearness, _)| *nearness > 0)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, command)| command)
}

/// The command of the tour that a key runs.
pub fn of_the_tour(state: &State, key: Key) -> Option<&'static Command> {
    for_key(state, key).filter(|command| command.places.contains(&Place::Guided))
}

/// Keys in the bottom line.
const HINTS: usize = 5;

/// The commands for the bottom line: those that can run here, the most useful first.
pub fn hints(state: &State) -> Vec<&'static Command> {
    let mut hints: Vec<_> = COMMANDS
        .iter()
        .filter(|command| {
            let guided = state.demo.is_none() || command.places == [Place::Guided];
            command.hint > 0
                && guided
                && command.applies(state)
                && (command.refusal)(state).is_none()
        })
        .collect();
    hints.sort_by_key(|command| (4 - command.nearness(state).min(4), command.hint));
    let (mut near, far): (Vec<_>, Vec<_>) = hints
        .into_iter()
        .partition(|command| command.places != [Place::Everywhere]);
    near.truncate(HINTS.saturating_sub(far.len()));
    near.extend(far);
    near
}

/// The commands with `typed` in their name, or with words that it shortens (`ctx`: show context), best match first; those that
/// apply here before others.
pub fn matching(state: &State, typed: &str) -> Vec<&'static Command> {
    let mut found: Vec<_> = COMMANDS
        .iter()
        .filter(|command| command.id.is_deliberate())
        .filter_map(|command| Some((rank(command, typed)?, command)))
        .collect();
    found.sort_by_key(|(rank, command)| (!command.applies(state), *rank));
    found.into_iter().map(|(_, command)| command).collect()
}

fn rank(command: &Command, typed: &str) -> Option<usize> {
    let typed = typed.trim().to_lowercase();
    if command.name.starts_with(&typed) {
        return Some(0);
    }
    if command.name.contains(&typed) {
        return Some(1);
    }
    let words: Vec<&str> = command.name.split_whitespace().collect();
    let letters: String = typed.split_whitespace().collect();
    shortens(&letters, &words).then_some(2)
}

/// Whether `letters` are shortened forms of some of the words, in order: each the first letter of its word and further
/// ones of it in order.
fn shortens(letters: &str, words: &[&str]) -> bool {
    if letters.is_empty() {
        return true;
    }
    words.iter().enumerate().any(|(at, word)| {
        let ends = letters
            .char_indices()
            .map(|(at, letter)| at + letter.len_utf8());
        ends.take_while(|end| is_short_form(&letters[..*end], word))
            .any(|end| shortens(&letters[end..], &words[at + 1..]))
    })
}

fn is_short_form(short: &str, word: &str) -> bool {
    let mut letters = word.chars();
    short.chars().next() == word.chars().next()
        && short.chars().all(|c| letters.any(|letter| letter == c))
}

/// The commands that the README lists; the manual page lists all.
const IN_README: [CommandId; 21] = [
    CommandId::Open,
    CommandId::Back,
    CommandId::NextPane,
    CommandId::Zoom,
    CommandId::NextTask,
    CommandId::Filter,
    CommandId::Find,
    CommandId::Setting,
    CommandId::Tree,
    CommandId::Run,
    CommandId::RunMany,
    CommandId::Result,
    CommandId::Cancel,
    CommandId::Generate,
    CommandId::Leakage,
    CommandId::Overview,
    CommandId::Analysis,
    CommandId::Review,
    CommandId::Palette,
    CommandId::Help,
    CommandId::Quit,
];

/// The README's key list, in Markdown: the commands that matter most.
pub fn key_list() -> String {
    let mut text = String::from("| key | where | what it does |\n| --- | --- | --- |\n");
    let listed = COMMANDS
        .iter()
        .filter(|command| IN_README.contains(&command.id));
    for command in listed {
        let keys: Vec<_> = command
            .keys
            .iter()
            .map(|key| format!("`{}`", key.to_string().replace('|', "\\|")))
            .collect();
        let row = format!(
            "| {} | {} | {} |\n",
            keys.join(" "),
            command.where_it_applies(),
            command.words
        );
        text.push_str(&row);
    }
    text
}

/// Every command that has a key, for the manual page: its keys, and what it does and where.
pub fn key_table() -> Vec<(String, String)> {
    let with_keys = COMMANDS.iter().filter(|command| !command.keys.is_empty());
    with_keys
        .map(|command| {
            let keys: Vec<_> = command.keys.iter().map(Key::to_string).collect();
            let words = format!("{} ({})", command.words, command.where_it_applies());
            (keys.join(", "), words)
        })
        .collect()
}

impl Place {
    /// Its word in help and README.
    pub fn word(self) -> String {
        match self {
            Self::Everywhere => "everywhere".to_owned(),
            Self::Guided => "the tour".to_owned(),
            Self::On(screen) => screen.title().to_lowercase(),
            Self::In(pane) => pane.title().to_lowercase(),
        }
    }
}

#[cfg(test)]
mod tests;
