"""The paper's own solutions from end to end: by `potc` as a process, and by the Python interface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from reports_support import HEPTAGON, LOGARITHMS, NATASCHA, potc, schema_errors

from potlang import dagmath
from potlang.dagmath import SolutionVerdict, StepVerdict
from potlang.languages.dagmath.check.metrics import Class


def changed(step: int, **parts: Any) -> str:
    """Natascha's solution with other parts of a step, as JSON."""
    value = json.loads(NATASCHA.read_text(encoding="utf-8"))
    value["steps"][step - 1].update(parts)
    return json.dumps(value)


def asked(source: Path | str, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit code of `potc` and its report, which the Python interface gives too."""
    given = source if isinstance(source, str) else ""
    path = source if isinstance(source, Path) else "-"
    done = potc("--format", "json", *options, path, given=given, is_hurried=False)
    report: dict[str, Any] = json.loads(done.stdout)
    assert schema_errors(report) == []
    direct = dagmath.verify(source).to_dict()
    for key in ("verdict", "class", "graph", "answer", "unclosed", "contradiction", "counts"):
        assert report[key] == direct[key]
    return done.returncode, report


def verdicts(report: dict[str, Any]) -> dict[int, str]:
    return {step["id"]: step["result"]["verdict"] for step in report["steps"]}


def test_natascha_is_accepted_and_perfect() -> None:
    """[DAGR-VERDICT], [DAGR-CLASS]: appendix E.1, whose steps 5 and 7 to 13 are proved."""
    code, report = asked(NATASCHA)
    assert (code, report["verdict"], report["class"]) == (0, "accepted", "perfect")
    derived = {5, *range(7, 14)}
    assert verdicts(report) == {step: "proved" if step in derived else "given" for step in range(1, 14)}
    assert report["checkable_share"] == 1
    assert report["answer"]["given"] == "12:1"


def test_a_wrong_product_is_refuted() -> None:
    """[DAGR-VERDICT]: 11r in the place of 12r. The answer is right all the same, and so is the class."""
    code, report = asked(changed(10, node="Cycling distance is $d = 11r$."))
    assert (code, report["verdict"], report["class"]) == (1, "refuted", "perfect")
    assert verdicts(report)[10] == "refuted"
    assert [step for step, verdict in verdicts(report).items() if step < 10 and verdict == "refuted"] == []


@pytest.mark.slow
def test_a_wrong_product_is_refuted_wherever_it_is_carried_on() -> None:
    """[DAGR-VERDICT]: 11r in all steps; the step in which it appears is refuted."""
    code, report = asked(NATASCHA.read_text(encoding="utf-8").replace("12r", "11r"))
    assert (code, report["verdict"]) == (1, "refuted")
    assert verdicts(report)[10] == "refuted"


def test_a_dropped_premise_is_named() -> None:
    """[DAGR-TEXT]: step 9 without step 2, which is then unclosed and the missing premise."""
    source = changed(9, direct_dependent_steps=[5, 6])
    code, report = asked(source)
    assert (code, report["verdict"], report["class"]) == (1, "open", "imperfect")
    result = report["steps"][8]["result"]
    assert (result["verdict"], result["missing"]) == ("not entailed", 2)
    assert [each["id"] for each in report["unclosed"]] == [2]
    text = potc("-", given=source).stdout.decode()
    assert "    ! it follows if step 2 is added to its parents: a missing premise" in text.splitlines()


def test_another_answer_is_expected() -> None:
    """[DAGR-ANSWER], [DAGR-EXIT]"""
    done = potc(NATASCHA, "--answer", r"\boxed{4:3}", "--format", "json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"], report["class"]) == (1, "wrong", "wrong")
    done = potc(NATASCHA, "--answer", "24:2", "--no-steps")
    last = done.stdout.decode().splitlines()[-1].split(" (")[0]
    assert (done.returncode, last) == (0, "steps not checked; the answer is right: accepted")


def test_the_logarithmic_problem() -> None:
    """[DAGR-VERDICT]: the solution of appendix C in the text form: closed, right, and no step refuted."""
    code, report = asked(LOGARITHMS)
    assert (code, report["verdict"], report["class"]) == (0, "accepted", "perfect")
    assert report["graph"]["nodes"] == 9
    assert report["counts"]["refuted"] == 0
    assert verdicts(report)[6] == "proved"
    assert [step["parents"] for step in report["steps"][5:]] == [[1, 4, 5], [6], [4, 5, 7], [2, 3, 5, 8]]


@pytest.mark.slow
def test_the_heptagon() -> None:
    """[DAGR-VERDICT]: appendix B.1: the right answer with eight unclosed steps, each with its reason."""
    code, report = asked(HEPTAGON)
    assert (code, report["verdict"], report["class"]) == (1, "open", "imperfect")
    assert (report["graph"]["nodes"], report["graph"]["closed"], report["graph"]["closed_share"]) == (
        33,
        False,
        0.75,
    )
    assert {each["id"]: each["reason"] for each in report["unclosed"]} == {
        1: "implicit",
        6: "commentary",
        8: "implicit",
        13: "commentary",
        16: "commentary",
        18: "commentary",
        26: "abandoned",
        30: "abandoned",
    }
    assert {26, 30} < set(report["graph"]["surplus"])
    assert report["counts"]["refuted"] == 0
    assert [each["code"] for each in report["diagnostics"]] == ["POT7020"] * 8


def test_the_paper_in_one_run() -> None:
    """[DAGR-EXIT]: solutions, a trace and a program together; the worst code, and a report for each."""
    names = [NATASCHA, HEPTAGON, "examples/refinement.dot.txt", "examples/giraffe.json"]
    done = potc("--format", "json", *names)
    reports = json.loads(done.stdout)
    assert done.returncode == 1
    assert [(each["kind"], each["verdict"]) for each in reports] == [
        ("dagmath", "accepted"),
        ("dagmath", "open"),
        ("dot", "accepted"),
        ("pot", "refuted"),
    ]


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("path", [NATASCHA, LOGARITHMS, HEPTAGON], ids=lambda path: path.stem)
def test_the_python_interface(path: Path) -> None:
    report = dagmath.verify(path)
    assert report.ok == (path != HEPTAGON)
    assert report.verdict is (SolutionVerdict.OPEN if path == HEPTAGON else SolutionVerdict.ACCEPTED)
    assert report.sample_class is (Class.IMPERFECT if path == HEPTAGON else Class.PERFECT)
    assert report.derived == len(report.steps) - report.count(StepVerdict.GIVEN)
    again = dagmath.verify(dagmath.read(path), steps=False)
    assert (again.graph, again.sample_class, again.verdict) == (
        report.graph,
        report.sample_class,
        report.verdict,
    )
