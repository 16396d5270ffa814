//! The context settings by name.

use serde::{Deserialize, Serialize};

use crate::benchmark::vocabulary;

vocabulary! {
    /// Which context a prompt contains.
    Setting: "a context setting" {
        /// Only the signature and the requirement (EvoCodeBench §4.1, DevEval §4.2: without context).
        WithoutContext = "without_context",
        /// The local file (the target's own file) above the target (EvoCodeBench, DevEval: local file, completion).
        LocalCompletion = "local_completion",
        /// The local file above and below the target (EvoCodeBench, DevEval: local file, infilling).
        LocalInfilling = "local_infilling",
        /// The local file above and below the target, and the files that the local file imports.
        LocalImported = "local_imported",
        /// The local file above and below the target, and the other files in the same folder.
        LocalSibling = "local_sibling",
        /// The local file above and below the target, and the files with names similar to the local file's name.
        LocalSimilar = "local_similar",
        /// The five functions with the names most similar to the target's name.
        SimilarFunctions = "similar_functions",
        /// The snippets of the project that are most similar to the requirement (`RepoCoder`'s first round; HumanEvo
        /// §3).
        Retrieved = "retrieved",
        /// The definitions of the dependencies that the benchmark lists for the reference code (CoderEval's oracle
        /// context).
        Oracle = "oracle",
    }
}

impl Setting {
    /// Whether the context has code of the target's own file.
    pub fn is_local(self) -> bool {
        matches!(
            self,
            Self::LocalCompletion
                | Self::LocalInfilling
                | Self::LocalImported
                | Self::LocalSibling
                | Self::LocalSimilar
        )
    }
}
