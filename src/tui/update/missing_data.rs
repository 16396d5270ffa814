//! Requests the data that the screen needs and that was not requested yet.

use std::hash::BuildHasher;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::tasks;
use crate::benchmark::Verdict;
use crate::tui::effect::{Effect, Request, Slot};
use crate::tui::state::latest_requests::LatestRequests;
use crate::tui::state::task::Resolution;
use crate::tui::state::{Pane, Screen, State};
use crate::workspace::TaskRef;

/// Requests all missing data. Returns the effects that perform the requests.
pub(super) fn request_missing_data(state: &mut State) -> Vec<Effect> {
    if state.ended || state.workspace.is_none() {
        return Vec::new();
    }
    let mut effects = Vec::new();
    effects.extend(index(state));
    effects.extend(recall(state));
    effects.extend(listing(state));
    effects.extend(task(state));
    effects.extend(anchors(state));
    effects.extend(dependencies(state));
    effects.extend(in_turn(state));
    effects.extend(against(state));
    effects.extend(since(state));
    effects.extend(peek(state));
    effects.extend(context(state));
    effects.extend(diff(state));
    effects.extend(colours(state));
    effects.extend(item_colours(state));
    effects.extend(leakage(state));
    effects.extend(leakage_colours(state));
    effects.extend(origin(state));
    effects.extend(overview(state));
    effects.extend(analysis(state));
    effects.extend(item_detail(state));
    effects.extend(result(state));
    effects.extend(super::new_completions::open(state));
    effects
}

fn result(state: &mut State) -> Option<Effect> {
    if state.screen != Screen::Result {
        return None;
    }
    let (of, request) = super::result::wanted(state)?;
    once(state, |asked| &mut asked.result, of, Slot::Result, request)
}

fn item_detail(state: &mut State) -> Option<Effect> {
    if state.screen != Screen::Review || !state.review.has_item_detail() {
        return None;
    }
    let item = state.review.item()?;
    let annotator = state.review.session.as_ref()?.annotator().to_owned();
    let request = Request::ItemDetail(item.clone(), annotator);
    once(
        state,
        |asked| &mut asked.item_detail,
        item,
        Slot::ItemDetail,
        request,
    )
}

/// Sends `request` for the data `wanted`, unless the latest request of this kind was for the same data. `field` returns
/// the data of the latest request of this kind.
fn once<T: PartialEq>(
    state: &mut State,
    field: impl Fn(&mut LatestRequests) -> &mut Option<T>,
    wanted: T,
    slot: Slot,
    request: Request,
) -> Option<Effect> {
    let last = field(&mut state.latest_requests);
    if last.as_ref() == Some(&wanted) {
        return None;
    }
    *last = Some(wanted);
    Some(state.ask(slot, request))
}

/// Once all tasks are loaded, requests the completions.
fn index(state: &mut State) -> Option<Effect> {
    if state.tickets.is_busy(Slot::Open) || state.latest_requests.listing.is_none() {
        return None;
    }
    let workspace = state.workspace.as_ref()?;
    if workspace.completion_sets().is_empty() {
        return None;
    }
    once(
        state,
        |asked| &mut asked.index,
        (),
        Slot::Index,
        Request::Index,
    )
}

/// Once the completions are read, requests the verdicts of earlier runs.
fn recall(state: &mut State) -> Option<Effect> {
    state.workspace.as_ref()?.indexed()?;
    once(
        state,
        |asked| &mut asked.recall,
        (),
        Slot::Recall,
        Request::Recall,
    )
}

/// Once the first task is shown and the completions are read, requests the positions of all targets in the sources.
fn anchors(state: &mut State) -> Option<Effect> {
    let before = [Slot::Open, Slot::Index, Slot::Listing, Slot::Task];
    if before.iter().any(|slot| state.tickets.is_busy(*slot)) {
        return None;
    }
    let request = Request::Anchors;
    once(
        state,
        |asked| &mut asked.anchors,
        (),
        Slot::Anchors,
        request,
    )
}

fn listing(state: &mut State) -> Option<Effect> {
    let query = state.workbench.tasks.query.clone();
    let request = Request::List(query.clone());
    once(
        state,
        |asked| &mut asked.listing,
        query,
        Slot::Listing,
        request,
    )
}

fn task(state: &mut State) -> Option<Effect> {
    let task = tasks::chosen(state)?;
    once(
        state,
        |asked| &mut asked.task,
        task,
        Slot::Task,
        Request::Task(task),
    )
}

fn dependencies(state: &mut State) -> Option<Effect> {
    let task = settled(state)?;
    let request = Request::Dependencies(task);
    once(
        state,
        |asked| &mut asked.dependencies,
        task,
        Slot::Dependencies,
        request,
    )
}

/// The task that the panes show; `None` while another task is being loaded. So no slow work is done for a task that the
/// user only scrolls past.
fn settled(state: &State) -> Option<crate::workspace::TaskRef> {
    let shown = state.workbench.task.task?;
    (state.latest_requests.task == Some(shown) && !state.tickets.is_busy(Slot::Task))
        .then_some(shown)
}

fn peek(state: &mut State) -> Option<Effect> {
    let task = settled(state)?;
    let panes = &state.workbench.task;
    if !panes.peek || state.arrangement().rect(Pane::Dependencies).is_none() {
        return None;
    }
    let need = &panes.chosen()?.need;
    let namespace = need.namespace.clone();
    let request = Request::Peek {
        task,
        namespace: namespace.clone(),
        definition: need.definition.clone()?,
    };
    once(
        state,
        |asked| &mut asked.peek,
        (task, namespace),
        Slot::Peek,
        request,
    )
}

/// The task of the dependencies pane. `None` if the pane is not visible, while another task is being loaded, or if the
/// dependencies were not looked up.
fn resolved(state: &State) -> Option<crate::workspace::TaskRef> {
    let task = settled(state)?;
    let panes = &state.workbench.task;
    let visible =
        state.screen == Screen::Workbench && state.arrangement().rect(Pane::Dependencies).is_some();
    (visible && panes.resolution == Resolution::Resolved).then_some(task)
}

/// Requests the dependencies of a dependency in the tree.
fn in_turn(state: &mut State) -> Option<Effect> {
    let task = resolved(state)?;
    if state.tickets.is_busy(Slot::InTurn) {
        return None;
    }
    let namespace = state.workbench.task.tree.unknown()?.clone();
    state.latest_requests.in_turn = Some((task, namespace.clone()));
    Some(state.ask(Slot::InTurn, Request::InTurn(task, namespace)))
}

/// Requests the comparison of the completion's dependencies with those of the reference code.
fn against(state: &mut State) -> Option<Effect> {
    let task = resolved(state)?;
    let completion = state.workbench.completions.chosen()?.index;
    let needs = state.workbench.task.dependencies.clone().into();
    let request = Request::Against((task, completion), needs);
    once(
        state,
        |asked| &mut asked.against,
        (task, completion),
        Slot::Against,
        request,
    )
}

/// Requests the commits that introduced the dependencies.
fn since(state: &mut State) -> Option<Effect> {
    let task = resolved(state)?;
    let needs = state.workbench.task.dependencies.clone().into();
    let request = Request::Since(task, needs);
    once(state, |asked| &mut asked.since, task, Slot::Since, request)
}

fn context(state: &mut State) -> Option<Effect> {
    let task = settled(state)?;
    let arrangement = state.arrangement();
    [Pane::Context, Pane::Dependencies]
        .into_iter()
        .find_map(|pane| arrangement.rect(pane))?;
    let wanted = state.workbench.prompt_setting();
    let request = Request::Context(task, wanted.clone());
    once(
        state,
        |asked| &mut asked.context,
        (task, wanted),
        Slot::Context,
        request,
    )
}

fn diff(state: &mut State) -> Option<Effect> {
    let task = settled(state)?;
    state.arrangement().rect(Pane::Completions)?;
    let completion = state.workbench.completions.chosen()?.index;
    let request = Request::Diff { task, completion };
    once(
        state,
        |asked| &mut asked.diff,
        (task, completion),
        Slot::Diff,
        request,
    )
}

fn colours(state: &mut State) -> Option<Effect> {
    let height = state.rows(Pane::Reference);
    let view = state.workbench.viewer.current()?;
    let top = view.cursor.top;
    let lines = top..(top + height).min(view.document.text.count());
    let block = view.colours.first_missing(lines)?;
    let document = Arc::clone(&view.document);
    let identity = (Arc::as_ptr(&document) as usize, block);
    let request = Request::Colours(document, block);
    once(
        state,
        |asked| &mut asked.colours,
        identity,
        Slot::Colours,
        request,
    )
}

fn item_colours(state: &mut State) -> Option<Effect> {
    state.arrangement().rect(Pane::Context)?;
    let height = state.rows(Pane::Context);
    let pane = &state.workbench.context;
    let (task, shown) = pane.shown_for.clone()?;
    let tree = shown.moment().clone();
    let (item, block) = pane.uncoloured(height)?;
    let shown = Arc::clone(&pane.shown);
    let identity = (Arc::as_ptr(&shown) as usize, item, block);
    let request = Request::ItemColours {
        task,
        tree,
        shown,
        item,
        block,
    };
    once(
        state,
        |asked| &mut asked.item_colours,
        identity,
        Slot::ItemColours,
        request,
    )
}

fn leakage_colours(state: &mut State) -> Option<Effect> {
    if state.screen != Screen::Leakage {
        return None;
    }
    let task = state.workbench.task.task?;
    let screen = &state.leakage;
    let compared = Arc::clone(screen.shown.as_ref()?);
    let revisions = [screen.moments.first()?, screen.moment()?];
    let request = Request::LeakageColours {
        task,
        compared: Arc::clone(&compared),
        masked: screen.masked,
        revisions: revisions.map(|moment| moment.revision.clone()),
    };
    let identity = (Arc::as_ptr(&compared) as usize, screen.masked);
    once(
        state,
        |asked| &mut asked.leakage_colours,
        identity,
        Slot::LeakageColours,
        request,
    )
}

fn leakage(state: &mut State) -> Option<Effect> {
    if state.screen != Screen::Leakage {
        return None;
    }
    let wording = state.workbench.task.wording();
    let wanted = (settled(state)?, state.leakage.setting, wording);
    let request = Request::Leakage(wanted);
    once(
        state,
        |asked| &mut asked.leakage,
        wanted,
        Slot::Leakage,
        request,
    )
}

/// Requests the commit of a block of leaked or missing lines. The block at the cursor comes first, then each other
/// visible block.
fn origin(state: &mut State) -> Option<Effect> {
    let screen = &state.leakage;
    let busy = state.tickets.is_busy(Slot::Origin) && !screen.wants_message;
    if state.screen != Screen::Leakage || screen.is_behind() || busy {
        return None;
    }
    let (task, ..) = screen.of?;
    let place = screen.unknown(screen.sheet(state.size).rows())?;
    let request = Request::Origin(task, place.clone());
    once(
        state,
        |asked| &mut asked.origin,
        place,
        Slot::Origin,
        request,
    )
}

fn overview(state: &mut State) -> Option<Effect> {
    if state.screen != Screen::Overview || state.overview.stopped {
        return None;
    }
    let listing = &state.workbench.tasks.listing;
    let wanted = (listing.query.filter.clone(), state.overview.setting);
    let tasks: std::sync::Arc<[_]> = (0..listing.rows.len())
        .filter_map(|row| listing.task_at(row))
        .collect();
    let request = Request::Overview(tasks, state.overview.setting);
    once(
        state,
        |asked| &mut asked.overview,
        wanted,
        Slot::Overview,
        request,
    )
}

/// A hash of the verdicts, which does not depend on the order of the map.
fn hash_of(verdicts: &FxHashMap<(TaskRef, usize), Verdict>) -> u64 {
    let hashes = verdicts.iter().map(|entry| FxBuildHasher.hash_one(entry));
    hashes.fold(0, u64::wrapping_add)
}

fn analysis(state: &mut State) -> Option<Effect> {
    if state.screen != Screen::Analysis || state.tickets.is_busy(Slot::Open) {
        return None;
    }
    let listing = &state.workbench.tasks.listing;
    let filter = listing.query.filter.clone();
    let wanted = (filter, state.analysis.by, hash_of(&state.verdicts));
    if state.latest_requests.analysis.as_ref() == Some(&wanted) {
        return None;
    }
    let tasks: Arc<[_]> = (0..listing.rows.len())
        .filter_map(|row| listing.task_at(row))
        .collect();
    let own = Arc::new(state.verdicts.clone());
    let request = Request::Analyse(tasks, state.analysis.by, own);
    once(
        state,
        |asked| &mut asked.analysis,
        wanted,
        Slot::Analysis,
        request,
    )
}
