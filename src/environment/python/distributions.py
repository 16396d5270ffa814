"""Finds an installed distribution and the distributions that it requires, from the metadata in a folder of packages."""

import csv
import glob
import os
import re
from typing import Dict, List, Set


def normalized(name: str) -> str:
    """The normalized name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    """The normalized name at the start of a requirement (PEP 508)."""
    match = re.match(r"[A-Za-z0-9._-]*", requirement)
    return normalized(match.group() if match else "")


class Distribution:
    """An installed distribution: its files, and the names of the distributions that it requires without extras."""

    def __init__(self, folder: str) -> None:
        self.name = ""
        self.required: List[str] = []
        with open(os.path.join(folder, "METADATA"), encoding="utf-8", errors="replace") as metadata:
            for line in metadata:
                if not line.strip():
                    break
                key, _, value = line.partition(":")
                if key == "Name":
                    self.name = normalized(value.strip())
                elif key == "Requires-Dist" and "extra ==" not in value:
                    self.required.append(name_of(value.strip()))
        site = os.path.dirname(folder)
        with open(os.path.join(folder, "RECORD"), encoding="utf-8", newline="") as record:
            self.files = {os.path.realpath(os.path.join(site, row[0])) for row in csv.reader(record) if row}


def files_with_requirements(name: str, sites: Set[str]) -> Set[str]:
    """The files of the distribution `name` and of all distributions that it requires, directly or indirectly.

    `sites` are the folders of the packages. Distributions that are not installed are skipped.
    """
    folders = [folder for site in sites for folder in glob.glob(os.path.join(glob.escape(site), "*.dist-info"))]
    installed: Dict[str, Distribution] = {}
    for folder in folders:
        if os.path.exists(os.path.join(folder, "RECORD")):
            distribution = Distribution(folder)
            installed[distribution.name] = distribution
    files: Set[str] = set()
    names = [normalized(name)]
    seen: Set[str] = set()
    while names:
        name = names.pop()
        if name in seen or name not in installed:
            continue
        seen.add(name)
        files |= installed[name].files
        names += installed[name].required
    return files
