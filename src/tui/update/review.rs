//! The review: keys become steps, steps become events in the log, events come back and move the screen.

use ratatui_textarea::Input as Stroke;

use super::motion::Motion;
use crate::benchmark::TaskId;
use crate::error::Result;
use crate::review::{Action, Answer, Decision, Question};
use crate::tui::effect::Effect;
use crate::tui::keys::Key;
use crate::tui::layout::inside;
use crate::tui::state::input::Input;
use crate::tui::state::inquiry::Kind;
use crate::tui::state::requirement::rows;
use crate::tui::state::review::{Editor, ReviewScreen, ReviewWork, Reviewed, Step};
use crate::tui::state::{Overlay, Prompt, Screen, State, Tone};

/// Opens the screen on the tasks that the filter lets through.
pub(crate) fn open(state: &mut State) -> Vec<Effect> {
    let Some(workspace) = &state.workspace else {
        return Vec::new();
    };
    let listing = &state.workbench.tasks.listing;
    let refs = (0..listing.rows.len()).filter_map(|row| listing.task_at(row));
    let several = workspace.benchmarks().len() > 1;
    let name = |task| {
        let id = &workspace.task(task).id;
        if several && workspace.find(id.as_str()).is_err() {
            TaskId::new(&format!("{}/{id}", workspace.benchmark(task).name()))
        } else {
            id.clone()
        }
    };
    let tasks: Vec<TaskId> = refs.map(name).collect();
    state.screen = Screen::Review;
    vec![Effect::Review(ReviewWork::Open(tasks, state.review.kind))]
}

/// Decides on the requirement.
pub(crate) fn decide(state: &mut State, decision: Decision) -> Vec<Effect> {
    step(state, Step::Act(Action::Decide(decision)))
}

/// Undoes the last step.
pub(crate) fn undo(state: &mut State) -> Vec<Effect> {
    step(state, Step::Undo)
}

/// Reviews the next kind of item.
pub(crate) fn next_kind(state: &mut State) -> Vec<Effect> {
    state.review.kind = state.review.kind.next();
    state.review.session = None;
    open(state)
}

/// To the code, or back to the requirement.
pub(super) fn other_side(state: &mut State) {
    state.review.code = !state.review.code;
}

/// To the next question, or the one before.
pub(crate) fn turn_question(state: &mut State, forward: bool) {
    let by = if forward { 1 } else { Question::ALL.len() - 1 };
    turn(&mut state.review, by);
}

/// Begins to write a note.
pub(crate) fn begin_note(state: &mut State) {
    let session = state.review.session.as_ref();
    let note = session.and_then(|session| session.judgement()?.note.clone());
    state.overlay = Some(Overlay::Prompt {
        prompt: Prompt::Note,
        input: Input::with(&note.unwrap_or_default()),
    });
}

/// The command of the choices, which their own keys take before it: says so.
pub(crate) fn ask_for_choice(state: &mut State) {
    let words = "press the key that the screen shows next to the choice";
    state.say(Tone::Warning, words);
}

fn turn(screen: &mut ReviewScreen, by: usize) {
    screen.question = (screen.question + by) % Question::ALL.len();
}

/// Answers the question.
pub(crate) fn answer(state: &mut State, answer: Answer) -> Vec<Effect> {
    let question = Question::ALL[state.review.question];
    turn(&mut state.review, 1);
    step(state, Step::Act(Action::Answer(question, answer)))
}

/// Takes a note that was typed.
pub(super) fn note(state: &mut State, text: &str) -> Vec<Effect> {
    step(state, Step::Act(Action::Note(text.to_owned())))
}

/// Whether the cursor of the task list is on the task of the current item.
fn item_is_shown(state: &State) -> bool {
    let (Some(workspace), Some(item)) = (&state.workspace, state.review.item()) else {
        return true;
    };
    let tasks = &state.workbench.tasks;
    let shown = tasks.listing.task_at(tasks.cursor.at);
    shown.is_some() && workspace.find(item.task.as_str()).ok() == shown
}

/// Puts a step behind those that wait, and sends the first on its way. Refused where the panes show another task than the
/// item's: a judgement is always about what is on the screen.
fn step(state: &mut State, step: Step) -> Vec<Effect> {
    if step != Step::Undo && !item_is_shown(state) {
        let words =
            "the task of this item is not on the screen, so nothing was recorded; clear the filter";
        state.say(Tone::Warning, words);
        return Vec::new();
    }
    state.review.waiting.push_back(step);
    send(state).into_iter().collect()
}

/// The next step that means something, as work for the log, unless one is on its way.
fn send(state: &mut State) -> Option<Effect> {
    let screen = &mut state.review;
    if screen.under_way {
        return None;
    }
    let session = screen.session.as_ref()?;
    while let Some(step) = screen.waiting.pop_front() {
        let work = match step {
            Step::Undo => Some(ReviewWork::Undo),
            Step::Settle(draft) => Some(ReviewWork::Record(draft)),
            Step::Act(action) => session.draft(action).map(ReviewWork::Record),
        };
        if let Some(work) = work {
            screen.under_way = true;
            return Some(Effect::Review(work));
        }
    }
    None
}

/// Takes in what came of a step, and sends the next.
pub(super) fn reviewed(state: &mut State, result: Result<Reviewed>) -> Vec<Effect> {
    state.review.under_way = false;
    match result {
        Ok(Reviewed::Opened(session, log, codebook)) => {
            state.review.begin(session, log, codebook);
            show(state);
        }
        Ok(Reviewed::Recorded(event)) => {
            state.review.record(event, false);
            show(state);
        }
        Ok(Reviewed::Undone(Some(event))) => {
            let words = state.review.undo_message(&event);
            state.review.record(event, true);
            show(state);
            state.say(Tone::Done, words);
        }
        Ok(Reviewed::Undone(None)) => state.say(Tone::Warning, "nothing is left to undo"),
        Err(error) => {
            state.review.waiting.clear();
            state.review.ends = false;
            let advice = error
                .advice()
                .map_or_else(String::new, |hint| format!("; {hint}"));
            state.say(Tone::Error, format!("{error}{advice}"));
        }
    }
    let effects: Vec<Effect> = send(state).into_iter().collect();
    if state.review.ends && effects.is_empty() {
        return super::screens::quit(state);
    }
    effects
}

/// Shows the item in sight in the panes: its task becomes the chosen one.
fn show(state: &mut State) {
    let (Some(workspace), Some(item)) = (&state.workspace, state.review.item()) else {
        return;
    };
    let row = workspace.find(item.task.as_str()).ok().and_then(|task| {
        let same = state.workbench.task.task == Some(task);
        let row = state.workbench.tasks.listing.row_of(task);
        row.map(|row| (row, same))
    });
    let Some((row, same)) = row else {
        let words = format!(
            "'{}' is not among the listed tasks; clear the filter",
            item.task
        );
        return state.say(Tone::Warning, words);
    };
    super::tasks::choose_row(state, row);
    if !same {
        state.review.code = false;
    }
}

/// A key that the item in sight numbers a choice by; `None` for every other key.
pub(super) fn choose(state: &mut State, key: Key) -> Option<Vec<Effect>> {
    let typed = key.typed()?;
    let chosen = state
        .review
        .choices()
        .into_iter()
        .find(|choice| choice.key == typed)?;
    Some(step(state, chosen.step))
}

/// To the next item of the queue, or the one before.
pub(crate) fn shift(state: &mut State, by: isize) {
    let screen = &mut state.review;
    screen.top = 0;
    if screen.kind == Kind::Conflicts {
        let last = screen.conflicts.len().saturating_sub(1);
        screen.conflict_at = screen.conflict_at.saturating_add_signed(by).min(last);
        return show(state);
    }
    if let Some(session) = &mut state.review.session {
        let place = session.position().saturating_add_signed(by);
        session.go(place);
    }
    state.review.first_question();
    show(state);
}

pub(crate) fn rewrite(state: &mut State) {
    let panes = &state.workbench.task;
    let Some(text) = panes.detail.requirement.texts.get(panes.style) else {
        state.say(Tone::Warning, "the record has no requirement to rewrite");
        return;
    };
    let session = state.review.session.as_ref();
    let edit = session.and_then(|session| session.judgement()?.edit.clone());
    let edit = edit.filter(|edit| edit.style == text.style);
    let now = edit.map_or_else(|| text.text.clone(), |edit| edit.text);
    state.review.editor = Some(Box::new(Editor::new(text.style, &text.text, &now)));
}

/// A key while the requirement is rewritten: Ctrl-S saves the text, Ctrl-O opens it in `$EDITOR`, Esc discards it
/// (a changed text at the second press), and every other key goes to the editor.
pub(super) fn edit(state: &mut State, mut editor: Box<Editor>, key: Key) -> Vec<Effect> {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    match key.code {
        KeyCode::Esc if editor.discards() => return Vec::new(),
        KeyCode::Esc => {
            editor.asked = true;
            state.review.editor = Some(editor);
            state.say(
                Tone::Warning,
                "the text has changed: Esc again discards it, Ctrl-S saves it",
            );
            return Vec::new();
        }
        KeyCode::Char('o') if key.ctrl => {
            let text = editor.text();
            state.review.editor = Some(editor);
            return vec![Effect::EditText(text)];
        }
        KeyCode::Char('s') if key.ctrl => {
            let action = Action::Edit {
                style: editor.style,
                text: editor.text(),
                original: editor.original,
            };
            return step(state, Step::Act(action));
        }
        _ => {}
    }
    editor.asked = false;
    let mut modifiers = KeyModifiers::NONE;
    modifiers.set(KeyModifiers::CONTROL, key.ctrl);
    modifiers.set(KeyModifiers::ALT, key.alt);
    editor
        .area
        .input(Stroke::from(KeyEvent::new(key.code, modifiers)));
    state.review.editor = Some(editor);
    Vec::new()
}

/// Takes in the text as another editor left it; it is kept or dropped as any other.
pub(super) fn edited(state: &mut State, text: &str) {
    if let Some(editor) = &mut state.review.editor {
        **editor = editor.with_text(text);
    }
}

/// Moves in the focused pane.
pub(super) fn go(state: &mut State, motion: Motion) {
    let desk = ReviewScreen::desk(state.size);
    if state.review.kind.has_exhibit() {
        let rows = motion.rows(usize::from(inside(desk.requirement).height));
        let most = state.review.exhibit.as_ref().map_or(0, |(_, exhibit)| {
            let lines = |text: &str| text.lines().count();
            lines(&exhibit.left.1).max(lines(&exhibit.right.1))
        });
        let top = &mut state.review.top;
        *top = top.saturating_add_signed(rows).min(most.saturating_sub(1));
        return;
    }
    if state.review.code {
        let height = usize::from(inside(desk.reference).height);
        if let Some(view) = state.workbench.viewer.current_mut() {
            motion.apply(&mut view.cursor, view.document.text.count(), height);
        }
        return;
    }
    let inner = inside(desk.requirement);
    let len = rows(state, inner.width).len();
    let top = &mut state.workbench.task.top;
    let most = len.saturating_sub(usize::from(inner.height));
    *top = top
        .saturating_add_signed(motion.rows(usize::from(inner.height)))
        .min(most);
}
