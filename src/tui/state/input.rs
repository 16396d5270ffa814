//! One line of typed text with a cursor.

use crossterm::event::KeyCode;
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::keys::Key;

/// A line of text that the user is typing. The cursor moves by grapheme clusters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Input {
    text: String,
    /// The byte offset of the cursor in `text`.
    cursor: usize,
}

impl Input {
    /// A line that already contains `text`, with the cursor at its end.
    pub fn with(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            cursor: text.len(),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// (text before the cursor, text after the cursor).
    pub fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// Inserts text at the cursor. Each control character, such as a line break, becomes a blank.
    pub fn insert(&mut self, text: &str) {
        let plain: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        self.text.insert_str(self.cursor, &plain);
        self.cursor += plain.len();
    }

    /// Replaces the word before the cursor with `word`. Only blanks separate words.
    pub fn complete(&mut self, word: &str) {
        let start = self.text[..self.cursor]
            .rfind(' ')
            .map_or(0, |blank| blank + 1);
        self.text.replace_range(start..self.cursor, word);
        self.cursor = start + word.len();
    }

    /// Handles an editing key. Returns false, and changes nothing, if `key` is not an editing key.
    pub fn take(&mut self, key: Key) -> bool {
        if let Some(c) = key.typed() {
            self.insert(c.encode_utf8(&mut [0; 4]));
            return true;
        }
        match (key.code, key.ctrl) {
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => {
                let start = self.before();
                self.text.replace_range(start..self.cursor, "");
                self.cursor = start;
            }
            (KeyCode::Delete, _) => {
                let end = self.after();
                self.text.replace_range(self.cursor..end, "");
            }
            (KeyCode::Char('w'), true) => {
                let before_cursor = self.text[..self.cursor].trim_end();
                let start = before_cursor.rfind(' ').map_or(0, |blank| blank + 1);
                self.text.replace_range(start..self.cursor, "");
                self.cursor = start;
            }
            (KeyCode::Char('u'), true) => {
                self.text.replace_range(..self.cursor, "");
                self.cursor = 0;
            }
            (KeyCode::Left, _) => self.cursor = self.before(),
            (KeyCode::Right, _) => self.cursor = self.after(),
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => self.cursor = 0,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => self.cursor = self.text.len(),
            _ => return false,
        }
        true
    }

    /// The byte offset of the grapheme cluster before the cursor; 0 if there is none.
    fn before(&self) -> usize {
        self.text[..self.cursor]
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    /// The byte offset of the end of the grapheme cluster after the cursor; the end of the text if there is none.
    fn after(&self) -> usize {
        self.text[self.cursor..]
            .graphemes(true)
            .next()
            .map_or(self.cursor, |one| self.cursor + one.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backspace_removes_a_combining_character_with_its_base() {
        let mut input = Input::with("ae\u{301}");
        input.take(Key::plain(KeyCode::Backspace));
        assert_eq!(input.text(), "a");
    }

    #[test]
    fn control_characters_in_inserted_text_become_blanks() {
        let mut input = Input::default();
        input.insert("a\nb\x1b[31m");
        assert_eq!(input.text(), "a b [31m");
    }

    #[test]
    fn complete_replaces_the_last_word_and_ctrl_w_deletes_it() {
        let mut input = Input::with("project:bol lev");
        input.complete("level:");
        assert_eq!(input.text(), "project:bol level:");
        input.take(Key::ctrl('w'));
        assert_eq!(input.text(), "project:bol ");
    }
}
