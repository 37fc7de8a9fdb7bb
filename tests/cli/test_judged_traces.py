"""What `potc` says of traces that are well formed and establish little, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

JUDGED = Path(__file__).parents[1] / "dot" / "judged"
EXPECTED: dict[str, tuple[int, set[str]]] = {
    "blankblocks": (0, set()),
    "bullets": (1, {"POT5066"}),
    "faithful_via_unused": (1, set()),
    "indstat": (1, {"POT5066"}),
    "invalidated_truth": (1, {"POT5061"}),
    "opaque": (1, set()),
    "refuted_arrow": (1, {"POT5062"}),
    "selfsum": (1, set()),
    "tagged": (1, set()),
    "undet": (1, set()),
}
"""Its exit code, and the codes of its diagnostics."""


def potc(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "potlang", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("name", EXPECTED)
def test_exit_code_and_diagnostics_of_a_judged_trace(name: str) -> None:
    """[FACE-EXIT] [DOT-ESTABLISHED-TEXT]"""
    done = potc("--format", "json", "--trust", "solver", JUDGED / f"{name}.dot.txt")
    report = json.loads(done.stdout)
    codes = {each["code"] for each in report["diagnostics"]}
    assert (done.returncode, codes, report["verdict"]) == (*EXPECTED[name], "accepted")


def test_fixing_leaves_what_is_only_not_established(tmp_path: Path) -> None:
    """[FACE-FIX] [DOT-FIX]"""
    for name in EXPECTED:
        text = (JUDGED / f"{name}.dot.txt").read_text(encoding="utf-8")
        (tmp_path / f"{name}.dot.txt").write_text(text, encoding="utf-8")
    assert potc("fix", tmp_path).returncode == 0
    for name in EXPECTED:
        old, new = (JUDGED / f"{name}.dot.txt"), (tmp_path / f"{name}.dot.txt")
        wanted = old.read_text(encoding="utf-8").replace("\n @status", "\n@status")
        assert new.read_text(encoding="utf-8") == wanted


def test_blank_lines_within_blocks_are_mended(tmp_path: Path) -> None:
    """[FACE-FIX] [DOT-FIX]"""
    text = (JUDGED / "blankblocks.dot.txt").read_text(encoding="utf-8")
    file = tmp_path / "spread.dot.txt"
    file.write_text(text.replace("\n@edge", "\n\n@edge").replace("\n@prop", "\n\n@prop"), encoding="utf-8")
    assert potc("check", file).returncode == 2
    done = potc("fix", file)
    assert (done.returncode, "no errors left" in done.stderr) == (0, True)
    assert file.read_text(encoding="utf-8") == text
