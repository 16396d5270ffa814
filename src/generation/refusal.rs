//! Interprets a response without an answer: what failed, and what can be done about it.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;

use super::answer::{error_message, quoted};
use super::endpoint::Endpoint;
use super::failure::{Cause, Failure};
use super::key::Key;
use super::request::{MAX_TOKENS, Request};
use crate::error::Error;

/// The maximum waiting time that is accepted from a server.
const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// A response with a status other than 200 (OK).
pub(super) struct Refusal<'a> {
    pub(super) status: StatusCode,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: &'a [u8],
    pub(super) request: Request<'a>,
    /// The name under which the request had the length of an answer.
    pub(super) limit: &'a str,
    pub(super) endpoint: &'a Endpoint,
    pub(super) key: &'a Key,
    /// The environment variable that the key is read from.
    pub(super) key_name: &'a str,
}

impl Refusal<'_> {
    /// The failure of the request.
    pub(super) fn failure(&self) -> Failure {
        let text = String::from_utf8_lossy(self.body);
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let message = error_message(&value).unwrap_or_else(|| text.into_owned());
        let said = quoted(message.trim(), self.key);
        let code = self.status.as_u16();
        let error = &value["error"];
        let kind = [&error["code"], &error["type"]].map(|word| word.as_str().unwrap_or_default());
        if self.status.is_redirection() {
            return Failure::OfRun(self.redirect());
        }
        if kind.contains(&"insufficient_quota") {
            return Failure::OfRun(
                Error::user(format!("the account has no quota left: {said}")).hint(
                    "add credit, then run the same command again: it goes on with what is missing",
                ),
            );
        }
        if let 400 | 422 = code
            && let Some(failure) = self.refused_parameter(&value, &message, &said)
        {
            return failure;
        }
        match code {
            401 | 403 => Failure::OfRun(self.wrong_key(&said)),
            400 | 404 | 422 if names_missing_model(&kind, &message) => {
                Failure::OfRun(self.missing_model(&said))
            }
            404 | 405 => Failure::OfRun(
                Error::user(format!(
                    "the server does not know this address (HTTP {code}): {said}"
                ))
                .hint("check the endpoint, which usually ends with /v1; or use the other interface (chat or raw)"),
            ),
            400 | 413 | 422 | 500 if is_too_long(&kind, &message) => Failure::TooLong {
                context: context_size(error, &message),
                said,
            },
            408 | 409 | 425 | 429 | 500 | 502..=599 => self.passing(&said),
            _ => Failure::OfPrompt(Error::data(format!(
                "the server refuses the request (HTTP {code}): {said}"
            ))),
        }
    }

    /// The failure if the server refuses a parameter by its name. `None` if it does not.
    fn refused_parameter(&self, value: &Value, message: &str, said: &str) -> Option<Failure> {
        let named = parameter_of(value);
        let lower = message.to_lowercase();
        if self.limit == MAX_TOKENS
            && let Some(other) = OTHER_LIMITS.iter().find(|name| lower.contains(**name))
        {
            return Some(Failure::OtherLimit(other));
        }
        if !is_refusal_of_parameter(value, &lower) {
            return None;
        }
        if self.limit == MAX_TOKENS
            && named
                .as_deref()
                .map_or_else(|| lower.contains(MAX_TOKENS), |name| name == MAX_TOKENS)
        {
            return Some(Failure::OtherLimit(OTHER_LIMITS[0]));
        }
        let is_named = |name: &str| match &named {
            Some(named) => named == name,
            None => names_word(&lower, name),
        };
        let (name, options) = self.request.chosen().find(|(name, _)| is_named(name))?;
        let code = self.status.as_u16();
        let what = format!("the server refuses the parameter '{name}' (HTTP {code}): {said}");
        let hint = format!("leave out {options}, so that the parameter is not sent");
        Some(Failure::OfRun(Error::user(what).hint(hint)))
    }

    fn passing(&self, said: &str) -> Failure {
        let code = self.status.as_u16();
        Failure::Passing {
            why: Error::data(format!("the server is not ready (HTTP {code}): {said}")),
            after: retry_after(self.headers),
            cause: match code {
                429 | 503 | 529 => Cause::Overload,
                _ => Cause::Other,
            },
        }
    }

    fn redirect(&self) -> Error {
        let to = self.headers.get(LOCATION);
        let to = to.map_or_else(String::new, |to| {
            let address = String::from_utf8_lossy(to.as_bytes());
            format!(" to {}", quoted(&address, self.key))
        });
        Error::user(format!("the server at {} redirects{to}", self.endpoint)).hint(
            "redirects are not followed, so that neither the key nor a prompt goes to another server; \
             give the final address as the endpoint",
        )
    }

    fn wrong_key(&self, said: &str) -> Error {
        let name = self.key_name;
        let (what, hint) = if self.key.is_given() {
            (
                "the server refuses the key",
                format!("check the key in the environment variable {name}"),
            )
        } else {
            (
                "the server asks for a key",
                format!("set it in the environment variable {name}, or name another variable"),
            )
        };
        let code = self.status.as_u16();
        Error::user(format!("{what} (HTTP {code}): {said}")).hint(hint)
    }

    fn missing_model(&self, said: &str) -> Error {
        Error::user(format!(
            "the server has no model '{}': {said}",
            self.request.model
        ))
        .hint("name a model that the server has")
    }
}

/// Other names of `max_tokens`. The first one is used if the server names none.
const OTHER_LIMITS: [&str; 3] = [
    "max_completion_tokens",
    "max_output_tokens",
    "max_new_tokens",
];

/// The parameter that an error is about: `{"error": {"param": …}}`, or the last place of `{"detail": [{"loc": […]}]}`.
/// `None` if the error names none.
fn parameter_of(value: &Value) -> Option<String> {
    let place = value["detail"][0]["loc"]
        .as_array()
        .and_then(|loc| loc.last());
    let named = value["error"]["param"].as_str();
    let named = named.or_else(|| value["param"].as_str());
    named.or_else(|| place?.as_str()).map(str::to_owned)
}

/// Whether an error says that a parameter, or its value, is not supported. `message` is in lower case.
fn is_refusal_of_parameter(value: &Value, message: &str) -> bool {
    const CODES: [&str; 4] = [
        "unsupported_parameter",
        "unsupported_value",
        "unknown_parameter",
        "extra_forbidden",
    ];
    const WORDS: [&str; 9] = [
        "unsupported",
        "not supported",
        "does not support",
        "unrecognized",
        "unknown parameter",
        "unexpected",
        "not permitted",
        "not allowed",
        "deprecated",
    ];
    let codes = [&value["error"]["code"], &value["detail"][0]["type"]];
    codes
        .iter()
        .any(|code| code.as_str().is_some_and(|code| CODES.contains(&code)))
        || WORDS.iter().any(|word| message.contains(word))
}

/// Whether `text` contains `name` as a whole word.
fn names_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).any(|word| word == name)
}

fn names_missing_model(kind: &[&str], message: &str) -> bool {
    let message = message.to_lowercase();
    let missing = [
        "not found",
        "does not exist",
        "not exist",
        "unknown",
        "no model",
    ];
    kind.contains(&"model_not_found")
        || message.contains("model") && missing.iter().any(|word| message.contains(word))
}

fn is_too_long(kind: &[&str], message: &str) -> bool {
    const KINDS: [&str; 2] = ["context_length_exceeded", "exceed_context_size_error"];
    let message = message.to_lowercase();
    let words = [
        "context length",
        "context size",
        "context window",
        "maximum context",
        "prompt is too long",
    ];
    kind.iter().any(|kind| KINDS.contains(kind)) || words.iter().any(|word| message.contains(word))
}

/// The size of the model's context in tokens: `n_ctx` of llama.cpp, or else the first number in the message after the
/// word `context`. `None` if there is neither.
fn context_size(error: &Value, message: &str) -> Option<u64> {
    let named = error["n_ctx"].as_u64();
    named.or_else(|| {
        let after = &message[message.find("context")?..];
        let digits = after.find(|c: char| c.is_ascii_digit())?;
        let number = &after[digits..];
        let end = number
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(number.len());
        number[..end].parse().ok()
    })
}

/// The waiting time in the header `Retry-After` (a number of seconds or a date), reduced to at most [`LONGEST_WAIT`].
/// `None` if there is no valid header.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds >= 0.0);
    let wait = if let Some(seconds) = seconds {
        Duration::try_from_secs_f64(seconds).ok()
    } else {
        let until = httpdate::parse_http_date(text).ok()?;
        Some(until.duration_since(SystemTime::now()).unwrap_or_default())
    };
    wait.map(|wait| wait.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(status: u16, body: &str, header: Option<(&'static str, &str)>) -> Failure {
        let mut headers = HeaderMap::new();
        if let Some((name, value)) = header {
            headers.insert(name, value.parse().unwrap());
        }
        let refusal = Refusal {
            status: StatusCode::from_u16(status).unwrap(),
            headers: &headers,
            body: body.as_bytes(),
            request: Request {
                model: "m",
                prompt: "",
                parameters: &serde_json::from_str(
                    r#"{"interface": "chat", "max_tokens": 5, "temperature": 0.4, "stop": ["x"]}"#,
                )
                .unwrap(),
                sample: 0,
            },
            limit: MAX_TOKENS,
            endpoint: &Endpoint::parse("http://a/v1").unwrap(),
            key: &Key::default(),
            key_name: "KEY",
        };
        refusal.failure()
    }

    #[test]
    fn a_refusal_that_only_the_user_can_fix_ends_the_run() {
        for (status, body, said, hint) in [
            (401, "", "asks for a key", "KEY"),
            (
                403,
                r#"{"error":{"message":"no"}}"#,
                "asks for a key (HTTP 403): no",
                "KEY",
            ),
            (
                404,
                r#"{"error":{"message":"The model `m` does not exist."}}"#,
                "no model 'm'",
                "name a model",
            ),
            (
                400,
                r#"{"error":{"code":"model_not_found"}}"#,
                "no model 'm'",
                "name a model",
            ),
            (404, "nothing here", "does not know this address", "/v1"),
            (
                429,
                r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#,
                "no quota left: pay",
                "credit",
            ),
        ] {
            let Failure::OfRun(why) = failure(status, body, None) else {
                panic!("{status}");
            };
            assert!(why.to_string().contains(said), "{why}");
            assert!(why.advice().unwrap().contains(hint));
        }
        let Failure::OfRun(why) = failure(302, "", Some(("location", "http://evil/"))) else {
            panic!("a redirect does not end the run");
        };
        assert_eq!(
            why.to_string(),
            "the server at http://a/v1 redirects to http://evil/"
        );
    }

    #[test]
    fn a_parameter_that_the_server_refuses_is_renamed_or_named() {
        for body in [
            r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}"#,
            r#"{"error":{"message":"Use 'max_completion_tokens' instead"}}"#,
            r#"{"error":{"message":"not supported","param":"max_tokens"}}"#,
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","max_tokens"],"msg":"Extra inputs are not permitted"}]}"#,
        ] {
            let failure = failure(400, body, None);
            assert!(
                matches!(failure, Failure::OtherLimit("max_completion_tokens")),
                "{body}"
            );
        }
        for (body, name) in [
            (
                r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.4 with this model.","param":"temperature","code":"unsupported_value"}}"#,
                "'temperature'",
            ),
            (
                r#"{"error":{"message":"'stop' is not supported with this model"}}"#,
                "'stop'",
            ),
        ] {
            let Failure::OfRun(why) = failure(400, body, None) else {
                panic!("{body}");
            };
            assert!(
                why.what()
                    .contains(&format!("refuses the parameter {name}")),
                "{why}"
            );
            assert!(why.advice().unwrap().contains("leave out --"), "{why}");
        }
        for body in [
            r#"{"error":{"message":"max_tokens is too large: 5. At most 4 are supported","param":"max_tokens"}}"#,
            r#"{"error":{"message":"the prompt is empty"}}"#,
        ] {
            assert!(
                matches!(failure(400, body, None), Failure::OfPrompt(_)),
                "{body}"
            );
        }
    }

    #[test]
    fn a_long_prompt_is_recognised_with_the_size_of_the_context() {
        for (body, size) in [
            (
                r#"{"error":{"code":400,"message":"request (9001 tokens) exceeds the available context size (8192 tokens)","type":"exceed_context_size_error","n_prompt_tokens":9001,"n_ctx":8192}}"#,
                Some(8192),
            ),
            (
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","code":400}"#,
                Some(4096),
            ),
            (
                r#"{"error":{"message":"too much","code":"context_length_exceeded"}}"#,
                None,
            ),
        ] {
            let Failure::TooLong { context, .. } = failure(400, body, None) else {
                panic!("{body}");
            };
            assert_eq!(context, size);
        }
    }

    #[test]
    fn a_temporary_refusal_has_the_waiting_time_that_the_server_asks_for() {
        let passing = |status, header| match failure(status, "busy", header) {
            Failure::Passing { after, cause, .. } => (after, cause),
            other => panic!("{status}: {other:?}"),
        };
        for status in [408, 409, 500, 502, 504] {
            assert_eq!(passing(status, None), (None, Cause::Other));
        }
        let wait = |text: &'static str| passing(429, Some(("retry-after", text)));
        assert_eq!(
            wait("2.5"),
            (Some(Duration::from_millis(2500)), Cause::Overload)
        );
        assert_eq!(wait("99999"), (Some(LONGEST_WAIT), Cause::Overload));
        assert_eq!(wait("soon"), (None, Cause::Overload));
        assert_eq!(
            wait("Sun, 06 Nov 1994 08:49:37 GMT").0,
            Some(Duration::ZERO)
        );
        assert!(matches!(failure(418, "", None), Failure::OfPrompt(_)));
    }
}
