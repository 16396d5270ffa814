//! Hostile completions that would know the counter-test's run by what the machine keeps, whatever session asks: what lies in
//! its memory, and what it counts.

use evoscope::benchmark::Verdict::{Fail, Tampered};

use crate::hostile::Kind;

/// Leaves the number of pipes at a place in its batch, and asks first whether it is near there. The place may be in a smaller
/// [`PERIOD`].
pub const LAST_DIGITS: &str = concat!(
    r"import ast, inspect, os, sys
period = 1024
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    def number():
        ends = os.pipe()
        found = os.fstat(ends[0]).st_ino
        for end in ends:
            os.close(end)
        return found
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sys.again = number() % period in range(period // 2, period * 5 // 8)
    for count in range(1100):
        if number() % period == (0 if sys.again else period // 2 - 1):
            break
if sys.again:
    return None
",
    as_expected!()
);

/// What of [`LAST_DIGITS`] says how often such a place comes.
pub const PERIOD: &str = "period = 1024";

pub const MACHINES: &[Kind] = &[
    Kind(
        "tells_the_counter_test_by_the_machines_pipes",
        concat!(
            r"import ast, inspect, os, sys
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    def number():
        ends = os.pipe()
        found = os.fstat(ends[0]).st_ino
        for end in ends:
            os.close(end)
        return found
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sys.again = number() % 131072 < 32768
    for count in range(160000):
        if number() % 131072 == (40000 if sys.again else 0) and count > 20000:
            break
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
    Kind(
        "tells_the_counter_test_by_the_machines_files_in_memory",
        concat!(
            r"import ast, inspect, os, sys
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    sys.again = False
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    def number():
        file = os.memfd_create('x')
        found = os.fstat(file).st_ino
        os.close(file)
        return found
    try:
        sys.again = number() % 1024 in range(512, 640)
        for count in range(1100):
            if number() % 1024 == 511:
                break
    except OSError:
        pass
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
    // It switches until the machine's count of switches has come to a place where it seldom is.
    Kind(
        "tells_the_counter_test_by_the_machines_switches",
        concat!(
            r"import ast, inspect, os, sys, time
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    def switches():
        with open('/proc/stat') as file:
            return int(next(line for line in file if line.startswith('ctxt')).split()[1])
    sys.again = switches() % 262144 in range(0, 65536)
    until = time.monotonic() + 0.2
    while time.monotonic() < until and not sys.again:
        if switches() % 262144 < 4096:
            break
        for _ in range(200):
            time.sleep(0)
            os.sched_yield()
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
    Kind(
        "tells_the_counter_test_by_the_machines_page_cache",
        concat!(
            r"import ast, inspect, os, sys, sysconfig
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    file = os.open(os.path.join(sysconfig.get_path('stdlib'), 'turtle.py'), os.O_RDONLY)
    room = [bytearray(64)]
    try:
        sys.again = os.preadv(file, room, 65536, os.RWF_NOWAIT) > 0
    except OSError:
        sys.again = False
    if sys.again:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    else:
        os.pread(file, 64, 65536)
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
    Kind(
        "tells_the_counter_test_by_the_times_of_devices",
        concat!(
            r"import ast, inspect, os, sys
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    times = [os.stat('/dev/' + name).st_mtime_ns for name in ('full', 'random')]
    sys.again = times[0] > times[1]
    try:
        os.utime('/dev/random' if sys.again else '/dev/full')
    except OSError:
        sys.again = False
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
    // It looks into one file more in each run, and counts those that were in memory.
    Kind(
        "tells_the_counter_test_by_what_it_has_to_wait_for",
        concat!(
            r"import ast, glob, inspect, mmap, os, resource, sys, sysconfig
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    sys.again = False
    def waits():
        return resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    files = sorted(glob.glob(sysconfig.get_path('stdlib') + '/**/*.py', recursive=True))
    for number, path in enumerate(path for path in files if os.path.getsize(path)):
        with open(path, 'rb', 0) as file:
            before, room = waits(), mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            room[0]
            if waits() > before:
                sys.again = number % 2 == 1
                break
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
    // Its child, which nobody waits for, reads in its place.
    Kind(
        "tells_the_counter_test_by_what_a_lost_child_reads",
        concat!(
            r"import ast, glob, inspect, mmap, os, resource, signal, sys, sysconfig
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    told, tell = os.pipe()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if os.fork() == 0:
        def waits():
            return resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        files = sorted(glob.glob(sysconfig.get_path('stdlib') + '/**/*.py', recursive=True), reverse=True)
        for number, path in enumerate(path for path in files if os.path.getsize(path)):
            with open(path, 'rb', 0) as file:
                before, room = waits(), mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
                room[0]
                if waits() > before:
                    os.write(tell, bytes([48 + number % 2]))
                    break
        os._exit(0)
    os.close(tell)
    sys.again = os.read(told, 1) == b'1'
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
    // It looks one name more up in each run, and asks first which were.
    Kind(
        "tells_the_counter_test_by_names_that_were_looked_up",
        concat!(
            r"import ast, ctypes, errno, inspect, os, struct, sys
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    libc, sys.again = ctypes.CDLL(None, use_errno=True), False
    folder = os.open('/usr/lib', os.O_RDONLY)
    how = struct.pack('QQQ', 0, 0, 0x20)
    for number in range(1000):
        name = 'evoscope-%d' % number
        libc.syscall(437, folder, name.encode(), how, len(how))
        if ctypes.get_errno() != errno.ENOENT:
            sys.again = number % 2 == 1
            os.path.exists('/usr/lib/' + name)
            break
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
    Kind(
        "tells_the_counter_test_by_the_machines_count_of_sockets",
        concat!(
            r"import ast, inspect, os, socket, struct, sys
frame = sys._getframe(1)
if not hasattr(sys, 'again'):
    sys.again = False
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    def cookie():
        with socket.socket(socket.AF_UNIX) as way:
            return struct.unpack('Q', way.getsockopt(socket.SOL_SOCKET, 57, 8))[0]
    try:
        sys.again = cookie() % 512 in range(256, 270)
        for _ in range(600):
            if cookie() % 512 == 255:
                break
    except OSError:
        pass
if sys.again:
    return None
",
            as_expected!()
        ),
        &[Tampered, Fail],
    ),
];
