//! `evoscope man`: the manual page, in roff.

use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::Output;
use crate::error::{Error, Result};
use crate::tui::key_table;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, command: &clap::Command, out: &mut Output) -> Result<()> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .render(&mut page)
        .and_then(|()| keys().to_writer(&mut page))
        .map_err(|why| Error::internal(format!("cannot write the manual page: {why}")))?;
    out.document(&page)
}

/// The section with every key of the explorer.
fn keys() -> Roff {
    let mut section = Roff::default();
    section.control("SH", ["KEYS"]);
    for [keys, place, words] in key_table() {
        section.control("TP", []);
        section.text([bold(keys)]);
        section.text([roman(format!("{words} ({place})"))]);
    }
    section
}
