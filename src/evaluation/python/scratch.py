# Scratch space, and the project in it. No second copy of the project's files is in the sandbox: what stands there is
# held against digests, and the driver sends the files again when they are not as they came.

# 2001-09-09T01:46:40Z, in nanoseconds.
WRITTEN = 10 ** 18
LAID = {"project": None, "intact": False, "owed": set(), "files": {}, "folders": set()}


def take_project(job):
    """Empty scratch space with a project's files in it, as they follow the header."""
    root = job["root"]
    LAID.update(project=None, intact=False, owed=set(), files={}, folders={root})
    for folder in job["scratch"]:
        if os.path.isdir(folder):
            wipe(folder)
    os.mkdir(root, 0o700)
    for folder in job["folders"]:
        make_folders(os.path.join(root, folder))
    for path, length, mode in job["files"]:
        lay(os.path.join(root, path), read_exact(0, length), mode)
    LAID["project"], LAID["intact"] = job["project"], True


def take_back(job):
    """Files of the project that a run had replaced."""
    for path, length, mode in job["files"]:
        data, into = read_exact(0, length), os.path.join(job["root"], path)
        if LAID["project"] == job["project"] and into in LAID["owed"]:
            lay(into, data, mode)
            LAID["owed"].discard(into)


def lay(into, data, mode):
    make_folders(os.path.dirname(into))
    write_file(into, data, mode)
    LAID["files"][into] = (digest(data), mode, len(data))


def write_file(into, data, mode):
    """Every file has the same time, whenever it was written."""
    writing = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        while data:
            data = data[os.write(writing, data):]
        os.fchmod(writing, mode)
        os.utime(writing, ns=(WRITTEN, WRITTEN))
    finally:
        os.close(writing)


def make_folders(folder):
    if folder not in LAID["folders"]:
        make_folders(os.path.dirname(folder))
        os.mkdir(folder, 0o700)
        LAID["folders"].add(folder)


def digest(data):
    return blake2b(data, digest_size=20).digest()


def is_laid(job):
    return LAID["intact"] and not LAID["owed"] and LAID["project"] == job["project"]


def tidy(job):
    """After a run: what came with it is taken away, the scratch space emptied but for the project's files, and those
    are looked at."""
    root = job["root"]
    placed = [os.path.join(root, path) for path, _ in job["files"]]
    try:
        LAID["owed"].update(path for path in placed if LAID["files"].pop(path, None))
        LAID["intact"] = undisturbed(root, placed)
        for folder in job["scratch"]:
            if os.path.isdir(folder):
                wipe(folder, os.path.basename(root) if folder == os.path.dirname(root) else None)
    except (OSError, ValueError, RecursionError):
        LAID["intact"] = False
    forget_shared_memory()
    clear_keyrings()


# What the kernel keeps for a user or a namespace beyond the life of processes.

def forget_shared_memory():
    """Removes the System V objects of the sandbox."""
    for kind, remove in (("shm", lambda libc, known: libc.shmctl(known, 0, None)),
                         ("sem", lambda libc, known: libc.semctl(known, 0, 0)),
                         ("msg", lambda libc, known: libc.msgctl(known, 0, None))):
        try:
            with open("/proc/sysvipc/" + kind) as listed:
                lines = listed.read().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            remove(ctypes.CDLL(None), int(line.split()[1]))


KEYCTL = {"x86_64": 250, "aarch64": 219}.get(os.uname().machine)


def clear_keyrings():
    """Empties the user's keyrings, where the kernel lets a sandbox have any."""
    if KEYCTL is None:
        return
    libc = ctypes.CDLL(None)
    persistent = libc.syscall(KEYCTL, 22, -1, ctypes.c_long(-2))
    for keyring in (-4, -5, persistent):
        if keyring not in (-1, 0):
            libc.syscall(KEYCTL, 7, ctypes.c_long(keyring))


def undisturbed(root, placed):
    """Whether the project's files, those that came with the run taken away, are as they came, to the byte."""
    for path in placed:
        if os.path.lexists(path) and os.path.realpath(os.path.dirname(path)) == os.path.dirname(path):
            os.unlink(path)
    top = os.open(root, FOLDER)
    return count_as_they_came(top, root) == len(LAID["files"])


# By descriptors: a path from the root is looked up anew each time, which takes long where a container's root does.
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def count_as_they_came(folder, name):
    """How many files below an open folder are as they came; an error when anything else is there. Closes it."""
    try:
        if stat.S_IMODE(os.fstat(folder).st_mode) != 0o700:
            raise ValueError(name)
        count = 0
        for entry in os.listdir(folder):
            path = name + "/" + entry
            if path in LAID["folders"]:
                count += count_as_they_came(os.open(entry, FOLDER, dir_fd=folder), path)
            elif is_as_it_came(folder, entry, path):
                count += 1
            else:
                raise ValueError(path)
        return count
    finally:
        os.close(folder)


def is_as_it_came(folder, entry, path):
    if path not in LAID["files"]:
        return False
    known, mode, size = LAID["files"][path]
    file = os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or stat.S_IMODE(about.st_mode) != mode or about.st_nlink != 1 \
                or about.st_mtime_ns != WRITTEN or about.st_size != size:
            return False
        return digest(os.read(file, size + 1)) == known
    finally:
        os.close(file)


def wipe(folder, kept=None):
    """Empties a folder but for the entry `kept`, whatever stands in it: nested folders are moved to its top, so no
    depth can hurt."""
    moved = 0
    again = True
    while again:
        again = False
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if name == kept:
                continue
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
