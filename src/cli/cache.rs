//! `evoscope cache`: shows or removes what is cached on disk between runs.

use super::Output;
use super::output::warn;
use crate::error::Result;
use crate::workspace::{AppDirs, Contexts};

/// Show the size of the cache of parsed sources and contexts, or delete the cache.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Delete the cache. Later commands compute the data again when they need it.
    Clear,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let folder = AppDirs::of_user()?.cache;
    let size = Contexts::cache_size(&folder);
    match args.command {
        None => out.line(format!("{} bytes in {}", size, folder.display())),
        Some(Command::Clear) => {
            Contexts::clear_cache(&folder)?;
            out.line(format!("{size} bytes removed from {}", folder.display()))
        }
    }
}

/// Contexts over the user's cache; without a cache where it was not wanted (`--no-cache`, or a value of
/// `EVOSCOPE_NO_CACHE` that is not empty) or cannot be opened.
pub(super) fn contexts(without: bool) -> Contexts {
    if without || Contexts::cache_is_refused() {
        return Contexts::default();
    }
    let why = match AppDirs::of_user() {
        Ok(places) => match Contexts::cached(&places.cache) {
            (contexts, None) => return contexts,
            (_, Some(why)) => why,
        },
        Err(why) => why,
    };
    warn(format_args!("continuing without a cache: {why}"));
    Contexts::default()
}
