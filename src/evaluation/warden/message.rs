//! What a warden is sent: headers and the bytes that follow them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::program::ENVIRONMENT;
use super::{CompiledFile, Ledger, Order, ProjectFiles, Warden};
use crate::benchmark::RepoPath;
use crate::error::{Error, Result};

/// pytest's own arguments; the warden is told them at first, and has a configuration ready that was made with them.
pub(super) const ARGUMENTS: [&str; 5] = ["-p", "no:cacheprovider", "-s", "--color=no", "--tb=line"];

/// The least bytes of an order's header. A C library may keep what is shorter for its next use, and not wipe it when it is
/// freed (glibc's does up to 1,032).
const LEAST: usize = 2048;

/// A header as the warden reads it, its length in four bytes and JSON, and what follows it.
pub(super) struct Message(Vec<u8>);

impl Message {
    pub fn new(header: &Value) -> Result<Self> {
        let mut message = Self::empty();
        message.add_block(header.to_string().as_bytes())?;
        Ok(message)
    }

    pub fn empty() -> Self {
        Self(Vec::new())
    }

    pub fn add(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// A number in four bytes.
    pub fn add_number(&mut self, number: usize) -> Result<()> {
        let number = u32::try_from(number).map_err(|_| Error::internal("a message beyond 4 GB"))?;
        self.add(&number.to_be_bytes());
        Ok(())
    }

    /// Bytes with their length before them.
    pub fn add_block(&mut self, bytes: &[u8]) -> Result<()> {
        self.add_number(bytes.len())?;
        self.add(bytes);
        Ok(())
    }

    pub fn append(&mut self, other: &Self) {
        self.add(&other.0);
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// What the start of pytest that runs of a project have in common depends on, as one text: the warden makes one start, a
/// seed, for all runs with the same.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Ground(String);

impl Ground {
    /// `None` for an order with a test in a file that is none of the project's own: its run starts pytest by itself.
    pub fn of(order: &Order) -> Option<Self> {
        let mut folders = Vec::new();
        for test in order.tests {
            let path = RepoPath::new(test.split("::").next().unwrap_or(test));
            if !order.project.files.iter().any(|file| file.path == path) {
                return None;
            }
            let folder = path.folder().to_owned();
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        let ground = json!([
            order.project.name,
            order.import_roots,
            order.arguments,
            folders
        ]);
        Some(Self(ground.to_string()))
    }
}

impl Warden {
    /// What has to be there before an order: the project's files, or those that the last run replaced, and code that
    /// is known from before. Files that come with this run too stay away, unless pytest is to be started anew for it,
    /// which looks at all of them.
    pub(super) fn prelude(
        &mut self,
        order: &Order,
        ground: Option<&Ground>,
        ledger: &Ledger,
    ) -> Result<Message> {
        let mut message = if self.laid.project.is_none() {
            self.laid.project = Some(order.project.name.clone());
            self.project(order.project)?
        } else {
            let mut owed = std::mem::take(&mut self.laid.owed);
            if ground == self.laid.ground.as_ref() {
                owed.retain(|path| order.files.iter().all(|(brought, _)| brought != path));
            }
            if owed.is_empty() {
                Message::empty()
            } else {
                self.files("files", order.project, &owed)?
            }
        };
        self.laid.ground = ground.cloned();
        message.append(&self.known_code(order, ledger)?);
        Ok(message)
    }

    fn project(&self, project: &ProjectFiles) -> Result<Message> {
        let paths: Vec<RepoPath> = project.files.iter().map(|file| file.path.clone()).collect();
        self.files("project", project, &paths)
    }

    /// Files of a project, with the folders of those that come with each run.
    fn files(&self, op: &str, project: &ProjectFiles, paths: &[RepoPath]) -> Result<Message> {
        let mut texts = Vec::new();
        let mut files = Vec::new();
        for path in paths {
            let text = project.read(path)?;
            let mode = if project.is_executable(path) {
                0o755
            } else {
                0o644
            };
            files.push(json!([path.as_str(), text.len(), mode]));
            texts.push(text);
        }
        let folders: Vec<_> = project
            .withheld
            .iter()
            .map(RepoPath::folder)
            .filter(|folder| !folder.is_empty())
            .chain(project.folders.iter().map(RepoPath::as_str))
            .collect();
        let mut message = Message::new(&json!({
            "op": op, "python": self.here, "project": project.name, "root": self.root(),
            "scratch": self.session.scratch(), "files": files, "folders": folders,
        }))?;
        for text in &texts {
            message.add(text);
        }
        Ok(message)
    }

    /// An order and the files that come with it, with what some of them compile to.
    pub(super) fn order(
        &self,
        order: &Order,
        ground: Option<&Ground>,
        known: &[&CompiledFile],
    ) -> Result<Message> {
        let mut code: Vec<(&RepoPath, Vec<u8>)> = order
            .code
            .iter()
            .chain(known.iter().copied())
            .filter_map(|file| Some((&file.path, STANDARD.decode(&file.data).ok()?)))
            .collect();
        code.sort_by_key(|(path, _)| *path);
        let coded: Vec<&str> = code.iter().map(|(path, _)| path.as_str()).collect();
        let header = self.header(order, ground, &coded).to_string();
        let mut message = Message::empty();
        message.add_block(format!("{header:<LEAST$}").as_bytes())?;
        let texts = order.files.iter().map(|(_, text)| text);
        for bytes in texts.chain(code.iter().map(|(_, code)| code)) {
            message.add_block(bytes)?;
        }
        Ok(message)
    }

    /// The part that every process of the sandbox reads, and may find again: the same for all runs of a task.
    fn header(&self, order: &Order, ground: Option<&Ground>, code: &[&str]) -> Value {
        let files: Vec<&str> = order.files.iter().map(|(path, _)| path.as_str()).collect();
        // What is withheld holds references: it is not to pass through the warden, compiled or not.
        let wanted: Vec<&str> = order
            .files
            .iter()
            .filter(|(path, _)| order.list_code && !order.project.withheld.contains(path))
            .map(|(path, _)| path.as_str())
            .collect();
        let renewed: Vec<&str> = order.renewed.iter().map(RepoPath::as_str).collect();
        let arguments: Vec<&str> = ARGUMENTS
            .into_iter()
            .chain(order.arguments.iter().map(String::as_str))
            .collect();
        let environment: serde_json::Map<_, _> = ENVIRONMENT
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        json!({
            "op": "run", "python": self.here, "project": order.project.name, "root": self.root(),
            "scratch": self.session.scratch(), "files": files, "renewed": renewed, "paths": order.import_roots,
            "tests": order.tests,
            "own_modules": order.project.own_modules(order.import_roots), "args": arguments,
            "limits": self.limits(order), "check": order.check.as_str(), "env": environment,
            "list_modules": order.list_modules, "ahead": order.ahead, "conftest": order.project.has_conftest(),
            "ground": ground.map(|ground| &ground.0), "code": code, "list_code": wanted,
            "reference": order.reference.map(<[u32; 2]>::from),
        })
    }

    fn limits(&self, order: &Order) -> Value {
        let mut limits = self.session.inner_limits();
        limits.insert("memory".into(), order.limits.memory.into());
        limits.insert(
            "total_seconds".into(),
            order.limits.total.as_secs_f64().into(),
        );
        limits.insert(
            "test_seconds".into(),
            json!(order.limits.each_test.map(|limit| limit.as_secs_f64())),
        );
        Value::Object(limits)
    }
}
