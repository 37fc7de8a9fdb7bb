"""The programming interface: compile, verify, sessions, and what is exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from seed_programs import SEED, VERDICTS, verified

import potlang
from potlang import CompileError, Limits, Verdict

ANIMALS = {
    "sorts": [{"name": "Animal", "type": "DeclareSort"}],
    "functions": [
        {"name": "dog", "domain": ["Animal"], "range": "Bool"},
        {"name": "barks", "domain": ["Animal"], "range": "Bool"},
        {"name": "age", "domain": ["Animal"], "range": "Int"},
    ],
    "constants": {"animals": {"sort": "Animal", "members": ["rex", "tom"]}},
    "variables": [{"name": "n", "sort": "Int"}],
    "knowledge_base": ["dog(rex)"],
    "rules": [
        {
            "name": "dogs bark",
            "forall": [{"name": "x", "sort": "Animal"}],
            "implies": {"antecedent": "dog(x)", "consequent": "barks(x)"},
        }
    ],
    "verifications": [{"name": "rex barks", "constraint": "barks(rex)"}],
}


@pytest.mark.parametrize("path", VERDICTS, ids=lambda path: path.stem)
def test_seed_program_gets_the_expected_verdict(path: Path) -> None:
    assert str(verified(path).verdict) == VERDICTS[path]


def test_resource_allocation_is_80_once_the_workers_are_closed() -> None:
    program = json.loads((SEED / "15_resource_allocation.json").read_text())
    program["semantics"] = {"closed_domain": ["Worker"]}
    report = potlang.verify(program)
    assert str(report.verdict) == "optimal"
    assert report.optimization is not None
    assert report.optimization.value == 80


def test_the_unbounded_report_says_what_closing_would_give() -> None:
    report = potlang.verify(SEED / "15_resource_allocation.json")
    assert report.optimization is not None
    assert report.optimization.closed is not None
    assert report.optimization.closed.value == 80


def test_figure_2_has_exactly_two_root_causes() -> None:
    with pytest.raises(CompileError) as caught:
        potlang.compile(SEED / "00_fig2_task_assignment.json")
    errors = [d for d in caught.value.diagnostics if d.severity == "error"]
    assert [error.code for error in errors] == ["POT2001", "POT3001"]
    assert "`task1` is not declared" in errors[0].message
    assert (errors[1].place.pointer, errors[1].place.span) == ("/rules/0/implies/consequent", (30, 31))
    assert all(error.helps for error in errors)


@pytest.mark.parametrize("kind", ["dict", "str", "bytes", "path"])
def test_every_kind_of_source_compiles(kind: str, tmp_path: Path) -> None:
    text = json.dumps(ANIMALS)
    path = tmp_path / "program.json"
    path.write_text(text)
    source = {"dict": ANIMALS, "str": text, "bytes": text.encode(), "path": path}[kind]
    assert potlang.verify(source).verdict is Verdict.ENTAILED


def test_another_type_of_source_is_a_wrong_call() -> None:
    with pytest.raises(TypeError, match="str, bytes, dict or Path"):
        potlang.compile(17)  # type: ignore[arg-type]


def test_an_invalid_source_is_reported_by_verify_and_raised_by_compile() -> None:
    broken = {**ANIMALS, "knowledge_base": ["dog(rexx)"]}
    report = potlang.verify(broken)
    assert report.verdict is Verdict.REJECTED
    assert report.to_dict()["diagnostics"][0]["code"] == "POT2001"
    with pytest.raises(CompileError, match="`rexx` is not declared"):
        potlang.compile(broken)


def test_a_core_names_what_was_used() -> None:
    evidence = potlang.verify(ANIMALS).results[0].evidence
    assert evidence.core is not None
    assert [(item.name, item.pointer) for item in evidence.core] == [
        ("fact 1", "/knowledge_base/0"),
        ("dogs bark", "/rules/0"),
    ]


def test_an_undetermined_claim_comes_with_two_models() -> None:
    with potlang.compile(ANIMALS).session() as session:
        report = session.verify("barks(tom)")
    evidence = report.results[0].evidence
    assert report.verdict is Verdict.UNDETERMINED
    assert evidence.could_be_true is not None
    assert evidence.could_be_true["barks(tom)"] == "True"
    assert evidence.could_be_false is not None
    assert evidence.could_be_false["barks(tom)"] == "False"


def test_a_session_verifies_many_claims_and_takes_assumptions_back() -> None:
    with potlang.compile(ANIMALS).session() as session:
        assert session.verify("barks(rex)").verdict is Verdict.ENTAILED
        assert session.verify("barks(tom)").verdict is Verdict.UNDETERMINED
        session.push("dog(tom)")
        assert session.verify("barks(tom)").verdict is Verdict.ENTAILED
        session.push("Not(barks(tom))")
        assert session.verify("barks(rex)").verdict is Verdict.INCONSISTENT
        session.pop()
        session.pop()
        assert session.verify("barks(tom)").verdict is Verdict.UNDETERMINED
        with pytest.raises(IndexError):
            session.pop()


def test_a_claim_may_use_a_declared_variable_that_the_program_did_not() -> None:
    with potlang.compile(ANIMALS).session() as session:
        session.push("age(rex) == 3")
        assert session.verify("n == n").verdict is Verdict.ENTAILED
        assert session.verify("age(rex) == n").verdict is Verdict.UNDETERMINED
        assert session.verify("age(rex) + 1 == 4").verdict is Verdict.ENTAILED


def test_a_second_session_declares_what_the_first_one_had_to() -> None:
    program = potlang.compile(ANIMALS)
    for _ in range(2):
        with program.session() as session:
            assert session.verify("age(rex) == n").verdict is Verdict.UNDETERMINED


@pytest.mark.parametrize(
    "claim", ["\ud800", "", "Not(" * 5000, {}, {"constraint": {1}}, {"constraint": float("nan")}, {1: 2}]
)
def test_any_claim_gets_diagnostics(claim: object) -> None:
    with potlang.compile(ANIMALS).session() as session, pytest.raises(CompileError) as caught:
        session.verify(claim)  # type: ignore[arg-type]
    assert caught.value.diagnostics


def test_a_claim_may_be_a_whole_verification() -> None:
    claim = {
        "name": "someone barks",
        "exists": [{"name": "x", "sort": "Animal"}],
        "constraint": "barks(x)",
    }
    with potlang.compile(ANIMALS).session() as session:
        result = session.verify(claim).results[0]
    assert (result.name, result.verdict) == ("someone barks", Verdict.ENTAILED)
    assert result.evidence.witness is not None
    assert result.evidence.witness.bindings == ({"x": "rex"},)


def test_a_claim_with_a_mistake_is_raised_with_its_place() -> None:
    with potlang.compile(ANIMALS).session() as session:
        with pytest.raises(CompileError) as caught:
            session.verify("barks(rx)")
        assert caught.value.diagnostics[0].place.span == (6, 8)
        assert session.verify("barks(rex)").verdict is Verdict.ENTAILED


@pytest.mark.parametrize(
    "option", [{"route": "z4"}, {"trust": "none"}, {"models": "all"}, {"passes": "nnff"}]
)
def test_unknown_options_are_wrong_calls(option: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="|".join(option.values())):
        potlang.verify(ANIMALS, **option)  # type: ignore[arg-type]


@pytest.mark.parametrize("route", ["z3", "cvc5", "both"])
def test_solvers_agree_on_the_animals(route: potlang.api.RouteName) -> None:
    assert potlang.verify(ANIMALS, route=route).verdict is Verdict.ENTAILED


@pytest.mark.parametrize("passes", ["", "simplify", "simplify,nnf,prenex"])
def test_passes_do_not_change_the_seed_verdicts(passes: str) -> None:
    for path, verdict in VERDICTS.items():
        # What stands behind a verdict is not the matter here.
        assert str(potlang.verify(path, passes=passes, trust="solver").verdict) == verdict


def test_limits_are_echoed() -> None:
    limits = Limits(check_ms=1234)
    assert potlang.verify(ANIMALS, limits=limits).to_dict()["limits"]["check_ms"] == 1234


def test_reports_follow_their_schema() -> None:
    import jsonschema

    from potlang.utils.resources import schema_text

    validator = jsonschema.Draft202012Validator(json.loads(schema_text("report-1")))
    for path in VERDICTS:
        validator.validate(verified(path).to_dict())


def test_the_public_names_are_these() -> None:
    assert sorted(potlang.__all__) == [
        "CompileError",
        "Diagnostic",
        "Interrupted",
        "Limits",
        "Program",
        "Report",
        "Session",
        "Verdict",
        "__version__",
        "aio",
        "api",
        "check",
        "compile",
        "dagmath",
        "dot",
        "explain",
        "fix",
        "lint",
        "reason",
        "tool",
        "verify",
        "verify_many",
        "view",
    ]
