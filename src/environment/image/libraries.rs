//! Finds the shared libraries that programs of this machine need.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::{Error, Result};

/// Libraries that programs load while they run, or that packages with compiled code expect on every system. They are
/// next to the C library.
const COMPANIONS: [&str; 16] = [
    "libanl.so.1",
    "libc.so.6",
    "libcrypt.so.1",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libgomp.so.1",
    "libm.so.6",
    "libnss_compat.so.2",
    "libnss_dns.so.2",
    "libnss_files.so.2",
    "libpthread.so.0",
    "libresolv.so.2",
    "librt.so.1",
    "libstdc++.so.6",
    "libutil.so.1",
    "libz.so.1",
];

/// The paths of all shared libraries that the files need, directly or indirectly, and of the dynamic loader. Files that
/// are no dynamic programs or libraries need none. Libraries that this machine does not have are left out.
///
/// Also returns the [`COMPANIONS`] that this machine has. Errors if `ldd` cannot be started.
pub(super) fn libraries<'a>(files: impl Iterator<Item = &'a Path>) -> Result<BTreeSet<PathBuf>> {
    // The dynamic loader of this machine resolves the names, so the result follows its own rules.
    let output = Command::new("ldd")
        .args(files)
        .env("LC_ALL", "C")
        .env_remove("LD_PRELOAD")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .map_err(|why| {
            Error::sandbox(format!("cannot start 'ldd': {why}"))
                .hint("install ldd (on Debian: apt install libc-bin)")
        })?;
    let mut found = parsed(&String::from_utf8_lossy(&output.stdout));
    let folders: BTreeSet<PathBuf> = found
        .iter()
        .filter(|path| path.ends_with("libc.so.6"))
        .filter_map(|path| path.parent().map(Path::to_owned))
        .collect();
    for folder in folders {
        found.extend(COMPANIONS.iter().map(|name| folder.join(name)));
    }
    found.retain(|path| path.is_file());
    Ok(found)
}

/// The paths in the output of `ldd`. A library's line is `NAME => PATH (ADDRESS)` or, for the dynamic loader, `PATH
/// (ADDRESS)`. The line of a library that is not found has no path.
fn parsed(output: &str) -> BTreeSet<PathBuf> {
    let library = |line: &str| {
        let (path, _) = line.trim().rsplit_once(" (0x")?;
        let path = path.rsplit_once(" => ").map_or(path, |(_, path)| path);
        path.starts_with('/').then(|| PathBuf::from(path))
    };
    output.lines().filter_map(library).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_ldd_is_read() {
        let output = "\
/usr/bin/git:
\tlinux-vdso.so.1 (0x00007ffca13000)
\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f62ca2000)
\tlibgone.so.2 => not found
\t/lib64/ld-linux-x86-64.so.2 (0x00007f627ca15000)
/usr/bin/which:
\tnot a dynamic executable
/usr/bin/other:
\tlibz.so.1 => /lib/x86_64-linux-gnu/libz.so.1 (0x00007f62ca2000)
";
        let found: Vec<_> = parsed(output).into_iter().collect();
        let expected = [
            "/lib/x86_64-linux-gnu/libz.so.1",
            "/lib64/ld-linux-x86-64.so.2",
        ];
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn a_program_needs_its_libraries_and_those_that_every_system_has() {
        let found = libraries([Path::new("/bin/sh")].into_iter()).unwrap();
        let has = |name: &str| found.iter().any(|path| path.ends_with(name));
        assert!(has("libc.so.6") && has("libpthread.so.0"), "{found:?}");
    }
}
