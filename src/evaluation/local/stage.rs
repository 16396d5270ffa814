//! The two stages that start the Python interpreter in a sandbox.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use caps::{CapSet, Capability};
use nix::libc;
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::{set_dumpable, set_no_new_privs, set_pdeathsig};
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Gid, Uid, getegid, geteuid, setgroups, sethostname, setresgid, setresuid};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use serde::{Deserialize, Serialize};

use super::super::sandbox::HOSTNAME;
use super::{loopback, mounts};
use crate::error::{Error, Result};

/// The hidden subcommand that the stages run as.
pub const STAGE_COMMAND: &str = "sandbox-stage";
/// Processes of the session that belong to no run.
const RUNNER_PROCESSES: u64 = 12;

/// The capabilities that are needed to mount an overlay, which changes its upper layer with the rights of the process
/// that mounted it. A run gives them up before it executes code of the project.
const MOUNTING: [Capability; 5] = [
    Capability::CAP_SYS_ADMIN,
    Capability::CAP_DAC_OVERRIDE,
    Capability::CAP_FOWNER,
    Capability::CAP_CHOWN,
    Capability::CAP_FSETID,
];

/// The configuration of the stages.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Staging {
    /// An empty folder to build the new root on.
    pub root: PathBuf,
    /// The path of the interpreter inside the sandbox.
    pub python: PathBuf,
    /// The interpreter's arguments.
    pub arguments: Vec<String>,
    /// The interpreter's environment variables.
    pub environment: Vec<(String, String)>,
    /// The folder of the virtual environment, if there is one.
    pub virtual_environment: Option<PathBuf>,
    /// Folders that the interpreter needs, mounted inside at the same path.
    pub folders: Vec<PathBuf>,
    /// The size of each scratch space in bytes.
    pub disk: u64,
    /// The maximum number of processes and threads.
    pub processes: u64,
    /// The `cgroup.procs` files of the control groups to join.
    pub cgroups: Vec<PathBuf>,
    /// The user to become if root starts the sandbox. For an ordinary user, a user namespace is created instead.
    pub user: Option<u32>,
}

/// Runs one stage; returns only an error. Must be called before the process has started any thread.
pub fn run_stage(stage: &str, staging: &str) -> Result<std::convert::Infallible> {
    let config: Staging = serde_json::from_str(staging)
        .map_err(|why| Error::user(format!("not a sandbox's description: {why}")))?;
    match stage {
        "outer" => outer(&config, staging),
        "inner" => inner(&config),
        other => Err(Error::user(format!("no sandbox stage '{other}'"))),
    }
}

/// Turns a failure of the step `what` into an error.
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
        // The next stage needs the privileges over the new namespaces after its exec, so map this user to root.
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
    loopback::raise()?;
    limit(config)?;
    leave_user(config)?;
    own_namespaces(config)?;
    step("give up privileges", set_no_new_privs())?;
    refuse_key_management()?;
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

/// Becomes a user without an account, if root has started the sandbox.
fn leave_user(config: &Staging) -> Result<()> {
    let Some(user) = config.user else {
        return Ok(());
    };
    let (user, group) = (Uid::from_raw(user), Gid::from_raw(user));
    step("leave all groups", setgroups(&[]))?;
    step("leave the group", setresgid(group, group, group))?;
    step("leave the user", setresuid(user, user, user))?;
    // After a change of user, /proc/self belongs to root again until the process is dumpable. `own_namespaces` writes
    // its uid and gid maps there.
    step("leave the user", set_dumpable(true))
}

/// Creates a user namespace, and further namespaces that belong to it. In it, this process is an ordinary user with the
/// right to mount, so that the runner can give each run namespaces of its own. Outside of it, the process has no
/// privileges.
fn own_namespaces(config: &Staging) -> Result<()> {
    let outside = config.user.unwrap_or(0);
    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC;
    step("make namespaces for runs", unshare(flags))?;
    map_user(1000, outside, outside)?;
    for capability in MOUNTING {
        for set in [CapSet::Inheritable, CapSet::Ambient] {
            step(
                "retain the right to mount",
                caps::raise(None, set, capability),
            )?;
        }
    }
    Ok(())
}

/// Maps one user and group into a new user namespace (`user_namespaces(7)`).
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

/// Refuses the system calls of the kernel's key management: keys outlive processes, and keyrings are shared with the
/// machine.
fn refuse_key_management() -> Result<()> {
    let calls = [libc::SYS_add_key, libc::SYS_keyctl, libc::SYS_request_key];
    let refused = u32::try_from(libc::EPERM).unwrap_or(1);
    let filter = SeccompFilter::new(
        calls.map(|call| (call, Vec::new())).into_iter().collect(),
        SeccompAction::Allow,
        SeccompAction::Errno(refused),
        step("filter system calls", std::env::consts::ARCH.try_into())?,
    );
    let program: BpfProgram = step(
        "filter system calls",
        step("filter system calls", filter)?.try_into(),
    )?;
    step("filter system calls", seccompiler::apply_filter(&program))
}

fn limit(config: &Staging) -> Result<()> {
    // The limit counts only this sandbox: its own user has no other processes, and the kernel counts those in a user
    // namespace separately.
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
