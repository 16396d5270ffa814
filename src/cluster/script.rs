//! The batch script that starts the workers of a run.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// The options of a run's jobs.
#[derive(Debug, Clone, Default, Serialize)]
pub struct JobOptions {
    /// The folder that all nodes share.
    pub shared: PathBuf,
    /// The maximum number of workers. Each worker is one job on one node.
    pub nodes: usize,
    /// `--partition`.
    pub partition: Option<String>,
    /// `--account`.
    pub account: Option<String>,
    /// `--time`.
    pub time: Option<String>,
    /// Further options for `sbatch`, passed unchanged.
    pub more: Vec<String>,
}

/// A worker gets the signal to stop this many seconds before the time limit of its job.
const NOTICE: u32 = 60;

/// The script of the run `name` in the folder `root`: an array of `workers` jobs. Each job runs `jobs` completions in
/// parallel.
pub fn batch_script(
    name: &str,
    root: &Path,
    options: &JobOptions,
    workers: usize,
    jobs: usize,
) -> String {
    let mut lines = vec![
        format!("--job-name={name}"),
        format!("--array=0-{}", workers.max(1) - 1),
        "--nodes=1".to_owned(),
        "--ntasks=1".to_owned(),
        format!("--cpus-per-task={jobs}"),
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
        format!("--signal=B:USR1@{NOTICE}"),
        format!("--chdir={}", quoted(root)),
        format!("--output={}", quoted(&root.join("logs/%A_%a.log"))),
    ];
    let named = [
        ("partition", &options.partition),
        ("account", &options.account),
        ("time", &options.time),
    ];
    lines.extend(
        named
            .into_iter()
            .filter_map(|(name, value)| Some(format!("--{name}={}", value.as_ref()?))),
    );
    lines.extend(options.more.iter().cloned());
    let options = format!("#SBATCH {}\n", lines.join("\n#SBATCH "));
    let body = BODY.replace("@ROOT@", &shell_quoted(&root.to_string_lossy()));
    let body = body
        .replace("@NAME@", name)
        .replace("@JOBS@", &jobs.to_string());
    format!("#!/bin/bash\n{options}{body}")
}

/// The commands of each job. All jobs of the run on one node share the folder `home` on the node's disk. The folder
/// contains environments and caches. Each job holds a shared lock on `home/lock` until the job ends. The last job kills
/// processes that killed workers have left, because such processes may write to `home`. Then the last job removes
/// `home`.
///
/// A Slurm controller that has lost its latest state may start a running job once more. So the name of a worker also
/// contains the node and a process id.
const BODY: &str = r#"
root=@ROOT@
home=${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/@NAME@-$(id -u)
while :; do
    mkdir -p -m 700 "$home" || exit 1
    exec 9>>"$home/lock" || exit 1
    flock -s 9
    [ "$(stat -Lc %i /dev/fd/9)" = "$(stat -c %i "$home/lock" 2>/dev/null)" ] && break
done
export EVOSCOPE_HOME=$home TMPDIR=$home/tmp
mkdir -p "$TMPDIR"
node=${SLURMD_NODENAME:-$(hostname -s)}
name=${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}.${SLURM_RESTART_COUNT:-0}.$node.$$
echo "worker $name"
"$root/evoscope" worker --run "$root" --name "$name" --jobs @JOBS@ 9>&- &
worker=$!
trap 'kill -TERM "$worker" 2>/dev/null' USR1 TERM
wait "$worker"
code=$?
while kill -0 "$worker" 2>/dev/null; do
    wait "$worker"
    code=$?
done
if flock -n -x 9; then
    for process in /proc/[0-9]*; do
        grep -qszFx "EVOSCOPE_HOME=$home" "$process/environ" && kill -KILL "${process#/proc/}"
    done
    rm -rf --one-file-system "$home" || rm -rf --one-file-system "$home"
fi
exit "$code"
"#;

/// The path as the value of an option in a `#SBATCH` line, in quotation marks if necessary.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    if text.contains([' ', '\t', '"', '\'', '#']) {
        format!("\"{}\"", text.replace('"', "\\\""))
    } else {
        text.into_owned()
    }
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_has_the_requested_options() {
        let options = JobOptions {
            partition: Some("short".to_owned()),
            time: Some("01:00:00".to_owned()),
            more: vec!["--mem=8G".to_owned()],
            ..JobOptions::default()
        };
        let script = batch_script(
            "evoscope-12ab",
            Path::new("/shared/it's/evoscope-12ab"),
            &options,
            4,
            2,
        );
        for line in [
            "#SBATCH --job-name=evoscope-12ab\n",
            "#SBATCH --array=0-3\n",
            "#SBATCH --cpus-per-task=2\n",
            "#SBATCH --partition=short\n#SBATCH --time=01:00:00\n#SBATCH --mem=8G\n",
            "#SBATCH --signal=B:USR1@60\n",
            "root='/shared/it'\\''s/evoscope-12ab'\n",
            "--jobs 2 9>&- &\n",
        ] {
            assert!(script.contains(line), "{line}\n{script}");
        }
        assert!(!script.contains("--account"));
        let first = script.lines().take_while(|line| !line.is_empty());
        let options = first.filter(|line| line.starts_with("#SBATCH")).count();
        assert_eq!(options, 13, "Slurm reads options up to the first command");
    }
}
