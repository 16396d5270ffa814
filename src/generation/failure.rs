//! The reasons why a request has no answer.

use std::time::Duration;

use crate::error::Error;

/// The result of a request.
pub type RequestResult<T> = std::result::Result<T, Failure>;

/// Why a request has no answer. The module `generation` describes the consequences of each variant.
#[derive(Debug)]
pub enum Failure {
    /// A later attempt may succeed.
    Passing {
        /// What happened.
        why: Error,
        /// How long the server asks to wait, if it asks.
        after: Option<Duration>,
        /// The cause.
        cause: Cause,
    },
    /// The prompt and the answer together are too long for the model's context.
    TooLong {
        /// The size of the model's context in tokens, if the server reports it.
        context: Option<u64>,
        /// The server's message.
        said: String,
    },
    /// The server does not know the parameter `max_tokens`, and wants its value under this name.
    OtherLimit(&'static str),
    /// The server does not answer this prompt. It may answer other prompts.
    OfPrompt(Error),
    /// No request will have an answer until the user changes something.
    OfRun(Error),
}

/// The cause of a failure that may be temporary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The server is overloaded: fewer requests should be sent at once.
    Overload,
    /// The connection to the server cannot be made.
    NoConnection,
    /// Another cause, or an unknown one.
    Other,
}

impl Failure {
    /// A failure that may be temporary, with an unknown cause and without a time to wait.
    pub(super) fn passing(why: Error) -> Self {
        Self::Passing {
            why,
            after: None,
            cause: Cause::Other,
        }
    }

    /// The error that describes the failure.
    pub fn into_error(self) -> Error {
        match self {
            Self::Passing { why, .. } | Self::OfPrompt(why) | Self::OfRun(why) => why,
            Self::OtherLimit(name) => Error::user(format!(
                "the server wants 'max_tokens' under the name '{name}'"
            )),
            Self::TooLong { said, .. } => {
                let what = format!("the prompt does not fit the model's context: {said}");
                Error::data(what).hint("set a budget that contexts are cut to")
            }
        }
    }
}
