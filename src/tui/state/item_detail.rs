//! What is shown of an item of a review in addition to the panes.

use crate::review::Evidence;

/// What is shown of an item: two texts side by side, or a failure.
#[derive(Debug, Default)]
pub struct ItemDetail {
    /// The left text under its title.
    pub left: (String, String),
    /// The right text under its title.
    pub right: (String, String),
    /// A failed completion.
    pub failure: Option<Box<super::failure::FailureSheet>>,
    /// What is known of a failure.
    pub evidence: Evidence,
}
