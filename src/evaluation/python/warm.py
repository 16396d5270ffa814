# What a warm interpreter keeps ready for its forks. Nothing of a project is run here: its code may be compiled ahead,
# and what pytest does alike in every run is done once. Each part stands aside where an interpreter or a pytest is not
# as it is known here: the fork then does the work itself.

import types

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
        look_from_near()
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

    return [name for name in likely_names(holder) if marked(fixtures.safe_getattr(holder, name, None))]


# What is a fixture in no pytest. Functions are, in some, where they are marked.
NEVER_FIXTURES = frozenset((types.ModuleType, types.BuiltinFunctionType, type, type(None), bool, int, float, str, bytes,
                            tuple, list, dict, set, frozenset))


def may_be_fixture(value):
    kind = type(value)
    return kind not in NEVER_FIXTURES and (kind is not types.FunctionType or hasattr(value, "_pytestfixturefunction"))


def likely_names(holder):
    """What `dir` gives, without what is no fixture by its type."""
    kind = type(holder)
    if kind is types.ModuleType and "__dir__" not in vars(holder):
        spaces = [vars(holder)]
    elif kind is type:
        spaces = [vars(base) for base in reversed(holder.__mro__)]
    elif not isinstance(holder, type) and type(kind) is type and not has_names_of_its_own(kind):
        spaces = [vars(base) for base in reversed(kind.__mro__)] + [getattr(holder, "__dict__", {})]
    else:
        return dir(holder)
    named = {}
    for space in spaces:
        named.update(space)
    return sorted(name for name, value in named.items() if may_be_fixture(value))


def has_names_of_its_own(kind):
    return any(name in vars(base) for base in kind.__mro__[:-1]
               for name in ("__dir__", "__getattr__", "__getattribute__"))


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
        return likely_names(holder[0])
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

    class Near(type(pathlib.Path())):
        """One of the project's, looked at from its folder."""
        __slots__ = ()

        def exists(self, **_):
            return exists_near(str(self))

    def known_absolute(path):
        if type(path) is not str or not path.startswith("/"):
            return absolute(path)
        if path not in known:
            found = absolute(path)
            if is_standing(path) and found.exists():
                found = Standing(found)
            elif nearly(path) is not None:
                found = Near(found)
            known[path] = found
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
    found, known = {}, READY.get("distributions") or {}
    for path in sys.path:
        if path in known:
            found[path] = known[path]
        elif path.startswith("/") and not path.startswith(PROJECTS):
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
