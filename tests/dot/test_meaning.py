"""What verifying a trace answers: the paper's example, its counterexamples, bad input, limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import potlang
import potlang.dot
from potlang.api import CompileError
from potlang.languages.dot.report import TraceReport
from potlang.languages.dot.results import NodeResult, TraceVerdict
from potlang.languages.dot.write.emit import emit_record
from potlang.prove.prover import Prover
from potlang.report.results import Consistency, Limits, Verdict
from potlang.testing.traces import prop

ROOT = Path(__file__).parents[2]
APPENDIX_A = (ROOT / "examples" / "appendix_a.dot.txt").read_text(encoding="utf-8")
REFINEMENT = (ROOT / "examples" / "refinement.dot.txt").read_text(encoding="utf-8")
TRUTHS = '@node id=1 role=problem\n@prop id=1 {"declare": {"p": "Bool", "q": "Bool", "r": "Bool"}}\n'


def judged(*said: tuple[object, str | None], more: str = "", head: str = TRUTHS) -> str:
    """A trace whose propositions are the nodes 2, 4, 6, … with a critic each; `more` goes to the last one."""
    lines = [head]
    for at, (value, mark) in enumerate(said):
        id_ = 2 * at + 2
        lines.append(f"@node id={id_} role=proposer\n")
        if value is not None:
            lines.append(emit_record(prop(id_, value)).decode() + "\n")
        lines.append(f"@node id={id_ + 1} role=critic\n@edge src={id_} dst={id_ + 1} kind=critique\n")
        if mark is not None:
            lines.append(f"@status target={id_} mark={mark}\n")
    return "".join(lines) + more


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the claims that provers are asked for, as they come."""
    names: list[str] = []
    real = Prover.verify

    def verify(self: Prover, claims: Any = None, norms: Any = None, **more: Any) -> Any:
        names.extend(claim.name for claim in claims)
        return real(self, claims, norms, **more)

    monkeypatch.setattr(Prover, "verify", verify)
    return names


def nodes(report: TraceReport) -> dict[int, NodeResult]:
    return {node.id: node for node in report.nodes}


def codes(report: TraceReport) -> list[str]:
    return [each.code for each in report.diagnostics]


# --- the paper's example -------------------------------------------------------------------------


def test_appendix_a_is_accepted() -> None:
    """[DOT-CLAIM-1], [DOT-VERDICT-1] Nodes 2, 4, 8 validated and entailed, 6 invalidated and refuted."""
    report = potlang.dot.verify(APPENDIX_A)
    found = nodes(report)
    assert report.verdict is TraceVerdict.ACCEPTED and report.ok
    for id_ in (2, 4, 8):
        assert (found[id_].status, found[id_].verdict) == ("validated", Verdict.ENTAILED)
    assert (found[6].status, found[6].verdict) == ("invalidated", Verdict.REFUTED)
    assert found[2].proposition == "4 > 2" and found[2].line == 3
    assert all(found[id_].result.trust == "checked" for id_ in (2, 4, 6, 8))  # type: ignore[union-attr]
    assert report.summary.consistency is Consistency.CONSISTENT
    assert report.summary.faithful is True and report.summary.nodes == (2, 4, 8)
    assert report.summary.branches == ((2,), (4,), (8,))
    assert report.diagnostics == ()


def test_strict_has_eight_diagnostics_and_the_same_meaning() -> None:
    """[DOT-PROF-2], [DOT-VERDICT-1] What is well formed of a rejected trace is verified all the same."""
    report = potlang.dot.verify(APPENDIX_A, profile="strict")
    assert report.verdict is TraceVerdict.REJECTED
    assert sorted(codes(report)) == ["POT5008"] * 4 + ["POT5024"] * 4
    assert [nodes(report)[id_].verdict for id_ in (2, 4, 8)] == [Verdict.ENTAILED] * 3


def test_a_validated_proposition_that_is_refuted_is_reported() -> None:
    """[DOT-CRITIC-1] With `[1, 2]` for `[4, 2]` the critic has validated a refuted proposition."""
    report = potlang.dot.verify(APPENDIX_A.replace("[4, 2]", "[1, 2]"))
    assert report.verdict is TraceVerdict.REFUTED
    assert codes(report) == ["POT5060"]
    assert report.located[0]["line"] == 10
    assert report.summary.consistency is Consistency.INCONSISTENT
    assert [item.name for item in report.summary.conflict or ()] == ["node 2"]
    assert report.summary.conflict_minimal


def test_refinement_example() -> None:
    """[DOT-ARROW-2] The arrow is proved, and the summary says what follows."""
    report = potlang.dot.verify(REFINEMENT)
    assert report.verdict is TraceVerdict.ACCEPTED
    [arrow] = report.arrows
    assert (arrow.source, arrow.target, arrow.schema, arrow.witness, arrow.state) == (4, 6, "LE", 7, "proved")
    assert report.nucleus.identity is True and report.nucleus.rules == ()
    assert report.summary.redundant == (4, 6)
    assert report.summary.model == {"age": "0", "licensed": "False"}
    assert nodes(report)[8].verdict is Verdict.ENTAILED


# --- what the paper states and what is true --------------------------------------------------------


def test_closed_and_not_empty_is_not_consistent_theorem_4_8() -> None:
    """[DOT-SUMMARY-2] P closed and satisfiable, yet c(P) = c(⊥): the counterexample to 4.8's wording."""
    head = TRUTHS.replace("}}", '}, "assume": [{"not": {"and": ["p", "q"]}}, {"or": ["p", "q"]}]}')
    report = potlang.dot.verify(
        judged(("p", "validated"), ("q", None), more="@entails src=2 dst=4\n", head=head)
    )
    node = nodes(report)[2]
    assert node.closed is True and node.verdict is Verdict.UNDETERMINED
    assert report.summary.consistency is Consistency.INCONSISTENT
    assert report.nucleus.consistency is Consistency.CONSISTENT
    assert report.arrows[0].state == "assumed"


def test_joint_arrows_contradict_each_other() -> None:
    """[DOT-ARROW-3] p → q and p → ¬q: each is consistent with p, together they refute it."""
    more = "@entails src=2 dst=4\n@entails src=2 dst=6\n"
    report = potlang.dot.verify(judged(("p", "validated"), ("q", None), ({"not": "q"}, None), more=more))
    assert [arrow.state for arrow in report.arrows] == ["assumed", "assumed"]
    assert [arrow.vacuous for arrow in report.arrows] == [True, True]
    names = ["arrow 2 -> 4 (LE)", "arrow 2 -> 6 (LE)"]
    assert [item.name for item in report.arrows[0].conflict or ()] == names
    assert [item.name for item in report.summary.conflict or ()] == [*names, "node 2"]
    assert codes(report) == ["POT5063"]
    assert report.verdict is TraceVerdict.INCONSISTENT


def test_no_arrows_everything_is_closed_definition_4_1() -> None:
    """[DOT-NUC-4] Without arrows c is the identity: being closed is no sign of being validated."""
    report = potlang.dot.verify(judged(("p", "invalidated"), ("q", None), ({"and": ["p", "q"]}, "validated")))
    assert [nodes(report)[id_].closed for id_ in (2, 4, 6)] == [True, True, True]


def test_a_new_arrow_can_enlarge_the_summary_4_14_2() -> None:
    """[DOT-SUMMARY-1] The summary is c(⋀ P_v), and a new arrow enlarges c."""
    without = potlang.dot.verify(judged(("p", "validated"), ("q", None)))
    with_arrow = potlang.dot.verify(judged(("p", "validated"), ("q", None), more="@entails src=2 dst=4\n"))
    assert without.summary.formula == "p"
    assert with_arrow.summary.formula == "Implies(Implies(p, q), p)"
    assert nodes(with_arrow)[2].closed is True and nodes(with_arrow)[4].closed is False
    assert with_arrow.consequences == (4,) and without.consequences == ()


def test_a_refuted_arrow_stays_out_of_the_nucleus() -> None:
    """[DOT-CRITIC-2] [DOT-NUC-3] [DOT-ARROW-2] Θ entails P and refutes Q; the report has a counterexample."""
    head = TRUTHS.replace("}}", '}, "assume": ["p", {"not": "q"}]}')
    report = potlang.dot.verify(
        judged(("p", "validated"), ("q", None), more="@entails src=2 dst=4\n", head=head)
    )
    [arrow] = report.arrows
    assert arrow.state == "refuted" and arrow.vacuous is None
    assert arrow.result is not None
    assert arrow.result.evidence.could_be_false == {"p": "True", "q": "False"}
    assert report.nucleus.rules == () and report.nucleus.identity is True
    assert report.verdict is TraceVerdict.ACCEPTED and codes(report) == ["POT5062"]


def test_refinement_of_a_validated_proposition_points_against_the_text_4_2() -> None:
    """[DOT-ARROW-1] TR: refine i → j gives P_j ≤ P_i."""
    text = judged(("p", "validated")) + (
        "@node id=4 role=proposer\n@edge src=2 dst=4 kind=refine\n" + '@prop id=4 {"or": ["p", "q"]}\n'
    )
    [arrow] = potlang.dot.verify(text).arrows
    assert (arrow.source, arrow.target, arrow.schema, arrow.state) == (4, 2, "TR", "assumed")


def test_opaque_atoms_take_part_in_arrows_and_summary() -> None:
    """[DOT-PROP-5] [DOT-THEORY-6] Nothing is claimed of an opaque proposition; what follows by arrows
    follows.
    """
    text = judged(
        (None, "validated"), (None, None), ("q", None), more="@entails src=2 dst=4\n@entails src=2 dst=6\n"
    )
    report = potlang.dot.verify(text)
    assert [nodes(report)[id_].verdict for id_ in (2, 4, 6)] == [None, None, Verdict.UNDETERMINED]
    assert report.consequences == (4, 6)
    assert report.nucleus.rules == ("Implies(`node 2`, `node 4`)", "Implies(`node 2`, q)")


def test_arrows_between_opaque_propositions_are_asked_about_once(asked: list[str]) -> None:
    """[DOT-ARROW-2] The theory says the same of all of them, and one has the evidence."""
    more = (
        "".join(f"@entails src={2 * at} dst={2 * at + 2}\n" for at in range(1, 5)) + "@entails src=2 dst=2\n"
    )
    report = potlang.dot.verify(judged(*[(None, "validated")] * 5, more=more))
    assert [name for name in asked if name.startswith("arrow")] == ["arrow 2 -> 4 (LE)"]
    assert [arrow.state for arrow in report.arrows] == ["assumed"] * 4 + ["proved"]
    assert [arrow.result is None for arrow in report.arrows] == [False, True, True, True, True]
    assert report.nucleus.rules == tuple(
        f"Implies(`node {2 * at}`, `node {2 * at + 2}`)" for at in range(1, 5)
    )


def test_a_name_like_that_of_an_atom_is_another_one() -> None:
    """[DOT-THEORY-6] The constant of an opaque proposition is fresh."""
    head = (
        '@node id=1 role=problem\n@prop id=1 {"declare": {"node 2": "Bool"}, "assume": [{"not": "node 2"}]}\n'
    )
    report = potlang.dot.verify(judged((None, "validated"), ("node 2", None), head=head))
    assert report.summary.consistency is Consistency.CONSISTENT
    assert report.summary.formula == "`node 2'`"


def test_summarizer_that_needs_what_it_leaves_out() -> None:
    """[DOT-SUMMARY-7] Faithful, but its claim does not follow from what it uses alone."""
    text = judged(("p", "validated"), ("q", "validated"), ("r", "validated")) + (
        '@node id=9 role=summarizer\n@edge src=2 dst=9 kind=use\n@prop id=9 {"and": ["p", "r"]}\n'
    )
    [found] = potlang.dot.verify(text).summary.summarizers
    assert (found.faithful, found.uses, found.left_out, found.needed) == (True, (2,), (4, 6), (6,))


def test_unfaithful_summarizer() -> None:
    """[DOT-CRITIC-4], [DOT-VERDICT-1] It says what does not follow."""
    text = (
        judged(("p", "validated"))
        + '@node id=9 role=summarizer\n@edge src=2 dst=9 kind=use\n@prop id=9 "q"\n'
    )
    report = potlang.dot.verify(text)
    assert report.verdict is TraceVerdict.UNFAITHFUL and report.summary.faithful is False
    assert codes(report) == ["POT5065"] and report.located[0]["line"] == 10


def test_summarizer_that_uses_what_is_not_validated() -> None:
    """[DOT-SUMMARY-7] It is unfaithful, whatever it says."""
    text = judged(("p", None)) + "@node id=9 role=summarizer\n@edge src=2 dst=9 kind=use\n"
    report = potlang.dot.verify(text)
    assert report.verdict is TraceVerdict.REJECTED and codes(report) == ["POT5026"]
    assert report.summary.summarizers[0].faithful is False


def test_misuse_counts_also_where_it_is_not_shown() -> None:
    """[DOT-SUMMARY-7] A report shows no more than 100 diagnostics; all summarizers are unfaithful."""
    more = "".join(
        f"@node id={9 + at} role=summarizer\n@edge src=2 dst={9 + at} kind=use\n" for at in range(110)
    )
    report = potlang.dot.verify(judged(("p", None), more=more))
    assert len(report.summary.summarizers) == 110
    assert all(each.faithful is False for each in report.summary.summarizers)


def test_ranks_and_retraction_appendix_c_3() -> None:
    """[DOT-RANK-1] Without the arrows of rank 3 the summary is consistent."""
    more = "@entails src=2 dst=4 rank=1\n@entails src=2 dst=6 rank=3\n"
    report = potlang.dot.verify(judged(("p", "validated"), ("q", None), ({"not": "q"}, None), more=more))
    assert [(each.rank, each.consistency.value) for each in report.summary.ranks] == [
        (1, "consistent"),
        (3, "inconsistent"),
    ]
    assert report.summary.retraction == 1


def test_inconsistent_theory() -> None:
    """[DOT-CLAIM-1] Where the theory has no model, that is the verdict of every node."""
    head = TRUTHS.replace("}}", '}, "assume": ["p", {"not": "p"}]}')
    report = potlang.dot.verify(judged(("q", "validated"), head=head))
    assert nodes(report)[2].verdict is Verdict.INCONSISTENT
    assert report.verdict is TraceVerdict.INCONSISTENT and codes(report) == ["POT5064"]
    assert [item.name for item in report.summary.conflict or ()] == ["assumption 1", "assumption 2"]


def test_opaque_nodes_under_an_inconsistent_theory() -> None:
    """[DOT-SUMMARY-4] From no model everything follows, opaque propositions too."""
    head = TRUTHS.replace("}}", '}, "assume": ["p", {"not": "p"}]}')
    report = potlang.dot.verify(judged((None, "validated"), (None, "validated"), head=head))
    assert report.summary.redundant == (2, 4)


def test_an_inconsistent_theory_is_not_laid_at_the_door_of_the_arrows() -> None:
    """[DOT-CRITIC-3] The theory alone refutes what is opaque there; the summary's conflict says so."""
    head = TRUTHS.replace("}}", '}, "assume": ["p", {"not": "p"}]}')
    more = "@entails src=2 dst=4\n@entails src=2 dst=2\n"
    report = potlang.dot.verify(judged((None, "validated"), ("q", None), head=head, more=more))
    assert codes(report) == ["POT5064"]
    assert [(arrow.vacuous, arrow.conflict) for arrow in report.arrows] == [(True, None)] * 2


# --- theories ------------------------------------------------------------------------------------


PROGRAM: dict[str, Any] = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [
        {"name": "adult", "domain": ["Person"], "range": "Bool"},
        {"name": "age", "domain": ["Person"], "range": "Int"},
    ],
    "constants": {"people": {"sort": "Person", "members": ["ann"]}},
    "knowledge_base": ["age(ann) == 30"],
    "rules": [
        {"forall": [{"name": "x", "sort": "Person"}], "constraint": "adult(x) <-> age(x) >= 18"},
        {"name": "a norm", "role": "norm", "constraint": "not adult(ann)"},
    ],
    "verifications": [{"constraint": "adult(ann)"}],
    "optimization": {"objectives": [{"type": "minimize", "expression": "age(ann)"}]},
}
ANN = '@node id=1 role=problem\n@node id=2 role=proposer\n@prop id=2 ["adult", "ann"]\n'


def test_a_theory_is_the_semantic_space() -> None:
    """[DOT-THEORY-2] Declarations, facts and rules; claims, norms and objectives play no part."""
    for theory in (PROGRAM, json.dumps(PROGRAM), potlang.compile(PROGRAM)):
        report = potlang.dot.verify(ANN, theory=theory)
        assert nodes(report)[2].verdict is Verdict.ENTAILED
    core = report.nodes[1].result.evidence.core  # type: ignore[union-attr]
    assert [item.pointer for item in core or ()] == ["/knowledge_base/0", "/rules/0"]


def test_problem_and_theory_are_put_together() -> None:
    """[DOT-THEORY-2] The problem declares more over the sorts of the program."""
    text = (
        "@node id=1 role=problem\n"
        '@prop id=1 {"declare": {"bob": "Person"}, "assume": [{"lt": [["age", "bob"], 3]}]}\n'
        '@node id=2 role=proposer\n@prop id=2 {"not": ["adult", "bob"]}\n'
    )
    report = potlang.dot.verify(text, theory=PROGRAM)
    assert nodes(report)[2].verdict is Verdict.ENTAILED


def test_a_clash_with_the_theory_is_a_diagnostic() -> None:
    """[DOT-THEORY-3] The declaration of the theory stands, and everything else is verified."""
    for value in ('"Person"', '{"domain": ["Int"], "range": "Int"}'):
        text = ANN.replace("role=problem\n", f'role=problem\n@prop id=1 {{"declare": {{"age": {value}}}}}\n')
        report = potlang.dot.verify(text, theory=PROGRAM)
        assert [code for code in codes(report) if code < "POT3"] == ["POT2003" if "P" in value else "POT2002"]
        assert report.located[0]["line"] == 2 and report.verdict is TraceVerdict.REJECTED
        assert nodes(report)[2].verdict is Verdict.ENTAILED


def test_a_broken_theory_is_an_error_of_its_own() -> None:
    """[DOT-THEORY-2] The trace is not to blame for it."""
    with pytest.raises(CompileError, match="POT2001"):
        potlang.dot.verify(ANN, theory={"verifications": [{"constraint": "nothing(here)"}]})


# --- bad input -----------------------------------------------------------------------------------


def test_everything_else_of_a_broken_trace_is_verified() -> None:
    """[DOT-THEORY-4], [DOT-THEORY-5] Each error at its place; the other parts count."""
    head = (
        '@node id=1 role=problem\n@prop id=1 {"declare": {"x": "Int", "y": "Nothing"}, '
        '"assume": [{"gt": ["x", 3]}, {"gt": ["z", 3]}, {"gt": ["y", 1]}]}\n'
    )
    text = judged(({"gt": ["x", 2]}, "validated"), ({"gt": ["x", "p"]}, "validated"), ("y", None), head=head)
    report = potlang.dot.verify(text)
    where = [(each["code"], each["line"], each["column"]) for each in report.located]
    assert where == [("POT2005", 2, 43), ("POT2001", 2, 91), ("POT2001", 9, 25)]
    assert nodes(report)[2].verdict is Verdict.ENTAILED
    assert nodes(report)[4].verdict is None and nodes(report)[6].verdict is None


def test_an_undeclared_name_tells_how_to_declare_it() -> None:
    """[DOT-THEORY-3] In the words of a trace."""
    checked = potlang.dot.check(judged((["f", "p"], None)))
    [found] = checked.diagnostics
    assert found.code == "POT2001" and not checked.ok
    assert '{"declare": {"f": {"domain": ["Bool"], "range": "Bool"}}}' in found.helps[-1]


def test_places_inside_quoted_expressions() -> None:
    """[DOT-THEORY-5] A place in `{"pot": "…"}` is that of the characters in the line, escapes and all."""
    text = judged(({"or": ["p", {"pot": 'p or q == "é" or nn'}]}, None))
    [first, second] = potlang.dot.check(text).located()
    line = text.splitlines()[first["line"] - 1]
    assert line[second["column"] - 1 :].startswith("nn")
    assert line[first["column"] - 1 :].startswith('q == \\"é')


def test_nothing_quoted_is_pasted() -> None:
    """[DOT-THEORY-1] An expression that only makes sense between other words is an error."""
    report = potlang.dot.verify(judged(({"and": [{"pot": "p) or (q"}, "r"]}, None)))
    assert report.verdict is TraceVerdict.REJECTED and codes(report)[0].startswith("POT10")


def test_deep_json_is_read_without_recursion() -> None:
    """[DOT-THEORY-1] As deep as JSON may nest."""
    deep: object = "p"
    for _ in range(505):
        deep = {"not": deep}
    report = potlang.dot.verify(judged((deep, "validated")))
    assert nodes(report)[2].verdict is Verdict.UNDETERMINED


def test_without_propositions_no_solver_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOT-CLAIM-2] There is nothing to ask."""
    monkeypatch.setattr(
        "potlang.languages.dot.solve.prover.TheoryProver.open", lambda *_: pytest.fail("a solver was started")
    )
    text = judged((None, "validated"), (None, "invalidated"), (None, None), head="@node id=1 role=problem\n")
    report = potlang.dot.verify(text)
    assert report.verdict is TraceVerdict.ACCEPTED
    tagged = potlang.dot.verify("<proposer>x</proposer><summarizer>y</summarizer>")
    assert tagged.verdict is TraceVerdict.ACCEPTED and not tagged.is_typed


@pytest.mark.parametrize(
    "source", [b"", b"\xff\xfe", b"@node id=1 role=problem", "@prop id=1 {}", "{}", b"\0"]
)
def test_any_input_gets_a_report(source: bytes | str) -> None:
    """[DOT-BAD-1] Whatever it is."""
    report = potlang.dot.verify(source)
    assert json.loads(report.to_json())["kind"] == "dot"


def test_a_broken_trace_that_was_read_already_stays_rejected() -> None:
    """[DOT-VERDICT-1] As a `Trace` it says what its text says."""
    text = judged(("p", None)) + "@node id=9 role=summarizer\n@edge src=2 dst=9 kind=use\n"
    trace = potlang.dot.check(text).trace
    again = potlang.dot.verify(trace)
    assert not potlang.dot.check(trace).ok
    assert again.verdict is TraceVerdict.REJECTED and codes(again) == ["POT5026"]
    assert again.summary.summarizers[0].faithful is False


def test_pairs_that_are_not_settled_are_not_called_incomparable() -> None:
    """[DOT-SUMMARY-5] x > 1 and x > 3 are comparable; without time nobody knows."""
    head = '@node id=1 role=problem\n@prop id=1 {"declare": {"x": "Int"}}\n'
    text = judged(({"gt": ["x", 1]}, "validated"), ({"gt": ["x", 3]}, "validated"), head=head)
    summary = potlang.dot.verify(text, limits=Limits(total_ms=0)).summary
    assert summary.incomparable == () and "not every comparison" in summary.notes[-1]


def test_no_time_means_unknown_and_says_so() -> None:
    """[DOT-VERDICT-2] What is not settled within the limits is unknown; nothing waits."""
    report = potlang.dot.verify(APPENDIX_A, limits=Limits(total_ms=0))
    assert report.verdict is TraceVerdict.UNKNOWN
    assert nodes(report)[2].verdict is Verdict.UNKNOWN
    assert nodes(report)[2].result.reason == "timeout"  # type: ignore[union-attr]
    assert report.notes


def test_equal_propositions_are_asked_once(asked: list[str]) -> None:
    """[DOT-CLAIM-2] Also under other nodes."""
    report = potlang.dot.verify(judged(("p", None), ("p", None), ("p", None)))
    assert asked.count("node 2") == 1 and "node 4" not in asked
    assert [node.result.name for node in report.nodes if node.result] == ["node 2", "node 4", "node 6"]


def test_pairs_beyond_the_bound_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOT-SUMMARY-9] A note says so."""
    monkeypatch.setattr("potlang.languages.dot.solve.summary.MOST_COMPARED", 5)
    said = [({"gt": ["x", at]}, "validated") for at in range(6)]
    head = '@node id=1 role=problem\n@prop id=1 {"declare": {"x": "Int"}}\n'
    report = potlang.dot.verify(judged(*said, head=head), trust="solver")
    assert report.summary.redundant == ()
    assert any("6 validated propositions, more than 5" in note for note in report.summary.notes)


def test_what_many_summarizers_leave_out_is_listed_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOT-SUMMARY-9] The lists of all summarizers together are not longer than that; a note says so."""
    monkeypatch.setattr("potlang.languages.dot.solve.summary.MOST_LEFT_OUT", 5)
    more = "".join(f"@node id={10 + at} role=summarizer\n" for at in range(3))
    report = potlang.dot.verify(judged((None, "validated"), (None, "validated"), more=more))
    assert [each.left_out for each in report.summary.summarizers] == [(2, 4), (2, 4), ()]
    assert report.summary.notes == (
        "what summarizers leave out is not listed from 12 on: more than 5 nodes in all",
    )


def test_notes_on_long_propositions_are_short() -> None:
    """[DOT-CRITIC-1] A note names what it is about; the whole text is in the report."""
    text = judged(({"and": ["p", {"not": "p"}] + ["q"] * 5_000}, "validated"))
    report = potlang.dot.verify(text)
    [found] = report.diagnostics
    assert found.code == "POT5060" and max(map(len, found.notes)) < 400
    assert len(nodes(report)[2].proposition or "") > 5_000
