"""Tests that the memory of a run is measured."""

import ctypes
import mmap
import os
from typing import Dict, Tuple

import pytest
from evoscope_runner import memory

MEBIBYTE = 1 << 20
OWN = [os.getpid()]


@pytest.fixture(autouse=True)
def no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other programs may change the scratch folders of this machine."""
    monkeypatch.setattr(memory, "_files", lambda process, project: 0)


def used() -> int:
    return memory.used_memory(OWN, "/")


def test_memory_files_count_once_and_only_while_they_are_open() -> None:
    before = used()
    file = ctypes.CDLL(None).memfd_create(b"", 0)
    for _ in range(32):
        os.write(file, bytes(MEBIBYTE))
    copy = os.dup(file)
    assert 32 <= (used() - before) / MEBIBYTE < 48
    os.close(file)
    os.close(copy)
    assert used() - before < 16 * MEBIBYTE


def test_resident_memory_counts() -> None:
    before = used()
    with mmap.mmap(-1, 32 * MEBIBYTE) as held:
        held.write(b"x" * len(held))
        assert used() - before >= 32 * MEBIBYTE


def test_a_process_that_hides_its_descriptors_uses_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: str) -> None:
        raise PermissionError(folder)

    monkeypatch.setattr(os, "listdir", refuse)
    assert used() >= memory.HIDDEN


def test_a_process_that_is_not_reaped_yet_uses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: str) -> None:
        raise PermissionError(folder)

    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    monkeypatch.setattr(os, "listdir", refuse)
    sizes: Dict[Tuple[int, int], int] = {}
    memory._add_memory_files(child, sizes)
    os.waitpid(child, 0)
    assert sizes == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may enter a namespace")
def test_segments_count_after_they_are_detached() -> None:
    libc = ctypes.CDLL(None)
    libc.shmat.restype = ctypes.c_void_p
    before = used()
    segment = libc.shmget(0, 32 * MEBIBYTE, 0o600)
    try:
        place = ctypes.c_void_p(libc.shmat(segment, None, 0))
        ctypes.memset(place, 1, 32 * MEBIBYTE)
        libc.shmdt(place)
        assert 32 <= (used() - before) / MEBIBYTE < 48
    finally:
        libc.shmctl(segment, 0, None)
