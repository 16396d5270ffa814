//! Tests that check retrieval and comparison against a simple and slow implementation of the same rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::RwLock;

use proptest::prelude::*;

use super::text;
use super::*;
use crate::benchmark::{Language, LineSpan, RepoPath};
use crate::error::Cancel;
use crate::history::Snapshot;

type Files = BTreeMap<String, String>;

/// A listed snippet: path, first line, last line, number of shared tokens, number of tokens in the union, number of
/// occurrences, `leak_any` or `missing_any`, `leak_half` or `missing_half`.
type Row = (String, u32, u32, u32, u32, u32, bool, bool);

/// A tree in the simple implementation.
struct Plain {
    /// For each candidate: its text, its first occurrence (path, first line, last line), and its number of occurrences.
    candidates: Vec<(String, (String, u32, u32), u32)>,
    /// The stripped, non-blank lines of each file.
    files: Vec<Vec<String>>,
}

fn normal(text: &str) -> Vec<String> {
    let stripped = text.split('\n').map(|line| text::strip(line).to_owned());
    stripped.filter(|line| !line.is_empty()).collect()
}

fn plain(files: &Files, masks: &[Mask]) -> Plain {
    let mut candidates: Vec<(String, (String, u32, u32), u32)> = Vec::new();
    for (path, text) in files {
        let lines: Vec<&str> = text::lines(text).collect();
        for k in (0..lines.len()).step_by(10) {
            let (start, end) = (k.saturating_sub(10), (k + 10).min(lines.len()));
            let window = lines[start..end].join("\n");
            let hidden = masks.iter().any(|mask| {
                mask.path.as_str() == path
                    && (start + 1..=end)
                        .any(|line| mask.span.contains(u32::try_from(line).unwrap()))
            });
            if hidden {
                continue;
            }
            let place = (
                path.clone(),
                u32::try_from(start + 1).unwrap(),
                u32::try_from(end).unwrap(),
            );
            match candidates.iter_mut().find(|(text, ..)| *text == window) {
                Some((_, _, count)) => *count += 1,
                None => candidates.push((window, place, 1)),
            }
        }
    }
    Plain {
        candidates,
        files: files.values().map(|text| normal(text)).collect(),
    }
}

fn rows(own: &Plain, other: &Plain, query: &str) -> Vec<Row> {
    let wanted: BTreeSet<&str> = text::words(query).collect();
    let mut rows: Vec<Row> = Vec::new();
    for (text, (path, start, end), count) in &own.candidates {
        let has: BTreeSet<&str> = text::words(text).collect();
        let shared = u32::try_from(wanted.intersection(&has).count()).unwrap();
        let union = u32::try_from(wanted.union(&has).count()).unwrap();
        let lines = normal(text);
        let anywhere = |line: &String| other.files.iter().any(|file| file.contains(line));
        let absent = lines.iter().filter(|line| !anywhere(line)).count();
        let run = lines.is_empty()
            || other
                .files
                .iter()
                .any(|file| file.windows(lines.len()).any(|w| w == lines));
        let half = !lines.is_empty() && 2 * absent >= lines.len();
        rows.push((
            path.clone(),
            *start,
            *end,
            shared,
            union,
            *count,
            !run,
            half,
        ));
    }
    let rows_match = rows.iter().any(|row| row.3 > 0);
    rows.sort_by(|a, b| {
        let left = u64::from(b.3) * u64::from(a.4.max(1));
        let right = u64::from(a.3) * u64::from(b.4.max(1));
        left.cmp(&right).then(a.0.cmp(&b.0)).then(a.1.cmp(&b.1))
    });
    rows.truncate(10);
    rows.retain(|_| rows_match);
    rows
}

fn found(listing: &ContextListing) -> Vec<Row> {
    let row = |item: &ContextItem| {
        let overlap = item.overlap.unwrap();
        (
            item.path.as_str().to_owned(),
            item.start,
            item.end,
            overlap.shared,
            overlap.union,
            item.occurrences,
            item.leak_any.or(item.missing_any).unwrap(),
            item.leak_half.or(item.missing_half).unwrap(),
        )
    };
    listing.items.iter().map(row).collect()
}

fn folder(files: &Files) -> (tempfile::TempDir, Snapshot) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let whole = folder.path().join(path);
        std::fs::create_dir_all(whole.parent().unwrap()).unwrap();
        std::fs::write(whole, text).unwrap();
    }
    let snapshot = Snapshot::folder(folder.path(), &Cancel::default()).unwrap();
    (folder, snapshot)
}

fn source() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        Just("    ".to_owned()),
        "( {4})?[a-e]{1,2}( [a-e_é]{1,2}){0,3}",
    ];
    proptest::collection::vec(line, 0..45).prop_map(|lines| lines.join("\n"))
}

fn sources() -> impl Strategy<Value = Files> {
    let names = prop_oneof![Just("a.py"), Just("b/a.py"), Just("b-c.py"), Just("z.py")];
    proptest::collection::btree_map(names.prop_map(str::to_owned), source(), 0..4)
}

/// The text with two lines replaced by `inserted`. `cut` is the 0-based number of the first of these lines.
fn edited(text: &str, cut: usize, inserted: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let (first, rest) = lines.split_at(cut.min(lines.len()));
    let parts = [first, &[inserted], &rest[rest.len().min(2)..]];
    parts.concat().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn a_comparison_equals_that_of_the_simple_implementation(
        base in sources(),
        mut newest in sources(),
        retained in 0..3,
        (cut, inserted) in (0_usize..40, source()),
        query in "[a-e]{1,2}( [a-e_]{1,2}){0,6}",
        first in 1_u32..30,
    ) {
        match retained {
            0 => {}
            1 => newest.extend(base.clone()),
            _ => newest.extend(base.iter().map(|(path, text)| (path.clone(), edited(text, cut, &inserted)))),
        }
        let masks = [Mask {
            path: RepoPath::new("a.py"),
            span: LineSpan::new(first, first + 3).unwrap(),
        }];
        let (_one, base_tree) = folder(&base);
        let (_two, newest_tree) = folder(&newest);
        let request = RetrievalRequest {
            pool: CorpusConfig::of(Language::Python),
            rank: Rank::Jaccard,
            query: query.clone(),
            top: 10,
            masks: masks.to_vec(),
        };
        let comparison = Engine::default()
            .compare(&request, &base_tree, &newest_tree, &mut |_, _| {}, &Cancel::default())
            .unwrap();
        let (old, new) = (plain(&base, &[]), plain(&newest, &[]));
        let hidden = plain(&newest, &masks);
        prop_assert_eq!(comparison.aware.candidates, old.candidates.len());
        prop_assert_eq!(comparison.ignored_masked.candidates, hidden.candidates.len());
        prop_assert_eq!(found(&comparison.aware), rows(&old, &new, &query));
        prop_assert_eq!(found(&comparison.ignored), rows(&new, &old, &query));
        prop_assert_eq!(found(&comparison.ignored_masked), rows(&hidden, &old, &query));
        for item in &comparison.ignored.items {
            let absent = item.lines.iter().filter(|line| line.mark == Mark::Leaked).count();
            let lines = normal(&item.text());
            let truly = lines.iter().filter(|line| !old.files.iter().any(|file| file.contains(line)));
            prop_assert_eq!(absent, truly.count());
        }
    }
}

#[test]
fn a_line_is_shared_moved_or_leaked() {
    let text = "def a():\n    return 1\n\ndef b():\n    return 2\n";
    let base = Files::from([
        ("m.py".into(), text.into()),
        ("n.py".into(), "x = 9\n".into()),
    ]);
    let now = "def a():\n    return 1\n\n\nx = 9\nnew = 3\n";
    let newest = Files::from([("m.py".into(), now.into())]);
    let (_one, base) = folder(&base);
    let (_two, newest) = folder(&newest);
    let request = RetrievalRequest {
        pool: CorpusConfig::of(Language::Python),
        rank: Rank::Jaccard,
        query: "def a return new".into(),
        top: 1,
        masks: Vec::new(),
    };
    let comparison = Engine::default()
        .compare(&request, &base, &newest, &mut |_, _| {}, &Cancel::default())
        .unwrap();
    let marks: Vec<_> = comparison.ignored.items[0]
        .lines
        .iter()
        .map(|line| line.mark)
        .collect();
    let wanted = [
        Mark::Shared,
        Mark::Shared,
        Mark::Plain,
        Mark::Plain,
        Mark::Moved,
        Mark::Leaked,
    ];
    assert_eq!(marks, wanted);
}

#[test]
fn a_file_that_is_not_utf8_is_left_out_and_reported() {
    let made = tempfile::tempdir().unwrap();
    std::fs::write(made.path().join("a.py"), "x = 1\r\ny = 2\r").unwrap();
    std::fs::write(made.path().join("b.py"), b"\xff\xfe").unwrap();
    std::fs::write(made.path().join("c.py"), "w ".repeat(150_000)).unwrap();
    let snapshot = Snapshot::folder(made.path(), &Cancel::default()).unwrap();
    let corpus = RwLock::new(Corpus::new(CorpusConfig::of(Language::Python)));
    let chunks = |_, _: &str| Ok(Vec::new());
    let tree = CorpusTree::build(
        &corpus,
        &snapshot,
        &chunks,
        &mut |_, _| {},
        &Cancel::default(),
    )
    .unwrap();
    assert_eq!((tree.files(), tree.candidates()), (2, 2));
    assert_eq!(tree.unread()[0].path.as_str(), "b.py");
    assert_eq!(tree.unread()[0].reason, "not UTF-8");
    let raised = Cancel::default();
    raised.raise();
    let ended = CorpusTree::build(&corpus, &snapshot, &chunks, &mut |_, _| {}, &raised);
    assert!(ended.is_err());
}
