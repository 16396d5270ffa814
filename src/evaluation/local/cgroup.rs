//! Control groups, where this process may make them: memory and number of processes, v1 and v2.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::super::sandbox::Limits;
use super::PREFIX;
use crate::environment::ProcessIdentity;

const ROOT: &str = "/sys/fs/cgroup";
/// What the warden holds and runs beside the run itself.
const WARDEN_MEMORY: u64 = 256 << 20;
const WARDEN_PROCESSES: u32 = 8;
/// How long the last processes of a group may take to go.
const LAST_PROCESSES: Duration = Duration::from_secs(2);

/// How an ordinary user comes by a group.
const DELEGATE: &str = " (`systemd-run --user --scope -p Delegate=yes` gives one)";

/// The groups of one session; removed by [`Cgroups::remove`] once its processes have ended.
#[derive(Debug, Default)]
pub(super) struct Cgroups {
    memory: Option<PathBuf>,
    processes: Option<PathBuf>,
}

impl Cgroups {
    /// Makes the groups that this machine lets this process make; tells in words which limits it lacks. They are named
    /// after the session and this process, so that they can be told from a dead run's by whoever finds them.
    pub(super) fn create(session: &str, limits: &Limits) -> (Self, Vec<String>) {
        let name = &owned(session);
        let groups = if Path::new(ROOT).join("cgroup.controllers").exists() {
            Self::create_v2(name, limits)
        } else {
            Self::create_v1(name, limits)
        };
        let mut missing = Vec::new();
        if groups.memory.is_none() {
            missing.push(format!(
                "no control group for memory{DELEGATE}: it is watched 20 times a second instead"
            ));
        }
        if groups.processes.is_none() {
            missing.push(
                "no control group for processes: they are limited by user instead".to_owned(),
            );
        }
        (groups, missing)
    }

    fn create_v1(name: &str, limits: &Limits) -> Self {
        let memory = own_group("memory").and_then(|parent| {
            let group = make(&parent, name)?;
            let bytes = (limits.memory + WARDEN_MEMORY).to_string();
            let set = fs::write(group.join("memory.limit_in_bytes"), &bytes).is_ok();
            let _ = fs::write(group.join("memory.memsw.limit_in_bytes"), &bytes);
            keep_if(set, group)
        });
        let processes = own_group("pids").and_then(|parent| {
            let group = make(&parent, name)?;
            let set = fs::write(
                group.join("pids.max"),
                (limits.processes + WARDEN_PROCESSES).to_string(),
            )
            .is_ok();
            keep_if(set, group)
        });
        Self { memory, processes }
    }

    fn create_v2(name: &str, limits: &Limits) -> Self {
        let Some(own) = own_group("") else {
            return Self::default();
        };
        [Some(own.as_path()), own.parent()]
            .into_iter()
            .flatten()
            .find_map(|place| Self::create_v2_in(place, name, limits))
            .or_else(|| {
                let cleared = is_alone(&own) && move_into_leaf(&own);
                cleared.then(|| Self::create_v2_in(&own, name, limits))?
            })
            .unwrap_or_default()
    }

    fn create_v2_in(place: &Path, name: &str, limits: &Limits) -> Option<Self> {
        let _ = fs::write(place.join("cgroup.subtree_control"), "+memory +pids");
        let group = make(place, name)?;
        let set = |file: &str, value: String| fs::write(group.join(file), value).is_ok();
        let memory = set("memory.max", (limits.memory + WARDEN_MEMORY).to_string());
        let _ = set("memory.swap.max", "0".to_owned());
        let processes = set(
            "pids.max",
            (limits.processes + WARDEN_PROCESSES).to_string(),
        );
        if !(memory || processes) {
            let _ = fs::remove_dir(&group);
            return None;
        }
        let keep = |set: bool| set.then(|| group.clone());
        Some(Self {
            memory: keep(memory),
            processes: keep(processes),
        })
    }

    /// The files that a process writes its number to in order to join.
    pub(super) fn entrances(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = self
            .groups()
            .iter()
            .map(|group| group.join("cgroup.procs"))
            .collect();
        found.dedup();
        found
    }

    fn groups(&self) -> Vec<&PathBuf> {
        let mut groups: Vec<&PathBuf> = self.memory.iter().chain(&self.processes).collect();
        groups.dedup();
        groups
    }

    /// Whether the kernel limits the memory of all processes together.
    pub(super) fn limits_memory(&self) -> bool {
        self.memory.is_some()
    }

    /// How many processes the kernel has ended for want of memory.
    pub(super) fn oom_kills(&self) -> Option<u64> {
        let group = self.memory.as_ref()?;
        let text = fs::read_to_string(group.join("memory.events"))
            .or_else(|_| fs::read_to_string(group.join("memory.oom_control")))
            .ok()?;
        text.lines()
            .find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
    }

    /// Removes the groups; their last processes may take a moment to go.
    pub(super) fn remove(&mut self) {
        let until = Instant::now() + LAST_PROCESSES;
        for group in self.memory.take().into_iter().chain(self.processes.take()) {
            remove(&group, until);
        }
    }
}

/// Removes a group, however often that takes before `until`; tells whether this process has removed it.
fn remove(group: &Path, until: Instant) -> bool {
    while fs::remove_dir(group).is_err() {
        if !group.exists() || Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

/// The name of a group of this process's.
fn owned(session: &str) -> String {
    format!("{session}:{}", ProcessIdentity::current())
}

/// Whether that is the name of a group whose process has ended.
fn is_left_behind(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.split_once(':'))
        .and_then(|(_, owner)| owner.parse::<ProcessIdentity>().ok())
        .is_some_and(|owner| owner.has_ended())
}

/// Whether this process is the only one in its group: that of a service or scope of its own.
fn is_alone(own: &Path) -> bool {
    fs::read_to_string(own.join("cgroup.procs"))
        .is_ok_and(|processes| processes.trim() == std::process::id().to_string())
}

/// Makes way for sessions in a group that is this process's alone: one with processes in it gives its groups no
/// controllers (cgroups(7), "no internal processes"). False where the group is not this user's to write.
fn move_into_leaf(own: &Path) -> bool {
    let process = std::process::id().to_string();
    let Some(leaf) = make(own, &owned(&format!("{PREFIX}leader"))) else {
        return false;
    };
    let moved = fs::write(leaf.join("cgroup.procs"), &process).is_ok();
    if !moved {
        let _ = fs::remove_dir(&leaf);
    }
    moved
}

fn keep_if(set: bool, group: PathBuf) -> Option<PathBuf> {
    if set {
        return Some(group);
    }
    let _ = fs::remove_dir(&group);
    None
}

fn make(parent: &Path, name: &str) -> Option<PathBuf> {
    let group = parent.join(name);
    fs::create_dir(&group).ok()?;
    Some(group)
}

/// This process's own group: of a v1 controller, or with an empty name the v2 one.
fn own_group(controller: &str) -> Option<PathBuf> {
    let table = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = group_in(&table, controller)?;
    let group = Path::new(ROOT)
        .join(controller)
        .join(path.trim_start_matches('/'));
    // Inside a container the table names paths of the outside; the controller's root is the container's own then.
    if group.is_dir() {
        Some(group)
    } else {
        Some(Path::new(ROOT).join(controller)).filter(|root| root.is_dir())
    }
}

/// The path of a controller in the table of `/proc/<pid>/cgroup` (cgroups(7): `hierarchy:controllers:path`).
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

/// Removes the groups of dead runs, whose last processes may take a moment to go; gives how many.
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
    fn only_a_dead_runs_groups_are_left_behind() {
        let this = owned("evoscope-session-a");
        assert!(!is_left_behind(&this));
        let later = format!("{this}0");
        assert!(is_left_behind(&later), "{later}");
        assert!(!is_left_behind("evoscope-session-a"));
        assert!(!is_left_behind(&later.replace("session", "service")));
    }

    #[test]
    fn both_versions_of_the_table_are_read() {
        let v1 = "9:name=systemd:/\n8:pids:/a\n4:memory:/b/c\n3:cpu,cpuacct:/d\n0::/\n";
        assert_eq!(group_in(v1, "memory"), Some("/b/c"));
        assert_eq!(group_in(v1, "cpuacct"), Some("/d"));
        assert_eq!(group_in("0::/user.slice\n", ""), Some("/user.slice"));
        assert_eq!(group_in("0::/user.slice\n", "memory"), None);
    }
}
