//! A chart of rates over versions, with a line for each model and setting. The rate is written at each point, and the
//! model and setting at the end of each line. So the chart can be read without colours.

use super::provenance::Provenance;
use super::svg::{Anchor, Picture};

/// The rates of one model and setting.
#[derive(Debug, Clone, PartialEq)]
pub struct CurveLine {
    /// The model and setting.
    pub label: String,
    /// (version, rate in 0..=1), the oldest version first.
    pub points: Vec<(String, f64)>,
}

/// A chart with a scale from 0 to 100 %, and the versions at equal distances.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The title of the chart.
    pub title: String,
    /// The lines, one for each model and setting.
    pub lines: Vec<CurveLine>,
    /// The footer.
    pub provenance: Provenance,
}

const TOP: f64 = 36.0;
const LEFT: f64 = 56.0;
const HEIGHT: f64 = 240.0;
const STEP: f64 = 110.0;

impl Curve {
    /// The versions of all lines, each once. The first line determines their order. If only a later line has a version,
    /// the version follows its predecessor in that line.
    fn versions(&self) -> Vec<&str> {
        let mut versions: Vec<&str> = Vec::new();
        for line in &self.lines {
            let mut after = 0;
            for (version, _) in &line.points {
                let known = versions.iter().position(|known| known == version);
                if known.is_none() {
                    versions.insert(after, version);
                }
                after = known.unwrap_or(after) + 1;
            }
        }
        versions
    }

    /// The chart as a drawing.
    pub fn picture(&self) -> Picture {
        let versions = self.versions();
        #[expect(clippy::cast_precision_loss, reason = "a chart has few versions")]
        let x = |at: usize| LEFT + 20.0 + STEP * at as f64;
        let y = |share: f64| TOP + HEIGHT * (1.0 - share.clamp(0.0, 1.0));
        let right = x(versions.len().saturating_sub(1));
        let labels = self
            .lines
            .iter()
            .map(|line| Picture::text_width(&line.label));
        let width = right + 70.0 + labels.fold(40.0, f64::max);
        let bottom = TOP + HEIGHT;
        let footer = self.provenance.lines();
        let mut picture = Picture::new(&self.title, width, bottom + 32.0, footer);
        picture.text(8.0, 18.0, Anchor::Start, &self.title);
        for tick in 0..=4 {
            let at = y(f64::from(tick) / 4.0);
            picture.line([LEFT, at, right + 10.0, at], 0.3);
            picture.text(
                LEFT - 6.0,
                at + 4.0,
                Anchor::End,
                &format!("{} %", tick * 25),
            );
        }
        for (at, version) in versions.iter().enumerate() {
            picture.text(x(at), bottom + 18.0, Anchor::Middle, version);
        }
        for line in &self.lines {
            let places = line.points.iter().filter_map(|(version, rate)| {
                let at = versions.iter().position(|known| known == version)?;
                Some((x(at), y(*rate), *rate))
            });
            let places: Vec<_> = places.collect();
            for pair in places.windows(2) {
                picture.line([pair[0].0, pair[0].1, pair[1].0, pair[1].1], 1.5);
            }
            for (at, height, rate) in &places {
                picture.bar([at - 3.0, height - 3.0, 6.0, 6.0], false);
                let number = format!("{:.1}", rate * 100.0);
                picture.text(*at, height - 7.0, Anchor::Middle, &number);
            }
            if let Some((at, height, _)) = places.last() {
                picture.text(at + 18.0, height + 4.0, Anchor::Start, &line.label);
            }
        }
        picture
    }
}
