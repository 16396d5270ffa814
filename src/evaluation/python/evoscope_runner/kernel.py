"""System calls that are missing from some supported versions of Python."""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWPID = 0x20000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_NOATIME = 1, 2, 4, 8, 1024
MS_BIND = 4096
PR_SET_DUMPABLE = 4
PR_SET_PDEATHSIG = 1
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAPABILITY_VERSION_3 = 0x20080522

LIBC = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def unshare(flags: int) -> None:
    """Moves this process to new namespaces; see unshare(2)."""
    _check(LIBC.unshare(flags), "unshare")


def setns(descriptor: int, kind: int) -> None:
    """Moves this process to the namespace of an open descriptor; see setns(2)."""
    _check(LIBC.setns(descriptor, kind), "setns")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mounts a file system; see mount(2)."""
    result = LIBC.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), options.encode() or None
    )
    _check(result, "mount %s" % target)


def prctl(option: int, value: int) -> None:
    """Calls prctl(2) with an option and one argument."""
    _check(LIBC.prctl(option, ctypes.c_ulong(value), 0, 0, 0), "prctl")


def set_dumpable(dumpable: bool) -> None:
    """Sets whether other processes of the same user may trace this process and open its files in /proc."""
    prctl(PR_SET_DUMPABLE, int(dumpable))


def drop_capabilities() -> None:
    """Drops every capability of this process and of the programs that it executes later."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    _check(LIBC.capset(header, (ctypes.c_uint32 * 6)()), "capset")
