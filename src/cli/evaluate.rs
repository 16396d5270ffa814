//! `evoscope evaluate [PATH…] --completions FILE… --results FILE`: completions to verdicts.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

use super::Output;
use super::open::{Input, open, print_faults};
use super::sandboxing::Sandboxing;
use crate::benchmark::{CompletionSet, Verdict, scan_completions, set_of};
use crate::error::{Error, Result};
use crate::evaluation::{
    Control, Environment, Event, Judgement, Ledger, Plan, ResultLine, ResultOf, Settings, Subject,
    Submission, evaluate,
};
use crate::workspace::{Engine, Places, Subjects, TaskRef, Workspace};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Completions to evaluate, as `{"namespace", "completion"}` a line.
    #[arg(long, required = true, value_name = "FILE", num_args = 1..)]
    completions: Vec<PathBuf>,
    /// Evaluate this task only; may be given several times.
    #[arg(long, value_name = "ID")]
    task: Vec<String>,
    #[command(flatten)]
    sandbox: Sandboxing,
    /// How many completions run side by side.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Where the results go, in the official format with our fields beside.
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Give the official evaluator's verdict beside ours.
    #[arg(long)]
    as_official: bool,
    /// A sandbox of its own for each completion.
    #[arg(long)]
    fresh: bool,
    /// Hear each pass in so many pairs of tests and counter-test, all of which must agree: a completion that guesses which
    /// is which passes one of them in about four.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pairs: u32,
    /// Seconds for a task's tests, instead of the benchmark's own limit.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
    /// Megabytes of memory, instead of the benchmark's own limit.
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
    /// Print a JSON object for each verdict.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    let run = format!("{:08x}", rand::random::<u32>());
    let engine = swept(&args.sandbox, &run);
    let workspace = open(&args.input)?;
    print_faults(&workspace);
    let control = Control::default();
    on_interrupt(&control);
    let mut gathered = gather(args, &workspace, &control)?;
    let engine = engine
        .join()
        .unwrap_or_else(|_| Err(Error::internal("the sandbox's start panicked")))?;
    let sandbox = engine.sandbox();
    let environments = environments(args, &engine, &workspace, &mut gathered, &control)?;
    let ledger = Ledger::open(&Places::of_user()?.state.join("ledger.sqlite"))?;
    for (number, entry) in gathered.entries.iter_mut().enumerate() {
        entry.submission.number = number;
    }
    let submissions = gathered
        .entries
        .iter()
        .map(|entry| entry.submission.clone())
        .collect();
    let plan = Plan {
        run,
        submissions,
        environments,
        settings: settings(args),
    };
    let (sender, events) = channel();
    let ended = std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            let sender = sender;
            evaluate(plan, &sandbox, &ledger, &sender, &control)
        });
        let told = tell(args, &gathered.entries, &events, out);
        if told.is_err() {
            control.cancel.raise();
        }
        let ended = work
            .join()
            .unwrap_or_else(|_| Err(Error::internal("the run panicked")));
        told.and_then(|verdicts| ended.map(|()| verdicts))
    });
    summary(args, &ended?, gathered.left_out, out)
}

/// What runs things, without what dead runs left in it; found while the benchmark is read.
fn swept(sandboxing: &Sandboxing, run: &str) -> JoinHandle<Result<Engine>> {
    let (sandboxing, run) = (sandboxing.clone(), run.to_owned());
    std::thread::spawn(move || {
        let engine = sandboxing.engine(&run)?;
        engine.sandbox().sweep()?;
        Ok(engine)
    })
}

/// A completion to evaluate, with where it comes from.
struct Entry {
    submission: Submission,
    task: TaskRef,
    set: Arc<CompletionSet>,
    sample: usize,
    project: Arc<str>,
}

/// What is to be evaluated, and how many completions cannot be.
#[derive(Default)]
struct Gathered {
    entries: Vec<Entry>,
    left_out: usize,
}

fn gather(args: &Args, workspace: &Workspace, control: &Control) -> Result<Gathered> {
    let only = args
        .task
        .iter()
        .map(|id| workspace.find(id))
        .collect::<Result<Vec<_>>>()?;
    let mut wanted = Vec::new();
    let mut gathered = Gathered::default();
    for file in &args.completions {
        let set = Arc::new(set_of(file));
        let mut samples: HashMap<TaskRef, usize> = HashMap::new();
        for (id, completion) in read(file, control)? {
            let task = match workspace.find(&id) {
                Ok(task) => task,
                Err(why) => {
                    eprintln!("evoscope: {}: {why}", file.display());
                    gathered.left_out += 1;
                    continue;
                }
            };
            if !only.is_empty() && !only.contains(&task) {
                continue;
            }
            let next = samples.entry(task).or_default();
            let sample = std::mem::replace(next, *next + 1);
            wanted.push((task, completion, Arc::clone(&set), sample));
        }
    }
    let ready = ready(workspace, wanted.iter().map(|(task, ..)| *task), control);
    control.cancel.check()?;
    for (task, completion, set, sample) in wanted {
        let Some(subject) = ready.get(&task) else {
            gathered.left_out += 1;
            continue;
        };
        let submission = Submission {
            subject: Arc::clone(subject),
            completion,
            number: 0,
        };
        gathered.entries.push(Entry {
            submission,
            task,
            set,
            sample,
            project: Arc::clone(&workspace.task(task).project),
        });
    }
    if gathered.entries.is_empty() {
        return Err(Error::user("there is no completion to evaluate").hint(
            "see that --completions holds completions of this benchmark's tasks, and that their sources are here",
        ));
    }
    Ok(gathered)
}

/// The tasks that can be evaluated, made ready; tells why the others cannot, in the tasks' order.
fn ready(
    workspace: &Workspace,
    wanted: impl Iterator<Item = TaskRef>,
    control: &Control,
) -> HashMap<TaskRef, Arc<Subject>> {
    let mut seen = HashSet::new();
    let tasks: Vec<TaskRef> = wanted.filter(|task| seen.insert(*task)).collect();
    let made = Subjects::new(workspace, &control.cancel).subjects(&tasks);
    let told = made
        .into_iter()
        .map(|subject| subject.inspect_err(|why| eprintln!("evoscope: {why}")).ok());
    let ready = tasks.into_iter().zip(told);
    ready
        .filter_map(|(task, subject)| Some((task, subject?)))
        .collect()
}

fn read(file: &std::path::Path, control: &Control) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    scan_completions(
        file,
        &control.cancel,
        |fault| eprintln!("evoscope: {fault}"),
        |completion| {
            if let Some(text) = completion.text() {
                found.push((completion.task.to_owned(), text));
            }
        },
    )?;
    Ok(found)
}

fn settings(args: &Args) -> Settings {
    Settings {
        jobs: args.jobs.max(1),
        fresh: args.fresh,
        pairs: args.pairs,
        seconds: args.timeout,
        memory: args.memory.map(|megabytes| megabytes << 20),
        ..Settings::default()
    }
}

/// The environments of the projects, each built where it is not there yet. A project whose environment cannot be
/// built is left out, with the step that failed.
fn environments(
    args: &Args,
    engine: &Engine,
    workspace: &Workspace,
    gathered: &mut Gathered,
    control: &Control,
) -> Result<HashMap<String, Environment>> {
    let cache = Places::of_user()?.cache;
    let projects = gathered
        .entries
        .iter()
        .map(|entry| (entry.task, &*entry.submission.subject.project));
    let mut progress = |task: TaskRef, step: &str| {
        eprintln!("evoscope: {}: {step}", workspace.task(task).project);
    };
    let image = args.sandbox.image.as_deref();
    let place = (cache.as_path(), &control.cancel);
    let mut found = engine.environments(workspace, projects, image, place, &mut progress)?;
    if found.built.is_empty()
        && let Some((_, why)) = found.failed.drain().next()
    {
        return Err(why);
    }
    for (project, why) in &found.failed {
        eprintln!("evoscope: {project} is left out: {why}");
        let before = gathered.entries.len();
        gathered
            .entries
            .retain(|entry| entry.submission.subject.project.name != *project);
        gathered.left_out += before - gathered.entries.len();
    }
    Ok(found.built)
}

/// Ctrl-C and SIGTERM end the run in order; a second one ends the process at once.
fn on_interrupt(control: &Control) {
    let cancel = control.cancel.clone();
    std::thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        else {
            return;
        };
        runtime.block_on(async {
            let Ok(mut terminate) =
                tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
            else {
                return;
            };
            for _ in 0..2 {
                tokio::select! {
                    _ = tokio::signal::ctrl_c() => {}
                    _ = terminate.recv() => {}
                }
                if cancel.is_raised() {
                    std::process::exit(130);
                }
                cancel.raise();
            }
        });
    });
}

fn tell(
    args: &Args,
    gathered: &[Entry],
    events: &std::sync::mpsc::Receiver<Event>,
    out: &mut Output,
) -> Result<Vec<Option<Box<Judgement>>>> {
    let mut verdicts: Vec<Option<Box<Judgement>>> = vec![None; gathered.len()];
    let mut results = args
        .results
        .as_ref()
        .map(|path| open_results(path))
        .transpose()?;
    for event in events {
        match event {
            Event::Verdict {
                number, judgement, ..
            } => {
                let line =
                    ResultLine::new(result_of(&gathered[number]), &judgement, args.as_official);
                if let (Some(file), Some(path)) = (&mut results, &args.results) {
                    let written =
                        serde_json::to_writer(&mut *file, &line).map_err(std::io::Error::from);
                    let written = written
                        .and_then(|()| file.write_all(b"\n"))
                        .and_then(|()| file.flush());
                    written.map_err(|why| Error::io("write", path, why))?;
                }
                if args.json {
                    out.json(&line)?;
                } else {
                    let submission = &gathered[number].submission;
                    out.line(format!(
                        "{:<15} {}  {}",
                        judgement.verdict,
                        submission.subject.id,
                        plain(&judgement.reason)
                    ))?;
                }
                out.flush()?;
                verdicts[number] = Some(judgement);
            }
            Event::Queued { total, known } if known > 0 => {
                eprintln!("evoscope: {known} of {total} have their verdicts from before");
            }
            Event::Preparing { task } if std::io::stderr().is_terminal() => {
                eprintln!("evoscope: {task}: running the reference, the stub and the counter-test");
            }
            Event::Unusable { task, reason } => {
                eprintln!("evoscope: {task} is unusable: {}", plain(&reason));
            }
            Event::Notice(text) => eprintln!("evoscope: {}", plain(&text)),
            _ => {}
        }
    }
    Ok(verdicts)
}

fn open_results(path: &std::path::Path) -> Result<BufWriter<File>> {
    File::create(path)
        .map(BufWriter::new)
        .map_err(|why| Error::io("write", path, why))
}

fn result_of(entry: &Entry) -> ResultOf<'_> {
    let subject = &entry.submission.subject;
    ResultOf {
        task: &subject.id,
        namespace: subject.namespace.as_str(),
        project: &entry.project,
        format: subject.format,
        completion: &entry.submission.completion,
        set: &entry.set,
        sample: entry.sample,
    }
}

/// Text from a sandbox for a terminal: one line, no control characters.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

fn summary(
    args: &Args,
    verdicts: &[Option<Box<Judgement>>],
    left_out: usize,
    out: &mut Output,
) -> Result<()> {
    let known = || verdicts.iter().flatten();
    let mut counts: Vec<String> = Verdict::ALL
        .iter()
        .map(|verdict| {
            (
                verdict,
                known()
                    .filter(|judgement| judgement.verdict == *verdict)
                    .count(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {verdict}"))
        .collect();
    if left_out > 0 {
        counts.push(format!("{left_out} left out"));
    }
    let line = format!(
        "{} of {} completions: {}",
        known().count(),
        verdicts.len() + left_out,
        counts.join(", ")
    );
    if args.json {
        eprintln!("evoscope: {line}");
    } else {
        out.line(line)?;
    }
    if args.as_official {
        let differing = known()
            .filter(|judgement| judgement.differs.is_some())
            .count();
        eprintln!("evoscope: the official verdict differs for {differing}");
    }
    let broken = known()
        .filter(|judgement| judgement.verdict == Verdict::Infrastructure)
        .count();
    if broken > 0 {
        return Err(
            Error::sandbox(format!("{broken} completions could not be run"))
                .hint("see the reasons above; the same command runs them again, and only them"),
        );
    }
    Ok(())
}
