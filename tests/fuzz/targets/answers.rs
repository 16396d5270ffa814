//! Runs the checks of `checks/answers.rs` on arbitrary bytes.
#![no_main]

#[path = "../checks/answers.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
