//! Lists the volumes of Evoscope.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bollard::query_parameters::{ListVolumesOptionsBuilder, RemoveVolumeOptions};

use super::ContainerEngine;
use super::labels::VOLUME_LABEL;
use crate::environment::container::volume_key;
use crate::error::Result;

/// A volume that Evoscope made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVolume {
    /// Its name.
    pub name: String,
    /// The key of its environment. `None` if it belongs to another cache.
    pub key: Option<String>,
    /// The folder with its files on the engine's machine. Only the engine's user may be able to read it.
    pub folder: PathBuf,
}

impl ContainerEngine {
    /// The volumes that Evoscope made, for this cache and for others. Empty if the engine does not list them.
    pub(crate) fn own_volumes(&self, cache: &Path) -> Vec<StoredVolume> {
        let filters = HashMap::from([("label", vec![VOLUME_LABEL])]);
        let options = ListVolumesOptionsBuilder::default()
            .filters(&filters)
            .build();
        let found = self.docker.list_volumes(Some(options));
        let found = self.runtime.block_on(found).unwrap_or_default();
        let found = found.volumes.unwrap_or_default().into_iter();
        found
            .map(|volume| StoredVolume {
                key: volume_key(&volume.name, cache).map(str::to_owned),
                folder: volume.mountpoint.into(),
                name: volume.name,
            })
            .collect()
    }

    /// Removes a volume. An error if a container uses it.
    pub(crate) fn try_to_remove_volume(&self, name: &str) -> Result<()> {
        let removal = self.docker.remove_volume(name, None::<RemoveVolumeOptions>);
        let removed = self.runtime.block_on(removal);
        removed.map_err(|why| self.refused(&format!("remove the volume {name}"), &why))
    }
}
