"""Traces that are well formed and establish nothing, and those that establish what they conclude."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import potlang.dot
from potlang.languages.dot.report import TraceReport

TEXTS = Path(__file__).with_name("judged")
NOT_ESTABLISHED: dict[str, set[tuple[str, int | None]]] = {
    "bullets": {("unread record", None), ("nothing concluded", None)},
    "faithful_via_unused": {
        ("undetermined", 2),
        ("untyped critique", 2),
        ("undetermined", 4),
        ("untyped critique", 4),
        ("undetermined", 6),
    },
    "indstat": {("unread record", None), ("nothing concluded", None)},
    "invalidated_truth": {("nothing concluded", None)},
    "opaque": {("opaque", 2)},
    "refuted_arrow": {("refuted arrow", 2)},
    "selfsum": {("undetermined", 2), ("self-validated", 2), ("undetermined", 3)},
    "tagged": {("nothing concluded", 4)},
    "undet": {("undetermined", 2), ("untyped critique", 2), ("undetermined", 4)},
}
THEORY = '@node id=1 role=problem\n@prop id=1 {"declare":{"x":"Int"},"assume":[{"gt":["x",0]}]}\n'


def judged(text: str, **options: Any) -> TraceReport:
    return potlang.dot.verify(text, trust="solver", **options)


def reasons(report: TraceReport) -> set[tuple[str, int | None]]:
    return {(each.reason, each.node) for each in report.established.reasons}


def criticized(claim: str, critique: str, summary: str) -> str:
    """A trace with one proposition, a critic who states something, and a summary."""
    return (
        f"{THEORY}@node id=2 role=proposer\n@prop id=2 {claim}\n"
        "@node id=3 role=critic\n@edge src=2 dst=3 kind=critique\n@status target=2 mark=validated\n"
        f"{critique}"
        f"@node id=4 role=summarizer\n@edge src=2 dst=4 kind=use\n@prop id=4 {summary}\n"
    )


@pytest.mark.parametrize("name", NOT_ESTABLISHED)
def test_what_establishes_nothing_says_why(name: str) -> None:
    """[DOT-ESTABLISHED-TRACE], [DOT-ESTABLISHED-RESTS], [DOT-ESTABLISHED-SUMMARY]"""
    report = judged((TEXTS / f"{name}.dot.txt").read_text(encoding="utf-8"))
    assert (report.verdict, report.ok, report.established.holds) == ("accepted", False, False)
    assert reasons(report) == NOT_ESTABLISHED[name]


def test_what_the_theory_entails_is_established() -> None:
    """[DOT-ESTABLISHED-GROUND]"""
    report = judged((TEXTS / "blankblocks.dot.txt").read_text(encoding="utf-8"))
    assert (report.ok, report.established.reasons) == (True, ())
    assert report.established.grounds == ((4, "entailed"), (6, "entailed"))


@pytest.mark.parametrize(
    ("critique", "ground"),
    [
        ('@prop id=3 {"gt":["x",9]}\n', "criticized"),
        ('@prop id=3 {"gt":["x",1]}\n', None),
        ('@prop id=3 {"lt":["x",0]}\n', None),
        ("It is right.\n", None),
    ],
)
def test_a_critic_establishes_what_follows_from_its_own_words(critique: str, ground: str | None) -> None:
    """[DOT-ESTABLISHED-GROUND]: what the theory refutes entails everything, and establishes nothing."""
    report = judged(criticized('{"gt":["x",5]}', critique, '{"gt":["x",3]}'))
    assert report.established.grounds == ((2, ground),)
    assert report.ok is (ground is not None)


def test_a_validation_without_a_critique_edge_is_none() -> None:
    """[DOT-ESTABLISHED-GROUND]"""
    text = criticized('{"gt":["x",5]}', '@prop id=3 {"gt":["x",9]}\n', '{"gt":["x",3]}')
    report = judged(text.replace("@edge src=2 dst=3 kind=critique\n", ""))
    assert reasons(report) == {("undetermined", 2), ("uncriticized", 2), ("undetermined", 4)}


def test_more_can_be_required() -> None:
    """[DOT-ESTABLISHED-REQUIRE]"""
    text = criticized('{"gt":["x",5]}', '@prop id=3 {"gt":["x",9]}\n', '{"gt":["x",3]}')
    assert judged(text, require=["criticized", "typed"]).ok
    assert reasons(judged(text, require=["entailed"])) == {("not entailed", 2), ("not entailed", 4)}
    own = f'{THEORY}@node id=2 role=proposer\n@status target=2 mark=validated\n@prop id=2 {{"ge":["x",1]}}\n'
    assert judged(own).ok
    assert reasons(judged(own, require=["criticized"])) == {("not criticized", 2)}
    assert reasons(judged(f"{own}@node id=3 role=proposer\n", require=["typed"])) == {("not typed", 3)}


@pytest.mark.parametrize("witness", ["", '@prop id=4 {"implies":["p","q"]}\n'])
def test_an_assumed_arrow_is_established_by_its_critic(witness: str) -> None:
    """[DOT-ESTABLISHED-GROUND], [DOT-ESTABLISHED-SUMMARY]"""
    text = (
        '@node id=1 role=problem\n@prop id=1 {"declare":{"p":"Bool","q":"Bool"},"assume":["p"]}\n'
        '@node id=2 role=proposer\n@prop id=2 "p"\n@node id=3 role=proposer\n@prop id=3 "q"\n'
        "@node id=4 role=critic\n@edge src=2 dst=4 kind=critique\n@status target=2 mark=validated\n"
        f"@entails src=2 dst=3 witness=4\n{witness}"
        '@node id=5 role=summarizer\n@edge src=2 dst=5 kind=use\n@prop id=5 "q"\n'
    )
    report = judged(text)
    assert report.summary.faithful is True
    assert reasons(report) == (set() if witness else {("undetermined arrow", 2), ("undetermined", 5)})


def test_a_trace_that_is_not_accepted_is_not_established() -> None:
    """[DOT-ESTABLISHED-TRACE]"""
    report = judged(criticized('{"lt":["x",0]}', "", '{"gt":["x",0]}'))
    assert (report.verdict, report.established.holds) == ("refuted", False)
    assert ("not accepted", None) in reasons(report)


def test_text_says_that_it_is_not_established() -> None:
    """[DOT-ESTABLISHED-TEXT]"""
    report = judged((TEXTS / "selfsum.dot.txt").read_text(encoding="utf-8"))
    lines = report.render().splitlines()
    assert "well formed, not established" in lines[-1]
    assert "  the proposer's own block validates node 2" in lines
    assert "is not established" in report.words()


@pytest.mark.parametrize(
    "line",
    [
        " @node id=2 role=critic",
        "- @prop id=1 1",
        "> @edge src=1 dst=2",
        "2. @status target=1",
        "• @eq src=1",
        "| `@node id=2",
    ],
)
def test_text_that_looks_like_a_record_is_reported(line: str) -> None:
    """[DOT-LOOKS]"""
    checked = potlang.dot.check(f"@node id=1 role=problem\n{line}\n")
    assert [each.code for each in checked.diagnostics] == ["POT5066"]
    assert checked.ok


@pytest.mark.parametrize(
    "line", ["see @node", "-node id=2", "a @node id=2 role=critic", "@@len=10@@ @node id=", "- @nodes id=1"]
)
def test_other_text_is_not(line: str) -> None:
    """[DOT-LOOKS]"""
    assert potlang.dot.check(f"@node id=1 role=problem\n{line}\n").diagnostics == ()
