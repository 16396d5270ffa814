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
        modules = (module_of(root) for root in self.tests + self.main)
        return next((module for module in modules if module), "")


#: Where Maven has sources.
MAIN_ROOT = "src/main/java"
TEST_ROOT = "src/test/java"
#: Parts of paths below which tests are, whatever the layout.
TEST_FOLDERS = ("test", "tests")


def root_of(path: str, text: bytes) -> str:
    """The folder that a source's package begins in: what is before the package in its path, else its own folder."""
    folder = posixpath.dirname(path)
    declared = re.search(rb"^[ \t]*package\s+([\w.$]+)\s*;", text, re.MULTILINE)
    package = declared.group(1).decode("ascii", "replace").replace(".", "/") if declared else ""
    if package and ("/" + folder).endswith("/" + package):
        return folder[: len(folder) - len(package)].rstrip("/")
    return folder


def module_of(root: str) -> str:
    """The folder of the module that a root of sources belongs to."""
    return root[: ("/" + root + "/").index("/src/")].rstrip("/") if "src" in root.split("/") else ""


def has_tests(root: str, module: str) -> bool:
    """Whether a root is one of tests of a module."""
    inner = root[len(module) :].lstrip("/") if module else root
    below = root == module or root.startswith(module + "/") if module else True
    return below and any(part in TEST_FOLDERS for part in inner.split("/"))


def roots_of(target: str, main: Sequence[str], tests: Sequence[str], sources: Dict[str, bytes]) -> Roots:
    """The roots as declared; where none are, those of the target's module, as the packages of the sources show them."""
    found_main, found_tests = list(main), list(tests)
    own = root_of(target, sources.get(target, b""))
    module = module_of(found_main[0] if found_main else own)
    if not found_main:
        found_main = [own]
        templates = posixpath.join(module, "src/main", TEMPLATES)
        if any(path.startswith(templates + "/") for path in sources):
            found_main.append(templates)
    if not found_tests:
        roots = {root_of(path, text) for path, text in sources.items() if path.endswith(".java")}
        usual = posixpath.join(module, TEST_ROOT)
        found_tests = sorted(root for root in roots if has_tests(root, module) and root not in found_main)
        # A package in the wrong folder begins nowhere: its folder is below another root.
        outer = [root for root in found_tests if not any(root.startswith(other + "/") for other in found_tests)]
        found_tests = sorted(outer, key=lambda root: (root != usual, root)) or [usual]
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
