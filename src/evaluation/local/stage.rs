//! The two stages that start the Python interpreter in a sandbox. `outer` creates namespaces. `inner` runs in them: it
//! builds the root, gives up privileges and starts the interpreter.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use caps::{CapSet, Capability};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::{set_dumpable, set_no_new_privs, set_pdeathsig};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Gid, Uid, getegid, geteuid, setgroups, sethostname, setresgid, setresuid};
use serde::{Deserialize, Serialize};

use super::super::sandbox::HOSTNAME;
use super::mounts;
use crate::error::{Error, Result};

/// The hidden subcommand of `evoscope` that runs a stage.
pub const STAGE_COMMAND: &str = "sandbox-stage";
/// The maximum number of processes that the sandbox itself needs, apart from those of the test runs.
const RUNNER_PROCESSES: u64 = 13;

/// The capabilities that a run needs to set up its namespaces: to enable its loopback device, and to mount an overlay
/// file system. The kernel changes the upper layer of an overlay with the capabilities of the process that mounted the
/// overlay. A run gives up these capabilities before it executes code of the project.
const SETTING_UP: [Capability; 6] = [
    Capability::CAP_NET_ADMIN,
    Capability::CAP_SYS_ADMIN,
    Capability::CAP_DAC_OVERRIDE,
    Capability::CAP_FOWNER,
    Capability::CAP_CHOWN,
    Capability::CAP_FSETID,
];

/// The configuration of the stages.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Staging {
    /// An empty folder in which the new root is built.
    pub root: PathBuf,
    /// The path of the interpreter inside the sandbox.
    pub python: PathBuf,
    /// The interpreter's arguments.
    pub arguments: Vec<String>,
    /// The interpreter's environment variables.
    pub environment: Vec<(String, String)>,
    /// The folder of the virtual environment, if there is one.
    pub virtual_environment: Option<PathBuf>,
    /// Folders that the interpreter needs. In the sandbox, each has the same path as on this machine.
    pub folders: Vec<PathBuf>,
    /// The size of each scratch space in bytes.
    pub disk: u64,
    /// The maximum number of processes and threads of a run.
    pub processes: u64,
    /// The `cgroup.procs` files of the control groups to join.
    pub cgroups: Vec<PathBuf>,
    /// The user id that the sandbox gets if root starts it. `None` for an ordinary user; the first stage then creates a
    /// user namespace.
    pub user: Option<u32>,
}

/// Runs the stage `outer` or `inner`. `staging` is a `Staging` as JSON. Returns only if there is an error; otherwise
/// the process exits. Must be called before the process has started any thread.
pub fn run_stage(stage: &str, staging: &str) -> Result<std::convert::Infallible> {
    let config: Staging = serde_json::from_str(staging)
        .map_err(|why| Error::user(format!("not a sandbox's description: {why}")))?;
    match stage {
        "outer" => outer(&config, staging),
        "inner" => inner(&config),
        other => Err(Error::user(format!("no sandbox stage '{other}'"))),
    }
}

/// Turns a failure into an error of kind sandbox: "cannot {what}: ...".
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

fn outer(config: &Staging, staging: &str) -> Result<std::convert::Infallible> {
    step(
        "tie the sandbox to its owner",
        set_pdeathsig(Signal::SIGKILL),
    )?;
    for entrance in &config.cgroups {
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
    if config.user.is_none() {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    step("leave the machine's namespaces", unshare(flags))?;
    if config.user.is_none() {
        // Map this user to root: only then does the second stage have privileges over the new namespaces after `exec`.
        map_user(0, user.as_raw(), group.as_raw())?;
    }
    let child = Command::new("/proc/self/exe")
        .args([STAGE_COMMAND, "inner", staging])
        .env_clear()
        .status();
    let status = step("start the sandbox", child)?;
    std::process::exit(status.code().unwrap_or(70))
}

fn inner(config: &Staging) -> Result<std::convert::Infallible> {
    step(
        "tie the sandbox to its owner",
        set_pdeathsig(Signal::SIGKILL),
    )?;
    mounts::build_root(config)?;
    step("name the sandbox", sethostname(HOSTNAME))?;
    limit(config)?;
    leave_user(config)?;
    own_namespaces(config)?;
    step("give up privileges", set_no_new_privs())?;
    step(
        "tie the sandbox to its owner",
        set_pdeathsig(Signal::SIGKILL),
    )?;
    let ended = Command::new(&config.python)
        .args(&config.arguments)
        .env_clear()
        .envs(config.environment.iter().cloned())
        .current_dir("/")
        .status();
    let status = step(&format!("start {}", config.python.display()), ended)?;
    std::process::exit(status.code().unwrap_or(70))
}

/// If root has started the sandbox, becomes the user `config.user`, which has no account.
fn leave_user(config: &Staging) -> Result<()> {
    let Some(user) = config.user else {
        return Ok(());
    };
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
    step("leave all groups", setgroups(&[]))?;
    step("leave the group", setresgid(group, group, group))?;
    step("leave the user", setresuid(user, user, user))?;
    // After a change of user, the files in `/proc/self` belong to root until the process is dumpable. `own_namespaces`
    // has to write two of these files, `uid_map` and `gid_map`.
    step("leave the user", set_dumpable(true))
}

/// Creates a user namespace, and mount, PID and IPC namespaces that belong to it. Inside the user namespace, this
/// process is an ordinary user with the rights to mount and to configure networks, so that the runner can create new namespaces for each run.
/// Outside of the user namespace, this process has no privileges.
fn own_namespaces(config: &Staging) -> Result<()> {
    let outside = config.user.unwrap_or(0);
    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC;
    step("make namespaces for runs", unshare(flags))?;
    map_user(1000, outside, outside)?;
    for capability in SETTING_UP {
        for set in [CapSet::Inheritable, CapSet::Ambient] {
            step(
                "retain the rights to set up runs",
                caps::raise(None, set, capability),
            )?;
        }
    }
    Ok(())
}

/// Maps the user id `user` and the group id `group` of the parent namespace to the id `inside` in this process's new
/// user namespace (`user_namespaces(7)`).
fn map_user(inside: u32, user: u32, group: u32) -> Result<()> {
    let files = [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{inside} {user} 1")),
        ("gid_map", format!("{inside} {group} 1")),
    ];
    for (file, text) in files {
        let written = fs::write(format!("/proc/self/{file}"), text);
        step("map the user", written)?;
    }
    Ok(())
}

fn limit(config: &Staging) -> Result<()> {
    // Only processes of this sandbox count against the limit. `config.user` has no other processes. Without
    // `config.user`, the kernel counts the processes of the sandbox's user namespace separately.
    let processes = config.processes + RUNNER_PROCESSES;
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
