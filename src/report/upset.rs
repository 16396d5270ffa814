//! An UpSet chart: the intersections of several sets as a matrix of dots, with their sizes as bars (Lex et al., 2014).

use super::provenance::Provenance;
use super::svg::{Anchor, Picture};

/// One exclusive intersection: the elements that belong to all sets in `members` and to no other set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpSetRow {
    /// Bit i is 1 if the elements belong to the set with the index i.
    pub members: u64,
    /// The number of elements.
    pub size: usize,
}

/// The chart, with sets as rows of the matrix and intersections as columns.
#[derive(Debug, Clone, PartialEq)]
pub struct UpSet {
    /// The title of the chart.
    pub title: String,
    /// (name, size) of each set.
    pub sets: Vec<(String, usize)>,
    /// The intersections, in the order in which they are drawn.
    pub intersections: Vec<UpSetRow>,
    /// The footer.
    pub provenance: Provenance,
}

const COLUMN: f64 = 30.0;
const ROW: f64 = 22.0;
const BARS: f64 = 140.0;
const TOP: f64 = 48.0;

#[expect(
    clippy::cast_precision_loss,
    reason = "sizes of sets of tasks, drawn in pixels"
)]
fn number(size: usize) -> f64 {
    size as f64
}

impl UpSet {
    /// The chart as a drawing.
    pub fn picture(&self) -> Picture {
        let label = |(name, size): &(String, usize)| format!("{name}  {size}");
        let widest = self
            .sets
            .iter()
            .map(|set| Picture::text_width(&label(set)))
            .fold(40.0, f64::max);
        let left = widest + 24.0;
        let matrix = TOP + BARS + 12.0;
        let width = (left + COLUMN * number(self.intersections.len()) + 16.0)
            .max(Picture::text_width(&self.title) + 16.0);
        let height = matrix + ROW * number(self.sets.len()) + 8.0;
        let mut picture = Picture::new(&self.title, width, height, self.provenance.lines());
        picture.text(8.0, 18.0, Anchor::Start, &self.title);
        for (row, set) in self.sets.iter().enumerate() {
            let y = matrix + ROW * number(row);
            if row % 2 == 0 {
                picture.bar([0.0, y, width, ROW], true);
            }
            picture.text(left - 12.0, y + 15.0, Anchor::End, &label(set));
        }
        let largest = self
            .intersections
            .iter()
            .map(|set| set.size)
            .max()
            .unwrap_or(1)
            .max(1);
        for (column, set) in self.intersections.iter().enumerate() {
            let x = left + COLUMN * (number(column) + 0.5);
            let tall = BARS * number(set.size) / number(largest);
            picture.bar([x - 9.0, TOP + BARS - tall, 18.0, tall], false);
            picture.text(
                x,
                TOP + BARS - tall - 4.0,
                Anchor::Middle,
                &set.size.to_string(),
            );
            self.dots(&mut picture, x, matrix, set.members);
        }
        picture
    }

    fn dots(&self, picture: &mut Picture, x: f64, matrix: f64, members: u64) {
        let middle = |row: usize| matrix + ROW * (number(row) + 0.5);
        let belongs = |row: usize| row < 64 && members & (1 << row) != 0;
        let rows = || (0..self.sets.len()).filter(|row| belongs(*row));
        if let (Some(first), Some(last)) = (rows().next(), rows().next_back()) {
            picture.line([x, middle(first), x, middle(last)], 2.0);
        }
        for row in 0..self.sets.len() {
            picture.dot(x, middle(row), belongs(row));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_filled_dots_joined_by_a_line() {
        let row = |members, size| UpSetRow { members, size };
        let chart = UpSet {
            title: "Solved".into(),
            sets: vec![("a".into(), 5), ("b".into(), 3), ("c".into(), 0)],
            intersections: vec![row(0b11, 3), row(0b1, 2), row(0, 4)],
            provenance: Provenance::new("9 tasks"),
        };
        let svg = chart.picture().inline();
        assert_eq!(svg.matches(r#"fill="currentColor" stroke="#).count(), 3);
        assert_eq!(svg.matches(r#"fill="none""#).count(), 6);
        assert_eq!(svg.matches("<line").count(), 2);
    }
}
