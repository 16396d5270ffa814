# Modules that are carried in as code. Each becomes what its own loader makes of it where it lies; only the looking and the
# reading are spared. What is loaded from its place instead is told to the driver, for the sessions to come.

from _frozen_importlib_external import ExtensionFileLoader, PathFinder, SourceFileLoader, spec_from_file_location


class Carrier(object):
    """Finds what is carried in, before anything else is asked."""

    def find_spec(self, name, path=None, target=None):
        origin, folders, stamp, code = CARRIED.get(name, (None,) * 4)
        if origin is None or VERIFIED and stamp != stamp_of(origin):
            return None
        loader = (ExtensionFileLoader if code is None else SourceFileLoader)(name, origin)
        found = spec_from_file_location(name, origin, loader=loader, submodule_search_locations=folders)
        TAKEN[name] = found
        return found


TAKEN = {}


def stamp_of(path):
    """By which a changed file is known."""
    try:
        about = posix.stat(path)
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size


class Carrying(object):
    """A stretch in which modules come from what is carried in."""

    def __init__(self):
        self.carrier, self.before, self.find_code = Carrier(), set(sys.modules), SourceFileLoader.get_code
        sys.meta_path.insert(sys.meta_path.index(PathFinder), self.carrier)
        SourceFileLoader.get_code = carried_code(self.find_code)
        self.patterns = Patterns()

    def end(self):
        """Gives what was loaded otherwise, as `carry` reads it, by name."""
        sys.meta_path.remove(self.carrier)
        SourceFileLoader.get_code = self.find_code
        told = self.patterns.end()
        for name, module in list(sys.modules.items()):
            spec = getattr(module, "__spec__", None)
            if name not in self.before and getattr(spec, "name", None) == name and TAKEN.get(name) is not spec:
                about = about_module(spec)
                if about:
                    told[name] = carriable(name, about)
        TAKEN.clear()
        CARRIED.clear()
        return told


def carried_code(find_code):
    def get_code(self, fullname):
        found = TAKEN.get(fullname)
        if found is not None and found.loader is self:
            return marshal.loads(CARRIED[fullname][3])
        return find_code(self, fullname)

    return get_code


# A regular expression compiles to a list of numbers, and to find it takes longer than to make the pattern of it.

class Patterns(object):
    """What regular expressions compile to, carried in as modules are, by names that no module has."""

    def __init__(self):
        try:
            from re import _compiler as compiler
        except ImportError:
            import sre_compile as compiler
        self.compiler, self.compile, self.maker = compiler, compiler.compile, compiler._sre
        self.told, self.made = {}, None
        compiler.compile, compiler._sre = self.known_compile, Maker(self)

    def end(self):
        """Gives what was compiled anew."""
        self.compiler.compile, self.compiler._sre = self.compile, self.maker
        return self.told

    def known_compile(self, text, flags=0):
        name = "pattern %d %r" % (flags, text) if type(text) in (str, bytes) else None
        if name in CARRIED:
            return self.maker.compile(text, *CARRIED[name])
        self.made = None
        found = self.compile(text, flags)
        if name and self.made and not self.warns(text, flags):
            self.told[name] = carriable(name, self.made)
        return found

    def warns(self, text, flags):
        """Whether Python has something to say of an expression: then it is to be said each time."""
        import warnings
        parser = getattr(self.compiler, "_parser", None) or self.compiler.sre_parse
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                parser.parse(text, flags)
            except Warning:
                return True
        return False


class Maker(object):
    """The last step of Python's own compiler, which is told what was found."""

    def __init__(self, patterns):
        self.patterns, self.maker = patterns, patterns.maker

    def __getattr__(self, name):
        return getattr(self.maker, name)

    def compile(self, text, flags, code, groups, index, names):
        # Numbers that Python's compiler has names for are no plain ones.
        self.patterns.made = int(flags), [int(step) for step in code], groups, dict(index), tuple(names)
        return self.maker.compile(text, flags, code, groups, index, names)


def about_module(spec):
    """Where a module lies and what it compiles to, where that is all there is to its loading."""
    if type(spec.loader) not in (SourceFileLoader, ExtensionFileLoader) or not spec.has_location:
        return None
    folders = spec.submodule_search_locations
    try:
        code = spec.loader.get_code(spec.name)
    except (ImportError, SyntaxError, OSError):
        return None
    return spec.origin, folders and list(folders), stamp_of(spec.origin), code and marshal.dumps(code)


def carriable(name, about):
    from binascii import b2a_base64
    return b2a_base64(marshal.dumps((sys.version, name, marshal.dumps(about)))).decode("ascii").strip()


CARRYING = Carrying()
