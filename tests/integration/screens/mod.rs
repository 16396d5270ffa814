//! The screens as a reader sees them: opened without a terminal, keys pressed, text and styles held by snapshots.

mod demo;
mod leakage;
mod pairs;
pub mod picture;
mod review;
mod workbench;
