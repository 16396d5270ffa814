# The first lines in a sandbox. They take the program from standard input, and modules as code that an earlier session has
# loaded: to look for each of them and to read it takes longer than to run it, where the sandbox's root is slow.
import gc
import marshal
import posix
import sys


def read_exact(descriptor, count):
    parts = []
    while count:
        part = posix.read(descriptor, min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def read_number():
    return int.from_bytes(read_exact(0, 4), "big")


# What is carried in, by the modules' names: where it was found, and its code. The program itself has a name too.
CARRIED = {}


def carry(count):
    """Takes modules that this very Python has loaded before."""
    for _ in range(count):
        try:
            tag, name, about = marshal.loads(read_exact(0, read_number()))
            if tag == sys.version:
                CARRIED[name] = marshal.loads(about)
        except (EOFError, TypeError, ValueError):
            continue


gc.disable()
NAME = read_exact(0, read_number()).decode("ascii")
SOURCE = read_exact(0, read_number())
# Whether the files of modules may have changed since their code was made.
VERIFIED = bool(read_number())
carry(read_number())
KEPT = CARRIED.pop(NAME, None)
PROGRAM = marshal.loads(KEPT) if KEPT else compile(SOURCE, "<string>", "exec")
exec(PROGRAM)
