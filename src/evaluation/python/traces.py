# Traces: what a run could leave for a later one of the same session to find, though everything that it wrote is gone.
# Counters that no wiping resets are read before and after each run; the driver holds what a run has moved against what
# the reference's runs did. Where a counter can be seen in a file that nobody needs, whoever opens it is noticed.

TRACES = None
# Files that tell nothing of what ran before: directly in /proc, and wherever they are. Libraries open the latter to count
# processors, as the next branch's do while a run goes on.
INNOCENT = {"cpuinfo", "filesystems", "version", "cmdline", "mounts", "devices", "modules"}
SETTLED = {"cgroup", "mountinfo", "cpu.cfs_period_us", "cpu.cfs_quota_us", "cpu.max", "cpuset.cpus",
           "cpuset.cpus.effective", "memory.limit_in_bytes", "memory.max", "pids.max"}


def traces_of(job):
    global TRACES
    if TRACES is None:
        TRACES = Traces(job["scratch"])
    return TRACES


class Traces(object):
    def __init__(self, scratch):
        self.spaces = [(folder, held(folder)) for folder in scratch if held(folder) is not None]
        self.numbers = int(read_anew("/proc/sys/kernel/pid_max") or 1 << 15) - 300
        self.lookout = Lookout()
        self.packets, self.pipes = packets(), Pipes()
        self.devices = device_times()
        # Whether files lie in a file system that a process keeps.
        self.kept = " - fuse" in read_anew("/proc/self/mountinfo")
        self.scatter(32, 32)

    def begin(self, pid):
        """A run is about to go on in the process `pid`."""
        self.pid = pid
        self.inodes = self.next_inodes()
        self.pipes.begin()
        self.machines = fetches()
        self.lookout.seen()

    def end(self, own):
        """What the run has moved, once its last process is gone. `own` is what the kernel has counted of it as fetched."""
        found = dict.fromkeys(self.lookout.seen(), 1)
        inodes, objects, network = self.next_inodes(), next_objects(), packets()
        for folder, number in inodes.items():
            found["files of " + folder] = number and number - self.inodes[folder] - 1
        for kind, number in objects.items():
            found["System V " + kind] = number - self.objects.get(kind, 0) - 1
        if network != self.packets:
            found["network"] = difference(self.packets, network)
        devices = device_times()
        if devices != self.devices:
            found["times of devices"] = 1
        found["pipes of the machine"] = self.pipes.end()
        found["processes"] = last_process(self.pid) - self.pid
        if found["processes"] < 0:
            found["processes"] += self.numbers
        self.fetched = self.what_came(own, found["processes"])
        self.objects, self.packets, self.devices = objects, network, devices
        return {name: count for name, count in found.items() if count}

    def what_came(self, own, processes):
        """What of files came into memory. What further processes have fetched is not always counted as the run's, nor what a
        process fetches that keeps a file system: then whatever the machine has is thought to be."""
        reads, waits = own
        if processes or self.kept:
            read, waited = (now != before for now, before in zip(fetches(), self.machines))
            reads, waits = read, waited if processes else waits
        return "reads" if reads else "pages" if waits else "nothing"

    def scatter(self, processes, others):
        """Moves each counter on by a random number, so that nobody can count runs by it."""
        lots = iter(os.urandom(2 + len(self.spaces)))
        for _ in range(next(lots) % processes):
            done = threading.Lock()
            done.acquire()
            _thread.start_new_thread(done.release, ())
            done.acquire()
        for _, space in self.spaces:
            for _ in range(next(lots) % others):
                next_inode(space)
        for _ in range(1 + next(lots) % processes):
            self.objects = next_objects()

    def next_inodes(self):
        """The numbers that scratch spaces give to their next files."""
        return {folder: next_inode(space) for folder, space in self.spaces}


def fetches():
    """How much the machine has read from storage, and how often its processes had to wait for a page of a file."""
    told = "\n" + read_anew("/proc/vmstat")
    return [told.partition("\n%s " % name)[2].partition("\n")[0] for name in ("pgpgin", "pgmajfault")]


def device_times():
    """When the devices were changed; whoever may write to one may set that."""
    found = []
    for name in os.listdir(held("/dev")) if held("/dev") is not None else ():
        try:
            about = os.stat(name, dir_fd=held("/dev"), follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISCHR(about.st_mode):
            found.append((name, about.st_atime_ns, about.st_mtime_ns, about.st_ctime_ns))
    return found


def packets():
    return "".join(map(read_anew, ("/proc/net/dev", "/proc/net/snmp", "/proc/net/snmp6")))


def last_process(otherwise):
    load = read_anew("/proc/loadavg").split()
    return int(load[-1]) if load else otherwise


def next_inode(space):
    try:
        file = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600, dir_fd=space)
    except OSError:
        return 0
    try:
        return os.fstat(file).st_ino
    finally:
        os.close(file)


def difference(before, after):
    """How far apart two tables of counters are; at least 1."""
    numbers = [[int(word) for word in text.split() if word.isdigit()] for text in (before, after)]
    return sum(abs(a - b) for a, b in zip(*numbers)) or 1


# The numbers of pipes: the kernel counts them for the whole machine, and gives them to its processors by the batch.

BATCH = 1024
# Processors that are looked at, and what the rest of the machine may use in a second. This machine's own runs use some 50
# each.
LOOKED_AT, PER_SECOND = 4, 16 * BATCH


class Pipes(object):
    def __init__(self):
        self.processors, self.known, self.moved = PROCESSORS, {}, None
        self.margin = BATCH * (4 + max(0, len(self.processors) - LOOKED_AT))
        self.look()

    def begin(self):
        """Looks again where the last look is long past."""
        if time.monotonic() - self.looked > 0.1:
            self.look()

    def end(self):
        """How many numbers were used since the last look, where that is more than the rest of the machine may have used
        since then."""
        before, used = self.looked, self.look()
        self.moved = self.farthest
        return used if used > self.margin + PER_SECOND * (self.looked - before) else 0

    def blur(self):
        """Moves each number on by lot, about as far as the last run may have moved any, so that nobody finds them where a
        run has left them: it can leave them only where it gets to. Where much was used, or nobody knows how much, they
        are moved to anywhere in a batch, and by as many batches as a run may have used."""
        moved = BATCH if self.moved is None else self.moved
        if moved > 3 * BATCH:
            use_pipes(below(min(moved, PER_SECOND)))
        near = moved < BATCH // 3
        self.look(lambda: use_pipes(below(16 + moved) + below(16 + moved) if near else below(BATCH)))

    def look(self, first=lambda: None):
        """How many numbers were used on all processors since the last look. Keeps how many may have been on one."""
        self.looked = time.monotonic()
        used, batches = [], 0
        numbers = self.numbers(first)
        for processor, number in numbers.items():
            known = self.known.get(processor, number)
            if known // BATCH == number // BATCH:
                used.append(max(0, number - known))
            else:
                used.append(BATCH - known % BATCH + number % BATCH)
                batches += 1
        newest = max(self.known.values(), default=1 << 32) // BATCH
        self.known.update(numbers)
        elsewhere = BATCH * max(0, max(self.known.values()) // BATCH - newest - batches)
        self.farthest = max(used) + elsewhere
        return sum(used) + elsewhere

    def numbers(self, first):
        """The numbers that pipes get on each of the processors, on some where there are many, once something was done on it
        first."""
        here, home, found = LIBC.sched_getcpu(), os.sched_getaffinity(0), {}
        others = list(self.processors - {here})
        while len(others) >= LOOKED_AT:
            del others[os.urandom(1)[0] % len(others)]
        for processor in [here] + others:
            try:
                os.sched_setaffinity(0, {processor})
            except OSError:
                continue
            first()
            found[processor] = next_pipe()
        os.sched_setaffinity(0, home)
        return found or {here: next_pipe()}


def below(bound):
    """A number drawn by lot."""
    return int.from_bytes(os.urandom(4), "big") % bound


def use_pipes(count):
    while count > 0:
        some = [os.pipe() for _ in range(min(count, 100))]
        count -= len(some)
        for ends in some:
            os.close(ends[0])
            os.close(ends[1])


def next_pipe():
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number


# System V objects: their ids are counted on, whoever removes them.

PRIVATE = 0o1600
OBJECTS = (("memory", lambda: LIBC.shmget(0, 1, PRIVATE), lambda known: LIBC.shmctl(known, 0, None)),
           ("semaphores", lambda: LIBC.semget(0, 1, PRIVATE), lambda known: LIBC.semctl(known, 0, 0)),
           ("messages", lambda: LIBC.msgget(0, PRIVATE), lambda known: LIBC.msgctl(known, 0, None)))


def next_objects():
    """The ids that the next objects get, as counts."""
    found = {}
    for kind, make, remove in OBJECTS:
        known = make()
        if known >= 0:
            remove(known)
            found[kind] = (known >> 15) * 64 + (known & 0x7fff)
    return found


# Files that show counters of the processes that stay, of the sandbox or of the machine.

OPENED, OVERFLOW, IS_FOLDER = 0x20, 0x4000, 0x40000000


class Lookout(object):
    """Notices who opens a file of certain folders (inotify(7)); notices nothing where the kernel does not tell."""

    def __init__(self):
        self.places = {}
        self.queue = LIBC.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.queue < 0:
            return
        self.top = self.watch("/proc")
        for folder in ("/proc/sysvipc", "/proc/sys/kernel", "/proc/sys/fs", "/proc/pressure", "/sys/fs/cgroup"):
            self.watch(folder)
        for name in os.listdir(held("/sys/fs/cgroup")) if held("/sys/fs/cgroup") else ():
            if "." not in name:
                self.watch("/sys/fs/cgroup/" + name)
        for pid in kept():
            self.watch_process(pid)

    def watch_process(self, pid):
        self.watch("/proc/%d" % pid)
        self.watch("/proc/%d/task/%d" % (pid, pid))

    def watch(self, folder):
        # A folder that is held open stays the one that is watched.
        if held(folder) is None:
            return -1
        watch = LIBC.inotify_add_watch(self.queue, folder.encode(), OPENED)
        self.places[watch] = folder
        return watch

    def seen(self):
        """The files that were opened since it was last asked."""
        found = set()
        while self.queue >= 0:
            try:
                events = os.read(self.queue, 1 << 14)
            except BlockingIOError:
                break
            while events:
                watch, mask, _, length = struct.unpack_from("iIII", events)
                name = events[16:16 + length].rstrip(b"\0").decode("utf-8", "replace")
                events = events[16 + length:]
                if mask & OVERFLOW:
                    found.add("files beyond counting")
                elif name and not mask & IS_FOLDER and name not in SETTLED \
                        and not (watch == self.top and name in INNOCENT):
                    found.add(self.places.get(watch, "") + "/" + name)
        return found
