//! `evoscope man`: the manual page, in roff.

use std::fmt::Write;

use super::Output;
use crate::error::{Error, Kind, Result};
use crate::tui::key_table;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// The files that Evoscope reads and stores, apart from the paths given as arguments.
const FILES: &[(&str, &str)] = &[
    (
        "evoscope.toml",
        "next to a benchmark's data: another layout, the projects' repositories, the environments of their tests",
    ),
    (
        "~/.config/evoscope/config.toml",
        "theme, annotator, sandbox, image, jobs, mouse; initial values of the generation form (key C) under \
         [generate], named filters under [filters], keys of commands under [keys], cluster runs under [slurm]",
    ),
    (
        "~/.config/evoscope/themes/NAME.toml",
        "themes of your own; 'evoscope theme check' reports their faults",
    ),
    (
        "~/.config/evoscope/codebook.toml",
        "the failure causes of a review, instead of the built-in three",
    ),
    (
        "~/.local/state/evoscope/",
        "the last position in the explorer, the verdicts, and a review log for each benchmark",
    ),
    (
        "~/.cache/evoscope/",
        "indexes, environments and the unpacked sample; 'evoscope cache clear' deletes the indexes",
    ),
];

/// The environment variables that change what Evoscope does.
const ENVIRONMENT: &[(&str, &str)] = &[
    (
        "EVOSCOPE_HOME",
        "a folder with the subfolders config, state and cache, which Evoscope uses instead of the folders above",
    ),
    (
        "EVOSCOPE_ANNOTATOR",
        "the name of the annotator in a review, if --annotator and config.toml give none; default: the user's name",
    ),
    (
        "EVOSCOPE_NO_CACHE",
        "when not empty, Evoscope neither reads nor writes the indexes in the cache",
    ),
    (
        "EVOSCOPE_ASCII",
        "when not empty, only ASCII glyphs are drawn; with the value 0, Unicode glyphs are drawn",
    ),
    ("NO_COLOR", "when not empty, no colours are used"),
    (
        "COLORTERM",
        "'truecolor' or '24bit': the terminal can show 24-bit colours",
    ),
    ("VISUAL, EDITOR", "the editor for files and rewrites"),
    (
        "DOCKER_HOST",
        "the address of the container engine, instead of the local Docker or Podman",
    ),
];

pub(crate) fn run(_args: &Args, command: &clap::Command, out: &mut Output) -> Result<()> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .map_err(|why| Error::internal(format!("cannot write the manual page: {why}")))?;
    out.document(&page)?;
    let keys = key_table();
    let rows: Vec<_> = keys
        .iter()
        .map(|(keys, words)| (keys.as_str(), words.as_str()))
        .collect();
    out.document(section("KEYS", &rows))?;
    out.document(section("FILES", FILES))?;
    out.document(section("ENVIRONMENT", ENVIRONMENT))?;
    let codes = exit_codes();
    let rows: Vec<_> = codes
        .iter()
        .map(|(code, words)| (code.as_str(), *words))
        .collect();
    out.document(section("EXIT STATUS", &rows))
}

fn exit_codes() -> Vec<(String, &'static str)> {
    let words = [
        (0, "success"),
        (
            Kind::User.exit_code(),
            "the request is wrong: an unknown option, task or filter",
        ),
        (
            Kind::Data.exit_code(),
            "an input is wrong: a faulty line under --strict, a missing file, a broken repository",
        ),
        (
            Kind::Sandbox.exit_code(),
            "no sandbox, or it failed: no container engine, no image, a full disk",
        ),
        (Kind::Internal.exit_code(), "a defect of Evoscope"),
    ];
    words
        .into_iter()
        .map(|(code, words)| (code.to_string(), words))
        .collect()
}

/// A section in roff with one paragraph for each row. A row is a term and its explanation.
fn section(title: &str, rows: &[(&str, &str)]) -> String {
    let escaped = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let mut page = format!(".SH \"{title}\"\n");
    for (term, words) in rows {
        // roff reads a line that begins with a quote as a request. The first quote is escaped, because the explanation
        // may begin with it. No explanation begins with a dot, which roff would also read as a request.
        let words = escaped(words).replacen(['\''], "\\(aq", 1);
        // Writing to a String cannot fail.
        let _ = write!(page, ".TP\n\\fB{}\\fR\n{words}\n", escaped(term));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_a_paragraph_for_each_row() {
        let page = section("FILES", &[("a-b", "'c' is d")]);
        assert_eq!(page, ".SH \"FILES\"\n.TP\n\\fBa\\-b\\fR\n\\(aqc' is d\n");
    }

    #[test]
    fn each_kind_of_error_has_its_exit_status() {
        let codes: Vec<_> = exit_codes().into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, ["0", "2", "3", "4", "70"]);
    }
}
