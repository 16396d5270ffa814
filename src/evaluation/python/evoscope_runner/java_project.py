"""A Java project in a session: sources, roots of the sources, resources, and folders of compiled classes.

The root of a source is the folder in which the folders of its package begin: `src` for `src/a/b/C.java`."""

import posixpath
import re
from typing import Dict, List, NamedTuple, Optional, Sequence, Set, Tuple
from xml.etree import ElementTree

#: The folders of compiled classes in a run, relative to the project's folder.
MAIN_CLASSES = ".evoscope-classes/main"
TEST_CLASSES = ".evoscope-classes/test"
#: The name of a folder with source templates, in which the build replaces `PLACEHOLDER` by the project's version.
TEMPLATES = "java-templates"
PLACEHOLDER = b"${project.version}"


class Roots(NamedTuple):
    """The roots of the main sources and of the test sources that the tests of a target need."""

    main: List[str]
    tests: List[str]

    @property
    def module(self) -> str:
        """The working folder of the tests: the folder of the first root's module. Test roots come first, and roots
        outside of modules are skipped. Empty (the project's folder) if no root is in a module."""
        modules = (module_of(root) for root in self.tests + self.main)
        return next((module for module in modules if module), "")


#: The roots of a Maven module, relative to the module's folder.
MAIN_ROOT = "src/main/java"
TEST_ROOT = "src/test/java"
#: Roots with such a folder in the path contain tests.
TEST_FOLDERS = ("test", "tests")
#: Roots with such a folder in the path contain sources that are only data for tests.
DATA_FOLDERS = ("resources", "archetype-resources")
PACKAGE = re.compile(rb"^[ \t]*package\s+([\w.$]+)\s*;", re.MULTILINE)


def root_of(path: str, text: bytes) -> Optional[str]:
    """The root of a source: the path up to the end of `src/main/java` or `src/test/java`, or else the path before the
    folders of the source's package. For a source without a package, the folder of the source. None if the path does not
    match the package."""
    for usual in (MAIN_ROOT, TEST_ROOT):
        if "/%s/" % usual in "/" + path:
            return path[: ("/" + path).index("/%s/" % usual) + len(usual)]
    folder = posixpath.dirname(path)
    declared = PACKAGE.search(text)
    if declared is None:
        return folder
    package = declared.group(1).decode("ascii", "replace").replace(".", "/")
    if not ("/" + folder).endswith("/" + package):
        return None
    return folder[: len(folder) - len(package)].rstrip("/")


def packages_of(sources: Dict[str, bytes]) -> Set[str]:
    """The names of the packages that these sources declare."""
    found = (PACKAGE.search(text) for text in sources.values())
    return {match.group(1).decode("ascii", "replace") for match in found if match}


def module_of(root: str) -> str:
    """The folder of the module that a root belongs to: the part of the path before the first `src`. Empty if the path
    has no `src`."""
    return root[: ("/" + root + "/").index("/src/")].rstrip("/") if "src" in root.split("/") else ""


def test_roots(module: str, sources: Dict[str, bytes]) -> List[str]:
    """The roots of a module's test sources, `src/test/java` first. Only `src/test/java` if no test source is found."""
    packaged, plain = set(), set()
    for path, text in sources.items():
        root = root_of(path, text)
        if root is None or not is_in(path, [module]):
            continue
        parts = root[len(module) :].split("/")
        if any(part in TEST_FOLDERS for part in parts) and not any(part in DATA_FOLDERS for part in parts):
            (packaged if PACKAGE.search(text) else plain).add(root)
    # The folder of a source without a package may be no root. Ignore it if it contains a packaged root or is in one.
    plain = {root for root in plain if not any(is_nested(root, other) for other in packaged)}
    usual = posixpath.join(module, TEST_ROOT)
    return sorted(packaged | plain, key=lambda root: (root != usual, root)) or [usual]


def is_nested(one: str, other: str) -> bool:
    """Whether two folders are equal or one of them contains the other."""
    return (one + "/").startswith(other + "/") or (other + "/").startswith(one + "/")


def roots_of(target: str, main: Sequence[str], tests: Sequence[str], sources: Dict[str, bytes]) -> Roots:
    """The roots for the target in the file `target`: `main` and `tests`, which the environment declares. If a list is
    empty, the roots of the target's module."""
    found_main, found_tests = list(main), list(tests)
    own = root_of(target, sources.get(target, b""))
    module = module_of(found_main[0] if found_main else own or target)
    if not found_main:
        found_main = [posixpath.join(module, MAIN_ROOT) if own is None else own]
        templates = posixpath.join(module, "src/main", TEMPLATES)
        if any(path.startswith(templates + "/") for path in sources):
            found_main.append(templates)
    if not found_tests:
        found_tests = [root for root in test_roots(module, sources) if root not in found_main]
    return Roots(found_main, found_tests)


def is_in(path: str, roots: Sequence[str]) -> bool:
    """Whether a file is below one of the roots. The roots `""` and `"."` contain every file."""
    return any(root in ("", ".") or path.startswith(root + "/") for root in roots)


def is_source(path: str) -> bool:
    """Whether a file is a source to compile. `module-info.java` is not, because all classes are on the class path."""
    return path.endswith(".java") and posixpath.basename(path) != "module-info.java"


class JavaProject:
    """A project: its sources (path, text), and the paths of all other files."""

    def __init__(self, sources: Dict[str, bytes], others: Sequence[str], versions: Dict[str, bytes]) -> None:
        self.sources = sources
        self.others = list(others)
        #: Key: the folder of a Maven module; value: the version of the module.
        self.versions = versions

    def text(self, path: str) -> bytes:
        """The text of a source. In a template, the version replaces each placeholder."""
        text = self.sources[path]
        return text.replace(PLACEHOLDER, self._version(path)) if "/%s/" % TEMPLATES in path else text

    def _version(self, path: str) -> bytes:
        folder = posixpath.dirname(path)
        while folder and folder not in self.versions:
            folder = posixpath.dirname(folder)
        return self.versions.get(folder, b"0")

    def below(self, roots: Sequence[str]) -> List[Tuple[str, bytes]]:
        """(path, text) of the sources below these roots, sorted by path."""
        return [(path, self.text(path)) for path in sorted(self.sources) if is_in(path, roots) and is_source(path)]

    def file_of(self, entry: str, roots: Sequence[str]) -> Optional[str]:
        """The path of the source that contains a test. `entry` is `package.Class#method`, `package.Class`, or the path
        of a source. None if no source is found."""
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
        """The folders of resources: for each root, the folder `resources` next to the root, and the root itself.
        Folders with only sources are left out."""
        found = []
        for root in roots:
            for folder in (posixpath.join(posixpath.dirname(root), "resources"), root):
                if any(path.startswith(folder + "/") for path in self.others) and folder not in found:
                    found.append(folder)
        return found


def class_name(path: str, roots: Sequence[str]) -> str:
    """The full name of the class in a source: the path below the innermost root, with `.` between the parts."""
    holding = [root for root in roots if path.startswith(root + "/")]
    root = max(holding, key=len, default="")
    inner = path[len(root) + 1 :] if root else path
    return inner[: -len(".java")].replace("/", ".")


def version_of(pom: bytes) -> Optional[bytes]:
    """The version in a Maven project file: the version of the project, or else the version of the project's parent.
    None if the file has no version or cannot be parsed."""
    try:
        project = ElementTree.fromstring(pom)
    except ElementTree.ParseError:
        return None
    parts = {part.tag.rpartition("}")[2]: part for part in project}
    parent = {part.tag.rpartition("}")[2]: part for part in parts.get("parent", ())}
    version = parts.get("version", parent.get("version"))
    text = "" if version is None else (version.text or "").strip()
    return text.encode() or None
