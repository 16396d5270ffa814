//! Completions from a model server: what is asked for, and what became of it.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ratatui::layout::Rect;

use super::generation_form::{Form, Row};
use super::list::Cursor;
use super::run::RunScreen;
use crate::generation::Endpoint;
use crate::tui::layout::inside;
use crate::workspace::{DryRun, GenerationRequest};

/// A generation with its server.
#[derive(Debug, Clone)]
pub struct GenerationJob {
    /// The server.
    pub endpoint: Endpoint,
    /// The environment variable that holds its key.
    pub key_name: String,
    /// Index of the benchmark of its tasks.
    pub benchmark: u32,
    /// What is asked for.
    pub request: GenerationRequest,
}

impl GenerationJob {
    /// The files that its completions are written to.
    pub fn files(&self) -> Vec<PathBuf> {
        let sets = self.request.sets.iter();
        let folders = sets.map(|set| self.request.folder(set));
        folders
            .map(|folder| folder.join("completion.jsonl"))
            .collect()
    }
}

/// What would be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// Requests and tokens.
    pub counts: DryRun,
    /// Why the first of the tasks without a prompt has none.
    pub no_prompt: Option<String>,
    /// Whether the environment variable holds a key.
    pub has_key: bool,
}

/// What the generation is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Phase {
    /// The form is shown.
    #[default]
    Choosing,
    /// The prompts are being counted.
    Planning,
    /// The number of requests and tokens is shown.
    Planned(Planned),
    /// Requests are sent.
    Running,
    /// No request is sent; those in flight end.
    Paused,
    /// It was cancelled and ends.
    Ending,
    /// Over.
    Done,
    /// Cancelled by the user.
    Cancelled,
    /// Ended by an error.
    Failed(String),
}

impl Phase {
    /// Whether requests are sent, or will be.
    pub fn is_under_way(&self) -> bool {
        matches!(self, Self::Running | Self::Paused | Self::Ending)
    }

    /// Whether the form is in sight.
    pub fn shows_form(&self) -> bool {
        matches!(self, Self::Choosing | Self::Planning | Self::Planned(_))
    }
}

/// A stored answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// Its task's name, the package left out.
    pub name: String,
    /// Its context setting with the revision, such as `oracle@base`.
    pub setting: String,
    /// The number of its sample.
    pub sample: u32,
    /// The completion that was taken from it.
    pub completion: String,
    /// The tokens of the prompt and of the answer, if the server reports them.
    pub tokens: Option<(u64, u64)>,
    /// How long the server took.
    pub seconds: f64,
    /// Whether the limit on tokens cut it off.
    pub truncated: bool,
}

/// Failures with the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The message of the first failure.
    pub why: String,
    /// What can be done.
    pub advice: Option<String>,
    /// How many there are.
    pub count: usize,
    /// The first of them: tasks with their settings.
    pub examples: Vec<String>,
    key: String,
}

/// Why the latest repeated request was repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated {
    /// Why.
    pub why: String,
    /// After how long.
    pub after: Duration,
    /// How many requests are sent at once from now on.
    pub at_once: usize,
    /// How many requests were sent again in all.
    pub count: usize,
}

/// The most answers in the list. Older answers are only in the files.
const ANSWERS: usize = 200;
/// The most failed requests listed for each cause.
const EXAMPLES: usize = 100;
/// The answers from which rates are computed.
const RECENT: usize = 40;

/// The screen.
#[derive(Debug, Default)]
pub struct GenerationScreen {
    /// The form.
    pub form: Form,
    /// Whether the form was filled in from the settings.
    pub is_filled: bool,
    /// The row of the form under the cursor.
    pub row: Cursor,
    /// Whether the cursor is in the form's column `newest`, not in `base`.
    pub newest: bool,
    /// What is being done.
    pub phase: Phase,
    /// The last job for which requests and tokens were counted.
    pub planned: Option<Arc<GenerationJob>>,
    /// The running or last job.
    pub job: Option<Arc<GenerationJob>>,
    /// The number of requested answers.
    pub total: usize,
    /// Of these, the answers that were stored before this run.
    pub stored: usize,
    /// Of these, the answers that came in this run.
    pub answered: usize,
    /// Requests without an answer, and tasks without a prompt.
    pub failed: usize,
    /// Answers that the limit on tokens cut off.
    pub truncated: usize,
    /// Tokens of prompts and answers, as far as the server says them.
    pub tokens: (u64, u64),
    /// Why requests failed.
    pub causes: Vec<Cause>,
    /// The latest answers, the newest first.
    pub answers: VecDeque<Answered>,
    /// Why requests were sent again.
    pub repeated: Option<Repeated>,
    /// The row under the cursor: causes, then answers.
    pub cursor: Cursor,
    /// Whether the text pane has the keyboard focus.
    pub in_text: bool,
    /// The first line of the text in sight.
    pub top: usize,
    /// What the explorer has loaded of the completions.
    pub loaded: LoadedAnswers,
    seconds: f64,
    stamps: VecDeque<(f64, u64)>,
}

/// What the explorer has loaded of a generation's completions.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct LoadedAnswers {
    /// How many answers were stored at the last loading.
    pub answers: usize,
    /// When it was loaded last, in seconds since the start of the run.
    pub at: f64,
    /// Whether the order in the files has changed since the last loading.
    pub is_outdated: bool,
    /// Whether the order had changed at the last loading: indices from before it are invalid.
    pub was_outdated: bool,
}

/// The least seconds between two loadings during a run.
const LOADING_INTERVAL: f64 = 3.0;

impl GenerationScreen {
    /// Begins a run.
    pub fn begin(&mut self, job: Arc<GenerationJob>) {
        *self = Self {
            form: std::mem::take(&mut self.form),
            is_filled: true,
            row: self.row,
            newest: self.newest,
            phase: Phase::Running,
            job: Some(job),
            ..Self::default()
        };
    }

    /// The requests are about to be sent.
    pub fn expect(&mut self, total: usize, stored: usize) {
        (self.total, self.stored) = (total, stored);
        self.loaded.is_outdated = stored > 0;
        self.stamps.push_back((0.0, 0));
    }

    /// Adds an answer that was stored `at` seconds after the start of the run. The cursor stays on its row
    /// unless it is at the top.
    pub fn add(&mut self, answer: Answered, at: f64) {
        self.answered += 1;
        self.truncated += usize::from(answer.truncated);
        let (prompt, completion) = answer.tokens.unwrap_or_default();
        self.tokens.0 += prompt;
        self.tokens.1 += completion;
        self.stamp(at, completion);
        self.answers.push_front(answer);
        self.answers.truncate(ANSWERS);
        if self.cursor.at > self.causes.len() {
            self.cursor.at += 1;
        }
    }

    fn stamp(&mut self, at: f64, tokens: u64) {
        self.seconds = at;
        self.stamps.push_back((at, tokens));
        if self.stamps.len() > RECENT {
            self.stamps.pop_front();
        }
    }

    /// Records a request without an answer, or a task without a prompt.
    pub fn fail(&mut self, what: String, why: String, advice: Option<String>) {
        self.failed += 1;
        let key = without_numbers(&why);
        if let Some(cause) = self.causes.iter_mut().find(|cause| cause.key == key) {
            cause.count += 1;
            if cause.examples.len() < EXAMPLES {
                cause.examples.push(what);
            }
            return;
        }
        self.causes.push(Cause {
            why,
            advice,
            count: 1,
            examples: vec![what],
            key,
        });
        if self.cursor.at > 0 {
            self.cursor.at += 1;
        }
    }

    /// An error ended the run: it is the first of the failures.
    pub fn end(&mut self, why: String, advice: Option<String>) {
        let cause = Cause {
            key: String::new(),
            why,
            advice,
            count: 1,
            examples: vec!["the whole generation (stored answers remain)".to_owned()],
        };
        self.causes.insert(0, cause);
        (self.cursor, self.top) = (Cursor::default(), 0);
    }

    /// A request will be sent again.
    pub fn repeat(&mut self, why: String, after: Duration, at_once: usize) {
        let count = 1 + self.repeated.as_ref().map_or(0, |last| last.count);
        self.repeated = Some(Repeated {
            why,
            after,
            at_once,
            count,
        });
    }

    /// The number of stored answers, from before this run and from this run.
    pub fn known(&self) -> usize {
        self.stored + self.answered
    }

    /// Rows of the list.
    pub fn rows(&self) -> usize {
        self.causes.len() + self.answers.len()
    }

    /// The cause or the answer under the cursor.
    pub fn chosen(&self) -> Option<Result<&Cause, &Answered>> {
        let at = self.cursor.at;
        match self.causes.get(at) {
            Some(cause) => Some(Ok(cause)),
            None => Some(Err(self.answers.get(at - self.causes.len())?)),
        }
    }

    /// Seconds from the start to the last answer; `None` when none came.
    pub fn seconds(&self) -> Option<f64> {
        (self.seconds > 0.0).then_some(self.seconds)
    }

    /// Drops the times from which rates are computed: a pause makes them meaningless.
    pub fn forget_times(&mut self) {
        self.stamps.clear();
    }

    /// Answers per second and answer tokens per second, over the last `RECENT` answers.
    pub fn rates(&self) -> Option<(f64, f64)> {
        let (first, last) = (self.stamps.front()?.0, self.stamps.back()?.0);
        let steps = u32::try_from(self.stamps.len() - 1).ok()?;
        let tokens: u64 = self.stamps.iter().skip(1).map(|(_, tokens)| tokens).sum();
        let tokens = f64::from(u32::try_from(tokens).unwrap_or(u32::MAX));
        let seconds = last - first;
        (steps > 0 && seconds > 0.0).then(|| (f64::from(steps) / seconds, tokens / seconds))
    }

    /// Seconds that are left at that rate.
    pub fn left(&self) -> Option<f64> {
        let left = self.total.saturating_sub(self.known() + self.failed);
        Some(f64::from(u32::try_from(left).ok()?) / self.rates()?.0)
    }

    /// Whether to load the completions again: during a run after 25 % more answers and `LOADING_INTERVAL`, after it if
    /// anything has changed.
    pub fn has_unloaded(&self) -> bool {
        let (known, loaded) = (self.known(), self.loaded);
        if known == 0 {
            return false;
        }
        if self.phase != Phase::Running {
            return loaded.is_outdated || known > loaded.answers;
        }
        let is_time = loaded.answers == 0 || self.seconds - loaded.at >= LOADING_INTERVAL;
        is_time && known > loaded.answers && known * 4 >= loaded.answers * 5
    }

    /// Records that all stored answers are loaded.
    pub fn note_loaded(&mut self) {
        self.loaded = LoadedAnswers {
            answers: self.known(),
            at: self.seconds,
            is_outdated: false,
            was_outdated: self.loaded.is_outdated,
        };
    }

    /// The rectangles on a terminal of `size`.
    pub fn areas(size: (u16, u16)) -> super::run::Areas {
        RunScreen::areas(size)
    }

    /// The rectangle that the form is in.
    pub fn form_rect(size: (u16, u16)) -> Rect {
        Self::areas(size).panes
    }

    /// Moves the cursor to a row of the form.
    pub fn go_to(&mut self, row: usize, size: (u16, u16)) {
        let height = usize::from(inside(Self::form_rect(size)).height);
        self.row.to(row, Row::count(), height);
    }

    /// The row of the form under the cursor.
    pub fn field(&self) -> Row {
        Row::at(self.row.at)
    }
}

/// The text with each number replaced by one character, so that reasons which differ only in numbers are grouped.
fn without_numbers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' if plain.ends_with('#') => {}
            '0'..='9' => plain.push('#'),
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(name: &str) -> Answered {
        Answered {
            name: name.to_owned(),
            setting: "oracle@base".to_owned(),
            sample: 0,
            completion: String::new(),
            tokens: Some((7, 30)),
            seconds: 1.0,
            truncated: false,
        }
    }

    #[test]
    fn reasons_that_differ_in_numbers_are_one_cause() {
        let mut screen = GenerationScreen::default();
        for tokens in [9000, 12_000] {
            let why = format!("the prompt has {tokens} tokens");
            screen.fail(format!("task {tokens}"), why, None);
        }
        screen.fail("task".to_owned(), "no text".to_owned(), None);
        let counts: Vec<_> = screen.causes.iter().map(|cause| cause.count).collect();
        assert_eq!(counts, [2, 1]);
        assert_eq!(screen.causes[0].examples.len(), 2);
        assert_eq!(screen.causes[0].why, "the prompt has 9000 tokens");
    }

    #[test]
    fn rates_are_those_of_the_last_answers() {
        let mut screen = GenerationScreen {
            phase: Phase::Running,
            ..GenerationScreen::default()
        };
        screen.expect(10, 2);
        assert_eq!(screen.left(), None);
        screen.add(answer("a"), 1.0);
        screen.add(answer("b"), 2.0);
        assert_eq!(screen.rates(), Some((1.0, 30.0)));
        assert_eq!(screen.left(), Some(6.0));
        assert_eq!(screen.tokens, (14, 60));
        screen.forget_times();
        assert_eq!(screen.rates(), None);
    }

    #[test]
    fn the_cursor_stays_on_its_row() {
        let mut screen = GenerationScreen::default();
        screen.add(answer("a"), 1.0);
        screen.add(answer("b"), 2.0);
        screen.cursor.at = 1;
        screen.add(answer("c"), 3.0);
        screen.fail("d".to_owned(), "no".to_owned(), None);
        let Some(Err(chosen)) = screen.chosen() else {
            panic!("{screen:?}");
        };
        assert_eq!(chosen.name, "a");
    }

    #[test]
    fn completions_are_loaded_immediately_then_at_intervals_and_at_the_end() {
        let mut screen = GenerationScreen {
            phase: Phase::Running,
            ..GenerationScreen::default()
        };
        screen.expect(100, 0);
        assert!(!screen.has_unloaded());
        screen.add(answer("a"), 0.1);
        assert!(screen.has_unloaded());
        screen.note_loaded();
        screen.add(answer("b"), 0.2);
        assert!(!screen.has_unloaded(), "too early");
        screen.add(answer("c"), 4.0);
        assert!(screen.has_unloaded());
        screen.note_loaded();
        screen.phase = Phase::Done;
        assert!(!screen.has_unloaded());
        screen.loaded.is_outdated = true;
        assert!(screen.has_unloaded());
    }
}
