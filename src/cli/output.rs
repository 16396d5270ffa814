//! Where the commands print: standard output, buffered, as JSON lines or text, quiet when the reader has gone; and
//! messages on standard error. Whatever is printed is escaped here, since any of it may hold text of others.

use std::fmt::Display;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::error::{Error, Kind, Result};
use crate::escape::{json, visible};

/// Where a command prints. A closed pipe is an error, so that a run ends in order; [`report`] then prints nothing, as
/// filters expect.
pub struct Output {
    sink: BufWriter<Box<dyn Write>>,
}

impl Output {
    /// Standard output.
    pub fn stdout() -> Self {
        Self {
            sink: BufWriter::with_capacity(64 << 10, Box::new(io::stdout())),
        }
    }

    /// Prints one value as a line of JSON.
    pub fn json(&mut self, value: &impl Serialize) -> Result<()> {
        let line = serde_json::to_string(value)
            .map_err(|why| Error::internal(format!("cannot write JSON: {why}")))?;
        self.written(json(&line).as_bytes())?;
        self.written(b"\n")
    }

    /// Prints one line of text; line feeds in it become blanks.
    pub fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        let line = visible(text.as_ref());
        self.written(line.replace('\n', " ").as_bytes())?;
        self.written(b"\n")
    }

    /// Prints a document that was escaped by its own format: a table, a page of the manual, a benchmark file.
    pub fn document(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        self.written(text.as_ref())
    }

    /// Hands everything on.
    pub fn flush(&mut self) -> Result<()> {
        let result = self.sink.flush();
        settle(result)
    }

    fn written(&mut self, bytes: &[u8]) -> Result<()> {
        let result = self.sink.write_all(bytes);
        settle(result)
    }
}

fn settle(result: io::Result<()>) -> Result<()> {
    match result {
        Ok(()) => Ok(()),
        Err(why) => {
            let what = format!("cannot write to standard output: {why}");
            Err(Error::internal(what).because(why))
        }
    }
}

/// Whether a command ended because the reader of its output has gone, as `head` does after its last line.
fn reader_has_gone(error: &Error) -> bool {
    let source = std::error::Error::source(error).and_then(|why| why.downcast_ref::<io::Error>());
    source.is_some_and(|why| why.kind() == ErrorKind::BrokenPipe) && error.kind() == Kind::Internal
}

/// Prints a message on standard error. Further lines of it are indented, so that none passes for a message of its own.
/// A terminal that is gone is no error.
pub(crate) fn warn(message: impl Display) {
    to_stderr("evoscope: ", &message.to_string());
}

/// Prints a message with its hint, where there is one.
pub(crate) fn warn_with_hint(message: impl Display, hint: Option<&str>) {
    warn(message);
    if let Some(hint) = hint {
        to_stderr("  hint: ", hint);
    }
}

/// Prints a line of information on standard error.
pub(crate) fn inform(line: impl AsRef<str>) {
    to_stderr("", line.as_ref());
}

fn to_stderr(prefix: &str, text: &str) {
    let lines = visible(text);
    let lines: Vec<&str> = lines.lines().map(str::trim).collect();
    let _ = writeln!(io::stderr(), "{prefix}{}", lines.join("\n  "));
}

/// Prints what is wrong with the arguments, with the hint of a value that could not be read, or the help that was asked
/// for, and gives the exit code.
pub(crate) fn print_usage_error(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    let source = std::error::Error::source(error).and_then(|why| why.downcast_ref::<Error>());
    if let Some(hint) = source.and_then(Error::advice) {
        to_stderr("hint: ", hint);
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Prints an error and its hint to standard error and gives the exit code of its kind. An output without a reader is
/// success.
pub(crate) fn report(error: &Error) -> ExitCode {
    if reader_has_gone(error) {
        return ExitCode::SUCCESS;
    }
    warn_with_hint(error, error.advice());
    ExitCode::from(error.kind().exit_code())
}
