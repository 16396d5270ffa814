"""Compiles a test file again after changes in the bodies of its functions.

From run to run, the text of a test file differs only in a few functions. A compilation spends most of its time on
rewriting assertions for pytest. For this reason, if a later text differs from the first text only in the bodies of
functions, only these functions are compiled. Their new code replaces their old code in the code of the first text. The
result is the same code as from a compilation of the whole later text."""

import ast
import copy
import re
import sys
import types
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

#: The maximum number of compiled functions in the cache.
MAX_FUNCTIONS = 4096

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


class Place(NamedTuple):
    """A function of a module or class. `names` are the names of its classes, outermost first, and its own name. The
    other fields are 1-based lines: `start` is the line of the first decorator or of `def`, `body` the line of the first
    statement, and `end` the last line."""

    names: Tuple[str, ...]
    start: int
    body: int
    end: int


class Known(NamedTuple):
    """The first text of a file: its lines, its functions, and its compiled code."""

    lines: List[bytes]
    places: List[Place]
    code: types.CodeType


class Recompiler:
    """Compiles the test files of a project."""

    def __init__(self) -> None:
        self.known: Dict[str, Known] = {}
        self.functions: Dict[Tuple[str, Place, bytes], types.CodeType] = {}

    def compile(self, source: bytes, path: str) -> types.CodeType:
        """The code of a test file, with rewritten assertions. Raises the exceptions of `ast.parse` and `compile`."""
        lines = lines_of(source)
        known = self.known.get(path)
        code = None if known is None else self._from_known(known, source, lines, path)
        if code is None:
            tree = ast.parse(source, filename=path)
            found = [place for place, _ in functions_of(tree)]
            code = compile_tree(tree, source, path)
            self.known.setdefault(path, Known(lines, found, code))
        return code

    def _from_known(self, known: Known, source: bytes, lines: List[bytes], path: str) -> Optional[types.CodeType]:
        """The code of `source`, made from the code of the file's first text. None if this is not possible, for example
        because the texts differ outside of the bodies of functions."""
        places = changed_places(known, lines)
        if places is None:
            return None
        if len(self.functions) + len(places) > MAX_FUNCTIONS:
            self.functions.clear()
        keys = {place: (path, place, b"\n".join(lines[place.start - 1 : place.end])) for place in places}
        new = [place for place in places if keys[place] not in self.functions]
        if new:
            tree = ast.parse(source, filename=path)
            nodes = dict(functions_of(tree))
            if list(nodes) != known.places:
                return None
            for place in new:
                function = function_in(compile_tree(alone_in_module(tree, nodes[place]), source, path), place)
                if function is None:
                    return None
                self.functions[keys[place]] = function
        code: Optional[types.CodeType] = known.code
        for place in places:
            code = None if code is None else with_function(code, place, self.functions[keys[place]])
        return code


def lines_of(source: bytes) -> List[bytes]:
    """The lines of a text, split at the line ends that Python's parser recognises."""
    return re.split(rb"\r\n|\r|\n", source)


def changed_places(known: Known, lines: List[bytes]) -> Optional[List[Place]]:
    """The functions with changed lines in their bodies. None if another line or the number of lines has changed."""
    if len(lines) != len(known.lines):
        return None
    changed = {at for at, line in enumerate(lines, 1) if line != known.lines[at - 1]}
    places = [place for place in known.places if not changed.isdisjoint(range(place.body, place.end + 1))]
    inside = {at for place in places for at in range(place.body, place.end + 1)}
    return places if changed <= inside else None


def compile_tree(tree: ast.Module, source: bytes, path: str) -> types.CodeType:
    """Rewrites the assertions of a module and compiles the module."""
    from _pytest.assertion import rewrite

    rewrite.rewrite_asserts(tree, source, path, None)
    code: types.CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


def functions_of(tree: ast.Module) -> Iterator[Tuple[Place, List[Any]]]:
    """The functions of the module and of its classes, without functions inside of functions: (function, nodes). The
    nodes are those of the function's classes, outermost first, and then the function's own node. A function is left out
    if its body begins on a line of its header. No functions in Python 3.7."""
    if sys.version_info >= (3, 8):  # Python 3.7 does not give the ends of functions.
        yield from _functions_in(tree.body, [])


def _functions_in(nodes: Sequence[Any], classes: List[Any]) -> Iterator[Tuple[Place, List[Any]]]:
    for node in nodes:
        if isinstance(node, Function):
            header = [node.lineno, *(each.end_lineno for each in ast.walk(node.args) if hasattr(each, "end_lineno"))]
            header += [node.returns.end_lineno] if node.returns is not None else []
            body = node.body[0].lineno
            if body > max(header):
                start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
                names = (*(each.name for each in classes), node.name)
                yield Place(names, start, body, node.end_lineno), [*classes, node]
        elif isinstance(node, ast.ClassDef):
            yield from _functions_in(node.body, [*classes, node])


def alone_in_module(tree: ast.Module, nodes: List[Any]) -> ast.Module:
    """A module with one function inside its classes, and with the docstring and the imports of `tree`. `nodes` are the
    nodes of the function's classes, outermost first, and then the function's own node.

    The docstring and the imports change how the function is compiled. A docstring can forbid rewriting. Imports from
    `__future__` change the language. Since Python 3.12, a call of a function of an imported module is compiled
    differently from a method call."""
    inner = nodes[-1]
    for node in reversed(nodes[:-1]):
        outer = copy.copy(node)
        outer.body, outer.bases, outer.keywords, outer.decorator_list = [inner], [], [], []
        inner = outer
    first = [node for node in tree.body[:1] if isinstance(node, ast.Expr)]
    outside = (node for node in tree.body if not isinstance(node, (*Function, ast.ClassDef)))
    imports = [each for node in outside for each in ast.walk(node) if isinstance(each, (ast.Import, ast.ImportFrom))]
    module = copy.copy(tree)
    module.body = [*first, *imports, inner]
    return module


def function_in(code: types.CodeType, place: Place) -> Optional[types.CodeType]:
    """The code of the function at `place` in `code`, the code of the module. None if the function is not found."""
    for depth in range(len(place.names)):
        at = index_of(code, place, depth)
        if at is None:
            return None
        code = code.co_consts[at]
    return code


def with_function(code: types.CodeType, place: Place, function: types.CodeType, depth: int = 0) -> Optional[Any]:
    """A copy of `code`, the code of a module or class. In the copy, `function` replaces the code of the function at
    `place`. `depth` is 0 for a module, 1 for a class of the module, and so on. None if the function is not found."""
    at = index_of(code, place, depth)
    if at is None:
        return None
    inner = code.co_consts[at]
    new = function if depth == len(place.names) - 1 else with_function(inner, place, function, depth + 1)
    if new is None:
        return None
    constants = list(code.co_consts)
    constants[at] = new
    return code.replace(co_consts=tuple(constants))


def index_of(code: types.CodeType, place: Place, depth: int) -> Optional[int]:
    """The index of the class or function `place.names[depth]` in the constants of `code`. A function must also start at
    the line `place.start`. None if there is not exactly one match."""
    is_function = depth == len(place.names) - 1
    found = [
        at
        for at, each in enumerate(code.co_consts)
        if isinstance(each, types.CodeType)
        and each.co_name == place.names[depth]
        and (not is_function or each.co_firstlineno == place.start)
    ]
    return found[0] if len(found) == 1 else None
