use std::fs;

use super::{evoscope, text};

#[test]
fn every_built_in_theme_passes_its_check_and_themes_are_listed() {
    let home = tempfile::tempdir().unwrap();
    let checked = evoscope(home.path(), &["theme", "check"]);
    assert!(checked.status.success());
    assert_eq!(
        text(&checked.stdout)
            .lines()
            .filter(|line| line.ends_with(": ok"))
            .count(),
        7
    );
    let listed = evoscope(home.path(), &["theme", "list", "--json"]);
    let first: serde_json::Value =
        serde_json::from_str(text(&listed.stdout).lines().next().unwrap()).unwrap();
    assert_eq!(first["theme"], "default");
    assert_eq!(first["background"], "any");
}

#[test]
fn a_users_theme_is_checked_and_its_faults_are_reported() {
    let home = tempfile::tempdir().unwrap();
    let themes = home.path().join("config/themes");
    fs::create_dir_all(&themes).unwrap();
    fs::write(
        themes.join("mine.toml"),
        "inherits = \"dark\"\n[roles]\ntitel = \"red\"\n",
    )
    .unwrap();
    let checked = evoscope(home.path(), &["theme", "check", "mine"]);
    assert_eq!(checked.status.code(), Some(3));
    let shown = text(&checked.stdout);
    assert!(shown.contains("mine.toml:3: no role 'titel'"), "{shown}");
    assert!(shown.contains("hint: did you mean 'title'?"), "{shown}");

    let json = evoscope(home.path(), &["theme", "check", "--json", "mine", "light"]);
    let lines: Vec<serde_json::Value> = text(&json.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["problems"][0]["line"], 3);
    assert_eq!(lines[1]["ok"], true);
}

#[test]
fn an_unknown_theme_is_refused_and_a_similar_name_suggested() {
    let home = tempfile::tempdir().unwrap();
    let shown = evoscope(home.path(), &["theme", "show", "drak"]);
    assert_eq!(shown.status.code(), Some(2));
    let error = text(&shown.stderr);
    assert!(
        error.contains("no theme 'drak'") && error.contains("did you mean 'dark'?"),
        "{error}"
    );
}

#[test]
fn a_theme_is_shown_as_plain_text_and_as_a_picture() {
    let home = tempfile::tempdir().unwrap();
    let shown = evoscope(home.path(), &["theme", "show", "light"]);
    assert!(text(&shown.stdout).contains("● intra_class"));
    assert!(!text(&shown.stdout).contains('\u{1b}'));
    let file = home.path().join("light.svg");
    let drawn = evoscope(
        home.path(),
        &[
            "theme",
            "show",
            "light",
            "--screenshot",
            file.to_str().unwrap(),
        ],
    );
    assert!(drawn.status.success());
    assert!(fs::read_to_string(&file).unwrap().starts_with("<svg "));
}
