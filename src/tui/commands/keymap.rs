//! The keys that the user's settings assign to commands. They replace the default keys in `COMMANDS`.

use rustc_hash::FxHashMap;

use super::id::CommandId;
use crate::tui::keys::Key;

/// The user's keys for each command that the settings file contains. An empty list means that the command has no key.
#[derive(Debug, Clone, Default)]
pub struct Keymap(pub(super) FxHashMap<CommandId, Vec<Key>>);
