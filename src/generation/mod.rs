//! The client of model servers with the OpenAI interface: vLLM, llama.cpp, SGLang, Ollama and hosted servers.
//!
//! [`Client`] sends one request and reads the answer. [`run()`] sends many requests at once. A [`Failure`] has one of
//! four consequences:
//!
//! | failure | examples | consequence |
//! | --- | --- | --- |
//! | `Passing` | 408, 409, 429, 5xx except 501, a timeout, a cut connection | the request is sent again later, a limited number of times |
//! | `OtherLimit` | the server wants another name for `max_tokens` | [`Client`] sends the request again with that name |
//! | `TooLong`, `OfPrompt` | the context is too long, the answer has no text | the request fails, the other requests go on |
//! | `OfRun` | a wrong key, a missing model, a redirect | no other request is sent |
//!
//! A server's answers are untrusted text. Missing or additional fields are not errors. [`Key`] removes the key from
//! every text of the server, so that no message and no answer contains the key.

mod answer;
mod client;
mod endpoint;
mod failure;
mod key;
mod pause;
mod refusal;
mod request;
mod request_limiter;
mod run;

pub use answer::{Answer, TokenProbability, Usage};
pub use client::{Client, ClientOptions};
pub use endpoint::Endpoint;
pub use failure::{Cause, Failure, RequestResult};
pub use key::Key;
pub use pause::Pause;
pub use request::{Interface, Parameters, Request};
pub use run::{ATTEMPTS, DELAY, Event, JOBS, Job, RunOptions, TIMEOUT, run};
