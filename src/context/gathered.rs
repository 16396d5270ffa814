//! Two moments of any setting, compared.

use super::compare::{Comparison, Side, count, judge};
use super::engine::{Engine, Progress};
use super::settings::{Wanted, target_in};
use super::tree;
use crate::error::{Cancel, Result};
use crate::history::Snapshot;

impl Engine {
    /// What a setting shows at the base and at a later moment, compared line by line as [`Engine::compare`] compares
    /// retrieved snippets. The later moment's target is masked where the setting would show it; `wanted.masks` are not
    /// used.
    ///
    /// # Errors
    /// As [`Engine::gather`].
    pub fn compare_gathered(
        &self,
        wanted: &Wanted,
        base: &Snapshot,
        later: &Snapshot,
        progress: Progress,
        cancel: &Cancel,
    ) -> Result<Comparison> {
        let masks: Vec<_> = target_in(wanted.target, later)?.into_iter().collect();
        let raw = Wanted {
            masks: &[],
            ..*wanted
        };
        let masked = Wanted {
            masks: &masks,
            ..*wanted
        };
        let mut aware = self.gather(&raw, base, progress, cancel)?.listing;
        let mut ignored = self.gather(&raw, later, progress, cancel)?.listing;
        let mut ignored_masked = self.gather(&masked, later, progress, cancel)?.listing;
        let pool = wanted.retrieval.pool;
        let base = self.tree(pool, base, progress, cancel)?;
        let later = self.tree(pool, later, progress, cancel)?;
        let corpus = self.corpus(pool);
        let corpus = tree::read(&corpus)?;
        judge(&corpus, &mut aware, (&base, &later), Side::Aware, &masks);
        judge(
            &corpus,
            &mut ignored,
            (&later, &base),
            Side::Ignored,
            &masks,
        );
        judge(
            &corpus,
            &mut ignored_masked,
            (&later, &base),
            Side::Ignored,
            &masks,
        );
        let counts = count(&aware, &ignored, &ignored_masked);
        Ok(Comparison {
            base: aware.revision.clone(),
            newest: ignored.revision.clone(),
            aware,
            ignored,
            ignored_masked,
            counts,
        })
    }
}
