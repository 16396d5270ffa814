"""Stands in for pip: `install` writes the metadata of what it is asked for beside itself, and a line into `calls`."""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def install(words):
    constraints = []
    if "--constraint" in words:
        at = words.index("--constraint")
        with open(words[at + 1]) as file:
            constraints = file.read().split()
        del words[at:at + 2]
    packages = [word for word in words if not word.startswith("--")]
    if "broken" in packages or ("new" in packages and constraints):
        sys.exit("ERROR: no")
    for name in packages:
        write(name, "1.0" if name + "<2.0" in constraints else "2.0")
    with open(os.path.join(HERE, "calls"), "a") as calls:
        calls.write("%s | %s\n" % (" ".join(packages), " ".join(constraints)))


def write(name, version):
    uninstall(name)
    about = os.path.join(HERE, "%s-%s.dist-info" % (name, version))
    os.makedirs(about)
    with open(os.path.join(about, "METADATA"), "w") as file:
        file.write("Metadata-Version: 2.1\nName: %s\nVersion: %s\n" % (name, version))
    if (name, version) == ("lying", "2.0"):
        with open(os.path.join(about, "entry_points.txt"), "w") as file:
            file.write("[pytest11]\nlying = not_there\n")


def uninstall(name):
    for other in os.listdir(HERE):
        if other.startswith(name + "-"):
            shutil.rmtree(os.path.join(HERE, other))


if sys.argv[1] == "install":
    install(sys.argv[2:])
else:
    uninstall(sys.argv[-1])
