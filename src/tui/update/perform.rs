//! What each command does.

use super::{
    Motion, analysis, demo, end, evaluate, find, layout, leakage, motion, open, overview, result,
    review, run, tasks, tree,
};
use crate::tui::commands::CommandId;
use crate::tui::effect::{Effect, Slot};
use crate::tui::state::context::{Setting, Tree};
use crate::tui::state::input::Input;
use crate::tui::state::list::Cursor;
use crate::tui::state::{Overlay, Pane, Prompt, Screen, State};

/// Runs a command that may run.
pub(super) fn perform(state: &mut State, id: CommandId) -> Vec<Effect> {
    if let Some(motion) = motion_of(id) {
        motion::go(state, motion);
        return Vec::new();
    }
    if let Some(effects) = demo::perform(state, id) {
        return effects;
    }
    let own = match state.screen {
        Screen::Workbench => None,
        Screen::Leakage => leakage::perform(state, id),
        Screen::Overview => overview::perform(state, id),
        Screen::Review => review::perform(state, id),
        Screen::Analysis => analysis::perform(state, id),
        Screen::Run => run::perform(state, id),
        Screen::Result => result::perform(state, id),
    };
    if let Some(effects) = own {
        return effects;
    }
    match id {
        CommandId::Leakage => leakage::open(state),
        CommandId::Overview => overview::open(state),
        CommandId::Analysis => analysis::open(state),
        CommandId::RunMany => run::open(state),
        CommandId::Review => return review::open(state),
        CommandId::Open => return open::open(state),
        CommandId::Back => return open::back(state),
        CommandId::Run => return evaluate::run(state, false),
        CommandId::RunLocal => return evaluate::run(state, true),
        CommandId::Result => result::of_the_completion(state),
        CommandId::Cancel => return cancel(state),
        CommandId::Copy => return open::copy(state),
        CommandId::Edit => return open::edit(state),
        CommandId::Suspend => return vec![Effect::Suspend],
        CommandId::Redraw => return vec![Effect::Redraw],
        CommandId::Quit => return end(state),
        CommandId::Help => state.overlay = Some(Overlay::Help { top: 0 }),
        CommandId::Palette => {
            state.overlay = Some(Overlay::Palette {
                input: Input::default(),
                cursor: Cursor::default(),
            });
        }
        CommandId::Recognised => open::recognised(state),
        _ => arrange(state, id),
    }
    Vec::new()
}

fn motion_of(id: CommandId) -> Option<Motion> {
    Some(match id {
        CommandId::Up => Motion::Rows(-1),
        CommandId::Down => Motion::Rows(1),
        CommandId::HalfUp => Motion::Halves(-1),
        CommandId::HalfDown => Motion::Halves(1),
        CommandId::PageUp => Motion::Pages(-1),
        CommandId::PageDown => Motion::Pages(1),
        CommandId::Top => Motion::Start,
        CommandId::Bottom => Motion::End,
        _ => return None,
    })
}

const STEP: i16 = 40;

fn arrange(state: &mut State, id: CommandId) {
    match id {
        CommandId::Left => motion::sideways(state, -1),
        CommandId::Right => motion::sideways(state, 1),
        CommandId::NextPane => layout::cycle(state, 1),
        CommandId::PreviousPane => layout::cycle(state, -1),
        CommandId::Show(pane) => layout::focus(state, pane),
        CommandId::Zoom => layout::zoom(state),
        CommandId::Wider => layout::widen(state, STEP),
        CommandId::Narrower => layout::widen(state, -STEP),
        CommandId::Taller => layout::heighten(state, STEP),
        CommandId::Shorter => layout::heighten(state, -STEP),
        CommandId::ResetLayout => layout::reset(state),
        _ => ask(state, id),
    }
}

fn ask(state: &mut State, id: CommandId) {
    match id {
        CommandId::NextTask => tasks::step(state, 1),
        CommandId::PreviousTask => tasks::step(state, -1),
        CommandId::Filter => tasks::begin_filter(state),
        CommandId::ClearFilter => state.workbench.tasks.query.filter.clear(),
        CommandId::Order => {
            let query = &mut state.workbench.tasks.query;
            query.order = query.order.next();
        }
        CommandId::Group => {
            let query = &mut state.workbench.tasks.query;
            query.grouped = !query.grouped;
        }
        CommandId::Find => prompt(state, Prompt::Find, ""),
        CommandId::FindNext => find::step(state, true),
        CommandId::FindPrevious => find::step(state, false),
        _ => within_pane(state, id),
    }
}

fn within_pane(state: &mut State, id: CommandId) {
    let bench = &mut state.workbench;
    match id {
        CommandId::Style => {
            let styles = bench.task.detail.requirement.texts.len().max(1);
            bench.task.style = (bench.task.style + 1) % styles;
            bench.task.top = 0;
        }
        CommandId::NextDependency => open::next_use(state, true),
        CommandId::PreviousDependency => open::next_use(state, false),
        CommandId::Expand => tree::expand(state),
        CommandId::Collapse => tree::collapse(state),
        CommandId::Peek => {
            bench.task.peek = !bench.task.peek;
            motion::refit(state);
        }
        CommandId::Setting => bench.context.setting = turn(bench.context.setting, 1),
        CommandId::PreviousSetting => bench.context.setting = turn(bench.context.setting, -1),
        CommandId::Tree => {
            bench.context.tree_is_chosen = true;
            bench.context.tree = match bench.context.tree {
                Tree::Base => Tree::Newest,
                Tree::Newest | Tree::Named(_) => Tree::Base,
            };
        }
        CommandId::Revision => {
            let named = match &bench.context.tree {
                Tree::Named(name) => name.clone(),
                _ => String::new(),
            };
            prompt(state, Prompt::Revision, &named);
        }
        CommandId::Unified => {
            bench.completions.unified = !bench.completions.unified;
            bench.completions.top = 0;
        }
        CommandId::Follow => {
            bench.log.following = !bench.log.following;
            motion::refit(state);
        }
        _ => {}
    }
}

fn prompt(state: &mut State, prompt: Prompt, text: &str) {
    state.overlay = Some(Overlay::Prompt {
        prompt,
        input: Input::with(text),
    });
}

pub(super) fn turn(setting: Setting, steps: isize) -> Setting {
    let all = Setting::ALL;
    let at = all.iter().position(|own| *own == setting).unwrap_or(0);
    let len = isize::try_from(all.len()).unwrap_or(1);
    let next = (isize::try_from(at).unwrap_or(0) + steps).rem_euclid(len);
    usize::try_from(next)
        .ok()
        .and_then(|next| all.get(next))
        .copied()
        .unwrap_or(setting)
}

/// Ends the evaluation; without one, whatever is under way and can be seen to be.
fn cancel(state: &mut State) -> Vec<Effect> {
    let slots = if state.tickets.is_busy(Slot::Run) {
        vec![Slot::Run]
    } else {
        vec![
            Slot::Dependencies,
            Slot::Context,
            Slot::Leakage,
            Slot::Overview,
        ]
    };
    let mut effects = Vec::new();
    for slot in slots {
        if state.tickets.is_busy(slot) {
            state.tickets.close(slot);
            state.overview.stopped |= slot == Slot::Overview;
            effects.push(Effect::Cancel(slot));
        }
    }
    if effects
        .iter()
        .any(|effect| matches!(effect, Effect::Cancel(Slot::Run)))
    {
        if state.run.phase.is_under_way() {
            run::cancelled(state);
        } else {
            let rows = state.rows(Pane::Log);
            state.workbench.log.say("cancelled", rows);
        }
    }
    effects
}
