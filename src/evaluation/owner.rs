//! Who owns what a run leaves on a machine: a process, told apart from a later one with the same number.

use std::fmt;
use std::fs;
use std::str::FromStr;
use std::sync::OnceLock;

/// A process of this boot of this machine: `<boot id>:<pid>:<start time>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    boot: String,
    pid: u32,
    start: u64,
}

impl Owner {
    /// The running process.
    pub fn this_process() -> &'static Self {
        static THIS: OnceLock<Owner> = OnceLock::new();
        THIS.get_or_init(|| {
            let pid = std::process::id();
            Self {
                boot: boot_id(),
                pid,
                start: start_time(pid).unwrap_or(0),
            }
        })
    }

    /// Whether the process has ended. One of another machine or boot counts as dead only when the boot is this
    /// machine's earlier one, which cannot be told: it is left alone.
    pub fn is_dead(&self) -> bool {
        self.boot == boot_id() && start_time(self.pid) != Some(self.start)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.boot, self.pid, self.start)
    }
}

impl FromStr for Owner {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split(':');
        let (Some(boot), Some(pid), Some(start), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(());
        };
        Ok(Self {
            boot: boot.to_owned(),
            pid: pid.parse().map_err(|_| ())?,
            start: start.parse().map_err(|_| ())?,
        })
    }
}

fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id")
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// Clock ticks from boot to the process's start: field 22 of `/proc/<pid>/stat` (proc(5)).
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_living_process_is_not_dead_and_a_reused_number_is() {
        let this = Owner::this_process();
        assert!(!this.is_dead());
        let earlier = Owner {
            start: this.start.wrapping_add(1),
            ..this.clone()
        };
        assert!(earlier.is_dead());
        assert_eq!(this.to_string().parse(), Ok(this.clone()));
        assert_eq!("junk".parse::<Owner>(), Err(()));
    }
}
