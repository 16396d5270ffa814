"""Measures the memory that a run uses, where no control group limits it."""

import os
import resource
from typing import Dict, List, Sequence, Tuple

from . import kernel

#: The scratch folders of a run. They are in memory, as is the folder of the project.
SCRATCH = ("/tmp", "/dev/shm")
#: The size that stands for the memory files of a process that hides its descriptors (prctl(2), PR_SET_DUMPABLE).
HIDDEN = 1 << 62
#: The column of /proc/sysvipc/shm with the resident bytes of a segment.
SEGMENT_RESIDENT = 14


def other_processes(spared: Sequence[int]) -> List[int]:
    """The ids of all visible processes except those in `spared`."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in spared]


def used_memory(processes: Sequence[int], project: str) -> int:
    """The memory in bytes that the processes of a run use: their resident memory, the memory files (memfd_create(2))
    that they have open, their System V segments, and the files in the scratch folders and in the folder `project`.
    Memory that processes share may count more than once. More than any limit if a process hides its descriptors."""
    resident = shared = 0
    memory_files: Dict[Tuple[int, int], int] = {}
    for process in processes:
        try:
            resident += _resident(process)
            _add_memory_files(process, memory_files)
            # All processes of a run share these, unless a process has ended.
            shared = shared or _segments(process) + _files(process, project)
        except OSError:  # The process has gone.
            continue
    return resident + sum(memory_files.values()) + shared


def _resident(process: int) -> int:
    with open("/proc/%d/statm" % process) as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def _add_memory_files(process: int, sizes: Dict[Tuple[int, int], int]) -> None:
    folder = "/proc/%d/fd/" % process
    try:
        names = os.listdir(folder)
    except PermissionError:
        # A process that has ended and is not reaped yet refuses this too, but has no memory.
        if _resident(process):
            sizes[process, 0] = HIDDEN
        return
    for name in names:
        try:
            if os.readlink(folder + name).startswith("/memfd:"):
                about = os.stat(folder + name)
                sizes[about.st_dev, about.st_ino] = about.st_blocks * 512
        except OSError:  # The descriptor has gone.
            continue


def _segments(process: int) -> int:
    """The resident System V segments in the IPC namespace of a process."""
    own, other = (os.open("/proc/%s/ns/ipc" % each, os.O_RDONLY) for each in ("self", process))
    try:
        kernel.setns(other, kernel.CLONE_NEWIPC)
        with open("/proc/sysvipc/shm") as file:
            return sum(int(line.split()[SEGMENT_RESIDENT]) for line in file.readlines()[1:])
    finally:
        kernel.setns(own, kernel.CLONE_NEWIPC)
        os.close(own)
        os.close(other)


def _files(process: int, project: str) -> int:
    disks = [os.statvfs("/proc/%d/root%s" % (process, folder)) for folder in (*SCRATCH, project)]
    return sum((disk.f_blocks - disk.f_bfree) * disk.f_frsize for disk in disks)
