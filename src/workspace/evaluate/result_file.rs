//! The file that an evaluation writes its results to.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::evaluation::ResultLine;

/// A result file; each line is in it before the next verdict is reported.
pub(super) struct ResultFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl ResultFile {
    pub(super) fn create(path: PathBuf) -> Result<Self> {
        let file = File::create(&path).map_err(|why| Error::io("write", &path, why))?;
        let file = BufWriter::new(file);
        Ok(Self { path, file })
    }

    pub(super) fn write(&mut self, line: &ResultLine<'_>) -> Result<()> {
        let written = serde_json::to_writer(&mut self.file, line).map_err(std::io::Error::from);
        let written = written
            .and_then(|()| self.file.write_all(b"\n"))
            .and_then(|()| self.file.flush());
        written.map_err(|why| Error::io("write", &self.path, why))
    }
}
