"""Derivations as solutions: well formed, closed, perfect, and each step entailed by its parents alone."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from derivable_programs import horn_program
from hypothesis import strategies as st
from seed_programs import EACH_KIND
from statements import Mutation, Property

import potlang
import potlang.engines.horn.lemmas as lemmas
from potlang.convert.deductions import NotEntailed, deduce
from potlang.convert.derivation_to_solution import derivation_to_solution
from potlang.diag import Sink
from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.read.reader import read_solution
from potlang.languages.dagmath.read.records import Solution
from potlang.languages.dagmath.solve.answers import AnswerChecker
from potlang.languages.dagmath.write import solution_value, write_json, write_text
from potlang.report.results import Verdict
from potlang.testing import finite_programs, identifiers, renamed

ROOT = Path(__file__).parents[2]
DECLARATIONS = ("sorts", "functions", "constants", "variables", "semantics")


def _solutions(source: dict[str, Any]) -> list[Solution]:
    """The solutions of all claims that are entailed."""
    program = potlang.compile(source)
    found = []
    for claim in program.module.claims:
        try:
            found.append(derivation_to_solution(program, claim.name))
        except NotEntailed as error:
            assert error.verdict is not Verdict.ENTAILED
    return found


def _check_form(solution: Solution) -> None:
    checked = check(solution_value(solution))
    # Not all that a program says is about numbers.
    assert {each.code for each in checked.diagnostics} <= {"POT7034"}, checked.diagnostics
    assert checked.solution == solution
    assert checked.graph is not None and checked.graph.closed()
    with AnswerChecker() as judge:
        judged = judge.judge_solution(solution)
    assert judged is not None and judged.correct and not judged.note


def _check_round_trips(solution: Solution) -> None:
    sink = Sink()
    assert read_solution(write_json(solution), sink).solution == solution
    assert read_solution(write_json(solution, indent=None).encode(), sink).solution == solution
    assert not sink.diagnostics()


def _check_source(source: dict[str, Any]) -> None:
    """[DAG-FROM-1] [DAG-FROM-2]: no warning, closed, the right answer, and read back the same."""
    for solution in _solutions(source):
        _check_form(solution)
        _check_round_trips(solution)


def _check_horn(random: Random) -> None:
    """[DAG-FROM-1] [DAG-FROM-2]: no warning, closed, the right answer, and read back the same."""
    source = horn_program(random)
    for solution in _solutions(source):
        _check_form(solution)
        _check_round_trips(solution)
        sink = Sink()
        assert read_solution(write_text(solution), sink).solution == solution
        assert not sink.diagnostics()


def _check_local(random: Random) -> None:
    """[DAG-FROM-3]: what the parents of a step say entails what it says, without any other assumption."""
    source = horn_program(random)
    program = potlang.compile(source)
    for claim in program.module.claims:
        try:
            deduction = deduce(program, claim.name)
        except NotEntailed:
            continue
        solution = derivation_to_solution(program, claim.name)
        assumed = {each.formula for each in deduction.module.assertions}
        _check_steps(source, solution, len(assumed))


def _check_steps(source: dict[str, Any], solution: Solution, assumptions: int) -> None:
    declared = {key: source[key] for key in DECLARATIONS if key in source}
    says = {step.id: step.formal for step in solution.steps}
    *steps, last = solution.steps
    assert last.formal is None and last.parents == (len(steps),)
    assert sum(step.parents is None and step.node.startswith("It is given") for step in steps) <= assumptions
    for step in steps:
        if step.node.startswith("It is given"):
            continue
        premises = [says[parent] for parent in step.parents or ()]
        asked = {**declared, "knowledge_base": premises, "verifications": [{"constraint": step.formal}]}
        [result] = potlang.verify(asked, trust="solver").results
        assert result.verdict in (Verdict.ENTAILED, Verdict.INCONSISTENT), (step, premises)


RANDOMS = st.randoms(use_true_random=False)
HORN = Property(_check_horn, RANDOMS, quick=15)
LOCAL = Property(_check_local, RANDOMS, quick=15)
ANY = Property(_check_source, finite_programs(most=2), quick=10)

test_horn_programs, test_horn_programs_deeply = HORN.tests()
test_steps_follow_from_their_parents, test_steps_follow_from_their_parents_deeply = LOCAL.tests()
test_any_programs, test_any_programs_deeply = ANY.tests()


def _without_assumptions(self: Any) -> lemmas.Lemmas:
    found = COLLECT(self)
    bare = tuple(each._replace(assumptions=(), key=None) for each in found.found)
    return found._replace(found=bare)


def _without_premises(self: Any) -> lemmas.Lemmas:
    found = COLLECT(self)
    return found._replace(found=tuple(each._replace(premises=()) for each in found.found))


def _only_last_rule(self: Any) -> lemmas.Lemmas:
    """Rules of steps that are left out are forgotten."""
    found = COLLECT(self)
    bare = tuple(each._replace(assumptions=(each.key,) if each.key else ()) for each in found.found)
    return found._replace(found=bare, assumptions=())


COLLECT = lemmas._Collector.lemmas
MUTATIONS = [
    Mutation("local", "lemmas forget the rules", (lemmas._Collector,), "lemmas", _without_assumptions),
    Mutation("local", "lemmas forget the lemmas", (lemmas._Collector,), "lemmas", _without_premises),
    Mutation("local", "rules of steps left out are lost", (lemmas._Collector,), "lemmas", _only_last_rule),
]


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_lost_premises_are_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    """[DAG-FROM-3]: the statement can fail."""
    mutation.check_caught(LOCAL, monkeypatch)


@pytest.mark.parametrize("path", EACH_KIND)
def test_entailed_claims_of_the_seed_programs(path: Path) -> None:
    """[DAG-FROM-1] [DAG-FROM-2]."""
    if potlang.check(path).program is not None:
        _check_source(json.loads(path.read_text()))


def _check_odd_names(names: dict[str, str]) -> None:
    """[DAG-FROM-4]: whatever the names are, no citation, no sentence and no LaTeX is made of them."""
    source = renamed(
        {
            "sorts": [],
            "functions": [
                {"name": "even", "domain": ["Int"], "range": "Bool"},
                {"name": "ok", "domain": [], "range": "Bool"},
            ],
            "knowledge_base": [{"name": names["fact"], "assertion": "even(4)"}],
            "rules": [
                {
                    "name": names["rule"],
                    "forall": [{"name": "n", "sort": "Int"}],
                    "implies": {"antecedent": "even(n)", "consequent": "ok"},
                }
            ],
            "verifications": [{"name": "c", "constraint": "ok"}],
        },
        {"even": names["even"], "ok": names["ok"]},
    )
    checked = potlang.check(source)
    if checked.program is None:
        return
    solution = derivation_to_solution(checked.program)
    _check_form(solution)
    _check_round_trips(solution)
    assert len(solution.steps) == 4


_TRAPS = st.sampled_from(
    [
        "Step 7",
        "Steps 1-3",
        "by Step",
        "see step 12, 13",
        "One. Two. Three",
        "$x$. Then",
        "\\boxed{",
        "”",
        "ε",
    ]
)
_NAMES = st.one_of(identifiers(), _TRAPS)
ODD = Property(
    _check_odd_names,
    st.fixed_dictionaries(dict.fromkeys(("fact", "rule", "even", "ok"), _NAMES)).filter(
        lambda names: names["even"] != names["ok"]
    ),
    quick=60,
)
test_odd_names, test_odd_names_deeply = ODD.tests()


def test_the_example() -> None:
    """[DAG-FROM-2]: the facts and rules first, then what they give, then the answer."""
    solution = derivation_to_solution(potlang.compile(ROOT / "examples" / "derivation.json"))
    assert [step.parents for step in solution.steps] == [
        *[None] * 5,
        (1, 2, 4),
        (3, 4, 6),
        (5, 7),
        (8,),
    ]
    assert solution.steps[6].edge == "The rule of Step 4, applied to Step 3 and Step 6, gives this."
    assert solution.steps[6].formal == "reached(5)"
    assert Graph.of(solution).sources() == [0, 1, 2, 3, 4]


def test_what_holds_anyway_has_no_parents() -> None:
    """[DAG-FROM-2]."""
    claim = {"constraint": "1 + 1 == 2"}
    [solution] = _solutions({"sorts": [], "knowledge_base": [], "verifications": [claim]})
    assert [step.parents for step in solution.steps] == [None, (1,)]


def test_a_claim_that_is_an_assumption() -> None:
    """[DAG-FROM-2]: it is said once."""
    functions = [{"name": "p", "domain": [], "range": "Bool"}]
    source = {"sorts": [], "functions": functions, "knowledge_base": ["p"]}
    [solution] = _solutions({**source, "verifications": [{"constraint": "p"}]})
    assert [step.parents for step in solution.steps] == [None, (1,)]


def test_only_entailed_claims_have_a_solution() -> None:
    """[DAG-FROM-1]."""
    source = {"sorts": [], "functions": [], "verifications": [{"name": "no", "constraint": "1 == 2"}]}
    with pytest.raises(NotEntailed):
        derivation_to_solution(potlang.compile(source))
    with pytest.raises(LookupError, match="`no`"):
        derivation_to_solution(potlang.compile(source), "yes")
