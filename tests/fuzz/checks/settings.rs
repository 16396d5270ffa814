//! What people write by hand: filter expressions, themes, codebooks.

use evoscope::review::Codebook;
use evoscope::tui::theme::{ColourDepth, Theme, ThemeFolders};
use evoscope::workspace::filter::Filter;

/// Panics where something does not hold.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(why) = Filter::parse(&text) {
        assert!(
            text.get(why.at.clone()).is_some(),
            "the fault is inside the expression"
        );
    }
    let folder = tempfile::tempdir().expect("a folder for the input");
    let path = folder.path().join("input.toml");
    std::fs::write(&path, bytes).expect("the input is written");
    let _ = Codebook::read(&path);
    let _ = Theme::load_file(&path, &ThemeFolders::default(), ColourDepth::True);
}
