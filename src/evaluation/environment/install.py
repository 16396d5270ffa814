"""Installs what a project needs into the environment that runs this. The argument is a file with, as JSON: `packages`,
which have to go in; `found`, of which those that do not go in are left out; `pytest`, the release to take where none is
asked for; `own`, whether the image's own pytest is at hand.

An image's own pytest is kept as it is where the packages allow it: environments on the same image then share one warm
interpreter. A plugin that says it goes with that pytest and does not load is taken in an earlier release."""
import json
import os
import re
import subprocess
import sys
import tempfile

EARLIER_RELEASES = 6


def tell(text):
    print("evoscope: " + text)
    sys.stdout.flush()


class Install(object):
    def __init__(self, needs, held):
        self.packages, self.found, self.pytest = needs["packages"], needs["found"], needs["pytest"]
        self.held = held
        self.left_out = []

    def pip(self, packages):
        """Whether packages could be installed, together."""
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
            constraints.write("\n".join(self.held))
            constraints.flush()
            told = ["--constraint", constraints.name] if self.held else []
            quiet = {"stderr": subprocess.DEVNULL} if self.held else {}
            return subprocess.call(command + told + packages, **quiet) == 0

    def all(self):
        """Whether everything that has to go in did."""
        if self.packages and not self.pip(self.packages):
            return False
        if self.found and not self.pip(self.found + [self.pytest]):
            self.left_out = [package for package in self.found if not self.pip([package, self.pytest])]
        return True

    def with_own_pytest(self):
        """Whether everything goes with the pytest that is held."""
        if not self.all():
            return False
        for _ in range(EARLIER_RELEASES):
            faulty = faulty_plugin()
            if faulty is None:
                return not any(Install.goes_in_otherwise(self, package) for package in self.left_out)
            self.held = self.held + ["%s<%s" % faulty]
            if not self.pip([faulty[0]]):
                return False
        return False

    def goes_in_otherwise(self, package):
        """Whether a package that was left out is so for the sake of the pytest that is held."""
        return Install({"packages": [package], "found": [], "pytest": self.pytest}, []).all()

    def without_faulty_plugins(self):
        """Takes out plugins that nobody asked for by name and that keep pytest from starting."""
        faulty = faulty_plugin()
        while faulty is not None and any(is_called(package, faulty[0]) for package in self.found):
            self.left_out.append(faulty[0])
            subprocess.call([sys.executable, "-m", "pip", "uninstall", "--quiet", "--yes", faulty[0]])
            self.found = [package for package in self.found if not is_called(package, faulty[0])]
            faulty = faulty_plugin()


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def is_called(package, name):
    return plain(re.match(r"[A-Za-z0-9._-]*", package).group()) == plain(name)


LOADS = """
import sys
import pytest
try:
    import importlib.metadata as metadata
except ImportError:
    import importlib_metadata as metadata
for distribution in metadata.distributions():
    for point in distribution.entry_points:
        if point.group == "pytest11":
            try:
                point.load()
            except Exception:
                print(distribution.metadata["Name"] + " " + distribution.version)
                sys.exit(0)
"""


def faulty_plugin():
    """The name and release of an installed plugin that does not load, if any."""
    asked = subprocess.run([sys.executable, "-s", "-c", LOADS], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                           cwd=os.path.dirname(sys.executable))
    words = asked.stdout.decode("utf-8", "replace").split()
    return tuple(words) if len(words) == 2 else None


def own_pytest():
    """The releases of the pytest at hand and of what it requires, as constraints."""
    return ["%s==%s" % (name, each.version) for name, each in sorted(required_by("pytest").items())]


def start_anew():
    base = getattr(sys, "_base_executable", sys.executable)
    subprocess.check_call([base, "-m", "venv", "--clear", "--system-site-packages", sys.prefix])


def main(needs):
    tell("install " + " ".join(needs["packages"] + needs["found"]))
    if needs["own"]:
        held = Install(needs, own_pytest())
        if held.with_own_pytest():
            return told(held)
        tell("install with another pytest than the image's own")
        start_anew()
    asked = Install(needs, [])
    if not asked.all():
        return 1
    asked.without_faulty_plugins()
    return told(asked)


def told(install):
    for package in install.left_out:
        tell("left out: " + package)
    return 0


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        sys.exit(main(json.load(file)))
