"""Removes copies of the project's modules from the environment of the interpreter that runs this script.

usage: remove_copies.py SOURCES

Pip copies the project's modules into the environment if it installs the project, or a package that depends on the
project. The copies contain the reference code. Test runs do not need the copies, because Evoscope gives the project's
files to each run. Metadata, scripts, compiled extensions, pytest and the requirements of pytest are not removed.
SOURCES is a file with the paths of the project's Python files, one path per line.
"""

import os
import sys
import sysconfig
from typing import List

from distributions import files_with_requirements

IN_PLACE_OF_A_PACKAGE = "raise ImportError('this package comes with the project')\n"


def remove(copy: str) -> None:
    """Removes a module and its bytecode.

    Replaces an `__init__.py` by a file that raises ImportError. Without this file, Python would import the folder as a
    namespace package.
    """
    os.remove(copy)
    folder, name = os.path.split(copy)
    if name == "__init__.py":
        with open(copy, "w", encoding="utf-8") as package:
            package.write(IN_PLACE_OF_A_PACKAGE)
    cache = os.path.join(folder, "__pycache__")
    for bytecode in os.listdir(cache) if os.path.isdir(cache) else []:
        if bytecode.startswith(name[: -len("py")]):
            os.remove(os.path.join(cache, bytecode))


def main(sources: List[str]) -> None:
    """Removes the copies of the project's Python files."""
    sites = {sysconfig.get_paths()[name] for name in ("purelib", "platlib")}
    required = files_with_requirements("pytest", sites)
    for site in sites:
        for path in sources:
            for top in ("", "src/", "lib/"):
                copy = os.path.join(site, path[len(top) :])
                if path.startswith(top) and os.path.isfile(copy) and os.path.realpath(copy) not in required:
                    remove(copy)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as lines:
        main(lines.read().splitlines())
