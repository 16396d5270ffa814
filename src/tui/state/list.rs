//! A cursor in a list that is longer than its pane.

/// The row under the cursor, and the first visible row. Both are 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The row under the cursor.
    pub at: usize,
    /// The first visible row.
    pub top: usize,
}

/// The number of rows that stay visible above and below the cursor.
const MARGIN: usize = 2;

impl Cursor {
    /// Moves the cursor to `row` of `len` rows, and scrolls as little as necessary to show the cursor in `height` rows.
    pub fn to(&mut self, row: usize, len: usize, height: usize) {
        self.at = row.min(len.saturating_sub(1));
        let margin = MARGIN.min(height.saturating_sub(1) / 2);
        let lowest = (self.at + margin + 1).saturating_sub(height);
        let highest = self.at.saturating_sub(margin);
        self.top = self
            .top
            .max(lowest)
            .min(highest)
            .min(len.saturating_sub(height));
    }

    /// Moves the cursor by `rows` (up if negative), at most to the first or last row.
    pub fn by(&mut self, rows: isize, len: usize, height: usize) {
        self.to(self.at.saturating_add_signed(rows), len, height);
    }

    /// Scrolls by `rows` (up if negative). If the cursor's row is no longer visible, the cursor moves to the nearest
    /// visible row.
    pub fn scroll(&mut self, rows: isize, len: usize, height: usize) {
        self.top = self
            .top
            .saturating_add_signed(rows)
            .min(len.saturating_sub(height));
        let last = (self.top + height)
            .saturating_sub(1)
            .min(len.saturating_sub(1));
        self.at = self.at.clamp(self.top.min(last), last);
    }

    /// Moves the cursor to `row`. If possible, scrolls so that a third of the pane's height is above the cursor.
    pub fn show(&mut self, row: usize, len: usize, height: usize) {
        self.at = row.min(len.saturating_sub(1));
        self.top = self
            .at
            .saturating_sub(height / 3)
            .min(len.saturating_sub(height));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_cursor_stays_in_the_list_and_visible(
            len in 1usize..200,
            height in 1usize..50,
            moves in prop::collection::vec((-60isize..60, any::<bool>()), 0..40),
        ) {
            let mut cursor = Cursor::default();
            for (rows, scroll) in moves {
                if scroll { cursor.scroll(rows, len, height) } else { cursor.by(rows, len, height) }
                prop_assert!(cursor.at < len);
                prop_assert!(cursor.top <= cursor.at && cursor.at < cursor.top + height);
                prop_assert!(cursor.top <= len.saturating_sub(height));
            }
        }
    }

    #[test]
    fn in_an_empty_list_the_cursor_is_at_row_0() {
        let mut cursor = Cursor { at: 7, top: 3 };
        cursor.to(5, 0, 10);
        assert_eq!(cursor, Cursor::default());
    }
}
