"""Looks up installed distributions: what they require, and which of their pytest plugins does not load."""

import importlib
import re
import subprocess
import sys
from types import ModuleType
from typing import Any, Dict, Optional, Tuple


def metadata() -> ModuleType:
    """The module `importlib.metadata`; on Python 3.7 its backport, which pytest brings along."""
    name = "importlib.metadata" if sys.version_info >= (3, 8) else "importlib_metadata"
    return importlib.import_module(name)


def normalized(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    """The normalized name at the start of a requirement (PEP 508)."""
    match = re.match(r"[A-Za-z0-9._-]*", requirement)
    return normalized(match.group() if match else "")


def with_requirements(name: str) -> Dict[str, Any]:
    """The named distribution and all that it requires, by normalized name, as far as they are installed."""
    found: Dict[str, Any] = {}
    names = [normalized(name)]
    while names:
        name = names.pop()
        if name in found:
            continue
        try:
            found[name] = metadata().distribution(name)
        except metadata().PackageNotFoundError:
            continue
        required = found[name].requires or []
        names += [name_of(line) for line in required if "extra ==" not in line]
    return found


def faulty_plugin() -> Optional[Tuple[str, str]]:
    """The name and version of an installed pytest plugin that does not load, if any. Asks a new interpreter."""
    command = [sys.executable, "-s", __file__]
    answer = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    words = answer.stdout.split()
    return (words[-2], words[-1]) if len(words) > 1 else None


def print_faulty_plugin() -> None:
    """Loads each pytest plugin, and prints the name and version of the first that does not load."""
    for distribution in metadata().distributions():
        for point in distribution.entry_points:
            if point.group != "pytest11":
                continue
            try:
                point.load()
            except Exception:
                print("\n" + distribution.metadata["Name"], distribution.version)
                return


if __name__ == "__main__":
    import pytest  # noqa: F401  A plugin may rely on it.

    print_faulty_plugin()
