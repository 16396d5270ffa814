//! `evoscope man`: the manual page, in roff.

use super::Output;
use crate::error::{Error, Result};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, command: &clap::Command, out: &mut Output) -> Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .map_err(|why| Error::internal(format!("cannot write the manual page: {why}")))?;
    out.document(&page)
}
