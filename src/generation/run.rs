//! Sends the requests of a run in parallel, and repeats requests that fail temporarily.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::mpsc::Receiver;

use super::answer::Answer;
use super::client::Client;
use super::failure::{Cause, Failure, RequestResult};
use super::pause::Pause;
use super::request::{Parameters, Request};
use super::request_limiter::RequestLimiter;
use crate::error::{Cancel, Error, Result};

/// How often a run checks whether it was cancelled.
const TICK: Duration = Duration::from_millis(100);
/// The longest delay between two attempts, unless the server asks for a longer one.
const LONGEST_DELAY: Duration = Duration::from_mins(1);
/// If no request was answered, the run ends after this number of failures. Further requests would probably fail too.
const FAILURES_WITHOUT_ANSWER: usize = 20;
/// The maximum number of attempts to connect to a server that has never responded.
const FIRST_ATTEMPTS: u32 = 3;

/// The default maximum number of parallel requests.
pub const JOBS: u16 = 8;
/// The default maximum number of times that a request is sent.
pub const ATTEMPTS: u32 = 8;
/// The default for the longest delay before the second attempt, in seconds.
pub const DELAY: f64 = 1.0;
/// The default time limit for an answer, in seconds.
pub const TIMEOUT: f64 = 600.0;

/// How to send requests.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The maximum number of parallel requests.
    pub jobs: usize,
    /// The maximum number of times that a request is sent.
    pub attempts: u32,
    /// The longest delay before the second attempt, if the server does not ask for a delay. This limit doubles for each
    /// further attempt, up to a minute. The actual delay is random, from half of the limit to the limit.
    pub delay: Duration,
    /// Pauses the run.
    pub pause: Pause,
}

/// A request, with a tag from the caller.
#[derive(Debug, Clone)]
pub struct Job<T> {
    /// Identifies the request for the caller.
    pub tag: T,
    /// The prompt.
    pub prompt: Arc<str>,
    /// The number of the sample, from 0.
    pub sample: u32,
}

/// What happens to a request.
#[derive(Debug)]
pub enum Event<T> {
    /// A request has its answer.
    Answered {
        /// The tag of the request.
        tag: T,
        /// The answer.
        answer: Answer,
        /// How many times the request was sent.
        attempts: u32,
        /// How long the last attempt took, in seconds.
        seconds: f64,
    },
    /// A request has no answer, and is not sent again.
    Failed {
        /// The tag of the request.
        tag: T,
        /// Why the request has no answer.
        failure: Failure,
    },
    /// A request will be sent again.
    Retry {
        /// Why the request has to be sent again.
        why: String,
        /// The delay before the request is sent again.
        after: Duration,
        /// The maximum number of parallel requests from now on.
        at_once: usize,
    },
}

/// Sends the jobs from `source` until `source` is closed, and passes the events to `take`, in batches. A job is
/// unfinished until `take` has received its answer or failure. At most `options.jobs` jobs from `source` are unfinished
/// at a time, so at most `options.jobs` answers are lost if the process is killed. Errors when every further request
/// would fail, when `take` returns an error, or when `cancel` is raised.
pub async fn run<T>(
    client: &Client,
    model: &str,
    parameters: &Parameters,
    options: RunOptions,
    mut source: Receiver<Job<T>>,
    cancel: &Cancel,
    take: &mut dyn FnMut(Vec<Event<T>>) -> Result<()>,
) -> Result<()> {
    let sender = Sender {
        client,
        model,
        parameters,
        request_limiter: RequestLimiter::new(options.jobs),
        options: &options,
        responded: Cell::new(false),
        retries: RefCell::new(Vec::new()),
    };
    let mut flight = FuturesUnordered::new();
    let mut tick = tokio::time::interval(TICK);
    let mut tally = Tally::default();
    let mut open = true;
    while open || !flight.is_empty() {
        let mut batch = Vec::new();
        tokio::select! {
            biased;
            Some(event) = flight.next(), if !flight.is_empty() => {
                batch.push(event);
                while let Some(Some(event)) = flight.next().now_or_never() {
                    batch.push(event);
                }
            }
            job = next(&options.pause, &mut source), if open && flight.len() < options.jobs.max(1) => match job {
                Some(job) => flight.push(sender.send(job)),
                None => open = false,
            },
            _ = tick.tick() => cancel.check()?,
        }
        let ending = tally.add(&mut batch);
        for (why, after) in sender.retries.take() {
            let at_once = sender.request_limiter.limit();
            batch.push(Event::Retry {
                why,
                after,
                at_once,
            });
        }
        if !batch.is_empty() {
            take(batch)?;
        }
        if let Some(why) = ending {
            return Err(sender.with_models(why).await);
        }
    }
    Ok(())
}

/// Waits while the run is paused, and returns the next job. `None` if `source` is closed.
async fn next<T>(pause: &Pause, source: &mut Receiver<Job<T>>) -> Option<Job<T>> {
    pause.released().await;
    source.recv().await
}

/// How many requests were answered, and how many failed.
#[derive(Default)]
struct Tally {
    answered: usize,
    failed: usize,
}

impl Tally {
    /// Counts the events of a batch. If failures end the run, removes them from the batch and returns the first.
    fn add<T>(&mut self, batch: &mut Vec<Event<T>>) -> Option<Failure> {
        let mut ending = None;
        let mut events = Vec::with_capacity(batch.len());
        for event in batch.drain(..) {
            match event {
                Event::Failed { failure, tag } => {
                    self.failed += 1;
                    let hopeless = self.answered == 0 && self.failed >= FAILURES_WITHOUT_ANSWER;
                    if hopeless || matches!(failure, Failure::OfRun(_)) {
                        ending.get_or_insert(failure);
                    } else {
                        events.push(Event::Failed { tag, failure });
                    }
                }
                event => {
                    self.answered += 1;
                    events.push(event);
                }
            }
        }
        *batch = events;
        ending
    }
}

/// What all requests of a run have in common.
struct Sender<'a> {
    client: &'a Client,
    model: &'a str,
    parameters: &'a Parameters,
    options: &'a RunOptions,
    request_limiter: RequestLimiter,
    /// Whether the server has responded to any request.
    responded: Cell<bool>,
    /// (reason, delay) of each request that will be sent again. [`run`] reports them as events.
    retries: RefCell<Vec<(String, Duration)>>,
}

impl Sender<'_> {
    /// Sends a request until it has an answer or finally fails.
    async fn send<T>(&self, job: Job<T>) -> Event<T> {
        let request = Request {
            model: self.model,
            prompt: &job.prompt,
            parameters: self.parameters,
            sample: job.sample,
        };
        let mut attempts = 0;
        let failure = loop {
            attempts += 1;
            self.request_limiter.acquire().await;
            self.options.pause.released().await;
            let start = Instant::now();
            let asked = self.client.ask(request).await;
            let overload =
                matches!(&asked, Err(Failure::Passing { cause, .. }) if *cause == Cause::Overload);
            self.request_limiter.release(overload);
            let (why, after) = match asked {
                Ok(answer) => {
                    self.responded.set(true);
                    return Event::Answered {
                        tag: job.tag,
                        answer,
                        attempts,
                        seconds: start.elapsed().as_secs_f64(),
                    };
                }
                Err(failure) => match self.again(failure, attempts) {
                    Ok(again) => again,
                    Err(failure) => break failure,
                },
            };
            self.retries.borrow_mut().push((why, after));
            tokio::time::sleep(after).await;
        };
        Event::Failed {
            tag: job.tag,
            failure,
        }
    }

    /// Decides whether a failed request is sent again. Returns (reason, delay) if so, and otherwise the failure.
    fn again(&self, failure: Failure, attempts: u32) -> RequestResult<(String, Duration)> {
        let Failure::Passing { why, after, cause } = failure else {
            self.responded.set(true);
            return Err(failure);
        };
        if cause == Cause::NoConnection {
            if !self.responded.get() && attempts >= FIRST_ATTEMPTS {
                return Err(Failure::OfRun(why));
            }
        } else {
            self.responded.set(true);
        }
        if attempts >= self.options.attempts.max(1) {
            return Err(Failure::Passing { why, after, cause });
        }
        let random = rand::random_range(0.5..1.0);
        let delay = delay(self.options.delay, attempts).mul_f64(random);
        // If the server gives several requests the same delay, the random addition spreads them over time.
        let delay = after.map_or(delay, |after| after + delay.min(after / 4));
        Ok((why.to_string(), delay))
    }

    /// The error that ends a run. If the model is missing, the hint of the error lists the server's models.
    async fn with_models(&self, failure: Failure) -> Error {
        let why = failure.into_error();
        if !why.what().starts_with("the server has no model") {
            return why;
        }
        let names = self.client.models().await;
        match names.as_slice() {
            [] => why,
            names => {
                let shown = names.iter().take(20).cloned().collect::<Vec<_>>();
                why.hint(format!("it has: {}", shown.join(", ")))
            }
        }
    }
}

/// The delay after a number of attempts: `first`, doubled for each attempt after the first, at most `LONGEST_DELAY`.
fn delay(first: Duration, attempts: u32) -> Duration {
    let factor = 2u32.saturating_pow(attempts.saturating_sub(1));
    first.saturating_mul(factor).min(LONGEST_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_minute() {
        let first = Duration::from_secs(1);
        let delays = [1, 2, 3, 7, 40].map(|attempts| delay(first, attempts).as_secs());
        assert_eq!(delays, [1, 2, 4, 60, 60]);
    }

    #[test]
    fn a_run_ends_when_nothing_is_ever_answered() {
        let failed = || Event::Failed {
            tag: (),
            failure: Failure::OfPrompt(Error::data("no")),
        };
        let answered = || Event::Answered {
            tag: (),
            answer: Answer::default(),
            attempts: 1,
            seconds: 0.0,
        };
        let mut tally = Tally::default();
        let mut all: Vec<_> = (1..FAILURES_WITHOUT_ANSWER).map(|_| failed()).collect();
        assert!(tally.add(&mut all).is_none());
        assert_eq!(all.len(), FAILURES_WITHOUT_ANSWER - 1);
        assert!(tally.add(&mut vec![failed()]).is_some());
        let mut tally = Tally::default();
        assert!(tally.add(&mut vec![answered()]).is_none());
        let mut all: Vec<_> = (0..2 * FAILURES_WITHOUT_ANSWER).map(|_| failed()).collect();
        assert!(tally.add(&mut all).is_none());
        let mut of_run = vec![Event::Failed {
            tag: (),
            failure: Failure::OfRun(Error::user("key")),
        }];
        assert!(tally.add(&mut of_run).is_some());
        assert!(of_run.is_empty());
    }
}
