"""Lists the modules and files that a run has loaded, and finds copies of the target outside of the project. Only runs
of the reference code do this, because a completion could change the results."""

import os
import sys
from typing import Any, Dict, Iterator, List, Sequence, Set

#: The names of the modules of the runner and of pytest. `loaded` leaves them out: every zygote, a process that forks
#: runs, has already imported them.
OF_RUNNER: Set[str] = set()

#: The endings of archives in which copies of the target are searched.
ARCHIVES = (".zip", ".whl", ".egg", ".jar", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")

#: The size of the largest file of an archive that is searched, in bytes.
LARGEST_MEMBER = 16 << 20


def loaded(root: str) -> Dict[str, Any]:
    """`modules`: the loaded modules from outside the project, in the order of loading. `files`: the loaded files of the
    project, each with `rewritten`: whether pytest rewrote the assertions of the file."""
    modules: List[str] = []
    own: Dict[str, bool] = {}
    for name, module in list(sys.modules.items()):
        origin = getattr(module, "__file__", None) or ""
        if not isinstance(name, str) or not origin.startswith("/"):
            continue
        if origin.startswith(root + "/"):
            if origin.endswith(".py"):
                loader = type(getattr(module, "__loader__", None)).__name__
                own[origin[len(root) + 1 :]] = loader == "AssertionRewritingHook"
        elif not (name in OF_RUNNER or origin.startswith("/tmp/") or "conftest" in name or name.startswith("__")):
            modules.append(name)
    return {"modules": modules, "files": [{"path": path, "rewritten": own[path]} for path in sorted(own)]}


def copies_of(body: str, path: str, project: str, folders: Sequence[str]) -> List[str]:
    """The files outside of the project that contain the text `body`. In one of `folders`, such a file has the path
    `path`, or an end of `path` with at least two parts. One part is enough if only `src` or `lib` precedes it. It may
    also be in an archive of an installed package, with the file name of `path`."""
    wanted, parts = body.strip().encode("utf-8"), path.split("/")
    found: List[str] = []
    for folder in folders if wanted else ():
        for depth in range(len(parts)):
            candidate = os.path.realpath(os.path.join(folder, *parts[depth:]))
            is_known = not depth or len(parts) - depth > 1 or parts[:depth] in (["src"], ["lib"])
            if is_known and not candidate.startswith(project + "/") and os.path.isfile(candidate):
                with open(candidate, "rb") as file:
                    found += [candidate] if wanted in file.read() else []
        for archive in archives_below(folder):
            found += [archive] if any(wanted in text for text in members(archive, parts[-1])) else []
    return found


def archives_below(folder: str) -> Iterator[str]:
    """The ZIP and tar archives of installed packages below `folder`; `folder` itself, if it is a ZIP archive."""
    if os.path.isfile(folder):
        yield folder
    elif os.path.basename(folder) in ("site-packages", "dist-packages"):
        for root, _, names in os.walk(folder):
            yield from (os.path.join(root, name) for name in names if name.lower().endswith(ARCHIVES))


def members(archive: str, name: str) -> Iterator[bytes]:
    """The contents of the files with the name `name` in an archive. Left out are large files, and all files after a
    damaged place."""
    import tarfile
    import zipfile

    def fits(path: str, size: int) -> bool:
        return path.rsplit("/", 1)[-1] == name and size <= LARGEST_MEMBER

    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as opened:
                yield from (opened.read(each) for each in opened.infolist() if fits(each.filename, each.file_size))
        elif tarfile.is_tarfile(archive):
            with tarfile.open(archive) as tar:
                contents = (tar.extractfile(each) for each in tar if each.isfile() and fits(each.name, each.size))
                yield from (content.read() for content in contents if content is not None)
    except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, tarfile.TarError):
        return
