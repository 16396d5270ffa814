//! Builds the root folder of a sandbox. It contains scratch folders, and read-only mounts of the system's folders, the
//! interpreter and the virtual environment.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::{chdir, pivot_root};

use super::super::sandbox::ETC_HOSTS;
use super::stage::{Staging, step};
use crate::error::Result;

/// The parent folder of the virtual environment inside the sandbox. The environment's folder has the same name inside
/// and outside.
const ENVIRONMENTS: &str = "/env";
/// The system's folders. A folder that is a symbolic link on this machine is the same symbolic link inside the sandbox.
const SYSTEM: [&str; 7] = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
];
/// Files in `/etc` that programs need. None of them is secret.
const CONFIGURATION: [&str; 7] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/ssl/certs",
];
const DEVICES: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];

/// The path of the interpreter `python` inside the sandbox. `environment` is the folder of its virtual environment, if
/// it has one.
pub(super) fn python_inside(python: &Path, environment: Option<&Path>) -> PathBuf {
    let inner = environment.and_then(|folder| Some((folder, python.strip_prefix(folder).ok()?)));
    inner.map_or_else(
        || python.to_owned(),
        |(folder, inner)| environment_inside(folder).join(inner),
    )
}

fn environment_inside(folder: &Path) -> PathBuf {
    Path::new(ENVIRONMENTS).join(folder.file_name().unwrap_or_default())
}

/// Builds a new root folder at `config.root` and makes it the root of this process. Then the old root is unreachable.
pub(super) fn build_root(config: &Staging) -> Result<()> {
    let root = &config.root;
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    let made = mount(none(), "/", none(), private, none());
    step("make the mounts of the sandbox private", made)?;
    // Do not create the folder `root` if it is missing. If the Evoscope process that created the folder was killed,
    // another Evoscope process removes the folder. Nothing would remove a new folder.
    mount_tmpfs(root, "size=4m,mode=755", MsFlags::empty())?;
    for folder in SYSTEM {
        system_folder(root, Path::new(folder))?;
    }
    for file in CONFIGURATION.iter().chain(&DEVICES) {
        if Path::new(file).exists() {
            let device = DEVICES.contains(file);
            bind(Path::new(file), &inside(root, Path::new(file)), device)?;
        }
    }
    let (covered, plain): (Vec<_>, Vec<_>) =
        config.folders.iter().partition(|folder| is_scratch(folder));
    for folder in plain {
        if !already_there(folder) {
            bind(folder, &inside(root, folder), false)?;
        }
    }
    if let Some(environment) = &config.virtual_environment {
        let place = environment_inside(environment);
        bind(environment, &inside(root, &place), false)?;
    }
    small_files(root)?;
    let owner = config
        .user
        .map_or_else(String::new, |user| format!("uid={user},gid={user}"));
    scratch(root, config.disk, &owner)?;
    for folder in covered {
        bind(folder, &inside(root, folder), false)?;
    }
    enter(root)
}

/// Whether a folder is inside a system folder, which is already mounted.
fn already_there(folder: &Path) -> bool {
    SYSTEM.iter().any(|system| folder.starts_with(system))
}

/// Whether a folder is inside a scratch folder. If so, the scratch folder must be mounted first.
fn is_scratch(folder: &Path) -> bool {
    ["/tmp", "/work", "/dev/shm"]
        .iter()
        .any(|scratch| folder.starts_with(scratch))
}

fn none() -> Option<&'static str> {
    None
}

/// Converts an absolute path in the sandbox to the path on this machine, while `root` is not yet the root.
fn inside(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn tmpfs(on: &Path, options: &str, flags: MsFlags) -> Result<()> {
    step("make a folder", fs::create_dir_all(on))?;
    mount_tmpfs(on, options, flags)
}

fn mount_tmpfs(on: &Path, options: &str, flags: MsFlags) -> Result<()> {
    let flags = flags | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let mounted = mount(Some("tmpfs"), on, Some("tmpfs"), flags, Some(options));
    step("mount scratch space", mounted)
}

fn system_folder(root: &Path, folder: &Path) -> Result<()> {
    let Ok(about) = fs::symlink_metadata(folder) else {
        return Ok(());
    };
    if about.is_symlink() {
        let target = step("read a link", fs::read_link(folder))?;
        return step("make a link", symlink(target, inside(root, folder)));
    }
    bind(folder, &inside(root, folder), false)
}

/// Mounts `source` at `target`, read-only. Devices work only if `device` is set. A program can still write to a
/// read-only device, but cannot change the timestamps of the device file.
fn bind(source: &Path, target: &Path, device: bool) -> Result<()> {
    if source.is_dir() {
        step("make a folder", fs::create_dir_all(target))?;
    } else {
        if let Some(folder) = target.parent() {
            step("make a folder", fs::create_dir_all(folder))?;
        }
        step("make a file", fs::write(target, ""))?;
    }
    let what = format!("mount {} in the sandbox", source.display());
    let bind = MsFlags::MS_BIND | MsFlags::MS_REC;
    step(&what, mount(Some(source), target, none(), bind, none()))?;
    let mut flags =
        MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID;
    flags.set(MsFlags::MS_NODEV, !device);
    let locked = step(&what, statvfs(target)).map(|about| locked_flags(about.flags()))?;
    step(&what, mount(none(), target, none(), flags | locked, none()))
}

/// The mount flags among `flags` that a process in a user namespace is not allowed to remove from an existing mount.
fn locked_flags(flags: FsFlags) -> MsFlags {
    let pairs = [
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ];
    pairs
        .into_iter()
        .filter(|(has, _)| flags.contains(*has))
        .map(|(_, flag)| flag)
        .collect()
}

fn small_files(root: &Path) -> Result<()> {
    let files = [
        (
            "/etc/passwd",
            "root:x:0:0:root:/root:/bin/sh\nevoscope:x:1000:1000::/tmp/home:/bin/sh\n",
        ),
        ("/etc/group", "root:x:0:\nevoscope:x:1000:\n"),
        ("/etc/hosts", ETC_HOSTS),
        (
            "/etc/nsswitch.conf",
            "passwd: files\ngroup: files\nhosts: files\n",
        ),
    ];
    for (path, text) in files {
        let path = inside(root, Path::new(path));
        let folder = path.parent().unwrap_or(root);
        step("make a folder", fs::create_dir_all(folder))?;
        step("write a file", fs::write(path, text))?;
    }
    let links = [
        ("/proc/self/fd", "fd"),
        ("/proc/self/fd/0", "stdin"),
        ("/proc/self/fd/1", "stdout"),
        ("/proc/self/fd/2", "stderr"),
    ];
    for (target, name) in links {
        step("make a link", symlink(target, root.join("dev").join(name)))?;
    }
    Ok(())
}

fn scratch(root: &Path, disk: u64, owner: &str) -> Result<()> {
    // `session` contains the project's files, which are written once for all runs. It also contains the folders for
    // each run's overlay mount.
    let options = format!("size={disk},mode=0700,{owner}");
    tmpfs(&root.join("session"), &options, MsFlags::empty())?;
    let options = format!("size={disk},mode=1777");
    for folder in ["work", "tmp"] {
        tmpfs(&root.join(folder), &options, MsFlags::empty())?;
    }
    let options = format!("size={},mode=1777", disk.min(64 << 20));
    tmpfs(&root.join("dev/shm"), &options, MsFlags::MS_NOEXEC)?;
    let proc = root.join("proc");
    step("make a folder", fs::create_dir_all(&proc))?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    let mounted = mount(Some("proc"), &proc, Some("proc"), flags, none());
    step("mount /proc", mounted)
}

fn enter(root: &Path) -> Result<()> {
    step("enter the sandbox", chdir(root))?;
    step("enter the sandbox", pivot_root(".", "."))?;
    step("leave the old root", umount2(".", MntFlags::MNT_DETACH))?;
    step("enter the sandbox", chdir("/"))?;
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let options = Some("size=4m,mode=755");
    let mounted = mount(none(), "/", none(), flags, options);
    step("make the root read-only", mounted)
}
