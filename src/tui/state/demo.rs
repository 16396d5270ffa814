//! The guided tour over the sample: its current step, and the caption of each.

use std::time::Duration;

use super::State;
use crate::benchmark::Verdict;
use crate::tui::text::wrap;
use crate::workspace::{TaskRef, sample};

/// The task that is walked through.
pub const TASK: &str = "EvoCodeBench sample/siskin.ledger.book.Ledger.retraps";
const NAMESPACE: &str = "siskin.ledger.book.Ledger.retraps";
/// The model whose verdict flips.
pub const MODEL: &str = "heron-70b_greedy";

/// How the tour is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Guide {
    /// How long each step is shown before the next comes by itself; by key without it.
    pub auto: Option<Duration>,
    /// Say the verdicts that the sample carries, instead of running completions.
    pub expected: bool,
}

/// A step of the tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// What a task is.
    Task,
    /// Its context from the base commit.
    Honest,
    /// Its context from the newest tree.
    Leaked,
    /// The commit that brought the leaked lines.
    Commit,
    /// The versions between.
    Versions,
    /// What a model wrote with the honest context.
    Aware,
    /// What it wrote with the leaked one.
    Ignored,
    /// The free explorer.
    Free,
}

impl Step {
    /// All of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Task,
        Self::Honest,
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
            Self::Honest => "Its honest context",
            Self::Leaked => "The leaked context",
            Self::Commit => "The commit that leaked it",
            Self::Versions => "The versions between",
            Self::Aware => "With the honest context",
            Self::Ignored => "With the leaked context",
            Self::Free => "The explorer is yours",
        }
    }
}

/// The tour.
#[derive(Debug, Clone)]
pub struct Demo {
    /// How it is taken.
    pub guide: Guide,
    /// Where it stands.
    pub step: Step,
    /// Rises with every step that is entered: a timer that was set before is out of date.
    pub turn: u64,
    /// Whether the screen shows the step.
    pub arranged: bool,
    /// Whether a timer runs for this turn.
    pub timed: bool,
    /// Rows of the caption below the screen; 0 where there is no room, and it lies over the screen.
    pub rows: u16,
    /// Why containers do not run completions here, once that is known.
    pub no_containers: Option<String>,
    /// Why completions cannot be run here at all, once that is known.
    pub no_sandbox: Option<String>,
}

/// Rows that the explorer keeps below which the caption lies over it.
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
            no_containers: None,
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

    /// The step `by` after this one, where there is one.
    pub fn beside(&self, by: isize) -> Option<Step> {
        let at = Step::ALL.iter().position(|step| *step == self.step)?;
        Step::ALL.get(at.checked_add_signed(by)?).copied()
    }
}

/// The caption of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caption {
    /// Its title.
    pub title: String,
    /// Where in the tour.
    pub place: String,
    /// What one sees.
    pub text: String,
}

impl Caption {
    /// Its text in rows of so many columns.
    pub fn lines(&self, columns: usize) -> Vec<String> {
        let pieces = wrap(&self.text, columns).into_iter();
        pieces.map(|piece| self.text[piece].to_owned()).collect()
    }
}

impl State {
    /// The caption of the tour's step; `None` when no tour is under way.
    pub fn caption(&self) -> Option<Caption> {
        let demo = self.demo.as_ref()?;
        let at = Step::ALL.iter().position(|step| *step == demo.step)? + 1;
        Some(Caption {
            title: demo.step.title().to_owned(),
            place: format!("{at} of {}", Step::ALL.len()),
            text: self.words(demo),
        })
    }

    /// The terminal's columns and rows, the caption's included.
    pub fn terminal(&self) -> (u16, u16) {
        let caption = self.demo.as_ref().map_or(0, |demo| demo.rows);
        (self.size.0, self.size.1.saturating_add(caption))
    }

    /// Takes the terminal's size: the caption of a tour takes its rows from it.
    pub fn fit(&mut self, (width, height): (u16, u16)) {
        let rows = self.demo.as_mut().map_or(0, |demo| {
            demo.rows = Demo::rows_on((width, height));
            demo.rows
        });
        self.size = (width, height - rows);
    }

    fn words(&self, demo: &Demo) -> String {
        match demo.step {
            Step::Task => "A model is asked to write Ledger.retraps: the birds that had been caught before. Left of the \
                           code stands the requirement it gets; below, what the developers' own code uses of the \
                           project. What else should the model be shown?"
                .to_owned(),
            Step::Honest => "The ten windows nearest to the request, from the tree at the base commit: the last one \
                             before the function existed, and so all that its author could see. The project has moved \
                             on since then."
                .to_owned(),
            Step::Leaked => self.leaked(),
            Step::Commit => "Each leaked run has the commit that added it. This one came after the function: nobody \
                             could have seen it when the function was written."
                .to_owned(),
            Step::Versions => "The same request at every version from the base to the newest tree. The later the tree \
                               that a benchmark takes its context from, the more of what it shows comes from the future."
                .to_owned(),
            Step::Aware => format!(
                "{MODEL} with the honest context: it takes every later capture, those of the first day too. {}",
                self.verdict_words(demo, Step::Aware)
            ),
            Step::Ignored => format!(
                "The same model with the leaked context: it leaves the first day out, as the answer on the screen before did. {} \
                 The verdict flips, and nothing about the model has changed.",
                self.verdict_words(demo, Step::Ignored)
            ),
            Step::Free => "That was the tour. Every screen of it stays where you left it: ? lists the keys, : the \
                           commands, 6 the leakage of any task, A the models against each other, J a review. \
                           The models and completions are invented."
                .to_owned(),
        }
    }

    fn leaked(&self) -> String {
        let found = self.leakage.shown.as_ref().map(|shown| {
            let counts = shown.comparison.counts;
            format!(
                "At least half of the lines of {} of the {} windows on the right come from the future (»), {} windows show \
                 the answer itself (◎)",
                counts.leak_half,
                shown.comparison.ignored.items.len(),
                counts.target
            )
        });
        format!(
            "The same request, answered from the newest tree, as most benchmarks do. {}. On the left («) is what the \
             author had and the newest tree has lost.",
            found.unwrap_or_else(|| "Comparing".to_owned())
        )
    }

    /// The verdict of a step's completion: earned here, under way, or carried by the sample.
    fn verdict_words(&self, demo: &Demo, step: Step) -> String {
        if let Some(verdict) = self.earned(step) {
            return self.earned_words(demo, verdict);
        }
        let Some(verdict) = step.setting().and_then(expected) else {
            return String::new();
        };
        match &demo.no_sandbox {
            Some(_) => format!(
                "Verdict: {verdict} (carried by the sample; there is no sandbox here to run it in)."
            ),
            None if demo.guide.expected => {
                format!("Verdict: {verdict} (carried by the sample; not run).")
            }
            None if demo.no_containers.is_some() => format!(
                "Containers cannot be had here; running it in the local sandbox … the sample expects: {verdict}."
            ),
            None => format!("Running it in a sandbox … the sample expects: {verdict}."),
        }
    }

    fn earned_words(&self, demo: &Demo, verdict: Verdict) -> String {
        let sandbox = self.workbench.evaluated.as_ref().map(|own| own.sandbox);
        match (sandbox, &demo.no_containers) {
            (Some("local"), Some(_)) => format!(
                "Verdict: {verdict}, earned in the local sandbox; containers cannot be had here."
            ),
            (Some(name), _) if !name.is_empty() => {
                format!("Verdict: {verdict}, earned just now in the {name} sandbox.")
            }
            _ => format!("Verdict: {verdict}, earned in a sandbox."),
        }
    }

    /// The verdict that a run here gave the step's completion.
    fn earned(&self, step: Step) -> Option<Verdict> {
        let task = self.demo_task()?;
        let row = self.workbench.completions.rows.iter().find(|row| {
            Some(&*row.setting) == step.setting() && &*row.model == MODEL && row.sample == 0
        })?;
        self.verdicts.get(&(task, row.index)).copied()
    }

    /// The task of the tour, once the sample is open.
    pub fn demo_task(&self) -> Option<TaskRef> {
        self.workspace.as_ref()?.find(TASK).ok()
    }
}

fn expected(setting: &str) -> Option<Verdict> {
    sample::expected_verdict(NAMESPACE, setting, MODEL, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_carries_a_verdict_that_flips() {
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
                        let room = usize::from(demo.rows) - 2;
                        let lines = state.caption().unwrap().lines(usize::from(columns) - 4);
                        assert!(
                            lines.len() <= room,
                            "{step:?} at {columns}: {} of {room}",
                            lines.len()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_low_terminal_keeps_its_rows() {
        assert_eq!(Demo::rows_on((40, 10)), 0);
        assert_eq!(Demo::rows_on((80, 14)), 4);
        assert_eq!(Demo::rows_on((80, 24)), 8);
    }
}
