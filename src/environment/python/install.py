"""Installs what a project requires into the environment of the interpreter that runs this.

usage: install.py REQUEST

REQUEST is a JSON file with four fields:
  packages    requirements that must be installed
  found       requirements that are left out if they cannot be installed
  pytest      the requirement of pytest
  own_pytest  whether the interpreter sees a pytest of its image, which is used if the packages allow that
"""

import json
import os
import subprocess
import sys
from typing import Any, Dict, List

from distributions import faulty_plugin, name_of, normalized, with_requirements

# How many times an earlier version of a plugin that does not load is tried.
EARLIER_VERSIONS = 6
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]


def log(text: str) -> None:
    """Prints the title of a step."""
    print("evoscope: " + text, flush=True)


def pip(*arguments: str) -> bool:
    """Runs pip; returns whether it succeeded. A module next to the caller must not shadow pip."""
    return subprocess.call(PIP + list(arguments), cwd=os.path.dirname(sys.executable)) == 0


def install(requirements: List[str]) -> bool:
    """Installs requirements together; returns whether that succeeded."""
    return not requirements or pip("install", "--progress-bar", "off", *requirements)


def install_each(requirements: List[str], pytest: str) -> List[str]:
    """Installs requirements that go with a pytest; returns those that do not."""
    if install([*requirements, pytest]):
        return []
    if len(requirements) == 1:
        return requirements
    return [each for each in requirements if not install([each, pytest])]


def repair_plugins(found: List[str], pytest: str) -> List[str]:
    """Replaces plugins that do not load, and keep pytest from starting, by earlier versions.

    A plugin of `found` without such a version is removed. Returns the names of the removed ones.
    """
    removed: List[str] = []
    tries: Dict[str, int] = {}
    while True:
        faulty = faulty_plugin()
        if faulty is None:
            return removed
        name, version = faulty
        tries[name] = tries.get(name, 0) + 1
        log(f"{name} {version} does not load")
        if tries[name] <= EARLIER_VERSIONS and install([f"{name}<{version}", pytest]):
            continue
        kept = [each for each in found if name_of(each) != normalized(name)]
        if kept == found:
            return removed
        pip("uninstall", "--yes", name)
        removed.append(name)
        found = kept


def main(request: Dict[str, Any]) -> int:
    """Installs what is requested; returns the exit code."""
    usual = pytest = request["pytest"]
    packages, found = request["packages"], request["found"]
    if request["own_pytest"]:
        pytest = "pytest==" + with_requirements("pytest")["pytest"].version
    else:
        log("install pytest")
        if not install([pytest]):
            return 1
    if packages:
        log("install " + ", ".join(packages))
        if not (install([*packages, pytest]) or install(packages)):
            return 1
    left_out: List[str] = []
    if found:
        log("install " + ", ".join(found))
        left_out = install_each(found, pytest)
        if left_out and pytest != usual:
            log("install with another pytest than the image's own")
            left_out = install_each(left_out, usual)
    for each in left_out + repair_plugins(found, pytest):
        log("left out: " + each)
    return subprocess.call([sys.executable, "-s", "-c", "import pytest"])


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.exit(main(json.load(file)))
