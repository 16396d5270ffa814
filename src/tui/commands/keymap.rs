//! Keys that the user's settings assign to commands, instead of the keys in `COMMANDS`.

use rustc_hash::FxHashMap;

use super::id::CommandId;
use crate::tui::keys::Key;

/// The keys of each command that the user's settings change.
#[derive(Debug, Clone, Default)]
pub struct Keymap(pub(super) FxHashMap<CommandId, Vec<Key>>);
