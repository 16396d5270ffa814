"""Finds an installed distribution and the distributions that it requires."""

import importlib
import re
import sys
from types import ModuleType
from typing import Any, Dict


def metadata() -> ModuleType:
    """Returns the module `importlib.metadata` or, on Python 3.7, its backport, which is installed with pytest."""
    name = "importlib.metadata" if sys.version_info >= (3, 8) else "importlib_metadata"
    return importlib.import_module(name)


def normalized(name: str) -> str:
    """The normalized name of a distribution (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(requirement: str) -> str:
    """The normalized name at the start of a requirement (PEP 508)."""
    match = re.match(r"[A-Za-z0-9._-]*", requirement)
    return normalized(match.group() if match else "")


def with_requirements(name: str) -> Dict[str, Any]:
    """Returns the distribution `name` and all distributions that it requires, directly or indirectly.

    The keys are normalized names, the values are distributions. Distributions that are not installed, and the
    requirements of extras, are skipped.
    """
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
