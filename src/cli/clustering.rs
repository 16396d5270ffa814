//! `evaluate --on slurm`: where the shared folder is, and what is asked of the scheduler.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::workspace::{ClusterProgress, ClusterRequest, JobOptions, UserSettings};

/// How often the state of a run is looked at.
const EVERY: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Clustering {
    /// Run the completions on the nodes of a cluster, in the local sandbox of each node. Each worker uses as many
    /// processors as --jobs says. To continue an interrupted run, repeat the command.
    #[arg(long, value_enum, value_name = "ENGINE", requires = "completions")]
    on: Option<Engine>,
    /// A folder that this machine and all nodes share. Evoscope stores the run in it. The benchmark must also be in a
    /// shared folder.
    #[arg(long, value_name = "DIR", requires = "on")]
    shared: Option<PathBuf>,
    /// The number of workers. Default: 4.
    #[arg(long, value_name = "N", requires = "on", value_parser = clap::value_parser!(u32).range(1..=1000))]
    nodes: Option<u32>,
    /// The partition of the jobs.
    #[arg(long, requires = "on")]
    partition: Option<String>,
    /// The account of the jobs.
    #[arg(long, requires = "on")]
    account: Option<String>,
    /// The time limit of a job, in the format of sbatch. Further jobs run the completions that are not finished in
    /// time.
    #[arg(long, requires = "on")]
    time: Option<String>,
    /// Print the batch script, and do not submit it.
    #[arg(long, requires = "on")]
    dry_run: bool,
    /// With --on: more options for sbatch. Without --on: more paths.
    #[arg(last = true, value_name = "SBATCH OPTION")]
    more: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    Slurm,
}

impl Clustering {
    /// Whether the completions run on a cluster.
    pub(crate) fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// The arguments after `--` where they are not for sbatch: paths, as `--completions FILE -- PATH` separates them.
    pub(crate) fn further_paths(&self) -> impl Iterator<Item = PathBuf> {
        let paths = if self.is_on() { &[] } else { &self.more[..] };
        paths.iter().map(PathBuf::from)
    }

    /// Whether only the batch script is wanted.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    /// What is asked for, with what the settings file says for the rest.
    pub(crate) fn request(
        &self,
        paths: &[PathBuf],
        settings: &UserSettings,
    ) -> Result<Option<ClusterRequest>> {
        let Some(Engine::Slurm) = self.on else {
            return Ok(None);
        };
        let own = &settings.slurm;
        let shared = self.shared.as_ref().or(own.shared.as_ref());
        let shared = shared.ok_or_else(|| {
            Error::user("no folder that the nodes share is named")
                .hint("name one with --shared, or as shared under [slurm] in config.toml")
        })?;
        let nodes = self.nodes.or(own.nodes).unwrap_or(4);
        let more = self
            .more
            .iter()
            .map(|one| one.to_string_lossy().into_owned());
        Ok(Some(ClusterRequest {
            paths: paths.iter().map(absolute).collect::<Result<_>>()?,
            jobs: JobOptions {
                shared: absolute(shared)?,
                nodes: nodes as usize,
                partition: self.partition.clone().or_else(|| own.partition.clone()),
                account: self.account.clone().or_else(|| own.account.clone()),
                time: self.time.clone().or_else(|| own.time.clone()),
                more: own.options.iter().cloned().chain(more).collect(),
            },
            dry_run: self.dry_run,
            every: EVERY,
        }))
    }
}

fn absolute(path: &PathBuf) -> Result<PathBuf> {
    std::path::absolute(path).map_err(|why| Error::io("find", path, why))
}

/// How far a run is, in a line.
pub(crate) fn progress_line(progress: &ClusterProgress) -> String {
    let left = progress
        .seconds_left
        .map(|seconds| format!(", {:.0} min left", seconds / 60.0));
    format!(
        "{} of {} finished, {:.0} a minute{}; {} jobs run on {} nodes, {} wait",
        progress.finished,
        progress.total,
        progress.rate,
        left.unwrap_or_default(),
        progress.running,
        progress.nodes.len(),
        progress.queued,
    )
}
