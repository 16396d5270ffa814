//! What people write by hand: filter expressions, themes, codebooks, `evoscope.toml`, judgements to import.
#![no_main]

use evoscope::review::Codebook;
use evoscope::tui::theme::{ColourDepth, Theme, ThemeFolders};
use evoscope::workspace::filter::Filter;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Err(why) = Filter::parse(&text) {
        assert!(
            text.get(why.at.clone()).is_some(),
            "the fault lies in the expression"
        );
    }
    let folder = tempfile::tempdir().expect("a folder for the input");
    let path = folder.path().join("input.toml");
    std::fs::write(&path, bytes).expect("the input is written");
    let _ = Codebook::read(&path);
    let _ = Theme::load_file(&path, &ThemeFolders::default(), ColourDepth::True);
});
