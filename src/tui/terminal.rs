//! Takes over the terminal when the explorer starts, and restores it when the explorer ends or is suspended.
//!
//! Raw mode, alternate screen, mouse capture and bracketed paste are entered and left together. [`leave`] may be called
//! at any time, from any thread, any number of times. [`leave`] is called by the panic hook, the drop of [`Session`]
//! and [`Session::lend`].

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
    disable_raw_mode, enable_raw_mode,
};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::{Frame, Terminal};

use super::input::Early;
use super::views::Link;
use crate::error::{Error, Result};

/// The terminal that the explorer draws on. Output is buffered until the end of a frame.
pub type Screen = Terminal<Sink>;

type Sink = CrosstermBackend<BufWriter<Stdout>>;

/// Whether the terminal is taken over.
static TAKEN: AtomicBool = AtomicBool::new(false);
/// Whether the terminal currently reports keys by the kitty protocol.
static KEYS: AtomicBool = AtomicBool::new(false);
/// Ensures that the panic hook is installed only once.
static HOOK: Once = Once::new();

/// The terminal while the explorer uses it. The drop of a session restores the terminal.
pub struct Session {
    /// The screen to draw on.
    pub screen: Screen,
    /// Whether the mouse is left to the terminal.
    leaves_mouse: bool,
    /// Whether the terminal supports the kitty keyboard protocol.
    knows_keys: bool,
    /// The links of the last frame, with their cells.
    links: Vec<(Link, Vec<Cell>)>,
    /// What the terminal sent while the session started.
    early: Early,
}

impl Session {
    /// Takes over the terminal, and installs a panic hook that restores the terminal.
    ///
    /// # Errors
    ///
    /// A user error if standard input or output is not a terminal, or if the terminal cannot be set up.
    pub fn start(leaves_mouse: bool) -> Result<Self> {
        use std::io::IsTerminal;
        if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(Error::user("the explorer needs a terminal").hint(
                "run it in a terminal, or use --screenshot FILE or a subcommand such as 'evoscope tasks --json'",
            ));
        }
        restore_on_panic();
        let variable = |name: &str| std::env::var(name).ok();
        let mut early = Early::default();
        let knows_keys = may_know_keys(variable) && {
            enable_raw_mode().map_err(|why| refused(&why))?;
            early.knows_keys()
        };
        let sink = BufWriter::with_capacity(64 << 10, io::stdout());
        let entered = enter(leaves_mouse, knows_keys)
            .and_then(|()| Terminal::new(CrosstermBackend::new(sink)).map_err(|why| refused(&why)));
        let screen = entered.inspect_err(|_| leave())?;
        Ok(Self {
            screen,
            leaves_mouse,
            knows_keys,
            links: Vec::new(),
            early,
        })
    }

    /// What the terminal sent while the session started.
    pub fn take_early(&mut self) -> Early {
        std::mem::take(&mut self.early)
    }

    /// Restores the terminal, runs `work`, and takes the terminal over again. The next frame is written in full.
    pub fn lend<T>(&mut self, work: impl FnOnce() -> T) -> Result<T> {
        leave();
        let result = work();
        self.retake()?;
        Ok(result)
    }

    /// Takes over the terminal again after [`leave`] or after the process was stopped. The next frame is written in
    /// full.
    pub fn retake(&mut self) -> Result<()> {
        TAKEN.store(false, Ordering::SeqCst);
        enter(self.leaves_mouse, self.knows_keys)?;
        self.forget()
    }

    /// Leaves the mouse to the terminal if `leaves` is set, so that the user can select text. Otherwise captures the
    /// mouse again.
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

    /// Draws a frame, and then the links that `links` finds in the frame. A terminal with synchronized output shows the
    /// whole frame at once; other terminals ignore the request.
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

    /// Makes the next draw write the whole frame. (`Terminal::clear` would query the terminal for its cursor position,
    /// but only the input thread could read the answer.)
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

    /// Writes bytes that draw nothing, for example the escape sequence that sets the clipboard.
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

/// The cells of a link, without those outside the screen.
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

/// Whether the terminal may support the kitty keyboard protocol, according to environment variables. Other terminals
/// are not queried, because a terminal that does not answer would delay the first frame.
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

/// Restores the terminal if it is taken over. Failures are ignored, because nothing can be done about them here.
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

/// The name of worker threads. A panic in a worker thread becomes an error on screen and does not end the explorer.
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
    Error::user(format!("cannot control the terminal: {why}"))
        .hint("check that standard input and output are a terminal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_terminals_that_may_support_the_keyboard_protocol_are_queried() {
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
