//! What is asked.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::benchmark::vocabulary;

vocabulary! {
    /// Which of the two interfaces a server is asked through.
    Interface: "an interface" {
        /// `chat/completions`, with the prompt as one message of the user.
        Chat = "chat",
        /// `completions`, with the prompt as it is.
        Raw = "raw",
    }
}

/// How the model answers. What is `None` is not sent, so that the server's own default counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// The interface.
    pub interface: Interface,
    /// The temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of probability that tokens are drawn from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The longest answer, in the model's tokens.
    pub max_tokens: u32,
    /// Texts that end the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// The seed of the first sample; the sample with number `i` is asked with the seed plus `i`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Whether the probability of each token is asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub logprobs: bool,
}

/// One request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The model, as the server calls it.
    pub model: &'a str,
    /// The prompt.
    pub prompt: &'a str,
    /// How it is answered.
    pub parameters: &'a Parameters,
    /// The number of the sample.
    pub sample: u32,
}

impl Request<'_> {
    /// The body, in JSON.
    pub(super) fn body(&self) -> String {
        let Parameters {
            interface,
            temperature,
            top_p,
            max_tokens,
            stop,
            logprobs,
            ..
        } = self.parameters;
        let mut body = Map::new();
        let mut set = |name: &str, value: Value| {
            if !value.is_null() {
                body.insert(name.to_owned(), value);
            }
        };
        set("model", json!(self.model));
        match interface {
            Interface::Chat => {
                set(
                    "messages",
                    json!([{"role": "user", "content": self.prompt}]),
                );
                set("logprobs", logprobs.then_some(true).into());
            }
            Interface::Raw => {
                set("prompt", json!(self.prompt));
                set("logprobs", logprobs.then_some(1).into());
            }
        }
        set("max_tokens", json!(max_tokens));
        set("temperature", json!(temperature));
        set("top_p", json!(top_p));
        if !stop.is_empty() {
            set("stop", json!(stop));
        }
        set("seed", json!(self.seed()));
        Value::Object(body).to_string()
    }

    /// The seed of this sample.
    pub fn seed(&self) -> Option<u64> {
        let first = self.parameters.seed?;
        Some(first.wrapping_add(u64::from(self.sample)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_given_is_sent() {
        let mut parameters = Parameters {
            interface: Interface::Raw,
            temperature: None,
            top_p: None,
            max_tokens: 5,
            stop: Vec::new(),
            seed: None,
            logprobs: false,
        };
        let body = |parameters: &Parameters| {
            let request = Request {
                model: "m",
                prompt: "def f():",
                parameters,
                sample: 2,
            };
            request.body()
        };
        let plain = r#"{"model":"m","prompt":"def f():","max_tokens":5}"#;
        assert_eq!(body(&parameters), plain);
        parameters = Parameters {
            interface: Interface::Chat,
            temperature: Some(0.4),
            top_p: Some(0.95),
            stop: vec!["\n\n".to_owned()],
            seed: Some(40),
            logprobs: true,
            ..parameters
        };
        let full = r#"{"model":"m","messages":[{"role":"user","content":"def f():"}],"logprobs":true,"max_tokens":5,"temperature":0.4,"top_p":0.95,"stop":["\n\n"],"seed":42}"#;
        assert_eq!(body(&parameters), full);
    }
}
