//! What files of a project compile to: kept in the ledger, so that no run need compile them again.

use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::message::Message;
use super::{CompiledFile, Ledger, LedgerKey, Order, OwnFile, ProjectFiles, START, Warden};
use crate::benchmark::RepoPath;
use crate::error::{Cancel, Result};

impl Warden {
    /// What files of the project compile to, where an earlier session has told.
    pub(super) fn known_code(&mut self, order: &Order, ledger: &Ledger) -> Result<Message> {
        let (mut files, mut codes) = (Vec::new(), Vec::new());
        for file in order.ahead {
            let mut brought = order.files.iter();
            if self.laid.compiled.contains(file) || brought.any(|(path, _)| path.as_str() == file.0)
            {
                continue;
            }
            let Some(key) = self.code_key(order.project, file) else {
                continue;
            };
            let known = ledger.code(key)?;
            if let Some(code) = known.and_then(|text| STANDARD.decode(text).ok()) {
                files.push(json!([file.0, code.len()]));
                codes.push(code);
            }
            self.laid.compiled.insert(file.clone());
        }
        if files.is_empty() {
            return Ok(Message::empty());
        }
        let mut message = Message::new(&json!({
            "op": "compiled", "python": self.here, "project": order.project.name, "root": self.root(), "files": files,
        }))?;
        for code in &codes {
            message.add(code);
        }
        Ok(message)
    }

    /// What the files that come with an order compile to, but for the one that holds its target. They hold the references
    /// of other tasks or are its tests, so the warden never has them: a process of its own compiles them, once, and tells
    /// only the driver.
    pub(super) fn brought_code(
        &mut self,
        order: &Order,
        ledger: &Ledger,
        cancel: &Cancel,
    ) -> Result<Vec<LedgerKey>> {
        let mut keys = Vec::new();
        let mut wanted = Vec::new();
        for (file, text) in brought_and_loaded(order) {
            let key = self.code_of(file, text);
            if !self.brought.contains_key(&key) {
                match ledger.code(key)? {
                    Some(data) => self.know(key, file, data),
                    None => wanted.push((key, file, text)),
                }
            }
            keys.push(key);
        }
        if !wanted.is_empty() {
            self.have_compiled(&wanted, ledger, cancel)?;
        }
        Ok(keys)
    }

    fn know(&mut self, key: LedgerKey, file: &OwnFile, data: String) {
        let path = RepoPath::new(&file.0);
        self.brought.insert(key, Some(CompiledFile { path, data }));
    }

    /// Has files compiled in a process of their own.
    fn have_compiled(
        &mut self,
        wanted: &[(LedgerKey, &OwnFile, &[u8])],
        ledger: &Ledger,
        cancel: &Cancel,
    ) -> Result<()> {
        let files: Vec<Value> = wanted
            .iter()
            .map(|(_, file, text)| json!([file.0, text.len(), file.1]))
            .collect();
        let header =
            json!({"op": "compile", "python": self.here, "root": self.root(), "files": files});
        let mut message = Message::new(&header)?;
        for (_, _, text) in wanted {
            message.add(text);
        }
        self.send(&message)?;
        let answer = self.answer(Instant::now() + START, cancel)?;
        if answer["op"] != "compiled" {
            return Err(self.astray(&answer));
        }
        for (key, file, _) in wanted {
            // One that does not compile is left to the runs.
            self.brought.insert(*key, None);
            let mut told = answer["files"].as_array().into_iter().flatten();
            let told = told.find(|told| told["path"] == file.0.as_str());
            if let Some(data) = told.and_then(|told| told["data"].as_str()) {
                ledger.record_code(*key, data)?;
                self.know(*key, file, data.to_owned());
            }
        }
        Ok(())
    }

    /// Keeps what the warden says that a file compiles to.
    pub(super) fn keep_code(
        &self,
        project: &ProjectFiles,
        told: &Value,
        ledger: &Ledger,
    ) -> Result<()> {
        let (Some(path), Some(by_pytest), Some(data)) = (
            told["path"].as_str(),
            told["by_pytest"].as_bool(),
            told["data"].as_str(),
        ) else {
            return Ok(());
        };
        match self.code_key(project, &OwnFile(path.to_owned(), by_pytest)) {
            Some(key) => ledger.record_code(key, data),
            None => Ok(()),
        }
    }

    /// What the code of a file depends on. Targets' files have none: they differ from run to run.
    fn code_key(&self, project: &ProjectFiles, file: &OwnFile) -> Option<LedgerKey> {
        let path = RepoPath::new(&file.0);
        if project.withheld.contains(&path) {
            return None;
        }
        let text = project.read(&path).ok()?;
        Some(self.code_of(file, &text))
    }

    fn code_of(&self, file: &OwnFile, text: &[u8]) -> LedgerKey {
        LedgerKey::over(&[
            b"code",
            self.python.as_bytes(),
            self.pytest.as_bytes(),
            self.root().as_bytes(),
            file.0.as_bytes(),
            &[u8::from(file.1)],
            text,
        ])
    }
}

/// The files that come with an order and that its tests load, but for the one that holds its target, those whose code
/// comes too, and all where the run is to tell what they compile to.
fn brought_and_loaded<'a>(order: &Order<'a>) -> Vec<(&'a OwnFile, &'a [u8])> {
    let (own, code) = (order.ahead, order.code);
    let brought = order.files.iter().filter(|(path, _)| {
        path != order.check && !order.list_code && code.iter().all(|file| file.path != *path)
    });
    brought
        .filter_map(|(path, text)| {
            let file = own.iter().find(|file| file.0 == path.as_str())?;
            Some((file, text.as_slice()))
        })
        .collect()
}
