//! Judgements: what a run's report means, by our rule and by the official evaluator's.

use serde::{Deserialize, Serialize};

use super::sandbox::SandboxKind;
use super::warden::{Killed, Loss, Outcome, RunReport, TestReport};
use crate::benchmark::{Format, OfficialResult, Verdict};

/// What the counter-test said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CounterTest {
    /// It failed, as it must.
    Failed,
    /// It passed: the completion makes any test pass.
    Passed,
    /// It ended, or was ended, before a changed test was reported, each time that it was run.
    Silent,
    /// It was not run, because the completion does not pass its tests.
    NotNeeded,
    /// None can be made for the task.
    None,
}

/// Where a completion does not parse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyntaxFault {
    /// The 1-based line in the spliced file.
    pub line: u32,
    /// What Python says of it.
    pub message: String,
}

/// What became of one completion, with everything that led to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and a field of what is written"
)]
pub struct Judgement {
    /// Our verdict.
    pub verdict: Verdict,
    /// In one line, why.
    pub reason: String,
    /// The tests as reported.
    pub tests: Vec<TestReport>,
    /// Wall seconds of all runs that the verdict took.
    pub seconds: f64,
    /// Seconds that the tests themselves took.
    pub test_seconds: f64,
    /// Which sandbox ran it.
    pub sandbox: SandboxKind,
    /// Whether the reference passed in this environment.
    pub reference_ok: bool,
    /// Whether the stub failed.
    pub stub_fails: bool,
    /// What the counter-test said.
    pub counter_test: CounterTest,
    /// Whether the tests and the counter-test each had a session of their own: always with `--fresh`, and where the run
    /// could have left a sign for the next one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_sessions: bool,
    /// In how many pairs of runs its tests passed and the counter-test did not: as many as the settings ask for, and more
    /// where the runs could be told apart. 0 where it does not pass or there is no counter-test.
    #[serde(default)]
    pub pairs: u32,
    /// The official evaluator's verdict on the same run.
    pub official: OfficialResult,
    /// Why the official verdict differs from ours, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs: Option<String>,
    /// Where it does not parse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub syntax: Option<SyntaxFault>,
    /// Whether it would parse if its over-indented first lines were dedented.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub over_indented: bool,
    /// Whether pytest ran without the project's own `addopts`, with which it does not start here: they ask for plugins
    /// that are absent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_addopts: bool,
    /// Limits that the sandbox could not set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_limits: Vec<String>,
    /// The start of what it printed, raw; hostile. Kept in the ledger, sanitised where it is shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub log: String,
}

/// What one or more runs of a completion add up to, before the counter-test.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub verdict: Verdict,
    pub reason: String,
}

impl Reading {
    fn new(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self {
            verdict,
            reason: reason.into(),
        }
    }
}

/// Our reading of a run: pass only when each expected id was reported passed in this run.
pub(super) fn read(report: &RunReport, expected: &[String]) -> Reading {
    if let Some(loss) = report.loss {
        return read_loss(loss);
    }
    match report.killed {
        Some(Killed::Timeout) => {
            let at = report
                .running
                .as_deref()
                .map(|id| format!(" in {id}"))
                .unwrap_or_default();
            return Reading::new(Verdict::Timeout, format!("time limit reached{at}"));
        }
        Some(Killed::Memory) => return Reading::new(Verdict::OutOfMemory, "memory limit reached"),
        None => {}
    }
    if report.forged {
        return Reading::new(
            Verdict::Tampered,
            "something wrote to the judge's report channel",
        );
    }
    if report.passed(expected) {
        return Reading::new(
            Verdict::Pass,
            format!("{} passed", count(expected.len(), "test")),
        );
    }
    if report.oom_kills > 0 {
        return Reading::new(
            Verdict::OutOfMemory,
            "the kernel ended processes for want of memory",
        );
    }
    read_failure(report, expected)
}

fn read_loss(loss: Loss) -> Reading {
    match loss {
        Loss::OutOfMemory => Reading::new(
            Verdict::OutOfMemory,
            "memory limit reached, the whole sandbox was ended",
        ),
        Loss::Died => Reading::new(
            Verdict::Tampered,
            "it ended the process that watches over it",
        ),
        Loss::Silent => Reading::new(
            Verdict::Timeout,
            "it kept the sandbox from answering within the time limit",
        ),
        Loss::Engine => Reading::new(Verdict::Infrastructure, "the container engine went away"),
    }
}

fn read_failure(report: &RunReport, expected: &[String]) -> Reading {
    let failed = report
        .tests
        .values()
        .find(|test| test.outcome == Outcome::Failed);
    if let Some(test) = failed {
        let failure = test.failure.clone().unwrap_or_default();
        let verdict = match failure.limit.as_deref() {
            Some("memory") => Verdict::OutOfMemory,
            Some(_) => Verdict::Limit,
            None => Verdict::Fail,
        };
        return Reading::new(
            verdict,
            format!("{}: {}", test.id, first_line(&failure.message)),
        );
    }
    if let Some((node, line, _)) = report.collection_errors.first() {
        return Reading::new(
            Verdict::Fail,
            format!("{node} cannot be collected: {}", first_line(line)),
        );
    }
    if let Some(text) = &report.internal_error {
        let last = text
            .lines()
            .rfind(|line| !line.trim().is_empty())
            .unwrap_or_default();
        return Reading::new(
            Verdict::Fail,
            format!("an error inside pytest: {}", first_line(last)),
        );
    }
    let missing = expected.iter().find(|id| {
        report
            .tests
            .get(*id)
            .is_none_or(|test| test.outcome != Outcome::Passed)
    });
    let Some(id) = missing else {
        return Reading::new(Verdict::Fail, "no test was reported");
    };
    let what = match report.tests.get(id).map(|test| test.outcome) {
        Some(Outcome::Skipped) => "was skipped".to_owned(),
        Some(Outcome::Xfailed | Outcome::Xpassed) => {
            "was turned into an expected failure".to_owned()
        }
        _ => format!("was never reported, {}", how_it_ended(report)),
    };
    Reading::new(Verdict::Fail, format!("{id} {what}"))
}

fn how_it_ended(report: &RunReport) -> String {
    match (report.signal, report.code) {
        (Some(signal), _) => format!("the process was ended by signal {signal}"),
        (None, Some(code)) if report.finished.is_none() => {
            format!("the process left with exit code {code}")
        }
        _ => "though pytest ended in order".to_owned(),
    }
}

fn first_line(text: &str) -> String {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default()
        .chars()
        .take(300)
        .collect()
}

pub(super) fn count(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// The official evaluator's verdict on a run: the exit code, the time limit and the memory limit, nothing else
/// (`execution_tests` of EvoCodeBench's and DevEval's `pass_k.py`). The other formats have no such script; they are
/// read by DevEval's words.
pub(super) fn official(report: &RunReport, format: Format) -> OfficialResult {
    let deveval = format != Format::EvoCodeBench;
    match report.killed {
        Some(Killed::Timeout) if deveval => return OfficialResult::TimeOut,
        Some(Killed::Memory) if deveval => return OfficialResult::OutOfMemory,
        Some(_) => return OfficialResult::Fail,
        None => {}
    }
    match report.loss {
        Some(Loss::Silent) if deveval => return OfficialResult::TimeOut,
        Some(Loss::OutOfMemory) if deveval => return OfficialResult::OutOfMemory,
        _ => {}
    }
    let ended_well = report.loss.is_none() && report.code == Some(0);
    match (ended_well, deveval) {
        (true, _) => OfficialResult::Pass,
        (false, true) => OfficialResult::Error,
        (false, false) => OfficialResult::Fail,
    }
}

/// The official verdict on a completion that is not run: one that does not parse, or stands for 'no code found'.
pub(super) fn official_failure(format: Format) -> OfficialResult {
    if format == Format::EvoCodeBench {
        OfficialResult::Fail
    } else {
        OfficialResult::Error
    }
}

#[cfg(test)]
mod tests;
