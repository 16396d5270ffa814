//! `evoscope context`: what a model is shown, in any setting, at any revision; and the official prompts.

use serde::Serialize;

use super::Output;
use super::cache::contexts;
use super::exclusions;
use super::open::{Input, open, print_faults};
use super::output::warn;
use super::retrieval::Retrieval;
use crate::benchmark::{Namespace, RequirementStyle, TaskId};
use crate::context::{
    ContextItem, ContextListing, GatheredContext, Limit, PromptSetting, PromptStyle, Revision,
    Setting, Window,
};
use crate::error::{Cancel, Error, Result};
use crate::workspace::{ContextRequest, Contexts, TaskContext, TaskRef, Workspace, retrieve_from};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    retrieval: Retrieval,
    /// The id of the task, or `BENCHMARK/ID` if several benchmarks are open.
    #[arg(long, value_name = "ID", conflicts_with = "repo")]
    task: Option<String>,
    /// The context setting: `without_context`, `local_completion`, `local_infilling`, `local_imported`,
    /// `local_sibling`, `local_similar`, `similar_functions`, `retrieved` or `oracle`. Repeat the option for several
    /// settings. Each may name its revision and wording: `retrieved@base+brief`.
    #[arg(long, default_value = "retrieved", value_name = "S[@REV][+WORDING]")]
    setting: Vec<PromptSetting>,
    /// The revision of settings that do not name one: `base` (the base commit), `newest` (the latest version), or a
    /// commit, branch or tag. Default: `newest`, or HEAD of --repo.
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Hide the target if the tree of the revision contains it.
    #[arg(long)]
    mask_target: bool,
    /// Do not hide the target in prompts. By default, prompts hide the target and copies of its body.
    #[arg(long, requires = "prompt", conflicts_with = "mask_target")]
    show_target: bool,
    /// The wording of the requirement in the query and the prompt, for settings that do not name one: brief or detailed
    /// (HumanEvo), original or human (CoderEval). Default: the benchmark's own default.
    #[arg(long, value_name = "WORDING", conflicts_with = "repo")]
    requirement: Option<RequirementStyle>,
    /// Print prompts in the form of the official scripts, one JSON object per line. Without --task, print the prompts
    /// of all tasks.
    #[arg(long, conflicts_with = "repo")]
    prompt: bool,
    /// The kind of model that the prompts are for: instruction, completion (plain language models), or deepseek,
    /// codellama or starcoder2 with the infilling tokens of these models.
    #[arg(long, default_value = "instruction", requires = "prompt")]
    style: PromptStyle,
    /// The maximum length of a prompt, in `cl100k_base` tokens.
    #[arg(long, value_name = "N", requires = "prompt")]
    budget: Option<usize>,
    /// Shorten contexts to fit a model's context window of N tokens, as the official `make_prompt.py` does.
    #[arg(long, value_name = "N", requires = "prompt", conflicts_with = "budget")]
    context_window: Option<usize>,
    /// The tokens of the context window that are reserved for the answer.
    #[arg(
        long,
        value_name = "N",
        requires = "context_window",
        default_value = "500"
    )]
    max_tokens: usize,
}

impl Args {
    fn limit(&self) -> Limit {
        let window = self.context_window.map(|tokens| {
            Limit::Window(Window {
                tokens,
                answer: self.max_tokens,
            })
        });
        window
            .or(self.budget.map(Limit::Budget))
            .unwrap_or_default()
    }

    /// The settings, with the revision and the wording that hold for those that name none.
    fn settings(&self) -> Vec<PromptSetting> {
        let common = |own: &PromptSetting| PromptSetting {
            setting: own.setting,
            at: own.at.clone().or(self.at.as_deref().map(Revision::of)),
            requirement: own.requirement.or(self.requirement),
        };
        self.setting.iter().map(common).collect()
    }
}

pub(crate) fn run(args: &Args, out: &mut Output) -> Result<()> {
    if args.retrieval.names_repository() {
        return of_repository(args, out);
    }
    let workspace = open(&args.input)?;
    if args.prompt {
        return prompts(args, &workspace, out);
    }
    let Some(id) = &args.task else {
        return Err(Error::user("no task to show a context for")
            .hint("name one with --task ID, or a repository with --repo DIR"));
    };
    let (task, contexts) = (workspace.find(id)?, contexts(args.retrieval.no_cache));
    let settings = args.settings();
    for (at, wanted) in settings.iter().enumerate() {
        if settings.len() > 1 && !args.retrieval.json {
            let gap: &[u8] = if at > 0 { b"\n" } else { b"" };
            out.document(gap)?;
            out.line(wanted.to_string())?;
        }
        let gathered = gather(args, wanted, &workspace, &contexts, task)?.gathered;
        show(args, id, wanted, &gathered, out)?;
    }
    Ok(())
}

/// Prints a context.
fn show(
    args: &Args,
    task: &str,
    wanted: &PromptSetting,
    gathered: &GatheredContext,
    out: &mut Output,
) -> Result<()> {
    if args.retrieval.json {
        return out.json(&Shown {
            task,
            setting: wanted.setting,
            requirement: wanted.requirement.map(RequirementStyle::word),
            listing: &gathered.listing,
            absent: &gathered.absent,
        });
    }
    let glyph = |item: &ContextItem| match item.target {
        Some(true) => "◎",
        _ => " ",
    };
    print(out, &gathered.listing, glyph, true)?;
    for name in &gathered.absent {
        out.line(format!("   ? {name} is not in this tree"))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Shown<'a> {
    task: &'a str,
    setting: Setting,
    #[serde(skip_serializing_if = "Option::is_none")]
    requirement: Option<&'static str>,
    #[serde(flatten)]
    listing: &'a ContextListing,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    absent: &'a [Namespace],
}

fn of_repository(args: &Args, out: &mut Output) -> Result<()> {
    let settings = args.settings();
    let [wanted] = &settings[..] else {
        let why = Error::user("several settings need a task");
        return Err(why.hint("name a benchmark and --task ID"));
    };
    if wanted.setting != Setting::Retrieved || wanted.requirement.is_some() {
        return Err(Error::user(format!("the setting '{wanted}' needs a task"))
            .hint("name a benchmark and --task ID"));
    }
    let request = args.retrieval.request()?;
    let at = wanted.at.as_ref();
    let at = at.map_or_else(|| "HEAD".to_owned(), ToString::to_string);
    let repository = args.retrieval.repository()?;
    let (listing, left_out) = retrieve_from(&repository, &request, &at, &Cancel::default())?;
    exclusions::print(&left_out);
    if args.retrieval.json {
        return out.json(&listing);
    }
    print(out, &listing, |_| " ", true)
}

fn gather(
    args: &Args,
    wanted: &PromptSetting,
    workspace: &Workspace,
    contexts: &Contexts,
    task: TaskRef,
) -> Result<TaskContext> {
    let request = ContextRequest {
        task,
        setting: wanted.setting,
        at: wanted.moment(),
        retrieval: Some(args.retrieval.options()?),
        masks: &args.retrieval.masks()?,
        mask_target: args.mask_target || (args.prompt && !args.show_target),
        requirement: wanted.requirement,
    };
    let context = workspace.context(contexts, request, &mut |_, _| {}, &Cancel::default())?;
    if let Some(tree) = &context.file_is_missing_in {
        let path = workspace.target(task)?.path;
        warn(format_args!(
            "{path} is not in {tree} yet: its local context is empty"
        ));
    }
    Ok(context)
}

/// A prompt as the official scripts write it, with its setting, revision and size.
#[derive(Serialize)]
struct PromptLine<'a> {
    namespace: &'a Namespace,
    /// The task's own name, where that is not the namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<&'a TaskId>,
    /// The name of the prompts' set, where it is more than the setting: `retrieved@base+brief`.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<String>,
    prompt: &'a str,
    setting: Setting,
    revision: &'a str,
    tokens: usize,
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    requirement: Option<&'static str>,
}

/// Writes the prompts of the task, or of every task, one for each setting. A task that has none is said on standard error; the others are
/// written.
fn prompts(args: &Args, workspace: &Workspace, out: &mut Output) -> Result<()> {
    print_faults(workspace);
    if let Some(id) = &args.task {
        let contexts = contexts(args.retrieval.no_cache);
        return prompts_of(args, workspace, &contexts, workspace.find(id)?, out);
    }
    let mut left_out = 0;
    let contexts = contexts(args.retrieval.no_cache).one_project();
    for (task, about) in workspace.tasks() {
        if let Err(why) = prompts_of(args, workspace, &contexts, task, out) {
            left_out += 1;
            warn(format_args!("no prompt for '{}': {why}", about.id));
        }
    }
    match left_out {
        0 => Ok(()),
        _ => Err(Error::data(format!("{left_out} tasks have no prompt"))
            .hint("the others were written; the reasons are listed above")),
    }
}

fn prompts_of(
    args: &Args,
    workspace: &Workspace,
    contexts: &Contexts,
    task: TaskRef,
    out: &mut Output,
) -> Result<()> {
    let mut settings = args.settings().into_iter().zip(&args.setting);
    settings.try_for_each(|(wanted, written)| {
        one_prompt(args, (&wanted, written), workspace, contexts, task, out)
    })
}

fn one_prompt(
    args: &Args,
    (wanted, written): (&PromptSetting, &PromptSetting),
    workspace: &Workspace,
    contexts: &Contexts,
    task: TaskRef,
    out: &mut Output,
) -> Result<()> {
    let context = gather(args, wanted, workspace, contexts, task)?;
    let built = workspace.prompt(task, &context, args.style, args.limit())?;
    let about = workspace.task(task);
    out.json(&PromptLine {
        namespace: &about.namespace,
        task: (about.id.as_str() != about.namespace.as_str()).then_some(&about.id),
        set: (written.at.is_some() || written.requirement.is_some()).then(|| wanted.to_string()),
        prompt: &built.text,
        setting: wanted.setting,
        revision: &context.gathered.listing.revision,
        tokens: built.tokens,
        cut: built.cut,
        requirement: wanted.requirement.map(RequirementStyle::word),
    })
}

/// A listing as a table: rank, a glyph, score, shared of union, place; with `code`, each followed by its numbered lines.
pub(super) fn print(
    out: &mut Output,
    listing: &ContextListing,
    glyph: fn(&ContextItem) -> &'static str,
    code: bool,
) -> Result<()> {
    out.line(format!(
        "{} · {} candidates",
        listing.revision, listing.candidates
    ))?;
    for item in &listing.items {
        let score = item.overlap.map_or_else(
            || " ".repeat(19),
            |overlap| {
                format!(
                    "{:.3}  {:>4} of {:<4}",
                    item.bm25.unwrap_or_else(|| overlap.score()),
                    overlap.shared,
                    overlap.union
                )
            },
        );
        let again = match item.occurrences {
            1 => String::new(),
            more => format!("  (in {more} places)"),
        };
        out.line(format!(
            "{:>4} {} {score}  {}:{}-{}{again}",
            item.rank,
            glyph(item),
            item.path,
            item.start,
            item.end,
        ))?;
        if code {
            for (line, number) in item.lines.iter().zip(item.start..) {
                out.line(format!("{number:>10}  {}", line.text))?;
            }
            out.line("")?;
        }
    }
    let found = |item: &ContextItem| item.overlap.is_none_or(|overlap| overlap.shared > 0);
    if !listing.items.is_empty() && !listing.items.iter().any(found) {
        warn("no window shares a word with the query: those above are the first of the tree");
    }
    Ok(())
}
