//! The folders that contain Evoscope's own files.

use std::path::PathBuf;

use directories::ProjectDirs;

use crate::error::{Error, Result};

/// Three folders for Evoscope's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppDirs {
    /// Files that can be deleted at any time: indexes, chunks, the unpacked sample.
    pub cache: PathBuf,
    /// What is remembered between sessions: the position in the explorer, the verdicts, reviews.
    pub state: PathBuf,
    /// What the user writes: settings, themes.
    pub config: PathBuf,
}

impl AppDirs {
    /// The platform's folders (XDG on Linux). If the variable `EVOSCOPE_HOME` is set and not empty, returns the folders
    /// `cache`, `state` and `config` under `EVOSCOPE_HOME` instead. Errors when there is neither `EVOSCOPE_HOME` nor a
    /// home folder. Creates no folder.
    pub fn of_user() -> Result<Self> {
        if let Some(home) = std::env::var_os("EVOSCOPE_HOME").filter(|home| !home.is_empty()) {
            return Ok(Self::under(PathBuf::from(home)));
        }
        let dirs = ProjectDirs::from("", "", "evoscope").ok_or_else(|| {
            Error::user("there is no home folder")
                .hint("set EVOSCOPE_HOME to a folder for Evoscope's files")
        })?;
        let state = dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir());
        Ok(Self {
            cache: dirs.cache_dir().to_owned(),
            state: state.to_owned(),
            config: dirs.config_dir().to_owned(),
        })
    }

    /// The folders `cache`, `state` and `config` under `home`.
    pub fn under(home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self {
            cache: home.join("cache"),
            state: home.join("state"),
            config: home.join("config"),
        }
    }
}
