//! `evoscope cache`: what is kept on disk between runs, and how to be rid of it.

use std::sync::Arc;

use super::Output;
use crate::context::{Engine, Store};
use crate::error::Result;
use crate::workspace::Places;

/// Show the cache of contents, or remove it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Remove it; the next run reads everything anew.
    Clear,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let folder = Places::of_user()?.cache;
    let size = Store::size(&folder);
    match args.command {
        None => out.line(format!("{} bytes in {}", size, folder.display())),
        Some(Command::Clear) => {
            Store::clear(&folder)?;
            out.line(format!("{size} bytes removed from {}", folder.display()))
        }
    }
}

/// Makes engines that share the user's cache; without one where it was not wanted (`--no-cache`, or `EVOSCOPE_NO_CACHE`
/// set to anything) or cannot be opened.
pub(super) struct Engines(Option<Arc<Store>>);

impl Engines {
    pub(super) fn new(without: bool) -> Self {
        let refused = std::env::var_os("EVOSCOPE_NO_CACHE").is_some_and(|value| !value.is_empty());
        if without || refused {
            return Self(None);
        }
        let opened = Places::of_user().and_then(|places| Store::open(&places.cache));
        match opened {
            Ok(store) => Self(Some(Arc::new(store))),
            Err(why) => {
                eprintln!("evoscope: going on without a cache: {why}");
                Self(None)
            }
        }
    }

    pub(super) fn engine(&self) -> Engine {
        Engine::keeping(self.0.clone())
    }
}
