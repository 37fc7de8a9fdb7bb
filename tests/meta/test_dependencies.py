"""Bounds of dependencies in pyproject.toml, and the exact versions in constraints.txt that CI installs."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from potlang.cli import examination

ROOT = Path(__file__).parents[2]
PYPROJECT = ROOT / "pyproject.toml"
PROJECT = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
LISTS = PROJECT["project"]["optional-dependencies"]
REQUIREMENTS = [
    found
    for group in (PROJECT["build-system"]["requires"], PROJECT["project"]["dependencies"], *LISTS.values())
    for found in map(Requirement, group)
    if found.name != "potlang"
]
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
PINS = dict(line.split("==") for line in LINES if not line.startswith("#"))
NO_RELEASES = {"python-sat"}
"""Distributions with pre-releases alone."""


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_each_dependency_has_bounds_with_the_tested_version_in_them(requirement: Requirement) -> None:
    assert {each.operator for each in requirement.specifier} >= {">=", "<"}
    if requirement.name in PINS:
        assert requirement.specifier.contains(PINS[requirement.name], prereleases=True)
    lower = next(each.version for each in requirement.specifier if each.operator == ">=")
    assert Version(lower).is_prerelease == (requirement.name in NO_RELEASES)


def test_versions_that_misbehave_are_out_of_bounds() -> None:
    """[DOCTOR-VERSIONS]"""
    bounds = {each.name: each.specifier for each in REQUIREMENTS}
    for name, versions in examination._MISBEHAVE.items():
        for first, last, _ in versions:
            assert not bounds[name].contains(first) and not bounds[name].contains(last)


def test_the_versions_of_ci_are_exact_and_releases() -> None:
    assert {name for name, version in PINS.items() if Version(version).is_prerelease} == NO_RELEASES
    ci = {
        each.name
        for group in (
            PROJECT["project"]["dependencies"],
            *(LISTS[name] for name in ("test", "dev", "dagmath", "mcp")),
        )
        for each in map(Requirement, group)
    }
    assert ci - {"potlang"} <= set(PINS)
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.findall(r"pip install -q (.*?) ?'\.\[\w+\]'", run) == ["-c constraints.txt"] * 2


def test_bounds_move_forward_alone() -> None:
    script = runpy.run_path(str(ROOT / ".ci" / "dependencies"), run_name="script")
    bounds = {
        "1.2.3": "2",
        "0.9.6": "0.10",
        "5.4.1.0": "6",
        "2": "3",
        "1.9.dev17": "2",
        "2025.9.1": "2026",
        "0.15": "0.16",
    }
    assert {version: script["bound"](version) for version in bounds} == bounds
    text = 'a = ["one>=1.0,<2", "two>=0.9,<0.10", "three>=4,<5"]\nb = ["potlang[dagmath]"]\n'
    moved = script["moved"](text, {"one": "3.1", "two": "0.9.9", "three": "3.9"})
    assert moved == text.replace("1.0,<2", "1.0,<4")
