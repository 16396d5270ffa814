"""A run of Java tests: prepares the forked process and then executes a JVM in it."""

import os
import sys
import traceback
from typing import Set

from . import protocol
from .run import NOT_STARTED, Run
from .zygote import RunStart, Settings


class JavaRun(Run):
    """A run in its own forked process. The JVM reads the tests from the run's channel, and writes its reports to the
    channel. The channel is the JVM's standard input, because a JVM cannot open a descriptor by its number."""

    report_descriptor = 0

    def _connect(self, start: RunStart, preserved: Set[int]) -> None:
        os.dup2(start.channel, 0)
        os.dup2(start.log, 1)
        os.dup2(start.log, 2)
        os.closerange(3, 1024)

    def remove_stale(self) -> None:
        """Removes the classes of the sources that the run replaces."""
        for path in self.header["remove"]:
            try:
                os.unlink(os.path.join(self.settings.root, path))
            except FileNotFoundError:
                pass


def start_java(start: RunStart, settings: Settings, folder: str) -> None:
    """Prepares the process and executes the JVM. Never returns. `folder` is the environment's folder, which stays
    visible in the sandbox."""
    JavaRun.shown_folders = [folder]
    run = JavaRun(start, settings, set())
    try:
        module = os.path.join(settings.root, run.header["folder"])
        os.chdir(module if os.path.isdir(module) else settings.root)
        command = run.header["command"]
        os.execve(command[0], command, settings.environment)
    except BaseException:
        sys.stderr.flush()
        protocol.write_all(2, traceback.format_exc().encode("utf-8", "replace"))
        os._exit(NOT_STARTED)
