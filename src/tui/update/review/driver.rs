//! The review without a terminal, its workers as slow as the test wants: keys, answers and frames come in any order.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::error::Cancel;
use crate::review::Store;
use crate::tui::effect::{Effect, Request, Slot};
use crate::tui::keys::parse_script;
use crate::tui::message::{Answer, Msg};
use crate::tui::state::State;
use crate::tui::theme::{ColourDepth, Glyphs, Theme, ThemeFolders};
use crate::tui::update::update;
use crate::tui::views::{Look, draw};
use crate::tui::work::{Desk, Running};
use crate::workspace::{Places, Workspace};

pub const SIZE: (u16, u16) = (120, 40);

/// Numbers for a test, the same for the same seed.
pub struct Chance(ChaCha8Rng);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u64() % end as u64).unwrap()
    }

    pub fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// The built-in sample, open for some annotators.
pub struct Fixture {
    pub places: Places,
    pub workspace: Arc<Workspace>,
    pub desks: BTreeMap<&'static str, Desk>,
    look: Look,
}

impl Fixture {
    pub fn open(home: &Path, annotators: &[&'static str]) -> Self {
        let places = Places::under(home);
        let desk = |name: &&'static str| {
            let running = Running {
                annotator: Some((*name).to_owned()),
                ..Running::default()
            };
            let desk = Desk::new(Vec::new(), false, places.clone(), false).running(running);
            for request in [Request::Open, Request::Index] {
                desk.perform(&request, &Cancel::default(), &|_| {}).unwrap();
            }
            (*name, desk)
        };
        let workspace = Arc::new(Workspace::sample().unwrap());
        workspace
            .index_completions(&Cancel::default(), &|_, _| {})
            .unwrap();
        Self {
            desks: annotators.iter().map(desk).collect(),
            workspace,
            look: Look {
                theme: Theme::load("default", &ThemeFolders::built_in(), ColourDepth::Ansi16)
                    .unwrap(),
                glyphs: Glyphs::UNICODE,
            },
            places,
        }
    }

    /// The log, or a new one in its place.
    pub fn log(&self, new: bool) -> Store {
        let path = self.workspace.review_log(&self.places).unwrap().path;
        if new {
            let folder = path.parent().unwrap();
            let _ = std::fs::remove_dir_all(folder);
        }
        Store::open(&path).unwrap()
    }
}

/// An explorer of one annotator.
pub struct Driver<'h> {
    fixture: &'h Fixture,
    pub annotator: &'static str,
    pub state: State,
    /// Answers that did not arrive yet, of the workers and of the log.
    answers: VecDeque<Msg>,
    reviewed: VecDeque<Msg>,
    /// The frame that the annotator sees.
    pub screen: String,
}

impl<'h> Driver<'h> {
    /// Opens the explorer, everything read.
    pub fn start(fixture: &'h Fixture, annotator: &'static str) -> Self {
        let mut driver = Self {
            fixture,
            annotator,
            state: State::new(SIZE),
            answers: VecDeque::new(),
            reviewed: VecDeque::new(),
            screen: String::new(),
        };
        let first = driver.state.ask(Slot::Open, Request::Open);
        driver.perform(first);
        driver.settle();
        driver
    }

    /// Types keys; what they ask for is answered later.
    pub fn press(&mut self, keys: &str) {
        for key in parse_script(keys).unwrap() {
            self.take(Msg::Key(key));
        }
    }

    /// Lets one answer arrive, of those that wait.
    pub fn deliver(&mut self, chance: &mut Chance) {
        let first = if chance.below(2) == 0 {
            self.answers
                .pop_front()
                .or_else(|| self.reviewed.pop_front())
        } else {
            self.reviewed
                .pop_front()
                .or_else(|| self.answers.pop_front())
        };
        if let Some(msg) = first {
            self.take(msg);
        }
    }

    /// Lets every answer arrive, and draws.
    pub fn settle(&mut self) {
        while let Some(msg) = self
            .answers
            .pop_front()
            .or_else(|| self.reviewed.pop_front())
        {
            self.take(msg);
        }
        self.draw();
    }

    pub fn draw(&mut self) {
        let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).unwrap();
        let look = &self.fixture.look;
        terminal
            .draw(|frame| draw(&self.state, look, frame))
            .unwrap();
        let buffer = terminal.backend().buffer();
        let rows = buffer.content().chunks(usize::from(SIZE.0));
        let row = |cells: &[ratatui::buffer::Cell]| -> String {
            cells.iter().map(ratatui::buffer::Cell::symbol).collect()
        };
        self.screen = rows.map(row).collect::<Vec<_>>().join("\n");
        self.state.mark_drawn();
    }

    fn take(&mut self, msg: Msg) {
        for effect in update(&mut self.state, msg) {
            self.perform(effect);
        }
    }

    fn perform(&mut self, effect: Effect) {
        let desk = &self.fixture.desks[self.annotator];
        match effect {
            Effect::Review(work) => self.reviewed.push_back(Msg::Reviewed(desk.review(work))),
            // Opened once: reading the sample for each start would take most of a sequence's time.
            Effect::Work {
                slot: slot @ Slot::Open,
                ticket,
                ..
            } => {
                let workspace = Arc::clone(&self.fixture.workspace);
                let result = Ok(Answer::Opened(workspace, None));
                self.answers.push_back(Msg::Answer {
                    slot,
                    ticket,
                    result,
                });
            }
            Effect::Work {
                slot,
                ticket,
                request,
            } if wanted(slot) => {
                let result = desk.perform(&request, &Cancel::default(), &|_| {});
                self.answers.push_back(Msg::Answer {
                    slot,
                    ticket,
                    result,
                });
            }
            _ => {}
        }
    }
}

/// What the review needs; the other panes of the workbench are not in sight.
fn wanted(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Index | Slot::Listing | Slot::Task | Slot::Exhibit
    )
}
