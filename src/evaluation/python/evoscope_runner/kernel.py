"""System calls that are missing from some supported versions of Python."""

import ctypes
import fcntl
import os
import socket
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_NOATIME = 1, 2, 4, 8, 1024
MS_BIND = 4096
PR_SET_DUMPABLE = 4
PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
CAPABILITY_VERSION_3 = 0x20080522
SIOCSIFFLAGS = 0x8914
IFF_UP = 1

LIBC = ctypes.CDLL(None, use_errno=True)
#: Like `LIBC`, for calls that keep the lock of the interpreter.
LOCKED_LIBC = ctypes.PyDLL(None)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def fork() -> int:
    """Calls fork(2) without what Python does in a new process, which takes about a millisecond. In the new process,
    only `os.fork` and functions of the module `os` may be called."""
    return int(LOCKED_LIBC.fork())


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


def prctl(option: int, first: int, second: int = 0) -> None:
    """Calls prctl(2) with an option and its arguments."""
    _check(LIBC.prctl(option, *map(ctypes.c_ulong, (first, second, 0, 0))), "prctl")


def set_dumpable(dumpable: bool) -> None:
    """Sets whether other processes of the same user may trace this process and open its files in /proc."""
    prctl(PR_SET_DUMPABLE, int(dumpable))


def raise_loopback() -> None:
    """Enables the loopback device, the only network device of a new network namespace. Tests may use it for connections
    to their own servers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        # `struct ifreq`.
        fcntl.ioctl(control.fileno(), SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))


def drop_capabilities() -> None:
    """Drops every capability of this process and of the programs that it executes later."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    _check(LIBC.capset(header, (ctypes.c_uint32 * 6)()), "capset")
