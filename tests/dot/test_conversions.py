"""Conversions: a trace as a program has the same answers, and a derivation as a trace is accepted."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from derivable_programs import horn_program
from hypothesis import given, settings
from hypothesis import strategies as st
from meaning_support import verified
from seed_programs import EACH_KIND
from strategies.reasoning import Reasoning, program, reasonings

import potlang
import potlang.dot
from potlang.languages.dot.read.records import PROFILES, Profile
from potlang.languages.dot.report import TraceReport
from potlang.languages.pot.report import Report
from potlang.report.results import Consistency, Verdict
from potlang.testing import finite_programs

ROOT = Path(__file__).parents[2]
APPENDIX_A = ROOT / "examples" / "appendix_a.dot.txt"
REFINEMENT = ROOT / "examples" / "refinement.dot.txt"


# --- from traces to programs -------------------------------------------------------------------------


def _asked(converted: dict[str, Any]) -> Report:
    """The answers to a program, and whether its assumptions are consistent, on one solver's word."""
    claims = [*converted["verifications"], {"name": "consistent", "constraint": "False"}]
    return potlang.verify({**converted, "verifications": claims}, trust="solver")


def _check_same_answers(case: Reasoning) -> None:
    """What `verify` says of the trace, from the answers to its program."""
    theory = None if case.theory is None else program(case.theory)
    report = verified(case)
    answers = _asked(potlang.dot.trace_to_pot(case.text, theory))
    verdicts = {each.name: each.verdict for each in answers.results}
    inconsistent = verdicts.pop("consistent") is Verdict.INCONSISTENT
    assert (report.summary.consistency is Consistency.INCONSISTENT) is inconsistent
    for each in report.summary.summarizers:
        if f"summary {each.node}" in verdicts:
            follows = verdicts[f"summary {each.node}"] in (Verdict.ENTAILED, Verdict.INCONSISTENT)
            assert each.faithful is follows
    follow = {name for name, verdict in verdicts.items() if verdict is Verdict.ENTAILED}
    if not inconsistent:
        assert {f"node {id_}" for id_ in _propositions(report, report.consequences)} == {
            name for name in follow if name in {f"node {id_}" for id_ in _proposers(report)}
        }


def _proposers(report: TraceReport) -> list[int]:
    return [node.id for node in report.nodes if node.role == "proposer"]


def _propositions(report: TraceReport, ids: tuple[int, ...]) -> list[int]:
    return [id_ for id_ in ids if any(n.id == id_ and n.proposition is not None for n in report.nodes)]


@settings(max_examples=15)
@given(reasonings())
def test_a_trace_as_a_program_has_the_same_answers(case: Reasoning) -> None:
    """[DOT-CONV-2] [DOT-CONV-3]: consistency, faithfulness and consequences are those of the trace."""
    _check_same_answers(case)


@pytest.mark.slow
@settings(max_examples=500)
@given(reasonings())
def test_a_trace_as_a_program_has_the_same_answers_deeply(case: Reasoning) -> None:
    """[DOT-CONV-2] [DOT-CONV-3]."""
    _check_same_answers(case)


def test_a_program_names_nodes_and_records() -> None:
    """[DOT-CONV-1]: facts, rules and claims are named after what they come from."""
    found = potlang.dot.trace_to_pot(REFINEMENT)
    assert [each["name"] for each in found["knowledge_base"]] == ["assumption 1", "node 4", "node 6"]
    assert [each["name"] for each in found["rules"]] == ["@entails src=4 dst=6 witness=7"]
    assert [each["name"] for each in found["verifications"]] == ["node 2", "summary 8"]
    assert found["constants"]["Int"]["members"] == ["age"]


def test_refuted_arrows_are_no_rules_and_opaque_nodes_are_constants() -> None:
    """[DOT-CONV-1]: an arrow that the theory refutes stays out, as it stays out of R."""
    builder = potlang.dot.TraceBuilder()
    builder.problem(declare={"node 3": "Int"})
    builder.proposer({"eq": [1, 1]})
    builder.proposer(text="whatever")
    builder.proposer({"eq": [1, 2]})
    for node in (2, 3):
        builder.critic(node)
        builder.validate(node)
    builder.entails(2, 4)
    builder.eq(2, 3)
    found = potlang.dot.trace_to_pot(builder.text())
    assert [each["name"] for each in found["rules"]] == ["@eq src=2 dst=3", "@eq src=2 dst=3 (back)"]
    assert found["constants"]["Bool"]["members"] == ["node 3'"]
    assert potlang.verify(found).results[0].verdict is Verdict.REFUTED


def test_a_theory_is_part_of_the_program() -> None:
    theory = {"sorts": [{"name": "C", "type": "EnumSort", "values": ["r", "g"]}], "rules": []}
    theory["functions"] = [{"name": "f", "domain": [], "range": "C"}]  # type: ignore[list-item]
    trace = b'@node id=1 role=proposer\n@prop id=1 {"eq": ["f", "r"]}\n@node id=2 role=critic\n'
    found = potlang.dot.trace_to_pot(trace + b"@status target=1 mark=validated\n", theory)
    assert found["sorts"][0]["values"] == ["r", "g"]
    assert potlang.compile(found).module.assertions[0].name == "node 1"


def test_what_is_not_well_formed_is_no_program() -> None:
    with pytest.raises(potlang.dot.MalformedTrace, match="POT5024"):
        potlang.dot.trace_to_pot(APPENDIX_A, profile="strict")
    with pytest.raises(potlang.dot.MalformedTrace, match="POT2001"):
        potlang.dot.trace_to_pot(b'@node id=1 role=proposer\n@prop id=1 {"gt": ["x", 1]}\n')
    with pytest.raises(potlang.CompileError):
        potlang.dot.trace_to_pot(APPENDIX_A, {"rules": [{"constraint": "x"}]})


# --- from derivations to traces ----------------------------------------------------------------------


def _without_assumptions(source: Any) -> Any:
    """The declarations of a program alone: what a trace needs to be read, and nothing that helps it."""
    kept = ("sorts", "functions", "constants", "variables")
    return {key: source[key] for key in kept if key in source}


def _check_derivations(source: dict[str, Any], profile: Profile) -> list[bool]:
    """Every entailed claim has a trace whose nodes its own assumptions entail; which are derivations."""
    compiled = potlang.compile(source)
    found: list[bool] = []
    for claim in compiled.module.claims:
        try:
            derived = potlang.dot.derivation_to_trace(compiled, claim.name, profile=profile)
        except potlang.dot.NotEntailed as error:
            assert error.verdict is not Verdict.ENTAILED
            continue
        theory = _without_assumptions(source) if derived.needs_theory else None
        report = potlang.dot.verify(derived.text, profile=profile, theory=theory, trust="solver")
        assert report.verdict == "accepted", (str(report), derived.text.decode())
        assert not report.diagnostics
        assert all(node.verdict is Verdict.ENTAILED for node in report.nodes if node.proposition)
        assert all(node.status == "validated" for node in report.nodes if node.role == "proposer")
        assert all(arrow.state == "proved" for arrow in report.arrows)
        found.append(derived.is_derivation)
    return found


@pytest.mark.parametrize("path", EACH_KIND)
@pytest.mark.parametrize("profile", PROFILES)
def test_entailed_claims_of_the_seed_programs(path: Path, profile: Profile) -> None:
    """[DOT-CONV-4] [DOT-CONV-5] [DOT-CONV-6]: every node is entailed by what the trace assumes."""
    if potlang.check(path).program is not None:
        _check_derivations(json.loads(path.read_text()), profile)


@settings(max_examples=8)
@given(st.randoms(use_true_random=False), st.sampled_from(PROFILES))
def test_derivations_of_horn_programs_are_accepted(random: Random, profile: Profile) -> None:
    """[DOT-CONV-5]."""
    _check_derivations(horn_program(random), profile)


@pytest.mark.slow
@settings(max_examples=500)
@given(st.randoms(use_true_random=False), st.sampled_from(PROFILES))
def test_derivations_of_horn_programs_are_accepted_deeply(random: Random, profile: Profile) -> None:
    """[DOT-CONV-5]."""
    _check_derivations(horn_program(random), profile)


@settings(max_examples=10)
@given(finite_programs(most=2))
def test_derivations_of_any_program_are_accepted(source: dict[str, Any]) -> None:
    """[DOT-CONV-6] [DOT-CONV-7]: enums, records, sets, definitions and quantifiers, mostly no Horn rules."""
    _check_any(source)


@pytest.mark.slow
@settings(max_examples=500)
@given(finite_programs(most=2))
def test_derivations_of_any_program_are_accepted_deeply(source: dict[str, Any]) -> None:
    """[DOT-CONV-6] [DOT-CONV-7]."""
    _check_any(source)


def _check_any(source: dict[str, Any]) -> None:
    compiled = potlang.compile(source)
    for claim in compiled.module.claims:
        try:
            derived = potlang.dot.derivation_to_trace(compiled.asking([claim]))
        except potlang.dot.NotEntailed:
            continue
        theory = source if derived.needs_theory else None
        report = potlang.dot.verify(derived.text, theory=theory, trust="solver")
        assert report.verdict in ("accepted", "unknown"), (str(report), derived.text.decode())
        assert not [each for each in report.diagnostics if each.severity == "error"]


CHAIN = {
    "sorts": [],
    "functions": [
        {"name": "even", "domain": ["Int"], "range": "Bool"},
        {"name": "ok", "domain": [], "range": "Bool"},
    ],
    "knowledge_base": ["even(4)"],
    "rules": [
        {
            "name": "evens are ok",
            "forall": [{"name": "n", "sort": "Int"}],
            "implies": {"antecedent": "even(n)", "consequent": "ok"},
        }
    ],
    "verifications": [{"name": "ok?", "constraint": "ok"}, {"name": "bad?", "constraint": "even(5)"}],
}


def test_a_trace_without_named_sorts_stands_by_itself() -> None:
    """[DOT-CONV-4] [DOT-CONV-7]: the problem declares and assumes all that is needed, and no more."""
    derived = potlang.dot.derivation_to_trace(potlang.compile(CHAIN))
    assert derived.is_derivation and not derived.needs_theory
    trace = potlang.dot.read(derived.text)
    assert trace.props[1].value == {
        "declare": {"even": {"domain": ["Int"], "range": "Bool"}, "ok": "Bool"},
        "assume": [["even", 4], {"forall": [{"n": "Int"}, {"implies": [["even", "n"], "ok"]}]}],
    }
    assert [trace.props[id_].value for id_ in (2, 4, 6)] == [["even", 4], "ok", "ok"]
    assert b"By evens are ok." in derived.text
    assert b"@entails src=2 dst=4 witness=5" in derived.text


def test_the_example_is_what_its_program_gives() -> None:
    derived = potlang.dot.derivation_to_trace(potlang.compile(ROOT / "examples" / "derivation.json"))
    assert derived.text == (ROOT / "examples" / "derivation.dot.txt").read_bytes()


def test_only_entailed_claims_have_a_trace() -> None:
    program = potlang.compile(CHAIN)
    with pytest.raises(potlang.dot.NotEntailed, match="undetermined"):
        potlang.dot.derivation_to_trace(program, "bad?")
    with pytest.raises(LookupError, match="`ok\\?`, `bad\\?`"):
        potlang.dot.derivation_to_trace(program, "good?")
    with pytest.raises(LookupError, match="none"):
        potlang.dot.derivation_to_trace(potlang.compile({"sorts": []}))


def test_there_and_back() -> None:
    """A derivation as a trace, and that as a program: the claim is entailed."""
    derived = potlang.dot.derivation_to_trace(potlang.compile(CHAIN))
    report = potlang.verify(potlang.dot.trace_to_pot(derived.text))
    assert [each.verdict for each in report.results] == [Verdict.ENTAILED]
