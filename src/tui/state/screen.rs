//! The screens of the explorer.

/// A screen. A new screen needs a variant here, a field in [`State`](super::State) with a type in `state/`, a file in
/// `update/`, a file in `views/`, and commands in the command table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Screen {
    /// The task list, and the details of the chosen task.
    Workbench,
    /// The context of one task at the base commit and at a later version.
    Leakage,
    /// The leakage of many tasks.
    Overview,
    /// The review of requirements and failures.
    Review,
    /// The comparison of models and settings.
    Analysis,
    /// A run of many completions.
    Run,
    /// The full result of one completion.
    Result,
    /// Completions from a model server.
    Generation,
}

impl Screen {
    /// The name of the screen in its top line.
    pub fn title(self) -> &'static str {
        match self {
            Self::Workbench => "Workbench",
            Self::Leakage => "Leakage",
            Self::Overview => "Leakage of all tasks",
            Self::Review => "Review",
            Self::Analysis => "Analysis",
            Self::Run => "Run",
            Self::Result => "Result",
            Self::Generation => "Generation",
        }
    }
}
