//! Standard output as the commands write it: buffered, JSON lines or text, quiet when the reader has gone.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::error::{Error, Result};

/// Where a command prints. A closed pipe ends the process quietly, as filters expect.
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
        let line = serde_json::to_vec(value)
            .map_err(|why| Error::internal(format!("cannot write JSON: {why}")))?;
        self.bytes(&line)?;
        self.bytes(b"\n")
    }

    /// Prints one line of text.
    pub fn line(&mut self, text: impl AsRef<str>) -> Result<()> {
        self.bytes(text.as_ref().as_bytes())?;
        self.bytes(b"\n")
    }

    /// Prints bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<()> {
        let result = self.sink.write_all(bytes);
        settle(result)
    }

    /// Hands everything on.
    pub fn flush(&mut self) -> Result<()> {
        let result = self.sink.flush();
        settle(result)
    }
}

fn settle(result: io::Result<()>) -> Result<()> {
    match result {
        Err(why) if why.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        other => {
            other.map_err(|why| Error::internal(format!("cannot write to standard output: {why}")))
        }
    }
}

/// Prints an error and its hint to standard error and gives the exit code of its kind.
pub(crate) fn report(error: &Error) -> ExitCode {
    eprintln!("evoscope: {error}");
    if let Some(hint) = error.advice() {
        eprintln!("  hint: {hint}");
    }
    ExitCode::from(error.kind().exit_code())
}
