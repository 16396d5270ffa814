//! Slots of slow work, and tickets for requests in them.

/// The number of a request; only the latest of its slot is still wanted when it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// Kinds of slow work. Each has a worker of its own, in which the latest request wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// Opening the workspace.
    Open,
    /// Finding out which verdicts each task's completions have.
    Index,
    /// Verdicts of earlier runs.
    Recall,
    /// The task list's rows.
    Listing,
    /// The chosen task's record and source.
    Task,
    /// The chosen task's dependencies, looked up in its project.
    Dependencies,
    /// A file jumped to.
    Jump,
    /// A text in all sources.
    Search,
    /// What an open dependency uses in turn.
    InTurn,
    /// What the chosen completion uses, compared with the reference.
    Against,
    /// Since when the dependencies exist.
    Since,
    /// The source of the chosen dependency.
    Peek,
    /// The context.
    Context,
    /// A completion next to the reference.
    Diff,
    /// The colours of a file.
    Colours,
    /// The colours of an item of the context.
    ItemColours,
    /// The analysis.
    Analysis,
    /// An evaluation.
    Run,
    /// Completions from a model server, or counting what would be asked.
    Generation,
    /// Opening the completions that came from it.
    NewCompletions,
    /// What a result shows.
    Result,
    /// The chosen task's context at every moment, next to the one at the base commit.
    Leakage,
    /// The colours of the two contexts that are compared.
    LeakageColours,
    /// The commit behind a run of lines.
    Origin,
    /// The leakage of many tasks.
    Overview,
    /// The data behind the task, as one text.
    TaskData,
    /// What is shown of an item of the review.
    ItemDetail,
}
