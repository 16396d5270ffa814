//! What the user set for the explorer.

use crate::tui::commands::Keymap;
use crate::workspace::GenerateSettings;
use crate::workspace::filter::NamedFilters;

/// Keys, filters and the mouse, as the settings file has them.
#[derive(Debug, Clone, Default)]
pub struct Preferences {
    /// The keys of commands.
    pub keymap: Keymap,
    /// Filters by name.
    pub filters: NamedFilters,
    /// Whether the mouse is the terminal's, to select text with.
    pub leaves_mouse: bool,
    /// Whether the settings file names a cluster that completions can run on.
    pub has_cluster: bool,
    /// The server and the model of generations.
    pub generation: GenerateSettings,
}
