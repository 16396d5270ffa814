//! Chooses the target among the definitions of a Python file.

use crate::benchmark::Position;
use crate::code::outline::{Definition, DefinitionKind, Outline};
use crate::code::sought::{Choice, Sought, qualname_starts};

/// Chooses a definition with the target's qualname (the dotted name inside the file). If there is none, chooses a
/// function with the last component of the target's name.
pub(super) fn choose<'a>(outline: &'a Outline, sought: Sought<'_>) -> Choice<'a> {
    let own = || by_own_name(outline, sought.namespace.name(), sought.position);
    named(outline, sought)
        .or_else(own)
        .map_or_else(Choice::none, Choice::One)
}

fn named<'a>(outline: &'a Outline, sought: Sought<'_>) -> Option<&'a Definition> {
    let names: Vec<&str> = sought.namespace.components().collect();
    let starts = qualname_starts(&names, sought.path, sought.language);
    starts.into_iter().find_map(|start| {
        let qualname = names[start..].join(".");
        let same = outline.definitions.iter();
        nearest(
            same.filter(|each| each.qualname == qualname),
            sought.position,
        )
    })
}

/// Of the functions called `name` anywhere in the file, the nearest to the recorded position. If no position is
/// recorded, the only function with this name, or `None` if there are several.
fn by_own_name<'a>(
    outline: &'a Outline,
    name: &str,
    recorded: Option<Position>,
) -> Option<&'a Definition> {
    let mut same = outline
        .definitions
        .iter()
        .filter(|found| found.kind != DefinitionKind::Class && found.name() == name);
    if recorded.is_some() {
        return nearest(same, recorded);
    }
    let only = same.next()?;
    same.next().is_none().then_some(only)
}

/// The candidate nearest to the recorded position, or the last candidate if no position is recorded. A candidate that
/// is a `typing.overload` is chosen only if all candidates are.
fn nearest<'a>(
    candidates: impl Iterator<Item = &'a Definition>,
    recorded: Option<Position>,
) -> Option<&'a Definition> {
    match recorded {
        Some(place) => candidates.min_by_key(|found| {
            let distance = found.signature.first().abs_diff(place.signature.first());
            (found.overload, distance)
        }),
        None => candidates.max_by_key(|found| (!found.overload, found.whole.first())),
    }
}
