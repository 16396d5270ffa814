"""Tests that the project's files are written and restored."""

import os
from pathlib import Path
from typing import Dict

import pytest
from evoscope_runner.workspace import MTIME, File, Workspace, copy_tree, remove_bytecode, write_file

FILES = [File("a.py", 0o644, b"a = 1\n"), File("bin/tool", 0o755, b"#!/bin/sh\n")]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A staged project in a scratch folder."""
    scratch = tmp_path / "scratch"
    made = Workspace(str(scratch / "project"), [str(scratch), str(tmp_path / "absent")], 1 << 20, False)
    made.stage(FILES, ["empty/inner"])
    return made


def tree(root: str) -> Dict[str, str]:
    """The key is a path below `root`, and the value is the content of the file. Empty for a folder."""
    paths = sorted(path for path in Path(root).rglob("*"))
    return {str(path.relative_to(root)): path.read_text() if path.is_file() else "" for path in paths}


def test_files_have_their_modes_and_the_same_time(workspace: Workspace) -> None:
    found = [os.stat(os.path.join(workspace.root, file.path)) for file in FILES]
    assert [about.st_mode & 0o777 for about in found] == [0o644, 0o755]
    assert [about.st_mtime for about in found] == [MTIME, MTIME]
    assert os.path.isdir(os.path.join(workspace.root, "empty/inner"))


def test_files_and_folders_that_a_run_changes_are_restored(workspace: Workspace) -> None:
    root, before = Path(workspace.root), tree(workspace.root)
    (root / "a.py").unlink()
    (root / "a.py").mkdir()
    (root / "link").symlink_to("/")
    (root.parent / "left").write_text("left")
    closed = root.parent / "closed/inner"
    closed.mkdir(parents=True)
    (closed / "file").write_text("")
    for folder in (closed, closed.parent, root, root.parent):
        folder.chmod(0)
    workspace.used = True
    workspace.prepare()
    assert tree(workspace.root) == before
    assert os.listdir(str(root.parent)) == ["project"]


def test_a_workspace_that_no_run_used_is_not_restored(workspace: Workspace) -> None:
    left = Path(workspace.root, "left")
    left.write_text("")
    workspace.prepare()
    assert left.exists()


def test_added_files_stay(workspace: Workspace) -> None:
    workspace.add([File("__pycache__/a.pyc", 0o644, b"code")])
    workspace.used = True
    workspace.prepare()
    assert tree(workspace.root)["__pycache__/a.pyc"] == "code"


def test_a_file_replaces_a_folder_and_a_link(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("same")
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "folder/inner").mkdir(parents=True)
    for name in ("link", "folder"):
        write_file(str(tmp_path), File(name, 0o644, b"new"))
    assert tree(str(tmp_path)) == {"folder": "new", "link": "new", "target": "same"}


def test_bytecode_of_one_source_is_removed(tmp_path: Path) -> None:
    for name in ("a.cpython-39.pyc", "a.cpython-39-pytest-7.pyc", "ab.cpython-39.pyc"):
        write_file(str(tmp_path), File("p/__pycache__/" + name, 0o644, b""))
    remove_bytecode(str(tmp_path), "p/a.py")
    remove_bytecode(str(tmp_path), "q/a.py")
    assert os.listdir(str(tmp_path / "p/__pycache__")) == ["ab.cpython-39.pyc"]


def test_a_tree_is_copied_to_a_folder_that_exists(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    os.symlink("nothing", os.path.join(workspace.root, "link"))
    copy_tree(workspace.root, str(tmp_path / "copy"))
    assert tree(str(tmp_path / "copy")) == tree(workspace.root)
    assert os.readlink(str(tmp_path / "copy/link")) == "nothing"
