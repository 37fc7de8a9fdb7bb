"""The wheel and the source distribution: built, looked through, and installed apart from this tree."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution, which the wheel is built from."""
    from hatchling import build

    folder = tmp_path_factory.mktemp("dist")
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        sdist = folder / build.build_sdist(str(folder))
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        os.chdir(folder / sdist.name.removesuffix(".tar.gz"))
        build.build_wheel(str(folder))
    finally:
        os.chdir(before)
    return folder


def test_the_wheel_has_the_package_and_its_data_alone(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0].partition("-")[0] for name in names} == {"potlang"}
    inside = {name.removeprefix("potlang/") for name in names if name.startswith("potlang/")}
    tracked = subprocess.run(
        ["git", "ls-files", "potlang", "examples", "schemas", "spec", "stdlib"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if tracked.returncode == 0:
        assert inside == {name.removeprefix("potlang/") for name in tracked.stdout.splitlines()}
    assert not [name for name in inside if "test_" in name or "__pycache__" in name or "conftest" in name]


def test_no_system_is_claimed_but_the_one_that_limits_are_tested_on(built: Path) -> None:
    """[LIMIT-SYSTEMS]"""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("METADATA"))
        lines = archive.read(name).decode("utf-8").splitlines()
    assert [each for each in lines if "Operating System" in each] == [
        "Classifier: Operating System :: POSIX :: Linux"
    ]


def test_the_source_distribution_builds_and_tests_itself(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        folders = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert folders >= {
        "potlang",
        "schemas",
        "spec",
        "stdlib",
        "tests",
        "examples",
        "pyproject.toml",
        "LICENSE",
    }


def test_the_installed_wheel_verifies_a_program(built: Path, tmp_path: Path) -> None:
    """Into an environment that has the libraries of this one, and nothing of this tree."""
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    (site,) = (tmp_path / "env").glob("lib/python*/site-packages")
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, timeout=60)
    libraries = next(path for path in sys.path if Path(path, "z3").is_dir())
    # Behind the wheel's own folder, so that a potlang that is installed there is not the one tried.
    (site / "libraries.pth").write_text(libraries + "\n", encoding="utf-8")
    python = next((tmp_path / "env").glob("bin/python"))
    program = "import potlang, sys; print(potlang.__file__); from potlang.cli.main import run; run()"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = subprocess.run(
        [str(python), "-c", program, str(ROOT / "examples" / "giraffe.json"), "--format", "json"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    where, _, report = found.stdout.partition("\n")
    assert Path(where).is_relative_to(site), found.stderr
    assert json.loads(report)["verdict"] == "refuted"
    assert found.returncode == 1
