//! The caption of the guided tour: what one sees, and how to go on.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::pane::{Extent, Heading, frame};
use super::{Look, put};
use crate::tui::state::State;
use crate::tui::text::sanitize;
use crate::tui::theme::{Role, Standing};

/// Draws the caption into `rect`, over what is there.
pub fn draw(state: &State, look: &Look, rect: Rect, buffer: &mut Buffer) {
    let Some(caption) = state.caption() else {
        return;
    };
    for y in rect.y..rect.bottom() {
        for x in rect.x..rect.right() {
            buffer[(x, y)].reset();
        }
    }
    buffer.set_style(rect, look.style(Role::Text).patch(look.style(Role::Popup)));
    let keys = if rect.width >= 76 {
        format!("{} · Space next · ← back · Esc exit", caption.place)
    } else {
        caption.place.clone()
    };
    let heading = Heading {
        title: caption.title.clone(),
        note: String::new(),
        right: keys.replace('·', look.glyphs.dot),
    };
    let inner = frame(look, rect, false, &heading, Extent::default(), buffer);
    let columns = usize::from(inner.width).saturating_sub(2);
    let signs = [
        ('»', look.glyphs.standing(Standing::Leaked)),
        ('«', look.glyphs.standing(Standing::Missing)),
        ('◎', look.glyphs.standing(Standing::Target)),
        ('…', look.glyphs.ellipsis),
    ];
    for (row, line) in caption.lines(columns).into_iter().enumerate() {
        let mut line = sanitize(&line).into_owned();
        for (sign, shown) in signs {
            line = line.replace(sign, shown);
        }
        let line = Line::from(look.span(Role::Text, format!(" {line}")));
        put(buffer, inner, row, &line);
    }
}
