"""A Java project in a session: its sources, roots and resources, and the places of its classes in a run."""

from __future__ import annotations

import posixpath
import re
from typing import Dict, List, Optional, Sequence, Tuple

#: Folders of classes below the project's root, as a run sees it.
MAIN_CLASSES = ".evoscope-classes/main"
TEST_CLASSES = ".evoscope-classes/test"
#: A folder of sources in which the build replaces the project's version.
TEMPLATES = "java-templates"
PLACEHOLDER = b"${project.version}"


class Roots:
    """The folders of main and of test sources that the tests of a target need."""

    def __init__(self, main: Sequence[str], tests: Sequence[str]) -> None:
        self.main = list(main)
        self.tests = list(tests)

    @property
    def module(self) -> str:
        """The folder that tests run in: that of the module of the tests."""
        for root in self.tests + self.main:
            if "src" in root.split("/"):
                return root[: ("/" + root + "/").index("/src/")].rstrip("/")
        return ""


def roots_of(target: str, main: Sequence[str], tests: Sequence[str], paths: Sequence[str]) -> Roots:
    """The roots as declared; where none are, those of the target's module in Maven's layout."""
    found_main, found_tests = list(main), list(tests)
    module = ""
    if "/src/main/java/" in "/" + target:
        module = ("/" + target)[: ("/" + target).index("/src/main/java/")].lstrip("/")
    if not found_main:
        found_main = [posixpath.join(module, "src/main/java")]
        templates = posixpath.join(module, "src/main", TEMPLATES)
        if any(path.startswith(templates + "/") for path in paths):
            found_main.append(templates)
    if not found_tests:
        found_tests = [posixpath.join(module, "src/test/java")]
    return Roots(found_main, found_tests)


def is_in(path: str, roots: Sequence[str]) -> bool:
    """Whether a file is below one of the roots."""
    return any(root in ("", ".") or path.startswith(root + "/") for root in roots)


def is_source(path: str) -> bool:
    """Whether a file is compiled. A module's descriptor is not: all classes are on the class path."""
    return path.endswith(".java") and posixpath.basename(path) != "module-info.java"


class JavaProject:
    """The sources of a project."""

    def __init__(self, sources: Dict[str, bytes], others: Sequence[str], version: Optional[bytes]) -> None:
        self.sources = sources
        self.others = list(others)
        self.version = version or b"0"

    def text(self, path: str) -> bytes:
        """The text of a source, a template's placeholders replaced."""
        text = self.sources[path]
        return text.replace(PLACEHOLDER, self.version) if "/%s/" % TEMPLATES in path else text

    def below(self, roots: Sequence[str]) -> List[Tuple[str, bytes]]:
        """The sources below some roots."""
        return [(path, self.text(path)) for path in sorted(self.sources) if is_in(path, roots) and is_source(path)]

    def file_of(self, entry: str, roots: Sequence[str]) -> Optional[str]:
        """The source that a test is in: `package.Class#method`, `package.Class`, or the source's own path."""
        if entry.endswith(".java"):
            return entry if entry in self.sources else None
        name = entry.split("#")[0].replace(".", "/")
        while name:
            for root in roots:
                path = posixpath.join(root, name + ".java")
                if path in self.sources:
                    return path
            name = name.rpartition("$")[0]
        return None

    def resources(self, roots: Sequence[str]) -> List[str]:
        """The folders of resources next to some roots, and the roots themselves, as far as they hold other files."""
        found = []
        for root in roots:
            for folder in (posixpath.join(posixpath.dirname(root), "resources"), root):
                if any(path.startswith(folder + "/") for path in self.others) and folder not in found:
                    found.append(folder)
        return found


def class_name(path: str, roots: Sequence[str]) -> str:
    """The name of the class that a source's path spells below the longest root that holds it."""
    holding = [root for root in roots if path.startswith(root + "/")]
    root = max(holding, key=len, default="")
    inner = path[len(root) + 1 :] if root else path
    return inner[: -len(".java")].replace("/", ".")


def version_of(pom: bytes) -> Optional[bytes]:
    """The first version that a Maven project file names."""
    found = re.search(rb"<version>\s*([^<\s]+)\s*</version>", pom)
    return found.group(1) if found else None
