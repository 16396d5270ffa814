//! What Evoscope keeps: caches, environments, and volumes and images of the container engine.

mod disk;
mod in_use;
mod removal;
mod selection;
mod stored;

pub use self::in_use::CacheUse;
pub use self::removal::{Removal, remove};
pub use self::selection::{CacheSelection, parse_age};
pub use self::stored::{CacheEntry, CacheKind, kept, quick_engine};
