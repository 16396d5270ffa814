"""Takes the project's own modules out of its environment, where an installation of the project, or of a package that
depends on it, has put them: they come with each run, and a copy would show the reference. Metadata, scripts and compiled
extensions stay, and so does what pytest itself needs. The argument is a list of the project's Python files."""
import os
import sys
import sysconfig


def needed_by(name):
    """The files of a distribution and of those that it requires."""
    return {os.path.realpath(str(distribution.locate_file(file)))
            for distribution in required_by(name).values() for file in distribution.files or []}


def take_out(copy):
    """Without its first file a package would still be found, as a namespace: so that says where the package is."""
    os.remove(copy)
    if os.path.basename(copy) == "__init__.py":
        with open(copy, "w") as package:
            package.write("raise ImportError('this package comes with the project')\n")
    cache, stem = os.path.join(os.path.dirname(copy), "__pycache__"), os.path.basename(copy)[:-2]
    for name in os.listdir(cache) if os.path.isdir(cache) else []:
        if name.startswith(stem):
            os.remove(os.path.join(cache, name))


kept = needed_by("pytest")
with open(sys.argv[1]) as lines:
    own = lines.read().splitlines()
for site in sorted({sysconfig.get_paths()[name] for name in ("purelib", "platlib")}):
    for path in own:
        for top in ("", "src/", "lib/"):
            copy = os.path.join(site, path[len(top):])
            if path.startswith(top) and os.path.isfile(copy) and os.path.realpath(copy) not in kept:
                take_out(copy)
