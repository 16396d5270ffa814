//! Reads a server's answers. Missing or additional fields are not errors, but an answer without a text is an error.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::key::Key;
use crate::error::{Error, Result};
use crate::escape::one_line;
use crate::files::parse_json;

/// The maximum number of characters of a server's text in an error message.
const QUOTED: usize = 300;

/// The number of tokens of a request and its answer, as the server counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// The tokens of the prompt.
    pub prompt_tokens: u64,
    /// The tokens of the answer.
    pub completion_tokens: u64,
}

/// (token, natural logarithm of its probability). The logarithm is rounded to four decimal places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenProbability(pub String, pub f64);

/// A server's answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The text of the answer.
    pub text: String,
    /// Why the answer ends, if the server reports it: `stop`, `length`.
    pub finish_reason: Option<String>,
    /// The number of tokens that the request and the answer used, if the server reports it.
    pub usage: Option<Usage>,
    /// The server's name for the model, if the server reports it.
    pub model: Option<String>,
    /// The server's configuration, if the server reports it (`system_fingerprint`).
    pub fingerprint: Option<String>,
    /// The tokens of the answer with their probabilities. Empty if they were not requested, or the server does not send
    /// them.
    pub tokens: Vec<TokenProbability>,
}

impl Answer {
    /// Whether the answer was cut off at the token limit.
    pub fn is_truncated(&self) -> bool {
        self.finish_reason.as_deref() == Some("length")
    }

    /// Reads an answer from the body of a response. The error for a body that is not an answer states the reason.
    pub(super) fn read(body: &[u8], key: &Key) -> Result<Self> {
        let text = std::str::from_utf8(body)
            .map_err(|_| Error::data("the server's answer is not valid UTF-8"))?;
        let value: Value = parse_json(text.as_bytes()).map_err(|why| {
            let what = match text.trim() {
                "" => "the server's answer is empty".to_owned(),
                text => format!(
                    "the server's answer is not JSON ({why}): {}",
                    quoted(text, key)
                ),
            };
            Error::data(what).hint("check that the endpoint is the address of the interface")
        })?;
        if let Some(message) = error_message(&value) {
            return Err(Error::data(format!(
                "the server reports an error: {}",
                quoted(&message, key)
            )));
        }
        let choice = &value["choices"][0];
        if choice.is_null() {
            return Err(Error::data("the server's answer has no choices"));
        }
        let text = choice_text(choice).ok_or_else(|| without_text(choice, key))?;
        let word = |value: &Value| value.as_str().map(|text| key.removed_from(text));
        Ok(Self {
            text: key.removed_from(&text),
            finish_reason: word(&choice["finish_reason"]),
            usage: usage(&value["usage"]),
            model: word(&value["model"]),
            fingerprint: word(&value["system_fingerprint"]),
            tokens: tokens(&choice["logprobs"], key),
        })
    }
}

/// The beginning of a server's text, on one line and without the key.
pub(super) fn quoted(text: &str, key: &Key) -> String {
    let text = one_line(&key.removed_from(text));
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The error message in a response: `{"error": {"message": …}}`, `{"error": …}`, `{"message": …}`, `{"detail": …}`.
/// `None` if the response has none of these, or has `choices`.
pub(super) fn error_message(value: &Value) -> Option<String> {
    let error = &value["error"];
    let places = [
        &error["message"],
        error,
        &value["message"],
        &value["detail"],
    ];
    let found = places
        .into_iter()
        .find_map(|place| place.as_str().map(str::to_owned));
    let found =
        found.or_else(|| (error.is_object() || error.is_array()).then(|| error.to_string()));
    found.filter(|_| value.get("choices").is_none())
}

/// The text of a chat message (one text or a list of texts) or of a raw completion. `None` if there is no text or list.
fn choice_text(choice: &Value) -> Option<String> {
    let content = &choice["message"]["content"];
    if let Some(parts) = content.as_array() {
        let texts = parts.iter().filter_map(|part| part["text"].as_str());
        return Some(texts.collect());
    }
    let found = content.as_str().or_else(|| choice["text"].as_str());
    found.map(str::to_owned)
}

/// The error for a choice without a text, with the reason if the choice shows it.
fn without_text(choice: &Value, key: &Key) -> Error {
    let message = &choice["message"];
    let filled = |value: &Value| value.as_array().is_some_and(|all| !all.is_empty());
    if filled(&message["tool_calls"]) || message["function_call"].is_object() {
        return Error::data("the server answers with a tool call instead of a text")
            .hint("start the server without tools, or use its raw interface");
    }
    if let Some(refusal) = message["refusal"].as_str() {
        let start: String = refusal.chars().take(QUOTED).collect();
        return Error::data(format!(
            "the model refuses to answer: {}",
            one_line(&key.removed_from(&start))
        ));
    }
    let thinks = message["reasoning_content"].is_string() || message["reasoning"].is_string();
    if thinks && choice["finish_reason"] == "length" {
        return Error::data("the model's reasoning took all tokens of its answer")
            .hint("allow more tokens for an answer");
    }
    Error::data("the server's answer has no text")
}

fn usage(value: &Value) -> Option<Usage> {
    Some(Usage {
        prompt_tokens: value["prompt_tokens"].as_u64()?,
        completion_tokens: value["completion_tokens"].as_u64().unwrap_or_default(),
    })
}

/// Reads the tokens of a chat message (`content`), or of a raw completion (`tokens` and `token_logprobs`). A token
/// without a probability is left out.
fn tokens(value: &Value, key: &Key) -> Vec<TokenProbability> {
    let one = |token: &Value, logprob: &Value| {
        let rounded = (logprob.as_f64()? * 1e4).round() / 1e4;
        Some(TokenProbability(key.removed_from(token.as_str()?), rounded))
    };
    if let Some(content) = value["content"].as_array() {
        let all = content.iter();
        return all
            .filter_map(|own| one(&own["token"], &own["logprob"]))
            .collect();
    }
    let lists = value["tokens"]
        .as_array()
        .zip(value["token_logprobs"].as_array());
    let pairs = lists
        .into_iter()
        .flat_map(|(tokens, logs)| tokens.iter().zip(logs));
    pairs.filter_map(|(token, log)| one(token, log)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<Answer> {
        Answer::read(body.as_bytes(), &Key::default())
    }

    #[test]
    fn answers_of_both_interfaces_are_read() {
        let chat = read(
            r#"{"model":"m","system_fingerprint":"b1","choices":[{"message":{"content":"x"},"finish_reason":"length",
            "logprobs":{"content":[{"token":"x","logprob":-0.123456,"more":1}]}}],"usage":{"prompt_tokens":3,"completion_tokens":1,"x":2}}"#,
        );
        let expected = Answer {
            text: "x".to_owned(),
            finish_reason: Some("length".to_owned()),
            usage: Some(Usage {
                prompt_tokens: 3,
                completion_tokens: 1,
            }),
            model: Some("m".to_owned()),
            fingerprint: Some("b1".to_owned()),
            tokens: vec![TokenProbability("x".to_owned(), -0.1235)],
        };
        assert_eq!(chat.unwrap(), expected);
        assert!(expected.is_truncated());
        let raw = read(
            r#"{"choices":[{"text":" 1","logprobs":{"tokens":[" ","1"],"token_logprobs":[null,-2]}}]}"#,
        );
        let raw = raw.unwrap();
        assert_eq!(raw.text, " 1");
        assert_eq!(raw.tokens, [TokenProbability("1".to_owned(), -2.0)]);
        let parts = read(
            r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}"#,
        );
        assert_eq!(parts.unwrap().text, "ab");
        assert_eq!(
            read(r#"{"choices":[{"message":{"content":""}}]}"#)
                .unwrap()
                .text,
            ""
        );
    }

    #[test]
    fn the_error_for_a_response_that_is_no_answer_states_the_reason() {
        let deep = "[".repeat(1000);
        for (body, said) in [
            ("", "is empty"),
            ("<html>busy</html>", "is not JSON"),
            (deep.as_str(), "is not JSON"),
            ("[]", "has no choices"),
            ("null", "has no choices"),
            (r#"{"choices":[]}"#, "has no choices"),
            (
                r#"{"choices":[{"message":{"content":null}}]}"#,
                "has no text",
            ),
            (r#"{"choices":["x"]}"#, "has no text"),
            (
                r#"{"choices":[{"message":{"content":null,"tool_calls":[{}]}}]}"#,
                "a tool call",
            ),
            (
                r#"{"choices":[{"message":{"refusal":"I will not"}}]}"#,
                "refuses to answer: I will not",
            ),
            (
                r#"{"choices":[{"message":{"content":null,"reasoning_content":"hm"},"finish_reason":"length"}]}"#,
                "reasoning took all tokens",
            ),
            (r#"{"error":{"message":"boom"}}"#, "reports an error: boom"),
            (r#"{"error":{"code":3}}"#, r#"{"code":3}"#),
        ] {
            let why = read(body).unwrap_err().to_string();
            assert!(why.contains(said), "{why}");
        }
        let why = Answer::read(b"\xff", &Key::default()).unwrap_err();
        assert!(why.to_string().contains("not valid UTF-8"));
    }
}
