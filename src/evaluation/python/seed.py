# A seed: pytest's start for one project, made once in the warden and forked for each run. It stops before the first
# line of the project's own code: before the initial conftest files, or, in a project without any, before the
# collection. What differs from run to run, the tests asked for, is put in its place in the fork.

SEED = None
BARREN = set()
# The order that is to be done next, as it came.
PENDING = []
# What seeds have left in memory is looked for once for so many of them: the search takes longer than to plant a seed.
LEFT = 0
TOGETHER = 8


class Leave(BaseException):
    """Takes the warden out of a seed whose time is over."""


class Seed(object):
    def __init__(self, job, key):
        self.key = key
        self.tests = list(job["tests"])
        self.place = "initial" if job["conftest"] else "collection"
        self.reached = self.forked = False
        self.job = self.arm = self.send = None
        self.descriptors = set()


def seed_key(job):
    """What a seed stands on; None for a run that can have none."""
    ground = job["ground"]
    return None if READY.get("config") is None or ground in BARREN else ground


def plant(job):
    """Runs pytest up to the seed's place, serves runs from there, and comes back when another seed is needed. In a
    forked process it goes on to the end of its run and never returns."""
    global SEED
    import pytest
    seed = Seed(job, seed_key(job))
    paths, modules, descriptors = list(sys.path), dict(sys.modules), open_descriptors()
    preamble = os.open(os.path.join(job["scratch"][1], ".evoscope"), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    os.unlink(os.path.join(job["scratch"][1], ".evoscope"))
    for stream in (1, 2):
        os.dup2(preamble, stream)
    set_stage(job)
    judge, seed.send, seed.arm = make_judge(pytest, CHANNEL, checkpoint, leave_paths)
    seed.before, seed.preamble = descriptors, preamble
    SEED = seed
    status = 70
    try:
        if READY["used"]:
            prepare_pytest(job["root"])
        use_prepared()
        status = int(pytest.main(job["args"] + job["tests"], plugins=[judge]))
    except Leave:
        pass
    except SystemExit as leaving:
        status = exit_status(leaving.code)
    except BaseException:
        import traceback
        traceback.print_exc()
        status = 1
    if seed.forked:
        end_run(seed.job, seed.send, status)
    SEED = None
    uproot(seed, paths, modules, job["root"])


def uproot(seed, paths, modules, root):
    """Takes the warden back to where no project was known."""
    global LEFT
    import _pytest.fixtures as fixtures
    if not seed.reached:
        BARREN.add(seed.key)
    fixtures.__dict__.pop("dir", None)
    os.chdir("/")
    sys.path[:] = paths
    for name in job_modules(root):
        del sys.modules[name]
    for name, module in modules.items():
        sys.modules.setdefault(name, module)
    sys.stdout.flush()
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(COMPLAINTS, 2)
    os.close(null)
    os.close(seed.preamble)
    LEFT += 1
    if LEFT % TOGETHER == 0:
        gc.unfreeze()
        gc.collect()
    gc.freeze()


def open_descriptors():
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            os.fstat(int(name))
            found.add(int(name))
        except OSError:
            continue
    return found


def checkpoint(place, config, args):
    """Called by the judge from within pytest. Returns in a forked process, and where no seed stands."""
    seed = SEED
    if seed is None or seed.forked or seed.place != place:
        return
    if args[-len(seed.tests):] != seed.tests or job_modules(os.getcwd()) or threading.active_count() > 1:
        raise Leave
    seed.reached = True
    seed.descriptors = open_descriptors() - seed.before - {seed.preamble}
    sys.stdout.flush()
    sys.stderr.flush()
    prepare_tracebacks()
    seed.told = os.pread(seed.preamble, LOG_TAIL, 0)
    os.chdir("/")
    gc.collect()
    gc.freeze()
    try:
        forked = serve(seed)
    except BaseException:
        if not seed.forked:
            die()
        raise
    if not forked:
        raise Leave
    tests = seed.job["tests"]
    args[len(args) - len(seed.tests):] = tests
    config.known_args_namespace.file_or_dir = list(tests)
    if place == "collection":
        config.option.file_or_dir = list(tests)
    asked = config.invocation_params
    config.invocation_params = type(asked)(args=seed.job["args"] + tests, plugins=asked.plugins, dir=asked.dir)


def job_modules(root):
    """The project's modules that pytest's start has loaded: there must be none."""
    return [name for name, module in list(sys.modules.items())
            if (getattr(module, "__file__", None) or "").startswith(root + "/")]


def grow(seed, job, token):
    """In the fork: what a run has for itself, before it goes on into pytest."""
    seed.forked, seed.job = True, job
    told = seed.told
    while told:
        told = told[os.write(1, told):]
    seed.arm(token, job["tests"])
    enter_stage(job)
    fault = parse_fault(os.path.join(job["root"], job["check"]))
    if fault:
        seed.send(fault)
        end_run(job, None, 1)
