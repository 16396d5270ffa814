//! Makes the sheets (tables) of the analysis. The verdicts of all tasks are gathered once and cached.

use std::sync::{Arc, PoisonError};

use super::WorkerState;
use crate::error::{Cancel, Result};
use crate::metrics::Dimension;
use crate::report::{OpenVerdicts, analyse};
use crate::tui::effect::Own;
use crate::tui::message::Answer;
use crate::workspace::TaskRef;

impl WorkerState {
    /// Makes the sheets for `tasks`. The second sheet groups the tasks by `by`. `own` contains the verdicts of this
    /// session.
    pub(super) fn analyse(
        &self,
        tasks: &Arc<[TaskRef]>,
        by: Dimension,
        own: &Arc<Own>,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let open = self.open_verdicts(own, cancel)?;
        cancel.check()?;
        let places: Vec<u32> = tasks.iter().filter_map(|task| open.place(*task)).collect();
        Ok(Answer::Analysis(analyse(&open, &places, by)?))
    }

    /// Drops the cached verdicts, so that the next request gathers them again.
    pub(super) fn forget_verdicts(&self) {
        let mut cached = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = None;
    }

    /// The verdicts of all tasks. They are from the cache if it was filled with the same `own`.
    fn open_verdicts(&self, own: &Arc<Own>, cancel: &Cancel) -> Result<Arc<OpenVerdicts>> {
        let cached = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, open)) = &*cached
            && made == own
        {
            return Ok(Arc::clone(open));
        }
        drop(cached);
        let workspace = self.workspace()?;
        let index = workspace.index_completions(cancel, &|_, _| {})?;
        let verdict = |task, completion| own.get(&(task, completion)).copied();
        let open = Arc::new(OpenVerdicts::gather(&workspace, index, verdict)?);
        let mut cached = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = Some((Arc::clone(own), Arc::clone(&open)));
        Ok(open)
    }
}
