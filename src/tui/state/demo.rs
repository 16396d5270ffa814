//! The guided tour over the sample: its current step, and the caption of each.

pub mod caption;

use std::time::Duration;

use crate::benchmark::Verdict;
use crate::workspace::sample;

/// The task of the tour.
pub const TASK: &str = "EvoCodeBench sample/siskin.movements.geo.distance_km";
pub(super) const NAMESPACE: &str = "siskin.movements.geo.distance_km";
/// The model of the completion that passes in one context and fails in the other.
pub const MODEL: &str = "heron-70b_greedy";
/// A line of `bearing_deg`, a function that the project got later. The base commit has no such line, the masked target
/// does not contain it, and the completion of [`Step::Ignored`] does.
pub const LEAKED_LINE: &str = "turn = math.radians(end.longitude - start.longitude)";

/// How the tour runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Guide {
    /// How long each step is shown before the next one follows; without it, keys advance the tour.
    pub auto: Option<Duration>,
    /// Show the verdicts that are recorded in the sample, instead of running completions.
    pub expected: bool,
}

/// A step of the tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// What a task is.
    Task,
    /// The context at the base commit.
    Base,
    /// The context from the latest version, the target masked.
    Leaked,
    /// The commit that added a leaked line.
    Commit,
    /// The versions between the base commit and the latest one.
    Versions,
    /// What a model wrote with the context of the base commit.
    Aware,
    /// What it wrote with the context of the latest version.
    Ignored,
    /// The end of the tour.
    Free,
}

impl Step {
    /// All of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Task,
        Self::Base,
        Self::Leaked,
        Self::Commit,
        Self::Versions,
        Self::Aware,
        Self::Ignored,
        Self::Free,
    ];

    /// The setting of the completion that is shown here.
    pub fn setting(self) -> Option<&'static str> {
        match self {
            Self::Aware => Some("retrieved_aware"),
            Self::Ignored => Some("retrieved_ignored"),
            _ => None,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Task => "A task",
            Self::Base => "Base-commit context",
            Self::Leaked => "Latest-version context",
            Self::Commit => "Commit of a leaked line",
            Self::Versions => "Versions in between",
            Self::Aware => "Verdict, base commit",
            Self::Ignored => "Verdict, latest version",
            Self::Free => "End of the tour",
        }
    }
}

/// The tour.
#[derive(Debug, Clone)]
pub struct Demo {
    /// How the tour runs.
    pub guide: Guide,
    /// The current step.
    pub step: Step,
    /// Rises with every step that is entered: a timer that was set before is out of date.
    pub turn: u64,
    /// Whether the screen shows the step.
    pub arranged: bool,
    /// Whether a timer runs for this turn.
    pub timed: bool,
    /// Rows of the caption below the screen; 0 on a terminal that is too low for it: then it covers a part of the screen.
    pub rows: u16,
    /// Why the local sandbox does not run completions here, once that is known; containers are tried then.
    pub no_local: Option<String>,
    /// Why completions cannot be run here at all, once that is known.
    pub no_sandbox: Option<String>,
}

/// The explorer has at least so many rows; with fewer, the caption covers a part of it.
const LEAST: u16 = 10;

impl Demo {
    /// The beginning of the tour.
    pub fn new(guide: Guide) -> Self {
        Self {
            guide,
            step: Step::Task,
            turn: 0,
            arranged: false,
            timed: false,
            rows: 0,
            no_local: None,
            no_sandbox: None,
        }
    }

    /// Rows of the caption on a terminal: enough for the longest, so that nothing jumps from step to step.
    pub fn rows_on(size: (u16, u16)) -> u16 {
        let wanted = match size.0 {
            110.. => 5,
            76.. => 8,
            _ => 12,
        };
        if size.1 >= LEAST + 4 {
            wanted.min(size.1 - LEAST)
        } else {
            0
        }
    }

    /// Whether only recorded verdicts are shown.
    pub fn is_recorded(&self) -> bool {
        self.guide.expected || self.no_sandbox.is_some()
    }

    /// The step `by` after this one, where there is one.
    pub fn at_distance(&self, by: isize) -> Option<Step> {
        let at = Step::ALL.iter().position(|step| *step == self.step)?;
        Step::ALL.get(at.checked_add_signed(by)?).copied()
    }
}

fn expected(setting: &str) -> Option<Verdict> {
    sample::expected_verdict(NAMESPACE, setting, MODEL, 0)
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    #[test]
    fn the_sample_records_a_verdict_that_flips() {
        assert_eq!(expected("retrieved_aware"), Some(Verdict::Fail));
        assert_eq!(expected("retrieved_ignored"), Some(Verdict::Pass));
    }

    #[test]
    fn every_caption_fits_its_rows() {
        for guide in [
            Guide::default(),
            Guide {
                expected: true,
                auto: None,
            },
        ] {
            for no_sandbox in [None, Some("none".to_owned())] {
                for (columns, rows) in [(40, 24), (76, 24), (110, 40), (200, 60)] {
                    let mut state = State::new((columns, rows));
                    state.demo = Some(Demo::new(guide));
                    state.fit((columns, rows));
                    assert_eq!(state.terminal(), (columns, rows));
                    for step in Step::ALL {
                        let demo = state.demo.as_mut().unwrap();
                        (demo.step, demo.no_sandbox) = (step, no_sandbox.clone());
                        let rows = usize::from(demo.rows) - 2;
                        let lines = state.caption().unwrap().lines(usize::from(columns) - 4);
                        assert!(
                            lines.len() <= rows,
                            "{step:?} at {columns}: {} of {rows}",
                            lines.len()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_low_terminal_has_no_caption_rows() {
        assert_eq!(Demo::rows_on((40, 10)), 0);
        assert_eq!(Demo::rows_on((80, 14)), 4);
        assert_eq!(Demo::rows_on((80, 24)), 8);
    }
}
