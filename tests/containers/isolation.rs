//! Checks what a run finds in its sandbox. Each completion is correct code after a check. The completion passes only if
//! the check succeeds.

use evoscope::benchmark::Verdict;
use evoscope::evaluation::{SandboxKind, Settings, VerdictStore};

use crate::fixture::{Project, run_completions, settings};
use crate::hostile::RIGHT;

/// Evaluates three correct completions in one session. Each completion executes `check` once per run, and must pass.
fn holds(kind: SandboxKind, check: &str) {
    let indented = check.trim().replace('\n', "\n    ");
    let bodies: Vec<String> = (0..3)
        .map(|n| {
            format!(
                "import os, sys\nif not hasattr(sys, 'checked'):\n    sys.checked = {n}\n    {indented}\n{RIGHT}"
            )
        })
        .collect();
    let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
    let one = Settings {
        jobs: 1,
        ..settings()
    };
    let store = VerdictStore::in_memory().unwrap();
    let found = run_completions(kind, &Project::new().subject(), &bodies, one, &store).unwrap();
    for verdict in &found {
        assert_eq!(
            verdict.verdict,
            Verdict::Pass,
            "{}\n{}",
            verdict.reason,
            verdict.log
        );
    }
}

/// Like [`holds`], but only in the local sandbox, in which each run has its own namespaces.
fn holds_locally(kind: SandboxKind, check: &str) {
    if kind == SandboxKind::Local {
        holds(kind, check);
    }
}

pub fn own_processes(kind: SandboxKind) {
    holds_locally(
        kind,
        "assert (os.getpid(), os.getppid()) == (1, 0), (os.getpid(), os.getppid())
numbers = [name for name in os.listdir('/proc') if name.isdigit()]
assert numbers == ['1'], numbers",
    );
}

pub fn session_folder(kind: SandboxKind) {
    holds_locally(
        kind,
        "found = [os.path.join(top, name) for top, folders, files in os.walk('/session') for name in folders + files]
assert found == [], found
for place in ('/session/project', '/session/layer'):
    try:
        raise AssertionError(os.listdir(place))
    except OSError:
        pass
try:
    os.mkdir('/session/project')
except OSError:
    pass
else:
    raise AssertionError('/session can be written to')",
    );
}

/// A run must not have access to the kernel's keyrings: keys would survive the run, and a keyring may be the user's.
pub fn no_keys(kind: SandboxKind) {
    holds_locally(
        kind,
        "import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
add_key, request_key, keyctl = (248, 249, 250) if platform.machine() == 'x86_64' else (217, 218, 219)
calls = {
    'join': (keyctl, 1, None), 'search': (keyctl, 10, -3, b'user', b'x', 0), 'to_parent': (keyctl, 18),
    'add': (add_key, b'user', b'x', b'y', 1, -3), 'request': (request_key, b'user', b'x', None, -3),
}
for name, call in calls.items():
    assert libc.syscall(*call) == -1, name
    assert ctypes.get_errno() in (1, 38), (name, ctypes.get_errno())",
    );
}

/// A run has only the standard streams, the report channel, and the descriptors with which pytest captures output:
/// copies of the standard streams, and deleted files.
pub fn descriptors(kind: SandboxKind) {
    holds(
        kind,
        "held = {}
for name in os.listdir('/proc/self/fd'):
    try:
        held[int(name)] = os.readlink('/proc/self/fd/' + name)
    except OSError:
        pass
sockets = [number for number, what in held.items() if what.startswith('socket:')]
assert len(sockets) == 1, held
pipes = {what for what in held.values() if what.startswith('pipe:')}
assert len(pipes) <= 1, held
others = [what for what in held.values() if not what.startswith(('socket:', 'pipe:'))]
assert all(what == '/dev/null' or what.startswith('/tmp/') and what.endswith('(deleted)') for what in others), held
import fcntl
marks = os.O_APPEND | os.O_NONBLOCK
flags = {number: fcntl.fcntl(number, fcntl.F_GETFL) for number, what in held.items() if what == '/dev/null'}
assert not any(each & marks for each in flags.values()), (flags, held)
for number in flags:
    fcntl.fcntl(number, fcntl.F_SETFL, flags[number] | marks)",
    );
}

pub fn empty_scratch(kind: SandboxKind) {
    holds(
        kind,
        "assert set(os.listdir('/tmp')) <= {'home'}, os.listdir('/tmp')
assert os.listdir('/dev/shm') == [], os.listdir('/dev/shm')
assert os.listdir(os.environ['HOME']) == []",
    );
}

pub fn no_files_of_another_run(kind: SandboxKind) {
    holds(
        kind,
        "places = ('.', 'pkg', 'tests', '/tmp', '/dev/shm', '/var/tmp', '/work', '/dev/mqueue', os.environ['HOME'])
written = []
for place in places:
    path = os.path.join(place, 'left')
    assert not os.path.lexists(path), path
    try:
        with open(path, 'x') as file:
            file.write('left')
        written.append(place)
    except OSError:
        pass
assert {'.', 'pkg', 'tests', '/tmp'} <= set(written), written
os.mkdir('closed', 0o700)
open('closed/left', 'w').close()
os.chmod('closed', 0)
with open('tests/test_calc.py', 'a') as file:
    assert 'left' not in open('tests/test_calc.py').read()
    file.write('# left')",
    );
}

pub fn no_process_of_another_run(kind: SandboxKind) {
    holds(
        kind,
        "import subprocess, time
for name in os.listdir('/proc'):
    try:
        with open('/proc/%s/cmdline' % name, 'rb') as file:
            assert b'left' + b'behind' not in file.read(), name
    except (OSError, ValueError):
        pass
program = 'import time; time.sleep(600)  # left' + 'behind'
for _ in range(3):
    subprocess.Popen([sys.executable, '-c', program], start_new_session=True)",
    );
}

/// System V objects are not files, so deleting files after a run does not remove them.
pub fn no_memory_of_another_run(kind: SandboxKind) {
    holds(
        kind,
        "import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for get, size in ((libc.shmget, (64,)), (libc.semget, (1,)), (libc.msgget, ())):
    number = get(4711, *size, 0)
    assert number == -1, (get.__name__, number)
    get(4711, *size, 0o1666)",
    );
}
