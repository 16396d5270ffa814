//! Modules as code: what sessions have loaded is kept in the ledger, so that those to come need not look for it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::message::Message;
use super::{Ledger, LedgerKey, Warden};
use crate::environment::Interpreter;
use crate::error::Result;
use crate::evaluation::ledger::PROGRAM_NAMES;
use crate::evaluation::program::PROGRAM;
use crate::evaluation::sandbox::SandboxKind;

/// What an interpreter has loaded before, each module in the warden's form.
#[derive(Debug, Clone)]
pub struct Stock {
    pub(super) key: LedgerKey,
    modules: Vec<Vec<u8>>,
}

impl Stock {
    /// An empty one, for what an interpreter loads. `identity` stands for the content of everything that it can load.
    pub fn empty(sandbox: SandboxKind, interpreter: &Interpreter, identity: &str) -> Self {
        let key = LedgerKey::over(&[
            b"modules",
            sandbox.word().as_bytes(),
            format!("{interpreter:?}").as_bytes(),
            identity.as_bytes(),
        ]);
        let modules = Vec::new();
        Self { key, modules }
    }

    /// With all that is known of it.
    pub fn filled(mut self, ledger: &Ledger) -> Result<Self> {
        self.modules = ledger.modules(self.key)?;
        Ok(self)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.modules.len()
    }

    /// Each of them, as the warden takes them.
    pub(super) fn add_to(&self, message: &mut Message) -> Result<()> {
        for module in &self.modules {
            message.add_block(module)?;
        }
        Ok(())
    }
}

/// The name that the warden's own program has among the modules: another one's has another.
pub(super) fn program_name() -> String {
    LedgerKey::over(&[PROGRAM.as_bytes()]).bytes()[..8]
        .iter()
        .fold(PROGRAM_NAMES.to_owned(), |name, byte| {
            format!("{name}{byte:02x}")
        })
}

/// A module that a session had to look for.
pub(super) struct Loaded {
    stock: LedgerKey,
    name: String,
    data: Vec<u8>,
}

impl Warden {
    /// Remembers which modules were no part of a stock.
    pub(super) fn note_loaded(&mut self, told: &Value) {
        let stock = self.stocked;
        for (name, data) in told.as_object().into_iter().flatten() {
            if let Some(data) = data.as_str().and_then(|text| STANDARD.decode(text).ok()) {
                let name = name.clone();
                self.loaded.push(Loaded { stock, name, data });
            }
        }
    }

    /// Keeps them for the sessions to come.
    pub(super) fn keep_loaded(&mut self, ledger: &Ledger) -> Result<()> {
        if self.loaded.is_empty() {
            return Ok(());
        }
        let loaded = std::mem::take(&mut self.loaded);
        let modules = loaded
            .iter()
            .map(|one| (one.stock, one.name.as_str(), one.data.as_slice()));
        ledger.record_modules(modules)
    }
}
