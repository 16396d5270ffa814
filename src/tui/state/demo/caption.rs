//! The tour's texts: what one sees at each step, and where its verdict comes from.

use super::{Demo, MODEL, Step, expected};
use crate::benchmark::Verdict;
use crate::tui::state::State;
use crate::tui::text::wrap;

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

    fn words(&self, demo: &Demo) -> String {
        match demo.step {
            Step::Task => "A model is asked to write distance_km, the distance between two places on the globe. It gets \
                           this requirement, and the task's tests decide whether its code works. What else should it \
                           see of the project?"
                .to_owned(),
            Step::Base => "The ten windows most similar to the request, from the tree at the base commit: the last one \
                           before the function existed, and so all that its author could see. Nothing here computes \
                           with angles."
                .to_owned(),
            Step::Leaked => self.leaked(),
            Step::Commit => self.commit_words(),
            Step::Versions => "The same request at every version from the base to the newest tree. The later the tree \
                               that a benchmark takes its context from, the more of what it shows comes from the future."
                .to_owned(),
            Step::Aware => format!(
                "{MODEL} with the base-commit context: it takes the sine of degrees, as if they were radians. {}",
                self.verdict_words(demo, Step::Aware)
            ),
            Step::Ignored => format!(
                "The same model with the latest context: its first two lines are those of bearing_deg, which convert to \
                 radians. {} The verdict flips, though the answer itself was masked.",
                self.verdict_words(demo, Step::Ignored)
            ),
            Step::Free => "That was the tour. Esc exits it: then ? lists the keys, : the commands, 6 shows the leakage of \
                           any task, A compares models, J starts a review. The models and completions are invented."
                .to_owned(),
        }
    }

    fn leaked(&self) -> String {
        let found = self.leakage.shown.as_ref().map(|shown| {
            let leaked = shown.leaked(true);
            format!(
                "At least half of the lines of {} of the {} windows come from the future (»)",
                leaked.count, leaked.of
            )
        });
        format!(
            "The same request, answered from the latest version, as in most benchmarks; distance_km itself is masked. {}. \
             These are of bearing_deg, written later: it converts degrees with math.radians.",
            found.unwrap_or_else(|| "Comparing".to_owned())
        )
    }

    /// The commit of the lines under the cursor, once it is known.
    fn commit_words(&self) -> String {
        let screen = &self.leakage;
        let found = screen
            .place_at_cursor()
            .and_then(|place| screen.commits.get(&place)?.clone());
        match found {
            Some(commit) => format!(
                "These lines were added in {}, '{}', by {} on {}: after distance_km, and for another function. Nobody \
                 could see them when distance_km was written. Each leaked block has its commit.",
                commit.id.short(),
                commit.summary,
                commit.author,
                commit.date
            ),
            None => "Looking for the commit that added these lines…".to_owned(),
        }
    }

    /// The verdict of a step's completion: earned here, under way, or recorded in the sample.
    fn verdict_words(&self, demo: &Demo, step: Step) -> String {
        if let Some(verdict) = self.earned(step) {
            return self.earned_words(verdict);
        }
        let Some(verdict) = step.setting().and_then(expected) else {
            return String::new();
        };
        let why = match (&demo.no_sandbox, &demo.no_local) {
            (Some(_), _) => "not run: no sandbox works here",
            (None, _) if demo.guide.expected => "not run",
            (None, Some(_)) => "running it in a container now …",
            (None, None) => "running it in the local sandbox now …",
        };
        format!("Recorded verdict: {verdict} ({why}).")
    }

    fn earned_words(&self, verdict: Verdict) -> String {
        let own = self.workbench.evaluated.as_ref();
        let known = own.and_then(|own| own.outcome.as_ref());
        match (own.map(|own| own.sandbox), known) {
            (_, Some((_, true))) => {
                format!("Verdict: {verdict}, earned by an earlier run on this machine.")
            }
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
}
