//! Two wordings of the sample's requirements, side by side and blind.

use evoscope::review::{Outcome, ReviewStore, ReviewSubject, swapped};
use evoscope::tui::{Headless, WorkerState, parse_script};
use evoscope::workspace::{AppDirs, review_logs};

use super::picture::{SIZES, picture, styles, text};

fn pairs(home: &tempfile::TempDir, size: (u16, u16), keys: &str) -> Headless {
    let workers = WorkerState::new(Vec::new(), false, AppDirs::under(home.path()), false);
    let mut explorer = Headless::open(workers, size).unwrap();
    explorer.press(&parse_script(keys).unwrap());
    explorer
}

#[test]
fn two_wordings_at_each_size() {
    let home = tempfile::tempdir().unwrap();
    for (columns, rows) in SIZES {
        let explorer = pairs(&home, (columns, rows), "Jv");
        let screen = picture(&explorer.screen(&styles()).unwrap());
        insta::assert_snapshot!(format!("review_pairs_{columns}x{rows}"), screen);
    }
}

#[test]
fn the_preference_is_recorded_for_the_text_not_for_its_side() {
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
