//! A session that comes up while another is still at work.

use std::collections::HashSet;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::super::sandbox::{Limits, Recipe, Sandbox};
use super::super::warden::Warden;
use crate::error::{Cancel, Error, Result};

/// The session for the environment that will be needed next.
pub(super) struct Ahead {
    /// The environment.
    pub identity: String,
    /// The limits that it was opened with.
    pub limits: Limits,
    /// The modules that it loads.
    pub preloads: HashSet<String>,
    coming: Option<Coming>,
}

enum Coming {
    /// The session is open.
    Open(Result<Warden>),
    /// A thread is opening it.
    Opening(JoinHandle<Result<Warden>>),
}

impl Ahead {
    /// Starts a session and returns before it is of use.
    pub fn start(
        sandbox: &Arc<dyn Sandbox>,
        identity: &str,
        recipe: Recipe,
        modules: Vec<String>,
        cancel: &Cancel,
    ) -> Self {
        let limits = recipe.limits;
        let preloads = modules.iter().cloned().collect();
        let coming = if sandbox.outlives_threads() {
            let (sandbox, cancel) = (Arc::clone(sandbox), cancel.clone());
            Coming::Opening(thread::spawn(move || {
                Warden::begin(sandbox.as_ref(), &recipe, &modules, &cancel)
            }))
        } else {
            Coming::Open(Warden::begin(sandbox.as_ref(), &recipe, &modules, cancel))
        };
        Self {
            identity: identity.to_owned(),
            limits,
            preloads,
            coming: Some(coming),
        }
    }

    /// Waits until the interpreter has loaded pytest and the modules.
    pub fn wait(mut self, cancel: &Cancel) -> Result<(Warden, HashSet<String>)> {
        let coming = self.coming.take();
        let mut warden = coming.map_or_else(
            || Err(Error::internal("a session that nobody opens")),
            Coming::opened,
        )?;
        warden.greeted(cancel)?;
        Ok((warden, std::mem::take(&mut self.preloads)))
    }
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
            Self::Open(warden) => warden,
            Self::Opening(thread) => thread
                .join()
                .unwrap_or_else(|_| Err(Error::internal("the opening of a session panicked"))),
        }
    }
}
