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
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use crate::error::{Error, Result};

/// The terminal as the explorer draws on it: one write a frame.
pub type Screen = Terminal<CrosstermBackend<BufWriter<Stdout>>>;

static TAKEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// The terminal while the explorer has it. Dropping it gives the terminal back.
pub struct Session {
    /// What to draw on.
    pub screen: Screen,
    /// Whether the mouse is the terminal's.
    leaves_mouse: bool,
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
        enter(leaves_mouse)?;
        let sink = BufWriter::with_capacity(64 << 10, io::stdout());
        let screen = Terminal::new(CrosstermBackend::new(sink)).map_err(|why| refused(&why))?;
        Ok(Self {
            screen,
            leaves_mouse,
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
        enter(self.leaves_mouse)?;
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

    /// Draws a frame. The terminal shows it at once where it knows synchronized output; others ignore the mode.
    pub fn draw(&mut self, render: impl FnOnce(&mut ratatui::Frame)) -> io::Result<()> {
        crossterm::queue!(self.screen.backend_mut(), BeginSynchronizedUpdate)?;
        self.screen.draw(render)?;
        crossterm::execute!(self.screen.backend_mut(), EndSynchronizedUpdate)
    }

    /// Forgets what was drawn: the next frame is written in full. (`Terminal::clear` would ask the terminal where its
    /// cursor is, and wait for an answer that only the listening thread could take.)
    pub fn forget(&mut self) -> Result<()> {
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

fn enter(leaves_mouse: bool) -> Result<()> {
    enable_raw_mode().map_err(|why| refused(&why))?;
    TAKEN.store(true, Ordering::SeqCst);
    let mut sink = io::stdout();
    let entered = crossterm::queue!(sink, EnterAlternateScreen, EnableBracketedPaste, Hide);
    let mouse = if leaves_mouse {
        Ok(())
    } else {
        crossterm::queue!(sink, EnableMouseCapture)
    };
    entered
        .and(mouse)
        .and_then(|()| sink.flush())
        .map_err(|why| refused(&why))
}

/// Gives the terminal back if it is taken; failures are of no use to anyone here and are passed over.
pub fn leave() {
    if TAKEN.swap(false, Ordering::SeqCst) {
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
