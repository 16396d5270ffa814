"""Recompiling a test file makes the same code as compiling the whole text."""

import ast
import dis
import sys
import types
from typing import Any

import pytest
from evoscope_runner import recompile
from evoscope_runner.recompile import Recompiler

TEXT = b'''"""Tests."""
from __future__ import annotations
import pytest
if True:
    import os.path

class TestA(Base):
    limit = 1

    def test_one(self):
        assert f(1) == 10, "one"

    class Inner:
        @pytest.mark.parametrize("x", [1, 2])
        def test_two(
            self,
            x=20,
        ):
            """Two."""
            super().__init__()
            assert self.__x == [y * 21 for y in os.path.sep]
            with pytest.raises(ValueError):
                f(22)

def test_three(): assert f() == 30

async def test_four() -> int:
    def inner():
        return 40
    assert inner() == 41
'''


def whole(source: bytes) -> types.CodeType:
    """The code of a compilation of the whole text."""
    return recompile.compile_tree(ast.parse(source, filename="/p/test_a.py"), source, "/p/test_a.py")


def facts(code: Any) -> Any:
    """All parts of a code object that can differ, including the parts that `==` ignores."""
    if not isinstance(code, types.CodeType):
        return type(code), repr(code)
    lists = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, list(dis.findlinestarts(code))
    return code.co_name, code.co_flags, code.co_code, lists, [facts(each) for each in code.co_consts]


def recompiled(old: bytes, new: bytes) -> Any:
    """The code of `new`, made from the code of `old`. None if the code of `old` cannot be reused."""
    recompiler = Recompiler()
    recompiler.compile(old, "/p/test_a.py")
    return recompiler._from_known(recompiler.known["/p/test_a.py"], new, recompile.lines_of(new), "/p/test_a.py")


@pytest.mark.skipif(sys.version_info < (3, 8), reason="Python 3.7 compiles whole files")
@pytest.mark.parametrize("changes", [[b"10"], [b"21"], [b"22", b"40"], [b"10", b"21", b"41"], []])
def test_changed_functions_are_compiled_as_in_the_whole_file(changes: Any) -> None:
    new = TEXT
    for number in changes:
        new = new.replace(number, b"7" + number)
    found = recompiled(TEXT, new)
    assert found is not None and facts(found) == facts(whole(new))
    assert not changes or facts(found) != facts(whole(TEXT))


@pytest.mark.parametrize(
    "old,new",
    [
        (b"limit = 1", b"limit = 2"),
        (b"[1, 2]", b"[1, 3]"),
        (b"x=20", b"x=23"),
        (b"f() == 30", b"f() == 31"),
        (b"assert f(1) == 10", b"assert f(1) == 10 and True\n        assert f(1)"),
        (b'assert f(1) == 10, "one"', b"pass\n    def test_one(self): assert f(1) == 11"),
    ],
)
def test_after_other_changes_the_whole_file_is_compiled(old: bytes, new: bytes) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT and recompiled(TEXT, text) is None
    recompiler = Recompiler()
    recompiler.compile(TEXT, "/p/test_a.py")
    assert facts(recompiler.compile(text, "/p/test_a.py")) == facts(whole(text))


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_lines_are_counted_as_python_counts_them(end: bytes) -> None:
    text = TEXT.replace(b"\n", end)
    new = text.replace(b"41", b"42")
    recompiler = Recompiler()
    recompiler.compile(text, "/p/test_a.py")
    assert facts(recompiler.compile(new, "/p/test_a.py")) == facts(whole(new))


def test_a_file_that_forbids_rewriting_is_not_rewritten() -> None:
    text = TEXT.replace(b"Tests.", b"PYTEST_DONT_REWRITE")
    new = text.replace(b"10", b"11")
    recompiler = Recompiler()
    recompiler.compile(text, "/p/test_a.py")
    assert facts(recompiler.compile(new, "/p/test_a.py")) == facts(whole(new))


def test_a_function_is_compiled_once_for_each_of_its_texts() -> None:
    recompiler = Recompiler()
    texts = [TEXT, TEXT.replace(b"10", b"11"), TEXT.replace(b"10", b"11").replace(b"41", b"42")]
    for text in [*texts, *texts]:
        assert facts(recompiler.compile(text, "/p/test_a.py")) == facts(whole(text))
    assert len(recompiler.functions) == (2 if sys.version_info >= (3, 8) else 0)
