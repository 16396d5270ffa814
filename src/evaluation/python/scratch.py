# Scratch space, and the project in it. No second copy of the project's files is in the sandbox: what stands there is
# held against digests, and the driver sends the files again when they are not as they came.

# 2001-09-09T01:46:40Z, in nanoseconds.
WRITTEN = 10 ** 18
# What lies here: each file with its digest, mode, size and time of change, each folder with its time of change. The run
# before has disturbed it when any of that is otherwise than it was. Owed are those of them that a run has replaced: they are
# away until they come again.
LAID = {"project": None, "intact": False, "disturbed": False, "owed": set(), "files": {}, "folders": {}}


# Folders that stay where they are for the life of the sandbox. What lies below them is looked up from there, not from
# the root.

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
HELD = {}


def held(folder):
    """A folder that stays, open; None where there is none."""
    if folder not in HELD:
        try:
            HELD[folder] = os.open(folder, FOLDER)
        except OSError:
            HELD[folder] = None
    return HELD[folder]


def open_project(root):
    return os.open(os.path.basename(root), FOLDER, dir_fd=held(os.path.dirname(root)))


def open_below(folder, path):
    """A folder below an open one, made where it is not there."""
    here = os.dup(folder)
    for name in path.split("/") if path else ():
        above = here
        try:
            try:
                here = os.open(name, FOLDER, dir_fd=above)
            except FileNotFoundError:
                os.mkdir(name, dir_fd=above)
                here = os.open(name, FOLDER, dir_fd=above)
        finally:
            os.close(above)
    return here


def take_project(job):
    """Empty scratch space with a project's files in it, as they follow the header. The ear takes and lays them: what
    stands in files that a counter-test changes is not to be in this process."""
    LAID.update(project=None, intact=False)
    LAID["files"] = ear_has_laid("project", job)
    LAID["project"], LAID["intact"] = job["project"], True


def take_back(job):
    """Files of the project that a run had replaced. Between two runs that bring them both they are away."""
    LAID["files"].update(ear_has_laid("files", job))


def lay_project(job):
    """In the ear: gives each file's digest and mode."""
    root = job["root"]
    LAID.update(project=None, intact=False, disturbed=False, owed=set(), files={}, folders={root: None})
    for folder in job["scratch"]:
        if held(folder) is not None:
            wipe(held(folder))
    os.mkdir(os.path.basename(root), 0o700, dir_fd=held(os.path.dirname(root)))
    opened = {root: open_project(root)}
    for folder in job["folders"]:
        laid_folder(os.path.join(root, folder), opened)
    for path, length, mode in job["files"]:
        lay(os.path.join(root, path), read_exact(0, length), mode, opened)
    close_all(opened)
    LAID["project"], LAID["intact"] = job["project"], True
    traces_of(job).scatter(1, 32)
    return {path: known[:2] for path, known in LAID["files"].items()}


def lay_again(job):
    """In the ear: gives the digest and mode of each file that was owed."""
    opened, again = {job["root"]: open_project(job["root"])}, {}
    for path, length, mode in job["files"]:
        data, into = read_exact(0, length), os.path.join(job["root"], path)
        if LAID["project"] == job["project"] and into in LAID["owed"]:
            lay(into, data, mode, opened)
            LAID["owed"].discard(into)
            again[into] = LAID["files"][into][:2]
    close_all(opened)
    return again


def drop(job):
    """In the ear: takes what came with a run that is refused."""
    for _ in job["files"] + job["code"]:
        read_exact(0, read_number())
    read_header()
    return {}


def lay(into, data, mode, opened):
    above, name = os.path.split(into)
    changed = write_file(name, data, mode, laid_folder(above, opened))
    LAID["files"][into] = (digest(data), mode, len(data), changed)


def laid_folder(folder, opened):
    """A folder of the project, open from now on, made where it is not there."""
    if folder not in opened:
        above, name = os.path.split(folder)
        above = laid_folder(above, opened)
        if folder not in LAID["folders"]:
            os.mkdir(name, 0o700, dir_fd=above)
            LAID["folders"][folder] = None
        opened[folder] = os.open(name, FOLDER, dir_fd=above)
    return opened[folder]


def close_all(opened):
    for folder, descriptor in opened.items():
        LAID["folders"][folder] = os.fstat(descriptor).st_ctime_ns
        os.close(descriptor)


def write_file(into, data, mode, folder):
    """Every file has the same time, whenever it was written. Gives when it was really."""
    writing = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode, dir_fd=folder)
    try:
        while data:
            data = data[os.write(writing, data):]
        os.fchmod(writing, mode)
        os.utime(writing, ns=(WRITTEN, WRITTEN))
        return os.fstat(writing).st_ctime_ns
    finally:
        os.close(writing)


def read_file(name, folder):
    with os.fdopen(os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder), "rb") as file:
        return file.read()


def digest(data):
    return blake2b(data, digest_size=20).digest()


def is_laid(job):
    return LAID["intact"] and LAID["project"] == job["project"]


def brought(job):
    """The paths of what comes with a run. All that is owed has to be among it."""
    placed = [os.path.join(job["root"], path) for path in job["files"]]
    if LAID["owed"].difference(placed):
        raise RuntimeError("files of the project are away, and a run begins that does not bring them")
    return placed


def tidy(job):
    """After a run, in the ear: what came with it is taken away, the scratch space emptied but for the project's files,
    and those are looked at."""
    root, placed = job["root"], brought(job)
    LAID["owed"].update(path for path in placed if LAID["files"].pop(path, None))
    LAID["disturbed"] = False
    try:
        look = Look(placed, [os.path.join(root, path) for path in job["renewed"]])
        LAID["intact"] = look.count(open_project(root), root) == len(LAID["files"])
        for folder in job["scratch"]:
            if held(folder) is not None:
                wipe(held(folder), os.path.basename(root) if folder == os.path.dirname(root) else None)
    except (OSError, ValueError, RecursionError):
        LAID["intact"] = False
    clear_keyrings()


# What the kernel tells in files of its own, which are kept open and read again from their beginning.

TOLD = {}


def read_anew(path):
    """What a file of the kernel's tells now; nothing where there is no such file."""
    if path not in TOLD:
        try:
            TOLD[path] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            TOLD[path] = None
    parts, length = [], 0
    while TOLD[path] is not None:
        parts.append(os.pread(TOLD[path], 1 << 16, length))
        length += len(parts[-1])
        if not parts[-1]:
            break
    return b"".join(parts).decode("ascii", "replace")


# What the kernel keeps for a user or a namespace beyond the life of processes.

def forget_shared_memory():
    """Removes the System V objects of the sandbox."""
    for kind, remove in (("shm", lambda libc, known: libc.shmctl(known, 0, None)),
                         ("sem", lambda libc, known: libc.semctl(known, 0, 0)),
                         ("msg", lambda libc, known: libc.msgctl(known, 0, None))):
        for line in read_anew("/proc/sysvipc/" + kind).splitlines()[1:]:
            remove(LIBC, int(line.split()[1]))


KEYCTL = {"x86_64": 250, "aarch64": 219}.get(os.uname().machine)


def clear_keyrings():
    """Empties the user's keyrings, where the kernel lets a sandbox have any."""
    if KEYCTL is None:
        return
    persistent = LIBC.syscall(KEYCTL, 22, -1, ctypes.c_long(-2))
    for keyring in (-4, -5, persistent):
        if keyring not in (-1, 0):
            LIBC.syscall(KEYCTL, 7, ctypes.c_long(keyring))


class Look(object):
    """A look at the project's files after a run, which takes those that came with it, `placed`, away. What a run has
    written for itself, those and the `renewed`, has a new time in the next run as well, and so have their folders."""

    def __init__(self, placed, renewed):
        self.placed = set(placed)
        self.written = self.placed.union(renewed)
        self.written.update([os.path.dirname(path) for path in self.written])

    def count(self, folder, name):
        """How many files below an open folder are as they came, to the byte; an error when anything else is there.
        Closes the folder."""
        try:
            about = os.fstat(folder)
            if stat.S_IMODE(about.st_mode) != 0o700:
                raise ValueError(name)
            self.note(name, LAID["folders"][name], about)
            count = 0
            for entry in os.listdir(folder):
                path = name + "/" + entry
                if path in self.placed:
                    os.unlink(entry, dir_fd=folder)
                elif path in LAID["folders"]:
                    count += self.count(os.open(entry, FOLDER, dir_fd=folder), path)
                elif self.is_as_it_came(folder, entry, path):
                    count += 1
                else:
                    raise ValueError(path)
            LAID["folders"][name] = os.fstat(folder).st_ctime_ns
            return count
        finally:
            os.close(folder)

    def is_as_it_came(self, folder, entry, path):
        if path not in LAID["files"]:
            return False
        known, mode, size, changed = LAID["files"][path]
        file = os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
        try:
            about = os.fstat(file)
            if not stat.S_ISREG(about.st_mode) or stat.S_IMODE(about.st_mode) != mode or about.st_nlink != 1 \
                    or about.st_mtime_ns != WRITTEN or about.st_size != size:
                return False
            self.note(path, changed, about)
            LAID["files"][path] = (known, mode, size, about.st_ctime_ns)
            return digest(os.read(file, size + 1)) == known
        finally:
            os.close(file)

    def note(self, path, changed, about):
        if about.st_ctime_ns != changed and path not in self.written:
            LAID["disturbed"] = True


def wipe(folder, kept=None):
    """Empties an open folder but for the entry `kept`, whatever stands in it: nested folders are moved to its top, so
    no depth can hurt."""
    moved = 0
    again = True
    while again:
        again = False
        for name in os.listdir(folder):
            if name == kept:
                continue
            if not is_folder(folder, name):
                os.unlink(name, dir_fd=folder)
                continue
            for below, inner in entries(folder, name):
                if is_folder(inner, below):
                    os.chmod(below, 0o700, dir_fd=inner)
                    moved += 1
                    top = ".evoscope-%d-%d" % (moved, time.monotonic_ns())
                    os.rename(below, top, src_dir_fd=inner, dst_dir_fd=folder)
                    again = True
                else:
                    os.unlink(below, dir_fd=inner)
            os.rmdir(name, dir_fd=folder)


def is_folder(folder, name):
    return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def entries(folder, name):
    """What stands in a folder below an open one, each with the folder's descriptor."""
    os.chmod(name, 0o700, dir_fd=folder)
    inner = os.open(name, FOLDER, dir_fd=folder)
    try:
        for below in os.listdir(inner):
            yield below, inner
    finally:
        os.close(inner)
