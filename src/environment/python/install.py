"""Installs a project's requirements into the environment of the interpreter that runs this script.

usage: install.py REQUEST

REQUEST is a JSON file with four fields:
  packages    requirements that must be installed
  found       requirements that are left out if they cannot be installed
  pytest      the requirement of pytest
  own_pytest  whether the image already has pytest. If so, this version is used unless a requirement excludes it
"""

import json
import os
import subprocess
import sys
from typing import Any, Dict, List

from distributions import with_requirements

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]


def log(text: str) -> None:
    """Prints the title of a step."""
    print("evoscope: " + text, flush=True)


def pip(*arguments: str) -> bool:
    """Runs pip and returns whether pip succeeded. The working folder has no module that could shadow pip."""
    return subprocess.call(PIP + list(arguments), cwd=os.path.dirname(sys.executable)) == 0


def install(requirements: List[str]) -> bool:
    """Installs all requirements with one call of pip. Returns whether pip succeeded."""
    return not requirements or pip("install", "--progress-bar", "off", *requirements)


def install_each(requirements: List[str], pytest: str) -> List[str]:
    """Installs the requirements that can be installed together with `pytest`. Returns the other requirements."""
    if install([*requirements, pytest]):
        return []
    if len(requirements) == 1:
        return requirements
    return [each for each in requirements if not install([each, pytest])]


def main(request: Dict[str, Any]) -> int:
    """Installs the packages of the request. Returns the exit code."""
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
            log("install with a pytest other than the image's pytest")
            left_out = install_each(left_out, usual)
    for each in left_out:
        log("left out: " + each)
    return subprocess.call([sys.executable, "-s", "-c", "import pytest"])


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.exit(main(json.load(file)))
