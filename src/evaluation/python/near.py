# Modules are looked for by the times of folders and files, several times each; those that stand do not change.

def remember_files():
    import _frozen_importlib_external as external
    look, known = external._path_stat, {}

    def known_stat(path):
        if path in known:
            return known[path]
        if NEAR.get("root") and type(path) is str:
            return stat_near(path)
        found = look(path)
        if type(path) is str and is_standing(path):
            known[path] = found
        return found

    external._path_stat = known_stat


def know_folders():
    """Lists what stands in the folders that modules are looked for in: a look for one that is nowhere does."""
    PathFinder.find_spec("evoscope.none")


# Python's and pytest's own code look at a run's project from the project's folder: a path from the root is looked up anew
# each time, which takes long where a container's root does. What the project's own code asks is its own, and so is all
# that `pathlib` is asked once the first test is called.

NEAR = {}
STAT, LIST = posix.stat, posix.listdir
# What pytest asks of the sandbox's root at each run; nobody can write there.
ABOVE = {}


def know_root():
    for path in ("/", "/__init__.py", "/conftest.py"):
        try:
            ABOVE[path] = os.stat(path)
        except FileNotFoundError:
            ABOVE[path] = None


def stay_near(root):
    import pathlib
    here = os.open(".", FOLDER)
    NEAR.update(root=root + "/", folder=fcntl.fcntl(here, fcntl.F_DUPFD_CLOEXEC, CHANNEL - 10))
    os.close(here)
    look = pathlib.Path.stat

    def near_stat(self, **options):
        path = str(self)
        if options or nearly(path) is None and path not in ABOVE:
            return look(self, **options)
        if path in ABOVE:
            if ABOVE[path] is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            return ABOVE[path]
        try:
            return stat_near(path)
        except OSError as why:
            raise OSError(why.errno, why.strerror, path) from None

    NEAR.update(look=look, near_stat=near_stat)
    pathlib.Path.stat = near_stat


def leave_paths():
    import pathlib
    if pathlib.Path.stat is NEAR.get("near_stat"):
        pathlib.Path.stat = NEAR["look"]


def nearly(path):
    """A path as it is called from the project's folder; None for one that is elsewhere, and where no run is."""
    root = NEAR.get("root")
    if not root or type(path) is not str:
        return None
    if path.startswith(root):
        return path[len(root):] or "."
    if path.startswith(PROJECTS):
        rest = path[len(PROJECTS):]
        return "." if path + "/" == root else "../" + rest
    return ".." if path + "/" == PROJECTS else None


def stat_near(path):
    short = nearly(path)
    if short is not None:
        try:
            return STAT(short, dir_fd=NEAR["folder"])
        except OSError as why:
            if why.errno == errno.ENOENT:
                raise
    return STAT(path)


def exists_near(path):
    try:
        stat_near(path)
    except (OSError, ValueError):
        return False
    return True


def list_near(path="."):
    short = nearly(path)
    if short is None:
        return LIST(path)
    try:
        folder = os.open(short, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=NEAR["folder"])
    except OSError:
        return LIST(path)
    try:
        return LIST(folder)
    finally:
        os.close(folder)


def look_from_near():
    """Has Python's search for modules, its lines of sources and pytest's importing look from the project's folder."""
    import _frozen_importlib_external as external
    import linecache
    from _pytest import pathlib as paths
    from _pytest.assertion import rewrite
    external._os = with_other(posix, listdir=list_near)
    linecache.os = with_other(os, stat=stat_near)
    rewrite.os = with_other(os, path=with_other(os.path, exists=exists_near))
    if hasattr(paths, "_is_same"):
        paths._is_same = lambda one, other: os.path.samestat(stat_near(one), stat_near(other))
    if hasattr(rewrite, "_read_pyc"):
        read = rewrite._read_pyc
        rewrite._read_pyc = lambda source, pyc, *more: read(source, pyc, *more) if exists_near(str(pyc)) else None


def with_other(module, **functions):
    """A module as its users see it, with other functions in places of its own."""
    made = types.ModuleType(module.__name__)
    made.__dict__.update(vars(module), **functions)
    return made


def read_near(path):
    short = nearly(path)
    if short is not None:
        return read_file(short, NEAR["folder"])
    with open(path, "rb") as file:
        return file.read()
