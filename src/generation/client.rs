//! The HTTP client: sends a request to a model server and reads the answer.

use std::error::Error as _;
use std::sync::{Once, OnceLock};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Response, StatusCode};
use serde_json::Value;

use super::answer::Answer;
use super::endpoint::Endpoint;
use super::failure::{Cause, Failure, RequestResult};
use super::key::Key;
use super::refusal::Refusal;
use super::request::{MAX_TOKENS, Request};
use crate::error::{Error, Result};

/// The largest response that is read, in bytes.
const LARGEST: usize = 32 << 20;
/// The time limit for connecting to the server.
const CONNECT: Duration = Duration::from_secs(20);

/// Where to send requests, and how.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// The server.
    pub endpoint: Endpoint,
    /// The key of the server.
    pub key: Key,
    /// The environment variable that the key was read from, for messages.
    pub key_name: String,
    /// The time limit for an answer.
    pub timeout: Duration,
}

/// A client of one server. It follows no redirects.
pub struct Client {
    http: reqwest::Client,
    options: ClientOptions,
    /// The server's name of the parameter for the length of an answer, once it has refused [`MAX_TOKENS`].
    limit: OnceLock<&'static str>,
}

impl Client {
    /// Creates a client. Errors if the endpoint uses TLS and the system's root certificates cannot be read.
    pub fn new(options: ClientOptions) -> Result<Self> {
        static PROVIDER: Once = Once::new();
        PROVIDER.call_once(|| {
            // Fails if a provider of cryptography is already installed. Any provider can be used.
            let _ = rustls::crypto::ring::default_provider().install_default();
        });
        let mut builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .timeout(options.timeout)
            .user_agent(concat!("evoscope/", env!("CARGO_PKG_VERSION")));
        if options.endpoint.is_local() {
            builder = builder.no_proxy();
        }
        if !options.endpoint.is_secure() {
            // Without TLS, the system's root certificates are not needed. A small container may have none.
            let unused = rustls::ClientConfig::builder()
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth();
            builder = builder.tls_backend_preconfigured(unused);
        }
        let http = builder.build().map_err(|why| {
            let reason = root_cause(&why);
            Error::user(format!("no secure connection can be made: {reason}")).hint(
                "install the system's root certificates (on Debian the package ca-certificates)",
            )
        })?;
        Ok(Self {
            http,
            options,
            limit: OnceLock::new(),
        })
    }

    /// Sends a request and reads the answer. If the server wants another name for `max_tokens`, sends the request again
    /// with that name, and uses it for all later requests too.
    pub async fn ask(&self, request: Request<'_>) -> RequestResult<Answer> {
        let limit = self.limit.get().copied().unwrap_or(MAX_TOKENS);
        match self.ask_with(request, limit).await {
            Err(Failure::OtherLimit(name)) => {
                let name = *self.limit.get_or_init(|| name);
                self.ask_with(request, name).await
            }
            asked => asked,
        }
    }

    async fn ask_with(&self, request: Request<'_>, limit: &'static str) -> RequestResult<Answer> {
        let url = self
            .options
            .endpoint
            .completions(request.parameters.interface);
        let mut post = self
            .http
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(request.body(limit));
        if let Some(value) = self.options.key.header() {
            post = post.header(AUTHORIZATION, value);
        }
        let response = post.send().await.map_err(|why| self.broken(why))?;
        let status = response.status();
        let headers = response.headers().clone();
        let body = self.body(response).await?;
        let key = &self.options.key;
        if status == StatusCode::OK {
            return Answer::read(&body, key).map_err(Failure::OfPrompt);
        }
        let refusal = Refusal {
            status,
            headers: &headers,
            body: &body,
            request,
            limit,
            endpoint: &self.options.endpoint,
            key,
            key_name: &self.options.key_name,
        };
        Err(refusal.failure())
    }

    /// The names of the server's models. Empty if the server does not list them.
    pub async fn models(&self) -> Vec<String> {
        let mut get = self.http.get(self.options.endpoint.models());
        if let Some(value) = self.options.key.header() {
            get = get.header(AUTHORIZATION, value);
        }
        let Ok(response) = get.timeout(CONNECT).send().await else {
            return Vec::new();
        };
        let body = self.body(response).await.unwrap_or_default();
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        let listed = value["data"].as_array().into_iter().flatten();
        let names = listed.filter_map(|model| model["id"].as_str());
        names
            .map(|name| self.options.key.removed_from(name))
            .collect()
    }

    /// Reads the body of a response. A body of more than [`LARGEST`] bytes is a failure.
    async fn body(&self, mut response: Response) -> RequestResult<Vec<u8>> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|why| self.broken(why))? {
            if body.len() + chunk.len() > LARGEST {
                let most = LARGEST >> 20;
                return Err(Failure::OfPrompt(Error::data(format!(
                    "the server's answer is larger than {most} MB"
                ))));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }

    /// Converts the error of a request that has no complete response.
    fn broken(&self, why: reqwest::Error) -> Failure {
        let why = why.without_url();
        let endpoint = &self.options.endpoint;
        if why.is_timeout() && !why.is_connect() {
            let seconds = self.options.timeout.as_secs_f64();
            return Failure::passing(
                Error::data(format!("no answer from {endpoint} within {seconds} s"))
                    .hint("allow more time for an answer, or fewer requests at once"),
            );
        }
        let reason = self.options.key.removed_from(&root_cause(&why));
        if is_of_tls(&why) {
            return Failure::OfRun(
                Error::user(format!("no secure connection to {endpoint}: {reason}")).hint(
                    "check the server's certificate, and whether the endpoint has to begin with http or with https",
                ),
            );
        }
        if why.is_connect() {
            return Failure::Passing {
                why: Error::user(format!("no connection to {endpoint}: {reason}"))
                    .hint("check that the server runs, and that the endpoint is its address"),
                after: None,
                cause: Cause::NoConnection,
            };
        }
        Failure::passing(Error::data(format!(
            "the connection to {endpoint} broke: {reason}"
        )))
    }
}

/// The message of the last error in the chain of sources.
fn root_cause(why: &reqwest::Error) -> String {
    let mut last: &dyn std::error::Error = why;
    while let Some(next) = last.source() {
        last = next;
    }
    last.to_string()
}

/// Whether the cause of an error is TLS, such as an invalid certificate.
fn is_of_tls(why: &reqwest::Error) -> bool {
    let mut next = why.source();
    while let Some(cause) = next {
        if cause.is::<rustls::Error>() {
            return true;
        }
        // `source` of an `io::Error` skips the error that the `io::Error` contains, so read the contained error first.
        let inner = cause.downcast_ref::<std::io::Error>();
        next = match inner.and_then(std::io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => cause.source(),
        };
    }
    // A server without TLS closes the connection during the handshake. That error is not a `rustls::Error`.
    root_cause(why).contains("tls handshake")
}
