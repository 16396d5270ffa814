//! The Python package of the runner, the program that runs tests in a sandbox. The package is embedded in the binary.

use std::sync::OnceLock;

use include_dir::{Dir, include_dir};

use super::super::sandbox::Program;

static PACKAGE: Dir = include_dir!("$CARGO_MANIFEST_DIR/src/evaluation/python/evoscope_runner");

/// The first Python program of a session. It reads the package from standard input, as JSON (see [`archive`]).
const START: &str = include_str!("../python/start.py");

/// The environment variables of every process in a session.
pub(super) const ENVIRONMENT: [(&str, &str); 9] = [
    ("HOME", "/tmp/home"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
    ("TMPDIR", "/tmp"),
    ("USER", "evoscope"),
    ("LOGNAME", "evoscope"),
];

/// The program that starts the runner in the interpreter of a sandbox.
pub(in crate::evaluation) fn program() -> Program {
    Program {
        arguments: ["-B", "-s", "-c", START].map(str::to_owned).to_vec(),
        environment: ENVIRONMENT.to_vec(),
    }
}

/// The package as JSON: an object with the source of each module, by module name.
pub(super) fn archive() -> &'static str {
    static ARCHIVE: OnceLock<String> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let sources: serde_json::Map<_, _> = PACKAGE
            .files()
            .filter_map(|file| {
                let stem = file.path().file_name()?.to_str()?.strip_suffix(".py")?;
                let name = match stem {
                    "__init__" => "evoscope_runner".to_owned(),
                    module => format!("evoscope_runner.{module}"),
                };
                Some((name, file.contents_utf8()?.into()))
            })
            .collect();
        serde_json::Value::Object(sources).to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_contains_the_source_of_each_module_by_name() {
        let sources: serde_json::Value = serde_json::from_str(archive()).unwrap();
        for name in [
            "evoscope_runner",
            "evoscope_runner.supervisor",
            "evoscope_runner.reporter",
        ] {
            assert!(sources[name].is_string(), "{name}");
        }
    }
}
