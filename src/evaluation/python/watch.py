# The watch over a run, in the ear.

OUTBOX_LIMIT = 64

class Watch(object):
    def __init__(self, job, pid, way, report, log, control):
        self.job, self.pid, self.way, self.report, self.log, self.control = job, pid, way, report, log, control
        self.nonce = self.token = None
        self.pending = b""
        self.outbox = []
        self.logged = self.reported = 0
        self.tail = b""
        self.forged = self.finished = False
        self.killed = None
        self.running = self.entry = None
        self.seconds = job["limits"]
        self.status = None
        self.cpu_seconds = 0.0
        self.fetched = (0, 0)
        self.peak = 0
        self.survivors = 0

    def tell(self, **message):
        """Tells the driver, at the latest at the next look at the clock, and in order."""
        message["n"] = self.nonce
        # Half a surrogate pair, as a test may have in a string, is no JSON elsewhere.
        self.outbox.append(json.dumps(message, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        if len(self.outbox) >= OUTBOX_LIMIT:
            self.flush()

    def flush(self):
        data, self.outbox = b"".join(self.outbox), []
        while data:
            data = data[os.write(OUT, data):]

    def heard(self, count):
        """The first bytes of what is reported; none where the process has ended before."""
        try:
            return read_exact(self.report, count)
        except EOFError:
            return b""

    def start(self, nonce):
        self.nonce, self.token = nonce, base64.b16encode(os.urandom(16)).decode("ascii")
        self.began = self.test_began = time.monotonic()
        self.keep = kept()

    def let_go(self):
        os.write(self.control, self.token.encode("ascii"))
        os.close(self.control)

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
        self.tell(**message)

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

    def take_end(self):
        """Takes what the branch tells of the end."""
        self.status, self.cpu_seconds, self.fetched = read_end(read_exact(self.way, len(ENDED)))

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
        for descriptor in (0, self.report, self.log, self.way):
            poll.register(descriptor, select.POLLIN)
        look = self.began + 0.05
        while self.status is None:
            now = time.monotonic()
            if now >= self.deadline():
                self.kill("timeout")
            if now >= look:
                self.flush()
                self.check_memory()
                look = now + 0.05
            for descriptor, _ in poll.poll(max(1, min(self.deadline() - now, look - now) * 1000)):
                if descriptor == 0:
                    kill_rest()
                    os._exit(3)
                elif descriptor == self.report:
                    if not self.take_report():
                        poll.unregister(descriptor)
                elif descriptor == self.log:
                    if not self.take_log():
                        poll.unregister(descriptor)
                else:
                    self.take_end()
        self.survivors = len(others(kept()))
        if self.survivors:
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


def kill_group(pid):
    for target in (-pid, pid):
        send_signal(target, signal.SIGKILL)


def kill_rest():
    """Kills every process of the sandbox but those that belong to no run, and waits until none is left."""
    if not ALONE:
        return
    until = time.monotonic() + 10
    keep = kept()
    while others(keep):
        if time.monotonic() > until:
            raise RuntimeError("processes that cannot be killed")
        kill_all_but(keep)
        time.sleep(0.002)


def kill_all_but(keep):
    """Kills the processes that are there. Whoever forks meanwhile is stopped first, round by round: their number is
    limited, and one that is stopped makes no more."""
    stopped = set()
    for _ in range(4096):
        new = set(others(keep)) - stopped
        if not new:
            break
        for pid in new:
            send_signal(pid, signal.SIGSTOP)
        stopped |= new
    for pid in stopped:
        send_signal(pid, signal.SIGKILL)


def send_signal(pid, number):
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


# What the sandbox knows of its memory.

def oom_kills():
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        for line in read_anew(path).splitlines():
            word, _, count = line.partition(" ")
            if word == "oom_kill":
                return int(count)
    return 0


def others(keep):
    found = []
    for name in os.listdir(held("/proc")):
        if name.isdigit() and int(name) not in keep:
            found.append(int(name))
    return found


def resident(keep):
    """Bytes held by all processes but those in `keep`, shared pages counted once where the kernel tells."""
    pages = 0
    pids = others(keep)
    for pid in pids:
        try:
            pages += int(read_file("%d/statm" % pid, held("/proc")).split()[1])
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
