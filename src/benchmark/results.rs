//! Official result files: one completion on each line, with its verdict. EvoCodeBench writes `"Result": "Pass"` or
//! `"Result": "Fail"`, DevEval writes `Pass`, `Error`, `OOM` or `TimeOut`. DevEval's reader (`pass_k.py`,
//! `report_results`) prefers the key `pass` to `Result`. Evoscope's results have a more detailed key `verdict`, which
//! takes precedence over `pass` and `Result`.

use super::completion::{OfficialResult, Verdict};
use super::fields::Row;

/// The verdict in a row of a result file. `None` if the row has no valid verdict. An invalid `verdict` is ignored. An
/// invalid `pass` or `Result` is recorded as a fault of the row.
pub(crate) fn released_verdict(row: &mut Row<'_>) -> Option<Verdict> {
    let own = row
        .raw(&["verdict"])
        .and_then(|(_, value)| serde_json::from_str(value.get()).ok());
    if own.is_some() {
        return own;
    }
    let (name, value) = row.raw(&["pass", "Result"])?;
    let name = name.to_owned();
    if let Ok(pass) = serde_json::from_str::<bool>(value.get()) {
        return Some(if pass { Verdict::Pass } else { Verdict::Fail });
    }
    if let Ok(result) = serde_json::from_str::<OfficialResult>(value.get()) {
        return Some(result.into());
    }
    let what = format!("{} is not an official result", value.get());
    row.fault(&name, what, "use one of Pass, Fail, Error, OOM, TimeOut");
    None
}
