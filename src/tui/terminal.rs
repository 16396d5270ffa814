//! The terminal itself: taken over on entry, given back on every way out.
//!
//! Raw mode, alternate screen, mouse capture and bracketed paste are one state, entered and left together. [`leave`]
//! may be called at any moment, from any thread, any number of times: the panic hook, the drop of [`Session`] and the
//! suspension all use it.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode, supports_keyboard_enhancement,
};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::{Frame, Terminal};

use super::views::Link;
use crate::error::{Error, Result};

/// The terminal as the explorer draws on it: one write a frame.
pub type Screen = Terminal<Sink>;

type Sink = CrosstermBackend<BufWriter<Stdout>>;

static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether keys are reported by the kitty protocol.
static KEYS: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// The terminal while the explorer has it. Dropping it gives the terminal back.
pub struct Session {
    /// What to draw on.
    pub screen: Screen,
    /// Whether the mouse is the terminal's.
    leaves_mouse: bool,
    /// Whether the terminal reports keys by the kitty protocol.
    knows_keys: bool,
    /// The links of the last frame, with their cells.
    links: Vec<(Link, Vec<Cell>)>,
}

impl Session {
    /// Takes the terminal over and installs the panic hook that gives it back. An error of kind user when standard
    /// output or input is no terminal.
    pub fn start(leaves_mouse: bool) -> Result<Self> {
        use std::io::IsTerminal;
        if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(Error::user("the explorer needs a terminal").hint(
                "run it in one, use --screenshot FILE, or a subcommand such as 'evoscope tasks --json'",
            ));
        }
        restore_on_panic();
        let variable = |name: &str| std::env::var(name).ok();
        let knows_keys =
            may_know_keys(variable) && matches!(supports_keyboard_enhancement(), Ok(true));
        enter(leaves_mouse, knows_keys)?;
        let sink = BufWriter::with_capacity(64 << 10, io::stdout());
        let screen = Terminal::new(CrosstermBackend::new(sink)).map_err(|why| refused(&why))?;
        Ok(Self {
            screen,
            leaves_mouse,
            knows_keys,
            links: Vec::new(),
        })
    }

    /// Gives the terminal back, runs `work`, takes it again and forgets what was drawn.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> Result<T> {
        leave();
        let result = work();
        self.retake()?;
        Ok(result)
    }

    /// Takes the terminal again after it was given back or stopped, and forgets what was drawn.
    pub fn retake(&mut self) -> Result<()> {
        TAKEN.store(false, Ordering::SeqCst);
        enter(self.leaves_mouse, self.knows_keys)?;
        self.forget()
    }

    /// Leaves the mouse to the terminal, so that it selects text, or takes it back.
    pub fn leave_mouse(&mut self, leaves: bool) -> Result<()> {
        self.leaves_mouse = leaves;
        let sink = self.screen.backend_mut();
        let done = if leaves {
            crossterm::execute!(sink, DisableMouseCapture)
        } else {
            crossterm::execute!(sink, EnableMouseCapture)
        };
        done.map_err(|why| refused(&why))
    }

    /// Draws a frame, and the links that `links` finds on it. The terminal shows it at once where it knows synchronized
    /// output; others ignore the mode.
    pub fn draw(
        &mut self,
        render: impl FnOnce(&mut Frame),
        links: impl FnOnce(&Buffer) -> Vec<Link>,
    ) -> io::Result<()> {
        crossterm::queue!(self.screen.backend_mut(), BeginSynchronizedUpdate)?;
        let drawn = self.screen.draw(render)?;
        let with_cells = |link: Link| {
            let cells = cells_of(&link, drawn.buffer);
            (link, cells)
        };
        let links: Vec<_> = links(drawn.buffer).into_iter().map(with_cells).collect();
        let before = std::mem::replace(&mut self.links, links);
        let is_gone =
            |(link, _): &&(Link, Vec<Cell>)| !self.links.iter().any(|(now, _)| now == link);
        let gone = before.iter().filter(is_gone);
        let gone: Vec<_> = gone
            .map(|(link, _)| (link, cells_of(link, drawn.buffer)))
            .collect();
        let sink = self.screen.backend_mut();
        for (link, cells) in gone {
            draw_cells(sink, link, &cells)?;
        }
        for (link, cells) in self.links.iter().filter(|now| !before.contains(now)) {
            write!(sink, "\x1b]8;;{}\x1b\\", link.address)?;
            draw_cells(sink, link, cells)?;
            write!(sink, "\x1b]8;;\x1b\\")?;
        }
        crossterm::execute!(self.screen.backend_mut(), EndSynchronizedUpdate)
    }

    /// Forgets what was drawn: the next frame is written in full. (`Terminal::clear` would ask the terminal where its
    /// cursor is, and wait for an answer that only the listening thread could take.)
    pub fn forget(&mut self) -> Result<()> {
        self.links.clear();
        let size = self.screen.size().map_err(|why| refused(&why))?;
        self.screen
            .resize(ratatui::layout::Rect::from((
                ratatui::layout::Position::ORIGIN,
                size,
            )))
            .map_err(|why| refused(&why))
    }

    /// Writes bytes that draw nothing (the clipboard's escape sequence).
    pub fn pass(&mut self, bytes: &[u8]) -> Result<()> {
        let sink = self.screen.backend_mut();
        sink.write_all(bytes)
            .and_then(|()| Write::flush(sink))
            .map_err(|why| refused(&why))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        leave();
    }
}

/// The cells of a link, as far as they are on the screen.
fn cells_of(link: &Link, buffer: &Buffer) -> Vec<Cell> {
    let (x, y) = link.at;
    let columns = x..x.saturating_add(link.columns);
    columns
        .filter_map(|x| buffer.cell((x, y)).cloned())
        .collect()
}

fn draw_cells(sink: &mut Sink, link: &Link, cells: &[Cell]) -> io::Result<()> {
    let (x, y) = link.at;
    sink.draw((x..).zip(cells).map(|(x, cell)| (x, y, cell)))
}

/// Whether the terminal is one of those that may report keys by the kitty protocol. Only these are asked: a terminal that
/// does not answer would hold the first keys up for two seconds.
fn may_know_keys(variable: impl Fn(&str) -> Option<String>) -> bool {
    const TERMS: [&str; 6] = [
        "xterm-kitty",
        "xterm-ghostty",
        "foot",
        "alacritty",
        "wezterm",
        "rio",
    ];
    const PROGRAMS: [&str; 5] = ["WezTerm", "ghostty", "iTerm.app", "vscode", "rio"];
    let term = variable("TERM").unwrap_or_default();
    let program = variable("TERM_PROGRAM").unwrap_or_default();
    TERMS.iter().any(|name| term.starts_with(name)) || PROGRAMS.contains(&program.as_str())
}

fn enter(leaves_mouse: bool, knows_keys: bool) -> Result<()> {
    enable_raw_mode().map_err(|why| refused(&why))?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut sink = io::stdout();
    let entered = crossterm::queue!(sink, EnterAlternateScreen, EnableBracketedPaste, Hide);
    let mouse = if leaves_mouse {
        Ok(())
    } else {
        crossterm::queue!(sink, EnableMouseCapture)
    };
    let keys = if knows_keys {
        KEYS.store(true, Ordering::SeqCst);
        let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
        crossterm::queue!(sink, PushKeyboardEnhancementFlags(flags))
    } else {
        Ok(())
    };
    entered
        .and(mouse)
        .and(keys)
        .and_then(|()| sink.flush())
        .map_err(|why| refused(&why))
}

/// Gives the terminal back if it is taken; failures are of no use to anyone here and are passed over.
pub fn leave() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        if KEYS.swap(false, Ordering::SeqCst) {
            let _ = crossterm::execute!(io::stdout(), PopKeyboardEnhancementFlags);
        }
        let _ = crossterm::execute!(
            io::stdout(),
            EndSynchronizedUpdate,
            DisableBracketedPaste,
            DisableMouseCapture,
            LeaveAlternateScreen,
            Show
        );
        let _ = disable_raw_mode();
    }
}

/// The name that worker threads carry: their panics become an error on screen, not the end of the explorer.
pub(crate) const WORKER: &str = "evoscope-worker";

fn restore_on_panic() {
    HOOK.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let worker = std::thread::current().name() == Some(WORKER);
            if !worker {
                leave();
                print(info);
            }
        }));
    });
}

fn refused(why: &io::Error) -> Error {
    Error::user(format!("the terminal refused: {why}"))
        .hint("check that standard input and output are a terminal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_that_may_know_the_key_protocol_are_asked() {
        let asked = |term: &str, program: &str| {
            may_know_keys(|name| {
                let value = if name == "TERM" { term } else { program };
                (!value.is_empty()).then(|| value.to_owned())
            })
        };
        assert!(asked("xterm-kitty", "") && asked("foot-extra", ""));
        assert!(asked("xterm-256color", "WezTerm"));
        assert!(!asked("xterm-256color", "") && !asked("tmux-256color", "tmux"));
        assert!(!asked("", ""));
    }
}
