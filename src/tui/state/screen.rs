//! The screens.

/// The screens. A new one gets a variant here, a field in [`State`](super::State) with its own type under `state/`, a file under
/// `update/` and one under `views/`, and its commands in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Screen {
    /// A benchmark's tasks, one of them in full.
    Workbench,
    /// One task's context from two moments.
    Leakage,
    /// The leakage of many tasks.
    Overview,
    /// One requirement after the other, and what people say of it.
    Review,
    /// Models and settings against each other.
    Analysis,
    /// A run of many completions.
    Run,
    /// One completion's result in full.
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
