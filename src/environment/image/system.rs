//! The part of an image that every program expects: a shell and tools, users, certificates, time zones, a locale.

use std::path::{Path, PathBuf};

use super::root_tree::RootTree;

/// The folders in which the system's tools are. They are looked for there, in this order, and not on the search path,
/// which may lead to wrappers.
const FOLDERS: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/// The tools that Evoscope's scripts run, and those that tests of projects often run. A tool that this machine does not
/// have is left out.
const TOOLS: &str = "\
    awk basename bash cat chmod chown cksum cmp comm cp cut date dd df diff dirname du echo egrep env expand expr false \
    fgrep find fold getconf getent git grep gunzip gzip head hostname id install join kill ldconfig link ln locale ls \
    mawk md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc od paste pathchk printenv printf pwd readlink realpath \
    rm rmdir sed seq sh sha1sum sha256sum sha512sum sleep sort split stat stdbuf stty sum sync tac tail tar tee test \
    timeout touch tr true truncate tsort tty uname unexpand uniq unlink uptime wc which whoami xargs yes \
    curl wget";

/// Files that are copied if this machine has them.
const FILES: [&str; 10] = [
    "/etc/ld.so.cache",
    "/etc/os-release",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/lib/terminfo/a/ansi",
    "/lib/terminfo/d/dumb",
    "/lib/terminfo/l/linux",
    "/lib/terminfo/v/vt100",
    "/lib/terminfo/x/xterm",
    "/lib/terminfo/x/xterm-256color",
];

/// Folders whose files are copied if this machine has them: a locale and the templates of git.
const DATA: [&str; 3] = [
    "/usr/lib/locale/C.utf8",
    "/usr/lib/locale/C.UTF-8",
    "/usr/share/git-core/templates",
];

/// Time zones and certificates. An interpreter on another image needs them too.
const SHARED_DATA: [&str; 5] = [
    "/usr/share/zoneinfo",
    "/etc/ssl/certs",
    "/etc/pki/tls/certs",
    "/usr/lib/ssl",
    "/usr/lib/x86_64-linux-gnu/ossl-modules",
];

const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n";
const GROUP: &str = "root:x:0:\nnogroup:x:65534:\n";
const NSSWITCH: &str = "passwd: files\ngroup: files\nhosts: files dns\n";

/// Adds the tools and the files of the system. Libraries are not added. There is no folder `/work`, because the mount of
/// a sandbox would get its mode and owner.
pub(super) fn add_system(tree: &mut RootTree) {
    for (path, mode) in [
        ("/dev", 0o755),
        ("/etc", 0o755),
        ("/opt", 0o755),
        ("/proc", 0o755),
        ("/root", 0o711),
        ("/run", 0o755),
        ("/sys", 0o755),
        ("/tmp", 0o1777),
        ("/usr", 0o755),
        ("/usr/bin", 0o755),
        ("/usr/local", 0o755),
        ("/usr/local/bin", 0o755),
        ("/var", 0o755),
        ("/var/tmp", 0o1777),
    ] {
        tree.add_empty_folder(path, mode);
    }
    // On systems with merged folders, these are links into `/usr`.
    for path in ["/bin", "/sbin", "/lib", "/lib64"] {
        tree.add(Path::new(path));
    }
    for tool in TOOLS.split_whitespace() {
        if let Some(path) = tool_path(tool) {
            tree.add(&path);
        }
    }
    for file in FILES {
        tree.add(Path::new(file));
    }
    for folder in DATA {
        tree.add_folder(Path::new(folder), &|_| false);
    }
    tree.add_text("/etc/passwd", PASSWD);
    tree.add_text("/etc/group", GROUP);
    tree.add_text("/etc/nsswitch.conf", NSSWITCH);
    add_shared_data(tree);
}

/// Adds time zones and certificates.
pub(super) fn add_shared_data(tree: &mut RootTree) {
    // `right` counts leap seconds, and `posix` repeats the time zones.
    let skip = |path: &Path| {
        ["right", "posix", "private"]
            .iter()
            .any(|name| path.ends_with(name))
    };
    for folder in SHARED_DATA {
        tree.add_folder(Path::new(folder), &skip);
    }
}

fn tool_path(tool: &str) -> Option<PathBuf> {
    let mut paths = FOLDERS.iter().map(|folder| Path::new(folder).join(tool));
    paths.find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_has_a_shell_and_the_tools_of_the_build() {
        let mut tree = RootTree::default();
        add_system(&mut tree);
        let files: Vec<&Path> = tree.files().collect();
        let names = [
            "cat", "chmod", "cp", "ln", "mkdir", "readlink", "rm", "sed", "tar",
        ];
        for name in names {
            assert!(files.iter().any(|path| path.ends_with(name)), "{name}");
        }
    }
}
