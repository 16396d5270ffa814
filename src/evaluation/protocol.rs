//! The test protocol: what a task must show before it counts, and what a completion must show to pass.

mod footing;
mod hearing;
mod stage;

use std::sync::Arc;

pub use self::footing::{Footing, Usual};
use self::hearing::{Case, Hearing};
use self::stage::{Stage, brought};
use super::counter::Mutant;
use super::sandbox::{Limits, SandboxKind};
use super::subject::{Body, NO_CODE, Subject};
use super::verdict::{CounterTest, Judgement, SyntaxFault, official, official_failure};
use super::warden::{Live, Order, Outcome, RunReport, Warmth};
use crate::benchmark::{OfficialResult, RepoPath, Verdict};
use crate::code::level_first_lines;
use crate::error::{Cancel, Result};

/// How much longer than a completion the reference may take with changed tests, whose failures may be long to tell.
const TRUSTED_LONGER: u32 = 3;

/// How runs are made: the schedule lends its warm session here, and opens another when one is lost.
pub(super) trait Runner {
    fn run(&mut self, order: &Order, live: &mut dyn FnMut(Live)) -> Result<RunReport>;
    /// Has this ready in further runs; nothing at all in runs of this environment, where it is `None`.
    fn warm(&mut self, warmth: Option<&Warmth>);
    /// Lets nothing be ready in further runs of this environment. False where nothing was.
    fn cool(&mut self) -> bool;
    /// Makes the next run the first of a new session.
    fn renew(&mut self);
    fn kind(&self) -> SandboxKind;
    fn missing_limits(&self) -> Vec<String>;
    fn cancel(&self) -> &Cancel;
}

/// Runs of one task.
pub(super) struct Bench<'a> {
    pub subject: &'a Arc<Subject>,
    pub limits: Limits,
    pub runner: &'a mut dyn Runner,
    /// How often the reference is run, to find flaky tests.
    pub repeats: u32,
    /// Whether the tests and the counter-test each get a session of their own.
    pub fresh: bool,
    /// In how many pairs of tests and counter-test a pass is heard; at least 1.
    pub pairs: u32,
    /// Whether a completion is judged of which a run was made already.
    pub follows: bool,
}

/// What one body showed, in one process or in one for each test.
struct Trial {
    report: RunReport,
    official: OfficialResult,
    seconds: f64,
    /// Whether what fails in one process was looked at again in several.
    looked_again: bool,
}

impl Bench<'_> {
    /// Judges one completion.
    pub(super) fn judge(
        &mut self,
        footing: &Footing,
        completion: &str,
        live: &mut dyn FnMut(Live),
    ) -> Result<Judgement> {
        self.follows = false;
        if let Some(why) = &footing.unusable {
            return Ok(self.unrun(footing, Verdict::Unusable, why.clone()));
        }
        if completion == NO_CODE {
            return Ok(self.unrun(
                footing,
                Verdict::Fail,
                "no code was found in the model's answer".into(),
            ));
        }
        let files = self.subject.files(Body::Completion(completion))?;
        let case = Case {
            footing,
            files: &files,
        };
        let mut heard = self.hear(&case, live)?;
        if let Some(fault) = heard.trial.report.syntax.take() {
            return self.syntax(footing, completion, fault, heard.seconds);
        }
        Ok(self.judgement(footing, heard))
    }

    /// The changed tests beside `files`. Where those are `trusted`, the run is of these tests alone and hands back what they
    /// compile to.
    pub(super) fn run_mutant(
        &mut self,
        footing: &Footing,
        files: &[(RepoPath, Vec<u8>)],
        mutant: &Mutant,
        trusted: bool,
    ) -> Result<RunReport> {
        let stage = Stage::of(self.subject, footing);
        let files = brought(self.subject, files, &stage, &mutant.files);
        let limits = if trusted {
            self.limits.longer(TRUSTED_LONGER)
        } else {
            self.limits
        };
        let mut run = |tests: &[String]| {
            let order = Order {
                files: &files,
                code: &mutant.code,
                list_code: trusted,
                follows: std::mem::replace(&mut self.follows, !trusted),
                ..order(self.subject, footing, &stage, tests, limits)
            };
            self.runner.cancel().check()?;
            self.runner.run(&order, &mut |_| {})
        };
        if trusted {
            return run(if mutant.asked.is_empty() {
                &mutant.ids
            } else {
                &mutant.asked
            });
        }
        // What is asked for tells nothing: it is the task's list, in as many processes as the tests are run in.
        let tests = &self.subject.tests;
        if footing.apart {
            one_by_one(tests, run, |_| false)
        } else {
            run(tests)
        }
    }

    fn syntax(
        &self,
        footing: &Footing,
        completion: &str,
        fault: SyntaxFault,
        seconds: f64,
    ) -> Result<Judgement> {
        let reason = format!(
            "line {} of {}: {}",
            fault.line, self.subject.path, fault.message
        );
        let mut judgement = self.unrun(footing, Verdict::Syntax, reason);
        judgement.syntax = Some(fault);
        judgement.seconds = seconds;
        if let Some(levelled) = level_first_lines(completion) {
            judgement.over_indented = parses(&self.subject.spliced(&levelled)?);
        }
        Ok(judgement)
    }

    fn unrun(&self, footing: &Footing, verdict: Verdict, reason: String) -> Judgement {
        Judgement {
            verdict,
            reason,
            tests: Vec::new(),
            seconds: 0.0,
            test_seconds: 0.0,
            sandbox: self.runner.kind(),
            reference_ok: footing.reference_ok,
            stub_fails: footing.stub_fails,
            counter_test: CounterTest::NotNeeded,
            own_sessions: false,
            pairs: 0,
            official: official_failure(self.subject.format),
            differs: None,
            syntax: None,
            over_indented: false,
            without_addopts: !footing.arguments.is_empty(),
            missing_limits: self.runner.missing_limits(),
            log: String::new(),
        }
    }

    fn judgement(&self, footing: &Footing, heard: Hearing) -> Judgement {
        let Hearing { trial, reading, .. } = heard;
        let mut judgement = self.unrun(footing, reading.verdict, reading.reason);
        judgement.test_seconds = trial.report.tests.values().map(|test| test.seconds).sum();
        judgement.log = String::from_utf8_lossy(&trial.report.log).into_owned();
        judgement.tests = trial.report.tests.into_values().collect();
        judgement.counter_test = heard.counter_test;
        judgement.own_sessions = heard.own_sessions;
        judgement.pairs = heard.pairs;
        judgement.official = trial.official;
        judgement.seconds = heard.seconds;
        judgement.differs = difference(&judgement);
        judgement
    }

    /// All tests in one process, or each entry in its own where the footing or a failure asks for it.
    fn trial(
        &mut self,
        files: &[(RepoPath, Vec<u8>)],
        footing: &Footing,
        live: &mut dyn FnMut(Live),
        list_modules: bool,
    ) -> Result<Trial> {
        let tests = self.subject.tests.clone();
        let mut report = if footing.apart {
            self.run_apart(files, footing, &tests, live, list_modules)?
        } else {
            self.run(files, footing, &tests, live, list_modules)?
        };
        let mut seconds = report.seconds;
        let several = self.subject.tests.len() > 1 && !footing.apart && !list_modules;
        let looked_again = several && worth_a_second_look(&report, footing);
        if looked_again {
            seconds += self.second_look(&mut report, files, footing, live)?;
        }
        let official = official(&report, self.subject.format);
        Ok(Trial {
            report,
            official,
            seconds,
            looked_again,
        })
    }

    /// Runs a failing test in a process of its own, as the official evaluators do, and all of them so when it passes
    /// there. Gives the seconds that it took; the report is replaced when everything passes apart.
    fn second_look(
        &mut self,
        report: &mut RunReport,
        files: &[(RepoPath, Vec<u8>)],
        footing: &Footing,
        live: &mut dyn FnMut(Live),
    ) -> Result<f64> {
        let subject = self.subject;
        let failed = report
            .tests
            .values()
            .find(|test| test.outcome == Outcome::Failed);
        let Some(entry) = failed.and_then(|test| subject.entry_of(&test.id)) else {
            return Ok(0.0);
        };
        let alone = self.run(files, footing, std::slice::from_ref(entry), live, false)?;
        if !ended_well(&alone) {
            return Ok(alone.seconds);
        }
        let apart = self.run_apart(files, footing, &subject.tests, live, false)?;
        let seconds = alone.seconds + apart.seconds;
        if apart.passed(&footing.expected) {
            *report = apart;
        }
        Ok(seconds)
    }

    fn run_apart(
        &mut self,
        files: &[(RepoPath, Vec<u8>)],
        footing: &Footing,
        tests: &[String],
        live: &mut dyn FnMut(Live),
        list_modules: bool,
    ) -> Result<RunReport> {
        one_by_one(
            tests,
            |test| self.run(files, footing, test, live, list_modules),
            |report| !list_modules && !ended_well(report),
        )
    }

    fn run(
        &mut self,
        files: &[(RepoPath, Vec<u8>)],
        footing: &Footing,
        tests: &[String],
        live: &mut dyn FnMut(Live),
        list_modules: bool,
    ) -> Result<RunReport> {
        let stage = Stage::of(self.subject, footing);
        let files = brought(self.subject, files, &stage, &[]);
        let order = Order {
            files: &files,
            list_modules,
            reference: list_modules.then_some(self.subject.body),
            follows: std::mem::replace(&mut self.follows, true),
            ..order(self.subject, footing, &stage, tests, self.limits)
        };
        self.runner.cancel().check()?;
        self.runner.run(&order, live)
    }
}

/// A run for each test, as one report of those up to the first that `decides`.
fn one_by_one(
    tests: &[String],
    mut run: impl FnMut(&[String]) -> Result<RunReport>,
    decides: impl Fn(&RunReport) -> bool,
) -> Result<RunReport> {
    let mut whole: Option<RunReport> = None;
    for test in tests {
        let report = run(std::slice::from_ref(test))?;
        let is_last = decides(&report);
        whole = Some(match whole {
            None => report,
            Some(before) => before.joined(report),
        });
        if is_last {
            break;
        }
    }
    Ok(whole.unwrap_or_default())
}

/// A run of a task's tests, without any file in place yet.
fn order<'a>(
    subject: &'a Subject,
    footing: &'a Footing,
    stage: &'a Stage,
    tests: &'a [String],
    limits: Limits,
) -> Order<'a> {
    Order {
        project: &subject.project,
        files: &[],
        import_roots: &stage.import_roots,
        renewed: &stage.renewed,
        tests,
        arguments: &footing.arguments,
        check: &subject.path,
        limits,
        list_modules: false,
        ahead: &footing.own,
        code: &[],
        list_code: false,
        follows: false,
        reference: None,
    }
}

/// A failure that may come of tests sharing a process: a test failed, and nothing worse happened.
fn worth_a_second_look(report: &RunReport, footing: &Footing) -> bool {
    report.tests.len() > 1
        && report.loss.is_none()
        && report.killed.is_none()
        && !report.forged
        && report.finished == Some(1)
        && report.syntax.is_none()
        && !report.passed(&footing.expected)
        && report
            .tests
            .values()
            .any(|test| test.outcome == Outcome::Passed)
}

/// Whether a reference's run shows nothing but passes and skips, and at least one pass.
fn sound(report: &RunReport) -> bool {
    let mut outcomes = report.tests.values().map(|test| test.outcome);
    ended_well(report) && outcomes.any(|outcome| outcome == Outcome::Passed)
}

/// Whether a run ended in order and nothing in it failed. pytest's status may tell of a failure all the same: a plugin
/// may have counted one that is no test's, as of too little coverage.
fn ended_well(report: &RunReport) -> bool {
    let fine = |outcome| {
        matches!(
            outcome,
            Outcome::Passed | Outcome::Skipped | Outcome::Xfailed | Outcome::Xpassed
        )
    };
    let in_order = report.code == Some(0) || report.code == Some(1) && report.finished == Some(1);
    in_order
        && report.loss.is_none()
        && report.killed.is_none()
        && !report.forged
        && report.collection_errors.is_empty()
        && report.tests.values().all(|test| fine(test.outcome))
}

fn parses(source: &[u8]) -> bool {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .is_ok()
        && parser
            .parse(source, None)
            .is_some_and(|tree| !tree.root_node().has_error())
}

/// Why the official evaluator sees it otherwise, in one line.
fn difference(judgement: &Judgement) -> Option<String> {
    let officially = judgement.official == OfficialResult::Pass;
    let ours = judgement.verdict == Verdict::Pass;
    match (officially, ours) {
        (true, true) | (false, false) => None,
        (true, false) => Some(format!("exit code 0 counts as a pass there; here: {}", judgement.reason)),
        (false, true) => {
            Some("each test was reported passed; the exit code was not 0, which counts as a failure there".to_owned())
        }
    }
}
