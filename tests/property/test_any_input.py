"""Whatever comes in, a report or diagnostics come out, and never another exception."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from property_support import both

import potlang
from potlang.report.results import Limits
from potlang.testing import damaged, finite_programs, identifiers, programs

SEED = Path(__file__).parent.parent / "seed"
LIMITS = Limits(check_ms=300, total_ms=1_000)
SECTIONS = (
    *("sorts", "functions", "constants", "variables", "knowledge_base", "rules", "verifications"),
    *("optimization", "actions", "imports", "semantics", "knowledgebase", "description"),
)
KEYS = st.sampled_from(
    (
        *SECTIONS,
        *("name", "type", "sort", "domain", "range", "members", "values", "fields", "constraint", "implies"),
        *("antecedent", "consequent", "forall", "exists", "find", "objectives", "expression", "pack", "with"),
    )
)


def seed_programs() -> list[dict[str, Any]]:
    found = [json.loads(path.read_text("utf-8")) for path in sorted(SEED.glob("[0-9]*.json"))]
    assert len(found) == 25
    return found


def json_values() -> st.SearchStrategy[Any]:
    """JSON values of any kind, those with the words of the format among them."""
    texts = st.one_of(
        st.text(max_size=8),
        identifiers().filter(lambda t: len(t) < 60),
        st.sampled_from(["Bool", "x", "And(x)"]),
    )
    numbers = st.one_of(st.integers(), st.floats(allow_nan=True, allow_infinity=True))
    leaves = st.one_of(st.none(), st.booleans(), numbers, texts)

    def grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        keys = st.one_of(KEYS, texts)
        return st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=4))

    anything = st.recursive(leaves, grow, max_leaves=12)
    return st.one_of(anything, st.dictionaries(st.sampled_from(SECTIONS), anything, max_size=4))


def documents() -> st.SearchStrategy[bytes]:
    """Bytes: any, JSON in several encodings, and programs with bytes changed."""
    texts = json_values().map(lambda value: json.dumps(value, ensure_ascii=False))
    encodings = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1", "utf-32"])
    encoded = st.builds(lambda text, code: text.encode(code, "replace"), texts, encodings)
    programs_ = st.sampled_from(seed_programs()).map(lambda program: json.dumps(program).encode())

    @st.composite
    def changed(draw: st.DrawFn) -> bytes:
        data = draw(programs_)
        at = draw(st.integers(0, len(data)))
        return data[:at] + draw(st.binary(max_size=3)) + data[at + draw(st.integers(0, 3)) :]

    return st.one_of(st.binary(max_size=60), encoded, changed())


def any_value_is_answered(value: Any) -> None:
    """A JSON value has a program or errors; its report can be printed in every form."""
    _answered(json.dumps(value))
    if isinstance(value, dict):
        _answered(value)


def any_bytes_are_answered(data: bytes) -> None:
    """The same for bytes."""
    _answered(data)


def _answered(source: Any) -> None:
    from potlang.diag.render_sarif import diagnostics_to_sarif
    from potlang.diag.render_text import render_all

    checked = potlang.check(source)
    found = [d for d in checked.diagnostics if d.severity == "error"]
    assert checked.ok is not bool(found)
    json.dumps(diagnostics_to_sarif([(checked.document, checked.diagnostics)], "0"))
    render_all(checked.diagnostics, checked.document)
    report = potlang.verify(source, limits=LIMITS, trust="solver")
    json.loads(report.to_json())
    assert str(report) and report._repr_html_()
    # A text that begins as a trace does is taken for one.
    if isinstance(checked, potlang.api.Checked):
        assert (report.verdict == "rejected") == bool(found)
        if not isinstance(source, dict):
            _has_positions(checked)


def _has_positions(checked: potlang.api.Checked) -> None:
    for row in checked.located():
        assert isinstance(row["line"], int) and row["line"] >= 1, row
        assert isinstance(row["column"], int) and row["column"] >= 1, row
        assert row["code"].startswith("POT") and row["message"], row
        assert row["code"] != "POT0001", row


def damage_is_answered(text: str) -> None:
    """A damaged program is verified, or rejected with errors that have a line and a column."""
    _answered(text)


def damaged_programs() -> st.SearchStrategy[str]:
    """Damaged copies of the seed programs and of random ones."""
    seeds = st.sampled_from(seed_programs())
    return st.one_of(seeds, seeds, finite_programs(), programs()).flatmap(damaged)


# --- as a process --------------------------------------------------------------------------------


def potc(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`potc` run in a folder, its warnings switched on."""
    root = str(Path(potlang.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": root, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "potlang", *arguments]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=500, check=False
    )


def answers_by_process(folder: Path, texts: list[bytes]) -> list[dict[str, Any]]:
    """The reports of one `potc` over all these files; its exit code is the worst of theirs."""
    names = [f"{number}.json" for number in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        (folder / name).write_bytes(text)
    run = potc(
        folder,
        "verify",
        *names,
        "--format",
        "json",
        "--timeout",
        "0.5",
        "--total-timeout",
        "2",
        "--trust",
        "solver",
    )
    assert "Traceback" not in run.stderr, run.stderr
    assert run.returncode in (0, 1, 2, 3), run.stderr
    rows = json.loads(run.stdout)
    found = [rows] if len(texts) == 1 else rows
    assert len(found) == len(texts)
    for row, text in zip(found, texts, strict=True):
        errors = [d for d in row["diagnostics"] if d["severity"] == "error"]
        assert (row["verdict"] == "rejected") == bool(errors), text
        assert all(isinstance(d["line"], int) and isinstance(d["column"], int) for d in errors), text
        assert not any(d["code"] == "POT0001" for d in errors), text
    return found


def samples(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """The first examples of a strategy, the same each time."""
    from hypothesis import given, settings

    found: list[Any] = []

    @settings(max_examples=count, derandomize=True)
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found[:count]


def test_potc_answers_damaged_programs_and_any_bytes(tmp_path: Path) -> None:
    texts = [text.encode() for text in samples(damaged_programs(), 20)] + samples(documents(), 20)
    answers_by_process(tmp_path, texts)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(10))
def test_potc_answers_a_thousand_damaged_programs(tmp_path: Path, batch: int) -> None:
    texts = samples(damaged_programs(), 1_000)[batch * 100 : (batch + 1) * 100]
    assert len(texts) == 100
    answers_by_process(tmp_path, [text.encode() for text in texts])


test_values, test_values_deep = both(any_value_is_answered, json_values(), quick=80, deep=3_000)
test_bytes, test_bytes_deep = both(any_bytes_are_answered, documents(), quick=80, deep=3_000)
test_damage, test_damage_deep = both(damage_is_answered, damaged_programs(), quick=60, deep=1_000)
