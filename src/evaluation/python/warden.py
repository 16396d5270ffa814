"""The warden: a warm interpreter in a sandbox. It has loaded pytest and the third-party libraries, forks one process
for each run, watches over it, and leaves nothing of it behind.

It is driven over standard input (a length, a JSON header, raw bytes) and answers on standard output (a JSON object a
line). What a run needs beyond the shared base (the spliced files) is read by the forked process itself, so that it
never enters this one. The token that proves a report genuine arrives after the fork, before the forked process goes
on: code that is being judged has never seen it.
"""
import base64
import ctypes
import fcntl
import gc
import importlib
import resource
import select
import signal
import stat
import struct
import sys
import threading
import time
import types

LOG_FORWARDED = 192 * 1024
LOG_TAIL = 32 * 1024
LINE_LIMIT = 256 * 1024
REPORT_LIMIT = 64 * 1024 * 1024
CHANNEL = 700


def read_exact(descriptor, count):
    parts = []
    while count:
        part = os.read(descriptor, min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_header():
    length, = struct.unpack(">I", read_exact(0, 4))
    return json.loads(read_exact(0, length).decode("utf-8"))


def answer(message):
    data = json.dumps(message).encode("ascii") + b"\n"
    while data:
        data = data[os.write(1, data):]


# Scratch space.

def copy_tree(source, target):
    os.mkdir(target, 0o700)
    with os.scandir(source) as entries:
        for entry in entries:
            into = os.path.join(target, entry.name)
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), into)
            elif entry.is_dir():
                copy_tree(entry.path, into)
            else:
                copy_file(entry.path, into)


def copy_file(source, target):
    reading = os.open(source, os.O_RDONLY)
    try:
        mode = stat.S_IMODE(os.fstat(reading).st_mode) | 0o600
        writing = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            while True:
                data = os.read(reading, 1 << 20)
                if not data:
                    break
                while data:
                    data = data[os.write(writing, data):]
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def wipe(folder):
    """Empties a folder whatever stands in it: nested folders are moved to its top, so no depth can hurt."""
    moved = 0
    again = True
    while again:
        again = False
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                os.unlink(path)
                continue
            os.chmod(path, 0o700)
            for inner in os.listdir(path):
                below = os.path.join(path, inner)
                if stat.S_ISDIR(os.lstat(below).st_mode):
                    os.chmod(below, 0o700)
                    moved += 1
                    os.rename(below, os.path.join(folder, ".evoscope-%d-%d" % (moved, time.monotonic_ns())))
                    again = True
                else:
                    os.unlink(below)
            os.rmdir(path)


# What the sandbox knows of its memory.

def oom_kills():
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        try:
            with open(path) as lines:
                for line in lines:
                    word, _, count = line.partition(" ")
                    if word == "oom_kill":
                        return int(count)
        except (OSError, ValueError):
            continue
    return 0


def others(keep):
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in keep:
            found.append(int(name))
    return found


def resident(keep):
    """Bytes held by all processes but those in `keep`, shared pages counted once where the kernel tells."""
    pages = 0
    pids = others(keep)
    for pid in pids:
        try:
            with open("/proc/%d/statm" % pid) as statm:
                pages += int(statm.read().split()[1])
        except (OSError, ValueError, IndexError):
            continue
    return pages * resource.getpagesize()


def proportional(keep):
    total = 0
    for pid in others(keep):
        try:
            with open("/proc/%d/smaps_rollup" % pid) as rollup:
                for line in rollup:
                    if line.startswith("Pss:"):
                        total += int(line.split()[1]) * 1024
        except (OSError, ValueError, IndexError):
            continue
    return total


# The forked process.

def become_run(job, report, log, control):
    """In the fork: take the spliced files, wait for the word to go, then run pytest. Never returns."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    os.setsid()
    _prctl(4, 1)
    root = job["root"]
    for path, length in job["files"]:
        into = os.path.join(root, path)
        data = read_exact(0, length)
        if os.path.lexists(into):
            os.unlink(into)
        os.makedirs(os.path.dirname(into), exist_ok=True)
        with open(into, "wb") as file:
            file.write(data)
    os.write(report, b"ready\n")
    os.close(0)
    token = read_exact(control, 32).decode("ascii")
    confine(job, report, log)
    status = 70
    try:
        status = run_pytest(job, token)
    except SystemExit as leaving:
        status = exit_status(leaving.code)
    except BaseException:
        import traceback
        traceback.print_exc()
        status = 1
    finally:
        status = wind_down(status)
        os._exit(status)


def exit_status(code):
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def wind_down(status):
    """What the interpreter does at its end, as far as it can be seen from outside: threads joined, exit handlers."""
    import atexit
    try:
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except SystemExit as leaving:
        return exit_status(leaving.code)
    except BaseException:
        pass
    return status


def confine(job, report, log):
    limits = job["limits"]
    os.dup2(report, CHANNEL, inheritable=False)
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.closerange(3, CHANNEL)
    os.closerange(CHANNEL + 1, CHANNEL + 300)
    try:
        with open("/proc/self/oom_score_adj", "w") as score:
            score.write("1000")
    except OSError:
        pass
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.get("address_space"):
        resource.setrlimit(resource.RLIMIT_AS, (limits["address_space"],) * 2)
    if limits.get("processes_rlimit"):
        resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes_rlimit"],) * 2)


class _NoInput(object):
    """As pytest's own while it captures: reading from standard input is an error."""
    encoding = "utf-8"
    buffer = property(lambda self: self)

    def read(self, *args):
        raise OSError("pytest: reading from stdin while output is captured! Consider using `-s`.")

    readline = readlines = __next__ = read

    def __iter__(self):
        return self

    def fileno(self):
        raise ValueError("redirected stdin is pseudofile, has no fileno()")

    def isatty(self):
        return False

    def close(self):
        pass


def run_pytest(job, token):
    root = job["root"]
    os.chdir(root)
    os.environ.clear()
    os.environ.update(job["env"])
    os.makedirs(job["env"]["HOME"], exist_ok=True)
    sys.path[:0] = [os.path.normpath(os.path.join(root, path)) for path in job["paths"]]
    sys.argv = ["pytest"] + job["tests"]
    sys.dont_write_bytecode = True
    shed_shadowed(job)
    importlib.invalidate_caches()
    import pytest
    use_compiled()
    judge, send = make_judge(pytest, token, CHANNEL)
    fault = parse_fault(os.path.join(root, job["check"]))
    if fault:
        send(fault)
        return 1
    main = types.ModuleType("__main__")
    main.__file__ = pytest.__file__
    sys.modules["__main__"] = main
    sys.stdin = _NoInput()
    gc.enable()
    status = pytest.main(job["args"] + job["tests"], plugins=[judge])
    if job.get("list_modules"):
        send({"op": "modules", "names": foreign_modules(root), "own": own_files(root)})
    return int(status)


def parse_fault(path):
    """Where a file does not parse, by this very interpreter; None when it does."""
    with open(path, "rb") as file:
        source = file.read()
    try:
        compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as fault:
        return {"op": "syntax", "line": fault.lineno or 1,
                "message": "%s: %s" % (type(fault).__name__, fault.msg)}
    except (ValueError, RecursionError, MemoryError, OverflowError) as fault:
        return {"op": "syntax", "line": 1, "message": "%s: %s" % (type(fault).__name__, fault)}
    return None


def shed_shadowed(job):
    """Forgets warm modules that the project itself provides, so that its own are imported."""
    own = set(job["own_modules"])
    for name in list(sys.modules):
        if name.partition(".")[0] in own and not name.startswith(("_pytest", "pytest", "pluggy")):
            del sys.modules[name]


def foreign_modules(root):
    """The modules that were loaded from outside the project, in the order they were loaded."""
    names = []
    for name, module in list(sys.modules.items()):
        origin = getattr(module, "__file__", None) or ""
        outside = origin.startswith("/") and not origin.startswith((root, "/tmp/"))
        if outside and "conftest" not in name and not name.startswith("__") and isinstance(name, str):
            names.append(name)
    return names


def own_files(root):
    """The project's files that were loaded, relative to its root."""
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    return [path[len(root) + 1:] for path in files if path.startswith(root + "/") and path.endswith(".py")]


# Code compiled ahead: of files of the base, which hold no target, so that a fork need not compile them again. Nothing
# of it is run here, and a file that differs by a byte is compiled anew.

COMPILED = {}
REWRITTEN = {}


def compile_ahead(job, paths):
    tests = set(test.split("::")[0] for test in job["tests"])
    withheld = set(path for path, _ in job["files"])
    for path in paths:
        target = os.path.join(job["root"], path)
        if path in withheld or target in COMPILED or target in REWRITTEN:
            continue
        try:
            with open(os.path.join(job["base"], path), "rb") as file:
                source = file.read()
            if path in tests:
                REWRITTEN[target] = (source, rewritten(source, target))
            else:
                COMPILED[target] = (source, compile(source, target, "exec", dont_inherit=True))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError, AttributeError, TypeError):
            continue


def rewritten(source, target):
    """A test file as pytest's own rewriting of assertions compiles it."""
    import ast
    from _pytest.assertion import rewrite
    tree = ast.parse(source, filename=target)
    rewrite.rewrite_asserts(tree, source, target, None)
    return compile(tree, target, "exec", dont_inherit=True)


def use_compiled():
    """In the fork: loaders take what is compiled already where the bytes are the same."""
    from importlib.machinery import SourceFileLoader
    from _pytest.assertion import rewrite
    compile_source, rewrite_test = SourceFileLoader.source_to_code, rewrite._rewrite_test

    def source_to_code(self, data, path, *args, **options):
        known = COMPILED.get(path)
        if known is not None and known[0] == data:
            return known[1]
        return compile_source(self, data, path, *args, **options)

    def known_rewrite(fn, config):
        known = REWRITTEN.get(str(fn))
        if known is not None and not config.getini("enable_assertion_pass_hook"):
            with open(str(fn), "rb") as file:
                if file.read() == known[0]:
                    return os.stat(str(fn)), known[1]
        return rewrite_test(fn, config)

    SourceFileLoader.source_to_code = source_to_code
    rewrite._rewrite_test = known_rewrite


# The watch over it.

class Watch(object):
    def __init__(self, job, pid, report, log):
        self.job, self.pid, self.report, self.log = job, pid, report, log
        self.nonce = self.token = None
        self.pending = b""
        self.logged = self.reported = 0
        self.tail = b""
        self.forged = self.finished = False
        self.killed = None
        self.running = self.entry = None
        self.own = []
        self.seconds = job["limits"]
        self.status = None
        self.usage = None
        self.peak = 0
        self.survivors = 0

    def tell(self, **message):
        message["n"] = self.nonce
        answer(message)

    def start(self):
        self.began = self.test_began = time.monotonic()
        self.keep = {1, os.getpid()}

    def deadline(self):
        total = self.began + self.seconds["total_seconds"]
        each = self.seconds.get("test_seconds")
        return min(total, self.test_began + each) if each else total

    def take_log(self):
        """Takes what has been printed; false at the end of it."""
        data = os.read(self.log, 1 << 20)
        if not data:
            return False
        room = max(0, LOG_FORWARDED - self.logged)
        self.logged += len(data)
        if room:
            self.tell(op="log", data=base64.b64encode(data[:room]).decode("ascii"))
        self.tail = (self.tail + data[room:])[-LOG_TAIL:]
        return True

    def take_report(self):
        """Takes what has been reported; false at the end of it."""
        data = os.read(self.report, 1 << 18)
        if not data:
            return False
        self.reported += len(data)
        self.pending += data
        lines = self.pending.split(b"\n")
        self.pending = lines.pop()
        for line in lines:
            self.take_line(line)
        if len(self.pending) > LINE_LIMIT or self.reported > REPORT_LIMIT:
            self.forged = True
            self.pending = b""
        return True

    def take_line(self, line):
        mark = (self.token + " ").encode("ascii")
        if not line.startswith(mark):
            self.forged = True
            return
        try:
            message = json.loads(line[len(mark):].decode("utf-8"))
            op = message["op"]
        except (ValueError, KeyError, TypeError):
            self.forged = True
            return
        if op == "begin":
            self.begin(str(message.get("id")))
        elif op == "finish":
            self.finished = True
        elif op == "modules" and self.job["list_modules"]:
            self.own = [str(path) for path in message.pop("own", [])][:2000]
        message["n"] = self.nonce
        answer(message)

    def begin(self, test):
        """The limit on a test holds for each entry of the task's list, however many ids it expands to."""
        self.running = test
        asked = [entry for entry in self.job["tests"] if test == entry or test.startswith((entry + "[", entry + "::"))]
        entry = max(asked, key=len) if asked else test
        if entry != self.entry:
            self.entry = entry
            self.test_began = time.monotonic()

    def kill(self, why):
        self.killed = self.killed or why
        kill_group(self.pid)

    def reap(self, wait=False):
        while self.status is None:
            try:
                pid, status, usage = os.wait4(-1, 0 if wait else os.WNOHANG)
            except ChildProcessError:
                self.status = 0
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.status, self.usage = status, usage

    def check_memory(self):
        limit = self.seconds["memory"]
        held = resident(self.keep)
        if held > limit:
            held = proportional(self.keep) or held
        self.peak = max(self.peak, held)
        if held > limit:
            self.kill("memory")

    def run(self):
        poll = select.poll()
        for descriptor in (0, self.report, self.log, WAKE[0]):
            poll.register(descriptor, select.POLLIN)
        look = self.began + 0.05
        while self.status is None:
            now = time.monotonic()
            if now >= self.deadline():
                self.kill("timeout")
            if now >= look:
                self.check_memory()
                look = now + 0.05
            for descriptor, _ in poll.poll(max(1, min(self.deadline() - now, look - now) * 1000)):
                if descriptor == 0:
                    sys.exit(leave("driver"))
                elif descriptor == self.report:
                    if not self.take_report():
                        poll.unregister(descriptor)
                elif descriptor == self.log:
                    if not self.take_log():
                        poll.unregister(descriptor)
                else:
                    os.read(WAKE[0], 4096)
            self.reap()
        self.survivors = len(others(self.keep))
        kill_rest()

    def drain(self):
        for descriptor, read in ((self.report, self.take_report), (self.log, self.take_log)):
            os.set_blocking(descriptor, False)
            try:
                while read():
                    pass
            except BlockingIOError:
                pass
            os.close(descriptor)


def leave(why):
    kill_rest()
    return 3


def kill_group(pid):
    for target in (-pid, pid):
        try:
            os.kill(target, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def kill_rest():
    """Kills every process of the sandbox but this one (and its init) and waits until none is left."""
    if not ALONE:
        return
    until = time.monotonic() + 10
    keep = {1, os.getpid()}
    while time.monotonic() < until:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        if not others(keep):
            return
        time.sleep(0.002)
    raise RuntimeError("processes that cannot be killed")


def run(job):
    """One run: fork, hand over, watch, clean up, tell."""
    for folder in job["scratch"]:
        if os.path.isdir(folder):
            wipe(folder)
    copy_tree(job["base"], job["root"])
    kills = oom_kills()
    report, report_in = os.pipe()
    log, log_in = os.pipe()
    control_out, control = os.pipe()
    fcntl.fcntl(log, 1031, 1 << 20)
    pid = os.fork()
    if pid == 0:
        for descriptor in (1, report, log, control):
            os.close(descriptor)
        become_run(job, report_in, log_in, control_out)
    for descriptor in (report_in, log_in, control_out):
        os.close(descriptor)
    watch = Watch(job, pid, report, log)
    if read_exact_or_none(report, 6) == b"ready\n":
        answer({"op": "forked"})
        go = read_header()
        watch.nonce = go["nonce"]
        watch.token = base64.b16encode(os.urandom(16)).decode("ascii")
        watch.start()
        os.write(control, watch.token.encode("ascii"))
        os.close(control)
        watch.run()
        watch.drain()
    else:
        raise RuntimeError("the forked process could not take its files")
    compile_ahead(job, watch.own)
    told = end_of(watch, kills)
    watch.tell(op="end", **told)


def read_exact_or_none(descriptor, count):
    try:
        return read_exact(descriptor, count)
    except EOFError:
        return None


def end_of(watch, kills):
    status = watch.status or 0
    signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    return {
        "code": None if signalled else os.WEXITSTATUS(status),
        "signal": signalled,
        "killed": watch.killed,
        "running": watch.running,
        "finished": watch.finished,
        "forged": watch.forged,
        "seconds": round(time.monotonic() - watch.began, 6),
        "cpu_seconds": round(watch.usage.ru_utime + watch.usage.ru_stime, 6) if watch.usage else 0.0,
        "oom_kills": oom_kills() - kills,
        "logged": watch.logged,
        "tail": base64.b64encode(watch.tail).decode("ascii") if watch.logged > LOG_FORWARDED else "",
        "survivors": watch.survivors,
        "marked": standing() != STANDING,
    }


def standing():
    """What a process of the same user could change about this one from outside."""
    limits = tuple(resource.getrlimit(getattr(resource, name)) for name in
                   ("RLIMIT_AS", "RLIMIT_CORE", "RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NOFILE",
                    "RLIMIT_NPROC", "RLIMIT_STACK"))
    return limits, os.getpriority(os.PRIO_PROCESS, 0), sorted(os.sched_getaffinity(0))


def preload(names):
    loaded = 0
    for name in names:
        if name in sys.modules:
            continue
        try:
            importlib.import_module(name)
            loaded += 1
        except BaseException:
            continue
    if threading.active_count() > 1:
        raise RuntimeError("a library starts threads when it is imported")
    gc.collect()
    gc.freeze()
    return loaded


def _prctl(option, value):
    try:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
    except (OSError, AttributeError):
        pass


ALONE = False
WAKE = (-1, -1)
STANDING = None


def main():
    global ALONE, WAKE, STANDING
    hello = read_header()
    ALONE = bool(hello["alone"]) and 1 in (os.getpid(), os.getppid())
    sys.path[:] = [path for path in sys.path if path]
    sys.dont_write_bytecode = True
    _prctl(4, 0)
    WAKE = os.pipe()
    for descriptor in WAKE:
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(WAKE[1], warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        import pytest
    except ImportError:
        answer({"op": "broken", "what": "pytest is not installed for %s" % sys.executable})
        return 4
    preload(hello["preload"])
    STANDING = standing()
    answer({"op": "ready", "python": "%d.%d.%d" % sys.version_info[:3], "pytest": pytest.__version__})
    while True:
        try:
            job = read_header()
        except EOFError:
            return leave("driver")
        if job["op"] == "run":
            run(job)
        elif job["op"] == "preload":
            answer({"op": "preloaded", "count": preload(job["names"])})
            STANDING = standing()
        else:
            return leave("asked")


if __name__ == "__main__":
    sys.exit(main())
