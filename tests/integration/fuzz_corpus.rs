//! Runs the checks of the fuzz targets on their corpus: inputs written by hand, and inputs that fuzzing found.

use std::fs;
use std::path::Path;

#[path = "../fuzz/checks/answers.rs"]
mod answers;
#[path = "../fuzz/checks/benchmark.rs"]
mod benchmark;
#[path = "../fuzz/checks/java.rs"]
mod java;
#[path = "../fuzz/checks/python.rs"]
mod python;
#[path = "../fuzz/checks/screen.rs"]
mod screen;
#[path = "../fuzz/checks/settings.rs"]
mod settings;

fn each(name: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fuzz/corpus")
        .join(name);
    let inputs: Vec<_> = fs::read_dir(&folder).unwrap().flatten().collect();
    assert!(!inputs.is_empty(), "{} is empty", folder.display());
    for input in inputs {
        let bytes = fs::read(input.path()).unwrap();
        if input.path().extension().is_some_and(|end| end == "hex") {
            let text = String::from_utf8(bytes).unwrap();
            text.lines().for_each(|line| check(&from_hex(line)));
        } else {
            check(&bytes);
        }
    }
}

/// The bytes of a line of hexadecimal digits.
fn from_hex(line: &str) -> Vec<u8> {
    let pairs = line.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.map(byte).collect()
}

#[test]
fn the_corpus_of_answers_passes_its_checks() {
    each("answers", answers::check);
}

#[test]
fn the_corpus_of_benchmarks_passes_its_checks() {
    each("benchmark", benchmark::check);
}

#[test]
fn the_corpus_of_java_passes_its_checks() {
    each("java", java::check);
}

#[test]
fn the_corpus_of_python_passes_its_checks() {
    each("python", python::check);
}

#[test]
fn the_corpus_of_screens_passes_its_checks() {
    each("screen", screen::check);
}

#[test]
fn the_corpus_of_settings_passes_its_checks() {
    each("settings", settings::check);
}
