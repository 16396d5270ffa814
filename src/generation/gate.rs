//! How many requests are sent at once.

use std::cell::Cell;

use tokio::sync::Notify;

/// Lets at most a number of requests through at a time. The number is halved when the server is overloaded, and rises
/// by one for as many answers as it counts: additive increase, multiplicative decrease.
pub(super) struct Gate {
    most: usize,
    limit: Cell<usize>,
    inside: Cell<usize>,
    /// Answers since the limit changed last.
    answers: Cell<usize>,
    /// Requests inside when the limit was halved last: their refusals are of the same overload.
    of_same_overload: Cell<usize>,
    changed: Notify,
}

impl Gate {
    /// A gate for at most `most` requests, at least one.
    pub(super) fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            most,
            limit: Cell::new(most),
            inside: Cell::new(0),
            answers: Cell::new(0),
            of_same_overload: Cell::new(0),
            changed: Notify::new(),
        }
    }

    /// Waits until a request may be sent.
    pub(super) async fn enter(&self) {
        while self.inside.get() >= self.limit.get() {
            self.changed.notified().await;
        }
        self.inside.set(self.inside.get() + 1);
    }

    /// Notes that a request has ended, and whether the server was overloaded.
    pub(super) fn leave(&self, overloaded: bool) {
        self.inside.set(self.inside.get() - 1);
        let same = self.of_same_overload.get();
        self.of_same_overload.set(same.saturating_sub(1));
        if overloaded && same == 0 {
            self.limit.set((self.limit.get() / 2).max(1));
            self.answers.set(0);
            self.of_same_overload.set(self.inside.get());
        } else if !overloaded {
            self.answers.set(self.answers.get() + 1);
            if self.answers.get() >= self.limit.get() && self.limit.get() < self.most {
                self.limit.set(self.limit.get() + 1);
                self.answers.set(0);
                self.changed.notify_one();
            }
        }
        self.changed.notify_one();
    }

    /// How many requests may be sent at once now.
    pub(super) fn limit(&self) -> usize {
        self.limit.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn fill(gate: &Gate, requests: usize) {
        for _ in 0..requests {
            gate.enter().await;
        }
    }

    #[tokio::test]
    async fn an_overload_halves_the_limit_once_and_answers_raise_it() {
        let gate = Gate::new(8);
        fill(&gate, 8).await;
        (0..8).for_each(|_| gate.leave(true));
        assert_eq!(gate.limit(), 4, "eight refusals of one overload");
        fill(&gate, 1).await;
        gate.leave(true);
        assert_eq!(gate.limit(), 2);
        for _ in 0..2 + 3 {
            fill(&gate, 1).await;
            gate.leave(false);
        }
        assert_eq!(gate.limit(), 4);
        for _ in 0..100 {
            fill(&gate, 1).await;
            gate.leave(false);
        }
        assert_eq!(gate.limit(), 8, "never above what was asked for");
    }

    #[tokio::test]
    async fn a_request_waits_while_the_gate_is_full() {
        let gate = Gate::new(1);
        gate.enter().await;
        let second = gate.enter();
        tokio::pin!(second);
        assert!(futures_util::poll!(&mut second).is_pending());
        gate.leave(false);
        second.await;
        assert_eq!(gate.inside.get(), 1);
    }
}
