//! Slots of slow work, and tickets for requests in them.

/// The number of a request. An answer is used only if its ticket is the latest of its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// Kinds of slow work. Each has its own worker, in which a newer request replaces an older one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// Opening the workspace.
    Open,
    /// Finding the verdicts of each task's completions.
    Index,
    /// Finding the targets in the sources.
    Anchors,
    /// Reading the verdicts of earlier runs.
    Recall,
    /// The task list's rows.
    Listing,
    /// The chosen task's record and source.
    Task,
    /// The chosen task's dependencies, found in its project.
    Dependencies,
    /// A file to jump to.
    Jump,
    /// A search for a text in all sources.
    Search,
    /// The dependencies of an open dependency.
    InTurn,
    /// The names that the chosen completion uses, compared with the reference code.
    Against,
    /// Since when the dependencies exist.
    Since,
    /// The source of the chosen dependency.
    Peek,
    /// The context.
    Context,
    /// A completion side by side with the reference code.
    Diff,
    /// The colours of a file.
    Colours,
    /// The colours of an item of the context.
    ItemColours,
    /// The analysis.
    Analysis,
    /// An evaluation.
    Run,
    /// Completions from a model server, or counting the requests.
    Generation,
    /// Opening the new completions.
    NewCompletions,
    /// The data of a result screen.
    Result,
    /// The chosen task's context at every moment, next to the one at the base commit.
    Leakage,
    /// The colours of the two contexts that are compared.
    LeakageColours,
    /// The commit that introduced a run of lines.
    Origin,
    /// The leakage of many tasks.
    Overview,
    /// The records, tests and prompt of a task, as one text.
    TaskData,
    /// The details of a review item.
    ItemDetail,
}
