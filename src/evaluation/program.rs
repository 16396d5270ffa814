//! The Python program that runs inside a sandbox: the warden with the judge in front of it.

/// What Python is started with, by `-c`: it takes the program, and modules as code, from standard input.
pub(super) const BOOT: &str = include_str!("python/boot.py");

/// The parts in `python/` as one program: they share their names, and the last one starts it.
pub(super) const PROGRAM: &str = concat!(
    include_str!("python/carried.py"),
    "\n\n",
    include_str!("python/judge.py"),
    "\n\n",
    include_str!("python/warm.py"),
    "\n\n",
    include_str!("python/compiled.py"),
    "\n\n",
    include_str!("python/near.py"),
    "\n\n",
    include_str!("python/seed.py"),
    "\n\n",
    include_str!("python/traces.py"),
    "\n\n",
    include_str!("python/refused.py"),
    "\n\n",
    include_str!("python/scratch.py"),
    "\n\n",
    include_str!("python/fork.py"),
    "\n\n",
    include_str!("python/watch.py"),
    "\n\n",
    include_str!("python/ear.py"),
    "\n\n",
    include_str!("python/growth.py"),
    "\n\n",
    include_str!("python/warden.py")
);

/// The interpreter's own flags: no bytecode, no user site; the warden takes an environment's packages itself.
pub(super) const FLAGS: [&str; 3] = ["-B", "-s", "-S"];

/// The environment that the warden and every run see.
pub(super) const ENVIRONMENT: [(&str, &str); 9] = [
    ("HOME", "/tmp/home"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONHASHSEED", "0"),
    ("TMPDIR", "/tmp"),
    ("USER", "evoscope"),
    ("LOGNAME", "evoscope"),
];
