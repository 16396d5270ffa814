//! Small charts in cells. Each can be read without colour: lengths, heights and signs carry the numbers, and every
//! number that matters is next to its mark.

mod axis;
mod bars;
mod columns;
mod share;

pub use axis::{Axis, Tick};
pub use bars::{Bar, bar, bars};
pub use columns::{columns, sparkline};
pub use share::{Part, share_bar};

/// A share between 0 and 1 in eighths of `cells`. A share above 0 gives at least 1, and only 1 fills all cells.
fn eighths(share: f64, cells: usize) -> usize {
    let whole = u32::try_from(cells * 8).unwrap_or(u32::MAX);
    if whole == 0 || share.is_nan() || share <= 0.0 {
        return 0;
    }
    let full = whole as usize;
    if share >= 1.0 {
        return full;
    }
    let exact = share * f64::from(whole);
    let nearest = (1..whole)
        .take_while(|eighth| f64::from(*eighth) - 0.5 <= exact)
        .count();
    nearest.clamp(1, full - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_shows_and_only_all_is_full() {
        assert_eq!(eighths(0.0, 4), 0);
        assert_eq!(eighths(0.001, 4), 1);
        assert_eq!(eighths(0.5, 4), 16);
        assert_eq!(eighths(0.999, 4), 31);
        assert_eq!(eighths(1.0, 4), 32);
        assert_eq!(eighths(f64::NAN, 4), 0);
        assert_eq!(eighths(0.5, 0), 0);
    }
}
