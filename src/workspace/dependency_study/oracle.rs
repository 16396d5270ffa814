//! How often completions hold the tokens of their oracle contexts. `CoderEval`'s Acc@k is computed from this.

use std::collections::{BTreeMap, BTreeSet};

use crate::benchmark::{TokenKind, oracle_tokens};
use crate::code::identifiers;
use crate::error::{Cancel, Result};
use crate::metrics::Tally;
use crate::workspace::{TaskRef, Workspace};

/// The tallies of one set, one for each task and token: how many samples of the task hold the token.
#[derive(Debug, Default)]
pub struct OracleTallies {
    tallies: Vec<(TokenKind, Tally)>,
    tasks: BTreeMap<Option<TokenKind>, BTreeSet<TaskRef>>,
    /// How many samples each task counts; a missing sample counts as one without the token.
    pub samples: u32,
}

/// The tallies of all sets.
#[derive(Debug, Default)]
pub struct OracleStudy {
    /// By the completion set's index.
    pub sets: BTreeMap<u32, OracleTallies>,
    /// How many tasks have no oracle context, or one without any token.
    pub without: usize,
}

impl Workspace {
    /// Counts, for the completions of tasks, how many hold each token of their oracle context. Errors when a record or
    /// a completion cannot be read, or when cancelled.
    pub fn oracle_study(&self, tasks: &[TaskRef], cancel: &Cancel) -> Result<OracleStudy> {
        let mut study = OracleStudy::default();
        for &at in tasks {
            cancel.check()?;
            let context = self.detail(at)?.oracle_context.unwrap_or_default();
            let tokens = oracle_tokens(&context);
            if tokens.is_empty() {
                study.without += 1;
                continue;
            }
            tally(self, at, &tokens, &mut study.sets)?;
        }
        study.sets.values_mut().for_each(OracleTallies::pad);
        Ok(study)
    }
}

/// Counts, for each token and set, the samples that hold the token.
fn tally(
    workspace: &Workspace,
    at: TaskRef,
    tokens: &[(TokenKind, String)],
    sets: &mut BTreeMap<u32, OracleTallies>,
) -> Result<()> {
    let language = workspace.task(at).language;
    let mut samples: BTreeMap<u32, Vec<BTreeSet<String>>> = BTreeMap::new();
    for completion in workspace.completions(at)? {
        let code = workspace.completion_text(at, completion)?;
        let held = identifiers(language, &code);
        samples.entry(completion.set).or_default().push(held);
    }
    for (set, samples) in samples {
        let counted = sets.entry(set).or_default();
        let all = u32::try_from(samples.len()).unwrap_or(u32::MAX);
        for (kind, token) in tokens {
            let holds = |held: &&BTreeSet<String>| token.split('.').all(|part| held.contains(part));
            let with = samples.iter().filter(holds).count();
            let with = u32::try_from(with).unwrap_or(u32::MAX);
            counted.tallies.push((*kind, Tally::new(all, with)));
            for kind in [Some(*kind), None] {
                counted.tasks.entry(kind).or_default().insert(at);
            }
        }
    }
    Ok(())
}

impl OracleTallies {
    /// Makes each tally as large as the largest: missing samples count as samples without the token.
    fn pad(&mut self) {
        let most = self.tallies.iter().map(|(_, tally)| tally.samples);
        self.samples = most.max().unwrap_or(0);
        for (_, tally) in &mut self.tallies {
            *tally = tally.padded_to(self.samples);
        }
    }

    /// The tallies of a kind of token, or of all kinds, and how many tasks they come from.
    pub fn of(&self, wanted: Option<TokenKind>) -> (usize, Vec<Tally>) {
        let tasks = self.tasks.get(&wanted).map_or(0, BTreeSet::len);
        let tallies = self.tallies.iter();
        let tallies = tallies.filter(|(kind, _)| wanted.is_none_or(|wanted| wanted == *kind));
        (tasks, tallies.map(|(_, tally)| *tally).collect())
    }
}
