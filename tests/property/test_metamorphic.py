"""Changes of a program that must not change its verdicts, whatever it says."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st
from property_support import both, compiled, reads_back

import potlang
from potlang.languages.pot.report import Report
from potlang.report.results import Limits
from potlang.sema.builtins import BUILTINS
from potlang.sema.emit import module_to_pot
from potlang.sema.sorts import BUILTIN, CONSTRUCTORS
from potlang.testing import declared_names, finite_programs, identifiers, programs, renamed

LIMITS = Limits(check_ms=1_000, total_ms=3_000)
PIPELINES = ("", "simplify", "simplify,nnf,prenex", "nnf,prenex,simplify")
RESERVED = frozenset((*BUILTINS, *BUILTIN, *CONSTRUCTORS, "True", "False", "true", "false"))
Program = dict[str, Any]


def verdicts(program: Program, passes: str = "simplify") -> list[Any]:
    """The verdicts in order, and the optimum's status and values."""
    report = potlang.verify(compiled(program), trust="solver", limits=LIMITS, passes=passes)
    return _outcome(report)


def _outcome(report: Report) -> list[Any]:
    found: list[Any] = [str(result.verdict) for result in report.results]
    if report.optimization is not None:
        optimum = report.optimization
        found.append((str(optimum.status), [o.value for o in optimum.objectives]))
    return found


def same(first: list[Any], second: list[Any]) -> bool:
    """Whether the outcomes are equal, where neither is unknown."""
    pairs = zip(first, second, strict=True)
    return all(a == b or "unknown" in (a, b) or "unknown" in (a[0], b[0]) for a, b in pairs)


def passes_change_no_verdict(program: Program) -> None:
    """The verdicts are the same under every pipeline."""
    first, *rest = (verdicts(program, passes) for passes in PIPELINES)
    for other in rest:
        assert same(first, other), (first, rest)


def order_changes_no_verdict(program: Program, seed: int) -> None:
    """Facts, rules and declarations stand in any order."""
    mixer = random.Random(seed)
    other = dict(program)
    for key in ("sorts", "functions", "variables", "knowledge_base", "rules"):
        if key in other and not (key == "rules" and any("role" in rule for rule in other[key])):
            other[key] = mixer.sample(other[key], len(other[key]))
    items = list(other.items())
    mixer.shuffle(items)
    assert same(verdicts(program), verdicts(dict(items)))


def tautologies_change_no_verdict(program: Program, where: int) -> None:
    """A fact that is always true says nothing."""
    facts = [*program.get("knowledge_base", [])]
    facts.insert(where % (len(facts) + 1), "Or(ForAll([t: Bool], t), Not(ForAll([t: Bool], t)))")
    facts.append("True")
    assert same(verdicts(program), verdicts({**program, "knowledge_base": facts}))


def value_false_is_negation(program: Program) -> None:
    """`"value": false` and `Not(…)` are the same fact, a text and an object with it alone too."""
    facts = [
        fact if isinstance(fact, dict) else {"assertion": fact} for fact in program.get("knowledge_base", [])
    ]
    negated = [{**fact, "value": not fact.get("value", True)} for fact in facts]
    spelt = [{**fact, "assertion": f"Not({fact['assertion']})"} for fact in facts]
    first = verdicts({**program, "knowledge_base": negated})
    assert same(first, verdicts({**program, "knowledge_base": spelt}))
    assert same(verdicts(program), verdicts({**program, "knowledge_base": facts}))


def spellings_of_constants_are_one(program: Program) -> None:
    """Groups as an object, as a list, and each constant on its own declare the same."""
    from potlang.ir.digest import digest

    groups = program.get("constants", {})
    rows = [{"name": k, **g} for k, g in groups.items()] if isinstance(groups, dict) else groups
    single = [
        {"name": f"{row['name']} {member}", "sort": row["sort"], "members": [member]}
        for row in rows
        for member in row["members"]
    ]
    as_object = {row["name"]: {"sort": row["sort"], "members": row["members"]} for row in rows}
    found = {digest(compiled({**program, "constants": each}).module) for each in (rows, single, as_object)}
    assert len(found) == 1


def binders_may_have_any_name(program: Program) -> None:
    """Renaming bound variables changes nothing: the digest does not know their names."""
    from potlang.ir.digest import digest

    names = {name: f"other_{name}" for name in ("v0", "v1", "b0", "b1", "p0", "p1")}
    other = compiled(renamed(program, names)).module
    assert digest(other) == digest(compiled(program).module)


def printing_changes_no_verdict(program: Program) -> None:
    """A program and what is printed of its module have the same verdicts."""
    assert same(verdicts(program), verdicts(module_to_pot(compiled(program).module)))


def names_change_no_verdict(program: Program, names: list[str]) -> None:
    """With other names, however odd, the verdicts and the shape of the report are the same."""
    old = declared_names(program)
    usable = [name for name in dict.fromkeys(names) if name not in RESERVED and name not in old]
    assume(usable)
    mapping = dict(zip(old, usable, strict=False))
    report = potlang.verify(compiled(program), trust="solver", limits=LIMITS)
    other = potlang.verify(compiled(renamed(program, mapping)), trust="solver", limits=LIMITS)
    assert same(_outcome(report), _outcome(other)), mapping
    assert _shape(report) == _shape(other), mapping
    assert json.loads(other.to_json()) and str(other) and other._repr_html_()


def _shape(report: Report) -> list[Any]:
    return [(r.name, r.pointer, r.verdict, r.evidence.core is None, r.kind) for r in report.results] + [
        sorted(d.code for d in report.diagnostics)  # type: ignore[list-item]
    ]


def names_survive_printing(program: Program, names: list[str]) -> None:
    """A program with odd names is printed as one that compiles to the same formulas."""
    old = declared_names(program)
    usable = [name for name in dict.fromkeys(names) if name not in RESERVED and name not in old]
    reads_back(compiled(renamed(program, dict(zip(old, usable, strict=False)))))


SEEDS = st.integers(0, 2**32)
NAMES = st.lists(identifiers(), min_size=4, max_size=12)

test_passes, test_passes_deep = both(passes_change_no_verdict, programs(), quick=20)
test_passes_finite, test_passes_finite_deep = both(passes_change_no_verdict, finite_programs(), quick=20)
test_order, test_order_deep = both(order_changes_no_verdict, finite_programs(), SEEDS, quick=15, deep=375)
test_tautology, test_tautology_deep = both(tautologies_change_no_verdict, finite_programs(), SEEDS, quick=25)
test_value_false, test_value_false_deep = both(value_false_is_negation, finite_programs(), quick=20)
test_constants, test_constants_deep = both(spellings_of_constants_are_one, programs(), quick=40)
test_binders, test_binders_deep = both(binders_may_have_any_name, programs(), quick=60)
test_printing, test_printing_deep = both(printing_changes_no_verdict, finite_programs(), quick=25)
test_names, test_names_deep = both(names_change_no_verdict, finite_programs(), NAMES, quick=25, deep=750)
test_odd_names_print, test_odd_names_print_deep = both(names_survive_printing, programs(), NAMES, quick=60)
