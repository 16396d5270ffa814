//! Numbers from verdicts: pure functions, each with its formula and its source.
