//! The review of pairs: two wordings of a requirement, side by side. The names of the wordings are hidden.

use evoscope::review::{Outcome, ReviewStore, ReviewSubject, swapped};
use evoscope::tui::{Headless, StoredState, WorkerState, parse_script};
use evoscope::workspace::{AppDirs, review_logs};

use super::picture::{SIZES, picture, styles, text};

fn pairs(home: &tempfile::TempDir, size: (u16, u16), keys: &str) -> Headless {
    let workers = WorkerState::new(
        Vec::new(),
        false,
        AppDirs::under(home.path()),
        StoredState::Ignored,
    );
    let mut explorer = Headless::open(workers, size).unwrap();
    explorer.press(&parse_script(keys).unwrap());
    explorer
}

#[test]
fn two_wordings_are_shown_at_each_size() {
    let home = tempfile::tempdir().unwrap();
    for (columns, rows) in SIZES {
        let explorer = pairs(&home, (columns, rows), "Jv");
        let screen = picture(&explorer.screen(&styles()).unwrap());
        insta::assert_snapshot!(format!("review_pairs_{columns}x{rows}"), screen);
    }
}

#[test]
fn the_preference_is_recorded_for_the_text_and_not_for_its_side() {
    let home = tempfile::tempdir().unwrap();
    let explorer = pairs(&home, (120, 40), "Jv110");
    let screen = text(&explorer.screen(&styles()).unwrap());
    for name in ["brief", "detailed"] {
        assert!(!screen.contains(name), "not blind: {screen}");
    }
    let logs = review_logs(&AppDirs::under(home.path()));
    let store = ReviewStore::open(&logs[0]).unwrap();
    let judgements = store.judgements().unwrap();
    let mut seen = 0;
    for (task, subject, by) in judgements.iter() {
        assert!(matches!(subject, ReviewSubject::Pair { .. }));
        let given = by["you"].preference.unwrap();
        let left = if swapped(task, subject, "you") {
            Outcome::Lose
        } else {
            Outcome::Win
        };
        assert!(given == left || given == Outcome::Tie, "{given:?}");
        seen += 1;
    }
    assert_eq!(seen, 3);
}

#[test]
fn the_reference_code_of_a_pair_starts_at_its_first_line_and_scrolls() {
    let home = tempfile::tempdir().unwrap();
    let keys = "/benchmark:humanevo parse_ring<enter>Jv";
    for size in [(80, 24), (100, 30), (120, 40), (160, 45)] {
        let mut explorer = pairs(&home, size, keys);
        let words = |explorer: &Headless| text(&explorer.screen(&styles()).unwrap());
        let screen = words(&explorer);
        let below = screen.split("Reference").nth(1).unwrap_or_default();
        for line in ["def parse_ring", "return Ring(match.group(1)"] {
            assert!(below.contains(line), "{size:?} {screen}");
        }
        assert!(below.contains("docstring hidden"), "{size:?} {screen}");
        assert!(!below.contains("Read a ring as"), "{size:?} {screen}");
        assert!(screen.contains("Tab reference code"), "{size:?} {screen}");
        explorer.press(&parse_script("<tab>g").unwrap());
        let end = words(&explorer);
        assert!(end.contains("Tab texts"), "{size:?} {end}");
        let top = end.split("Reference").nth(1).unwrap_or_default();
        assert!(top.contains("   1 "), "{size:?} {end}");
    }
}

#[test]
fn in_a_low_window_tab_switches_between_the_texts_and_the_code() {
    let home = tempfile::tempdir().unwrap();
    let keys = "/benchmark:humanevo parse_ring<enter>Jv";
    let shown = |keys: &str| text(&pairs(&home, (60, 14), keys).screen(&styles()).unwrap());
    let texts = shown(keys);
    assert!(!texts.contains("def parse_ring"), "{texts}");
    let code = shown(&format!("{keys}<tab>"));
    assert!(code.contains("def parse_ring"), "{code}");
}

#[test]
fn a_long_text_of_a_pair_scrolls_to_its_end() {
    let home = tempfile::tempdir().unwrap();
    let mut explorer = pairs(&home, (60, 14), "Jv");
    let lines = |explorer: &Headless| text(&explorer.screen(&styles()).unwrap());
    explorer.press(&parse_script("G").unwrap());
    let end = lines(&explorer);
    explorer.press(&parse_script("j").unwrap());
    assert_eq!(end, lines(&explorer), "nothing follows the end");
}
