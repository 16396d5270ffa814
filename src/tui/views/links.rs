//! Links on the screen, for terminals that support links. Links lead to the file of the shown source, and to the web
//! pages of commits.

use std::fmt::Write as _;
use std::path::Path;

use ratatui::buffer::Buffer;

use crate::history::CommitId;
use crate::tui::state::State;

/// A text on the screen that is a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The column and row of the first cell.
    pub at: (u16, u16),
    /// The number of columns.
    pub columns: u16,
    /// The address, which contains only printable ASCII characters.
    pub address: String,
}

/// The links in `buffer`, which shows `state`.
pub fn links(state: &State, buffer: &Buffer) -> Vec<Link> {
    // An overlay may cover a part of a link, so there are no links while an overlay is open.
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
        // Each cell becomes one byte, so that byte offsets in the row are columns.
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

/// (text, address) of each link. Every occurrence of the text on the screen is a link.
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

/// The address of a file. `None` if the file's path is empty, or if it is relative and the current folder is not known.
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
    fn the_address_of_a_file_escapes_blanks_and_control_characters() {
        let address = address_of(Path::new("/a b/\u{1b}]8;;x\u{e9}.py")).unwrap();
        assert_eq!(address, "file:///a%20b/%1B%5D8%3B%3Bx%C3%A9.py");
    }
}
