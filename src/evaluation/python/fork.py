# The forked process.

def become_run(job, report, log, control, seed):
    """In the fork: take the spliced files, wait for the word to go, then run pytest. Returns only to go on from a
    seed's place."""
    wipe_freed(False)
    os.sched_setaffinity(0, PROCESSORS)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    os.setsid()
    _prctl(4, 1)
    root = job["root"]
    texts = {path: read_exact(0, read_number()) for path in job["files"]}
    place(root, texts, job["renewed"])
    make_home(job["env"]["HOME"])
    for path in texts:
        COMPILED.pop(os.path.join(root, path), None)
        REWRITTEN.pop(os.path.join(root, path), None)
    for path in job["code"]:
        keep_code(os.path.join(root, path), digest(texts[path]), read_exact(0, read_number()))
    # What lay in the place of what has come would tell the two apart.
    for path in texts:
        LAID["files"].pop(os.path.join(root, path), None)
    MADE.clear()
    os.write(report, b"ready\n")
    os.close(0)
    token = read_exact(control, 32).decode("ascii")
    confine(job, report, log, seed.descriptors if seed else set())
    if seed:
        grow(seed, job, token)
        return
    send = None
    status = 70
    try:
        status, send = run_pytest(job, token)
    except SystemExit as leaving:
        status = exit_status(leaving.code)
    except BaseException:
        import traceback
        traceback.print_exc()
        status = 1
    end_run(job, send, status)


def place(root, texts, renewed):
    """Puts a run's files in place, and the run beside them. The files of its tests are written anew in every run, so that
    nothing about them tells whether they are the project's own."""
    top = open_project(root)
    for path in sorted(set(texts) | set(renewed)):
        above, name = os.path.split(path)
        into = os.path.join(root, path)
        mode = LAID["files"].get(into, (None, 0o644))[1]
        if path not in texts and into not in LAID["files"]:
            continue
        folder = open_below(top, above)
        data = texts[path] if path in texts else read_file(name, folder)
        try:
            os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            pass
        write_file(name, data, mode, folder)
        os.close(folder)
    os.fchdir(top)
    os.close(top)


def make_home(path):
    above, name = os.path.split(path)
    try:
        os.mkdir(name, dir_fd=held(above))
    except OSError:
        os.makedirs(path, exist_ok=True)


def end_run(job, send, status):
    """The end of a forked process, as an interpreter ends."""
    try:
        if send and job["list_modules"]:
            send({"op": "modules", "names": foreign_modules(job["root"]), "own": own_files(job["root"]),
                  "copies": copies(job), "patterns": known_patterns()})
        if send:
            for path in job["list_code"]:
                if os.path.join(job["root"], path) in MADE:
                    send({"op": "code", "path": path, "data": packed(*MADE[os.path.join(job["root"], path)])})
    finally:
        status = wind_down(status)
        os._exit(status)


def exit_status(code):
    if code is None:
        return 0
    return code & 0xFF if isinstance(code, int) else 1


def wind_down(status):
    """What the interpreter does at its end, as far as it can be seen from outside: threads joined, exit handlers."""
    import atexit
    try:
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except SystemExit as leaving:
        return exit_status(leaving.code)
    except BaseException:
        pass
    return status


def confine(job, report, log, kept):
    limits = job["limits"]
    os.dup2(report, CHANNEL, inheritable=False)
    null = os.open("null", os.O_RDONLY, dir_fd=held("/dev"))
    os.dup2(null, 0)
    accept_end()
    spoken = os.fstat(2)
    for descriptor in kept:
        if os.path.samestat(os.fstat(descriptor), spoken):
            os.dup2(log, descriptor)
    os.dup2(log, 1)
    os.dup2(log, 2)
    low = 3
    for descriptor in sorted(kept | {CHANNEL}):
        os.closerange(low, descriptor)
        low = descriptor + 1
    os.closerange(low, CHANNEL + 300)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if hasattr(resource, "RLIMIT_MSGQUEUE"):
        resource.setrlimit(resource.RLIMIT_MSGQUEUE, (0, 0))
    if limits.get("address_space"):
        resource.setrlimit(resource.RLIMIT_AS, (limits["address_space"],) * 2)
    if limits.get("processes_rlimit"):
        resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes_rlimit"],) * 2)


def accept_end():
    """Has the kernel end this process before others, when memory runs out."""
    try:
        score = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=held("/proc"))
        os.write(score, b"1000")
        os.close(score)
    except OSError:
        pass


class _NoInput(object):
    """As pytest's own while it captures: reading from standard input is an error."""
    encoding = "utf-8"
    buffer = property(lambda self: self)

    def read(self, *args):
        raise OSError("pytest: reading from stdin while output is captured! Consider using `-s`.")

    readline = readlines = __next__ = read

    def __iter__(self):
        return self

    def fileno(self):
        raise ValueError("redirected stdin is pseudofile, has no fileno()")

    def isatty(self):
        return False

    def close(self):
        pass


def set_stage(job):
    """What the interpreter finds around it in every run of a project."""
    root = job["root"]
    os.chdir(root)
    os.environ.clear()
    os.environ.update(job["env"])
    sys.path[:0] = [os.path.normpath(os.path.join(root, path)) for path in job["paths"]]
    sys.dont_write_bytecode = True
    shed_shadowed(job)
    excuse_loaded()
    use_compiled()


def enter_stage(job):
    """What a run has for itself."""
    stay_near(job["root"])
    sys.argv = ["pytest"] + job["tests"]
    forget_projects()
    import pytest
    main = types.ModuleType("__main__")
    main.__file__ = pytest.__file__
    sys.modules["__main__"] = main
    sys.stdin = _NoInput()
    gc.disable()


def run_pytest(job, token):
    set_stage(job)
    enter_stage(job)
    import pytest
    use_prepared()
    judge, send, arm = make_judge(pytest, CHANNEL, checkpoint, leave_paths)
    arm(token, job["tests"])
    fault = parse_fault(os.path.join(job["root"], job["check"]))
    if fault:
        send(fault)
        return 1, None
    return int(pytest.main(job["args"] + job["tests"], plugins=[judge])), send


def parse_fault(path):
    """Where a file does not parse, by this very interpreter; None when it does."""
    source = read_near(path)
    try:
        COMPILED[path] = (digest(source), compile(source, path, "exec", dont_inherit=True))
    except SyntaxError as fault:
        return {"op": "syntax", "line": fault.lineno or 1,
                "message": "%s: %s" % (type(fault).__name__, fault.msg)}
    except (ValueError, RecursionError, MemoryError, OverflowError) as fault:
        return {"op": "syntax", "line": 1, "message": "%s: %s" % (type(fault).__name__, fault)}
    return None


def shed_shadowed(job):
    """Forgets warm modules that the project itself provides, so that its own are imported."""
    own = set(job["own_modules"])
    for name in list(sys.modules):
        if name.partition(".")[0] in own and not name.startswith(("_pytest", "pytest", "pluggy")):
            del sys.modules[name]


def excuse_loaded():
    """Has pytest not warn of a plugin's modules that are loaded already, so that it can no longer rewrite them: a project
    that takes warnings for errors would not start."""
    from _pytest.assertion import rewrite
    hook, loaded = rewrite.AssertionRewritingHook, set(sys.modules)
    warn = READY.setdefault("warning", getattr(hook, "_warn_already_imported", None))

    def warn_of_others(self, name):
        if name not in loaded:
            warn(self, name)

    if warn:
        hook._warn_already_imported = warn_of_others


def foreign_modules(root):
    """The modules that were loaded from outside the project, in the order they were loaded."""
    names = []
    for name, module in list(sys.modules.items()):
        origin = getattr(module, "__file__", None) or ""
        outside = origin.startswith("/") and not origin.startswith((root, "/tmp/"))
        if outside and "conftest" not in name and not name.startswith("__") and isinstance(name, str):
            names.append(name)
    return names


def copies(job):
    """Files of the environment that stand where the target's would, and hold its reference body."""
    parts, found = job["check"].split("/"), []
    first, last = job["reference"] or (1, 0)
    with open(os.path.join(job["root"], job["check"]), "rb") as file:
        body = b"".join(file.readlines()[first - 1:last]).strip()
    for folder in sys.path:
        for depth in range(len(parts)):
            if depth and len(parts) - depth < 2 and parts[:depth] not in (["src"], ["lib"]):
                continue
            path = os.path.realpath(os.path.join(folder, *parts[depth:]))
            if not body or path.startswith(PROJECTS) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                if body in file.read():
                    found.append(path)
    return found


def own_files(root):
    """The project's files that were loaded, relative to its root, each with whether pytest rewrote its assertions."""
    files = [getattr(module, "__file__", None) or "" for module in list(sys.modules.values())]
    found = set(path for path in files if path.startswith(root + "/") and path.endswith(".py"))
    return [[path[len(root) + 1:], path in SEEN_REWRITTEN] for path in sorted(found)]
