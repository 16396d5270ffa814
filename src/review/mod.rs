//! What people say: judgements of requirements, failure causes, adjudication.
