"""The filter of system calls (seccomp(2)) that each run installs before it executes code of the project.

It refuses what namespaces and missing capabilities leave open: families of sockets that reach beyond a network
namespace, keys and the kernel's log, which outlive a run, and nested user namespaces. In a container, it also protects
the processes of the session, which have the same user as the run."""

import ctypes
import errno
import functools
import os
import socket
import struct
from typing import List, Optional, Tuple

from . import kernel

#: For each machine: (the kernel's number of its ABI, index in the values of `NUMBERS`).
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1), "riscv64": (0xC00000F3, 1)}
FORBIDDEN = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "keyctl": (250, 219),
    "perf_event_open": (298, 241),
    "request_key": (249, 218),
    "syslog": (103, 116),
    "userfaultfd": (323, 282),
}
#: These calls fail as on a kernel that lacks them. Sockets can be made with io_uring, and no filter can read the flags
#: of clone3. The C library then uses clone.
ABSENT = {
    "clone3": (435, 435),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
}
#: The system calls that change a process, which their first argument names.
OF_A_PROCESS = {
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
}
#: The system calls that change the processes that their second argument names. If their first argument has this value,
#: they change all processes of a user.
OF_PROCESSES = {"setpriority": 2, "ioprio_set": 3}
#: The number of each system call: (x86_64, architectures with the generic numbers).
NUMBERS = {
    **FORBIDDEN,
    **ABSENT,
    **OF_A_PROCESS,
    "clone": (56, 220),
    "ioprio_set": (251, 30),
    "setpriority": (141, 140),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "unshare": (272, 97),
}
#: System calls of the ABI x32 of x86_64 have this bit.
X32 = 0x40000000
NETLINK_ROUTE = 0

LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
#: Offsets in `struct seccomp_data`.
NUMBER, ABI, ARGUMENTS = 0, 4, 16

#: A step of the program: (operation, operand, steps to skip if a comparison is true, steps to skip if it is false).
Step = Tuple[int, int, int, int]


def _argument(index: int) -> Step:
    """Loads the lower half of an argument."""
    return LOAD, ARGUMENTS + 8 * index, 0, 0


def _refuse(number: int) -> Step:
    return RETURN, REFUSE | number, 0, 0


_ALLOW: Step = (RETURN, ALLOW, 0, 0)
_SOCKETS = [
    _argument(0),
    *((EQUAL, family, 4 - at, 0) for at, family in enumerate((socket.AF_UNIX, socket.AF_INET, socket.AF_INET6))),
    (EQUAL, socket.AF_NETLINK, 2, 0),
    _refuse(errno.EAFNOSUPPORT),
    _ALLOW,
    _argument(2),
    (EQUAL, NETLINK_ROUTE, 0, 1),
    _ALLOW,
    _refuse(errno.EPROTONOSUPPORT),
]
_NAMESPACES = [_argument(0), (ANY_BIT, kernel.CLONE_NEWUSER, 0, 1), _refuse(errno.EPERM), _ALLOW]


def _younger(argument: int, oldest: int) -> List[Step]:
    """Allows a call if the argument is 0 or the id of a process that is not older than the process `oldest`."""
    return [_argument(argument), (EQUAL, 0, 2, 0), (AT_LEAST, oldest, 1, 0), _refuse(errno.EPERM), _ALLOW]


def program(machine: str, oldest: Optional[int]) -> List[Step]:
    """The steps of the filter. If `oldest` is given, calls that change the limits, the priority or the processors of
    processes older than this process are refused. Raises `KeyError` for an unknown machine."""
    abi, column = MACHINES[machine]
    rules = {
        **{name: [_refuse(errno.EPERM)] for name in FORBIDDEN},
        **{name: [_refuse(errno.ENOSYS)] for name in ABSENT},
        **dict.fromkeys(("socket", "socketpair"), _SOCKETS),
        **dict.fromkeys(("clone", "unshare"), _NAMESPACES),
    }
    if oldest is not None:
        rules.update({name: _younger(0, oldest) for name in OF_A_PROCESS})
        for name, user in OF_PROCESSES.items():
            rules[name] = [_argument(0), (EQUAL, user, 3, 0), *_younger(1, oldest)]
    steps: List[Step] = [
        (LOAD, ABI, 0, 0),
        (EQUAL, abi, 1, 0),
        _refuse(errno.ENOSYS),
        (LOAD, NUMBER, 0, 0),
        (AT_LEAST, X32, 0, 1),
        _refuse(errno.ENOSYS),
    ]
    for name, rule in rules.items():
        steps += [(EQUAL, NUMBERS[name][column], 0, len(rule)), *rule]
    return [*steps, _ALLOW]


@functools.lru_cache(maxsize=1)
def code(oldest: Optional[int]) -> bytes:
    """The program for this machine, in the kernel's format."""
    steps = program(os.uname().machine, oldest)
    return b"".join(struct.pack("=HBBI", operation, yes, no, operand) for operation, operand, yes, no in steps)


def install(oldest: Optional[int]) -> None:
    """Installs the filter in this process and in all processes that it starts later."""
    steps = code(oldest)
    buffer = ctypes.create_string_buffer(steps, len(steps))
    # `struct sock_fprog`.
    described = struct.pack("@HP", len(steps) // 8, ctypes.addressof(buffer))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    holder = ctypes.create_string_buffer(described, len(described))
    kernel.prctl(kernel.PR_SET_SECCOMP, kernel.SECCOMP_MODE_FILTER, ctypes.addressof(holder))
