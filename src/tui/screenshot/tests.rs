use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use super::*;
use crate::tui::theme::{ColourDepth, ThemeFolders};

fn theme(name: &str) -> Theme {
    Theme::load(name, &ThemeFolders::built_in(), ColourDepth::True).unwrap()
}

fn picture(draw: impl Fn(&mut Buffer)) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
    draw(&mut buffer);
    svg(&buffer, "a & b", &theme("default"), Canvas::Dark)
}

// Text, shapes and background colours are drawn at the positions of their cells.
#[test]
fn text_shapes_and_grounds_have_their_places() {
    let made = picture(|buffer| {
        buffer.set_string(0, 0, "╭─ 日a<b", Style::new());
        let chosen = Style::new()
            .fg(Color::Red)
            .add_modifier(Modifier::REVERSED | Modifier::BOLD);
        buffer.set_string(2, 1, "x  yz", chosen);
        buffer.set_string(9, 1, "▄", Style::new().add_modifier(Modifier::DIM));
    });
    insta::assert_snapshot!(made);
}

#[test]
fn text_is_escaped_and_the_output_is_the_same_each_time() {
    let draw = |buffer: &mut Buffer| {
        buffer.set_string(0, 0, "</g>&\"", Style::new());
        buffer[(0, 1)].set_symbol("\u{1b}");
    };
    let made = picture(draw);
    assert!(made.contains("&lt;/g&gt;&amp;&quot;") && made.contains("<title>a &amp; b</title>"));
    assert!(!made.contains('\u{1b}'));
    assert_eq!(made, picture(draw));
}

#[test]
fn the_picture_has_the_background_colour_of_the_theme() {
    let buffer = Buffer::empty(Rect::new(0, 0, 2, 1));
    let light = theme("light");
    assert_eq!(Canvas::of(&light), Canvas::Light);
    assert!(svg(&buffer, "", &light, Canvas::Light).contains("rx=\"8\" fill=\"#fbfaf7\""));
}

#[test]
fn ansi_text_has_escape_sequences_only_if_styles_are_requested() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
    buffer.set_string(0, 0, "日", Style::new().fg(Color::Red));
    buffer.set_string(2, 0, "ab", Style::new());
    assert_eq!(ansi(&buffer, false), "日ab\n");
    assert_eq!(ansi(&buffer, true), "\u{1b}[38;5;1m日\u{1b}[39mab\n");
}
