//! Two moments of one setting: what the later moment shows of a task that did not exist at the earlier one.

use super::benchmarks::TaskRef;
use super::comparison::ComparisonRequest;
use super::contexts::Contexts;
use super::open::Workspace;
use crate::context::{Mark, PromptSetting, PromptStyle, Revision};
use crate::error::{Cancel, Result};

/// A line of a context that the base tree does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeakedLine {
    /// Its file and its number there: `src/a.py:12`.
    pub place: String,
    /// Its text.
    pub text: String,
}

/// What the evolving-ignored prompt of a task shows that did not exist for the evolving-aware one. The target is
/// masked, as it is in prompts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskLeakage {
    /// Snippets of the evolving-ignored context.
    pub snippets: usize,
    /// Snippets with a run of lines that the base tree does not have.
    pub leaked_any: usize,
    /// Snippets for which the base tree lacks at least half of the lines.
    pub leaked_half: usize,
    /// The leaked lines, in the order of the snippets.
    pub lines: Vec<LeakedLine>,
}

/// The pairs of settings that differ only in their moment, as indexes into `settings`: first evolving-aware, then
/// evolving-ignored. The setting at `base` is the aware one; if neither is at `base`, the one that is listed first.
pub fn moment_pairs(settings: &[PromptSetting]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (first, one) in settings.iter().enumerate() {
        for (second, other) in settings.iter().enumerate().skip(first + 1) {
            let same = (one.setting, one.requirement) == (other.setting, other.requirement);
            match other.moment() {
                _ if !same => {}
                Revision::Base => pairs.push((second, first)),
                _ => pairs.push((first, second)),
            }
        }
    }
    pairs
}

impl Workspace {
    /// What a task's prompt at the moment of `ignored` shows that did not exist at the moment of `aware`. With a
    /// budget, only what the shortened prompts show counts. Errors when a tree cannot be read, or when cancelled.
    pub fn task_leakage(
        &self,
        contexts: &Contexts,
        task: TaskRef,
        (aware, ignored): (&PromptSetting, &PromptSetting),
        within: Option<(PromptStyle, usize)>,
        cancel: &Cancel,
    ) -> Result<TaskLeakage> {
        let named = |setting: &PromptSetting, usual: &Revision| {
            let moment = setting.moment();
            (moment != usual).then(|| moment.to_string())
        };
        let request = ComparisonRequest {
            base: named(aware, &Revision::Base),
            newest: named(ignored, &Revision::Newest),
            prompts: within,
            requirement: aware.requirement,
            ..ComparisonRequest::official(aware.setting, false)
        };
        let compared = self.compare(contexts, &request, task, cancel)?.comparison;
        let mut found = TaskLeakage {
            leaked_any: compared.counts.masked_leak_any,
            leaked_half: compared.counts.masked_leak_half,
            ..TaskLeakage::default()
        };
        for item in &compared.ignored_masked.items {
            found.snippets += 1;
            for (number, line) in (item.start..).zip(&item.lines) {
                if line.mark == Mark::Leaked && !line.text.trim().is_empty() {
                    found.lines.push(LeakedLine {
                        place: format!("{}:{number}", item.path),
                        text: line.text.to_string(),
                    });
                }
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_differ_only_in_their_moment_and_base_comes_first() {
        let settings: Vec<PromptSetting> = [
            "retrieved@newest",
            "retrieved@base",
            "retrieved@base+brief",
            "oracle",
            "oracle@v1",
        ]
        .iter()
        .map(|name| name.parse().unwrap())
        .collect();
        assert_eq!(moment_pairs(&settings), [(1, 0), (3, 4)]);
    }
}
