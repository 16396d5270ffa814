"""Tests of the compiler. Python and pytest must use its bytecode instead of the source."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from evoscope_runner import compiler
from evoscope_runner.recompile import Recompiler
from evoscope_runner.workspace import File, write_file

#: Ends Python with exit code 9 when it compiles a source file below the working folder.
AUDIT = """
import builtins, os, sys
compile_before = builtins.compile
def compile(source, filename, *arguments, **options):
    if str(filename).startswith(os.getcwd()):
        os._exit(9)
    return compile_before(source, filename, *arguments, **options)
builtins.compile = compile
"""


def write(root: Path, path: str, text: str, kind: str, with_bytecode: bool = True) -> None:
    """Writes a source file and, with `with_bytecode`, its bytecode."""
    source = text.encode("utf-8")
    write_file(str(root), File(path, 0o644, source))
    code, error = compiler.compile_source(source, str(root / path), kind, Recompiler())
    cached = compiler.bytecode_path(path, kind)
    assert error is None and code is not None and cached is not None
    if with_bytecode:
        write_file(str(root), File(cached, 0o644, code))


def python(root: Path, code: str) -> int:
    """Runs `AUDIT` and then `code` in the folder `root`. Returns the exit code."""
    environment = dict(os.environ, PYTHONPATH=str(root), PYTHONDONTWRITEBYTECODE="1")
    command = [sys.executable, "-c", AUDIT + code]
    return subprocess.run(command, cwd=str(root), env=environment, stdout=subprocess.DEVNULL).returncode


@pytest.mark.parametrize("with_bytecode,code", [(True, 0), (False, 9)])
def test_python_uses_the_bytecode_of_a_module(tmp_path: Path, with_bytecode: bool, code: int) -> None:
    write(tmp_path, "package/module.py", "value = 'é'\n", compiler.MODULE, with_bytecode)
    assert python(tmp_path, "from package.module import value; assert value == 'é'") == code


@pytest.mark.parametrize("with_bytecode,code", [(True, 1), (False, 9)])
def test_pytest_uses_the_bytecode_of_a_test_file(tmp_path: Path, with_bytecode: bool, code: int) -> None:
    text = "def test_it():\n    value = 1\n    assert value == 2\n"
    write(tmp_path, "test_it.py", text, compiler.REWRITTEN, with_bytecode)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    assert python(tmp_path, "import pytest; sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider']))") == code


def test_rewritten_bytecode_explains_assertions(tmp_path: Path) -> None:
    write(tmp_path, "test_it.py", "def test_it():\n    assert [1] == [2]\n", compiler.REWRITTEN)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"),
    )
    assert b"At index 0 diff: 1 != 2" in ran.stdout


@pytest.mark.parametrize("kind", [compiler.MODULE, compiler.REWRITTEN])
@pytest.mark.parametrize(
    "source,line",
    [(b"x = 1\ny = (\n", 2), (b"\n\nreturn 1\n", 3), (b"x = '\0'\n", 1), (b"# coding: nothing\n", 1), (b"'\xff'", 1)],
)
def test_source_that_does_not_compile_is_a_syntax_error(kind: str, source: bytes, line: int) -> None:
    code, error = compiler.compile_source(source, "/project/a.py", kind, Recompiler())
    assert code is None and error is not None
    assert error["line"] in (line, line + 1) and "Error: " in error["message"]


def test_without_the_internals_of_pytest_no_bytecode_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    from _pytest.assertion import rewrite

    monkeypatch.delattr(rewrite, "_write_pyc_fp")
    found = compiler.compile_source(b"", "/project/test_a.py", compiler.REWRITTEN, Recompiler())
    assert found == (None, None)
    monkeypatch.delattr(rewrite, "PYC_TAIL")
    assert compiler.bytecode_path("a/test_a.py", compiler.REWRITTEN) is None
