"""Makes the runner's package importable, and starts sessions for tests. The sessions end after the test."""

import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[2] / "src/evaluation/python")]

from driver import Driver  # noqa: E402


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Callable[..., Driver]]:
    """A function that starts a session with the files of a project."""
    opened: List[Driver] = []

    def start(files: Dict[str, str], **options: Any) -> Driver:
        folder = tmp_path / str(len(opened))
        folder.mkdir()
        opened.append(Driver(folder, files, **options))
        return opened[-1]

    yield start
    for driver in opened:
        driver.close()
