//! Slots (the kinds of slow work) and tickets (one number for each request).

/// The number of a request. An answer is used only if its ticket is the latest of its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// The kinds of slow work. Each kind has its own worker thread. A newer request replaces an older request of the same
/// kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// Opening the workspace.
    Open,
    /// Reading the completions of all tasks, with their verdicts.
    Index,
    /// Finding the targets in the sources.
    Anchors,
    /// Reading the verdicts of earlier runs.
    Recall,
    /// Filtering, ordering and grouping the task list.
    Listing,
    /// Reading the chosen task's record and source.
    Task,
    /// Finding the chosen task's dependencies in its project.
    Dependencies,
    /// Reading a file to jump to.
    Jump,
    /// Searching for a text in all sources.
    Search,
    /// Finding the dependencies of a dependency that the user has opened.
    InTurn,
    /// Comparing the dependencies of the chosen completion with those of the reference code.
    Against,
    /// Finding the commits that introduced the dependencies.
    Since,
    /// Reading the source of the chosen dependency.
    Peek,
    /// Gathering the context of the chosen task.
    Context,
    /// Comparing a completion with the reference code.
    Diff,
    /// Highlighting the syntax of a file.
    Colours,
    /// Highlighting the syntax of a snippet of the context.
    ItemColours,
    /// Computing the sheets of the analysis screen.
    Analysis,
    /// Evaluating completions.
    Run,
    /// Requesting completions from a model server, or counting the requests beforehand.
    Generation,
    /// Opening completions that were generated after the workspace was opened.
    NewCompletions,
    /// Reading the data of a result screen.
    Result,
    /// Comparing the chosen task's context at every later version with the context at the base commit.
    Leakage,
    /// Highlighting the syntax of the two contexts that are compared.
    LeakageColours,
    /// Finding the commit that added or removed some consecutive lines.
    Origin,
    /// Measuring the leakage of many tasks.
    Overview,
    /// Reading the records, tests and prompt of a task.
    TaskData,
    /// Reading the details of a review item.
    ItemDetail,
}
