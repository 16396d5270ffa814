//! The test protocol: what a task must show before it counts, and what a completion must show to pass.

mod footing;
mod stage;

use std::sync::Arc;

pub use self::footing::Footing;
use self::stage::{Stage, brought};
use super::counter::Mutant;
use super::sandbox::{Limits, SandboxKind};
use super::subject::{Body, NO_CODE, Subject};
use super::verdict::{
    CounterTest, Judgement, Reading, SyntaxFault, official, official_failure, read,
};
use super::warden::{Live, Loss, Order, Outcome, RunReport, Warmth};
use crate::benchmark::{OfficialResult, RepoPath, Verdict};
use crate::code::level_first_lines;
use crate::error::{Cancel, Result};

/// The counter-test comes first for one completion in so many. It is run in vain for those that fail their tests.
const COUNTER_FIRST: u32 = 64;
/// How often a completion is heard in sessions of its own that moves what the whole machine counts. It may know the
/// second run of each hearing, but not which of the two is the counter-test.
const HEARINGS: u32 = 8;

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
}

/// What one body showed, in one process or in one for each test.
struct Trial {
    report: RunReport,
    official: OfficialResult,
    seconds: f64,
    /// Whether what fails in one process was looked at again in several.
    looked_again: bool,
}

/// A trial and, where it passes, its counter-test.
struct Hearing {
    trial: Trial,
    reading: Reading,
    counter_test: CounterTest,
    own_sessions: bool,
    /// Whether a run has left a sign of itself that a new session does not hide.
    is_beyond: bool,
    seconds: f64,
}

impl Bench<'_> {
    /// Judges one completion.
    pub(super) fn judge(
        &mut self,
        footing: &Footing,
        completion: &str,
        live: &mut dyn FnMut(Live),
    ) -> Result<Judgement> {
        if let Some(why) = &footing.unusable {
            return Ok(self.unrun(footing, Verdict::Unusable, why.clone(), completion));
        }
        if completion == NO_CODE {
            return Ok(self.unrun(
                footing,
                Verdict::Fail,
                "no code was found in the model's answer".into(),
                completion,
            ));
        }
        let files = self.subject.files(Body::Completion(completion))?;
        let mut heard = self.hear(footing, &files, live)?;
        if let Some(fault) = heard.trial.report.syntax.take() {
            return self.syntax(footing, completion, fault, heard.seconds);
        }
        Ok(self.judgement(footing, heard))
    }

    /// The tests and the counter-test in the session at hand, or each in one of its own: where that is asked for, and
    /// where the first run could have left a sign from which the second learns that it is the second.
    fn hear(
        &mut self,
        footing: &Footing,
        files: &[(RepoPath, Vec<u8>)],
        live: &mut dyn FnMut(Live),
    ) -> Result<Hearing> {
        if self.fresh {
            self.runner.renew();
        }
        let first = self.by_lot(footing, files)?;
        let trial = self.trial(files, footing, live, false)?;
        let mut heard = Hearing {
            reading: read(&trial.report, &footing.expected),
            counter_test: CounterTest::NotNeeded,
            own_sessions: self.fresh,
            is_beyond: false,
            seconds: trial.seconds,
            trial,
        };
        if heard.reading.verdict != Verdict::Pass {
            return Ok(heard);
        }
        let Some(mutant) = &footing.counter else {
            heard.counter_test = CounterTest::None;
            return Ok(heard);
        };
        if let Some(report) = first {
            heard.confirm(mutant, &report);
            return Ok(heard);
        }
        let usual = &footing.usual;
        if usual.is_beyond(&heard.trial.report) || !self.fresh && !usual.covers(&heard.trial) {
            return self.hear_apart(footing, files, mutant, heard.seconds);
        }
        if self.fresh {
            self.runner.renew();
        }
        let report = self.run_mutant(footing, files, mutant, false)?;
        if !footing.usual.explains(report.left.disturbed) && !self.fresh {
            return self.hear_apart(footing, files, mutant, heard.seconds + report.seconds);
        }
        heard.confirm(mutant, &report);
        Ok(heard)
    }

    /// The counter-test before the tests, for a few completions that nobody can foresee: one that knows a second run
    /// when it sees it, by whatever means, takes it for the tests.
    fn by_lot(
        &mut self,
        footing: &Footing,
        files: &[(RepoPath, Vec<u8>)],
    ) -> Result<Option<RunReport>> {
        let Some(mutant) = &footing.counter else {
            return Ok(None);
        };
        if self.fresh || !rand::random::<u32>().is_multiple_of(COUNTER_FIRST) {
            return Ok(None);
        }
        self.run_mutant(footing, files, mutant, false).map(Some)
    }

    /// The tests and the counter-test in sessions of their own; again and again where that does not hide which run is
    /// the second.
    fn hear_apart(
        &mut self,
        footing: &Footing,
        files: &[(RepoPath, Vec<u8>)],
        mutant: &Mutant,
        seconds: f64,
    ) -> Result<Hearing> {
        let mut heard = self.hear_alone(footing, files, mutant, seconds)?;
        for _ in 1..HEARINGS {
            if heard.reading.verdict != Verdict::Pass || !heard.is_beyond {
                break;
            }
            heard = self.hear_alone(footing, files, mutant, heard.seconds)?;
        }
        Ok(heard)
    }

    /// The tests and the counter-test, each as the first run of a new session, in an order that nobody can foresee.
    fn hear_alone(
        &mut self,
        footing: &Footing,
        files: &[(RepoPath, Vec<u8>)],
        mutant: &Mutant,
        seconds: f64,
    ) -> Result<Hearing> {
        let mut first = None;
        if rand::random() {
            self.runner.renew();
            first = Some(self.run_mutant(footing, files, mutant, false)?);
        }
        self.runner.renew();
        let trial = self.trial(files, footing, &mut |_| {}, false)?;
        let mut heard = Hearing {
            reading: read(&trial.report, &footing.expected),
            counter_test: CounterTest::NotNeeded,
            own_sessions: true,
            is_beyond: footing.usual.is_beyond(&trial.report),
            seconds: seconds + trial.seconds,
            trial,
        };
        let report = match first {
            Some(report) => report,
            None if heard.reading.verdict != Verdict::Pass => return Ok(heard),
            None => {
                self.runner.renew();
                self.run_mutant(footing, files, mutant, false)?
            }
        };
        heard.is_beyond |= footing.usual.is_beyond(&report);
        heard.confirm(mutant, &report);
        Ok(heard)
    }

    /// The changed tests beside `files`. Where those are `trusted`, the run hands back what the tests compile to.
    pub(super) fn run_mutant(
        &mut self,
        footing: &Footing,
        files: &[(RepoPath, Vec<u8>)],
        mutant: &Mutant,
        trusted: bool,
    ) -> Result<RunReport> {
        let stage = Stage::of(self.subject, footing);
        let files = brought(self.subject, files, &stage, &mutant.files);
        let mut run = |tests: &[String]| {
            let order = Order {
                files: &files,
                code: &mutant.code,
                list_code: trusted,
                ..order(self.subject, footing, &stage, tests, self.limits)
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
        if !footing.apart {
            return run(tests);
        }
        let mut whole: Option<RunReport> = None;
        for test in tests {
            let report = run(std::slice::from_ref(test))?;
            whole = Some(match whole {
                None => report,
                Some(before) => before.joined(report),
            });
        }
        Ok(whole.unwrap_or_default())
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
        let mut judgement = self.unrun(footing, Verdict::Syntax, reason, completion);
        judgement.syntax = Some(fault);
        judgement.seconds = seconds;
        if let Some(levelled) = level_first_lines(completion) {
            judgement.over_indented = parses(&self.subject.spliced(&levelled)?);
        }
        Ok(judgement)
    }

    fn unrun(
        &self,
        footing: &Footing,
        verdict: Verdict,
        reason: String,
        _completion: &str,
    ) -> Judgement {
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
        let mut judgement = self.unrun(footing, reading.verdict, reading.reason, "");
        judgement.test_seconds = trial.report.tests.values().map(|test| test.seconds).sum();
        judgement.log = String::from_utf8_lossy(&trial.report.log).into_owned();
        judgement.tests = trial.report.tests.into_values().collect();
        judgement.counter_test = heard.counter_test;
        judgement.own_sessions = heard.own_sessions;
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
        let tests = self.subject.tests.clone();
        let failed = report
            .tests
            .values()
            .find(|test| test.outcome == Outcome::Failed);
        let Some(entry) = failed.and_then(|test| entry_of(&test.id, &tests)) else {
            return Ok(0.0);
        };
        let alone = self.run(files, footing, std::slice::from_ref(entry), live, false)?;
        if alone.code != Some(0) || alone.loss.is_some() {
            return Ok(alone.seconds);
        }
        let apart = self.run_apart(files, footing, &tests, live, false)?;
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
        let mut whole: Option<RunReport> = None;
        for test in tests {
            let report = self.run(
                files,
                footing,
                std::slice::from_ref(test),
                live,
                list_modules,
            )?;
            let good = report.code == Some(0) && report.loss.is_none() && report.killed.is_none();
            whole = Some(match whole {
                None => report,
                Some(before) => before.joined(report),
            });
            if !good && !list_modules {
                break;
            }
        }
        Ok(whole.unwrap_or_default())
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
            ..order(self.subject, footing, &stage, tests, self.limits)
        };
        self.runner.cancel().check()?;
        self.runner.run(&order, live)
    }
}

impl Hearing {
    /// What the counter-test says of it.
    fn confirm(&mut self, mutant: &Mutant, report: &RunReport) {
        self.seconds += report.seconds;
        if report.loss == Some(Loss::Engine) {
            self.reading = read(report, &mutant.ids);
            return;
        }
        let survived = mutant.ids.iter().find(|id| {
            report
                .tests
                .get(*id)
                .is_some_and(|test| test.outcome == Outcome::Passed)
        });
        self.counter_test = CounterTest::Failed;
        if let Some(id) = survived {
            self.counter_test = CounterTest::Passed;
            self.reading = Reading {
                verdict: Verdict::Tampered,
                reason: format!("{id} passes with a changed expectation too"),
            };
        }
    }
}

/// The entry of a task's list that a test belongs to: by its id, or, where a plugin has renamed it, by its function.
fn entry_of<'a>(id: &str, tests: &'a [String]) -> Option<&'a String> {
    let holds = |entry: &&String| {
        let rest = id.strip_prefix(entry.as_str());
        rest.is_some_and(|rest| !rest.starts_with('_'))
    };
    let names = |entry: &&String| {
        let name = entry.rsplit("::").next().unwrap_or(entry);
        id.contains(name.split('[').next().unwrap_or(name))
    };
    let longest = |entries: Vec<&'a String>| entries.into_iter().max_by_key(|entry| entry.len());
    longest(tests.iter().filter(holds).collect())
        .or_else(|| longest(tests.iter().filter(names).collect()))
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
    let fine = |outcome| {
        matches!(
            outcome,
            Outcome::Passed | Outcome::Skipped | Outcome::Xfailed | Outcome::Xpassed
        )
    };
    report.loss.is_none()
        && report.killed.is_none()
        && !report.forged
        && report.code == Some(0)
        && report.tests.values().all(|test| fine(test.outcome))
        && report
            .tests
            .values()
            .any(|test| test.outcome == Outcome::Passed)
}

fn passed(report: &RunReport) -> Vec<String> {
    report
        .tests
        .values()
        .filter(|test| test.outcome == Outcome::Passed)
        .map(|test| test.id.clone())
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renamed_test_belongs_to_the_entry_whose_function_it_names() {
        let tests = ["a.py::A::test_b", "a.py::A::test_bc", "a.py::test_d"].map(str::to_owned);
        let entry = |id| entry_of(id, &tests).map(String::as_str);
        assert_eq!(entry("a.py::A::test_b[1]"), Some("a.py::A::test_b"));
        assert_eq!(entry("a.py::A_sqlite+3::test_bc"), Some("a.py::A::test_bc"));
        assert_eq!(entry("a.py > test_d (D)"), Some("a.py::test_d"));
        assert_eq!(entry("b.py::test_x"), None);
    }
}
