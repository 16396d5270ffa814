//! The key lists of the README and the manual page are generated from the table of commands. The links of the README
//! lead to files.
//!
//! `UPDATE_README=1 cargo test --test integration readme` rewrites the key list in the README.

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
fn the_key_list_of_the_readme_equals_the_table_of_commands() {
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

/// The files that a Markdown text links to, without those on the web.
fn linked_files(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://"))
        .collect()
}

#[test]
fn every_link_leads_to_a_file() {
    let (path, text) = readme();
    for name in ["README.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(path.with_file_name(name)).unwrap();
        for target in linked_files(&text) {
            let file = target.split('#').next().unwrap_or(target);
            assert!(path.with_file_name(file).exists(), "{name}: {target}");
        }
    }
    let pictures = linked_files(&text).into_iter().filter(|target| {
        Path::new(target)
            .extension()
            .is_some_and(|extension| extension == "svg")
    });
    let pictures: Vec<_> = pictures
        .map(|picture| fs::read_to_string(path.with_file_name(picture)).unwrap())
        .collect();
    assert!(pictures.len() >= 3);
    assert!(pictures.iter().all(|picture| picture.starts_with("<svg")));
}

#[test]
fn the_readme_links_to_each_guide() {
    let (path, text) = readme();
    let folder = path.with_file_name("src/cli/man");
    for guide in fs::read_dir(folder).unwrap() {
        let name = guide.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&format!("(src/cli/man/{name})")), "{name}");
        let man = Command::new(env!("CARGO_BIN_EXE_evoscope"))
            .args(["man", name.trim_end_matches(".md")])
            .output();
        let printed = String::from_utf8(man.unwrap().stdout).unwrap();
        assert!(printed.starts_with("# "), "{name}");
    }
}
