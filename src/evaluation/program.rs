//! The Python program that runs inside a sandbox: the warden with the judge in front of it.

/// `judge.py`, `warm.py`, `seed.py` and `warden.py` as one program for `python -c`.
pub(super) const PROGRAM: &str = concat!(
    include_str!("python/judge.py"),
    "\n\n",
    include_str!("python/warm.py"),
    "\n\n",
    include_str!("python/seed.py"),
    "\n\n",
    include_str!("python/warden.py")
);

/// The interpreter's own flags: no bytecode, no user site, unbuffered.
pub(super) const FLAGS: [&str; 2] = ["-B", "-s"];

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
