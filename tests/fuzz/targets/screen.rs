//! Runs the check in `checks/screen.rs` with random bytes.
#![no_main]

#[path = "../checks/screen.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
