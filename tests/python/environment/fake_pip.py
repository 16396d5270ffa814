"""A fake pip. The tests copy it as `pip.py` into the folder of the packages, where it writes metadata.

`install` writes the metadata of the given packages, except for pytest, and adds a line with its arguments to the file
`calls`. It fails for the package `broken`, and for the package `new` together with pytest 7.2.1.
"""

import os
import re
import shutil
import sys
from typing import List

HERE = os.path.dirname(os.path.abspath(__file__))


def install(words: List[str]) -> None:
    """Installs version 2.0 of each package, or version 1.0 if the word ends with `<2.0`."""
    if "broken" in words or ("new" in words and "pytest==7.2.1" in words):
        sys.exit("ERROR: no")
    for word in words:
        name = re.split("[<=>]", word)[0]
        if name != "pytest":
            write(name, "1.0" if word.endswith("<2.0") else "2.0")
    with open(os.path.join(HERE, "calls"), "a") as calls:
        calls.write(" ".join(words) + "\n")


def write(name: str, version: str) -> None:
    """Writes the metadata of a package."""
    uninstall(name)
    folder = os.path.join(HERE, f"{name}-{version}.dist-info")
    os.makedirs(folder)
    with open(os.path.join(folder, "METADATA"), "w") as file:
        file.write(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def uninstall(name: str) -> None:
    """Removes the metadata of a package."""
    for other in os.listdir(HERE):
        if other.startswith(name + "-"):
            shutil.rmtree(os.path.join(HERE, other))


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if not word.startswith("--") and word != "off"]
    if arguments[0] == "install":
        install(arguments[1:])
    else:
        uninstall(arguments[-1])
