//! The key lists of the README and the manual page are the table of commands; the README's pictures are there.
//!
//! `UPDATE_README=1 cargo test --test integration readme` rewrites the list.

use std::fs;
use std::path::Path;
use std::process::Command;

const BEGIN: &str = "<!-- keys -->\n";
const END: &str = "<!-- /keys -->";

fn readme() -> (std::path::PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

#[test]
fn the_key_list_is_the_table_of_commands() {
    let (path, text) = readme();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (list, after) = rest.split_once(END).unwrap();
    let wanted = evoscope::tui::key_list();
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(path, format!("{before}{BEGIN}{wanted}{END}{after}")).unwrap();
        return;
    }
    assert!(
        list == wanted,
        "the key list is old: run UPDATE_README=1 cargo test --test integration readme"
    );
}

#[test]
fn the_manual_page_lists_every_key() {
    let man = Command::new(env!("CARGO_BIN_EXE_evoscope"))
        .arg("man")
        .output();
    let page = String::from_utf8(man.unwrap().stdout).unwrap();
    let (_, keys) = page.split_once(".SH \"KEYS\"\n").unwrap();
    let (keys, _) = keys.split_once(".SH ").unwrap();
    let table = evoscope::tui::key_table();
    assert_eq!(keys.matches(".TP\n").count(), table.len());
    assert!(
        keys.contains("go back to where you were, or close what is open (everywhere)"),
        "{keys}"
    );
}

#[test]
fn every_picture_is_there() {
    let (path, text) = readme();
    let pictures: Vec<_> = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| target.rsplit('.').next() == Some("svg"))
        .collect();
    assert!(!pictures.is_empty());
    for picture in pictures {
        let file = path.with_file_name(picture);
        assert!(
            fs::read_to_string(&file).unwrap().starts_with("<svg"),
            "{}",
            file.display()
        );
    }
}
