//! Links on the screen, for terminals that open them: the file of the source in sight, and commits.

use std::fmt::Write as _;
use std::path::Path;

use ratatui::buffer::Buffer;

use crate::history::CommitId;
use crate::tui::state::State;

/// A text on the screen that leads somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its first cell.
    pub at: (u16, u16),
    /// Its columns.
    pub columns: u16,
    /// Where it leads; plain ASCII without control characters.
    pub address: String,
}

/// The links on a screen that was drawn of `state`.
pub fn links(state: &State, buffer: &Buffer) -> Vec<Link> {
    // What is on a screen is not known where something covers it.
    if state.workspace.is_none() || state.overlay.is_some() {
        return Vec::new();
    }
    let known = known(state);
    let mut found = Vec::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        if known.is_empty() {
            break;
        }
        let cells = (buffer.area.left()..buffer.area.right()).map(|x| buffer[(x, y)].symbol());
        // One character for each cell, so that places in the text are columns.
        let row: String = cells
            .map(|symbol| match symbol.as_bytes() {
                [byte @ b' '..=b'~'] => char::from(*byte),
                _ => '\u{0}',
            })
            .collect();
        for (text, address) in &known {
            for (at, _) in row.match_indices(text.as_str()) {
                let (Ok(x), Ok(columns)) = (u16::try_from(at), u16::try_from(text.len())) else {
                    continue;
                };
                found.push(Link {
                    at: (buffer.area.left() + x, y),
                    columns,
                    address: address.clone(),
                });
            }
        }
    }
    found
}

/// The texts that lead somewhere, with their addresses.
fn known(state: &State) -> Vec<(String, String)> {
    let mut known = Vec::new();
    if let Some(view) = state.workbench.viewer.current()
        && let Some(file) = &view.document.file
        && let Some(name) = file.file_name().and_then(|name| name.to_str())
    {
        let text = format!("{name}:{}", view.cursor.at + 1);
        known.extend(address_of(file).map(|address| (text, address)));
    }
    if let Some(page) = &state.workbench.task.commit_page {
        let since = state.workbench.task.tree.since.values();
        let since = since.map(|since| since.commit.id);
        let looked_up = state.leakage.commits.values().flatten();
        let ids = since.chain(looked_up.map(|commit| commit.id));
        let link = |id: CommitId| (id.short(), format!("{page}{id}"));
        known.extend(ids.map(link));
        let moments = state.leakage.moments.iter();
        known.extend(moments.filter_map(|moment| {
            let short = moment.revision.get(..7)?;
            let is_id = moment.revision.bytes().all(|byte| byte.is_ascii_hexdigit());
            is_id.then(|| (short.to_owned(), format!("{page}{}", moment.revision)))
        }));
    }
    known.sort_unstable();
    known.dedup();
    known
}

/// The address of a file; `None` where its path is relative to an unknown folder.
fn address_of(file: &Path) -> Option<String> {
    let file = std::path::absolute(file).ok()?;
    let mut address = String::from("file://");
    for &byte in file.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    Some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_file_has_no_character_that_ends_a_link() {
        let address = address_of(Path::new("/a b/\u{1b}]8;;x\u{e9}.py")).unwrap();
        assert_eq!(address, "file:///a%20b/%1B%5D8%3B%3Bx%C3%A9.py");
    }
}
