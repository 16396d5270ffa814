//! Why a request has no answer.

use std::time::Duration;

use crate::error::Error;

/// What a request gives.
pub type RequestResult<T> = std::result::Result<T, Failure>;

/// Why a request has no answer, by what can be done about it.
#[derive(Debug)]
pub enum Failure {
    /// It may have one when it is sent again.
    Passing {
        /// What happened.
        why: Error,
        /// How long the server asks to wait.
        after: Option<Duration>,
        /// What is known of the cause.
        cause: Cause,
    },
    /// The prompt and the answer do not fit the model's context.
    TooLong {
        /// How many tokens the model's context holds, where the server says it.
        context: Option<u64>,
        /// What the server says.
        said: String,
    },
    /// The server does not answer this prompt; others may have answers.
    OfPrompt(Error),
    /// No request has an answer until the user changes something.
    OfRun(Error),
}

/// The cause of a failure that may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The server has too much to do: fewer requests should be sent at once.
    Overload,
    /// No connection to the server.
    NoConnection,
    /// Anything else.
    Other,
}

impl Failure {
    /// A failure that may pass, without a time to wait.
    pub(super) fn passing(why: Error) -> Self {
        Self::Passing {
            why,
            after: None,
            cause: Cause::Other,
        }
    }

    /// What happened.
    pub fn into_error(self) -> Error {
        match self {
            Self::Passing { why, .. } | Self::OfPrompt(why) | Self::OfRun(why) => why,
            Self::TooLong { said, .. } => {
                let what = format!("the prompt does not fit the model's context: {said}");
                Error::data(what).hint("set a budget that contexts are cut to")
            }
        }
    }
}
