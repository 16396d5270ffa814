//! The tickets of requests that are under way. A slot is a kind of slow work. In each slot, only the answer to the
//! latest request is used.

use std::collections::BTreeMap;

use crate::tui::effect::{Slot, Ticket};

/// The requests that are under way, at most one in each slot.
#[derive(Debug, Default)]
pub struct Tickets {
    /// The number of the latest ticket.
    last: u64,
    /// For each busy slot: the ticket of its latest request, and a description of the work for the screen.
    under_way: BTreeMap<Slot, (Ticket, String)>,
}

impl Tickets {
    /// A new ticket for `slot`, which replaces the slot's earlier ticket. `words` describes the work on the screen. It
    /// is empty for work that is too quick to be shown.
    pub fn take(&mut self, slot: Slot, words: String) -> Ticket {
        self.last += 1;
        let ticket = Ticket(self.last);
        self.under_way.insert(slot, (ticket, words));
        ticket
    }

    /// Whether `ticket` belongs to the request that is in progress in `slot`. Only then is the answer to the request
    /// used.
    pub fn is_current(&self, slot: Slot, ticket: Ticket) -> bool {
        self.under_way
            .get(&slot)
            .is_some_and(|(own, _)| *own == ticket)
    }

    /// Whether the slot waits for an answer.
    pub fn is_busy(&self, slot: Slot) -> bool {
        self.under_way.contains_key(&slot)
    }

    /// Replaces the description of the work in a slot. Does nothing if `ticket` does not belong to the slot's latest
    /// request.
    pub fn progress(&mut self, slot: Slot, ticket: Ticket, words: String) {
        if let Some(entry) = self.under_way.get_mut(&slot)
            && entry.0 == ticket
        {
            entry.1 = words;
        }
    }

    /// Records that the slot no longer waits for an answer.
    pub fn close(&mut self, slot: Slot) {
        self.under_way.remove(&slot);
    }

    /// The descriptions of the work that is under way, for the bottom line.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.under_way
            .values()
            .map(|(_, words)| words.as_str())
            .filter(|words| !words.is_empty())
    }
}
