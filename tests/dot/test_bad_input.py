"""Each kind of bad input: the place, the rule and the help, and the rest of the trace is verified."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import potlang.dot
from potlang.languages.dot.results import TraceVerdict
from potlang.report.results import Consistency, Verdict

BEFORE = b"""@node id=1 role=problem
@prop id=1 {"declare": {"x": "Int", "p": "Bool"}, "assume": [{"gt": ["x", 3]}]}
@node id=2 role=proposer
@prop id=2 {"gt": ["x", 2]}
@node id=3 role=critic
@edge src=2 dst=3 kind=critique
@status target=2 mark=validated
"""
AFTER = b"""@node id=8 role=proposer
@prop id=8 {"lt": ["x", 0]}
@node id=9 role=summarizer
@edge src=2 dst=9 kind=use
@prop id=9 {"gt": ["x", 1]}
Done.
"""


class Bad(NamedTuple):
    """Lines that stand from line 8 on, and what is reported of them, where, with which rule and help."""

    lines: bytes
    code: str
    rule: str
    line: int
    column: int
    help: str
    note: str = ""


PROPOSER, CRITIC = b"@node id=4 role=proposer\n", b"@node id=4 role=critic\n"
BAD = {
    "a forward reference": Bad(
        PROPOSER + b"@edge src=8 dst=4 kind=use\n",
        *("POT5021", "unknown-node", 9, 11, "a record refers to nodes whose `@node` stands above it"),
        "rule DOT-REF-1: a record refers to earlier nodes alone",
    ),
    "a reused id": Bad(
        b"@node id=2 role=critic\n",
        *("POT5020", "id-not-increasing", 8, 10, "give the node the next free id"),
        "rule DOT-NODE-1: ids strictly increase",
    ),
    "a second status": Bad(
        CRITIC + b"@status target=2 mark=invalidated\n",
        *("POT5031", "second-status", 9, 1, "refine the proposition under a new id"),
        "rule DOT-STAT-2: the first status of a node stands",
    ),
    "an edge from a critic by use": Bad(
        PROPOSER + b"@edge src=3 dst=4 kind=use\n",
        *("POT5024", "edge-kind", 9, 24, "from a critic to a proposer write `kind=refine`"),
        "rule DOT-EDGE-3: the roles of both ends must admit the kind of the edge",
    ),
    "a fence longer than the file": Bad(
        CRITIC + b"@@len=9999@@and so on\n",
        *("POT5003", "fence-too-long", 9, 1, "write the number of bytes that follow `@@`"),
        "rule DOT-FENCE-1: a fence takes exactly N bytes",
    ),
    "invalid UTF-8 in a fence": Bad(
        CRITIC + b"@@len=4@@a\xffbc\n",
        *("POT5005", "not-utf-8", 9, 11, "save the text as UTF-8"),
        "rule DOT-LEX-1: a trace is UTF-8",
    ),
    "a proposition that is not JSON": Bad(
        PROPOSER + b'@prop id=4 {"gt": ["x", }\n',
        *("POT1001", "not-json", 9, 25, "write the whole JSON on the line of its `@prop`"),
        "rule DOT-PROP-2: after the id there is one JSON value, up to the end of the line",
    ),
    "a proposition of another shape": Bad(
        PROPOSER + b'@prop id=4 {"gt": ["x"]}\n',
        *("POT5041", "not-a-proposition", 9, 19, "`schemas/dot-prop-1.json` describes it"),
        "rule DOT-PROP-3: the JSON is a proposition, or what the problem declares",
    ),
    "an ill-sorted proposition": Bad(
        PROPOSER + b'@prop id=4 {"gt": ["x", "p"]}\n',
        *("POT3004", "not-ordered", 9, 25),
        "a formula is not a number; put parentheses where the comparison belongs",
    ),
    "an ill-sorted expression": Bad(
        PROPOSER + b'@prop id=4 {"pot": "x + 1 and p"}\n',
        *("POT3006", "not-a-formula", 9, 21, "compare it with a term of sort Int: `x + 1 == …`"),
    ),
    "a name that is not declared": Bad(
        PROPOSER + b'@prop id=4 {"gt": ["y", 2]}\n',
        *("POT2001", "undeclared-name", 9, 20),
        'declare it in the `@prop` of the problem: {"declare": {"y": "Int"}}',
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_reported_where_it_is_with_its_rule_and_help(name: str) -> None:
    bad = BAD[name]
    report = potlang.dot.verify(BEFORE + bad.lines + AFTER)
    assert report.verdict == TraceVerdict.REJECTED
    [found] = report.located
    assert (found["code"], found["rule"], found["line"], found["column"]) == bad[1:5]
    assert bad.help in found["helps"]
    assert found["notes"] == ([bad.note] if bad.note else [])


@pytest.mark.parametrize("name", BAD)
def test_the_rest_of_a_bad_trace_is_verified(name: str) -> None:
    report = potlang.dot.verify(BEFORE + BAD[name].lines + AFTER)
    nodes = {node.id: (node.role, node.status, node.verdict) for node in report.nodes}
    assert nodes[2] == ("proposer", "validated", Verdict.ENTAILED)
    assert nodes[8] == ("proposer", "active", Verdict.REFUTED)
    assert nodes[9] == ("summarizer", None, Verdict.ENTAILED)
    assert nodes.get(4, (None, None, None))[2] is None
    assert report.summary.nodes == (2,)
    assert report.summary.consistency == Consistency.CONSISTENT
    assert [(each.node, each.faithful) for each in report.summary.summarizers] == [(9, True)]
    assert {(edge.source, edge.target) for edge in report.edges} == {(2, 3), (2, 9)}


def test_each_thing_that_is_wrong_is_reported() -> None:
    """All of it in one trace: the last node of each kind of damage is a new one."""
    lines = [
        bad.lines.replace(b"id=4", b"id=%d" % (20 + at)).replace(b"dst=4", b"dst=%d" % (20 + at))
        for at, bad in enumerate(BAD.values())
    ]
    after = AFTER.replace(b"=8", b"=50").replace(b"=9", b"=51")
    report = potlang.dot.verify(BEFORE + b"".join(lines) + after)
    codes = sorted(each.code for each in report.diagnostics)
    assert codes == sorted(bad.code for bad in BAD.values())
    assert {node.id: node.verdict for node in report.nodes}[50] == Verdict.REFUTED


def test_a_theory_with_many_errors_is_built_no_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOT-BAD-1], [DOT-THEORY-4] More errors than are shown take no more rounds than a few do."""
    from potlang.languages.dot.lower import typing as propositions

    builds = 0
    real = propositions.build_session

    def counted(*arguments: Any) -> Any:
        nonlocal builds
        builds += 1
        return real(*arguments)

    monkeypatch.setattr(propositions, "build_session", counted)
    wrong = ", ".join(f'{{"gt": ["y{at}", 0]}}' for at in range(1_100))
    text = '@node id=1 role=problem\n@prop id=1 {"declare": {"x": "Int"}, "assume": [{"gt": ["x", 1]}, %s]}\n'
    said = potlang.dot.check(text % wrong).propositions
    assert builds == 2 and [each.name for each in said.module.assertions] == ["assumption 1"]
