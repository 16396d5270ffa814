//! The details of a review item, shown in addition to the panes.

use crate::review::Evidence;

/// The details of an item: two texts side by side, or a failure.
#[derive(Debug, Default)]
pub struct ItemDetail {
    /// The left text: its title and its content.
    pub left: (String, String),
    /// The right text: its title and its content.
    pub right: (String, String),
    /// A failed completion.
    pub failure: Option<Box<super::failure::FailureSheet>>,
    /// What is known about the failure.
    pub evidence: Evidence,
}
