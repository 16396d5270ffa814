//! Control sequences and characters: what a byte adds to them, and the events that they mean.
//!
//! Sources: xterm's control sequences (<https://invisible-island.net/xterm/ctlseqs/ctlseqs.html>) and the kitty keyboard
//! protocol (<https://sw.kovidgoyal.net/kitty/keyboard-protocol/>).

use crossterm::event::KeyCode;

use super::{ESC, Event};
use crate::tui::keys::Key;
use crate::tui::message::Mouse;

/// What a byte does to an unfinished sequence.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// The sequence needs further bytes.
    More,
    /// The byte begins a text that is dropped until its end.
    Text,
    /// The byte begins a paste.
    Paste,
    /// The byte ends the sequence.
    Event(Event),
    /// The byte ends the sequence, which means nothing to the explorer.
    Ignored,
    /// The byte does not belong to the sequence.
    Cut,
}

impl From<Option<Event>> for Step {
    fn from(event: Option<Event>) -> Self {
        event.map_or(Self::Ignored, Self::Event)
    }
}

/// What `byte` does to the sequence `begun`, which is not empty.
pub(super) fn step(begun: &[u8], byte: u8) -> Step {
    match begun {
        [ESC] => escaped(byte),
        [ESC, b'O'] => match byte {
            0x20..=0x7e => key(final_key(byte), 1).into(),
            _ => Step::Cut,
        },
        // The function keys of the Linux console.
        [ESC, b'[', b'['] => match byte {
            b'A'..=b'E' => key(Some(KeyCode::F(byte - b'A' + 1)), 1).into(),
            _ => Step::Cut,
        },
        [ESC, b'[', b'M', coded @ ..] => match (byte, coded) {
            (..0x20, _) => Step::Cut,
            (row, [button, column]) => {
                let numbers = [*button, *column, row].map(|byte| u16::from(byte - 0x20));
                mouse(numbers, false).into()
            }
            _ => Step::More,
        },
        [ESC, b'[', parameters @ ..] => match byte {
            0x20..=0x3f => Step::More,
            b'[' | b'M' if parameters.is_empty() => Step::More,
            b'~' if parameters == b"200" => Step::Paste,
            0x40..=0x7e => control(parameters, byte).into(),
            _ => Step::Cut,
        },
        [ESC, character @ ..] => character_step(character, byte, true),
        character => character_step(character, byte, false),
    }
}

/// What `byte` means after ESC.
fn escaped(byte: u8) -> Step {
    match byte {
        b'[' | b'O' | 0xc2..=0xf4 => Step::More,
        b']' | b'P' | b'X' | b'^' | b'_' => Step::Text,
        // The end of a text, see `Step::Text`.
        b'\\' => Step::Ignored,
        ESC | 0x80.. => Step::Cut,
        _ => Step::Event(Event::Key(Key {
            alt: true,
            ..ascii_key(byte)
        })),
    }
}

/// What `byte` does to a character of which only the first bytes have come.
fn character_step(first: &[u8], byte: u8, alt: bool) -> Step {
    let mut bytes = first.to_vec();
    bytes.push(byte);
    match std::str::from_utf8(&bytes) {
        Ok(text) => {
            let code = text.chars().next().map(KeyCode::Char);
            key(code, if alt { 3 } else { 1 }).into()
        }
        Err(why) if why.error_len().is_none() => Step::More,
        Err(_) => Step::Cut,
    }
}

/// The key of an ASCII byte in raw mode.
pub(super) fn ascii_key(byte: u8) -> Key {
    match byte {
        b'\r' => Key::plain(KeyCode::Enter),
        b'\t' => Key::plain(KeyCode::Tab),
        0x7f => Key::plain(KeyCode::Backspace),
        ESC => Key::plain(KeyCode::Esc),
        0 => Key::ctrl(' '),
        0x01..=0x1a => Key::ctrl(char::from(byte - 1 + b'a')),
        0x1c..=0x1f => Key::ctrl(char::from(byte - 0x1c + b'4')),
        _ => Key::char(char::from(byte)),
    }
}

/// The event of a control sequence with its parameters and its last byte.
fn control(parameters: &[u8], last: u8) -> Option<Event> {
    let text = std::str::from_utf8(parameters).ok()?;
    match (text.as_bytes().first(), last) {
        (Some(b'<'), b'M' | b'm') => mouse(three(&text[1..])?, last == b'm'),
        (Some(b'?'), b'u') => Some(Event::KnowsKeys),
        (Some(b'?'), b'c') => Some(Event::Attributes),
        (Some(b'0'..=b'9'), b'M') => {
            let [button, column, row] = three(text)?;
            mouse([button.checked_sub(32)?, column, row], false)
        }
        (None | Some(b'0'..=b'9' | b';'), _) => {
            let mut fields = text.split(';');
            let first = fields.next()?.split(':').next()?;
            let (modifiers, kind) = modifiers(fields.next().unwrap_or_default());
            let code = match last {
                b'u' => unicode_key(first.parse().ok()?, modifiers),
                b'~' => numbered_key(first.parse().ok()?),
                b'Z' => Some(KeyCode::BackTab),
                // Otherwise it is the position of the cursor.
                b'R' if !matches!(first, "" | "1") => None,
                _ => final_key(last),
            };
            (kind != RELEASE).then(|| key(code, modifiers)).flatten()
        }
        _ => None,
    }
}

/// The kind of event when a key is released.
const RELEASE: u8 = 3;

/// (modifiers, kind of event) in a field such as `5` or `5:1`. 1 if a number is missing.
fn modifiers(field: &str) -> (u8, u8) {
    let mut numbers = field.split(':').map(|number| number.parse().unwrap_or(1));
    (numbers.next().unwrap_or(1), numbers.next().unwrap_or(1))
}

/// A key with modifiers as terminals send them: 1 plus the sum of 1 (Shift), 2 (Alt), 4 (Ctrl) and others.
fn key(code: Option<KeyCode>, modifiers: u8) -> Option<Event> {
    let held = modifiers.saturating_sub(1);
    Some(Event::Key(Key {
        code: code?,
        ctrl: held & 4 != 0,
        alt: held & 2 != 0,
    }))
}

/// The key of a sequence that a letter ends.
fn final_key(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// The key of a sequence that `~` ends.
fn numbered_key(number: u8) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number - 10),
        17..=21 => KeyCode::F(number - 11),
        23..=26 => KeyCode::F(number - 12),
        28..=29 => KeyCode::F(number - 15),
        31..=34 => KeyCode::F(number - 17),
        _ => return None,
    })
}

/// The key of a sequence that `u` ends. The keys of the number pad have code points from 57399.
fn unicode_key(code: u32, modifiers: u8) -> Option<KeyCode> {
    const SHIFT: u8 = 1;
    let is_shifted = modifiers.saturating_sub(1) & SHIFT != 0;
    Some(match code {
        9 if is_shifted => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        57399..=57413 => KeyCode::Char(nth("0123456789./*-+".chars(), code - 57399)?),
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417..=57426 => nth(PAD.into_iter(), code - 57417)?,
        // The other code points of this private range are keys that the explorer does not know.
        57344..=63743 => return None,
        _ => KeyCode::Char(char::from_u32(code).filter(|c| !c.is_control())?),
    })
}

/// The keys of the number pad that move the cursor, in the order of their code points.
const PAD: [KeyCode; 10] = [
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::Insert,
    KeyCode::Delete,
];

fn nth<T>(mut of: impl Iterator<Item = T>, index: u32) -> Option<T> {
    of.nth(usize::try_from(index).ok()?)
}

/// Three numbers, separated by `;`.
fn three(text: &str) -> Option<[u16; 3]> {
    let mut numbers = text.split(';').map(|number| number.parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

/// The number of rows that one step of the mouse wheel scrolls.
const WHEEL: isize = 3;

/// The event of a mouse report: [button, 1-based column, 1-based row]. `None` for an event that the explorer ignores.
fn mouse([button, column, row]: [u16; 3], is_released: bool) -> Option<Event> {
    const MODIFIERS: u16 = 0b1_1100;
    let mouse = match button & !MODIFIERS {
        0 if is_released => Mouse::Release,
        0 => Mouse::Press,
        3 => Mouse::Release,
        32 => Mouse::Drag,
        64 => Mouse::Wheel(-WHEEL),
        65 => Mouse::Wheel(WHEEL),
        _ => return None,
    };
    Some(Event::Mouse(
        mouse,
        column.checked_sub(1)?,
        row.checked_sub(1)?,
    ))
}
