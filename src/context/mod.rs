//! What a model is shown: settings over a snapshot, prompts under a budget, the comparison of two contexts.
