//! The shell script that makes an environment from libraries and the runner's sources.

use super::{Library, RunnerSource};

/// Changes when the script makes something else.
pub(super) const VERSION: &str = "java 2";

/// The engines that can run tests, by the sources that need their libraries.
const ENGINES: [(&str, &[&str]); 2] = [
    ("JUnit 4", &["JUnit4Tests", "SampleJUnit4", "SampleJUnit3"]),
    ("JUnit 5", &["JupiterTests", "SampleJupiter"]),
];

/// The script: in the environment's folder, with the JDK's programs in `bin`. `lib` has the libraries and `src` the
/// sources; it makes `runner.jar` and `classes.jsa`.
///
/// The flags that an archive of classes depends on are those of the runs (`java_session.py`).
pub(super) fn script(
    folder: &str,
    bin: &str,
    libraries: &[Library],
    sources: &[RunnerSource],
) -> String {
    let class_path: Vec<String> = libraries
        .iter()
        .map(|library| format!("{folder}/{}", library.name))
        .collect();
    let class_path = quoted(&class_path.join(":"));
    // Concatenation of strings without method handles, which are slow in a JVM that has just started.
    let javac = format!(
        "{bin}javac -nowarn -proc:none -XDstringConcat=inline -d classes -cp classes:{class_path}"
    );
    let of_engine = |name: &str| ENGINES.iter().any(|(_, names)| names.contains(&name));
    let file = |name: &str| format!("src/{name}.java");
    let core: Vec<String> = sources
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !of_engine(name))
        .map(file)
        .collect();
    let mut lines = vec![
        "set -e".to_owned(),
        format!("cd {}", quoted(folder)),
        "mkdir -p classes; samples=".to_owned(),
        format!("{javac} {}", core.join(" ")),
    ];
    for (engine, names) in ENGINES {
        let files: Vec<String> = names.iter().map(|name| file(name)).collect();
        let samples = names.iter().filter(|name| name.starts_with("Sample"));
        let samples: Vec<String> = samples
            .map(|name| format!("evoscope.runner.{name}"))
            .collect();
        lines.push(format!(
            "if {javac} {} >missing 2>&1; then samples=\"$samples {}\"; else echo 'without {engine}: its libraries are not on the class path'; fi",
            files.join(" "),
            samples.join(" ")
        ));
    }
    lines.push(
        "if [ -z \"$samples\" ]; then echo 'ERROR: the class path has no JUnit (junit4.jar and hamcrest.jar, or JUnit 5 with its launcher)'; exit 1; fi"
            .to_owned(),
    );
    lines.push(format!("{bin}jar cf runner.jar -C classes ."));
    let flags = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Xlog:disable -Xlog:all=error:stderr";
    lines.push(format!(
        "{bin}java {flags} -XX:ArchiveClassesAtExit=classes.jsa -cp {class_path}:{}/runner.jar evoscope.runner.TestRun $samples",
        quoted(folder)
    ));
    lines.push("rm -rf classes src missing".to_owned());
    lines.join("\n")
}

/// A word as the shell reads it whole.
pub(super) fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
