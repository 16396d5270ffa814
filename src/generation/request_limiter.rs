//! Limits the number of parallel requests.

use std::cell::Cell;

use tokio::sync::Notify;

/// Limits the number of parallel requests (additive increase, multiplicative decrease). When the server refuses a
/// request because of overload, the limit is halved. When as many requests as the limit have ended without overload,
/// the limit rises by one, up to `maximum`.
pub(super) struct RequestLimiter {
    maximum: usize,
    limit: Cell<usize>,
    in_flight: Cell<usize>,
    /// The number of requests that ended without overload since the last change of the limit.
    answers: Cell<usize>,
    /// The number of requests that were in flight when the limit was last halved, minus the requests that have ended
    /// since. Until this number is 0, a refusal belongs to the same overload and does not halve the limit again.
    of_same_overload: Cell<usize>,
    changed: Notify,
}

impl RequestLimiter {
    /// A limiter that starts at `maximum` parallel requests (or 1, if `maximum` is 0).
    pub(super) fn new(maximum: usize) -> Self {
        let maximum = maximum.max(1);
        Self {
            maximum,
            limit: Cell::new(maximum),
            in_flight: Cell::new(0),
            answers: Cell::new(0),
            of_same_overload: Cell::new(0),
            changed: Notify::new(),
        }
    }

    /// Waits until a request may be sent.
    pub(super) async fn acquire(&self) {
        while self.in_flight.get() >= self.limit.get() {
            self.changed.notified().await;
        }
        self.in_flight.set(self.in_flight.get() + 1);
    }

    /// Records that a request has ended, and whether the server refused it because of overload.
    pub(super) fn release(&self, overloaded: bool) {
        self.in_flight.set(self.in_flight.get() - 1);
        let same = self.of_same_overload.get();
        self.of_same_overload.set(same.saturating_sub(1));
        if overloaded && same == 0 {
            self.limit.set((self.limit.get() / 2).max(1));
            self.answers.set(0);
            self.of_same_overload.set(self.in_flight.get());
        } else if !overloaded {
            self.answers.set(self.answers.get() + 1);
            if self.answers.get() >= self.limit.get() && self.limit.get() < self.maximum {
                self.limit.set(self.limit.get() + 1);
                self.answers.set(0);
                self.changed.notify_one();
            }
        }
        self.changed.notify_one();
    }

    /// The current limit.
    pub(super) fn limit(&self) -> usize {
        self.limit.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn fill(request_limiter: &RequestLimiter, requests: usize) {
        for _ in 0..requests {
            request_limiter.acquire().await;
        }
    }

    #[tokio::test]
    async fn an_overload_halves_the_limit_once_and_answers_raise_it() {
        let request_limiter = RequestLimiter::new(8);
        fill(&request_limiter, 8).await;
        (0..8).for_each(|_| request_limiter.release(true));
        assert_eq!(
            request_limiter.limit(),
            4,
            "eight refusals of one overload halve the limit once"
        );
        fill(&request_limiter, 1).await;
        request_limiter.release(true);
        assert_eq!(request_limiter.limit(), 2);
        for _ in 0..2 + 3 {
            fill(&request_limiter, 1).await;
            request_limiter.release(false);
        }
        assert_eq!(request_limiter.limit(), 4);
        for _ in 0..100 {
            fill(&request_limiter, 1).await;
            request_limiter.release(false);
        }
        assert_eq!(
            request_limiter.limit(),
            8,
            "the limit is never above the maximum"
        );
    }

    #[tokio::test]
    async fn a_request_waits_while_the_limit_is_reached() {
        let request_limiter = RequestLimiter::new(1);
        request_limiter.acquire().await;
        let second = request_limiter.acquire();
        tokio::pin!(second);
        assert!(futures_util::poll!(&mut second).is_pending());
        request_limiter.release(false);
        second.await;
        assert_eq!(request_limiter.in_flight.get(), 1);
    }
}
