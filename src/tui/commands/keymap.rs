//! Keys that the user's settings assign to commands, instead of the keys in `COMMANDS`.

use rustc_hash::FxHashMap;

use super::id::CommandId;
use crate::tui::keys::Key;

/// For each command whose keys the user changed: its keys.
#[derive(Debug, Clone, Default)]
pub struct Keymap(pub(super) FxHashMap<CommandId, Vec<Key>>);
