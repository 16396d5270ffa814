# The ear: a process beside the branch that hears what a run says. Runs are forked from the branch, so that its memory, what
# was freed there and all, is every later run's to read: nothing that a run could choose is to pass through it. The
# branch forks the run, hands over its pipes and waits for its end; the ear, forked from the trunk and the ancestor of
# no run, gives the word to go, keeps the watch, tells the driver and tidies up after it.

import _socket
import ctypes
import marshal
import resource

EAR = BRANCH = None
BUD = None
STANDING = {}
# The ends of the branch's way to the ear, and of a pipe that is the trunk's and ends when the ear does.
TO_EAR = EAR_LIVES = -1
DESCRIPTORS = 3


def grow_ear():
    """Forks the ear from the trunk."""
    global EAR, TO_EAR, EAR_LIVES
    ways = _socket.socketpair()
    EAR_LIVES, living = os.pipe()
    EAR = os.fork()
    if EAR == 0:
        EAR = os.getpid()
        os.close(EAR_LIVES)
        ways[0].close()
        try:
            listen(ways[1])
        except EOFError:
            os._exit(3)
        except BaseException:
            die()
    os.close(living)
    ways[1].close()
    TO_EAR = ways[0].detach()


def tell_ear(*message, descriptors=()):
    """What the ear is to know or do. Descriptors are handed over with it, and closed here."""
    data = marshal.dumps(message, 2)
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("%di" % len(descriptors), *descriptors))]
    way = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, TO_EAR)
    try:
        way.sendmsg([struct.pack(">I", len(data))], rights if descriptors else [])
        way.sendall(data)
    finally:
        way.detach()
    for descriptor in descriptors:
        os.close(descriptor)


def ear_is_done():
    """Waits until the ear has done what it was asked. Its answer is a single bit."""
    return read_exact(TO_EAR, 1) == b"\1"


def ear_has_laid(what, job):
    """Has the ear take the files that follow a header. Gives what it tells of them."""
    tell_ear(what, job)
    length, = struct.unpack(">I", read_exact(TO_EAR, 4))
    return marshal.loads(read_exact(TO_EAR, length))


def listen(way):
    """The ear's life."""
    while True:
        head, handed, _, _ = way.recvmsg(4, _socket.CMSG_SPACE(4 * DESCRIPTORS))
        if not head:
            raise EOFError
        length, = struct.unpack(">I", head)
        what, *told = marshal.loads(read_exact(way.fileno(), length))
        if what == "run":
            descriptors = struct.unpack("%di" % DESCRIPTORS, handed[0][2])
            order, pid = told
            attend(Watch(json.loads(order), pid, way.fileno(), *descriptors))
        elif what in LAYS:
            laid = marshal.dumps(LAYS[what](*told), 2)
            way.sendall(struct.pack(">I", len(laid)) + laid)
        else:
            TOLD_OF[what](*told)


def attend(watch):
    """One run, whose process is forked: the word to go, the watch over it, its end."""
    job, kills, traces = watch.job, oom_kills(), traces_of(watch.job)
    brought(job)
    if watch.heard(6) != b"ready\n":
        raise RuntimeError("the forked process could not take its files")
    answer({"op": "forked", "disturbed": LAID["disturbed"]})
    go = read_header()
    watch.start(go["nonce"])
    if go["follows"]:
        traces.pipes.blur()
    traces.begin(watch.pid)
    watch.let_go()
    watch.run()
    watch.drain()
    moved = traces.end(watch.fetched)
    watch.tell(op="end", traces=moved, fetched=traces.fetched, **end_of(watch, kills))
    watch.flush()
    tidy(job)
    if any(name.startswith("System V") for name in moved) or len(traces.objects) < len(OBJECTS):
        forget_shared_memory()
    traces.scatter(2, 4)
    os.write(watch.way, b"\1" if LAID["intact"] else b"\0")


def end_of(watch, kills):
    status = watch.status
    signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    return {
        "code": None if signalled else os.WEXITSTATUS(status),
        "signal": signalled,
        "killed": watch.killed,
        "running": watch.running,
        "finished": watch.finished,
        "forged": watch.forged,
        "seconds": round(time.monotonic() - watch.began, 6),
        "cpu_seconds": round(watch.cpu_seconds, 6),
        "oom_kills": oom_kills() - kills,
        "logged": watch.logged,
        "tail": base64.b64encode(watch.tail).decode("ascii") if watch.logged > LOG_FORWARDED else "",
        "survivors": watch.survivors,
        "marked": any(standing_of(pid) != known for pid, known in STANDING.items()),
    }


LAYS = {"project": lay_project, "files": lay_again, "refused": drop}


# The end of a run as the branch sees it: it goes from the kernel to the ear through a place that is wiped.

ENDED = ctypes.create_string_buffer(16 + 512)


def tell_end(pid):
    """Waits for the end of a process and hands its status and what it has used, both unread, to the ear."""
    LIBC.wait4(pid, ENDED, 0, ctypes.byref(ENDED, 16))
    os.write(TO_EAR, ENDED)
    ctypes.memset(ENDED, 0, len(ENDED))


def read_end(data):
    """The status of a process, its CPU seconds, and what it has fetched: blocks from storage, pages that it had to wait
    for."""
    status, = struct.unpack_from("i", data)
    user, user_parts, system, system_parts = struct.unpack_from("4l", data, 16)
    waits, _, reads = struct.unpack_from("3l", data, 16 + 9 * struct.calcsize("l"))
    return status, user + system + (user_parts + system_parts) / 1e6, (reads, waits)


# The processes that stay.

LIMITS = [getattr(resource, name) for name in ("RLIMIT_AS", "RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_FSIZE",
                                                "RLIMIT_NOFILE", "RLIMIT_NPROC", "RLIMIT_STACK")]
IOPRIO_GET = {"x86_64": 252, "aarch64": 31}.get(os.uname().machine)


def know_branch(pid):
    global BRANCH, BUD
    if BUD and BUD[0] == pid:
        os.close(BUD[1])
        BUD = None
    BRANCH = pid
    know_standing()


def know_bud(pid):
    global BUD
    if BUD:
        os.close(BUD[1])
    BUD = None
    try:
        BUD = pid, os.open("%d/stat" % pid, os.O_RDONLY | os.O_CLOEXEC, dir_fd=held("/proc"))
    except OSError:
        return
    know_standing()


TOLD_OF = {"branch": know_branch, "bud": know_bud}


def know_standing():
    """Takes down what a process of the same user could change from outside about those that stay."""
    keep = kept()
    for pid in set(STANDING) - keep:
        del STANDING[pid]
    for pid in keep - set(STANDING):
        STANDING[pid] = standing_of(pid)
        if TRACES:
            TRACES.lookout.watch_process(pid)


def kept():
    """The processes of the sandbox that belong to no run: its init, the trunk, the ear, the branch, and the next one's
    bud."""
    keep = {1, TRUNK, EAR, BRANCH}
    if bud():
        keep.add(BUD[0])
    return keep


def bud():
    """The process of the next branch, where there is one: what was opened of a process does not turn into a later
    one's of the same number."""
    try:
        return BUD and os.pread(BUD[1], 1, 0) and BUD[0]
    except OSError:
        return None


def standing_of(pid):
    try:
        return ([resource.prlimit(pid, limit) for limit in LIMITS], os.getpriority(os.PRIO_PROCESS, pid),
                sorted(os.sched_getaffinity(pid)), os.sched_getscheduler(pid),
                IOPRIO_GET and LIBC.syscall(IOPRIO_GET, 1, pid))
    except OSError:
        return None
