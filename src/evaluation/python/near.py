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


# Until its tests are collected, a run looks at its project's files from the project's folder: a path from the root is
# looked up anew each time, which takes long where a container's root does.

NEAR = {}
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
        if options or not NEAR.get("root") or nearly(path) is None and path not in ABOVE:
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


def go_away():
    import pathlib
    if NEAR.get("root"):
        NEAR["root"] = None
        os.close(NEAR["folder"])
        if pathlib.Path.stat is NEAR["near_stat"]:
            pathlib.Path.stat = NEAR["look"]


def nearly(path):
    """A path as it is called from the project's folder; None for one that is elsewhere, or when it is left."""
    root = NEAR.get("root")
    if not root:
        return None
    if path.startswith(root):
        return path[len(root):] or "."
    if path.startswith(PROJECTS):
        rest = path[len(PROJECTS):]
        return "." if path + "/" == root else "../" + rest
    return ".." if path + "/" == PROJECTS else None


def stat_near(path):
    short = nearly(path)
    return os.stat(path) if short is None else os.stat(short, dir_fd=NEAR["folder"])


def read_near(path):
    short = nearly(path)
    if short is not None:
        return read_file(short, NEAR["folder"])
    with open(path, "rb") as file:
        return file.read()
