"""Tests of `src/environment/python/install.py` with `fake_pip.py`, a pip that only writes metadata."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List, NamedTuple, Optional

import pytest

SCRIPTS = Path(__file__).parents[3] / "src/environment/python"
METADATA = "Metadata-Version: 2.1\nName: {}\nVersion: {}\n{}"


class Installed(NamedTuple):
    """The exit code, the log and the calls of pip of a run of install.py."""

    code: int
    log: List[str]
    calls: List[str]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with pytest 7.2.1, pluggy 1.0 and the pip of `fake_pip.py`."""
    folder = tmp_path / "site"
    folder.mkdir()
    shutil.copy(str(Path(__file__).with_name("fake_pip.py")), str(folder / "pip.py"))
    (folder / "pytest.py").write_text("")
    for name, version, requires in [
        ("pytest", "7.2.1", "Requires-Dist: pluggy (<2.0,>=0.12)\n"),
        ("pluggy", "1.0.0", ""),
    ]:
        about = folder / f"{name}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(METADATA.format(name, version, requires))
    return folder


def install(
    site: Path,
    found: Optional[List[str]] = None,
    packages: Optional[List[str]] = None,
    own_pytest: bool = True,
) -> Installed:
    """Runs install.py in an environment with the packages in `site`."""
    request = {"packages": packages or [], "found": found or [], "pytest": "pytest<8"}
    path = site.parent / "request.json"
    path.write_text(json.dumps(dict(request, own_pytest=own_pytest)))
    ran = subprocess.run(
        [sys.executable, "-s", str(SCRIPTS / "install.py"), str(path)],
        env=dict(os.environ, PYTHONPATH=str(site), PYTHONDONTWRITEBYTECODE="1"),
        stdout=subprocess.PIPE,
        text=True,
    )
    prefix = "evoscope: "
    log = [line[len(prefix) :] for line in ran.stdout.splitlines() if line.startswith(prefix)]
    calls = site / "calls"
    return Installed(ran.returncode, log, calls.read_text().splitlines() if calls.exists() else [])


def test_pytest_is_installed_first(site: Path) -> None:
    done = install(site, packages=["lxml"], found=["mock"], own_pytest=False)
    assert done.code == 0
    assert done.calls == ["pytest<8", "lxml pytest<8", "mock pytest<8"]
    assert done.log == ["install pytest", "install lxml", "install mock"]


def test_the_images_pytest_is_not_replaced(site: Path) -> None:
    done = install(site, found=["lxml", "mock"])
    assert (done.code, done.calls) == (0, ["lxml mock pytest==7.2.1"])


def test_a_package_that_conflicts_with_the_images_pytest_installs_another_pytest(site: Path) -> None:
    done = install(site, found=["lxml", "new"])
    assert (done.code, done.calls) == (0, ["lxml pytest==7.2.1", "new pytest<8"])
    assert done.log[-1] == "install with a pytest other than the image's pytest"


def test_a_found_package_that_cannot_be_installed_is_left_out(site: Path) -> None:
    done = install(site, found=["lxml", "broken"])
    assert (done.code, done.calls) == (0, ["lxml pytest==7.2.1"])
    assert done.log[-1] == "left out: broken"


def test_a_declared_package_that_cannot_be_installed_is_an_error(site: Path) -> None:
    assert install(site, packages=["broken"], own_pytest=False).code == 1


def test_a_pytest_that_does_not_start_is_an_error(site: Path) -> None:
    (site / "pytest.py").write_text("raise ImportError('pluggy is missing')\n")
    assert install(site).code == 1
