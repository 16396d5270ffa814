//! The user's settings for the explorer.

use crate::tui::commands::Keymap;
use crate::workspace::GenerateSettings;
use crate::workspace::filter::NamedFilters;

/// Keys, filters and the mouse, from the settings file.
#[derive(Debug, Clone, Default)]
pub struct Preferences {
    /// The keys of commands.
    pub keymap: Keymap,
    /// Filters by name.
    pub filters: NamedFilters,
    /// Whether the explorer leaves the mouse to the terminal, so that it can select text.
    pub leaves_mouse: bool,
    /// Whether the settings file names a cluster that completions can run on.
    pub has_cluster: bool,
    /// The defaults for the server and the model of generations.
    pub generation: GenerateSettings,
}
