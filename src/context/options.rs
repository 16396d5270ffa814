//! The options of retrieval: how files are split into snippets, how texts are split into tokens, and how candidates are
//! ordered.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// How a file is split into snippets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Chunking {
    /// Windows of at most `window` lines, one every `step` lines. In a file of n lines, each k in 0, step, 2·step, …
    /// with k < n gives one window: the 0-based lines `[max(0, k - window/2), min(n, k + window/2))`. `RepoCoder` uses
    /// `window` 20 and `step` 10.
    Lines {
        /// The maximum number of lines in a window: an even number from 2 to 10,000.
        window: u32,
        /// The distance from one window to the next, in lines: at least 1.
        step: u32,
    },
    /// Each snippet is a function, a class header, or code between functions and class headers.
    Syntax,
}

impl Default for Chunking {
    fn default() -> Self {
        Self::Lines {
            window: 20,
            step: 10,
        }
    }
}

impl fmt::Display for Chunking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines { window, step } => write!(f, "lines:{window}:{step}"),
            Self::Syntax => f.write_str("syntax"),
        }
    }
}

impl FromStr for Chunking {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::user(format!("'{text}' is not a way to split files")).hint(
                "use lines:LENGTH:STEP with an even LENGTH, for example lines:20:10, or syntax",
            )
        };
        if text == "syntax" {
            return Ok(Self::Syntax);
        }
        let numbers = text.strip_prefix("lines:").ok_or_else(wrong)?;
        let (window, step) = numbers.split_once(':').ok_or_else(wrong)?;
        let (Ok(window), Ok(step)) = (window.parse::<u32>(), step.parse::<u32>()) else {
            return Err(wrong());
        };
        let sound = (2..=10_000).contains(&window) && window % 2 == 0 && step >= 1;
        sound
            .then_some(Self::Lines { window, step })
            .ok_or_else(wrong)
    }
}

/// The tokens of the Jaccard score. BM25 always uses words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Tokens {
    /// Maximal runs of ASCII letters, digits and underscores, case-sensitive.
    #[default]
    Word,
    /// The tokens of the vocabulary `cl100k_base`.
    Cl100k,
}

impl Tokens {
    /// The word for this kind of token on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Cl100k => "cl100k",
        }
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl FromStr for Tokens {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "word" => Ok(Self::Word),
            "cl100k" => Ok(Self::Cl100k),
            _ => {
                Err(Error::user(format!("'{text}' is not a kind of token"))
                    .hint("use word or cl100k"))
            }
        }
    }
}

/// How retrieval orders candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rank {
    /// The Jaccard similarity of the token sets, as in `RepoCoder`.
    #[default]
    Jaccard,
    /// The BM25 score of the words, with k1 = 1.2 and b = 0.75.
    Bm25,
}

impl FromStr for Rank {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "jaccard" => Ok(Self::Jaccard),
            "bm25" => Ok(Self::Bm25),
            _ => {
                Err(Error::user(format!("'{text}' is not a way to rank"))
                    .hint("use jaccard or bm25"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunking_is_parsed_and_displayed_in_the_same_notation() {
        for text in ["lines:20:10", "lines:2:1", "syntax"] {
            assert_eq!(text.parse::<Chunking>().unwrap().to_string(), text);
        }
        assert_eq!(Chunking::default().to_string(), "lines:20:10");
        for text in [
            "lines:21:10",
            "lines:20:0",
            "lines:20",
            "lines:0:1",
            "words",
            "lines:-2:1",
        ] {
            assert!(
                text.parse::<Chunking>().unwrap_err().advice().is_some(),
                "{text}"
            );
        }
    }
}
