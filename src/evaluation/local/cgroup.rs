//! Control groups (v1 and v2) that limit memory and the number of processes, if this process can create them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::super::sandbox::Limits;
use super::session_name::{PREFIX, is_left_behind};
use crate::environment::ProcessIdentity;

const ROOT: &str = "/sys/fs/cgroup";
/// The maximum memory of the runner itself in bytes, in addition to the memory of a run.
const RUNNER_MEMORY: u64 = 256 << 20;
/// The maximum number of processes of the runner itself, in addition to the processes of a run.
const RUNNER_PROCESSES: u32 = 10;
/// How long to wait for the last processes of a group to end.
const LAST_PROCESSES: Duration = Duration::from_secs(2);

/// Part of a message: the command that gives an ordinary user a control group.
const DELEGATE: &str = " (`systemd-run --user --scope -p Delegate=yes` gives one)";

/// The control groups of one session. [`Cgroups::remove`] removes them after the session's processes have ended.
#[derive(Debug, Default)]
pub(super) struct Cgroups {
    memory: Option<PathBuf>,
    /// With v2, the same group as `memory`.
    processes: Option<PathBuf>,
}

impl Cgroups {
    /// Creates the groups that this process is allowed to create. Returns (the groups, a message for each limit that
    /// could not be set). `name` is the name of the session's folder. It contains the identity of this process, so that
    /// a later process can check whether the owner of the groups has ended.
    pub(super) fn create(name: &str, limits: &Limits) -> (Self, Vec<String>) {
        let memory = (limits.memory + RUNNER_MEMORY).to_string();
        let processes = (limits.processes + RUNNER_PROCESSES).to_string();
        let groups = if Path::new(ROOT).join("cgroup.controllers").exists() {
            let group = create_v2(name, &memory, &processes);
            Self {
                memory: group.clone(),
                processes: group,
            }
        } else {
            Self::create_v1(name, &memory, &processes)
        };
        let mut missing = Vec::new();
        if groups.memory.is_none() {
            missing.push(format!(
                "no control group for memory{DELEGATE}: memory use is measured 20 times a second instead"
            ));
        }
        if groups.processes.is_none() {
            missing.push(
                "no control group for processes: their number is limited per user instead"
                    .to_owned(),
            );
        }
        (groups, missing)
    }

    fn create_v1(name: &str, memory: &str, processes: &str) -> Self {
        let parent = own_group("memory");
        let group = parent.and_then(|p| make(&p, name, &[("memory.limit_in_bytes", memory)]));
        if let Some(group) = &group {
            // Ignore errors: not every kernel counts swap.
            let _ = fs::write(group.join("memory.memsw.limit_in_bytes"), memory);
        }
        let parent = own_group("pids");
        Self {
            memory: group,
            processes: parent.and_then(|p| make(&p, name, &[("pids.max", processes)])),
        }
    }

    /// The `cgroup.procs` files of the groups. A process that writes its id to these files joins the groups.
    pub(super) fn entrances(&self) -> Vec<PathBuf> {
        let groups = self.memory.iter().chain(&self.processes);
        let mut found: Vec<PathBuf> = groups.map(|group| group.join("cgroup.procs")).collect();
        found.dedup();
        found
    }

    /// Whether a control group limits the memory of all processes of the session together.
    pub(super) fn limits_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// How many processes of the session the kernel has killed because they were out of memory; `None` if there is no
    /// memory group or its file cannot be read.
    pub(super) fn oom_kills(&self) -> Option<u64> {
        let group = self.memory.as_ref()?;
        let text = fs::read_to_string(group.join("memory.events"))
            .or_else(|_| fs::read_to_string(group.join("memory.oom_control")))
            .ok()?;
        text.lines()
            .find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
    }

    /// Removes the groups. Waits up to two seconds for the last processes of the groups to end.
    pub(super) fn remove(&mut self) {
        let until = Instant::now() + LAST_PROCESSES;
        for group in self.memory.take().into_iter().chain(self.processes.take()) {
            remove(&group, until);
        }
    }
}

/// Removes a group, with retries until `until`. Returns whether this process removed the group.
fn remove(group: &Path, until: Instant) -> bool {
    while fs::remove_dir(group).is_err() {
        if !group.exists() || Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

/// Creates a v2 group with both limits, below this process's group or else below that group's parent. If neither is
/// possible and this process is alone in its group, moves this process to a new leaf group below its group, and tries
/// again. The move helps because a group that has processes cannot enable controllers for its children (cgroups(7), "no
/// internal processes").
fn create_v2(name: &str, memory: &str, processes: &str) -> Option<PathBuf> {
    let own = own_group("")?;
    let make_in = |place: &Path| {
        let _ = fs::write(place.join("cgroup.subtree_control"), "+memory +pids");
        let limits = [("memory.max", memory), ("pids.max", processes)];
        let group = make(place, name, &limits)?;
        let _ = fs::write(group.join("memory.swap.max"), "0");
        Some(group)
    };
    make_in(&own)
        .or_else(|| make_in(own.parent()?))
        .or_else(|| {
            let process = std::process::id().to_string();
            let inside = fs::read_to_string(own.join("cgroup.procs")).ok()?;
            if inside.trim() != process {
                return None;
            }
            let leaf = format!("{PREFIX}leader:{}", ProcessIdentity::current());
            make(&own, &leaf, &[("cgroup.procs", &process)])?;
            make_in(&own)
        })
}

/// Creates a group and writes `files`: (file name, content). If a file cannot be written, removes the group and returns
/// `None`.
fn make(parent: &Path, name: &str, files: &[(&str, &str)]) -> Option<PathBuf> {
    let group = parent.join(name);
    fs::create_dir(&group).ok()?;
    for (file, text) in files {
        if fs::write(group.join(file), text).is_err() {
            let _ = fs::remove_dir(&group);
            return None;
        }
    }
    Some(group)
}

/// The folder of this process's group. `controller` is the name of a v1 controller, or empty for the v2 group. `None`
/// if there is no such group.
fn own_group(controller: &str) -> Option<PathBuf> {
    let table = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = group_in(&table, controller)?;
    let group = Path::new(ROOT)
        .join(controller)
        .join(path.trim_start_matches('/'));
    // Inside a container, the table may name a group outside of the container. The root of the hierarchy is then the
    // container's group.
    if group.is_dir() {
        Some(group)
    } else {
        Some(Path::new(ROOT).join(controller)).filter(|root| root.is_dir())
    }
}

/// The path of a controller's group according to `table`, the content of `/proc/<pid>/cgroup`. The lines of `table` are
/// `hierarchy:controllers:path` (cgroups(7)).
fn group_in<'a>(table: &'a str, controller: &str) -> Option<&'a str> {
    table.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        controllers
            .split(',')
            .any(|name| name == controller)
            .then_some(path)
    })
}

/// Removes the groups that ended Evoscope processes left, and returns the number of removed groups. Waits up to two
/// seconds for the processes in these groups to end.
pub(super) fn sweep() -> usize {
    let until = Instant::now() + LAST_PROCESSES;
    let places: BTreeSet<PathBuf> = ["memory", "pids", ""]
        .into_iter()
        .filter_map(own_group)
        .flat_map(|own| own.parent().map(Path::to_owned).into_iter().chain([own]))
        .collect();
    places
        .iter()
        .flat_map(|place| fs::read_dir(place).into_iter().flatten().flatten())
        .filter(|entry| is_left_behind(&entry.file_name().to_string_lossy()))
        .filter(|entry| remove(&entry.path(), until))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_left_behind_only_if_its_owner_has_ended() {
        let this = format!("evoscope-session-a:{}", ProcessIdentity::current());
        assert!(!is_left_behind(&this));
        let later = format!("{this}0");
        assert!(is_left_behind(&later), "{later}");
        assert!(!is_left_behind("evoscope-session-a"));
        assert!(!is_left_behind(&later.replace("session", "service")));
    }

    #[test]
    fn the_path_of_a_group_is_read_for_v1_and_v2() {
        let v1 = "9:name=systemd:/\n8:pids:/a\n4:memory:/b/c\n3:cpu,cpuacct:/d\n0::/\n";
        assert_eq!(group_in(v1, "memory"), Some("/b/c"));
        assert_eq!(group_in(v1, "cpuacct"), Some("/d"));
        assert_eq!(group_in("0::/user.slice\n", ""), Some("/user.slice"));
        assert_eq!(group_in("0::/user.slice\n", "memory"), None);
    }
}
