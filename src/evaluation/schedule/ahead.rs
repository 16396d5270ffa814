//! A session that comes up while another is still at work.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::super::sandbox::{Limits, Recipe, Sandbox};
use super::super::warden::{Stock, Warden, Warmth};
use super::Environment;
use crate::error::{Cancel, Error, Result};

/// The session that will be needed next, with what its first runs will load ready in it.
pub(super) struct Ahead {
    /// The environment that it is for.
    pub environment: Environment,
    /// What it loads.
    pub warmth: Warmth,
    /// The limits that it was opened with.
    pub limits: Limits,
    coming: Option<Coming>,
}

/// What a session and its first environment have loaded before.
pub(super) struct Stocks {
    pub trunk: Stock,
    pub branch: Stock,
}

enum Coming {
    /// The session is open.
    Open(Box<Result<Warden>>),
    /// A thread is opening it.
    Opening(JoinHandle<Result<Warden>>),
}

impl Ahead {
    /// Starts a session and returns before it is of use.
    pub fn start(
        sandbox: &Arc<dyn Sandbox>,
        environment: &Environment,
        recipe: Recipe,
        warmth: Warmth,
        stocks: Stocks,
        cancel: &Cancel,
    ) -> Self {
        let limits = recipe.limits;
        let coming = if sandbox.outlives_threads() {
            let (sandbox, cancel) = (Arc::clone(sandbox), cancel.clone());
            let warmth = warmth.clone();
            Coming::Opening(thread::spawn(move || {
                begin(sandbox.as_ref(), &recipe, &warmth, &stocks, &cancel)
            }))
        } else {
            let warden = begin(sandbox.as_ref(), &recipe, &warmth, &stocks, cancel);
            Coming::Open(Box::new(warden))
        };
        Self {
            environment: environment.clone(),
            warmth,
            limits,
            coming: Some(coming),
        }
    }

    /// Waits until the interpreter has loaded pytest and the rest.
    pub fn wait(mut self, cancel: &Cancel) -> Result<(Warden, Warmth)> {
        let coming = self.coming.take();
        let mut warden = coming.map_or_else(
            || Err(Error::internal("a session that nobody opens")),
            Coming::opened,
        )?;
        warden.greeted(cancel)?;
        let warmth = std::mem::take(&mut self.warmth);
        if warmth != Warmth::default() {
            warden.preloaded(cancel)?;
        }
        Ok((warden, warmth))
    }
}

/// Opens a session and asks for everything at once, without waiting for any of it.
fn begin(
    sandbox: &dyn Sandbox,
    recipe: &Recipe,
    warmth: &Warmth,
    stocks: &Stocks,
    cancel: &Cancel,
) -> Result<Warden> {
    let mut warden = Warden::begin(sandbox, recipe, &stocks.trunk, cancel)?;
    if *warmth != Warmth::default() {
        warden.ask_to_preload(warmth, &stocks.branch)?;
    }
    Ok(warden)
}

/// One that is not needed after all leaves nothing behind either.
impl Drop for Ahead {
    fn drop(&mut self) {
        drop(self.coming.take().map(Coming::opened));
    }
}

impl Coming {
    fn opened(self) -> Result<Warden> {
        match self {
            Self::Open(warden) => *warden,
            Self::Opening(thread) => thread
                .join()
                .unwrap_or_else(|_| Err(Error::internal("the opening of a session panicked"))),
        }
    }
}
