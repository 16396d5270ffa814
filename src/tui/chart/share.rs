//! A bar in one row that shows how a total divides into parts. Each part has its own sign.

use ratatui::text::{Line, Span};

use crate::tui::theme::{Role, Theme};

/// A part of the total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The sign that fills the part's cells; one column wide.
    pub sign: &'static str,
    /// The role that determines the part's colour.
    pub role: Role,
    /// The size of the part. The total is the sum of all amounts.
    pub amount: usize,
}

/// A line of `cells` cells, divided among the parts by the largest-remainder method. The remaining cells go first to
/// parts that have no cell yet and an amount above 0. The line is empty if all amounts are 0.
pub fn share_bar(parts: &[Part], cells: usize, theme: &Theme) -> Line<'static> {
    let spans = parts
        .iter()
        .zip(apportion(parts, cells))
        .filter(|(_, cells)| *cells > 0);
    spans
        .map(|(part, cells)| Span::styled(part.sign.repeat(cells), theme.style(part.role)))
        .collect()
}

fn apportion(parts: &[Part], cells: usize) -> Vec<usize> {
    let total: usize = parts.iter().map(|part| part.amount).sum();
    if total == 0 {
        return vec![0; parts.len()];
    }
    let mut given: Vec<_> = parts
        .iter()
        .map(|part| part.amount * cells / total)
        .collect();
    let mut order: Vec<_> = (0..parts.len()).collect();
    order.sort_by_key(|at| {
        std::cmp::Reverse((
            given[*at] == 0 && parts[*at].amount > 0,
            parts[*at].amount * cells % total,
        ))
    });
    let mut left = cells - given.iter().sum::<usize>();
    for at in order {
        if left == 0 {
            break;
        }
        if parts[at].amount > 0 {
            given[at] += 1;
            left -= 1;
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(amounts: &[usize]) -> Vec<Part> {
        amounts
            .iter()
            .map(|amount| Part {
                sign: "=",
                role: Role::Shared,
                amount: *amount,
            })
            .collect()
    }

    #[test]
    fn a_small_part_gets_a_cell() {
        assert_eq!(apportion(&parts(&[1, 99]), 10), [1, 9]);
        assert_eq!(apportion(&parts(&[0, 5, 5]), 5), [0, 3, 2]);
        assert_eq!(apportion(&parts(&[0, 0]), 5), [0, 0]);
    }

    proptest! {
        #[test]
        fn the_parts_fill_all_cells(amounts in prop::collection::vec(0usize..1000, 1..6), cells in 0usize..100) {
            let given = apportion(&parts(&amounts), cells);
            let wanted = if amounts.iter().sum::<usize>() == 0 { 0 } else { cells };
            prop_assert_eq!(given.iter().sum::<usize>(), wanted);
            for (amount, given) in amounts.iter().zip(given) {
                prop_assert!(*amount > 0 || given == 0);
            }
        }
    }
}
