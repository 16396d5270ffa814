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
        "assert (os.getpid(), os.getppid()) == (2, 1), (os.getpid(), os.getppid())
numbers = [name for name in os.listdir('/proc') if name.isdigit()]
assert numbers == ['1', '2'], numbers",
    );
}

/// Connections that a run has closed, and counters of packets, must not be visible in a later run. A later run must be
/// able to use the same ports.
pub fn no_network_of_another_run(kind: SandboxKind) {
    holds(
        kind,
        "import errno, socket, struct
def rows(name):
    with open('/proc/net/' + name) as file:
        return [line.split() for line in file]
for name in ('tcp', 'tcp6', 'udp', 'udp6', 'ip6_flowlabel'):
    assert len(rows(name)) == 1, rows(name)
counts = dict(zip(*(row for row in rows('snmp') if row[0] == 'Tcp:')))
assert counts['ActiveOpens'] == counts['OutSegs'] == '0', counts
assert all(row[1] == '0' for row in rows('dev') if row[0] == 'lo:'), rows('dev')
for family, address in ((socket.AF_INET, '127.0.0.1'), (socket.AF_INET6, '::1')):
    server = socket.socket(family)
    try:
        server.bind((address, 8099))
    except OSError as why:
        assert why.errno == errno.EADDRNOTAVAIL and family == socket.AF_INET6, why
        continue
    server.listen()
    client = socket.socket(family)
    client.connect((address, 8099))
    server.accept()[0].close()
    assert client.recv(1) == b''
    client.close()
abstract = socket.socket(socket.AF_UNIX)
abstract.bind('\\0left')
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as failing:
    try:
        failing.connect(('192.0.2.1', 9))
    except OSError:
        pass",
    );
}

/// Only sockets that a network namespace contains can be made, and no user namespaces, in which a run would have all
/// capabilities.
pub fn refused_calls(kind: SandboxKind) {
    holds(
        kind,
        "import ctypes, errno, socket
for family, protocol in ((socket.AF_VSOCK, 0), (socket.AF_PACKET, 0), (socket.AF_ALG, 0), (socket.AF_NETLINK, 4)):
    try:
        socket.socket(family, socket.SOCK_RAW, protocol)
        raise AssertionError(family)
    except OSError as why:
        assert why.errno in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT), (family, why)
socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()
libc = ctypes.CDLL(None, use_errno=True)
assert libc.unshare(0x10000000) == -1 and ctypes.get_errno() == errno.EPERM, ctypes.get_errno()
assert libc.syscall(425, 1, None) == -1 and ctypes.get_errno() == errno.ENOSYS, ctypes.get_errno()",
    );
}

/// A run must not change the limits, the priority or the processors of the processes that start later runs. It can
/// change its own.
pub fn no_limits_of_another_run(kind: SandboxKind) {
    holds(
        kind,
        "import ctypes, resource
libc = ctypes.CDLL(None, use_errno=True)
kinds = [getattr(resource, name) for name in dir(resource) if name.startswith('RLIMIT_')]
kinds = [each for each in kinds if each != resource.RLIMIT_CORE and each != resource.RLIMIT_NPROC]
odd = {each: (750, 751) for each in kinds}
assert not any(resource.getrlimit(each) == odd[each] for each in kinds), kinds
assert os.nice(0) == 0 and os.sched_getscheduler(0) == os.SCHED_OTHER, (os.nice(0), os.sched_getscheduler(0))
processors = os.sched_getaffinity(0)
io_priority = (251, 252) if os.uname().machine == 'x86_64' else (30, 31)
assert libc.syscall(io_priority[1], 1, 0) & 0xfff in (0, 4), libc.syscall(io_priority[1], 1, 0)
if os.path.exists('/proc/1/timerslack_ns'):
    assert ctypes.CDLL(None).prctl(30, 0, 0, 0, 0) == 50000
others = [int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) != os.getpid()]
calls = [lambda pid, each=each: resource.prlimit(pid, each, odd[each]) for each in kinds]
calls += [
    lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 17),
    lambda pid: os.setpriority(os.PRIO_PGRP, os.getpgid(pid) or pid, 17),
    lambda pid: os.sched_setaffinity(pid, {max(processors)}),
    lambda pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)),
    lambda pid: libc.syscall(io_priority[0], 1, pid, 3 << 13),
    lambda pid: open('/proc/%d/oom_score_adj' % pid, 'w').write('900'),
    lambda pid: open('/proc/%d/timerslack_ns' % pid, 'w').write('60000'),
    lambda pid: open('/proc/%d/autogroup' % pid, 'w').write('9'),
]
for pid in others:
    for call in calls:
        try:
            call(pid)
        except (OSError, ValueError):
            pass
assert os.getpriority(os.PRIO_PROCESS, 0) == 0
resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE, (750, 751))
os.sched_setaffinity(os.getpid(), {max(processors)})
os.setpriority(os.PRIO_PROCESS, 0, 3)
assert os.nice(1) == 4",
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
