"""Lists the modules and files that a run has loaded, and finds copies of the target outside of the project. Only runs
of the reference code do this, because a completion could change the results."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Sequence, Set

#: The names of the modules of the runner and of pytest. `loaded` leaves them out: every zygote, a process that forks
#: runs, has already imported them.
OF_RUNNER: Set[str] = set()


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
    `path`, or an end of `path` with at least two parts. One part is enough if only `src` or `lib` precedes it."""
    wanted = body.strip().encode("utf-8")
    parts, found = path.split("/"), []
    for folder in folders:
        for depth in range(len(parts)):
            if depth and len(parts) - depth < 2 and parts[:depth] not in (["src"], ["lib"]):
                continue
            candidate = os.path.realpath(os.path.join(folder, *parts[depth:]))
            if not wanted or candidate.startswith(project + "/") or not os.path.isfile(candidate):
                continue
            with open(candidate, "rb") as file:
                if wanted in file.read():
                    found.append(candidate)
    return found
