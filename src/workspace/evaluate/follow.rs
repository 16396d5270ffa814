//! Follows an evaluation that workers run on a cluster. The command plans the work, submits jobs while verdicts are
//! missing, and records each verdict that the workers publish.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::request::{
    ClusterProgress, ClusterRequest, EvaluationEvent, EvaluationSummary, FailedWorker, PieceCounts,
    Report,
};
use super::{Prepared, Run, settings};
use crate::benchmark::{OfficialResult, Verdict};
use crate::cluster::{
    Attempt, Item, JobsState, PlannedPiece, RunFolder, RunSettings, Scheduler, Slurm, WorkerName,
    batch_script, pieces,
};
use crate::error::{Error, Result};
use crate::evaluation::{
    CompletionVerdict, ContentKey, LatestVerdict, SandboxKind, Subject, Submission, TestDiscovery,
};
use crate::workspace::TaskRef;

/// After this number of failed attempts by workers, a completion is reported as an infrastructure failure.
const TRIES: usize = 3;

/// How many verdicts are recorded in one transaction.
const RECORDED_TOGETHER: usize = 2000;

/// How many threads read published verdicts.
const READERS: usize = 4;

/// How many times in a row jobs are submitted without a new verdict before the command gives up.
const SUBMISSIONS: usize = 3;

/// The state of a followed run.
struct Followed<'a> {
    folder: RunFolder,
    name: String,
    script: String,
    /// Key: the key of a missing verdict, in hex; value: the numbers of the completions that wait for this verdict.
    /// Completions of one task share a key if their texts are equal.
    missing: HashMap<String, Vec<usize>>,
    keys: HashMap<String, ContentKey>,
    submissions: HashMap<usize, &'a Submission>,
    progress: ClusterProgress,
    began: Instant,
    /// The number of completions that got a verdict, or were given up, since `began`.
    found: usize,
    /// How many times jobs were submitted since the last new verdict.
    without_verdict: usize,
    /// The id of the job that this command submitted last.
    job: Option<String>,
    plan: Vec<PlannedPiece>,
}

impl Run<'_> {
    /// The batch script of the run. Does not submit a job.
    pub(super) fn planned_script(
        &self,
        cluster: &ClusterRequest,
        prepared: &[Prepared],
    ) -> Result<String> {
        let subjects = by_task(prepared);
        let submissions = self.submissions(&subjects);
        let keys = self.keys(&submissions)?;
        Ok(self.script(cluster, &keys).1)
    }

    /// Runs the evaluation on a cluster, and follows it until each completion has a verdict or was given up. Errors
    /// when the scheduler does not work, when jobs end several times without a new verdict, or when cancelled.
    pub(super) fn follow(
        mut self,
        cluster: &ClusterRequest,
        prepared: &[Prepared],
        report: Report<'_>,
    ) -> Result<EvaluationSummary> {
        let subjects = by_task(prepared);
        let submissions = self.submissions(&subjects);
        let keys = self.keys(&submissions)?;
        let (folder, script) = self.script(cluster, &keys);
        let mut known = HashMap::new();
        self.store
            .0
            .verdicts(&keys, |index, verdict| drop(known.insert(index, verdict)))?;
        let mut missing = HashMap::<String, Vec<usize>>::new();
        for (index, (submission, key)) in submissions.iter().zip(&keys).enumerate() {
            if !known.contains_key(&index) {
                let numbers = missing.entry(key.hex()).or_default();
                numbers.push(submission.number);
            }
        }
        report(EvaluationEvent::Queued {
            total: submissions.len(),
            known: known.len(),
        })?;
        let mut plan = Vec::new();
        if !missing.is_empty() {
            self.prepare(cluster, &folder, &submissions, &keys)?;
            (_, plan) = folder.plan()?;
        }
        let mut run = Followed {
            name: run_name(&folder),
            script,
            missing,
            keys: keys.iter().map(|key| (key.hex(), *key)).collect(),
            submissions: submissions.iter().map(|own| (own.number, own)).collect(),
            progress: ClusterProgress {
                run: folder.root().to_owned(),
                total: submissions.len(),
                finished: known.len(),
                ..ClusterProgress::default()
            },
            folder,
            began: Instant::now(),
            found: 0,
            without_verdict: 0,
            job: None,
            plan,
        };
        for (index, submission) in submissions.iter().enumerate() {
            if let Some(verdict) = known.get(&index) {
                self.add_row(submission.number, verdict, &subjects)?;
            }
        }
        self.write_results()?;
        for (index, submission) in submissions.iter().enumerate() {
            if let Some(verdict) = known.remove(&index) {
                self.report_verdict((submission.number, true), &verdict, &subjects, report)?;
            }
        }
        // If no job is active, the recorded failures come from an earlier command. They are forgotten, so that the
        // attempts are repeated, as in an evaluation on this machine.
        if !run.missing.is_empty() && !Slurm.state(&run.name)?.is_active() {
            run.folder.forget_failures()?;
        }
        self.fold(&mut run, &subjects, report)?;
        while !run.missing.is_empty() {
            run.start_missing(report)?;
            wait(cluster.every, &self.control.cancel, &run)?;
            self.fold(&mut run, &subjects, report)?;
        }
        // Only waiting jobs are cancelled. Running workers end by themselves and clean up their nodes.
        if run.job.is_some() || run.progress.queued > 0 {
            let _ = Slurm.cancel_waiting(&run.name);
        }
        for name in run.folder.contradictions() {
            report(EvaluationEvent::Notice(format!(
                "two workers found different verdicts; the first one counts: {}",
                run.folder
                    .root()
                    .join("contradictions")
                    .join(name)
                    .display()
            )))?;
        }
        self.finish(report)?;
        Ok(self.summary)
    }

    /// The keys of the verdicts, in the order of `submissions`. A key is a hash over everything that a verdict depends
    /// on, except the environment: only the node that runs the completion knows the environment.
    fn keys(&self, submissions: &[Submission]) -> Result<Vec<ContentKey>> {
        let mut hashes: HashMap<&str, [u8; 32]> = HashMap::new();
        let mut tasks: HashMap<&str, ContentKey> = HashMap::new();
        let settings = settings(&self.options, 1);
        let settings = format!(
            "{:?} {}",
            (settings.rounds, settings.seconds, settings.memory),
            self.options.whole_tests
        );
        for submission in submissions {
            let subject = &*submission.subject;
            let mut own = Vec::new();
            let before = match &subject.discovery {
                Some(TestDiscovery::Patch(before)) => Some(before),
                _ => None,
            };
            for project in [Some(&subject.project), before].into_iter().flatten() {
                if !hashes.contains_key(project.name.as_str()) {
                    hashes.insert(&project.name, project.content_hash(&self.control.cancel)?);
                }
                own.push(hashes[project.name.as_str()]);
            }
            let before: &[u8] = own.get(1).map_or(b"", |hash| hash);
            tasks.entry(subject.id.as_str()).or_insert_with(|| {
                ContentKey::over(&[
                    env!("CARGO_PKG_VERSION").as_bytes(),
                    subject.id.as_str().as_bytes(),
                    &subject.key(&own[0]),
                    before,
                    settings.as_bytes(),
                ])
            });
        }
        let key = |own: &Submission| {
            let task = &tasks[own.subject.id.as_str()];
            ContentKey::over(&[task.bytes(), own.completion.as_bytes()])
        };
        Ok(submissions.iter().map(key).collect())
    }

    /// (folder of the run on the shared file system, batch script). The name of the folder depends only on `keys`, so
    /// that the same command continues the same run.
    fn script(&self, cluster: &ClusterRequest, keys: &[ContentKey]) -> (RunFolder, String) {
        let mut sorted: Vec<&[u8]> = keys.iter().map(ContentKey::bytes).collect();
        sorted.sort_unstable();
        let id = &ContentKey::over(&sorted).hex()[..12];
        let folder = RunFolder::new(&cluster.jobs.shared, id);
        let workers = cluster.jobs.nodes.clamp(1, keys.len().max(1));
        let jobs = self.options.jobs.max(1);
        let script = batch_script(
            &run_name(&folder),
            folder.root(),
            &cluster.jobs,
            workers,
            jobs,
        );
        (folder, script)
    }

    fn prepare<'a>(
        &self,
        cluster: &ClusterRequest,
        folder: &RunFolder,
        submissions: &'a [Submission],
        keys: &[ContentKey],
    ) -> Result<()> {
        let item = |(own, key): (&'a Submission, &ContentKey)| {
            let item = Item {
                key: key.hex(),
                task: Cow::Borrowed(own.subject.id.as_str()),
                completion: Cow::Borrowed(&own.completion),
            };
            (own.subject.project.name.clone(), item)
        };
        // Completions with the same key are planned once.
        let mut seen = HashSet::new();
        let all = submissions.iter().zip(keys);
        let different = all.filter(|(_, key)| seen.insert(**key));
        let pieces = pieces(different.map(item), cluster.jobs.nodes);
        let settings = RunSettings {
            paths: cluster.paths.clone(),
            rounds: self.options.rounds,
            seconds: self.options.seconds,
            memory: self.options.memory,
            whole_tests: self.options.whole_tests,
        };
        let program = std::env::current_exe()
            .map_err(|why| Error::internal(format!("cannot find the program: {why}")))?;
        folder.prepare(&settings, &pieces, &program)
    }

    /// Records and reports the verdicts and failures that were published since the last call.
    fn fold(
        &mut self,
        run: &mut Followed<'_>,
        subjects: &HashMap<TaskRef, &Arc<Subject>>,
        report: Report<'_>,
    ) -> Result<()> {
        let published = run.folder.finished();
        let mut new: Vec<String> = run
            .missing
            .keys()
            .filter(|key| published.contains(*key))
            .cloned()
            .collect();
        // Sort the keys, so that neighbours in the store's index are written together.
        new.sort_unstable();
        for keys in new.chunks(RECORDED_TOGETHER) {
            let judgements = published_verdicts(&run.folder, keys)?;
            self.control.cancel.check()?;
            self.record(run, &judgements)?;
            for (key, judgement) in &judgements {
                self.add_rows(run, key, judgement, subjects)?;
            }
            self.write_results()?;
            for (key, judgement) in judgements {
                run.without_verdict = 0;
                self.take_all(run, key, &judgement, subjects, report)?;
            }
        }
        for key in run.folder.failed() {
            if !run.missing.contains_key(&key) {
                continue;
            }
            let mut tries = run.folder.failures(&key);
            run.report_failures(&tries, report)?;
            if tries.len() < TRIES {
                continue;
            }
            let Some(last) = tries.pop() else { continue };
            if let Ok(judgement) = serde_json::from_slice(&last.contents) {
                self.add_rows(run, &key, &judgement, subjects)?;
                self.write_results()?;
                self.take_all(run, &key, &judgement, subjects, report)?;
            }
        }
        run.count_pieces(&published);
        run.report(report)
    }

    fn record<'a>(
        &self,
        run: &'a Followed<'_>,
        judgements: &'a [(&String, CompletionVerdict)],
    ) -> Result<()> {
        let verdict = |(key, judgement): &'a (&String, CompletionVerdict)| {
            let submission = run.submissions.get(run.missing[*key].first()?)?;
            Some(LatestVerdict {
                key: *run.keys.get(*key)?,
                completion: submission.key(),
                task: &submission.subject.id,
                judgement,
            })
        };
        let verdicts: Vec<_> = judgements.iter().filter_map(verdict).collect();
        self.store.0.record_all(&run.name, &verdicts)
    }

    fn add_rows(
        &mut self,
        run: &Followed<'_>,
        key: &str,
        judgement: &CompletionVerdict,
        subjects: &HashMap<TaskRef, &Arc<Subject>>,
    ) -> Result<()> {
        let numbers = run.missing.get(key).into_iter().flatten();
        numbers
            .copied()
            .try_for_each(|number| self.add_row(number, judgement, subjects))
    }

    /// Reports the verdict with this key for every completion that has the key. The rows of these completions must
    /// already be in the result file.
    fn take_all(
        &mut self,
        run: &mut Followed<'_>,
        key: &str,
        judgement: &CompletionVerdict,
        subjects: &HashMap<TaskRef, &Arc<Subject>>,
        report: Report<'_>,
    ) -> Result<()> {
        for number in run.missing.remove(key).unwrap_or_default() {
            run.found += 1;
            run.progress.finished += 1;
            self.report_verdict((number, false), judgement, subjects, report)?;
        }
        Ok(())
    }
}

/// The published verdicts of these keys. Several threads read the files, because of the latency of network file
/// systems. A verdict that cannot be parsed is skipped: its file is damaged, or not complete on this machine yet.
fn published_verdicts<'a>(
    folder: &RunFolder,
    keys: &'a [String],
) -> Result<Vec<(&'a String, CompletionVerdict)>> {
    let read = |keys: &'a [String]| -> Result<Vec<_>> {
        let mut verdicts = Vec::new();
        for key in keys {
            if let Ok(verdict) = serde_json::from_slice(&folder.verdict(key)?) {
                verdicts.push((key, verdict));
            }
        }
        Ok(verdicts)
    };
    thread::scope(|scope| {
        let parts = keys.chunks(keys.len().div_ceil(READERS).max(1));
        let readers: Vec<_> = parts.map(|part| scope.spawn(move || read(part))).collect();
        let mut verdicts = Vec::new();
        for reader in readers {
            let panicked = |_| Error::internal("the reading of verdicts panicked");
            verdicts.extend(reader.join().map_err(panicked)??);
        }
        Ok(verdicts)
    })
}

impl Followed<'_> {
    /// Submits jobs if the scheduler has no active job of this run. Errors if jobs were submitted [`SUBMISSIONS`] times
    /// without a new verdict.
    fn start_missing(&mut self, report: Report<'_>) -> Result<()> {
        let state = match Slurm.state(&self.name) {
            Ok(state) => state,
            // The scheduler may not answer for a while. The workers on the nodes continue in the meantime.
            Err(why) if self.progress.rate > 0.0 || self.without_verdict > 0 => {
                return report(EvaluationEvent::Notice(format!(
                    "{why}; waiting for the scheduler"
                )));
            }
            Err(why) => return Err(why),
        };
        self.take_state(&state);
        if state.is_active() {
            return Ok(());
        }
        for end in self.job.iter().flat_map(|job| Slurm.failed_ends(job)) {
            report(EvaluationEvent::Notice(end))?;
        }
        // Recorded failures were reported before. If there are none, the jobs ended before they ran a completion, so
        // show the end of the latest log.
        let silent = self.without_verdict > 0 && self.progress.failures.is_empty();
        if let Some(log) = self.folder.latest_log().filter(|_| silent) {
            report(EvaluationEvent::Notice(format!(
                "{}:\n{}",
                log.display(),
                RunFolder::last_lines(&log)
            )))?;
        }
        if self.without_verdict >= SUBMISSIONS {
            return Err(self.gives_up());
        }
        self.without_verdict += 1;
        let job = Slurm.submit(&self.script)?;
        report(EvaluationEvent::Notice(format!(
            "submitted job {job} for {} completions; the run is in {}",
            self.missing.len(),
            self.folder.root().display()
        )))?;
        self.job = Some(job);
        Ok(())
    }

    fn gives_up(&self) -> Error {
        let (jobs, missing) = (self.without_verdict, self.missing.len());
        let logs = self.folder.root().join("logs");
        Error::sandbox(format!(
            "{jobs} job arrays ended without a verdict; {missing} completions have none"
        ))
        .hint(format!(
            "see the logs in {}; the same command continues the run",
            logs.display()
        ))
    }

    /// Reports each worker that could not run a completion, with the end of its log. Each worker is reported only once.
    fn report_failures(&mut self, tries: &[Attempt], report: Report<'_>) -> Result<()> {
        for one in tries {
            let known = &self.progress.failures;
            if known.iter().any(|known| known.worker == one.worker) {
                continue;
            }
            let judgement = serde_json::from_slice::<CompletionVerdict>(&one.contents);
            let failed = FailedWorker {
                worker: one.worker.clone(),
                node: WorkerName::parse(&one.worker).map(|name| name.node.to_owned()),
                reason: judgement.map_or_else(|_| String::new(), |own| own.reason),
                log: self.folder.log_of(&one.worker),
            };
            report(EvaluationEvent::Notice(format!(
                "a completion could not be run on {}: {}; the end of {}:\n{}",
                failed.node.as_deref().unwrap_or("a node"),
                failed.reason,
                failed.log.display(),
                RunFolder::last_lines(&failed.log)
            )))?;
            self.progress.failures.push(failed);
        }
        Ok(())
    }

    /// Counts the pieces by state. `published` contains the keys of the published verdicts.
    fn count_pieces(&mut self, published: &HashSet<String>) {
        let taken = self.folder.taken();
        let mut counts = PieceCounts::default();
        for (number, piece) in self.plan.iter().enumerate() {
            *(if piece.keys.iter().all(|key| published.contains(key)) {
                &mut counts.finished
            } else if taken.contains(&number) {
                &mut counts.running
            } else {
                &mut counts.queued
            }) += 1;
        }
        self.progress.pieces = counts;
    }

    fn take_state(&mut self, state: &JobsState) {
        self.progress.nodes.clone_from(&state.nodes);
        self.progress.reason.clone_from(&state.reason);
        (self.progress.queued, self.progress.running) = (state.queued, state.running);
    }

    fn report(&mut self, report: Report<'_>) -> Result<()> {
        let minutes = self.began.elapsed().as_secs_f64() / 60.0;
        #[expect(clippy::cast_precision_loss, reason = "a count of completions")]
        let (found, left) = (
            self.found as f64,
            (self.progress.total - self.progress.finished) as f64,
        );
        self.progress.rate = found / minutes.max(1e-9);
        self.progress.seconds_left = (found > 0.0).then(|| 60.0 * left / self.progress.rate);
        report(EvaluationEvent::Cluster(&self.progress))
    }
}

fn by_task(prepared: &[Prepared]) -> HashMap<TaskRef, &Arc<Subject>> {
    prepared
        .iter()
        .map(|own| (own.task, &own.subject))
        .collect()
}

fn run_name(folder: &RunFolder) -> String {
    let name = folder.root().file_name();
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// Waits for the time `every`. Errors if the command is cancelled. The jobs continue after this error.
fn wait(every: Duration, cancel: &crate::error::Cancel, run: &Followed<'_>) -> Result<()> {
    let until = Instant::now() + every;
    while Instant::now() < until {
        cancel.check().map_err(|why| {
            why.hint(format!(
                "the jobs go on; the same command follows them again, scancel --name {} ends them",
                run.name
            ))
        })?;
        thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// The verdict that records a failed attempt: an infrastructure failure with the reason `why`.
pub(in crate::workspace) fn failed_try(why: &Error) -> CompletionVerdict {
    let (kind, official) = (SandboxKind::Local, OfficialResult::Fail);
    CompletionVerdict::new(Verdict::Infrastructure, why.to_string(), kind, official)
}
