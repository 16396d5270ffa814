//! The review: requirement and reference code side by side, and what the annotator says under them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::pane::{Extent, Heading, frame};
use super::{Look, head, inquiry, put, reference, requirement, trouble};
use crate::review::{Answer, Decision, Judgement, Question, Session};
use crate::tui::state::State;
use crate::tui::state::inquiry::Kind;
use crate::tui::state::review::{Editor, ReviewScreen};
use crate::tui::text::{sanitize, truncate};
use crate::tui::theme::Role;

/// The keys that end an item or say more of it; the bottom line has no room for them all.
const KEYS: &str =
    "a accept  x reject  space skip  f flag  e rewrite  w note  backspace takes back";

/// Draws everything but the bottom line.
pub fn draw(state: &State, look: &Look, buffer: &mut Buffer) {
    let screen = &state.review;
    let desk = ReviewScreen::desk(state.size);
    top_line(state, look, desk.head, buffer);
    if screen.kind.has_exhibit() {
        inquiry::exhibit(screen, look, &desk, buffer);
    } else {
        match &screen.editor {
            Some(editor) => rewrite(editor, look, desk.requirement, buffer),
            None => requirement::draw_in(state, look, desk.requirement, !screen.code, buffer),
        }
        reference::draw_in(state, look, desk.reference, screen.code, buffer);
    }
    let heading = Heading {
        title: "Judgement".to_owned(),
        note: note(screen),
        right: if screen.under_way { "saving" } else { "saved" }.to_owned(),
    };
    let inner = frame(
        look,
        desk.judgement,
        false,
        &heading,
        Extent::default(),
        buffer,
    );
    let judgement = screen
        .session
        .as_ref()
        .and_then(|session| session.judgement());
    match judgement {
        _ if screen.kind != Kind::Requirements && screen.session.is_some() => {
            let lines = inquiry::lines(screen, look, inner.width);
            for (row, line) in lines.iter().enumerate() {
                put(buffer, inner, row, line);
            }
        }
        None => trouble::say(look, inner, "there is nothing to judge", buffer),
        Some(judgement) => {
            for (row, line) in lines(screen, judgement, look, inner.width)
                .iter()
                .enumerate()
            {
                put(buffer, inner, row, line);
            }
        }
    }
}

fn note(screen: &ReviewScreen) -> String {
    let session = screen.session.as_deref();
    session.map_or_else(
        || "opening the log".to_owned(),
        |session| format!("as {}", session.annotator()),
    )
}

fn top_line(state: &State, look: &Look, rect: Rect, buffer: &mut Buffer) {
    let dot = look.glyphs.dot;
    let mut right = String::new();
    let mut left = "review".to_owned();
    if let Some(session) = &state.review.session {
        let progress = session.progress();
        let name = sanitize(session.annotator());
        left = format!(
            "review {dot} {name} {dot} {} of {} done",
            progress.done, progress.total
        );
        if state.review.kind != Kind::Requirements {
            left = format!("{left} {dot} {}", state.review.kind.word());
        }
        if let Some(item) = state.review.item() {
            left = format!("{left} {dot} {}", sanitize(item.task.as_str()));
        }
        right = aside(&state.review, session);
    }
    let right = Line::from(look.span(Role::Dim, right));
    head::line(look, rect, &left, &right, buffer);
}

/// Pace and agreement.
fn aside(screen: &ReviewScreen, session: &Session) -> String {
    let progress = session.progress();
    let pace = progress
        .seconds_each
        .map(|seconds| format!("{seconds:.0} s a task"));
    let skipped = (progress.skipped > 0).then(|| format!("{} skipped", progress.skipped));
    let parts: Vec<_> = skipped
        .into_iter()
        .chain(pace)
        // Agreement would reveal what others said before an annotator has judged the item.
        .chain(
            screen
                .agreement()
                .filter(|_| screen.kind == Kind::Conflicts),
        )
        .collect();
    parts.join("   ")
}

fn rewrite(editor: &Editor, look: &Look, rect: Rect, buffer: &mut Buffer) {
    let heading = Heading {
        title: "Rewrite".to_owned(),
        note: "Ctrl-S keeps it, Ctrl-O opens $EDITOR, Esc discards it".to_owned(),
        right: String::new(),
    };
    let inner = frame(look, rect, true, &heading, Extent::default(), buffer);
    let mut area = editor.area.clone();
    area.set_style(look.style(Role::Input));
    area.set_cursor_line_style(look.style(Role::Input));
    area.set_cursor_style(look.style(Role::Selection));
    area.render(inner, buffer);
}

/// The questions with their answers, the decision with the note, and what others say once it may be seen.
fn lines(
    screen: &ReviewScreen,
    judgement: &Judgement,
    look: &Look,
    columns: u16,
) -> [Line<'static>; 3] {
    let room = usize::from(columns).saturating_sub(2);
    let mut questions = vec![Span::raw(" ")];
    for (number, &question) in Question::ALL.iter().enumerate() {
        let here = number == screen.question;
        let pointer = if here { look.glyphs.pointer } else { " " };
        questions.push(look.span(Role::Accent, pointer));
        let role = if here { Role::Strong } else { Role::Text };
        questions.push(look.span(role, format!("{} ", question.word())));
        questions.extend(answers(screen.answer_to(question), look));
        questions.push(Span::raw("   "));
    }
    let mut second = format!("  {}", decision(judgement));
    if let Some(edit) = &judgement.edit {
        let first = edit.text.lines().next().unwrap_or_default();
        second = format!("{second}   rewritten: {}", sanitize(first));
    }
    if let Some(note) = &judgement.note {
        second = format!("{second}   note: {}", sanitize(note));
    }
    let second = truncate(&second, room, look.glyphs.ellipsis).into_owned();
    let others = format!("  {}", others(screen));
    let others = truncate(&others, room, look.glyphs.ellipsis).into_owned();
    let role = if judgement.is_done() {
        Role::Success
    } else {
        Role::Text
    };
    [
        Line::from(questions),
        Line::from(look.span(role, second)),
        Line::from(look.span(Role::Dim, others)),
    ]
}

/// `[y] n u`: the answer given stands in brackets.
fn answers(given: Option<Answer>, look: &Look) -> Vec<Span<'static>> {
    let letter = |answer| match answer {
        Answer::Yes => "y",
        Answer::No => "n",
        Answer::Unsure => "u",
    };
    let spans = Answer::ALL.iter().map(|&answer| {
        if given == Some(answer) {
            look.span(Role::Strong, format!("[{}]", letter(answer)))
        } else {
            look.span(Role::Dim, format!(" {} ", letter(answer)))
        }
    });
    spans.collect()
}

fn decision(judgement: &Judgement) -> &'static str {
    match judgement.decision {
        Some(Decision::Accept) => "accepted",
        Some(Decision::Reject) => "rejected",
        Some(Decision::Skip) => "skipped for now",
        Some(Decision::Flag) => "flagged",
        None => "not decided",
    }
}

fn others(screen: &ReviewScreen) -> String {
    let Some(session) = &screen.session else {
        return String::new();
    };
    let Some(item) = session.item() else {
        return String::new();
    };
    let seen = screen
        .all
        .others(&item.task, &item.subject, session.annotator());
    if seen.is_empty() {
        return format!("{KEYS}   others' words show once you and they are done");
    }
    let said = seen.into_iter().map(|(name, judgement)| {
        let labels = judgement.labels().into_iter();
        let labels: Vec<_> = labels
            .map(|(label, value)| format!("{label} {value}"))
            .collect();
        format!("{}: {}", sanitize(name), labels.join(", "))
    });
    said.collect::<Vec<_>>().join("; ")
}
