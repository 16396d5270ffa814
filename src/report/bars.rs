//! A bar chart of rates. Each bar has a label and its numbers, so colour is not needed to read the chart.

use std::fmt::Write as _;

use super::provenance::Provenance;
use super::svg::{Anchor, Picture};
use crate::metrics::Interval;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The model, setting or group that the bar shows.
    pub label: String,
    /// The rate that the bar shows, in 0..=1.
    pub value: f64,
    /// The interval that is drawn over the end of the bar, if there is one.
    pub interval: Option<Interval>,
}

/// A chart of bars on a scale from 0 to 100 %.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The title of the chart.
    pub title: String,
    /// The bars, top to bottom.
    pub bars: Vec<Bar>,
    /// The footer.
    pub provenance: Provenance,
}

const ROW: f64 = 22.0;
const SCALE: f64 = 360.0;
const TOP: f64 = 36.0;

impl Bars {
    /// The chart as a drawing.
    pub fn picture(&self) -> Picture {
        let widest = self
            .bars
            .iter()
            .map(|bar| Picture::text_width(&bar.label))
            .fold(40.0, f64::max);
        let left = widest + 16.0;
        #[expect(clippy::cast_precision_loss, reason = "a chart has few rows")]
        let bottom = TOP + ROW * self.bars.len() as f64;
        let footer = self.provenance.lines();
        let mut picture = Picture::new(&self.title, left + SCALE + 150.0, bottom + 28.0, footer);
        picture.text(8.0, 18.0, Anchor::Start, &self.title);
        for tick in 0..=4 {
            let x = left + SCALE * f64::from(tick) / 4.0;
            picture.line([x, TOP - 6.0, x, bottom + 4.0], 0.3);
            picture.text(
                x,
                bottom + 18.0,
                Anchor::Middle,
                &format!("{} %", tick * 25),
            );
        }
        let mut y = TOP;
        for bar in &self.bars {
            picture.text(left - 8.0, y + 13.0, Anchor::End, &bar.label);
            let end = left + SCALE * bar.value.clamp(0.0, 1.0);
            picture.bar([left, y + 2.0, end - left, ROW - 8.0], false);
            let mut number = format!("{:.2}", bar.value * 100.0);
            let mut clear = end;
            if let Some(Interval { low, high }) = bar.interval {
                let (from, to) = (left + SCALE * low.max(0.0), left + SCALE * high.min(1.0));
                let middle = y + (ROW - 4.0) / 2.0;
                picture.line([from, middle, to, middle], 1.5);
                picture.line([from, middle - 4.0, from, middle + 4.0], 1.5);
                picture.line([to, middle - 4.0, to, middle + 4.0], 1.5);
                let _ = write!(number, " ({:.1} to {:.1})", low * 100.0, high * 100.0);
                clear = to.max(end);
            }
            picture.text(clear + 6.0, y + 13.0, Anchor::Start, &number);
            y += ROW;
        }
        picture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_values_are_written_as_numbers() {
        let bars = Bars {
            title: "Pass@1".into(),
            bars: vec![Bar {
                label: "<script>\u{1b}".into(),
                value: 0.25,
                interval: Some(Interval {
                    low: 0.2,
                    high: 0.3,
                }),
            }],
            provenance: Provenance::new("8 tasks"),
        };
        let file = bars.picture().file();
        assert!(file.contains("&lt;script&gt;␛") && !file.contains("<script"));
        assert!(file.contains("25.00 (20.0 to 30.0)") && file.contains("Over 8 tasks."));
    }
}
