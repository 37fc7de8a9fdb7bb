"""Traces in a topos: `potlang.dot.diagram` against brute force, and against what solvers say."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from diagram_support import Forcing, components, places
from hypothesis import strategies as st
from meaning_support import Meant
from statements import Property
from strategies.finite_theories import FiniteTrace, finite_trace
from strategies.reasoning import Reasoning, program, reasoning

import potlang
import potlang.dot
from potlang.dot import MalformedTrace, NoDiagram, TraceDiagram
from potlang.languages.dot.diagram import Stages
from potlang.languages.dot.diagram_statements import differences, statements
from potlang.languages.dot.write.emit import emit
from potlang.report.results import Consistency, Verdict
from potlang.testing.traces import records, shuffle
from potlang.topos.nucleus import Nucleus

ROOT = Path(__file__).parents[2]


def diagram_of(case: Reasoning, stages: Stages | None = None) -> TraceDiagram:
    theory = None if case.theory is None else program(case.theory)
    return potlang.dot.diagram(case.text, theory=theory, stages=stages)


# --- the classical case --------------------------------------------------------------------------


def brute_force(case: Reasoning) -> None:
    """S, P, c(P), T, summary, colimit and sheaf are those of their definitions, model by model.

    [TOPOS-TRACE-SPACE] [TOPOS-TRACE-DIAGRAM] [TOPOS-TRACE-SUMMARY]
    """
    meant, found = Meant(case), diagram_of(case)
    place = places(meant, found)
    assert set(place) == set(range(len(found.models)))
    pairs = [
        (each.lower, each.upper)
        for each in meant.inclusions
        if meant.state(meant.sub(each.lower), meant.sub(each.upper)) != "refuted"
    ]
    assert [each.state for each in found.inclusions] == [
        meant.state(meant.sub(each.lower), meant.sub(each.upper)) for each in meant.inclusions
    ]
    for model, at in zip(meant.models, place, strict=True):
        true = {id_: case.is_true(id_, model) for id_ in case.ids("proposer")}
        for id_, sub in found.propositions.items():
            assert (at in sub) == (true[id_] if id_ in true else case.is_true(id_, model))
        rules = all(true[b] or not true[a] for a, b in pairs)
        assert bool(found.nucleus.points >> at & 1) == rules
        inside = all(true[id_] for id_ in meant.validated)
        assert (at in found.summary) == (inside or not rules)
        here = [
            each.id
            for each in found.index.objects.values()
            if not rules or all(true[node] for node in each.members)
        ]
        arrows = [(a, b) for a, b in found.index.generators().values() if a in here and b in here]
        maps = [(a, b) for a, b in arrows if found.objects[a] <= found.objects[b]]
        assert found.colimit_fibres[at] == components(here, maps)
        # Outside of T the empty family covers, and a sheaf has one element there.
        assert found.sheaf_fibres[at] == (components(here, maps) if rules else 1)
    assert found.is_classical and found.reflected_limit == found.summary


def symbolic(case: Reasoning) -> None:
    """The summary in the topos is that of the solver, and so is all else [TOPOS-TRACE-SUMMARY]."""
    meant, found = Meant(case), diagram_of(case)
    report = meant.report
    assert differences(found, report) == []
    assert report.summary.formula is not None
    said = meant.of_text(report.summary.formula)
    for at, place in enumerate(places(meant, found)):
        assert (at in said) == (place in found.summary)
    check_statements(found)


def symbolic_over_sorts(case: FiniteTrace) -> None:
    """The same for theories with closed sorts, functions and bounded integers [TOPOS-TRACE-SPACE]."""
    found = potlang.dot.diagram(case.text, theory=case.theory)
    report = potlang.dot.verify(case.text, theory=case.theory, trust="solver")
    assert differences(found, report) == []
    check_statements(found)


def check_statements(found: TraceDiagram) -> None:
    """All statements hold, but that of 4.3 where S refutes an inclusion."""
    refuted = any(each.state == "refuted" for each in found.inclusions)
    for each in statements(found):
        assert each.holds or (each.number == "4.3" and refuted), each


def seeded(make: Any) -> Any:
    return st.builds(lambda random: make(random), st.randoms(use_true_random=False))


PROPERTIES = {
    "brute_force": Property(brute_force, seeded(reasoning), quick=25),
    "symbolic": Property(symbolic, seeded(reasoning), quick=6),
    "symbolic_over_sorts": Property(symbolic_over_sorts, seeded(finite_trace), quick=4),
}
test_brute_force, test_brute_force_deep = PROPERTIES["brute_force"].tests()
test_symbolic, _ = PROPERTIES["symbolic"].tests()
test_symbolic_over_sorts, _ = PROPERTIES["symbolic_over_sorts"].tests()


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_the_topos_says_what_the_solver_says_of_300_traces(part: int) -> None:
    """[TOPOS-TRACE-SUMMARY] Half of them over truth values, half over closed sorts and integers."""
    for seed in range(15 * part, 15 * part + 15):
        symbolic(reasoning(Random(f"reasoning {seed}")))
        symbolic_over_sorts(finite_trace(Random(f"sorts {seed}")))


def test_differences_are_found() -> None:
    """[TOPOS-TRACE-SUMMARY] Whatever a report says otherwise is told."""
    path = ROOT / "examples" / "alarm.dot.txt"
    found, report = potlang.dot.diagram(path), potlang.dot.verify(path, trust="solver")
    assert differences(found, report) == []
    summary, first = report.summary, report.nodes[1]
    rank = summary.ranks[0]._replace(consistency=Consistency.INCONSISTENT)
    wrong = [
        report._replace(summary=summary._replace(nodes=(2, 4))),
        report._replace(summary=summary._replace(consistency=Consistency.CONSISTENT)),
        report._replace(summary=summary._replace(redundant=(6,))),
        report._replace(summary=summary._replace(incomparable=())),
        report._replace(summary=summary._replace(ranks=(rank, *summary.ranks[1:]))),
        report._replace(arrows=(report.arrows[0]._replace(state="proved"), *report.arrows[1:])),
        report._replace(nodes=(report.nodes[0], first._replace(verdict=Verdict.ENTAILED), *report.nodes[2:])),
        report._replace(nodes=(report.nodes[0], first._replace(closed=True), *report.nodes[2:])),
        report._replace(consequences=()),
    ]
    assert [len(differences(found, each)) for each in wrong] == [1] * len(wrong)
    [said] = summary.summarizers
    result = said.result._replace(verdict=Verdict.REFUTED) if said.result is not None else None
    denied = summary._replace(summarizers=(said._replace(result=result),))
    assert len(differences(found, report._replace(summary=denied))) == 1


def test_statements_fail_where_c_is_another_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    """[TOPOS-TRACE-STATEMENTS] They are computed on two sides, so a broken one shows."""
    found = potlang.dot.diagram(ROOT / "examples" / "alarm.dot.txt")
    assert all(each.holds for each in statements(found))
    real = Nucleus.closure
    monkeypatch.setattr(Nucleus, "closure", lambda self, sub: sub if sub.mask else real(self, sub))
    again = potlang.dot.diagram(ROOT / "examples" / "alarm.dot.txt")
    assert {"C.1", "4.3", "4.6, for limits"} <= {each.number for each in statements(again) if not each.holds}


@pytest.mark.parametrize("seed", range(40))
def test_any_trace_has_a_diagram_or_a_reason(seed: int) -> None:
    """[TOPOS-TRACE-BOUND]"""
    text = emit(records(Random(f"any {seed}"), blocks=20))
    try:
        check_statements(potlang.dot.diagram(text))
    except (NoDiagram, MalformedTrace) as error:
        assert error.diagnostics


# --- stages --------------------------------------------------------------------------------------


def over_stages(random: Random) -> tuple[Reasoning, dict[str, list[str]]]:
    case = reasoning(random, 3)
    names = ["p", "q", "r"]
    known = [[name for name in names if random.random() < 0.5] for _ in range(random.randint(1, 3))]
    return case, {f"c{at}": some for at, some in enumerate(known)}


def forced(given: tuple[Reasoning, dict[str, list[str]]]) -> None:
    """Over stages P is where it is forced, and c(X) what its definition says [TOPOS-TRACE-STAGES]."""
    case, stages = given
    meant, plain = Meant(case), diagram_of(case)
    used = set(plain.models[0]) if plain.models else set()
    stages = {name: [each for each in known if each in used] for name, known in stages.items()}
    found = diagram_of(case, stages)
    place = places(meant, found)
    forcing = Forcing([meant.models[place.index(at)] for at in range(len(found.models))], stages)
    states = [
        (stage, frozenset(at for at in range(len(found.models)) if models >> at & 1))
        for stage, models in found.points
    ]
    assert set(states) == forcing.states and len(states) == len(set(states))
    for id_, sub in found.propositions.items():
        value = case.proposition(id_)
        for point, state in enumerate(states):
            assert (point in sub) == forcing.forces(state, f"#{id_}" if value is None else value)
    whole = {state: all(point in sub for sub in found.family) for point, state in enumerate(states)}
    kept = {
        state: all(point not in one or point in two for one, two in found.rules())
        for point, state in enumerate(states)
    }
    for point, state in enumerate(states):
        under = forcing.below(state)
        assert (point in found.summary) == all(whole[each] or not kept[each] for each in under)
    check_statements(found)


test_forced, test_forced_deep = Property(forced, seeded(over_stages), quick=12).tests()


def test_where_all_is_known_the_summary_is_the_classical_one() -> None:
    """[TOPOS-TRACE-STAGES] So it is for any trace, at a stage where all has been found out."""
    for seed in range(10):
        case = reasoning(Random(f"all {seed}"))
        plain = diagram_of(case)
        names = sorted({name for model in plain.models for name in model})
        both = diagram_of(case, {"nothing": [], "all": names})
        if any(each.state == "refuted" for each in (*plain.inclusions, *both.inclusions)):
            continue
        whole = {point.models: at for at, point in enumerate(both.points) if point.stage == "all"}
        for at in range(len(plain.models)):
            assert (whole[1 << at] in both.summary) == (at in plain.summary)
        assert not both.is_classical
        check_statements(both)


def test_a_disjunction_is_not_known_before_one_of_its_sides_is() -> None:
    """[TOPOS-TRACE-STAGES] The logic over stages is that of the Heyting algebra Sub(S)."""
    text = trace({"declare": {"p": "Bool"}}, [{"or": ["p", {"not": "p"}]}], [])
    found = potlang.dot.diagram(text, stages={"later": ["p"], "first": [], "by a node": [2]})
    assert [point.stage for point in found.points] == ["later", "later", "first", "by a node"]
    assert found.propositions[2].mask == 0b0011
    assert potlang.dot.diagram(text).summary.mask == 0b11


# --- diagrams ------------------------------------------------------------------------------------


def trace(problem: Any, says: list[Any], entails: list[tuple[int, int]], extra: str = "") -> str:
    """A trace whose propositions 2, 4, … are validated, with arrows and more records in the last block."""
    lines = ["@node id=1 role=problem", f"@prop id=1 {json.dumps(problem)}"]
    for at, value in enumerate(says, 1):
        lines += [f"@node id={2 * at} role=proposer", f"@prop id={2 * at} {json.dumps(value)}"]
        lines += [f"@node id={2 * at + 1} role=critic", f"@edge src={2 * at} dst={2 * at + 1} kind=critique"]
        lines += [f"@status target={2 * at} mark=validated"]
    return "\n".join([*lines, *(f"@entails src={a} dst={b}" for a, b in entails), extra, ""])


TRUTHS = {"declare": {"p": "Bool", "q": "Bool"}}


def test_two_copies_of_true_have_two_sheets_and_one_meet() -> None:
    """[TOPOS-TRACE-DIAGRAM] Corollary 4.6 does not reduce to theorem 4.5."""
    found = potlang.dot.diagram(trace(TRUTHS, [{"pot": "p or not p"}, {"pot": "q or not q"}], []))
    assert found.sheaf_fibres == (2, 2, 2, 2) and found.summary.mask == 0b1111
    joined = potlang.dot.diagram(trace(TRUTHS, [{"pot": "p or not p"}, {"pot": "q or not q"}], [(2, 4)]))
    assert joined.sheaf_fibres == (1, 1, 1, 1) and joined.summary == found.summary


def test_an_arrow_that_is_only_claimed_has_a_map_between_closures_alone() -> None:
    """[TOPOS-TRACE-DIAGRAM] Theorem 4.3: over S there is no map P → Q unless P ≤ Q."""
    found = potlang.dot.diagram(trace(TRUTHS, ["p", "q"], [(2, 4)]))
    assert found.inclusions[0].state == "assumed"
    assert not found.propositions[2] <= found.propositions[4]
    assert found.objects[2] <= found.objects[4] and found.diagram.shape.edges == ((0, 1),)


def test_a_refuted_inclusion_has_no_map_and_no_part_in_the_nucleus() -> None:
    """[TOPOS-TRACE-DIAGRAM]"""
    problem = {**TRUTHS, "assume": ["p", {"not": "q"}]}
    found = potlang.dot.diagram(trace(problem, ["p", "q"], [(2, 4)]))
    assert found.inclusions[0].state == "refuted" and found.nucleus.is_trivial()
    assert [each.holds for each in statements(found) if each.number == "4.3"] == [False]
    assert found.diagram.shape.edges == ()


def test_index_categories_with_relations_and_cycles() -> None:
    """[TOPOS-TRACE-DIAGRAM] Objects, generating arrows and relations are those of the extraction."""
    parallel = trace(TRUTHS, ["p", "q"], [(2, 4), (2, 4)])
    found = potlang.dot.diagram(parallel).index_category
    assert found is not None and len(found.category.source) == 4
    one = potlang.dot.diagram(parallel + "@node id=8 role=critic\n@coeq src=2 dst=4\n").index_category
    assert one is not None and len(one.category.source) == 3
    cycle = potlang.dot.diagram(trace(TRUTHS, ["p", "q"], [(2, 4), (4, 2)]))
    assert cycle.index_category is None and cycle.objects[2] == cycle.objects[4]
    same = potlang.dot.diagram(trace(TRUTHS, ["p", "q"], [], "@eq src=2 dst=4"))
    assert [each.members for each in same.index.objects.values()] == [(2, 4)]
    assert same.sheaf_fibres == (0, 1, 1, 1)


def test_ranks_are_a_chain_of_nuclei() -> None:
    """[TOPOS-TRACE-SUMMARY] Without the arrow of rank 2 the summary is consistent again (appendix C.3)."""
    text = trace(TRUTHS, ["p", "q"], [], "@entails src=2 dst=4\n@entails src=4 dst=6 rank=2") + (
        '@node id=6 role=proposer\n@prop id=6 {"not": "p"}\n'
    )
    text = text.replace("@entails src=4 dst=6 rank=2", "")
    text += "@node id=7 role=critic\n@entails src=4 dst=6 rank=2\n"
    found = potlang.dot.diagram(text)
    assert found.ranks == (0, 2) and not found.is_consistent
    low, high = (found.nucleus_up_to(rank) for rank in found.ranks)
    assert low <= high and high == found.nucleus
    assert low.is_consistent(found.propositions[2] & found.propositions[4])


# --- robustness ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_the_form_does_not_depend_on_ids_and_order(seed: int) -> None:
    """[TOPOS-TRACE-FORM] Proposition 4.12, theorem B.3."""
    random = Random(f"form {seed}")
    case = reasoning(random)
    other = shuffle(case.records, random)
    one, two = diagram_of(case), diagram_of(case._replace(records=tuple(other.records)))
    assert one.form == two.form
    assert sorted(one.sheaf_fibres or ()) == sorted(two.sheaf_fibres or ())
    assert len(one.models) == len(two.models) and one.is_consistent == two.is_consistent
    assert one.summary.mask.bit_count() == two.summary.mask.bit_count()


def test_the_form_tells_diagrams_apart_that_are_not_isomorphic() -> None:
    """[TOPOS-TRACE-FORM] The same objects and as many arrows, but other colimits."""
    true, also = {"pot": "p or not p"}, {"pot": "q or not q"}
    twice = potlang.dot.diagram(trace(TRUTHS, [true, also, true], [(2, 4), (2, 4)]))
    once = potlang.dot.diagram(trace(TRUTHS, [true, also, true], [(2, 4), (6, 4)]))
    assert sorted(twice.sheaf_fibres or ()) != sorted(once.sheaf_fibres or ())
    assert twice.form != once.form
    weaker = potlang.dot.diagram(trace(TRUTHS, [true, also, "p"], [(2, 4), (2, 4)]))
    assert weaker.form != twice.form


# --- beyond --------------------------------------------------------------------------------------


def truths(count: int) -> dict[str, str]:
    return {f"p{at}": "Bool" for at in range(count)}


def parity(names: list[str]) -> Any:
    """Nothing is known of it before all names have a value."""
    return {"iff": [names[0], parity(names[1:])]} if len(names) > 1 else names[0]


HARD = [parity([*truths(30)]), {"not": parity([*truths(30)][::-1])}]


def declared(**sorts: str) -> dict[str, Any]:
    return {"declare": sorts}


@pytest.mark.parametrize(
    ("problem", "says", "code", "word"),
    [
        (declared(n="Int"), {"gt": ["n", 2]}, "POT5080", "the integer n has no least value"),
        ({**declared(n="Int"), "assume": [{"ge": ["n", 0]}]}, {"gt": ["n", 2]}, "POT5080", "greatest"),
        (declared(x="Real"), {"gt": ["x", 2]}, "POT5080", "x is of sort Real"),
        (
            declared(),
            {"forall": [{"x": "Int"}, {"ge": [{"mul": ["x", "x"]}, 0]}]},
            "POT5080",
            "x is of sort Int",
        ),
        (
            {**declared(n="Int"), "assume": [{"ge": ["n", 0]}, {"le": ["n", 1024]}]},
            {"gt": ["n", 2]},
            "POT5081",
            "more than 1,024 values",
        ),
        (
            declared(**{f"p{i}": "Bool" for i in range(11)}),
            {"or": [f"p{i}" for i in range(11)]},
            "POT5081",
            "models",
        ),
        ({**declared(**truths(30)), "assume": HARD}, "p3", "POT5081", "steps"),
    ],
)
def test_what_is_not_finite_or_too_large_is_a_diagnostic(
    problem: Any, says: Any, code: str, word: str
) -> None:
    """[TOPOS-TRACE-BOUND] At once, and with what to do."""
    began = time.monotonic()
    with pytest.raises(NoDiagram) as caught:
        potlang.dot.diagram(trace(problem, [says], []))
    [found] = caught.value.diagnostics
    assert found.code == code and word in found.message and found.helps
    assert time.monotonic() - began < 30


def test_bounds_that_follow_from_sums_are_found() -> None:
    """[TOPOS-TRACE-SPACE] x + y == 4 bounds both where neither is negative."""
    problem = {**declared(x="Int", y="Int"), "assume": [{"ge": ["x", 0]}, {"ge": ["y", 0]}]}
    problem["assume"].append({"eq": [{"add": ["x", {"mul": [2, "y"]}]}, 4]})
    found = potlang.dot.diagram(trace(problem, [{"or": [{"eq": ["x", 0]}, {"gt": ["y", 0]}]}], []))
    assert [(m["x"], m["y"]) for m in found.models] == [("0", "2"), ("2", "1"), ("4", "0")]
    assert found.summary.mask == 0b011
    listed = {**declared(x="Int"), "assume": [{"or": [{"eq": ["x", 7]}, {"eq": ["x", 3]}]}]}
    assert [m["x"] for m in potlang.dot.diagram(trace(listed, [{"gt": ["x", 5]}], [])).models] == ["3", "7"]


def test_a_closed_sort_that_nothing_speaks_of_does_not_count() -> None:
    """[TOPOS-TRACE-SPACE] And of one that something speaks of, constants may name one member."""
    silent, same = trace({"assume": []}, ["p"], []), trace({"assume": []}, [{"eq": ["x0", "x1"]}], [])
    assert len(potlang.dot.diagram(silent, theory=crowd(8)).models) == 2
    with pytest.raises(NoDiagram, match="more than 1,024 models"):
        potlang.dot.diagram(same, theory=crowd(8))
    found = potlang.dot.diagram(same, theory=crowd(3))
    assert len(found.models) == 5 and found.summary.mask.bit_count() == 2


def crowd(count: int) -> dict[str, Any]:
    """A theory with a closed sort of so many constants, of which several may name one member."""
    return {
        "sorts": [{"name": "Person", "type": "DeclareSort"}],
        "constants": {
            "people": {"sort": "Person", "members": [f"x{at}" for at in range(count)]},
            "truths": {"sort": "Bool", "members": ["p"]},
        },
        "semantics": {"closed_domain": ["Person"]},
        "verifications": [{"constraint": "p"}],
    }


def test_a_theory_without_models_has_an_empty_space() -> None:
    """[TOPOS-TRACE-SPACE]"""
    found = potlang.dot.diagram(trace({**TRUTHS, "assume": ["p", {"not": "p"}]}, ["p", "q"], [(2, 4)]))
    assert found.models == () and found.sheaf_fibres == () and not found.is_consistent
    check_statements(found)


def test_stages_that_cannot_be_used() -> None:
    """[TOPOS-TRACE-STAGES]"""
    text = trace(TRUTHS, ["p"], [])
    for wrong in ("nothing", 7, True, 1.5):
        with pytest.raises(NoDiagram) as caught:
            potlang.dot.diagram(text, stages={"some": [wrong]})  # type: ignore[list-item]
        assert [each.code for each in caught.value.diagnostics] == ["POT5082"]


def test_a_trace_with_errors_has_no_diagram() -> None:
    with pytest.raises(MalformedTrace):
        potlang.dot.diagram(trace(TRUTHS, ["undeclared"], []))
    with pytest.raises(MalformedTrace):
        potlang.dot.diagram("@node id=1 role=nobody\n")


def test_the_example_of_appendix_a() -> None:
    """[TOPOS-TRACE-SPACE] Nothing in it is unknown: S is a point, and all that is validated holds there."""
    found = potlang.dot.diagram(ROOT / "examples" / "appendix_a.dot.txt")
    assert found.models == ({},) and found.validated == (2, 4, 8)
    assert found.summary.mask == 1 and found.sheaf_fibres == (3,) and found.nucleus.is_trivial()
    assert found.propositions[6].mask == 0
    assert differences(found, potlang.dot.verify(ROOT / "examples" / "appendix_a.dot.txt")) == []
