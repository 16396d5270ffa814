# Code compiled ahead: of the project's files that hold no target, so that a fork need not compile them again. A file
# that differs by a byte is compiled anew.

COMPILED = {}
REWRITTEN = {}
SEEN_REWRITTEN = []


def compile_ahead(job):
    """Compiles the project's files that a run is known to load, and tells the driver what it did not have yet."""
    withheld, made = set(job["files"]), []
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
