//! BM25: how well a snippet matches the words of a query. Rare words weigh more.
//!
//! `score = Σ idf(t) · tf(t) · (k1 + 1) / (tf(t) + k1 · (1 − b + b · length / mean length))` over the distinct words t
//! of the query, with `idf(t) = ln(1 + (N − n(t) + 0.5) / (n(t) + 0.5))`. N is the number of distinct snippets of the
//! searched tree, without snippets that must not be shown. n(t) is the number of these snippets that contain t. The
//! length of a snippet is its number of words, repetitions included.
//!
//! The source is Robertson and Zaragoza, 'The Probabilistic Relevance Framework: BM25 and Beyond' (2009), section 3.
//! The idf is Lucene's, which is never negative.

use super::corpus::Corpus;
use super::tree::Placed;

/// Controls how soon repetitions of a word stop raising the score. The value is Lucene's default. Robertson and
/// Zaragoza recommend values from 1.2 to 2.
pub(super) const K1: f64 = 1.2;
/// Controls how strongly length lowers the score of a long snippet. The value is Lucene's default.
pub(super) const B: f64 = 0.75;

/// How often the words of a query occur in the snippets of a tree.
struct Frequencies {
    /// (index of the snippet, index of the query word, number of occurrences), ordered by snippet. Words that do not
    /// occur in a snippet have no entry.
    found: Vec<(usize, usize, u32)>,
    /// The length of each snippet in words.
    lengths: Vec<u32>,
}

impl Frequencies {
    fn count(corpus: &Corpus, snippets: &[Placed], words: &[u32]) -> Self {
        let mut number_of = vec![0_usize; corpus.word_count()];
        for (word, number) in words.iter().zip(1..) {
            number_of[*word as usize] = number;
        }
        let mut found = Vec::new();
        let mut lengths = Vec::with_capacity(snippets.len());
        let mut counts = vec![0_u32; words.len() + 1];
        for (at, snippet) in snippets.iter().enumerate() {
            counts.fill(0);
            let mut length = 0;
            for word in corpus.words_of(snippet.candidate) {
                counts[number_of[word as usize]] += 1;
                length += 1;
            }
            lengths.push(length);
            let counts = counts[1..].iter().enumerate();
            let present = counts.filter(|(_, count)| **count > 0);
            found.extend(present.map(|(word, count)| (at, word, *count)));
        }
        Self { found, lengths }
    }
}

/// The score of each snippet, in the order of `snippets`. `words` are the distinct words of the query that the corpus
/// contains.
pub(super) fn scores(corpus: &Corpus, snippets: &[Placed], words: &[u32]) -> Vec<f64> {
    let Frequencies { found, lengths } = Frequencies::count(corpus, snippets, words);
    let mut holders = vec![0_u32; words.len()];
    for (_, word, _) in &found {
        holders[*word] += 1;
    }
    let all = count(lengths.len());
    let mean = lengths.iter().copied().map(f64::from).sum::<f64>() / all.max(1.0);
    let weight = |word: usize| {
        let holders = f64::from(holders[word]);
        ((all - holders + 0.5) / (holders + 0.5)).ln_1p()
    };
    let mut scores = vec![0.0; snippets.len()];
    for (at, word, frequency) in found {
        let frequency = f64::from(frequency);
        let long = f64::from(lengths[at]) / mean;
        let damped = frequency + K1 * (1.0 - B + B * long);
        scores[at] += weight(word) * frequency * (K1 + 1.0) / damped;
    }
    scores
}

fn count(of: usize) -> f64 {
    f64::from(super::intern::index(of))
}

#[cfg(test)]
mod tests {
    use crate::benchmark::Language;
    use crate::context::{CorpusConfig, Engine, Rank, RetrievalRequest};
    use crate::error::Cancel;
    use crate::history::Snapshot;

    /// The expected scores were calculated by hand. There are three files of one snippet each, so N = 3. Their lengths
    /// are 4, 2 and 6, with the mean 4.
    ///
    /// - `red` occurs twice in `a.py` and once in `c.py`, so idf = ln(1 + (3 − 2 + 0.5) / (2 + 0.5)) = ln 1.6.
    /// - `blue` occurs three times in `c.py`, so idf = ln(1 + (3 − 1 + 0.5) / (1 + 0.5)) = ln(8/3).
    /// - The score of `a.py` is ln 1.6 · 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 4/4)) = ln 1.6 · 4.4 / 3.2.
    /// - The score of `c.py` is ln 1.6 · 1 · 2.2 / (1 + 1.2 · (0.25 + 0.75 · 6/4)) + ln(8/3) · 3 · 2.2 / (3 + 1.2 ·
    ///   1.375) = ln 1.6 · 2.2 / 2.65 + ln(8/3) · 6.6 / 4.65.
    #[test]
    fn scores_equal_the_values_calculated_by_hand() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("a.py", "red = red(one)\ntwo\n");
        write("b.py", "green one\n");
        write("c.py", "blue(blue, blue)\nred two three\n");
        let snapshot = Snapshot::folder(folder.path(), &Cancel::default()).unwrap();
        let mut request = RetrievalRequest {
            pool: CorpusConfig::of(Language::Python),
            rank: Rank::Bm25,
            query: "blue red blue unknown".into(),
            top: 10,
            masks: Vec::new(),
        };
        let retrieve = |request: &RetrievalRequest| {
            let none = &mut |_: usize, _: usize| {};
            Engine::default()
                .retrieve(request, &snapshot, none, &Cancel::default())
                .unwrap()
        };
        let found = retrieve(&request);
        let named: Vec<_> = found
            .items
            .iter()
            .map(|item| (item.path.as_str(), item.bm25.unwrap()))
            .collect();
        let red = 1.6_f64.ln();
        let blue = (8.0_f64 / 3.0).ln();
        let wanted = [
            ("c.py", red * 2.2 / 2.65 + blue * 6.6 / 4.65),
            ("a.py", red * 4.4 / 3.2),
            ("b.py", 0.0),
        ];
        assert_eq!(named.len(), 3);
        for ((path, score), (wanted_path, wanted)) in named.iter().zip(wanted) {
            assert_eq!(*path, wanted_path);
            assert!((score - wanted).abs() < 1e-12, "{path}: {score} {wanted}");
        }
        let overlap = found.items[0].overlap.unwrap();
        assert_eq!((overlap.shared, overlap.union), (2, 5));
        request.rank = Rank::Jaccard;
        let plain = retrieve(&request);
        assert_eq!(plain.items[0].bm25, None);
    }
}
