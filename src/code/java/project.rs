//! The Java files of a snapshot: finds the file that declares a type, and reads the declarations of files on demand.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::facts::{self, File};
use super::names::is_java_lang;
use crate::benchmark::RepoPath;
use crate::history::{BlobId, Snapshot};

/// A type of the project: the index of its file in [`JavaProject`], and its index `at` in [`File::types`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TypeRef {
    pub(super) file: u32,
    pub(super) at: usize,
}

/// The meaning of a type's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A type of the project.
    Project(TypeRef),
    /// A type outside the project. The string is the path of the import (`com.google.Gson`) or the package of a star
    /// import (`com.google`). For a qualified name without an import, the string is the name as written.
    Outside(String),
    /// A type of `java.lang`, or a primitive.
    BuiltIn,
    /// The name does not refer to a known type.
    Unknown,
}

/// The Java files of a snapshot, with the declarations that were read so far.
pub struct JavaProject {
    snapshot: Snapshot,
    paths: Vec<(RepoPath, BlobId)>,
    by_stem: FxHashMap<String, Vec<u32>>,
    read: Mutex<FxHashMap<BlobId, Arc<File>>>,
}

impl fmt::Debug for JavaProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JavaProject")
            .field("files", &self.paths.len())
            .finish_non_exhaustive()
    }
}

impl JavaProject {
    /// Lists the Java files of `snapshot`, without reading them.
    pub fn new(snapshot: Snapshot) -> Self {
        let mut paths = Vec::new();
        let mut by_stem: FxHashMap<String, Vec<u32>> = FxHashMap::default();
        for entry in snapshot.entries() {
            if let Some(stem) = entry.path.file_name().strip_suffix(".java") {
                let index = u32::try_from(paths.len()).unwrap_or(u32::MAX);
                by_stem.entry(stem.to_owned()).or_default().push(index);
                paths.push((entry.path.clone(), entry.blob));
            }
        }
        Self {
            snapshot,
            paths,
            by_stem,
            read: Mutex::default(),
        }
    }

    /// The number of Java files.
    pub fn files(&self) -> usize {
        self.paths.len()
    }

    pub(super) fn file_at(&self, path: &RepoPath) -> Option<u32> {
        let stem = path.file_name().strip_suffix(".java")?;
        let candidates = self.by_stem.get(stem)?;
        candidates
            .iter()
            .copied()
            .find(|&file| self.path(file) == path)
    }

    pub(super) fn path(&self, file: u32) -> &RepoPath {
        &self.paths[file as usize].0
    }

    pub(super) fn source(&self, file: u32) -> Arc<[u8]> {
        let blob = self.paths[file as usize].1;
        self.snapshot
            .read_source(blob)
            .unwrap_or_else(|_| Arc::from([]))
    }

    /// The declarations of a file. There are none if the file cannot be read.
    pub(super) fn declared(&self, file: u32) -> Arc<File> {
        let blob = self.paths[file as usize].1;
        let known = || self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = known().get(&blob) {
            return Arc::clone(file);
        }
        let declared = Arc::new(facts::read(&self.source(file)));
        known().insert(blob, Arc::clone(&declared));
        declared
    }

    /// The type with this package and name, such as `Outer.Inner`. Only files with the name of the outermost type
    /// (`Outer.java`) are searched, because Java requires this name for public types.
    fn type_in(&self, package: &str, name: &str) -> Option<TypeRef> {
        let outer = name.split('.').next()?;
        let folder = package.replace('.', "/");
        self.by_stem.get(outer)?.iter().find_map(|&file| {
            let place = self.path(file).folder();
            let fits = place == folder || place.ends_with(&format!("/{folder}"));
            let declared = if fits {
                self.declared(file)
            } else {
                return None;
            };
            let at = declared
                .types
                .iter()
                .position(|known| known.qualname == name)?;
            (declared.package == package).then_some(TypeRef { file, at })
        })
    }

    /// The type with the dotted path `path` (package and name). Tries the shortest package first, and the default
    /// package last.
    fn type_at(&self, path: &str) -> Option<TypeRef> {
        path.match_indices('.')
            .find_map(|(at, _)| self.type_in(&path[..at], &path[at + 1..]))
            .or_else(|| self.type_in("", path))
    }

    /// What the type name `name` means in `file`, inside the type with the index `inside`. The search order is:
    /// `java.lang` and primitive types, types inside the enclosing types, types of the file, imports of single types,
    /// the file's package, qualified names of the project, star imports. An empty name counts as built-in.
    pub(super) fn meaning(&self, file: u32, inside: Option<usize>, name: &str) -> Meaning {
        let declared = self.declared(file);
        if name.is_empty() || is_java_lang(name) {
            return Meaning::BuiltIn;
        }
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        let mut around = inside;
        while let Some(at) = around {
            let wanted = format!("{}.{name}", declared.types[at].qualname);
            if let Some(found) = declared
                .types
                .iter()
                .position(|known| known.qualname == wanted)
            {
                return Meaning::Project(TypeRef { file, at: found });
            }
            around = declared.types[at].parent;
        }
        if let Some(at) = declared
            .types
            .iter()
            .position(|known| known.qualname == name)
        {
            return Meaning::Project(TypeRef { file, at });
        }
        for import in declared.imports.iter().filter(|import| !import.star) {
            if import.path.rsplit('.').next() == Some(first) {
                let path = if rest.is_empty() {
                    import.path.clone()
                } else {
                    format!("{}.{rest}", import.path)
                };
                return match self.type_at(&path) {
                    Some(found) => Meaning::Project(found),
                    None => Meaning::Outside(import.path.clone()),
                };
            }
        }
        if let Some(found) = self
            .type_in(&declared.package, name)
            .or_else(|| self.type_at(name))
        {
            return Meaning::Project(found);
        }
        let stars = declared
            .imports
            .iter()
            .filter(|import| import.star && !import.fixed);
        let mut outside = None;
        for star in stars {
            if let Some(found) = self.type_at(&format!("{}.{name}", star.path)) {
                return Meaning::Project(found);
            }
            outside = Some(star.path.clone());
        }
        match outside {
            Some(package) => Meaning::Outside(package),
            None if name.contains('.') => Meaning::Outside(name.to_owned()),
            None => Meaning::Unknown,
        }
    }
}
