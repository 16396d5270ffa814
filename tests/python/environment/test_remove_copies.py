"""Tests of `src/environment/python/remove_copies.py`, in a virtual environment without packages."""

import subprocess
import venv
from pathlib import Path
from typing import Dict, List

SCRIPT = Path(__file__).parents[3] / "src/environment/python/remove_copies.py"


def environment(folder: Path, files: Dict[str, str]) -> Path:
    """Makes a virtual environment, and adds files to its folder of packages. Returns this folder."""
    venv.create(str(folder))
    site = next(folder.glob("lib/python*/site-packages"))
    for name, text in files.items():
        path = site / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return site


def remove_copies(folder: Path, sources: List[str]) -> None:
    """Runs the script in a virtual environment."""
    listed = folder / "sources"
    listed.write_text("\n".join(sources))
    subprocess.run([str(folder / "bin/python"), "-B", "-s", str(SCRIPT), str(listed)], check=True)


METADATA = "Metadata-Version: 2.1\nName: pytest\nVersion: 7.0\n"


def test_copies_and_their_bytecode_are_removed_and_other_files_stay(tmp_path: Path) -> None:
    site = environment(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/calc.py": "",
            "pkg/__pycache__/calc.cpython-39.pyc": "",
            "pkg/__pycache__/calculator.cpython-39.pyc": "",
            "pkg/calculator.py": "",
            "pkg/speed.so": "",
        },
    )
    remove_copies(tmp_path, ["src/pkg/__init__.py", "src/pkg/calc.py", "setup.py"])
    left = sorted(str(path.relative_to(site)) for path in (site / "pkg").rglob("*") if path.is_file())
    assert left == [
        "pkg/__init__.py",
        "pkg/__pycache__/calculator.cpython-39.pyc",
        "pkg/calculator.py",
        "pkg/speed.so",
    ]
    assert (site / "pkg/__init__.py").read_text().startswith("raise ImportError")


def test_files_of_pytest_are_not_removed(tmp_path: Path) -> None:
    files = {
        "six.py": "",
        "other.py": "",
        "pytest-7.0.dist-info/METADATA": METADATA,
        "pytest-7.0.dist-info/RECORD": "six.py,,\n",
    }
    site = environment(tmp_path, files)
    remove_copies(tmp_path, ["six.py", "other.py"])
    assert (site / "six.py").exists() and not (site / "other.py").exists()
