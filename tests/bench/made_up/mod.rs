//! Writes an artificial benchmark of any size in DevEval's layout, for measurements.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes `tasks` tasks of about 1 kB each, from 100 projects, into `data.jsonl` in `folder`.
pub fn write_tasks(folder: &Path, tasks: usize) {
    let words =
        "Returns the mapping of every key that the caller has not seen before to its value. "
            .repeat(6);
    let mut out = BufWriter::new(File::create(folder.join("data.jsonl")).unwrap());
    for at in 0..tasks {
        let (project, module) = (at % 100, at / 100 % 40);
        let line = 10 + at % 500;
        writeln!(
            out,
            "{{\"namespace\": \"project{project}.module{module}.Class{}.method_{at}\", \"type\": \"method\", \
             \"project_path\": \"Topic/project{project}\", \
             \"completion_path\": \"Topic/project{project}/project{project}/module{module}.py\", \
             \"signature_position\": [{line}, {line}], \"body_position\": [{}, {}], \
             \"dependency\": {{\"intra_class\": [\"a.b.c\"], \"intra_file\": [], \"cross_file\": [\"a.d\", \"a.e\"]}}, \
             \"requirement\": {{\"Functionality\": \"{words}\", \"Arguments\": \":param key: str. The key.\\n:return: dict.\"}}, \
             \"tests\": [\"tests/test_module{module}.py::test_method_{at}\"], \"indent\": 8}}",
            at % 7,
            line + 4,
            line + 20,
        )
        .unwrap();
    }
    out.flush().unwrap();
}

/// Writes `completions` completions of about 1 kB each, at most `a_file` into each file. The completions of each file
/// are for the first tasks of [`write_tasks`].
pub fn write_completions(folder: &Path, completions: usize, a_file: usize) {
    let body =
        "        for key in self._keys:\\n            yield key, self._values[key]\\n".repeat(14);
    let mut left = completions;
    for set in 0.. {
        let count = left.min(a_file);
        if count == 0 {
            return;
        }
        left -= count;
        let place = folder.join(format!(
            "Experiments/model_prediction/local_infilling/model{set:03}"
        ));
        fs::create_dir_all(&place).unwrap();
        let mut out = BufWriter::new(File::create(place.join("completion.jsonl")).unwrap());
        for at in 0..count {
            let (project, module) = (at % 100, at / 100 % 40);
            writeln!(
                out,
                "{{\"namespace\": \"project{project}.module{module}.Class{}.method_{at}\", \"completion\": \"{body}\"}}",
                at % 7
            )
            .unwrap();
        }
        out.flush().unwrap();
    }
}
