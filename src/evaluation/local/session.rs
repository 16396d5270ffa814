//! A session of the local sandbox: processes in their own namespaces. Pipes for the three standard streams connect
//! Evoscope with them.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use nix::unistd::geteuid;

use super::super::sandbox::{Loss, Recipe, Session, StderrTail, next_output};
use super::cgroup::Cgroups;
use super::mounts::python_inside;
use super::session_name::PREFIX;
use super::stage::{STAGE_COMMAND, Staging};
use crate::environment::{Interpreter, ProcessIdentity};
use crate::error::{Error, Result};

const SCRATCH: [&str; 3] = ["/work", "/tmp", "/dev/shm"];
/// The maximum time to wait for the end of a sandbox's standard error.
const STDERR_GRACE: Duration = Duration::from_millis(500);
/// The number of bytes of address space that a process may map beyond the memory limit, if no control group limits the
/// memory. Libraries map more memory than they use.
const MAPPED_BEYOND_MEMORY: u64 = 2 << 30;

pub(super) struct LocalSession {
    child: Child,
    output: Receiver<Vec<u8>>,
    stderr: StderrTail,
    /// Becomes disconnected when the sandbox's standard error has ended.
    stderr_end: Receiver<()>,
    missing: Vec<String>,
    address_space: Option<u64>,
    cgroups: Cgroups,
    _folder: tempfile::TempDir,
}

impl LocalSession {
    /// Creates control groups, and starts the first process of the sandbox.
    pub(super) fn open(executable: &Path, recipe: &Recipe) -> Result<Self> {
        let folder = session_folder()?;
        let name = folder
            .path()
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let (cgroups, missing) = Cgroups::create(&name, &recipe.limits);
        let staging = staging(recipe, folder.path(), &cgroups)?;
        let staging =
            serde_json::to_string(&staging).map_err(|why| Error::internal(why.to_string()))?;
        let mut child = Command::new(executable)
            .args([STAGE_COMMAND, "outer", &staging])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|why| Error::sandbox(format!("cannot start the sandbox: {why}")))?;
        let (sender, output) = channel();
        let tail = StderrTail::default();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || forward(stdout, &sender));
        }
        let (until_its_end, stderr_end) = channel();
        if let Some(stderr) = child.stderr.take() {
            let tail = tail.clone();
            thread::spawn(move || {
                collect(stderr, &tail);
                drop(until_its_end);
            });
        }
        let address_space =
            (!cgroups.limits_memory()).then(|| recipe.limits.memory + MAPPED_BEYOND_MEMORY);
        Ok(Self {
            child,
            output,
            stderr: tail,
            stderr_end,
            missing,
            address_space,
            cgroups,
            _folder: folder,
        })
    }
}

/// Creates a folder for a session. The name of the folder contains the identity of this process. With it, a later
/// process can check whether the process that created the folder has ended.
fn session_folder() -> Result<tempfile::TempDir> {
    let place = std::env::temp_dir();
    if place.to_str().is_none() {
        return Err(
            Error::sandbox("the path of the folder for temporary files is not UTF-8")
                .at(place)
                .hint("set TMPDIR to a folder with a path in UTF-8"),
        );
    }
    let failed = |why: std::io::Error| Error::io("make a folder in", &place, why);
    let folder = tempfile::Builder::new()
        .prefix(PREFIX)
        .suffix(&format!(":{}", ProcessIdentity::current()))
        .tempdir_in(&place)
        .map_err(failed)?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).map_err(failed)?;
    fs::create_dir(folder.path().join("root")).map_err(failed)?;
    Ok(folder)
}

fn staging(recipe: &Recipe, folder: &Path, cgroups: &Cgroups) -> Result<Staging> {
    let Interpreter::Host {
        python,
        environment,
        folders,
    } = &recipe.interpreter
    else {
        return Err(Error::internal(
            "the local sandbox needs a Python of this machine",
        ));
    };
    let environment = environment.as_deref();
    Ok(Staging {
        root: folder.join("root"),
        python: python_inside(python, environment),
        arguments: recipe.program.arguments.clone(),
        environment: owned(&recipe.program.environment),
        virtual_environment: environment.map(Path::to_owned),
        folders: folders.clone(),
        disk: recipe.limits.disk,
        processes: u64::from(recipe.limits.processes),
        cgroups: cgroups.entrances(),
        user: geteuid()
            .is_root()
            .then(|| 2_000_000_000 + rand::random::<u32>() % 100_000_000),
    })
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn forward(mut stdout: impl Read, sender: &Sender<Vec<u8>>) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(count) = stdout.read(&mut buffer) {
        if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
            return;
        }
    }
}

fn collect(mut stderr: impl Read, tail: &StderrTail) {
    let mut buffer = vec![0; 4096];
    while let Ok(count) = stderr.read(&mut buffer) {
        if count == 0 {
            return;
        }
        tail.push(&buffer[..count]);
    }
}

impl Session for LocalSession {
    fn send(&mut self, bytes: &[u8]) -> Result<()> {
        let ended = || Error::sandbox("the sandbox has ended");
        let input = self.child.stdin.as_mut().ok_or_else(ended)?;
        input
            .write_all(bytes)
            .and_then(|()| input.flush())
            .map_err(|_| ended())
    }

    fn receive(&mut self, wait: Duration) -> Result<Option<Vec<u8>>> {
        next_output(&self.output, wait)
    }

    fn scratch(&self) -> &'static [&'static str] {
        &SCRATCH
    }

    fn isolates_runs(&self) -> bool {
        true
    }

    fn missing_limits(&self) -> &[String] {
        &self.missing
    }

    fn address_space(&self) -> Option<u64> {
        self.address_space
    }

    fn oom_kills(&self) -> Option<u64> {
        self.cgroups.oom_kills()
    }

    fn loss(&mut self) -> Loss {
        match self.child.try_wait() {
            Ok(None) => Loss::Silent,
            _ => Loss::Died,
        }
    }

    fn stderr_tail(&self) -> String {
        // If the sandbox has just ended, its last output may not have arrived yet.
        let _ = self.stderr_end.recv_timeout(STDERR_GRACE);
        self.stderr.text()
    }
}

/// Ends the session's processes, waits for their end, and removes the control groups and the folder.
impl Drop for LocalSession {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The standard error ends when the last process closes it. Only then can the control groups be removed.
        let _ = self.stderr_end.recv_timeout(STDERR_GRACE);
        self.cgroups.remove();
    }
}
