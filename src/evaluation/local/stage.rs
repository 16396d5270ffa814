//! The two stages between this binary and the Python interpreter in its sandbox.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::{set_no_new_privs, set_pdeathsig};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Gid, Uid, getegid, geteuid, setgroups, sethostname, setresgid, setresuid};
use serde::{Deserialize, Serialize};

use super::super::program::{BOOT, ENVIRONMENT, FLAGS};
use super::super::sandbox::HOSTNAME;
use super::{STAGE_COMMAND, loopback, mounts};
use crate::error::{Error, Result};

/// What the stages are told.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Staging {
    /// An empty folder to build the new root on.
    pub root: PathBuf,
    /// The interpreter, as it is called inside.
    pub python: PathBuf,
    /// The folders of virtual environments.
    pub environments: Vec<PathBuf>,
    /// Folders that the interpreters need, at the same place inside.
    pub folders: Vec<PathBuf>,
    /// Bytes of each scratch space.
    pub disk: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Control groups to join.
    pub cgroups: Vec<PathBuf>,
    /// The user to become, where root starts it; an ordinary user gets a user namespace instead.
    pub user: Option<u32>,
}

/// Runs one stage; only returns to tell what failed. Must be called before the process has started any thread.
pub fn run_stage(stage: &str, staging: &str) -> Result<std::convert::Infallible> {
    let told: Staging = serde_json::from_str(staging)
        .map_err(|why| Error::user(format!("not a sandbox's description: {why}")))?;
    match stage {
        "outer" => outer(&told, staging),
        "inner" => inner(&told),
        other => Err(Error::user(format!("no sandbox stage '{other}'"))),
    }
}

/// An error with the step that failed.
pub(super) fn step<T, E: std::fmt::Display>(
    what: &str,
    result: std::result::Result<T, E>,
) -> Result<T> {
    result.map_err(|why| {
        Error::sandbox(format!("cannot {what}: {why}")).hint(
            "the kernel may forbid user namespaces here (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns): allow them, or use --sandbox docker",
        )
    })
}

fn outer(told: &Staging, staging: &str) -> Result<std::convert::Infallible> {
    step(
        "tie the sandbox to its owner",
        set_pdeathsig(Signal::SIGKILL),
    )?;
    for entrance in &told.cgroups {
        step(
            "join a control group",
            fs::write(entrance, std::process::id().to_string()),
        )?;
    }
    let (user, group) = (geteuid(), getegid());
    let mut flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    if told.user.is_none() {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    step("leave the machine's namespaces", unshare(flags))?;
    if told.user.is_none() {
        // The next stage has to keep its privileges over the namespaces when it starts, so it is their root.
        step("map the user", fs::write("/proc/self/setgroups", "deny"))?;
        step(
            "map the user",
            fs::write("/proc/self/uid_map", format!("0 {user} 1")),
        )?;
        step(
            "map the group",
            fs::write("/proc/self/gid_map", format!("0 {group} 1")),
        )?;
    }
    let child = Command::new("/proc/self/exe")
        .args([STAGE_COMMAND, "inner", staging])
        .env_clear()
        .status();
    let status = step("start the sandbox", child)?;
    std::process::exit(status.code().unwrap_or(70))
}

fn inner(told: &Staging) -> Result<std::convert::Infallible> {
    step(
        "tie the sandbox to its owner",
        set_pdeathsig(Signal::SIGKILL),
    )?;
    mounts::build_root(told)?;
    step("name the sandbox", sethostname(HOSTNAME))?;
    loopback::raise()?;
    limit(told)?;
    become_nobody(told)?;
    step("give up privileges", set_no_new_privs())?;
    step(
        "tie the sandbox to its owner",
        set_pdeathsig(Signal::SIGKILL),
    )?;
    let mut command = Command::new(&told.python);
    command
        .args(FLAGS)
        .args(["-c", BOOT])
        .env_clear()
        .envs(ENVIRONMENT)
        .current_dir("/");
    // Capabilities end at exec, since the user is not root.
    let why = command.exec();
    Err(Error::sandbox(format!(
        "cannot start {}: {why}",
        told.python.display()
    )))
}

/// Leaves root behind, with every privilege: for a user of its own, or, in an ordinary user's namespace, for a further
/// namespace in which it is not root either.
fn become_nobody(told: &Staging) -> Result<()> {
    let Some(user) = told.user else {
        step("leave the user", unshare(CloneFlags::CLONE_NEWUSER))?;
        step(
            "leave the user",
            fs::write("/proc/self/uid_map", "1000 0 1"),
        )?;
        return step(
            "leave the group",
            fs::write("/proc/self/gid_map", "1000 0 1"),
        );
    };
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
    step("leave all groups", setgroups(&[]))?;
    step("leave the group", setresgid(group, group, group))?;
    step("leave the user", setresuid(user, user, user))
}

fn limit(told: &Staging) -> Result<()> {
    // A user of its own has no other processes; in a user namespace the kernel counts them apart.
    let processes = told.processes + 8;
    step(
        "limit the processes",
        setrlimit(Resource::RLIMIT_NPROC, processes, processes),
    )?;
    step("forbid core files", setrlimit(Resource::RLIMIT_CORE, 0, 0))?;
    step(
        "limit open files",
        setrlimit(Resource::RLIMIT_NOFILE, 1024, 4096)
            .or_else(|_| setrlimit(Resource::RLIMIT_NOFILE, 1024, 1024)),
    )
}
