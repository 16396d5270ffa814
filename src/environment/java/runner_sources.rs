//! The Java sources of the runner.

use include_dir::{Dir, File, include_dir};

use super::RunnerSource;

static SOURCES: Dir = include_dir!("$CARGO_MANIFEST_DIR/src/evaluation/java/evoscope/runner");

/// (name without `.java`, text) of each Java source of the runner, sorted by name. Each environment contains the
/// classes that the environment's JDK compiles from these sources.
pub(super) fn runner_sources() -> Vec<RunnerSource> {
    let mut found: Vec<RunnerSource> = SOURCES.files().filter_map(named).collect();
    found.sort_unstable();
    found
}

fn named(file: &'static File) -> Option<RunnerSource> {
    let name = file.path().file_name()?.to_str()?.strip_suffix(".java")?;
    Some((name, file.contents_utf8()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_is_embedded() {
        let names: Vec<&str> = runner_sources().iter().map(|(name, _)| *name).collect();
        assert!(
            names.contains(&"TestRun") && names.contains(&"CompilerService"),
            "{names:?}"
        );
    }
}
