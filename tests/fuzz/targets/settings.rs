//! Runs the checks of `checks/settings.rs` on arbitrary bytes.
#![no_main]

#[path = "../checks/settings.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
