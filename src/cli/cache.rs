//! `evoscope cache`: prints the size of the cache on disk, or deletes the cache.

use super::Output;
use super::output::warn;
use crate::error::Result;
use crate::workspace::{AppDirs, Contexts};

/// Show the size of the cache of parsed functions, or delete the cache.
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

/// Returns [`Contexts`] that read and write the user's cache on disk. They use no cache if `without` is true
/// (`--no-cache`), if `EVOSCOPE_NO_CACHE` is set and not empty, or if the cache cannot be opened. Prints a warning if
/// the cache cannot be opened.
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
