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


LAID = {"base": None, "times": {}}


def lay_out(job):
    """Empty scratch space with the project's files in it. What stands there from the run before is kept where it is
    the same to the byte."""
    root = job["root"]
    kept = LAID["base"] == job["base"] and undisturbed(job)
    for folder in job["scratch"]:
        if os.path.isdir(folder):
            wipe(folder, os.path.basename(root) if kept and folder == os.path.dirname(root) else None)
    if not kept:
        LAID["base"], LAID["times"] = None, {}
        copy_tree(job["base"], root)
        note_times(root)
        LAID["base"] = job["base"]
    LAID["placed"] = [path for path, _ in job["files"]]


def note_times(folder):
    with os.scandir(folder) as entries:
        for entry in entries:
            LAID["times"][entry.path] = entry.stat(follow_symlinks=False).st_mtime_ns
            if entry.is_dir(follow_symlinks=False):
                note_times(entry.path)


def undisturbed(job):
    """Whether the files of the run before, those that came with it taken away, are the base's, to the byte."""
    try:
        for path in LAID["placed"]:
            placed = os.path.join(job["root"], path)
            if os.path.lexists(placed) and os.path.realpath(os.path.dirname(placed)) == os.path.dirname(placed):
                os.unlink(placed)
        return same_tree(job["base"], job["root"])
    except (OSError, ValueError, RecursionError):
        return False


def same_tree(base, root):
    about = os.lstat(root)
    if not stat.S_ISDIR(about.st_mode) or stat.S_IMODE(about.st_mode) != 0o700:
        return False
    with os.scandir(base) as entries:
        ours = {entry.name: entry for entry in entries}
    if set(os.listdir(root)) != set(ours):
        return False
    return all(same_entry(entry, os.path.join(root, name)) for name, entry in ours.items())


def same_entry(entry, path):
    if entry.is_dir(follow_symlinks=False):
        return same_tree(entry.path, path)
    about, theirs = os.lstat(path), entry.stat(follow_symlinks=False)
    if stat.S_IFMT(about.st_mode) != stat.S_IFMT(theirs.st_mode) or about.st_nlink != 1 \
            or about.st_mtime_ns != LAID["times"].get(path):
        return False
    if stat.S_ISLNK(about.st_mode):
        return os.readlink(path) == os.readlink(entry.path)
    if about.st_size != theirs.st_size or stat.S_IMODE(about.st_mode) != stat.S_IMODE(theirs.st_mode) | 0o600:
        return False
    with open(entry.path, "rb", 0) as one, open(path, "rb", 0) as other:
        return one.read() == other.read()


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
