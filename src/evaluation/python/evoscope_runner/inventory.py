"""Lists the modules and files that a run of the reference code has loaded. Only runs of the reference code make these
lists, because a completion could change them."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, Sequence, Set

#: The names of the modules of the runner and of pytest. Every zygote has them, so they need not be imported ahead of
#: runs.
OF_RUNNER: Set[str] = set()


def loaded(root: str) -> Dict[str, Any]:
    """The loaded modules from outside the project, in the order of loading, and the loaded files of the project. For
    each file, `rewritten` states whether pytest rewrote its assertions."""
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
    """Files outside of the project that contain the text `body`. The path of such a file, relative to one of `folders`,
    is `path` or the end of `path`."""
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
