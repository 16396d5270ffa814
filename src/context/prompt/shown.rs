//! What a prompt under a budget still shows of a context, as lines that can be compared.

use super::{Cut, PromptStyle, PromptTask, heading, joined};
use crate::context::settings::GatheredContext;
use crate::context::{ContextItem, ContextListing};

/// The prompt that a context is cut for.
#[derive(Debug, Clone, Copy)]
pub struct Within<'a> {
    /// Which models it is for.
    pub style: PromptStyle,
    /// What is asked, which takes its own part of the budget.
    pub asked: &'a PromptTask,
    /// Its longest length, in tokens of `cl100k_base`.
    pub budget: usize,
}

/// The lines that [`prompt`](super::prompt) shows whole of a context. A line that the budget cuts in two is left out: half
/// a line can be compared with nothing. A snippet of which no line is left is left out too.
pub fn shown(mut gathered: GatheredContext, within: Within<'_>) -> ContextListing {
    let cut = Cut::new(within.style, &gathered, within.asked, Some(within.budget));
    let items = std::mem::take(&mut gathered.listing.items);
    let mut items = items.into_iter();
    let above: Vec<ContextItem> = items.by_ref().take(gathered.above).collect();
    let below: Vec<ContextItem> = items.by_ref().take(gathered.below).collect();
    let mut shown_items = last_lines(above, &cut.above);
    shown_items.extend(first_lines(below, &cut.below));
    for (snippet, text) in items.zip(&cut.further) {
        let heading = heading(&snippet, within.asked.language).len();
        shown_items.extend(first_lines(vec![snippet], &text[heading..]));
    }
    shown_items.retain(|item| !item.lines.is_empty());
    gathered.listing.items = shown_items;
    gathered.listing
}

/// What the text `left`, an end of theirs, holds whole.
fn last_lines(items: Vec<ContextItem>, left: &str) -> Vec<ContextItem> {
    let text = joined(&items);
    if text.len() == left.len() {
        return items;
    }
    let whole = match text.len() - left.len() {
        start if text.as_bytes()[start - 1] == b'\n' => left,
        _ => left.split_once('\n').map_or("", |(_, rest)| rest),
    };
    let mut passed = lines(&text) - lines(whole);
    let cut = |mut item: ContextItem| {
        let gone = passed.min(item.lines.len());
        passed -= gone;
        item.lines.drain(..gone);
        let lines = std::mem::take(&mut item.lines);
        placed(item, gone, lines)
    };
    items.into_iter().filter_map(cut).collect()
}

/// What the text `left`, a beginning of theirs, holds whole.
fn first_lines(items: Vec<ContextItem>, left: &str) -> Vec<ContextItem> {
    let text = joined(&items);
    if text.len() == left.len() {
        return items;
    }
    let whole = match text.as_bytes().get(left.len()) {
        Some(b'\n') => left,
        _ => left.rsplit_once('\n').map_or("", |(rest, _)| rest),
    };
    let mut available = lines(whole);
    let cut = |mut item: ContextItem| {
        let mut lines = std::mem::take(&mut item.lines);
        lines.truncate(available);
        available -= lines.len();
        placed(item, 0, lines)
    };
    items.into_iter().filter_map(cut).collect()
}

/// The item with those of its lines, the first `gone` of which are cut; `None` without lines.
fn placed(
    item: ContextItem,
    gone: usize,
    lines: Vec<crate::context::ItemLine>,
) -> Option<ContextItem> {
    let start = item.start + u32::try_from(gone).ok()?;
    let last = start
        .checked_add(u32::try_from(lines.len()).ok()?)?
        .checked_sub(1)?;
    (!lines.is_empty()).then_some(ContextItem {
        start,
        end: last,
        lines,
        ..item
    })
}

/// How many lines a text has; none when it is empty.
fn lines(text: &str) -> usize {
    match text {
        "" => 0,
        text => text.matches('\n').count() + 1,
    }
}
