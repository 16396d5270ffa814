# Calls that no run needs, refused to every process from here on (seccomp(2)): those that show another process's time, and
# those by which one learns what lies in the machine's memory of files without reading it, or takes it out of there.

LOAD, EQUALS, REACHES, AND, END = 0x20, 0x15, 0x35, 0x54, 0x06
ALLOW, REFUSE = 0x7fff0000, 0x00050000
INVALID, ABSENT, NO_OPTION, UNSUPPORTED = errno.EINVAL, errno.ENOSYS, errno.ENOPROTOOPT, errno.EOPNOTSUPP
# Where the kernel shows a call's arguments: their lower halves.
ARGUMENT = [16 + 8 * index for index in range(6)]

# The ids of other processes' clocks are a process number, inverted, above three bits of which those of a process have a
# value below 3; from 0xfffffff8 on they are one's own.
CLOCKS = [(LOAD, 0, 0, ARGUMENT[0]), (REACHES, 0, 4, 0x80000000), (REACHES, 3, 0, 0xfffffff8), (AND, 0, 0, 7),
          (REACHES, 1, 0, 3), (END, 0, 0, REFUSE | INVALID), (END, 0, 0, ALLOW)]


def with_argument(index, first, last, error):
    """Refuses a call whose argument is among these; with the error 0 it does nothing, and all is well."""
    return [(LOAD, 0, 0, ARGUMENT[index]), (REACHES, 0, 2, first), (REACHES, 1, 0, last + 1),
            (END, 0, 0, REFUSE | error), (END, 0, 0, ALLOW)]


def always(error):
    return [(END, 0, 0, REFUSE | error)]


# preadv2 with flags (RWF_NOWAIT), posix_fadvise's DONTNEED, madvise's COLD and PAGEOUT, getsockopt's SO_COOKIE, which is
# counted for the machine, as files in memory are that have no name. openat2 is not known to old kernels either: it tells names that were looked up.
RULES = {
    "clock_gettime": CLOCKS, "clock_nanosleep": CLOCKS, "timer_create": CLOCKS,
    "preadv2": with_argument(5, 1, 0xfffffffe, UNSUPPORTED), "fadvise64": with_argument(3, 4, 4, 0),
    "madvise": with_argument(2, 20, 21, INVALID), "getsockopt": with_argument(2, 57, 57, NO_OPTION),
    "mincore": always(ABSENT), "cachestat": always(ABSENT), "process_madvise": always(ABSENT),
    "io_setup": always(ABSENT), "io_uring_setup": always(ABSENT), "openat2": always(ABSENT),
    "memfd_create": always(ABSENT), "memfd_secret": always(ABSENT),
}

# The machine's number for the kernel, and its number for seccomp and for each call.
COMMON = {"io_uring_setup": 425, "openat2": 437, "process_madvise": 440, "memfd_secret": 447, "cachestat": 451}
MACHINES = {
    "x86_64": (0xc000003e, 317, dict(
        COMMON, clock_gettime=228, clock_nanosleep=230, timer_create=222, preadv2=327, fadvise64=221, madvise=28,
        getsockopt=55, mincore=27, io_setup=206, memfd_create=319)),
    "aarch64": (0xc00000b7, 277, dict(
        COMMON, clock_gettime=113, clock_nanosleep=115, timer_create=107, preadv2=286, fadvise64=223, madvise=233,
        getsockopt=209, mincore=232, io_setup=0, memfd_create=279)),
}


def refuse_calls():
    """Refuses them to this process and all that come from it; other machines' calls, and numbers above all, too."""
    if os.uname().machine not in MACHINES:
        return
    machine, seccomp, numbers = MACHINES[os.uname().machine]
    steps = [(LOAD, 0, 0, 4), (EQUALS, 1, 0, machine), (END, 0, 0, REFUSE | INVALID),
             (LOAD, 0, 0, 0), (REACHES, 0, 1, 0x40000000), (END, 0, 0, REFUSE | INVALID)]
    for call, rule in sorted(RULES.items()):
        steps += [(EQUALS, 0, len(rule), numbers[call])] + rule
    steps.append((END, 0, 0, ALLOW))
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    held = ctypes.create_string_buffer(code, len(code))
    LIBC.syscall(seccomp, 1, 4, struct.pack("HP", len(steps), ctypes.addressof(held)))
