//! Turns the bytes of a terminal into keys, mouse events and pasted text.
//!
//! A sequence can arrive in parts, and its end can be missing. The decoder never waits for an end: the caller calls
//! [`Decoder::expire`] at the [deadline](Decoder::deadline) of an unfinished sequence, which drops it. So no input can
//! make the explorer deaf to the keys after it.

mod sequence;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use crossterm::event::KeyCode;

use super::keys::Key;
use super::message::Mouse;

/// What a terminal sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A key was pressed.
    Key(Key),
    /// A mouse event at a 0-based column and row.
    Mouse(Mouse, u16, u16),
    /// Text was pasted.
    Paste(String),
    /// The terminal supports the kitty keyboard protocol (the answer to `CSI ? u`).
    KnowsKeys,
    /// The answer to `CSI c`, which every terminal gives.
    Attributes,
}

/// How long a single ESC may be the begin of a sequence. Then it is the key Esc.
const ESC_PATIENCE: Duration = Duration::from_millis(50);
/// How long the end of a sequence, or the next byte of a paste, may take.
const PATIENCE: Duration = Duration::from_millis(700);
/// The maximum length of a control sequence. The longest one that a terminal sends has about 30 bytes.
const LONGEST: usize = 64;

const ESC: u8 = 0x1b;
const PASTE_END: &[u8] = b"\x1b[201~";

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Nothing has begun.
    #[default]
    Ground,
    /// A character of more than one byte, or a sequence that begins with ESC. The bytes are in `Decoder::begun`.
    Sequence,
    /// An answer of the terminal that ends with BEL or ESC \ (OSC, DCS, SOS, PM, APC). Its text is dropped.
    Text,
    /// A paste. The bytes are in `Decoder::begun`.
    Paste,
    /// A paste whose next byte took too long. What came was delivered.
    StalledPaste,
}

/// A decoder, with the bytes of the unfinished sequence.
#[derive(Debug, Default)]
pub struct Decoder {
    state: State,
    begun: Vec<u8>,
    deadline: Option<Instant>,
}

impl Decoder {
    /// Decodes `bytes`, which one read returned at the time `now`.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Vec<Event> {
        let mut events = Vec::new();
        if self.state == State::StalledPaste {
            self.state = if is_one_key(bytes, now) {
                State::Ground
            } else {
                State::Paste
            };
        }
        for byte in bytes {
            self.take(*byte, now, &mut events);
        }
        if self.state == State::Paste {
            self.deadline = Some(now + PATIENCE);
        }
        events
    }

    /// When to call [`Decoder::expire`] if no more bytes come until then. `None` if no sequence is unfinished.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Gives up waiting for the end of the unfinished sequence. A single ESC was the key Esc. The text of an unfinished
    /// paste is delivered; if its other text comes later, it is not taken for keys. Anything else is dropped.
    pub fn expire(&mut self) -> Option<Event> {
        let (state, begun) = (self.state, std::mem::take(&mut self.begun));
        *self = Self::default();
        match state {
            State::Sequence if begun == [ESC] => Some(Event::Key(Key::plain(KeyCode::Esc))),
            State::Paste => {
                self.state = State::StalledPaste;
                (!begun.is_empty()).then(|| pasted(&begun))
            }
            _ => None,
        }
    }

    fn take(&mut self, byte: u8, now: Instant, events: &mut Vec<Event>) {
        match self.state {
            State::Ground | State::StalledPaste => events.extend(self.begin(byte, now)),
            State::Sequence => {
                let event = self.continue_sequence(byte, now, events);
                events.extend(event);
            }
            State::Text => {
                // ESC ends the text: an ESC \ ends it regularly, and any other byte after ESC begins a new sequence.
                if byte == ESC {
                    self.begin_with(byte, now);
                } else if matches!(byte, 0x07 | 0x18 | 0x1a) {
                    self.finish();
                }
            }
            State::Paste => {
                self.begun.push(byte);
                if self.begun.ends_with(PASTE_END) {
                    self.begun.truncate(self.begun.len() - PASTE_END.len());
                    events.push(pasted(&self.begun));
                    self.finish();
                }
            }
        }
    }

    /// Decodes a byte outside of a sequence.
    fn begin(&mut self, byte: u8, now: Instant) -> Option<Event> {
        match byte {
            ESC | 0xc2..=0xf4 => {
                self.begin_with(byte, now);
                None
            }
            0x80.. => None,
            _ => Some(Event::Key(sequence::ascii_key(byte))),
        }
    }

    fn begin_with(&mut self, byte: u8, now: Instant) {
        self.state = State::Sequence;
        self.begun.clear();
        self.begun.push(byte);
        self.deadline = Some(now + if byte == ESC { ESC_PATIENCE } else { PATIENCE });
    }

    fn finish(&mut self) {
        self.state = State::Ground;
        self.begun.clear();
        self.deadline = None;
    }

    /// Decodes a byte of a sequence. A byte that the sequence cannot contain ends it, and begins the next one.
    fn continue_sequence(
        &mut self,
        byte: u8,
        now: Instant,
        events: &mut Vec<Event>,
    ) -> Option<Event> {
        use sequence::Step;
        match sequence::step(&self.begun, byte) {
            Step::More if self.begun.len() < LONGEST => {
                if self.begun == [ESC] {
                    self.deadline = Some(now + PATIENCE);
                }
                self.begun.push(byte);
                None
            }
            Step::More | Step::Ignored => {
                self.finish();
                None
            }
            Step::Text => {
                self.state = State::Text;
                self.begun.clear();
                self.deadline = Some(now + PATIENCE);
                None
            }
            Step::Paste => {
                self.begun.clear();
                self.state = State::Paste;
                None
            }
            Step::Event(event) => {
                self.finish();
                Some(event)
            }
            Step::Cut => {
                if self.begun == [ESC] {
                    events.push(Event::Key(Key::plain(KeyCode::Esc)));
                }
                self.finish();
                self.begin(byte, now)
            }
        }
    }
}

fn pasted(bytes: &[u8]) -> Event {
    Event::Paste(String::from_utf8_lossy(bytes).into_owned())
}

/// Whether what one read returned is at most one key or mouse event. A user cannot press more keys at once, and the
/// text of a paste comes in larger parts.
fn is_one_key(bytes: &[u8], now: Instant) -> bool {
    let ends_paste = bytes.windows(PASTE_END.len()).any(|part| part == PASTE_END);
    let mut alone = Decoder::default();
    let events = alone.feed(bytes, now);
    bytes == PASTE_END || !ends_paste && alone.state != State::Paste && events.len() <= 1
}
