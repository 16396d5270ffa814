//! The screens as a reader sees them: opened without a terminal, keys pressed, text and styles held by snapshots.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]

mod demo;
mod leakage;
mod pairs;
mod picture;
mod review;
mod workbench;
