//! Parts of a container's configuration, and the archives of files that are copied into a container.

use std::io;
use std::path::{Path, PathBuf};

use bollard::models::{Mount, MountType, ResourcesUlimits};

use crate::environment::interpreter::Volume;
use crate::environment::project_files::ProjectFiles;
use crate::error::{Error, Result};

/// The resource limits of each process in a container. Some of Podman's defaults exceed what some machines allow, so
/// each limit for which Podman has a default is set here. `processes` is the maximum number of processes. Some engines
/// cannot limit this number with a control group.
pub(crate) fn rlimits(processes: i64) -> Vec<ResourcesUlimits> {
    let limits = [
        ("nofile", 1024, 4096),
        ("nproc", processes, processes),
        ("core", 0, 0),
    ];
    limits
        .map(|(name, soft, hard)| ResourcesUlimits {
            name: Some(name.to_owned()),
            soft: Some(soft),
            hard: Some(hard),
        })
        .to_vec()
}

/// A mount of a volume at its folder.
pub(crate) fn mount(volume: &Volume, read_only: bool) -> Mount {
    Mount {
        target: Some(volume.folder.clone()),
        source: Some(volume.name.clone()),
        typ: Some(MountType::VOLUME),
        read_only: Some(read_only),
        ..Mount::default()
    }
}

/// An archive of files. Each file belongs to root, and only root may write it.
pub(crate) struct Archive {
    archive: tar::Builder<Vec<u8>>,
    /// The folder of all files.
    folder: PathBuf,
}

impl Archive {
    pub fn new() -> Self {
        Self::below("")
    }

    /// An archive of files below `folder`, a relative path.
    pub fn below(folder: impl Into<PathBuf>) -> Self {
        Self {
            archive: tar::Builder::new(Vec::new()),
            folder: folder.into(),
        }
    }

    /// Adds a file; `path` is relative.
    pub fn add(&mut self, path: impl AsRef<Path>, content: &[u8], executable: bool) -> Result<()> {
        let mode = if executable { 0o755 } else { 0o644 };
        let mut header = header(content.len() as u64, mode);
        self.archive
            .append_data(&mut header, self.folder.join(path), content)
            .map_err(|why| failed(&why))
    }

    /// Adds a folder with the project's name, which contains the project's files.
    pub fn add_project(&mut self, project: &ProjectFiles) -> Result<()> {
        let mut folder = header(0, 0o755);
        folder.set_entry_type(tar::EntryType::Directory);
        let place = self.folder.join(format!("{}/", project.name));
        self.archive
            .append_data(&mut folder, place, io::empty())
            .map_err(|why| failed(&why))?;
        for file in &project.files {
            let path = Path::new(&project.name).join(&file.path);
            self.add(path, &file.read()?, file.executable)?;
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Vec<u8>> {
        self.archive.into_inner().map_err(|why| failed(&why))
    }
}

fn failed(why: &io::Error) -> Error {
    Error::internal(format!("cannot write an archive: {why}"))
}

fn header(size: u64, mode: u32) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(1_000_000_000);
    header
}
