//! A command, where it applies, and what it is called there.

use std::borrow::Cow;

use super::id::CommandId;
use crate::tui::effect::Effect;
use crate::tui::keys::Key;
use crate::tui::state::generation::Phase as Generating;
use crate::tui::state::run::Phase;
use crate::tui::state::{Pane, Screen, State};

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
    /// The keys that run it. The first is the one that is shown. Empty if the command is only in the palette.
    pub keys: &'static [Key],
    /// Its name in the palette.
    pub name: &'static str,
    /// What it does, for help and README.
    pub words: &'static str,
    /// Where it applies.
    pub places: &'static [Place],
    /// Its position among the hints in the bottom line, from 1. With 0, the bottom line never shows it.
    pub hint: u8,
    /// Why it cannot run, if it cannot.
    pub refusal: fn(&State) -> Option<Reason>,
    /// Runs it. Call it only if `refusal` returns `None`.
    pub run: fn(&mut State) -> Vec<Effect>,
}

impl Command {
    /// How specific the command is for the current focus: 4 if it belongs to the running tour, 3 to the focused pane, 2 to
    /// the current screen, 1 to every screen; 0 if it does not apply now.
    pub(super) fn nearness(&self, state: &State) -> u8 {
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

    /// Whether it applies at the current focus.
    pub fn applies(&self, state: &State) -> bool {
        self.nearness(state) > 0
    }

    /// The words for its places, for the key lists.
    pub(super) fn where_it_applies(&self) -> String {
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
            CommandId::Open if state.screen == Screen::Workbench => match state.workbench.focus {
                Pane::Tasks => "open the task",
                Pane::Reference | Pane::Dependencies => "open the source of the dependency",
                Pane::Context => "open the source file of the snippet",
                _ => "show only the completion, or the list again",
            },
            CommandId::Open if state.screen == Screen::Generation => match self.name_now(state) {
                "send" => "send the requests",
                "change" => "change the field",
                _ => "show the full answer or error, or the list again",
            },
            CommandId::Run if state.screen == Screen::Run => "run the completions that are chosen",
            CommandId::Run => "run the current completion",
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
