//! A session that comes up while another is still at work.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::super::sandbox::{Limits, Recipe, Sandbox};
use super::super::warden::Warden;
use crate::error::{Cancel, Error, Result};

/// The session that will be needed next.
pub(super) struct Ahead {
    /// The trunk of the environments that it is for.
    pub trunk: String,
    /// The limits that it was opened with.
    pub limits: Limits,
    coming: Option<Coming>,
}

enum Coming {
    /// The session is open.
    Open(Box<Result<Warden>>),
    /// A thread is opening it.
    Opening(JoinHandle<Result<Warden>>),
}

impl Ahead {
    /// Starts a session and returns before it is of use.
    pub fn start(sandbox: &Arc<dyn Sandbox>, trunk: &str, recipe: Recipe, cancel: &Cancel) -> Self {
        let limits = recipe.limits;
        let coming = if sandbox.outlives_threads() {
            let (sandbox, cancel) = (Arc::clone(sandbox), cancel.clone());
            Coming::Opening(thread::spawn(move || {
                Warden::begin(sandbox.as_ref(), &recipe, &cancel)
            }))
        } else {
            let warden = Warden::begin(sandbox.as_ref(), &recipe, cancel);
            Coming::Open(Box::new(warden))
        };
        Self {
            trunk: trunk.to_owned(),
            limits,
            coming: Some(coming),
        }
    }

    /// Waits until the interpreter has loaded pytest.
    pub fn wait(mut self, cancel: &Cancel) -> Result<Warden> {
        let coming = self.coming.take();
        let mut warden = coming.map_or_else(
            || Err(Error::internal("a session that nobody opens")),
            Coming::opened,
        )?;
        warden.greeted(cancel)?;
        Ok(warden)
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
            Self::Open(warden) => *warden,
            Self::Opening(thread) => thread
                .join()
                .unwrap_or_else(|_| Err(Error::internal("the opening of a session panicked"))),
        }
    }
}
