"""The project's files and the scratch folders of runs.

All files have the same modification time, so that bytecode that was compiled in an earlier run stays valid."""

import errno
import os
import shutil
from typing import Dict, List, NamedTuple, Sequence

from . import kernel

MTIME = 1_600_000_000

#: The folder to which the supervisor writes the project's files. It is the lower layer of the overlay mount of every
#: run.
PRISTINE = "/session/project"
#: The tmpfs of a run. It has the upper layer of the run's overlay mount.
LAYER = "/session/layer"


class File(NamedTuple):
    """A file of a project: its path relative to the project's root, its mode and its content."""

    path: str
    mode: int
    data: bytes


def write_file(root: str, file: File) -> None:
    """Writes a file below `root`. Replaces a file or folder at the same path."""
    path = os.path.join(root, file.path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    except IsADirectoryError:
        shutil.rmtree(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        view = memoryview(file.data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fchmod(descriptor, file.mode)
        os.utime(descriptor, (MTIME, MTIME))
    finally:
        os.close(descriptor)


def write_tree(root: str, files: Sequence[File], folders: Sequence[str]) -> None:
    """Writes a whole project to the folder `root`, which is empty or does not exist."""
    os.makedirs(root, exist_ok=True)
    for folder in folders:
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    for file in files:
        write_file(root, file)


def remove_bytecode(root: str, path: str) -> None:
    """Removes all bytecode of a source file. Otherwise Python would use this bytecode for a new text of the same
    length, because all files have the same modification time."""
    folder = os.path.join(root, os.path.dirname(path), "__pycache__")
    start = os.path.splitext(os.path.basename(path))[0] + "."
    names = os.listdir(folder) if os.path.isdir(folder) else []
    for name in names:
        if name.startswith(start):
            os.unlink(os.path.join(folder, name))


def empty_folder(folder: str) -> None:
    """Removes the contents of a folder. Ignores files that this process is not allowed to remove."""
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        os.chmod(folder, 0o700)
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if os.path.isdir(path) and not os.path.islink(path):
            _open_up(path)
            shutil.rmtree(path, ignore_errors=True)
        else:
            try:
                os.unlink(path)
            except OSError:
                pass


def _open_up(folder: str) -> None:
    """Restores this user's access rights to a folder and its subfolders, in case a run has removed these rights."""
    os.chmod(folder, 0o700)
    for base, names, _ in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)


class Workspace:
    """The project's files in a session.

    If runs have their own namespaces, each run sees the project through an overlay mount. The run's changes go to a
    tmpfs. Otherwise, before each run, the scratch folders are emptied and the project is written again from memory."""

    def __init__(self, root: str, scratch: Sequence[str], disk: int, isolated: bool) -> None:
        self.root = root
        self.scratch = list(scratch)
        self.disk = disk
        self.isolated = isolated
        self.files: Dict[str, File] = {}
        self.folders: List[str] = []
        self.used = False

    def stage(self, files: Sequence[File], folders: Sequence[str]) -> None:
        """Stores the project's files and writes them for the first run."""
        self.files = {file.path: file for file in files}
        self.folders = list(folders)
        if self.isolated:
            write_tree(PRISTINE, files, folders)
            os.makedirs(LAYER, exist_ok=True)
            os.makedirs(self.root, exist_ok=True)
            # A zygote (the process that forks runs) may start pytest before the fork. Then pytest reads the project's
            # configuration in this folder.
            kernel.mount(PRISTINE, self.root, "none", kernel.MS_BIND)
            return
        self.used = True
        self.prepare()

    def add(self, files: Sequence[File]) -> None:
        """Adds files, such as bytecode, to the project of every later run."""
        for file in files:
            self.files[file.path] = file
            write_file(PRISTINE if self.isolated else self.root, file)

    def prepare(self) -> None:
        """Removes everything that the last run left, and writes the project again. Does nothing if runs have their own
        namespaces, or if there was no run since the last call."""
        if self.isolated or not self.used:
            return
        for folder in self.scratch:
            if os.path.isdir(folder):
                empty_folder(folder)
        write_tree(self.root, list(self.files.values()), self.folders)
        self.used = False


def mount_view(root: str, disk: int, shown: Sequence[str] = ()) -> None:
    """Mounts the project's overlay and the scratch folders of a run, in the run's own mount namespace. The folders in
    `shown` stay visible even if they are inside a scratch folder."""
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    covered = [folder for folder in shown if folder.startswith(("/tmp/", "/work/", "/dev/shm/"))]
    saved = [(folder, os.open(folder, os.O_PATH)) for folder in covered]
    kernel.mount("tmpfs", LAYER, "tmpfs", flags, "size=%d,mode=0755" % disk)
    kernel.mount("tmpfs", "/work", "tmpfs", flags, "size=1m,mode=0755")
    os.mkdir(root)
    _mount_project(root, disk)
    kernel.mount("tmpfs", "/session", "tmpfs", flags | kernel.MS_RDONLY, "size=4k,mode=0555")
    kernel.mount("tmpfs", "/tmp", "tmpfs", flags | kernel.MS_NOATIME, "size=%d,mode=1777" % disk)
    shared = "size=%d,mode=1777" % min(disk, 64 << 20)
    kernel.mount("tmpfs", "/dev/shm", "tmpfs", flags | kernel.MS_NOEXEC, shared)
    for folder, descriptor in saved:
        os.makedirs(folder)
        kernel.mount("/proc/self/fd/%d" % descriptor, folder, "none", kernel.MS_BIND)
        os.close(descriptor)
    kernel.mount("proc", "/proc", "proc", flags | kernel.MS_NOEXEC)


def copy_tree(source: str, target: str) -> None:
    """Copies the contents of the folder `source` to the existing folder `target`."""
    for entry in os.scandir(source):
        copy = os.path.join(target, entry.name)
        if entry.is_dir(follow_symlinks=False):
            shutil.copytree(entry.path, copy, symlinks=True)
        else:
            shutil.copy2(entry.path, copy, follow_symlinks=False)


def _mount_project(root: str, disk: int) -> None:
    upper, work = LAYER + "/upper", LAYER + "/work"
    os.mkdir(upper)
    os.mkdir(work)
    layers = "lowerdir=%s,upperdir=%s,workdir=%s" % (PRISTINE, upper, work)
    flags = kernel.MS_NOSUID | kernel.MS_NODEV
    # The option `userxattr` needs Linux 6.6, because older versions of tmpfs lack user attributes. An overlay in a user
    # namespace needs Linux 5.11. On older kernels, copy the project.
    for options in (layers + ",userxattr", layers):
        try:
            kernel.mount("overlay", root, "overlay", flags, options)
            return
        except OSError as why:
            if why.errno not in (errno.EINVAL, errno.EPERM, errno.ENODEV):
                raise
    kernel.mount("tmpfs", root, "tmpfs", flags, "size=%d,mode=0755" % disk)
    copy_tree(PRISTINE, root)
