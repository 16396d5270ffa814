//! The details of a review item that is a pair of texts or a failed completion.

use crate::review::Evidence;

/// Two texts to compare, or a failed completion.
#[derive(Debug, Default)]
pub struct ItemDetail {
    /// The title and the content of the left text. Both are empty if the item is a failure.
    pub left: (String, String),
    /// The title and the content of the right text. Both are empty if the item is a failure.
    pub right: (String, String),
    /// The failed completion; `None` if the item is a pair of texts.
    pub failure: Option<Box<super::failure::FailureSheet>>,
    /// The evidence for the cause of the failure. Empty if the item is a pair of texts.
    pub evidence: Evidence,
}
