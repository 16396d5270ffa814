//! The keys that a user gave commands, in place of those of the table.

use rustc_hash::FxHashMap;

use super::id::CommandId;
use crate::tui::keys::Key;

/// The keys of commands, where they differ from the table's.
#[derive(Debug, Clone, Default)]
pub struct Keymap(pub(super) FxHashMap<CommandId, Vec<Key>>);
