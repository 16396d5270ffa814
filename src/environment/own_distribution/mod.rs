//! The metadata of a project's own distribution. Some projects read their version or their entry points from it when
//! they are imported. The metadata are enough for this; the project is not installed.

mod entry_points;
mod version;
mod version_module;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use toml::Table;

use super::requirements::project_name;
use crate::history::SourceTree;

pub use self::version_module::missing_version_module;

/// The metadata of a project's own distribution, as far as the project's files name them as text. No code of the
/// project runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnDistribution {
    /// The name, as the project spells it.
    pub name: String,
    /// The version. `0` if it cannot be read.
    pub version: String,
    /// For each group of entry points, such as `pytest11`, its lines: `name = module:object`.
    pub entry_points: BTreeMap<String, Vec<String>>,
}

/// The files in the root of a project that describe its distribution.
struct Description {
    pyproject: Table,
    setup_cfg: String,
    setup_py: String,
}

impl Description {
    fn read(tree: &SourceTree) -> (Self, Option<String>) {
        let text = |name| tree.small_text(name).unwrap_or_default();
        let pyproject = text("pyproject.toml");
        let (setup_cfg, setup_py) = (text("setup.cfg"), text("setup.py"));
        let name = project_name(&pyproject, &setup_cfg, &setup_py);
        let description = Self {
            pyproject: pyproject.parse().unwrap_or_default(),
            setup_cfg,
            setup_py,
        };
        (description, name)
    }
}

impl OwnDistribution {
    /// Reads `pyproject.toml`, `setup.cfg` and `setup.py`, and for the version also the project's modules. `None` if the
    /// name of the distribution cannot be read, or is not valid.
    pub fn read(tree: &SourceTree) -> Option<Self> {
        let (description, name) = Description::read(tree);
        let name = name.filter(|name| is_valid(name))?;
        let version = version::version(tree, &description, &name);
        Some(Self {
            version: version.unwrap_or_else(|| "0".to_owned()),
            entry_points: entry_points::entry_points(&description),
            name,
        })
    }

    /// The files that make up the metadata, to be written below `site-packages`: (path, content).
    pub fn files(&self) -> Vec<(String, String)> {
        // Old versions of Python compare the name of the folder with the name that is asked for, where only `-` is
        // replaced.
        let folder = format!("{}-{}.dist-info", self.name.replace('-', "_"), self.version);
        let metadata = format!(
            "Metadata-Version: 2.1\nName: {}\nVersion: {}\n",
            self.name, self.version
        );
        let mut files = vec![
            ("METADATA", metadata),
            ("INSTALLER", "evoscope\n".to_owned()),
        ];
        if !self.entry_points.is_empty() {
            let mut text = String::new();
            for (group, lines) in &self.entry_points {
                let _ = writeln!(text, "[{group}]\n{}\n", lines.join("\n"));
            }
            files.push(("entry_points.txt", text));
        }
        let names = files.iter().map(|(name, _)| *name).chain(["RECORD"]);
        let record: Vec<String> = names.map(|name| format!("{folder}/{name},,")).collect();
        files.push(("RECORD", record.join("\n") + "\n"));
        let files = files.into_iter();
        files
            .map(|(name, text)| (format!("{folder}/{name}"), text))
            .collect()
    }
}

/// Whether this is the name of a distribution (PEP 508).
fn is_valid(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    name.chars().all(inner)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests;
