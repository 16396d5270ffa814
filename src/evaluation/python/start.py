# The first program of a session (a sandbox with its processes). It is started with `python -c`. It reads the sources of
# the package `evoscope_runner` from standard input and imports the package from memory. It uses no files, because other
# programs in the sandbox could write to them.
import importlib.abc
import importlib.util
import json
import os
import sys


class Archive(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules from a dictionary (key: name of a module, value: its source)."""

    def __init__(self, sources):
        self.sources = sources

    def find_spec(self, name, path=None, target=None):
        if name not in self.sources:
            return None
        return importlib.util.spec_from_loader(name, self, origin="<evoscope>", is_package="." not in name)

    def exec_module(self, module):
        code = compile(self.sources[module.__name__], "<%s>" % module.__name__, "exec", dont_inherit=True)
        exec(code, module.__dict__)


def read(count):
    """Reads exactly `count` bytes from standard input. Exits with status 3 if standard input is shorter."""
    data = b""
    while len(data) < count:
        part = os.read(0, count - len(data))
        if not part:
            os._exit(3)
        data += part
    return data


sys.path[:] = [path for path in sys.path if path]
sys.dont_write_bytecode = True
sys.meta_path.insert(0, Archive(json.loads(read(int.from_bytes(read(4), "big")).decode("utf-8"))))
from evoscope_runner import supervisor  # noqa: E402

supervisor.main()
