//! How a completion is heard: its tests and the counter-test as a pair, once or several times.

use super::super::counter::Mutant;
use super::super::verdict::{CounterTest, Reading, read};
use super::super::warden::{Fetched, Live, Loss, Outcome, RunReport};
use super::{Bench, Footing, Trial, Usual};
use crate::benchmark::{RepoPath, Verdict};
use crate::error::Result;

/// In the first pair the counter-test comes before the tests for one completion in so many. It is run in vain for those
/// that fail their tests.
const COUNTER_FIRST: u32 = 64;
/// In how many pairs a completion is heard at most whose runs show each time what no new session mends. It may know the
/// second run of each pair, but not which of the two is the counter-test.
const HEARINGS: u32 = 12;
/// The same in sessions of its own, which take long, where nothing has shown but that files came into memory.
const FETCHES: u32 = 4;
/// The same where nothing has shown but that a limit has ended the counter-test: right code may need as long as it allows.
const SILENCES: u32 = 2;

/// A completion to hear: a task's footing, and the files that the completion makes.
pub(super) struct Case<'a> {
    pub footing: &'a Footing,
    pub files: &'a [(RepoPath, Vec<u8>)],
}

/// What a completion has shown: its last pair, and how many there were.
pub(super) struct Hearing {
    pub trial: Trial,
    pub reading: Reading,
    pub counter_test: CounterTest,
    pub own_sessions: bool,
    /// Pairs in which the tests passed and the counter-test did not.
    pub pairs: u32,
    pub seconds: f64,
    sign: Sign,
    beyond: Beyond,
}

/// What could keep a pair that the completion has passed from counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    /// The second run of the pair may have known that it is the second. A session of its own hides it.
    OfTheSession,
    /// A limit has ended the counter-test.
    Silence,
    /// The counter-test has ended itself.
    Lasting,
}

/// By what a run could tell that another of the same completion came before, whatever session it is in. Mostly it is not
/// the run's own doing, and over in the next pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Beyond {
    Nothing,
    /// Files came into the machine's memory, or into that of a file system of the user's space.
    Files,
    /// What the whole machine counts was moved, or looked at.
    Counts,
}

/// How a pair is made.
#[derive(Debug, Clone, Copy)]
struct Turn {
    own_sessions: bool,
    counter_first: bool,
    /// Whether no run of this completion came before.
    is_first: bool,
}

/// What the counter-test's run says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer<'a> {
    /// This changed test passes.
    Passes(&'a str),
    /// All fail, as with right code.
    Fails,
    /// Some changed test has neither passed nor failed: a limit has ended the run, or it has ended itself.
    Nothing(Sign),
}

impl Bench<'_> {
    /// The tests and the counter-test, in as many pairs as are asked for, all of which must agree. Where a run could have
    /// left a sign from which the next learns that it is the second, the pairs are heard anew, each run in a session of its
    /// own: at most [`HEARINGS`] of them where the counter-test ends itself each time, [`SILENCES`] where a limit ends it.
    /// Where the sign is one that no session hides, they are heard anew in the session at hand, the order drawn by lot, until
    /// a pair shows none.
    pub(super) fn hear(&mut self, case: &Case, live: &mut dyn FnMut(Live)) -> Result<Hearing> {
        let mut turn = Turn {
            own_sessions: self.fresh,
            counter_first: rand::random::<u32>().is_multiple_of(COUNTER_FIRST),
            is_first: true,
        };
        let mut heard = self.pair(case, turn, live)?;
        let (mut agreed, mut doubted) = (0, 0);
        let mut most = SILENCES;
        while heard.reading.verdict == Verdict::Pass && case.footing.counter.is_some() {
            match heard.sign {
                Sign::None if heard.beyond == Beyond::Nothing => agreed += 1,
                Sign::None => doubted += 1,
                _ if turn.own_sessions => doubted += 1,
                _ => (turn.own_sessions, agreed) = (true, 0),
            }
            heard.pairs = agreed + doubted;
            most = most.max(heard.most_pairs(turn));
            if agreed >= self.pairs || heard.pairs >= self.pairs.max(most) {
                break;
            }
            turn.counter_first = rand::random();
            turn.is_first = false;
            heard = self.pair(case, turn, &mut |_| {})?.after(&heard);
        }
        Ok(heard)
    }

    /// The tests and, where they pass, the counter-test. It is left out where the pair has to be heard anew anyway.
    fn pair(&mut self, case: &Case, turn: Turn, live: &mut dyn FnMut(Live)) -> Result<Hearing> {
        let footing = case.footing;
        let before = match &footing.counter {
            Some(mutant) if turn.counter_first => Some(self.counter_run(case, mutant, turn)?),
            _ => None,
        };
        if turn.own_sessions {
            self.runner.renew();
        }
        let trial = self.trial(case.files, footing, live, false)?;
        let mut heard = Hearing {
            reading: read(&trial.report, &footing.expected),
            counter_test: CounterTest::NotNeeded,
            own_sessions: turn.own_sessions,
            pairs: 0,
            seconds: trial.seconds + before.as_ref().map_or(0.0, |report| report.seconds),
            sign: first_sign(footing, turn, &trial),
            beyond: turn.beyond(&footing.usual, &trial.report),
            trial,
        };
        if heard.reading.verdict != Verdict::Pass {
            return Ok(heard);
        }
        let Some(mutant) = &footing.counter else {
            heard.counter_test = CounterTest::None;
            return Ok(heard);
        };
        let report = match before {
            Some(report) => report,
            None if heard.sign != Sign::None && !turn.own_sessions => return Ok(heard),
            None => {
                let report = self.counter_run(case, mutant, turn)?;
                heard.seconds += report.seconds;
                report
            }
        };
        let told = turn.counter_first || self.pairs > 1;
        let sign = second_sign(mutant, turn, &report, told);
        heard.sign = heard.sign.or(sign);
        heard.beyond = heard.beyond.max(turn.beyond(&mutant.usual, &report));
        heard.confirm(mutant, &report);
        Ok(heard)
    }

    fn counter_run(&mut self, case: &Case, mutant: &Mutant, turn: Turn) -> Result<RunReport> {
        if turn.own_sessions {
            self.runner.renew();
        }
        self.run_mutant(case.footing, case.files, mutant, false)
    }
}

impl Turn {
    /// The signs in a run of this pair that no session hides, but for those that the reference's runs leave too.
    fn beyond(self, usual: &Usual, report: &RunReport) -> Beyond {
        match report.left.fetched {
            _ if usual.is_beyond(report) => Beyond::Counts,
            Fetched::Reads => Beyond::Files,
            Fetched::Pages if !self.own_sessions => Beyond::Files,
            Fetched::Pages | Fetched::Nothing => Beyond::Nothing,
        }
    }
}

/// The sign in the tests' run.
fn first_sign(footing: &Footing, turn: Turn, trial: &Trial) -> Sign {
    let usual = &footing.usual;
    let follows = turn.counter_first || !turn.is_first;
    if turn.own_sessions
        || !trial.looked_again
            && usual.hides(&trial.report)
            && (!follows || usual.explains(trial.report.left.disturbed))
    {
        Sign::None
    } else {
        Sign::OfTheSession
    }
}

/// The sign in the counter-test's run, of which a further one may be `told`.
fn second_sign(mutant: &Mutant, turn: Turn, report: &RunReport, told: bool) -> Sign {
    let usual = &mutant.usual;
    if turn.own_sessions
        || (!told || usual.hides(report))
            && (turn.counter_first || usual.explains(report.left.disturbed))
    {
        Sign::None
    } else {
        Sign::OfTheSession
    }
}

impl Sign {
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Lasting, _) | (_, Self::Lasting) => Self::Lasting,
            (Self::Silence, _) | (_, Self::Silence) => Self::Silence,
            (Self::None, sign) | (sign, _) => sign,
        }
    }
}

impl Hearing {
    /// In how many pairs it is heard at most for what this one has shown; none where that says nothing of it.
    fn most_pairs(&self, turn: Turn) -> u32 {
        match self.beyond {
            _ if self.sign == Sign::Lasting => HEARINGS,
            Beyond::Nothing => 0,
            Beyond::Files if turn.own_sessions => FETCHES,
            Beyond::Files | Beyond::Counts => HEARINGS,
        }
    }

    /// What the counter-test says of it.
    fn confirm(&mut self, mutant: &Mutant, report: &RunReport) {
        if report.loss == Some(Loss::Engine) {
            self.reading = read(report, &mutant.ids);
            return;
        }
        match answer(mutant, report) {
            Answer::Fails => self.counter_test = CounterTest::Failed,
            Answer::Nothing(sign) => {
                self.counter_test = CounterTest::Silent;
                self.sign = self.sign.or(sign);
            }
            Answer::Passes(id) => {
                self.counter_test = CounterTest::Passed;
                self.reading = Reading {
                    verdict: Verdict::Tampered,
                    reason: format!("{id} passes with a changed expectation too"),
                };
            }
        }
    }

    /// This pair after those `before` it, which the completion has passed.
    fn after(mut self, before: &Self) -> Self {
        self.seconds += before.seconds;
        if before.counter_test == CounterTest::Failed && self.counter_test == CounterTest::Silent {
            self.counter_test = CounterTest::Failed;
        }
        if self.reading.verdict != Verdict::Pass && before.pairs > 0 {
            let pair = before.pairs + 1;
            self.reading.reason = format!("{}, in pair {pair} of runs", self.reading.reason);
        }
        self
    }
}

/// What right code says in a counter-test's run is that every changed test fails. Where one is not reported so, nothing
/// is said: who ends the run before it comes to a test that would pass is anybody, and so is one whom a loaded machine ends.
fn answer<'a>(mutant: &'a Mutant, report: &RunReport) -> Answer<'a> {
    let outcome = |id: &String| report.tests.get(id).map(|test| test.outcome);
    let passed = |id: &&String| outcome(id) == Some(Outcome::Passed);
    if let Some(id) = mutant.ids.iter().find(passed) {
        return Answer::Passes(id);
    }
    let fails = |id| outcome(id) == Some(Outcome::Failed);
    if mutant.ids.iter().all(fails) {
        Answer::Fails
    } else if report.killed.is_some() {
        Answer::Nothing(Sign::Silence)
    } else {
        Answer::Nothing(Sign::Lasting)
    }
}

#[cfg(test)]
mod tests;
