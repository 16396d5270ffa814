//! Two contexts laid out beside each other, row by row, so that what both show stands level.

use rustc_hash::FxHashSet;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::context::{Item, ItemLine, Listing, Mark};

/// One side's part of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The heading of an item: its index.
    Heading(usize),
    /// A 0-based line of an item.
    Line(usize, usize),
}

/// Which of the two contexts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Side {
    /// Evolving-aware: from the tree at the base commit.
    Aware,
    /// Evolving-ignored: from a later tree.
    #[default]
    Ignored,
}

/// A row: what stands left and right. Both empty between two pairs of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Row {
    /// From the evolving-aware context.
    pub aware: Option<Part>,
    /// From the evolving-ignored context.
    pub ignored: Option<Part>,
}

impl Row {
    /// What stands on a side.
    pub fn part(&self, side: Side) -> Option<Part> {
        match side {
            Side::Aware => self.aware,
            Side::Ignored => self.ignored,
        }
    }
}

/// A run of lines of one item that only its side's tree has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Difference {
    /// Whose.
    pub side: Side,
    /// The item's index.
    pub item: usize,
    /// The run's first line in the item, from 0.
    pub first: usize,
    /// The run's last line in the item; blank lines inside a run belong to it, those at its ends do not.
    pub last: usize,
    /// The row that the run begins on.
    pub row: usize,
}

/// The layout of two contexts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Aligned {
    /// The rows, top to bottom.
    pub rows: Vec<Row>,
    /// Leaked and missing runs in the order of their rows, the evolving-aware side first.
    pub differences: Vec<Difference>,
}

impl Aligned {
    /// Lays two contexts out. Items that have at least half of their lines in common stand level, as far as their
    /// order allows, with equal lines level; the others stand beside each other in the order of their ranks.
    pub fn new(aware: &Listing, ignored: &Listing) -> Self {
        let mut rows = Vec::new();
        for (left, right) in pair(aware, ignored) {
            if !rows.is_empty() {
                rows.push(Row::default());
            }
            rows.push(Row {
                aware: left.map(Part::Heading),
                ignored: right.map(Part::Heading),
            });
            lay(&mut rows, (aware, left), (ignored, right));
        }
        let differences = differences(&rows, aware, ignored);
        Self { rows, differences }
    }

    /// The difference that holds a row's line on a side, or else the one that holds its line on the other.
    pub fn at(&self, row: usize, side: Side) -> Option<&Difference> {
        let on = |side: Side| {
            let Part::Line(item, line) = self.rows.get(row)?.part(side)? else {
                return None;
            };
            let holds = |run: &&Difference| {
                run.side == side && run.item == item && (run.first..=run.last).contains(&line)
            };
            self.differences.iter().find(holds)
        };
        let other = if side == Side::Aware {
            Side::Ignored
        } else {
            Side::Aware
        };
        on(side).or_else(|| on(other))
    }

    /// The row of the next difference below a row.
    pub fn next(&self, row: usize) -> Option<usize> {
        self.differences
            .iter()
            .map(|run| run.row)
            .find(|start| *start > row)
    }

    /// The row of the last difference above a row.
    pub fn previous(&self, row: usize) -> Option<usize> {
        self.differences
            .iter()
            .rev()
            .map(|run| run.row)
            .find(|start| *start < row)
    }
}

type Pair = (Option<usize>, Option<usize>);

/// Which item stands beside which, in order.
fn pair(aware: &Listing, ignored: &Listing) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let (mut left, mut right) = (0, 0);
    let ends = (aware.items.len(), ignored.items.len());
    for (a, b) in matches(aware, ignored).into_iter().chain([ends]) {
        while left < a || right < b {
            let beside = ((left < a).then_some(left), (right < b).then_some(right));
            left += usize::from(beside.0.is_some());
            right += usize::from(beside.1.is_some());
            pairs.push(beside);
        }
        if (a, b) != ends {
            pairs.push((Some(a), Some(b)));
            (left, right) = (a + 1, b + 1);
        }
    }
    pairs
}

/// The items that show the same, as many of their lines as the order of both lists allows.
fn matches(aware: &Listing, ignored: &Listing) -> Vec<(usize, usize)> {
    let left: Vec<_> = aware.items.iter().map(stripped_set).collect();
    let right: Vec<_> = ignored.items.iter().map(stripped_set).collect();
    // best[a][b] is the most lines in common that the items from a and from b on can bring level.
    let mut best = vec![vec![0; right.len() + 1]; left.len() + 1];
    let common: Vec<Vec<usize>> = left
        .iter()
        .map(|a| right.iter().map(|b| in_common(a, b)).collect())
        .collect();
    for a in (0..left.len()).rev() {
        for b in (0..right.len()).rev() {
            let matched = if common[a][b] > 0 {
                common[a][b] + best[a + 1][b + 1]
            } else {
                0
            };
            best[a][b] = matched.max(best[a + 1][b]).max(best[a][b + 1]);
        }
    }
    let (mut a, mut b, mut found) = (0, 0, Vec::new());
    while a < left.len() && b < right.len() {
        if best[a][b] == best[a + 1][b] {
            a += 1;
        } else if best[a][b] == best[a][b + 1] {
            b += 1;
        } else {
            found.push((a, b));
            (a, b) = (a + 1, b + 1);
        }
    }
    found
}

fn stripped_set(item: &Item) -> FxHashSet<&str> {
    item.lines
        .iter()
        .map(|line| line.text.trim())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Lines in common, or 0 when they are less than half of either item's.
fn in_common(a: &FxHashSet<&str>, b: &FxHashSet<&str>) -> usize {
    let shared = a.intersection(b).count();
    if 2 * shared >= a.len().max(b.len()) {
        shared
    } else {
        0
    }
}

fn lay(rows: &mut Vec<Row>, left: (&Listing, Option<usize>), right: (&Listing, Option<usize>)) {
    let lines = |(listing, item): (&Listing, Option<usize>)| -> Vec<String> {
        let item = item.and_then(|item| listing.items.get(item));
        item.map_or_else(Vec::new, |item| {
            item.lines
                .iter()
                .map(|line| line.text.trim().to_owned())
                .collect()
        })
    };
    let (old, new) = (lines(left), lines(right));
    let mut push = |old: Option<usize>, new: Option<usize>| {
        let part = |item: Option<usize>, line: Option<usize>| Some(Part::Line(item?, line?));
        rows.push(Row {
            aware: part(left.1, old),
            ignored: part(right.1, new),
        });
    };
    for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
        let (old, new) = match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => (old_index..old_index + len, new_index..new_index + len),
            other => (other.old_range(), other.new_range()),
        };
        for at in 0..old.len().max(new.len()) {
            push(old.clone().nth(at), new.clone().nth(at));
        }
    }
}

fn differences(rows: &[Row], aware: &Listing, ignored: &Listing) -> Vec<Difference> {
    let sides = [
        (Side::Aware, aware, Mark::Missing),
        (Side::Ignored, ignored, Mark::Leaked),
    ];
    let mut found = Vec::new();
    for (side, listing, mark) in sides {
        for (index, item) in listing.items.iter().enumerate() {
            let row_of = |line: usize| {
                rows.iter()
                    .position(|row| row.part(side) == Some(Part::Line(index, line)))
            };
            found.extend(
                runs(&item.lines, mark)
                    .into_iter()
                    .filter_map(|(first, last)| {
                        Some(Difference {
                            side,
                            item: index,
                            first,
                            last,
                            row: row_of(first)?,
                        })
                    }),
            );
        }
    }
    found.sort_by_key(|run| run.row);
    found
}

/// The first and last line of each run of a mark; blank lines do not end one.
fn runs(lines: &[ItemLine], mark: Mark) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut open = false;
    for (at, line) in lines.iter().enumerate() {
        if line.mark == mark {
            match found.last_mut() {
                Some(run) if open => run.1 = at,
                _ => found.push((at, at)),
            }
            open = true;
        } else if !line.text.trim().is_empty() {
            open = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::benchmark::RepoPath;

    /// Items written as lines; a line's first character is its mark.
    fn listing(items: &[&str]) -> Listing {
        let line = |text: &str| ItemLine {
            mark: match text.chars().next() {
                Some('»') => Mark::Leaked,
                Some('«') => Mark::Missing,
                Some('=') => Mark::Shared,
                _ => Mark::Plain,
            },
            text: text.trim_start_matches(['»', '«', '=']).into(),
            target: false,
        };
        let items = items.iter().enumerate().map(|(rank, text)| {
            Item::new(
                rank + 1,
                RepoPath::new("a.py"),
                1,
                text.split('\n').map(line).collect(),
            )
        });
        Listing {
            items: items.collect(),
            ..Listing::default()
        }
    }

    fn drawn(aware: &Listing, ignored: &Listing) -> String {
        let aligned = Aligned::new(aware, ignored);
        let text = |listing: &Listing, part| match part {
            None => String::new(),
            Some(Part::Heading(item)) => format!("#{item}"),
            Some(Part::Line(item, line)) => listing.items[item].lines[line].text.to_string(),
        };
        let rows = aligned.rows.iter().enumerate().map(|(at, row)| {
            let mark = if aligned.differences.iter().any(|run| run.row == at) {
                "*"
            } else {
                " "
            };
            let (left, right) = (text(aware, row.aware), text(ignored, row.ignored));
            format!("{mark} {left:<6}| {right}").trim_end().to_owned()
        });
        rows.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_both_show_stands_level() {
        let aware = listing(&["=def f\n=one\n=two", "«gone\n«lost"]);
        let ignored = listing(&["»new\n»er", "=def f\n»more\n=one\n=two"]);
        insta::assert_snapshot!(drawn(&aware, &ignored), @r"
                | #0
        *       | new
                | er
                |
          #0    | #1
          def f | def f
        *       | more
          one   | one
          two   | two
                |
          #1    |
        * gone  |
          lost  |
        ");
    }

    #[test]
    fn what_has_no_counterpart_stands_in_the_order_of_ranks() {
        let aware = listing(&["=a\n=b", "=c"]);
        let ignored = listing(&["»x", "»y\n\n»z\n=k\n»w"]);
        insta::assert_snapshot!(drawn(&aware, &ignored), @r"
          #0    | #0
        * a     | x
          b     |
                |
          #1    | #1
        * c     | y
                |
                | z
                | k
        *       | w
        ");
    }

    #[test]
    fn differences_are_stepped_through_and_found_by_row() {
        let aware = listing(&["«a\n=b"]);
        let ignored = listing(&["=b\n=c\n»d\n»e"]);
        let aligned = Aligned::new(&aware, &ignored);
        let rows: Vec<_> = aligned.differences.iter().map(|run| run.row).collect();
        assert_eq!(aligned.next(0), Some(rows[0]));
        assert_eq!(aligned.next(rows[0]), Some(rows[1]));
        assert_eq!(aligned.next(rows[1]), None);
        assert_eq!(aligned.previous(rows[1]), Some(rows[0]));
        let last = aligned.rows.len() - 1;
        assert_eq!(
            aligned
                .at(last, Side::Aware)
                .map(|run| (run.side, run.last)),
            Some((Side::Ignored, 3))
        );
        assert_eq!(aligned.at(0, Side::Aware), None);
    }

    proptest! {
        #[test]
        fn every_line_of_both_sides_stands_once_and_in_order(
            aware in prop::collection::vec("([«=][ab]\n){0,4}=[abc]", 0..6),
            ignored in prop::collection::vec("([»=][ab]\n){0,4}=[abc]", 0..6),
        ) {
            let sides = [&aware, &ignored].map(|items| {
                listing(&items.iter().map(String::as_str).collect::<Vec<_>>())
            });
            let aligned = Aligned::new(&sides[0], &sides[1]);
            for (side, listing) in [(Side::Aware, &sides[0]), (Side::Ignored, &sides[1])] {
                let shown: Vec<_> = aligned.rows.iter().filter_map(|row| row.part(side)).collect();
                let wanted: Vec<_> = listing.items.iter().enumerate().flat_map(|(index, item)| {
                    let lines = (0..item.lines.len()).map(move |line| Part::Line(index, line));
                    std::iter::once(Part::Heading(index)).chain(lines)
                }).collect();
                prop_assert_eq!(shown, wanted);
            }
        }
    }
}
