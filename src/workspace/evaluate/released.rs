//! Writes verdicts in the format of CoderEval's released `_out` files. Such a file has one record for each task. The
//! record lists the samples of the task, each with the field `is_pass`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::candidates::Candidate;
use crate::benchmark::{FormatFeature, Language, RequirementStyle, Task, Verdict};
use crate::error::{Error, Result};
use crate::evaluation::CompletionVerdict;
use crate::files::replace;
use crate::workspace::{TaskRef, Workspace};

/// A file in CoderEval's released format. [`Self::finish`] writes it when the run ends.
pub(super) struct ReleasedFile {
    path: PathBuf,
    /// Key: task. Value: the samples of the task by their indices.
    samples: BTreeMap<TaskRef, BTreeMap<usize, Sample>>,
    /// The number of samples without a verdict, which are not written.
    left_out: usize,
}

/// A sample, with the fields of the released files for Python or Java.
#[derive(Serialize)]
#[serde(untagged)]
enum Sample {
    Python {
        generate_code: String,
        is_pass: bool,
        /// In the released files, this is the exit code of the tests. Evoscope writes 0 if the sample passes, and 1
        /// otherwise.
        return_code: u8,
    },
    Java {
        generate_code: String,
        errormessage: &'static str,
        error_detail_message: String,
        is_pass: bool,
    },
}

/// A record, with the fields of the released files for Python or Java.
#[derive(Serialize)]
#[serde(untagged)]
enum Record<'a> {
    Python {
        file_path: &'a str,
        project: &'a str,
        name: &'a str,
        docstring: &'a str,
        _id: &'a str,
        code: Vec<&'a str>,
        level: &'a str,
        generate_results: Vec<&'a Sample>,
    },
    Java {
        generate_results: Vec<&'a Sample>,
        docstring: &'a str,
        method_name: &'a str,
        codes: Vec<&'a str>,
        code_level: &'a str,
        _id: &'a str,
        project_name: &'a str,
    },
}

impl Sample {
    fn new(language: Language, text: &str, judgement: &CompletionVerdict) -> Self {
        let generate_code = text.to_owned();
        let is_pass = judgement.verdict == Verdict::Pass;
        match language {
            Language::Python => Self::Python {
                generate_code,
                is_pass,
                return_code: u8::from(!is_pass),
            },
            Language::Java => Self::Java {
                generate_code,
                errormessage: match judgement.verdict {
                    Verdict::Pass => "",
                    Verdict::Syntax => "compile error",
                    _ => "exec error!",
                },
                error_detail_message: if is_pass {
                    String::new()
                } else {
                    judgement.reason.clone()
                },
                is_pass,
            },
        }
    }

    fn code(&self) -> &str {
        match self {
            Self::Python { generate_code, .. } | Self::Java { generate_code, .. } => generate_code,
        }
    }
}

impl ReleasedFile {
    /// Prepares a file for the verdicts on `candidates`. Errors when the task of a candidate is not from CoderEval, or
    /// when the candidates belong to several completion sets.
    pub(super) fn new(
        path: PathBuf,
        workspace: &Workspace,
        candidates: &[Candidate],
    ) -> Result<Self> {
        let released = |own: &Candidate| {
            let format = workspace.benchmark(own.task).format();
            format.has(FormatFeature::ReleasedSamples)
        };
        if !candidates.iter().all(released) {
            return Err(Error::user(
                "--released is only for tasks of CoderEval, but other tasks are evaluated",
            )
            .hint("leave out --released, and use --results for the verdicts of other tasks"));
        }
        let one = |pair: &[Candidate]| pair[0].set == pair[1].set;
        if !candidates.windows(2).all(one) {
            return Err(Error::user(
                "a file of --released contains the samples of one model in one setting",
            )
            .hint("evaluate one file of completions at a time"));
        }
        Ok(Self {
            path,
            samples: BTreeMap::new(),
            left_out: 0,
        })
    }

    pub(super) fn add(
        &mut self,
        candidate: &Candidate,
        language: Language,
        judgement: &CompletionVerdict,
    ) {
        if matches!(
            judgement.verdict,
            Verdict::Infrastructure | Verdict::Unusable
        ) {
            self.left_out += 1;
            return;
        }
        let sample = Sample::new(language, &candidate.text, judgement);
        let samples = self.samples.entry(candidate.task).or_default();
        samples.insert(candidate.sample, sample);
    }

    /// Writes the file. If samples are left out of the file, returns a message with their number.
    pub(super) fn finish(self, workspace: &Workspace) -> Result<Option<String>> {
        let mut text = String::new();
        for (task, samples) in &self.samples {
            let texts = workspace.detail(*task)?.requirement.texts;
            let original = texts
                .iter()
                .find(|own| own.style == RequirementStyle::Original);
            let docstring = original.map_or("", |own| own.text.as_str());
            let record = record(workspace.task(*task), docstring, samples.values().collect());
            let line = serde_json::to_string(&record)
                .map_err(|why| Error::internal(format!("cannot write JSON: {why}")))?;
            text.push_str(&line);
            text.push('\n');
        }
        replace(&self.path, text)?;
        let path = self.path.display();
        let left_out = self.left_out;
        Ok((left_out > 0)
            .then(|| format!("{path}: {left_out} samples without a verdict are not in the file")))
    }
}

fn record<'a>(task: &'a Task, docstring: &'a str, generate_results: Vec<&'a Sample>) -> Record<'a> {
    let codes = generate_results.iter().map(|sample| sample.code());
    let codes: Vec<&str> = codes.collect();
    let level = task.level.map_or("", crate::benchmark::Level::word);
    let (project, name, id) = (&*task.project, task.namespace.name(), task.id.as_str());
    match task.language {
        Language::Python => Record::Python {
            file_path: task.path.as_str(),
            project,
            name,
            docstring,
            _id: id,
            code: codes,
            level,
            generate_results,
        },
        Language::Java => Record::Java {
            generate_results,
            docstring,
            method_name: name,
            codes,
            code_level: level,
            _id: id,
            project_name: project,
        },
    }
}
