//! A result in full, line by line: the verdict and why, the tests, where they failed, the log.

use super::run::{Entry, Fate};
use crate::benchmark::Verdict;
use crate::evaluation::{CounterTest, Failure, Judgement, Outcome};
use crate::tui::text::wrap;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The verdict and its reason.
    Verdict(Option<Verdict>),
    /// A heading.
    Heading,
    /// Facts beside the verdict.
    Fact,
    /// Something that asks for attention.
    Warning,
    /// A test that passed.
    Passed,
    /// A test that did not.
    Failed,
    /// A place of the traceback in the completion itself.
    Own,
    /// Text from the sandbox.
    Text,
}

/// The target whose lines in a traceback are the completion's own.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its file.
    pub path: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// The lines of a result in `columns`. Text from a sandbox is as it came.
pub fn lines(entry: &Entry, target: Target, columns: usize) -> Vec<(Part, String)> {
    let mut sheet = Sheet {
        lines: Vec::new(),
        columns: columns.max(20),
    };
    let verdict = entry.verdict();
    let words = verdict.map_or("not run", Verdict::word).replace('_', " ");
    sheet.add(
        Part::Verdict(verdict),
        0,
        &format!("{words}: {}", entry.reason()),
    );
    sheet.add(Part::Fact, 0, &format!("{} · {}", entry.name, entry.set));
    if let Fate::Judged(judgement, known) = &entry.fate {
        sheet.add(Part::Fact, 0, &facts(judgement, *known));
        sheet.warn(judgement);
        sheet.tests(judgement, target);
        sheet.log(&judgement.log);
    }
    sheet.lines
}

fn facts(judgement: &Judgement, known: bool) -> String {
    let counter = match judgement.counter_test {
        CounterTest::Failed => "the counter-test failed, as it must",
        CounterTest::Passed => "the counter-test passed, which no right code does",
        CounterTest::NotNeeded => "no counter-test was needed",
        CounterTest::None => "no counter-test can be made for the task",
    };
    let earlier = if known { ", from an earlier run" } else { "" };
    format!(
        "{}, {:.2} s, of which tests {:.2} s{earlier} · {counter}",
        judgement.sandbox.word(),
        judgement.seconds,
        judgement.test_seconds
    )
}

struct Sheet {
    lines: Vec<(Part, String)>,
    columns: usize,
}

impl Sheet {
    /// Adds text, wrapped, `indent` columns in.
    fn add(&mut self, part: Part, indent: usize, text: &str) {
        for line in text.lines() {
            for piece in wrap(line, self.columns.saturating_sub(indent)) {
                let text = format!("{}{}", " ".repeat(indent), &line[piece]);
                self.lines.push((part, text));
            }
        }
    }

    fn heading(&mut self, text: &str) {
        self.lines.push((Part::Text, String::new()));
        self.add(Part::Heading, 0, text);
    }

    fn warn(&mut self, judgement: &Judgement) {
        if let Some(why) = &judgement.differs {
            let official = format!("{:?}", judgement.official);
            let text = format!("the official evaluator says {official}: {why}");
            self.add(Part::Warning, 0, &text);
        }
        if !judgement.reference_ok {
            self.add(Part::Warning, 0, "the reference does not pass here");
        }
        if judgement.reference_ok && !judgement.stub_fails {
            self.add(Part::Warning, 0, "an empty stub passes the tests");
        }
        if judgement.over_indented {
            let text = "it would parse if its first lines were dedented";
            self.add(Part::Warning, 0, text);
        }
        for limit in &judgement.missing_limits {
            let text = format!("a limit could not be set: {limit}");
            self.add(Part::Warning, 0, &text);
        }
        if let Some(fault) = &judgement.syntax {
            self.heading("Syntax");
            self.add(
                Part::Own,
                1,
                &format!("line {}: {}", fault.line, fault.message),
            );
        }
    }

    fn tests(&mut self, judgement: &Judgement, target: Target) {
        if judgement.tests.is_empty() {
            return;
        }
        let passed = |outcome: Outcome| outcome == Outcome::Passed;
        let count = judgement
            .tests
            .iter()
            .filter(|test| passed(test.outcome))
            .count();
        self.heading(&format!(
            "Tests  {count} of {} passed",
            judgement.tests.len()
        ));
        let (good, bad): (Vec<_>, Vec<_>) = judgement
            .tests
            .iter()
            .partition(|test| passed(test.outcome));
        for test in bad.into_iter().chain(good) {
            let part = if passed(test.outcome) {
                Part::Passed
            } else {
                Part::Failed
            };
            let word = format!("{:?}", test.outcome).to_lowercase();
            let text = format!("{word:<10} {:>7.3} s  {}", test.seconds, test.id);
            self.add(part, 1, &text);
            if let Some(failure) = &test.failure {
                self.failure(failure, target);
            }
        }
    }

    fn failure(&mut self, failure: &Failure, target: Target) {
        let head = [failure.error.as_str(), failure.message.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty());
        let head = if failure.message.starts_with(&failure.error) {
            failure.message.clone()
        } else {
            head.collect::<Vec<_>>().join(": ")
        };
        self.add(Part::Failed, 4, &head);
        for (file, line, function) in &failure.frames {
            let own = file == target.path && function == target.name;
            let part = if own { Part::Own } else { Part::Text };
            self.add(part, 4, &format!("{file}:{line} in {function}"));
        }
        self.add(Part::Text, 4, &failure.text);
    }

    fn log(&mut self, log: &str) {
        if log.trim().is_empty() {
            return;
        }
        self.heading("Log");
        self.add(Part::Text, 1, log);
    }
}
