//! The screens.

/// The screens. A new screen needs a variant here, a field in [`State`](super::State) with a type under `state/`, a
/// file under `update/` and one under `views/`, and commands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Screen {
    /// The tasks of a benchmark, and the details of the chosen one.
    Workbench,
    /// The context of one task at two moments.
    Leakage,
    /// The leakage of many tasks.
    Overview,
    /// The review of one item after the other.
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
    /// Its name.
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
