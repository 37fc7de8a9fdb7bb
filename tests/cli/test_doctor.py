"""`potc doctor`: findings of a whole installation, and of ones that are broken on purpose."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from potlang import api
from potlang.certify import check as kernel
from potlang.cli import examination
from potlang.cli.examination import Finding, examine
from potlang.prove.options import RouteName
from potlang.report.results import Limits
from potlang.utils.installation import RequiredLibrary
from potlang.utils.resources import schema

ROOT = Path(__file__).parents[2]
CASES: list[dict[str, Any]] = json.loads(
    (ROOT / "potlang" / "cli" / "self_test.json").read_text(encoding="utf-8")
)
FORM = jsonschema.Draft202012Validator(schema("doctor-1"))


def doctor(code: str = "") -> tuple[int, dict[str, Any]]:
    """The exit code and the JSON value, in a process that runs `code` first."""
    start = "import sys; sys.argv = ['potc', 'doctor', '--format', 'json']"
    program = f"{start}; {code}\nfrom potlang.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        timeout=120,
        cwd=ROOT,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    value = json.loads(done.stdout)
    FORM.validate(value)
    assert (
        value["ok"] == (done.returncode == 0) == all(each["state"] != "error" for each in value["findings"])
    )
    return done.returncode, value


def group(findings: list[Any], name: str) -> list[Finding]:
    return [
        each
        for each in (Finding(*each.values()) if isinstance(each, dict) else each for each in findings)
        if each.group == name
    ]


def test_a_whole_installation_is_found_to_be_so() -> None:
    """[DOCTOR-FINDINGS], [DOCTOR-SELF], [DOCTOR-EXIT], [DOCTOR-FORM]"""
    code, value = doctor()
    assert code == 0
    findings = value["findings"]
    assert list(dict.fromkeys(each["group"] for each in findings)) == [
        "system",
        "solvers",
        "provers",
        "extras",
        "limits",
        "self-test",
    ]
    assert {each.name for each in group(findings, "solvers")} == {"z3-solver", "cvc5", "pysmt", "python-sat"}
    assert {each.name for each in group(findings, "provers")} == {"eprover", "ethos", "carcara"}
    assert {"dagmath", "mcp", "models"} <= {each.name for each in group(findings, "extras")}
    assert {"memory", "processes", "file handles", "stack"} <= {
        each.name for each in group(findings, "limits")
    }
    tried = group(findings, "self-test")
    assert [(each.name, each.value) for each in tried] == [(case["name"], case["verdict"]) for case in CASES]
    assert len(tried) == 10


def test_the_text_has_each_finding() -> None:
    """[DOCTOR-FORM]"""
    done = subprocess.run(
        [sys.executable, "-m", "potlang", "doctor"], capture_output=True, timeout=120, cwd=ROOT
    )
    text = done.stdout.decode()
    assert done.returncode == 0
    for words in ("z3-solver", "eprover", "file handles", *(case["name"] for case in CASES)):
        assert words in text
    assert all(char.isprintable() or char == "\n" for char in text)


@pytest.mark.parametrize(
    ("case", "route"),
    [
        pytest.param(case, route, id=f"{case['name']}-{route}")
        for case in CASES
        for route in ("z3", "cvc5")
        # cvc5 does not optimize.
        if (case["verdict"], route) != ("optimal", "cvc5")
    ],
)
def test_the_verdicts_of_the_self_test_are_those_of_each_solver_alone(
    case: dict[str, Any], route: RouteName
) -> None:
    """[DOCTOR-SELF]: what is expected is no one solver's word."""
    report = api.verify(
        case["program"], language="pot", route=route, trust="solver", limits=Limits(check_ms=5_000)
    )
    assert report.verdict == case["verdict"]


def test_an_optimum_of_the_self_test_is_that_of_enumeration() -> None:
    """[DOCTOR-SELF]"""
    (case,) = (case for case in CASES if case["verdict"] == "optimal")
    report = api.verify(case["program"], language="pot")
    assert report.optimization is not None
    points = ((x, y) for x in range(-20, 20) for y in range(-20, 60))
    best = max(3 * x + 4 * y for x, y in points if x + 2 * y <= 14 and 3 * x - y >= 0 and x - y <= 2)
    assert report.optimization.value == best


def test_a_wrong_verdict_and_a_bad_certificate_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOCTOR-SELF]: and a verdict for which fewer stand is a warning."""
    case = CASES[0]
    report = api.verify(case["program"], language="pot", certificate=True)
    assert report.certificate is not None
    assert (
        kernel(report.certificate, api.compile(case["program"], language="pot").emit("ir", passes="")).status
        == "VALID"
    )
    for given, found, state, words in (
        ({**case, "verdict": "refuted"}, report, "error", "expected refuted"),
        (case, report._replace(certificate=report.certificate.replace("ann", "bob")), "error", "INVALID"),
        (
            case,
            report._replace(results=(report.results[0]._replace(trust="solver"),)),
            "warning",
            "checked was expected",
        ),
        (case, report, "ok", "checked"),
    ):
        finding = examination._judged(given, found, 1.0)
        assert (finding.state, words in finding.says) == (state, True), finding


@pytest.mark.parametrize(
    ("gone", "where"),
    [
        pytest.param("z3", "z3-solver", marks=pytest.mark.slow),
        pytest.param("cvc5", "cvc5", marks=pytest.mark.slow),
        ("pysat", "python-sat"),
    ],
)
def test_a_solver_that_is_not_there_is_an_error_and_the_rest_goes_on(
    tmp_path: Path, gone: str, where: str
) -> None:
    """[DOCTOR-BROKEN]: a package of its name that cannot be imported stands before it."""
    package = tmp_path / gone
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('broken on purpose')\n")
    (package / "z3core.py").write_text("raise ImportError('broken on purpose')\n")
    code, value = doctor(f"sys.path.insert(0, {str(tmp_path)!r})")
    assert code == 1
    states = {each.name: each.state for each in group(value["findings"], "solvers")}
    assert states.pop(where) == "error"
    assert len(group(value["findings"], "limits")) > 3
    assert len(group(value["findings"], "self-test")) == 10


def test_a_group_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOCTOR-BROKEN]"""

    def broken() -> Any:
        raise OSError("no \u202e handles")

    monkeypatch.setattr(examination, "_PARTS", (("solvers", broken), ("provers", examination._provers)))
    first, *rest = examine()
    assert first == Finding("solvers", "solvers", "error", "", "OSError: no \\u202e handles")
    assert len(rest) == 3


def test_versions_that_misbehave_and_ones_beyond_the_bounds_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[DOCTOR-VERSIONS]"""

    def state(name: str, version: str, bounds: str) -> tuple[str, str]:
        monkeypatch.setattr(metadata, "version", lambda _: version)
        found = examination._installed("solvers", RequiredLibrary(name, bounds, None), "error")
        return found.state, found.says

    assert state("cvc5", "1.2.0", "<2,>=1.2.1")[0] == "error"
    assert "misbehaves" in state("z3-solver", "4.13.3.0", "<6,>=4.14")[1]
    assert state("z3-solver", "6.0.0", "<6,>=4.14") == ("warning", "not tested: <6,>=4.14 is")
    assert state("python-sat", "1.9.dev17", "<2,>=1.8.dev13") == ("ok", "")
    assert state("cvc5", "1.10.0", "<2,>=1.2.1") == ("ok", "")


def test_provers_on_the_path_are_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOCTOR-FINDINGS]: one that answers, one that is no program, one that is not there."""
    for name, text in (("eprover", "#!/bin/sh\necho E 2.6 Floral Guranse\n"), ("ethos", "\x7fELF nothing")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {each.name: (each.state, each.value) for each in examination._provers()}
    assert found == {
        "eprover": ("ok", "E 2.6 Floral Guranse"),
        "ethos": ("warning", ""),
        "carcara": ("absent", ""),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_low_limits_of_the_system_are_warnings() -> None:
    """[DOCTOR-LIMITS]: and the self-test still passes within them."""
    code = (
        "import resource as r; r.setrlimit(r.RLIMIT_NOFILE, (48, 48)); "
        "r.setrlimit(r.RLIMIT_AS, (3_000_000_000, 3_000_000_000))"
    )
    exit_code, value = doctor(code)
    low = {each.name for each in group(value["findings"], "limits") if each.state == "warning"}
    assert low >= {"file handles", "address space"}
    assert exit_code == 0
