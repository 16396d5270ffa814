//! The screens: state, messages, update, effects; views; keymap; theme; terminal.
//!
//! What happens is a [`message`](self) for [`update`](self): it changes the state, which is plain data, and returns
//! effects. The runtime performs them: slow work runs on workers, each request with a ticket, and the answer comes back
//! as a message. `draw` shows the state and changes nothing. There is no tick: the runtime blocks on one channel.
//!
//! | file | what is there |
//! | --- | --- |
//! | `commands/table.rs` | every command: keys, name, words, where it applies, why it cannot run |
//! | `state/` | what the screens show; a screen has its own type there |
//! | `message.rs`, `effect.rs` | what happens; what is asked of the world |
//! | `update/` | what a message changes; `missing_data.rs` asks for what the screen lacks |
//! | `work/` | the slow work, a file for each kind |
//! | `views/` | what the state looks like, a file for each pane |
//! | `layout.rs`, `tabs.rs` | where things are |
//! | `runtime.rs`, `terminal.rs`, `input.rs`, `worker_threads.rs` | the event loop, the terminal, who listens, who works |
//! | `headless.rs` | the same without a terminal, for pictures and tests |
//!
//! A new screen: a variant of `state::Screen`, a field of `State` with a type in `state/NAME.rs`; its commands in the
//! table; `update/NAME.rs` (called from `perform.rs`, `motion.rs` and `missing_data.rs`); `views/NAME.rs` (called from
//! `views::draw`); its slow work as a `Request` with a `Slot` and an `Answer`, done in `work/NAME.rs`.

pub mod alignment;
pub mod chart;
mod commands;
mod effect;
mod headless;
pub mod highlight;
mod input;
mod keys;
mod layout;
mod message;
mod runtime;
pub mod screenshot;
mod slot;
mod state;
mod tabs;
pub mod terminal;
pub mod text;
pub mod theme;
mod update;
mod views;
mod work;
mod worker_threads;

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Result;
use crate::workspace::AppDirs;
pub use commands::{Keymap, key_list, key_table};
pub use headless::Headless;
pub use keys::{Key, parse_script};
pub use message::Mouse;
use runtime::Runtime;
pub use state::demo::Guide;
pub use state::preferences::Preferences;
pub use views::Styles;
pub use work::{Running, WorkerState};

/// How the explorer is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Benchmark checkouts or files; none is the built-in sample.
    pub paths: Vec<PathBuf>,
    /// Refuse an input in which anything is wrong.
    pub strict: bool,
    /// Drafted requirements to open with the tasks.
    pub drafts: Vec<PathBuf>,
    /// Where Evoscope stores its own files.
    pub places: AppDirs,
    /// How things look.
    pub styles: Styles,
    /// The guided tour over the sample, where one is wanted.
    pub guide: Option<Guide>,
    /// Where completions run.
    pub running: Running,
    /// Keys, filters and the mouse, as the user set them.
    pub preferences: Preferences,
}

/// Runs the explorer on the terminal until the reader ends it. An error when there is no terminal, or when it is lost;
/// the terminal is given back in any case.
pub fn run(options: Options) -> Result<()> {
    let workers = WorkerState::new(options.paths, options.strict, options.places, true);
    let workers = workers.running(options.running).with_drafts(options.drafts);
    let runtime = Runtime::start(
        Arc::new(workers),
        options.styles,
        options.guide,
        options.preferences,
    );
    runtime?.run()
}

/// The screen after `keys` were pressed, as an SVG picture; nothing is remembered.
pub fn picture(options: Options, size: (u16, u16), keys: &[Key]) -> Result<String> {
    let workers = WorkerState::new(options.paths, options.strict, options.places, false);
    let workers = workers.running(options.running).with_drafts(options.drafts);
    let mut explorer = match options.guide {
        Some(guide) => Headless::guided(workers, size, guide)?,
        None => Headless::preferring(workers, size, options.preferences)?,
    };
    explorer.press(keys);
    let buffer = explorer.screen(&options.styles)?;
    let theme = &options.styles.theme;
    let canvas = screenshot::Canvas::of(theme);
    Ok(screenshot::svg(&buffer, "Evoscope", theme, canvas))
}
