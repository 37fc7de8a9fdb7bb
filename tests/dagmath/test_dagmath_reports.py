"""Reports on one solution: the verdict, the class, the JSON form, the text; whatever the input is like."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reports_support import (
    HEPTAGON,
    HOSTILE,
    LOGARITHMS,
    NATASCHA,
    ROOT,
    TEXTS,
    full,
    large,
    potc,
    schema_errors,
)
from statements import Property

from potlang import dagmath
from potlang.cli.common import exit_code as solution_exit_code
from potlang.dagmath import AnswerChecker, Judged, SolutionReport, SolutionVerdict, StepVerdict
from potlang.languages.dagmath.check.metrics import Class
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.render import render_solution
from potlang.languages.dagmath.solve.verify import MOST_STEPS
from potlang.languages.dagmath.write import write_json, write_text
from potlang.report.results import Limits
from potlang.report.text import LONGEST_TABLE
from potlang.testing.solutions import damaged_solutions, solutions

QUICK = Limits(check_ms=500, total_ms=2_000)


class ByText:
    """A judge without a library."""

    def judge(self, given: str | None, expected: str) -> Judged:
        return Judged(given == expected, "text")


class Undecided:
    """A judge that never can tell."""

    def judge(self, given: str | None, expected: str) -> Judged:
        return Judged(False, "text", "the reader of answers took too long: compared as text")


def solution(*nodes: str, parents: list[list[int] | None] | None = None, **metadata: Any) -> Solution:
    """Steps 1, 2, …, each of which rests on the one before, unless parents are given."""
    wanted = parents or [None, *([at] for at in range(1, len(nodes)))]
    steps = tuple(
        Step(at, "", None if each is None else tuple(each), node)
        for at, (node, each) in enumerate(zip(nodes, wanted, strict=True), 1)
    )
    return Solution(steps, **metadata)


BOX = r"The final answer is $\boxed{2}$."
PROVED = ("$x = 1$.", "$x + 1 = 2$.")
REFUTED = ("$x = 1$.", "$x + 1 = 3$.")
OPEN: list[list[int] | None] = [None, None]


# --- the verdict ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "verdict", "kind", "code"),
    [
        (solution(*PROVED), "accepted", None, 0),
        (solution(BOX, answer="2"), "accepted", Class.PERFECT, 0),
        (solution(BOX, answer=r"\frac{4}{2}"), "accepted", Class.PERFECT, 0),
        (solution(BOX, answer="3"), "wrong", Class.WRONG, 1),
        (solution("$x = 1$.", answer="2"), "wrong", Class.WRONG, 1),
        (solution(BOX, answer="3", correct=True), "accepted", Class.PERFECT, 0),
        (solution(BOX, correct=False), "wrong", Class.WRONG, 1),
        (solution("$x = 1$.", BOX, parents=OPEN), "open", None, 1),
        (solution("$x = 1$.", BOX, parents=OPEN, answer="2"), "open", Class.IMPERFECT, 1),
        (solution("$x = 1$.", BOX, parents=OPEN, answer="3"), "wrong", Class.WRONG, 1),
        (solution(*REFUTED), "refuted", None, 1),
        (solution(*REFUTED, BOX, answer="3"), "refuted", Class.WRONG, 1),
        (solution("$x = 1$.", "$x = 2$.", BOX, parents=[None, None, [1, 2]]), "inconsistent", None, 1),
        (solution(*PROVED, r"\boxed{\frac{1}{}", answer="3"), "rejected", Class.MALFORMED, 2),
        (solution(*PROVED, r"\boxed{!!!}", answer="3"), "rejected", Class.MALFORMED, 2),
        (solution(*PROVED, r"\boxed{!!!}", answer="!!!"), "accepted", Class.PERFECT, 0),
        (solution(*PROVED, BOX, answer="!!!"), "unknown", None, 3),
        (solution(*REFUTED, r"\boxed{!!!}", answer="3"), "rejected", Class.MALFORMED, 2),
    ],
)
def test_verdicts(found: Solution, verdict: str, kind: Class | None, code: int) -> None:
    """[DAGR-VERDICT], [DAGR-CLASS], [DAGR-ANSWER], [DAGR-EXIT]"""
    report = dagmath.verify(found, limits=QUICK)
    assert (str(report.verdict), report.sample_class) == (verdict, kind)
    assert solution_exit_code(report) == code
    assert schema_errors(json.loads(report.to_json())) == []
    assert str(report).splitlines()[-1].partition(" (")[0].endswith(verdict)


def test_an_answer_that_is_asked_for_comes_first() -> None:
    """[DAGR-ANSWER]"""
    found = solution(BOX, answer="3", correct=False)
    report = dagmath.verify(found, answer="2")
    assert report.answer is not None
    assert (report.answer.expected, report.answer.correct, report.verdict) == (
        *("2", True),
        SolutionVerdict.ACCEPTED,
    )
    said = dagmath.verify(found).answer
    assert said is not None
    assert (said.given, said.expected, said.correct, said.by) == ("2", "3", False, "input")
    assert dagmath.verify(solution(BOX)).answer is None


def test_an_answer_that_cannot_be_compared_is_unknown() -> None:
    """[DAGR-ANSWER]: and so is the verdict, unless something worse is known."""
    for parents, verdict in ((None, SolutionVerdict.UNKNOWN), (OPEN, SolutionVerdict.OPEN)):
        found = solution("$x = 2$.", BOX, answer="3", parents=parents)
        report = dagmath.verify(found, judge=Undecided())
        assert report.answer is not None
        assert (report.verdict, report.answer.correct, report.sample_class) == (verdict, None, None)
        assert "took too long" in str(report)


def test_an_unreadable_answer_is_reported_where_it_stands() -> None:
    """[DAGR-VERDICT]: POT7011, in text and in JSON."""
    text = json.dumps({"answer": "3", "steps": [{"step_id": 1, "edge": "", "node": r"So \boxed{!!!}."}]})
    text = text.replace('"node"', '"direct_dependent_steps": null,\n"node"')
    report = dagmath.verify(text)
    (found,) = (each for each in report.located if each["code"] == "POT7011")
    start = text.splitlines()[1].index(r"\\boxed") + 1
    assert (found["line"], found["column"]) == (2, start)
    assert found["message"] == "no parser reads the answer `!!!`"
    done = potc("-", given=text)
    assert (done.returncode, b"error[POT7011]" in done.stderr) == (2, True)


def test_what_takes_too_long_is_unknown() -> None:
    """[DAGR-LIMITS], [DAGR-VERDICT]: nothing is left to be asked for, so all derived steps are late."""
    nodes = ["$x > 3$.", *(f"$x^3 - {at} x^2 + x > {at}$." for at in range(3, 9))]
    found = solution(*nodes, parents=[None, *([1] for _ in nodes[2:]), list(range(1, len(nodes)))])
    report = dagmath.verify(found, limits=Limits(check_ms=1, total_ms=1))
    assert {step.result.verdict for step in report.steps[1:] if step.result} == {StepVerdict.UNKNOWN}
    assert all(step.result is not None and step.result.limited for step in report.steps[1:])
    assert (report.verdict, solution_exit_code(report)) == (SolutionVerdict.UNKNOWN, 3)


def test_steps_that_solvers_know_too_little_of_are_no_limit() -> None:
    """[DAGR-HONEST]: step 7 of the logarithmic problem is unknown, and the solution is accepted."""
    report = dagmath.verify(LOGARITHMS)
    (unknown,) = (step.result for step in report.steps if step.result and step.result.verdict == "unknown")
    assert not unknown.limited
    assert report.verdict is SolutionVerdict.ACCEPTED


@pytest.mark.parametrize(
    ("found", "last"),
    [
        (LOGARITHMS, "1 of 6 derived steps proved, none refuted; the answer is right: accepted"),
        (solution(BOX), "no step is derived: accepted"),
        (solution(*PROVED, r"\boxed{9}", answer="8"), "the answer is wrong: wrong"),
        (solution(*REFUTED), "1 refuted: refuted"),
        ({"steps": [{"step_id": 1}]}, "rejected"),
    ],
)
def test_the_last_line_says_first_how_much_is_proved(found: Any, last: str) -> None:
    """[DAGR-TEXT]: no word of praise in it; that a sample is `perfect` stands beside what this means."""
    report = dagmath.verify(found)
    *lines, said = str(report).splitlines()
    assert said.split(" (")[0].endswith(last)
    assert "perfect" not in said and "perfect" not in "".join(report._words())
    classes = [line for line in lines if "perfect" in line]
    assert all(line.startswith("class perfect: the right answer") and "proved" in line for line in classes)
    assert bool(classes) == (report.sample_class is Class.PERFECT)


def test_steps_are_checked_up_to_a_number() -> None:
    """[DAGR-LIMITS]"""
    report = dagmath.verify(solution(*(f"${at} = {at}$." for at in range(MOST_STEPS + 1))))
    assert (report.has_checked_steps, report.checkable_share) == (False, None)
    assert report.notes == (f"the steps are not checked: there are more than {MOST_STEPS:,}",)
    assert schema_errors(report.to_dict()) == []
    alone = dagmath.verify(NATASCHA, steps=False)
    assert (alone.has_checked_steps, alone.notes, alone.to_dict()["counts"]) == (False, (), None)


# --- any solution --------------------------------------------------------------------------------


def _class_is_that_of_scoring(found: Solution) -> None:
    """[DAGR-CLASS]"""
    report = dagmath.verify(found, steps=False, judge=ByText())
    score = dagmath.score(found, judge=ByText()).groups()[0]
    if report.sample_class is None:
        assert found.answer is None and found.correct is None
        return
    assert score.samples == 1
    assert (score.malformed == 1) == (report.sample_class is Class.MALFORMED)
    assert (score.correct == 1) == (report.sample_class in (Class.PERFECT, Class.IMPERFECT))
    assert (score.perfect == 1) == (report.sample_class is Class.PERFECT)


def _graph_is_that_of_networkx(found: Solution) -> None:
    """[DAGR-JSON]: closeness, unclosed and surplus steps, sizes."""
    report = dagmath.verify(found, steps=False, judge=ByText())
    assert report.graph is not None
    drawn = nx.DiGraph()
    drawn.add_nodes_from(step.id for step in found.steps)
    drawn.add_edges_from((parent, step.id) for step in found.steps for parent in step.parents or ())
    last = found.steps[-1].id
    sinks = {node for node in drawn if not drawn.out_degree(node)} - {last}
    assert {each.id for each in report.unclosed} == sinks
    assert report.graph.closed == (not sinks)
    assert set(report.graph.surplus) == set(drawn) - nx.ancestors(drawn, last) - {last}
    assert (report.graph.nodes, report.graph.edges) == (len(drawn), drawn.number_of_edges())
    assert report.graph.density == pytest.approx(nx.density(drawn) * 2)
    assert (report.verdict is SolutionVerdict.OPEN) <= bool(sinks)


def _verdict_is_the_first_that_fits(found: Solution) -> None:
    """[DAGR-VERDICT]: by its definition, read off the JSON form."""
    report = dagmath.verify(found, limits=QUICK, trust="solver", judge=ByText()).to_dict()
    answer, counts = report["answer"], report["counts"]
    limited = any(step["result"]["limited"] for step in report["steps"])
    fits = {
        "refuted": counts["refuted"] > 0,
        "inconsistent": report["contradiction"] != [],
        "wrong": answer is not None and answer["correct"] is False,
        "open": not report["graph"]["closed"],
        "unknown": limited,
        "accepted": True,
    }
    assert report["verdict"] == next(name for name, fit in fits.items() if fit)
    assert sum(counts.values()) == len(report["steps"])
    derived = len(report["steps"]) - counts["given"]
    settled = counts["proved"] + counts["refuted"] + counts["not entailed"]
    assert report["checkable_share"] == pytest.approx(settled / derived if derived else 1, abs=1e-6)


def _forms_say_the_same(found: Solution) -> None:
    """[DAGR-JSON]: JSON, text and value of one solution have one report, but for lines."""
    reports = [
        dagmath.verify(source, steps=False, judge=ByText()).to_dict()
        for source in (found, write_json(found), write_text(found).encode())
    ]
    for report in reports:
        report["time_ms"] = 0
        for step in report["steps"]:
            del step["line"]
            step["node"] = " ".join(step["node"].split())
        report["diagnostics"] = sorted(each["code"] for each in report["diagnostics"])
        if report["answer"] is not None and report["answer"]["given"] is not None:
            report["answer"]["given"] = " ".join(report["answer"]["given"].split())
    assert reports[0] == reports[1]
    kept = {"verdict", "class", "graph", "unclosed", "answer"}
    assert {key: reports[1][key] for key in kept} == {key: reports[2][key] for key in kept}


ANY = solutions(formatted=False)
test_class_is_that_of_scoring, test_class_is_that_of_scoring_deeply = Property(
    _class_is_that_of_scoring, ANY
).tests()
test_graph_is_that_of_networkx, test_graph_is_that_of_networkx_deeply = Property(
    _graph_is_that_of_networkx, ANY
).tests()
test_verdict_is_the_first_that_fits, test_verdict_is_the_first_that_fits_deeply = Property(
    _verdict_is_the_first_that_fits, ANY, quick=10
).tests()
test_forms_say_the_same, test_forms_say_the_same_deeply = Property(_forms_say_the_same, ANY).tests()


def _shown(data: bytes) -> None:
    """[DAGR-JSON], [DAGR-TEXT]: any bytes have a report that fits the schema, and a plain text."""
    report = dagmath.verify(data, limits=QUICK, trust="solver", judge=ByText())
    value = json.loads(report.to_json())
    assert schema_errors(value) == []
    assert (value["verdict"] == "rejected") == any(
        each["severity"] == "error" for each in value["diagnostics"]
    )
    text = str(report)
    assert text.splitlines()[-1].partition(" (")[0].split()[-1] == value["verdict"]
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    HTMLParser().feed(report._repr_html_())


DATA = st.one_of(
    damaged_solutions().map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary(max_size=60)
)
test_any_bytes_have_a_report, test_any_bytes_have_a_report_deeply = Property(_shown, DATA, quick=25).tests()


# --- text ----------------------------------------------------------------------------------------


def test_text_says_what_the_report_holds() -> None:
    """[DAGR-TEXT]"""
    lines = render_solution(full()).splitlines()
    for words in (
        "step  parents        verdict        trust   says",
        "1                    proved         solver  text",
        "2     1              refuted        solver  text",
        "    ! text",
        "    ! it follows if step 1 is added to its parents: a missing premise",
        "    - taken for granted: text",
        "no later step uses",
        "  5: likely the end of a strategy that was given up, with 3",
        "these given steps contradict each other: 1, 5",
        "answer text: wrong (expected text; text)",
        "6 steps, 11 edges, 1 not closed; of 5 derived steps 1 proved, 1 refuted, 1 not entailed, "
        "1 not checkable, 1 unknown",
        "note: text",
        "class imperfect: the right answer, and steps that no later one uses",
        "1 of 5 derived steps proved, 1 refuted; the answer is wrong: refuted",
    ):
        assert any(line.startswith(words) for line in lines), words
    assert str(full()) == render_solution(full())


@settings(max_examples=60)
@given(TEXTS)
def test_text_is_plain_unless_colour_is_asked_for(text: str) -> None:
    """[DAGR-TEXT]: no control character of the solution reaches the terminal."""
    plain = render_solution(full(text))
    assert not [char for char in plain if not char.isprintable() and char != "\n"]
    colored = render_solution(full(text), color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


def test_colours() -> None:
    text = render_solution(full(), color=True)
    assert "\x1b[1;32mproved\x1b[0m" in text
    assert "\x1b[1;31mrefuted\x1b[0m" in text
    assert "\x1b[1;33mnot entailed\x1b[0m" in text


def test_of_many_steps_the_first_and_the_wrong_ones_are_shown() -> None:
    """[DAGR-TEXT]"""
    lines = render_solution(large(1_000)).splitlines()
    rows = [int(line.split()[0]) for line in lines if re.match(r"\d+ +[\d, ]+ +\S", line)]
    assert rows == [*range(LONGEST_TABLE), 960]
    assert "960   480, 959  refuted" in "\n".join(lines)
    assert "… 799 more steps" in lines


@settings(max_examples=60)
@given(TEXTS)
def test_html_has_no_more_than_text(text: str) -> None:
    """[DAGR-TEXT]: nothing of a solution becomes an element."""
    found: set[str] = set()

    class Tags(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            found.add(tag)

    html = full(text)._repr_html_()
    Tags().feed(html)
    assert found <= {*("div", "p", "b", "strong", "span", "table", "thead", "th", "tbody", "tr", "td", "pre")}
    html.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_json_of_any_text(text: str) -> None:
    """[DAGR-JSON]: it can be written, and fits the schema."""
    value = json.loads(full(text).to_json().encode("utf-8"))
    assert schema_errors(value) == []


# --- the command line ----------------------------------------------------------------------------


def test_standard_input_and_a_broken_solution() -> None:
    """[DAGR-EXIT], [DAGR-TEXT]: only the verdict is printed of what is no graph."""
    broken = NATASCHA.read_text(encoding="utf-8").replace('"step_id": 3', '"step_id": 2')
    done = potc("-", given=broken)
    assert (done.returncode, done.stdout.decode().split(" (")[0].strip()) == (2, "rejected")
    assert b"error[POT7002]" in done.stderr
    report = json.loads(potc("-", "--format", "json", given=broken).stdout)
    assert schema_errors(report) == []
    assert (report["graph"], len(report["steps"])) == (None, 13)


def test_a_rejected_file_among_others(tmp_path: Path) -> None:
    """[DAGR-EXIT]: 2 before 1 before 0."""
    path = tmp_path / "bad.json"
    path.write_text('{"steps": [{"step_id": 1}]}', encoding="utf-8")
    text = potc(NATASCHA, path, HEPTAGON, "--no-steps")
    assert text.returncode == 2
    assert [line for line in text.stdout.decode().splitlines() if line.endswith(":")] == [
        f"{name}:" for name in (NATASCHA, path, HEPTAGON)
    ]


def test_limits_on_the_command_line() -> None:
    """[DAGR-LIMITS], [DAGR-EXIT]"""
    done = potc(NATASCHA, "--timeout", "0.001", "--total-timeout", "0.001")
    assert done.returncode == 3
    assert "the time for the solution was used up" in done.stdout.decode()


def test_options_without_effect_are_named() -> None:
    """[DAGR-OPTIONS]"""
    done = potc(NATASCHA, "--no-steps", "--route", "z3", "--profile", "strict", "--models", "full")
    note = f"note: {NATASCHA} is a solution: --route, --models, --profile have no effect on it"
    assert (done.returncode, done.stderr.decode().strip()) == (0, note)
    done = potc("examples/ladder.json", "examples/refinement.dot.txt", "--answer", "3", "--no-steps")
    notes = [line for line in done.stderr.decode().splitlines() if line.startswith("note:")]
    assert notes == [
        f"note: examples/{name}: --answer, --no-steps have no effect on it"
        for name in ("ladder.json is a program", "refinement.dot.txt is a trace")
    ]


def test_sarif_and_check() -> None:
    """[DAGR-EXIT]: checking compares no answer and asks no solver."""
    run = json.loads(potc(HEPTAGON, "--no-steps", "--format", "sarif").stdout)["runs"][0]
    assert [each["ruleId"] for each in run["results"]] == ["POT7020"] * 8
    assert potc("check", HEPTAGON).returncode == 0


# --- without the extra ---------------------------------------------------------------------------

_HIDDEN = """
import sys
class Hidden:
    def __init__(self, finder): self.finder = finder
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","): return None
        return self.finder.find_spec(name, path, target)
sys.meta_path[:] = map(Hidden, sys.meta_path)
"""
_LIBRARIES = (
    "sympy,math_verify,latex2sympy2_extended,msgspec,scipy,numpy,matplotlib,networkx,statsmodels,openai"
)


def without_libraries(code: str) -> str:
    """What a program prints for which the libraries of the extra are not there."""
    done = subprocess.run(
        [sys.executable, "-c", _HIDDEN + code, _LIBRARIES], cwd=ROOT, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode("utf-8")


def test_without_the_extra_solutions_are_verified() -> None:
    """[DAGR-EXTRA]: and what is then not done is said."""
    code = """
from pathlib import Path
from potlang import dagmath
for answer in (None, "24:2"):
    report = dagmath.verify(Path("examples/natascha.dagmath.json"), answer=answer)
    print(report.verdict, report.count(dagmath.StepVerdict.PROVED), *report.notes)
    print(report.answer.note)
"""
    missing = "(`potc doctor` says how)"
    assert without_libraries(code).splitlines() == [
        f"accepted 8 sympy is not installed {missing}: identities are not looked for",
        "",
        f"unknown 8 sympy is not installed {missing}: identities are not looked for",
        f"math-verify is not installed {missing}: compared as text",
    ]


def test_without_the_extra_all_names_are_there_and_errors_are_clear() -> None:
    """[DAGR-EXTRA]: importing needs no library; what needs one names the extra."""
    code = """
from pathlib import Path
from potlang import dagmath
from potlang.score.plots import new_figure
print(all(hasattr(dagmath, name) for name in dagmath.__all__))
scores = dagmath.score(dagmath.read(Path("examples/natascha.dagmath.json")))
print(scores.groups()[0].perfect)
for need in (lambda: dagmath.paired_equivalence([1, 2, 3], [1, 2, 4], 0.1), lambda: new_figure(1, 1)):
    try:
        need()
    except dagmath.MissingExtraError as error:
        print(error)
"""
    *others, scipy, matplotlib = without_libraries(code).splitlines()
    assert others == ["True", "1"]
    assert scipy.startswith("scipy is needed: pip install ")
    assert matplotlib.startswith("matplotlib is needed: pip install ")


def test_the_interface_is_sorted_and_lazy() -> None:
    assert sorted(dagmath.__all__) == dagmath.__all__ == dir(dagmath)
    assert {"verify", "check", "read", "score", "reward", "prune_hint", "check_steps", "AnswerChecker"} < set(
        dagmath.__all__
    )
    code = "import sys, potlang.dagmath; print([n for n in sys.modules if n.startswith('potlang.dagmath.')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=60)
    assert done.stdout.decode().strip() == "[]"


def test_a_malformed_solution_is_not_read() -> None:
    with pytest.raises(dagmath.MalformedSolution, match="POT7003"):
        dagmath.read({"steps": [{"step_id": 1, "direct_dependent_steps": [7], "edge": "", "node": "x"}]})
    with pytest.raises(TypeError):
        dagmath.verify(object())  # type: ignore[arg-type]


def test_each_rule_of_the_chapter_is_cited_by_a_test_and_each_citation_exists() -> None:
    rule = re.compile(r"\[(DAGR-[A-Z]+)\]")
    chapter = (ROOT / "spec" / "34-dagmath-reports.md").read_text("utf-8")
    rules = re.findall(r"^\*\*\[(DAGR-[A-Z]+)\]\*\*", chapter, re.MULTILINE)
    cited = {
        found for path in (ROOT / "tests").rglob("*.py") for found in rule.findall(path.read_text("utf-8"))
    }
    assert cited == set(rules)
    assert len(rules) == len(set(rules))


def test_one_judge_for_many() -> None:
    """A judge that is given is used, and left open."""
    with AnswerChecker() as judge:
        for answer, right in product(("2", r"\frac{4}{2}", "3"), (True, False)):
            given_ = BOX if right else BOX.replace("2", "7")
            report: SolutionReport = dagmath.verify(solution(given_, answer=answer), judge=judge, steps=False)
            assert report.ok == (right and answer != "3")
        assert judge.judge("0.5", r"\frac12").correct
