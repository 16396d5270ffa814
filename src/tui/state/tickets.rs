//! Tickets decide which answers are still wanted. In each slot, only the latest request counts.

use std::collections::BTreeMap;

use crate::tui::effect::{Slot, Ticket};

/// The work under way, by slot.
#[derive(Debug, Default)]
pub struct Tickets {
    last: u64,
    under_way: BTreeMap<Slot, (Ticket, String)>,
}

impl Tickets {
    /// A new ticket for `slot`. `words` describe the work on screen; empty for quick work.
    pub fn take(&mut self, slot: Slot, words: String) -> Ticket {
        self.last += 1;
        let ticket = Ticket(self.last);
        self.under_way.insert(slot, (ticket, words));
        ticket
    }

    /// Whether an answer with this ticket is still wanted.
    pub fn is_current(&self, slot: Slot, ticket: Ticket) -> bool {
        self.under_way
            .get(&slot)
            .is_some_and(|(own, _)| *own == ticket)
    }

    /// Whether the slot waits for an answer.
    pub fn is_busy(&self, slot: Slot) -> bool {
        self.under_way.contains_key(&slot)
    }

    /// Replaces the description of work that is still wanted.
    pub fn progress(&mut self, slot: Slot, ticket: Ticket, words: String) {
        if let Some(entry) = self.under_way.get_mut(&slot)
            && entry.0 == ticket
        {
            entry.1 = words;
        }
    }

    /// Marks the slot as no longer waiting.
    pub fn close(&mut self, slot: Slot) {
        self.under_way.remove(&slot);
    }

    /// The descriptions of the current work, for the bottom line.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.under_way
            .values()
            .map(|(_, words)| words.as_str())
            .filter(|words| !words.is_empty())
    }
}
