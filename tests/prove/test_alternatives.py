"""All cores and the corrections in reports: right by enumeration, and by solvers that did not find them."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from structures import structures
from test_verdicts_brute_force import worlds
from verdict_programs import PERSON, World, mortals, term

import potlang
from potlang.engines.cvc5 import Cvc5Engine
from potlang.engines.encoding import AssertionNames, Encoding
from potlang.engines.messages import Query
from potlang.engines.z3 import Z3Engine
from potlang.ir.evaluator import evaluate
from potlang.ir.module import Module
from potlang.ir.nodes import Node
from potlang.ir.sorts import BOOL
from potlang.languages.pot.report import Report
from potlang.processes.pool import Workers
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import CoreItem, Evidence, Limits, ProgramResult, Verdict

SEED = Path(__file__).parents[1] / "seed"
LIMITS = Path(__file__).parents[1] / "limits"
Family = Sequence[Sequence[CoreItem]]
Unsatisfiable = Callable[[frozenset[int]], bool]

ALL = ProverOptions(route="z3", trust="solver", cores="all")
FEW = ProverOptions(route="z3", trust="solver", minimize_cores=True)


def report(
    module: Module, workers: Workers, options: ProverOptions = ALL, limits: Limits = Limits()
) -> ProgramResult:
    with Prover(module, options, limits, workers=workers) as session:
        return session.report()


def numbers(module: Module, family: Family) -> list[frozenset[int]]:
    """Each set as positions of assumptions; names are unique in these modules."""
    order = {(each.name, each.origin.pointer): n for n, each in enumerate(module.assertions)}
    return [frozenset(order[item.name, item.pointer] for item in each) for each in family]


def minimal(sets: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    every = list(sets)
    return [each for each in every if not any(other < each for other in every)]


# --- by enumeration ---


def by_structures(module: Module, goal: Sequence[Node]) -> Unsatisfiable:
    """Over all structures: each formula is a row of bits, one for each structure in which it holds."""
    models = list(structures(module, {}))

    def row(formula: Node) -> int:
        return sum(1 << n for n, model in enumerate(models) if evaluate(formula, model) is True)

    rows = [row(each.formula) for each in module.assertions]
    start = row(goal[0]) if goal else (1 << len(models)) - 1

    def unsatisfiable(subset: frozenset[int]) -> bool:
        left = start
        for n in subset:
            left &= rows[n]
        return left == 0

    return unsatisfiable


def goal_of(module: Module, verdict: Verdict, formula: Node) -> list[Node] | None:
    goals = {
        Verdict.ENTAILED: [module.pool.negate(formula)],
        Verdict.REFUTED: [formula],
        Verdict.INCONSISTENT: [],
    }
    return goals.get(verdict)


def check_against_structures(world: World, workers: Workers) -> None:
    """Both families, complete, are those found by enumerating subsets and structures."""
    for number, claim in enumerate(world.claims[:3]):
        if not claim.find:
            world.fact(f"said {number}", claim.formula)
    world.norms.clear()
    module = world.module()
    found = report(module, workers)
    for claim, result in zip(module.claims, found.results, strict=True):
        goal = goal_of(module, result.verdict, claim.formula)
        if goal is None or claim.find:
            continue
        evidence = result.evidence
        unsatisfiable = by_structures(module, goal)
        whole = frozenset(range(len(module.assertions)))
        subsets = [
            frozenset(each)
            for size in range(len(whole) + 1)
            for each in itertools.combinations(sorted(whole), size)
        ]
        assert evidence.cores is not None and evidence.cores_complete
        cores = minimal(each for each in subsets if unsatisfiable(each))
        assert numbers(module, evidence.cores) == sorted(cores, key=lambda each: (len(each), sorted(each)))
        assert evidence.core in evidence.cores
        if result.verdict is not Verdict.INCONSISTENT:
            assert evidence.corrections is None
            continue
        assert evidence.corrections is not None and evidence.corrections_complete
        corrections = minimal(each for each in subsets if not unsatisfiable(whole - each))
        assert numbers(module, evidence.corrections) == sorted(
            corrections, key=lambda each: (len(each), sorted(each))
        )


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(world=worlds())
def test_families_agree_with_enumeration(shared: Workers, world: World) -> None:
    check_against_structures(world, shared)


@pytest.mark.slow
@settings(max_examples=800, deadline=None, suppress_health_check=list(HealthCheck))
@given(world=worlds())
def test_families_agree_with_enumeration_deep(shared: Workers, world: World) -> None:
    check_against_structures(world, shared)


# --- by solvers ---


class Alone:
    """Asks z3 and cvc5, in this process, about subsets of a module's assumptions."""

    def __init__(self, module: Module, goal: Sequence[Node]) -> None:
        self._module = module
        self._goal = goal
        self._engines = [(Z3Engine(), "z3"), (Cvc5Engine(), "cvc5")]

    def __call__(self, subset: Iterable[int]) -> set[str]:
        """What they say, both; an unknown is left out."""
        answers = set()
        for engine, dialect in self._engines:
            words = Encoding(self._module, dialect, AssertionNames(self._module)).bare()
            engine.start(words.declarations())
            chosen = [words.assertion(self._module.assertions[n]) for n in sorted(subset)]
            chosen += [words.goal(each) for each in self._goal]
            answers.add(engine.ask(Query("".join(chosen)), 5_000).status)
        return answers - {"unknown"}


def check_families(module: Module, goal: Sequence[Node], evidence: Evidence) -> int:
    """Each set is what it is said to be, minimal, for both solvers; complete ones hit each other."""
    alone = Alone(module, goal)
    whole = frozenset(range(len(module.assertions)))
    assert evidence.cores is not None
    cores = numbers(module, evidence.cores)
    for core in cores:
        assert alone(core) == {"unsat"}
        for n in core:
            assert alone(core - {n}) == {"sat"}
    corrections = numbers(module, evidence.corrections or ())
    for correction in corrections:
        assert alone(whole - correction) == {"sat"}
        for n in correction:
            assert alone((whole - correction) | {n}) == {"unsat"}
    if evidence.cores_complete and evidence.corrections_complete:
        assert set(cores) == set(minimal_hitting_sets(corrections))
        assert set(corrections) == set(minimal_hitting_sets(cores))
    return len(cores) + len(corrections)


def minimal_hitting_sets(family: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    """Berge's algorithm: the sets are taken up one by one."""
    found = [frozenset[int]()]
    for each in family:
        found = minimal({old | {n} for old in found for n in ({*old & each} or each)})
    return found


def goals(program: potlang.Program, found: ProgramResult) -> list[tuple[Evidence, list[Node]]]:
    """Evidence with cores, and the formula that goes with each."""
    claims = (*program.module.claims, *program.module.norms)
    pairs = []
    for claim, result in zip(claims, found.results, strict=True):
        goal = goal_of(program.module, result.verdict, claim.formula)
        if goal is not None and not claim.find:
            pairs.append((result.evidence, goal))
    return pairs


def check_program(value: Any, workers: Workers) -> int:
    program = potlang.compile(value)
    found = report(program.module, workers)
    return sum(check_families(program.module, goal, each) for each, goal in goals(program, found))


@pytest.mark.parametrize(
    "name", ["02_cherokee_delegation", "03_hse_ladder", "08_parent_child", "18_contradictory_math"]
)
def test_families_of_the_papers_programs_hold_for_two_solvers(shared: Workers, name: str) -> None:
    assert check_program(SEED / f"{name}.json", shared) > 0


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(SEED.glob("[0-9]*.json")), ids=lambda path: path.stem)
def test_families_of_all_the_papers_programs(shared: Workers, path: Path) -> None:
    if potlang.check(path).program is not None:
        check_program(path, shared)


def test_cores_of_all_the_papers_programs_are_minimal(shared: Workers) -> None:
    seen = 0
    for path in sorted(SEED.glob("[0-9]*.json")):
        program = potlang.check(path).program
        if program is None:
            continue
        for result in report(program.module, shared, FEW).results:
            if result.evidence.core is not None:
                seen += 1
                assert result.evidence.core_minimal, path.stem
    assert seen > 10


# --- the report ---


def conflict() -> World:
    """p and its negation, and q, from which the negation follows too; r has no part in it."""
    world = World()
    p, q, r = (world.constant(name, BOOL) for name in "pqr")
    world.fact("p", p)
    world.fact("not p", world.pool.negate(p))
    world.fact("q", q)
    world.fact("q says not p", world.pool.implies(q, world.pool.negate(p)))
    world.fact("r", r)
    return world


CORES = [["p", "not p"], ["p", "q", "q says not p"]]
CORRECTIONS = [["p"], ["not p", "q"], ["not p", "q says not p"]]


def named(family: Family | None) -> list[list[str]]:
    assert family is not None
    return [[item.name for item in each] for each in family]


@pytest.mark.usefixtures("unhurried")
def test_what_to_remove_comes_without_being_asked_for(shared: Workers) -> None:
    world = conflict()
    world.claim("v", term(world, "r"))
    evidence = report(world.module(), shared, FEW).results[0].evidence
    assert named(evidence.corrections) == CORRECTIONS
    assert evidence.corrections_complete
    assert (evidence.cores, evidence.cores_complete) == (None, False)


def test_all_cores_on_request(shared: Workers) -> None:
    world = conflict()
    world.claim("v", term(world, "r"))
    world.claim("w", term(world, "q"))
    first, second = (each.evidence for each in report(world.module(), shared).results)
    assert named(first.cores) == CORES
    assert first.cores_complete
    assert named(first.corrections) == CORRECTIONS
    assert second.cores == first.cores


def test_a_program_without_claims_has_it_in_the_report(shared: Workers) -> None:
    found = report(conflict().module(), shared)
    assert found.verdict is Verdict.INCONSISTENT
    assert found.evidence is not None
    assert found.evidence.core_minimal
    assert named(found.evidence.cores) == CORES
    assert named(found.evidence.corrections) == CORRECTIONS
    assert found.to_dict()["evidence"]["corrections_complete"] is True


def test_every_way_to_an_entailed_claim(shared: Workers) -> None:
    world = World()
    p, q, r = (world.constant(name, BOOL) for name in "pqr")
    world.fact("p", p)
    world.fact("q", q)
    world.fact("p so r", world.pool.implies(p, r))
    world.fact("q so r", world.pool.implies(q, r))
    world.claim("r", r)
    world.claim("not r", world.pool.negate(r))
    both = [["p", "p so r"], ["q", "q so r"]]
    for result in report(world.module(), shared).results:
        assert named(result.evidence.cores) == both
        assert result.evidence.corrections is None


def test_consistent_programs_have_neither(shared: Workers) -> None:
    world = mortals()
    world.claim("open", term(world, "mortal", "bob"))
    evidence = report(world.module(), shared).results[0].evidence
    assert (evidence.cores, evidence.corrections) == (None, None)


def test_the_solvers_word_alone_comes_without_corrections(shared: Workers) -> None:
    world = conflict()
    world.claim("v", term(world, "r"))
    evidence = report(world.module(), shared, ProverOptions(trust="solver")).results[0].evidence
    assert (evidence.corrections, evidence.core_minimal) == (None, False)


def test_what_was_assumed_for_a_while_is_not_remembered(shared: Workers) -> None:
    world = conflict()
    module = world.module()
    with Prover(module, ALL, workers=shared) as session:
        (before,) = session.verify([_claim(world)])
        session.push([world.assertion("not r", world.pool.negate(term(world, "r")))])
        (within,) = session.verify([_claim(world)])
        session.pop()
        (after,) = session.verify([_claim(world)])
    assert named(within.evidence.cores) == [["p", "not p"], ["r", "not r"], ["p", "q", "q says not p"]]
    assert before.evidence.cores == after.evidence.cores
    assert named(before.evidence.corrections) == CORRECTIONS


def _claim(world: World) -> Any:
    world.claims.clear()
    world.claim("v", term(world, "r"))
    return world.claims[0]


def test_a_handful_of_corrections_of_very_many(shared: Workers) -> None:
    """[LIMIT-CORRECTIONS] Twelve contradictions have 4,096 corrections: a few are given, and it is said
    that there are more.
    """
    world = World()
    for number in range(12):
        p = world.constant(f"p{number}", BOOL)
        world.fact(f"p{number}", p)
        world.fact(f"not p{number}", world.pool.negate(p))
    found = report(world.module(), shared, FEW).evidence
    assert found is not None and found.corrections is not None
    assert len(found.corrections) <= 5
    assert not found.corrections_complete
    assert {len(each) for each in found.corrections} <= {12}


def test_undecided_subsets_are_never_called_complete(shared: Workers) -> None:
    """Without p, or its negation, an equation is left on which the solver hangs until it is killed."""
    program = json.loads((LIMITS / "hang.json").read_text(encoding="utf-8"))
    program["knowledge_base"] += ["p", "Not(p)"]
    program["constants"]["flags"] = {"sort": "Bool", "members": ["p"]}
    program["verifications"] = []
    found = report(potlang.compile(program).module, shared, FEW).evidence
    assert found is not None
    assert (len(found.core or ()), found.core_minimal) == (2, True)
    assert (found.corrections, found.corrections_complete) == ((), False)


def test_text_and_html_show_every_set(shared: Workers) -> None:
    world = conflict()
    world.claim("v", term(world, "r"))
    found = report(world.module(), shared)
    text = Report._make(found).render()
    assert text.count("the assumptions are consistent without") == 1
    for line in ("fact [p] text of p", "fact [q says not p]", "or without", "  or\n"):
        assert line in text
    assert "there may be more" not in text
    page = Report._make(found)._repr_html_()
    assert "or without" in page
    assert "<script" not in page


def test_the_schema_has_them(shared: Workers) -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads((Path(__file__).parents[2] / "schemas/report-1.json").read_text(encoding="utf-8"))
    found = report(conflict().module(), shared)
    Draft202012Validator(schema).validate(found.to_dict())


def program(tmp_path: Path) -> Path:
    path = tmp_path / "conflict.json"
    text = ["p", "Not(p)", "q", "Implies(q, Not(p))", "r"]
    value = {
        "constants": {"flags": {"sort": "BoolSort", "members": ["p", "q", "r"]}},
        "knowledge_base": text,
        "verifications": [{"name": "v", "constraint": "r"}],
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_the_interface_takes_the_option(tmp_path: Path) -> None:
    one, every = (
        potlang.verify(program(tmp_path), cores=choice).results[0].evidence  # type: ignore[arg-type]
        for choice in ("one", "all")
    )
    assert one.cores is None
    assert [[item.text for item in core] for core in every.cores or ()] == [
        ["p", "Not(p)"],
        ["p", "q", "Implies(q, Not(p))"],
    ]
    assert every.corrections_complete
    # The few that are given unasked have little time.
    assert one.corrections == every.corrections or not one.corrections_complete
    with pytest.raises(potlang.api.OptionError):
        potlang.verify(program(tmp_path), cores="some")  # type: ignore[arg-type]


def test_the_command_line_takes_the_option(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "potlang", str(program(tmp_path)), "--cores", "all"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "the assumptions are consistent without" in done.stdout
    assert "or\n" in done.stdout


def test_a_sort_makes_no_difference(shared: Workers) -> None:
    """Quantified assumptions under the constants that switch them."""
    world = World(PERSON)
    human, mortal = world.function("human", [PERSON]), world.function("mortal", [PERSON])
    names = [world.constant(f"c{i}", PERSON) for i in range(20)]
    for number, name in enumerate(names):
        world.fact(f"human {number}", world.app(human, name))
    world.fact("mortal", world.implies_all(human, mortal))
    world.fact("never", world.pool.negate(world.quantify("exists", PERSON, mortal)))
    found = report(world.module(), shared).evidence
    assert found is not None
    assert named(found.cores) == [[f"human {n}", "mortal", "never"] for n in range(20)]
    assert found.cores_complete
    assert named(found.corrections)[:2] == [["mortal"], ["never"]]
    assert named(found.corrections)[2:] == [[f"human {n}" for n in range(20)]]
    assert found.corrections_complete
