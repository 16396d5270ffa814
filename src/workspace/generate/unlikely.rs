//! Finds the least likely tokens of a completion. `generate` stored the probabilities of the tokens in `records.jsonl`,
//! next to the completion.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use memchr::memmem;
use serde::Serialize;

use super::record::GenerationRecord;
use crate::benchmark::Completion;
use crate::error::{Cancel, Error, Result};
use crate::escape::json;
use crate::files::{LARGEST_SOURCE, open, parse_json};
use crate::generation::TokenProbability;
use crate::workspace::{TaskRef, Workspace};

/// A token that the model gave a low probability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnlikelyToken {
    /// The text of the token.
    pub token: String,
    /// The natural logarithm of the token's probability.
    pub logprob: f64,
    /// The number of the line on which the token begins, from 1. Also 1 if the token begins before the completion. The
    /// lines are counted in the completion, or in the answer if `in_completion` is false.
    pub line: usize,
    /// The text of this line.
    pub text: String,
    /// Whether `line` and `text` refer to the completion. If false, they refer to the answer, because the answer does
    /// not contain the completion unchanged.
    pub in_completion: bool,
}

impl UnlikelyToken {
    /// The probability of the token, from 0 to 1.
    pub fn probability(&self) -> f64 {
        self.logprob.exp()
    }
}

impl Workspace {
    /// The `count` least likely tokens of a completion, sorted from the least likely. Empty if the completion was not
    /// written by `generate`, or if no probabilities are stored. Errors when a file cannot be read, or when cancelled.
    pub fn unlikely_tokens(
        &self,
        task: TaskRef,
        completion: &Completion,
        count: usize,
        cancel: &Cancel,
    ) -> Result<Vec<UnlikelyToken>> {
        let path = self
            .completion_file(completion)
            .with_file_name("records.jsonl");
        if !path.is_file() {
            return Ok(Vec::new());
        }
        let mut records = records_of(&path, self.task(task).id.as_str(), cancel)?;
        records.sort_by_key(|record| record.sample);
        let text = self.completion_text(task, completion)?;
        // If no record is missing, the record of sample n has the index n. Otherwise, the record at this index may
        // belong to another sample. If it has another text than the completion, use the first record with this text.
        let place = completion.sample as usize;
        let in_place = records
            .get(place)
            .filter(|own| own.completion.as_ref() == Some(&text));
        let record = in_place.or_else(|| {
            records
                .iter()
                .find(|own| own.completion.as_ref() == Some(&text))
        });
        Ok(record.map_or_else(Vec::new, |record| {
            least_likely(&record.answer, &text, &record.logprobs, count)
        }))
    }
}

/// The records of a task. Lines that are not records are skipped, since `generate` reports such lines.
fn records_of(path: &Path, task: &str, cancel: &Cancel) -> Result<Vec<GenerationRecord>> {
    let cannot = |why| Error::io("read", path, why);
    let quoted = serde_json::Value::from(task).to_string();
    let wanted = memmem::Finder::new(&format!("\"task\":{}", json(&quoted))).into_owned();
    let mut reader = BufReader::new(open(path)?);
    let (mut records, mut line) = (Vec::new(), Vec::new());
    loop {
        cancel.check()?;
        line.clear();
        let mut limited = reader.by_ref().take(LARGEST_SOURCE);
        if limited.read_until(b'\n', &mut line).map_err(cannot)? == 0 {
            return Ok(records);
        }
        if wanted.find(&line).is_none() {
            continue;
        }
        if let Ok(record) = parse_json::<GenerationRecord>(&line)
            && record.task == task
        {
            records.push(record);
        }
    }
}

/// The `count` least likely tokens of the completion. If the answer does not contain the completion unchanged, the
/// least likely tokens of the whole answer. Tokens that are not in the answer, such as an end marker, are left out.
fn least_likely(
    answer: &str,
    completion: &str,
    tokens: &[TokenProbability],
    count: usize,
) -> Vec<UnlikelyToken> {
    let body = completion.trim_end();
    let start = answer.find(body).filter(|_| !body.is_empty());
    let (text, begin) = start.map_or((answer, 0), |start| (body, start));
    let placed = places(answer, tokens).into_iter();
    let own = placed.filter_map(|(at, TokenProbability(token, logprob))| {
        // A token that overlaps the start or the end of the completion belongs to the completion too.
        let end = at + token.len();
        let inside = end > begin && at < begin + text.len();
        let at = at.max(begin) - begin;
        inside.then(|| UnlikelyToken {
            token: token.clone(),
            logprob: *logprob,
            line: memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1,
            text: line_at(text, at).to_owned(),
            in_completion: start.is_some(),
        })
    });
    let mut own: Vec<_> = own.collect();
    own.sort_by(|a, b| a.logprob.total_cmp(&b.logprob));
    own.truncate(count);
    own
}

/// How many bytes of the answer may be between two tokens. Some servers leave out tokens for markers and blanks.
const GAP: usize = 64;

/// The tokens that are in the answer, in order: (byte offset in the answer, token).
fn places<'a>(answer: &str, tokens: &'a [TokenProbability]) -> Vec<(usize, &'a TokenProbability)> {
    let mut at = 0;
    let mut placed = Vec::new();
    for token in tokens.iter().filter(|token| !token.0.is_empty()) {
        let rest = &answer.as_bytes()[at..];
        let rest = &rest[..rest.len().min(GAP + token.0.len())];
        if let Some(gap) = memmem::find(rest, token.0.as_bytes()) {
            placed.push((at + gap, token));
            at += gap + token.0.len();
        }
    }
    placed
}

/// The line that contains the byte at `at`. A line feed belongs to the line that it ends.
fn line_at(text: &str, at: usize) -> &str {
    let bytes = text.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |before| before + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(text.len(), |after| at + after);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(all: &[(&str, f64)]) -> Vec<TokenProbability> {
        let all = all.iter();
        all.map(|(token, logprob)| TokenProbability((*token).to_owned(), *logprob))
            .collect()
    }

    #[test]
    fn tokens_have_the_line_numbers_of_their_completion_and_the_least_likely_token_comes_first() {
        let answer = "Sure:\ndef f(a):\n    b = a\n    return b";
        let given = tokens(&[
            ("<s>", -9.0),
            ("Sure", -8.0),
            (":\n", -0.1),
            ("def f(a):\n", -0.2),
            ("    b", -0.3),
            (" = a", -3.0),
            ("\n", -0.4),
            ("    return", -0.5),
            (" b", -2.0),
            ("</s>", -7.0),
        ]);
        let body = "    b = a\n    return b\n";
        let found = least_likely(answer, body, &given, 2);
        let said: Vec<_> = found
            .iter()
            .map(|own| {
                (
                    own.token.as_str(),
                    own.line,
                    own.text.as_str(),
                    own.in_completion,
                )
            })
            .collect();
        let expected = [
            (" = a", 1, "    b = a", true),
            (" b", 2, "    return b", true),
        ];
        assert_eq!(said, expected);
        let whole = least_likely(answer, "\tb = a\n", &given, 1);
        assert_eq!((whole[0].token.as_str(), whole[0].line), ("Sure", 1));
        assert!(!whole[0].in_completion);
        assert!((whole[0].probability() - (-8.0f64).exp()).abs() < 1e-12);
        assert_eq!(least_likely(answer, "    pass\n", &[], 3), []);
        assert_eq!(least_likely("é", "é", &tokens(&[("é", -1.0)]), 3).len(), 1);
    }
}
