//! What is open: benchmarks, sources, repositories, completions; settings; where state is kept on disk.

pub mod sample;
