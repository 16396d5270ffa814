# What a warm interpreter keeps ready for its forks. Nothing of a project is run here: its code may be compiled ahead,
# and what pytest does alike in every run is done once. Each part stands aside where an interpreter or a pytest is not
# as it is known here: the fork then does the work itself.

# Code compiled ahead: of the project's files that hold no target, so that a fork need not compile them again. A file
# that differs by a byte is compiled anew.

COMPILED = {}
REWRITTEN = {}
SEEN_REWRITTEN = []


def compile_ahead(job):
    """Compiles the project's files that a run is known to load, and tells the driver what it did not have yet."""
    withheld, made = set(path for path, _ in job["files"]), []
    for path, by_pytest in job["ahead"]:
        target = os.path.join(job["root"], path)
        known = REWRITTEN if by_pytest else COMPILED
        if path in withheld or target not in LAID["files"]:
            continue
        mark = LAID["files"][target][0]
        if known.get(target, (None,))[0] == mark:
            continue
        try:
            with open(target, "rb") as file:
                code = compiled(file.read(), target, by_pytest)
        except UNCOMPILED + (OSError,):
            continue
        known[target] = (mark, code)
        made.append({"path": path, "by_pytest": by_pytest, "data": packed(by_pytest, code)})
    if made:
        answer({"op": "compiled", "files": made})


def take_compiled(job):
    """Code that an earlier session compiled ahead, of files as they lie here."""
    for path, length in job["files"]:
        target, data = os.path.join(job["root"], path), read_exact(0, length)
        if LAID["project"] == job["project"] and target in LAID["files"]:
            keep_code(target, LAID["files"][target][0], data)


def take_compile(job):
    """Compiles files that are withheld from this process, in one that ends with it and tells the driver alone."""
    pid = os.fork()
    if pid == 0:
        made = []
        for path, length, by_pytest in job["files"]:
            source, target = read_exact(0, length), os.path.join(job["root"], path)
            try:
                code = compiled(source, target, by_pytest)
                made.append({"path": path, "by_pytest": by_pytest, "data": packed(by_pytest, code)})
            except UNCOMPILED:
                continue
        answer({"op": "compiled", "files": made})
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        raise RuntimeError("the process that compiles has failed")


UNCOMPILED = (SyntaxError, ValueError, RecursionError, MemoryError, AttributeError, TypeError, Warning)


def compiled(source, target, by_pytest):
    """What a file compiles to. One whose compiling warns is left to the runs: the project may ask to hear of it."""
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return rewritten(source, target) if by_pytest else compile(source, target, "exec", dont_inherit=True)


def rewritten(source, target):
    """A file as pytest's own rewriting of assertions compiles it."""
    import ast
    from _pytest.assertion import rewrite
    tree = ast.parse(source, filename=target)
    rewrite.rewrite_asserts(tree, source, target, None)
    return compile(tree, target, "exec", dont_inherit=True)


# Code that comes with a run and never enters the warden: of the changed files of a counter-test.

MADE = {}


def code_tag():
    import pytest
    from importlib.util import MAGIC_NUMBER
    return "%s %r" % (pytest.__version__, MAGIC_NUMBER)


def keep_code(target, mark, data):
    """What a file compiles to, where it was made by this Python and this pytest."""
    import marshal
    import zlib
    try:
        tag, by_pytest, code = marshal.loads(zlib.decompress(data))
    except (ValueError, EOFError, TypeError, zlib.error):
        return
    if tag == code_tag():
        (REWRITTEN if by_pytest else COMPILED)[target] = (mark, code)


def packed(by_pytest, code):
    """What a file compiles to, in the form that `keep_code` reads."""
    import base64
    import marshal
    import zlib
    return base64.b64encode(zlib.compress(marshal.dumps((code_tag(), by_pytest, code)), 1)).decode("ascii")


def use_compiled():
    """Loaders take what is compiled already where the bytes are the same."""
    from importlib.machinery import SourceFileLoader
    from _pytest.assertion import rewrite
    if READY.get("loaders"):
        return
    READY["loaders"] = True
    compile_source, rewrite_test = SourceFileLoader.source_to_code, rewrite._rewrite_test
    find_code = SourceFileLoader.get_code

    def get_code(self, fullname):
        """Without a look for compiled files on disk: what they would hold is known where the source is."""
        path = self.get_filename(fullname)
        known = COMPILED.get(path)
        if known is not None and known[0] == digest(read_near(path)):
            return known[1]
        return find_code(self, fullname)

    def source_to_code(self, data, path, *args, **options):
        known = COMPILED.get(path)
        if known is not None and known[0] == digest(data):
            return known[1]
        code = compile_source(self, data, path, *args, **options)
        MADE[path] = (False, code)
        return code

    def known_rewrite(fn, config):
        SEEN_REWRITTEN.append(str(fn))
        known = REWRITTEN.get(str(fn))
        if known is not None and not config.getini("enable_assertion_pass_hook"):
            if digest(read_near(str(fn))) == known[0]:
                return stat_near(str(fn)), known[1]
        about, code = rewrite_test(fn, config)
        MADE[str(fn)] = (True, code)
        return about, code

    SourceFileLoader.get_code = get_code
    SourceFileLoader.source_to_code = source_to_code
    rewrite._rewrite_test = known_rewrite


# pytest's configuration as it stands before it has seen a project: its own plugins registered, its options declared.
# The driver tells the arguments that every run begins with.

ARGUMENTS = []
READY = {}


def remember(root):
    """What holds for every project: which of pytest's names are fixtures, and its configuration."""
    try:
        READY["fixtures"] = fixture_names()
        READY["distributions"] = {}
        prepare_pytest(root)
        prepare_tracebacks()
        read_sources()
        remember_translations()
    except Exception:
        READY.clear()


def prepare_pytest(root):
    """A configuration for the next fork or seed, which takes it for itself."""
    from _pytest import config as configuration
    sys.argv = ["pytest"]
    here = os.getcwd()
    try:
        os.makedirs(root, exist_ok=True)
        os.chdir(root)
        config = configuration.get_config(list(ARGUMENTS), [])
        remember_parser(config._parser)
        READY["config"], READY["used"] = config, False
    finally:
        os.chdir(here)


def use_prepared():
    """The first configuration that pytest asks for is the one at hand."""
    config = READY.get("config")
    if config is None or READY["used"]:
        return
    import pathlib
    from _pytest import config as configuration, fixtures
    get_config, prepare = configuration.get_config, configuration._prepareconfig

    def get_prepared(args=None, plugins=None, *more, **options):
        configuration.get_config = get_config
        if more or options or args is None or list(args[:len(ARGUMENTS)]) != ARGUMENTS:
            return get_config(args, plugins, *more, **options)
        READY["used"] = True
        try:
            kind = type(config.invocation_params)
            config.invocation_params = kind(args=args, plugins=plugins, dir=pathlib.Path.cwd())
        except (AttributeError, TypeError):
            return get_config(args, plugins)
        return config

    def prepare_known(*args, **options):
        configuration._prepareconfig = prepare
        import importlib.metadata as metadata
        distributions = metadata.distributions
        metadata.distributions = lister(distributions)
        try:
            return prepare(*args, **options)
        finally:
            metadata.distributions = distributions

    configuration.get_config = get_prepared
    if READY["distributions"]:
        configuration._prepareconfig = prepare_known
    fixtures.dir = names_of


def remember_parser(parser):
    """Builds the command line's parser anew only when an option has come to it."""
    if not all(hasattr(parser, name) for name in ("_getparser", "_groups", "_anonymous", "extra_info")):
        return
    build, memory = parser._getparser, {}

    def shape():
        return [len(group.options) for group in [*parser._groups, parser._anonymous]], dict(parser.extra_info)

    def known():
        if memory.get("shape") != shape():
            memory["parser"] = build()
            memory["shape"] = shape()
        return memory["parser"]

    known()
    parser._getparser = known


# Which names of pytest's own modules and classes are fixtures.

HOLDERS = (("config", "PytestPluginManager"), ("config", "Config"), ("main", "Session"), ("logging", "LoggingPlugin"),
           ("fixtures", "FixtureManager"), ("capture", "CaptureManager"), ("terminal", "TerminalReporter"))


def fixture_names():
    from _pytest import fixtures
    names = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("_pytest."):
            names[id(module)] = marked_names(fixtures, module)
    for module, name in HOLDERS:
        holder = getattr(sys.modules.get("_pytest." + module), name, None)
        if isinstance(holder, type):
            names[holder] = marked_names(fixtures, holder)
    return names


def marked_names(fixtures, holder):
    definition = getattr(fixtures, "FixtureFunctionDefinition", None)

    def marked(thing):
        return isinstance(thing, definition) if definition else fixtures.getfixturemarker(thing) is not None

    return [name for name in dir(holder) if marked(fixtures.safe_getattr(holder, name, None))]


def names_of(*holder):
    """`dir` for pytest's search for fixtures: of its own parts, only what is one."""
    if len(holder) == 1:
        known = READY["fixtures"]
        names = known.get(id(holder[0]))
        if names is not None:
            return names
        names = known.get(type(holder[0]))
        if names is not None:
            return sorted(set(names) | set(getattr(holder[0], "__dict__", ())))
    return dir(*holder)


# What a traceback is rendered with: Python and its packages stand outside the scratch space and do not change.

def prepare_tracebacks():
    import traceback
    try:
        raise LookupError(traceback)
    except LookupError as error:
        traceback.format_exception(type(error), error, error.__traceback__)
    try:
        from _pytest._code import code
        if not hasattr(code.absolutepath, "evoscope"):
            code.absolutepath = known_paths(code.absolutepath)
    except (ImportError, AttributeError):
        pass


def known_paths(absolute):
    import pathlib
    known = {}

    class Standing(type(pathlib.Path())):
        """A file that is there, and stays."""
        __slots__ = ()

        def exists(self, **_):
            return True

    def known_absolute(path):
        if type(path) is not str or not path.startswith("/"):
            return absolute(path)
        if path not in known:
            found = absolute(path)
            known[path] = Standing(found) if is_standing(path) and found.exists() else found
        return known[path]

    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if path and is_pytests(path):
            known_absolute(path)
    known_absolute.evoscope = True
    return known_absolute


def is_standing(path):
    homes = sys.base_prefix + "/lib/", sys.base_prefix + "/local/lib/", sys.prefix + "/lib/"
    return path.startswith(homes) and ROOT is not None and not path.startswith(PROJECTS)


IN_TRACEBACKS = ("_pytest.config", "_pytest.main", "_pytest.outcomes", "_pytest.python", "_pytest.python_api",
                 "_pytest.raises", "_pytest.runner", "_pytest.unittest", "pluggy._callers", "pluggy._hooks",
                 "pluggy._manager", "threading", "unittest.case")


def read_sources():
    """Reads the lines of what stands in tracebacks around the project's."""
    import linecache
    for name in IN_TRACEBACKS:
        path = getattr(sys.modules.get(name), "__file__", None)
        if path and is_standing(path) and linecache.getlines(path):
            size, _, lines, full = linecache.cache[path]
            linecache.cache[path] = (size, None, lines, full)


# Modules are looked for by the times of folders and files, several times each; those that stand do not change.

def remember_files():
    import _frozen_importlib_external as external
    look, known = external._path_stat, {}

    def known_stat(path):
        if path in known:
            return known[path]
        if NEAR.get("root") and type(path) is str:
            return stat_near(path)
        found = look(path)
        if type(path) is str and is_standing(path):
            known[path] = found
        return found

    external._path_stat = known_stat


# Until its tests are collected, a run looks at its project's files from the project's folder: a path from the root is
# looked up anew each time, which takes long where a container's root does.

NEAR = {}
# What pytest asks of the sandbox's root at each run; nobody can write there.
ABOVE = {}


def know_root():
    for path in ("/", "/__init__.py", "/conftest.py"):
        try:
            ABOVE[path] = os.stat(path)
        except FileNotFoundError:
            ABOVE[path] = None


def stay_near(root):
    import pathlib
    here = os.open(".", FOLDER)
    NEAR.update(root=root + "/", folder=fcntl.fcntl(here, fcntl.F_DUPFD_CLOEXEC, CHANNEL - 10))
    os.close(here)
    look = pathlib.Path.stat

    def near_stat(self, **options):
        path = str(self)
        if options or not NEAR.get("root") or nearly(path) is None and path not in ABOVE:
            return look(self, **options)
        if path in ABOVE:
            if ABOVE[path] is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
            return ABOVE[path]
        try:
            return stat_near(path)
        except OSError as why:
            raise OSError(why.errno, why.strerror, path) from None

    NEAR.update(look=look, near_stat=near_stat)
    pathlib.Path.stat = near_stat


def go_away():
    import pathlib
    if NEAR.get("root"):
        NEAR["root"] = None
        os.close(NEAR["folder"])
        if pathlib.Path.stat is NEAR["near_stat"]:
            pathlib.Path.stat = NEAR["look"]


def nearly(path):
    """A path as it is called from the project's folder; None for one that is elsewhere, or when it is left."""
    root = NEAR.get("root")
    if not root:
        return None
    if path.startswith(root):
        return path[len(root):] or "."
    if path.startswith(PROJECTS):
        rest = path[len(PROJECTS):]
        return "." if path + "/" == root else "../" + rest
    return ".." if path + "/" == PROJECTS else None


def stat_near(path):
    short = nearly(path)
    return os.stat(path) if short is None else os.stat(short, dir_fd=NEAR["folder"])


def read_near(path):
    short = nearly(path)
    if short is not None:
        return read_file(short, NEAR["folder"])
    with open(path, "rb") as file:
        return file.read()


# Translations: Python has none of its own messages here, and looks for them at every one.

def remember_translations():
    import gettext
    find, known = gettext.find, {}

    def known_find(domain, localedir=None, languages=None, all=False):
        if localedir is not None or languages is not None:
            return find(domain, localedir, languages, all)
        key = (domain, all) + tuple(map(os.environ.get, ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")))
        if key not in known:
            known[key] = find(domain, localedir, languages, all)
        return list(known[key]) if all else known[key]

    gettext.find = known_find


# The regular expressions that a reference's run compiled: Python keeps what it has compiled, so that a fork finds it.

PATTERNS_KEPT = 400


def know_patterns(patterns):
    import re
    import warnings
    count = 0
    for text, flags, is_bytes in patterns[:PATTERNS_KEPT]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                re.compile(text.encode("latin-1") if is_bytes else text, flags)
            count += 1
        except Exception:
            continue
    return count


def known_patterns():
    """What Python keeps of them, as `know_patterns` takes it."""
    import re
    found = []
    for key in list(getattr(re, "_cache", ())):
        if type(key) is not tuple or len(key) != 3:
            continue
        text, flags = key[1:]
        if type(flags) is int and type(text) in (str, bytes) and len(text) < 20000:
            is_bytes = type(text) is bytes
            if not is_bytes and text.encode("utf-8", "replace").decode("utf-8") != text:
                continue
            found.append([text.decode("latin-1") if is_bytes else text, flags, is_bytes])
    return found[-PATTERNS_KEPT:]


# What is installed, read once: the folders outside the scratch space are read-only.

def forget_projects():
    """Of what the import system remembers of folders, what it knew of a project's."""
    for path in list(sys.path_importer_cache):
        if not path.startswith("/") or path.startswith(PROJECTS):
            del sys.path_importer_cache[path]


def know_distributions():
    try:
        READY["distributions"] = known_distributions()
    except Exception:
        READY["distributions"] = {}


def known_distributions():
    try:
        import importlib.metadata as metadata
    except ImportError:
        return {}
    found = {}
    for path in sys.path:
        if path.startswith("/") and not path.startswith(PROJECTS):
            found[path] = [settled(each) for each in metadata.distributions(path=[path])]
    return found


def settled(distribution):
    """A distribution whose entry points, and files where pytest asks for them, are read already."""
    points = distribution.entry_points
    told = {"entry_points": points}
    if any(point.group == "pytest11" for point in points):
        told["files"] = distribution.files
    distribution.__class__ = type("Settled", (type(distribution),), told)
    return distribution


def lister(distributions):
    known = READY["distributions"]

    def listed(**asked):
        if asked or any(hasattr(finder, "find_distributions") and finder.__module__ != "_frozen_importlib_external"
                        for finder in map(kind_of, sys.meta_path)):
            return distributions(**asked)
        return iter([each for path in sys.path
                     for each in (known[path] if path in known else distributions(path=[path]))])

    return listed


def kind_of(finder):
    return finder if isinstance(finder, type) else type(finder)
