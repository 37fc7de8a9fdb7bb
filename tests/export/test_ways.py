"""Programs written for other tools: these say what potlang says, and no name leaves its place."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from other_tools import agrees, called_script, clingo_verdicts, eprover, run_script, szs_status
from strategies.formulas import modules
from strategies.stratified import stratified

from potlang import api
from potlang.engines.saturation.tptp import signature_of
from potlang.export import WAYS, Way
from potlang.export.problem import NoCounterpart, TooLarge
from potlang.export.ways import claims_of, written
from potlang.generate.programs import ProgramDifficulty, generate_many
from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind, Claim, Module
from potlang.ir.nodes import Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL
from potlang.report.results import Limits
from potlang.testing.programs import finite_programs, programs

Json = dict[str, Any]
DEV = os.environ.get("POTLANG_CASES")
HOSTILE = (
    "x'); import os #",
    'a" b\\',
    "new\nline",
    "$true",
    "*/ -- -/",
    "«quoted»",
    "été Ω",
    "\u202eright",
    "import",
    "Prop",
    "not",
    "z3",
    "claim",
    "_",
    "_root_",
    "9",
    "",
)
"""Names that would be something else if they were pasted."""


def text_of(program: Json, way: Way, claim: str | None = None) -> str:
    module = api.compile(program, language="pot").module
    return written(module, way, claims_of(module, way, claim))


def verdicts(program: Json) -> list[str]:
    limits = Limits(check_ms=5_000, total_ms=20_000)
    found = api.verify(program, language="pot", trust="solver", limits=limits)
    return [str(each.verdict) for each in found.results]


def statuses(program: Json) -> list[str]:
    module = api.compile(program, language="pot").module
    return [szs_status(written(module, "tptp", (claim,)), 1) for claim in (*module.claims, *module.norms)]


def generated(count: int, level: int) -> list[tuple[Json, str]]:
    difficulty = ProgramDifficulty.of_level(level)
    return [(each.program, str(each.verdict)) for each in generate_many(count, 7, difficulty)]


# --- what the tools say ----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [2, 4])
def test_generated_programs_have_their_verdict_in_each_tool(level: int) -> None:
    """[WAY-PYTHON] [WAY-TPTP] [WAY-ASP] The verdicts are known by construction."""
    for program, verdict in generated(8, level):
        assert called_script(text_of(program, "python")) == [verdict]
        assert clingo_verdicts(text_of(program, "asp"), 1) == [verdict]
        if eprover() is not None:
            assert agrees(statuses(program)[0], verdict) is not False


def test_arithmetic_in_programs_has_its_verdict_in_the_script() -> None:
    """[WAY-PYTHON]"""
    for program, verdict in generated(4, 9):
        assert called_script(text_of(program, "python")) == [verdict]


@pytest.mark.parametrize("seed", range(8))
def test_closed_predicates_are_least_in_answer_sets_and_scripts(seed: int) -> None:
    """[WAY-ASP-RULES] Against the answer set program that the generator writes by itself."""
    from strategies.stratified import verdicts_of_clingo

    made = stratified(seed)
    if not api.check(made.program, language="pot").ok:
        return
    expected = verdicts_of_clingo(made)
    assert clingo_verdicts(text_of(made.program, "asp"), len(expected)) == expected
    found = called_script(text_of(made.program, "python"))
    assert all(word in (right, "unknown") for word, right in zip(found, expected, strict=True))


def differing(program: Json, ways: Sequence[Way]) -> list[str]:
    """What other tools say otherwise, of the claims that both decide."""
    module = api.compile(program, language="pot").module
    expected = [] if module.optimization is not None else verdicts(program)
    wrong = []
    for way in ways if expected else ():
        try:
            if way == "tptp":
                pairs = zip(statuses(program), expected, strict=True)
                wrong += [
                    f"tptp {pair}" for pair in pairs if "unknown" not in pair and agrees(*pair) is False
                ]
            else:
                text = text_of(program, way)
                found = called_script(text) if way == "python" else clingo_verdicts(text, len(expected))
                wrong += [] if _fit(found, expected) else [f"{way} {found} {expected}"]
        except NoCounterpart:
            continue
    return wrong


@given(finite_programs(most=2, depth=2, structures=200))
@settings(max_examples=15)
def test_finite_programs_have_the_same_verdicts_everywhere(program: Json) -> None:
    """[WAY-PYTHON] [WAY-ASP]"""
    assert not differing(program, ("python", "asp"))


@pytest.mark.slow
@given(finite_programs(most=3, depth=3, structures=500))
@settings(max_examples=250)
def test_many_finite_programs_have_the_same_verdicts_everywhere(program: Json) -> None:
    """[WAY-PYTHON] [WAY-ASP] [WAY-TPTP]"""
    assert not differing(program, ("python", "asp", "tptp") if eprover() else ("python", "asp"))


@pytest.mark.slow
@given(programs(most=3, depth=3))
@settings(max_examples=250)
def test_many_programs_have_the_same_verdicts_everywhere(program: Json) -> None:
    """[WAY-PYTHON] [WAY-ASP] [WAY-TPTP] Over all sorts."""
    assert not differing(program, ("python", "asp", "tptp") if eprover() else ("python", "asp"))


def _fit(found: Sequence[str], expected: Sequence[str]) -> bool:
    pairs = zip(found, expected, strict=True)
    return all(mine == theirs or "unknown" in (mine, theirs) for mine, theirs in pairs)


def test_a_script_is_run_by_itself() -> None:
    """[WAY-PYTHON] Its exit code and its words; names in its output are ASCII."""
    program = {
        "constants": {"n": {"sort": "Int", "members": ["n"]}},
        "knowledge_base": ["n > 2"],
        "verifications": [
            {"name": "ja\u202e", "constraint": "n > 1"},
            {"name": "nein", "constraint": "n < 1"},
            {"name": "offen", "constraint": "n == 3"},
        ],
    }
    assert run_script(text_of(program, "python")) == ["entailed", "refuted", "undetermined"]


def test_a_cycle_supports_nothing_in_answer_sets() -> None:
    """[WAY-ASP-RULES] Nor does a universal condition on what is derived."""
    program = {
        "sorts": [{"name": "Place", "type": "DeclareSort"}],
        "functions": [
            {"name": "way", "domain": ["Place", "Place"], "range": "Bool"},
            {"name": "reached", "domain": ["Place"], "range": "Bool", "closed": True},
            {"name": "done", "domain": [], "range": "Bool", "closed": True},
        ],
        "constants": {"places": {"sort": "Place", "members": ["a", "b", "c"]}},
        "knowledge_base": ["reached(a)", "way(b, c)", "way(c, b)"],
        "rules": [
            {
                "forall": [{"name": "x", "sort": "Place"}, {"name": "y", "sort": "Place"}],
                "implies": {"antecedent": "reached(x) and way(x, y)", "consequent": "reached(y)"},
            },
            {"implies": {"antecedent": "ForAll([x: Place], reached(x))", "consequent": "done"}},
        ],
        "verifications": [
            {"name": "b", "constraint": "reached(b)"},
            {"name": "all", "constraint": "done and not reached(c)"},
            {"name": "if", "constraint": "way(a, b) -> done"},
        ],
        "semantics": {"unique_names": True, "closed_domain": True},
    }
    found = verdicts(program)
    assert found == ["undetermined", "refuted", "entailed"]
    assert clingo_verdicts(text_of(program, "asp"), 3) == found
    assert "{ reached(" not in text_of(program, "asp")


# --- open sorts in answer sets ---------------------------------------------------------------------------


def entities(facts: list[str], claims: list[str], **more: object) -> Json:
    return {
        "sorts": [{"name": "E", "type": "DeclareSort"}],
        "functions": [
            {"name": "p", "domain": ["E"], "range": "Bool"},
            {"name": "q", "domain": ["E", "E"], "range": "Bool"},
        ],
        "constants": {"all": {"sort": "E", "members": ["a", "b"]}},
        "knowledge_base": facts,
        "verifications": [{"name": each, "constraint": each} for each in claims],
        **more,
    }


def test_members_of_open_sorts_may_be_the_same_and_more() -> None:
    """[WAY-ASP-OPEN]"""
    claims = ["a == b", "ForAll([x: E], p(x))", "Exists([x: E], not p(x) and x != a)", "p(b)"]
    program = entities(["p(a)", "ForAll([x: E], x == a or x == b)"], claims)
    assert clingo_verdicts(text_of(program, "asp"), 4) == verdicts(program) == ["undetermined"] * 4
    program = entities(["p(a)", "a == b"], ["p(b)", *claims])
    assert clingo_verdicts(text_of(program, "asp"), 5) == verdicts(program)
    program = entities(["Exists([x: E], p(x))", "not p(a)"], ["p(b)", "Exists([x: E], x != a)"])
    assert clingo_verdicts(text_of(program, "asp"), 2) == verdicts(program) == ["undetermined", "entailed"]


def test_defined_constants_of_open_sorts_are_members() -> None:
    """[WAY-ASP-OPEN]"""
    program = entities(["p(a)"], ["p(c)", "c == b"])
    program["functions"].append({"name": "c", "domain": [], "range": "E", "params": [], "body": "a"})
    assert clingo_verdicts(text_of(program, "asp"), 2) == verdicts(program) == ["entailed", "undetermined"]


@pytest.mark.parametrize(
    ("facts", "claim", "what"),
    [
        (["ForAll([x: E], Exists([y: E], q(x, y)))"], "p(a)", "for each value there is another"),
        ([], "Exists([x: E], ForAll([y: E], q(x, y)))", "for each value there is another"),
    ],
)
def test_what_goes_on_without_end_is_refused(facts: list[str], claim: str, what: str) -> None:
    """[WAY-ASP-OPEN]"""
    with pytest.raises(NoCounterpart, match=what) as caught:
        text_of(entities(facts, [claim]), "asp")
    assert caught.value.origin.pointer.startswith("/knowledge_base/0" if facts else "/verifications/0")
    closed = {"semantics": {"unique_names": True, "closed_domain": True}}
    program = entities(facts, [claim], **closed)
    assert clingo_verdicts(text_of(program, "asp"), 1) == verdicts(program)


# --- names -----------------------------------------------------------------------------------------------


def hostile_module() -> Module:
    """Predicates, formulas and claims with hostile names; the first predicates hold, the last does not."""
    pool = Pool()
    symbols = [Symbol(name, (), BOOL, SymbolKind.CONSTANT) for name in HOSTILE]
    facts = [
        Assertion(f"f{number}", symbol.name, AssertionKind.FACT, pool.sym(symbol))
        for number, symbol in enumerate(symbols[:-1])
    ]
    var = pool.var(HOSTILE[0], BOOL)
    whole = pool.app(op.OR, (var, pool.sym(symbols[0])))
    claims = [
        *(Claim(f"c{number}", symbol.name, pool.sym(symbol)) for number, symbol in enumerate(symbols)),
        Claim("all", HOSTILE[2], pool.quant("forall", (var,), whole)),
    ]
    return Module(pool, symbols=tuple(symbols), assertions=tuple(facts), claims=tuple(claims))


def test_no_name_leaves_its_place() -> None:
    """[WAY-NAMES] The texts are read by the tools, and mean what they mean with other names."""
    module = hostile_module()
    expected = ["entailed"] * (len(HOSTILE) - 1) + ["undetermined", "entailed"]
    script = written(module, "python", module.claims)
    imported = [node for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert len(imported) == 3 and script.isascii() and called_script(script) == expected
    assert clingo_verdicts(written(module, "asp", module.claims), len(expected)) == expected
    assert written(module, "asp", module.claims).isascii()
    for claim, verdict in zip(module.claims, expected, strict=True):
        text = written(module, "tptp", (claim,))
        assert text.isascii() and len(signature_of(text).symbols) >= len(HOSTILE) - 1
        if eprover() is not None:
            assert agrees(szs_status(text, 1), verdict)


def test_comments_are_one_line() -> None:
    """[WAY-NAMES] What a program says in its own words is a string of ASCII in a comment."""
    module = hostile_module()
    for way in WAYS:
        text = written(module, way, module.claims[:1])
        sign = {"tptp": "%", "asp": "%", "lean": "--", "python": "#"}[way]
        found = [line for line in text.split("\n") if line.startswith(f"{sign} fact ")]
        assert len(found) == len(HOSTILE) - 1, way
        assert all(each.isascii() for each in found)


@given(modules(most=2, depth=3, names=lambda kind, number: f"{HOSTILE[number % 5]} {kind}"))
@settings(max_examples=30)
def test_any_module_is_written_or_refused(module: Module) -> None:
    """[WAY-NONE] [WAY-NAMES] Over all sorts and operators; what is written can be read."""
    import clingo.ast

    for way in WAYS:
        try:
            text = written(module, way, claims_of(module, way))
        except NoCounterpart as error:
            assert way != "python" and error.what
            continue
        if way == "python":
            assert ast.parse(text)
        elif way == "asp":
            clingo.ast.parse_string(text, lambda statement: None)
        elif way == "tptp":
            signature_of(text)


# --- size ------------------------------------------------------------------------------------------------


def test_shared_parts_are_written_once_or_refused() -> None:
    """[WAY-SIZE]"""
    pool = Pool()
    node = pool.sym(Symbol("p", (), BOOL, SymbolKind.CONSTANT))
    for number in range(40):
        other = pool.sym(Symbol(f"q{number}", (), BOOL, SymbolKind.CONSTANT))
        node = pool.app(op.AND, (pool.app(op.OR, (node, other)), pool.app(op.XOR, (node, other))))
    module = Module(pool, claims=(Claim("c", "c", node),))
    for way in ("tptp", "lean"):
        with pytest.raises(TooLarge):
            written(module, way, module.claims)  # type: ignore[arg-type]
    assert called_script(written(module, "python", module.claims)) == ["undetermined"]
    assert clingo_verdicts(written(module, "asp", module.claims), 1) == ["undetermined"]


def test_terms_are_different_two_by_two() -> None:
    """[WAY-SIZE]"""
    claims = ["Distinct(a, b)", "a != b and p(a) -> p(b)"]
    program = entities(
        ["Distinct(a, b)", "ForAll([x: E], x == a or x == b)"], [*claims, "Exists([x: E], x != a)"]
    )
    assert clingo_verdicts(text_of(program, "asp"), 3) == verdicts(program)
    assert "tff('Distinct(a, b)', conjecture, a != b)." in text_of(program, "tptp")
    many = entities([f"Distinct({', '.join(['a', 'b', *(f'c{n}' for n in range(400))])})"], ["p(a)"])
    many["constants"]["more"] = {"sort": "E", "members": [f"c{n}" for n in range(400)]}
    for way in WAYS:
        if way != "python":
            with pytest.raises(TooLarge):
                text_of(many, way)


def test_nested_quantifiers_over_truth_values_are_refused_in_time() -> None:
    """[WAY-SIZE]"""
    pool = Pool()
    variables = [pool.var(f"b{number}", BOOL) for number in range(40)]
    node = pool.app(op.XOR, (variables[0], variables[1]))
    for var in variables[2:]:
        node = pool.app(op.XOR, (node, var))
    for number, var in enumerate(variables):
        node = pool.quant(("forall", "exists")[number % 2], (var,), node)
    module = Module(pool, claims=(Claim("c", "c", node),))
    for way in ("tptp", "asp"):
        with pytest.raises(TooLarge):
            written(module, way, module.claims)  # type: ignore[arg-type]


def test_deep_formulas_are_written() -> None:
    """[WAY-SIZE] No writer recurses, and no script is nested deeper than Python reads."""
    pool = Pool()
    node = pool.sym(Symbol("p", (), BOOL, SymbolKind.CONSTANT))
    for _ in range(1_000):
        node = pool.app(
            op.NOT, (pool.app(op.AND, (node, pool.sym(Symbol("q", (), BOOL, SymbolKind.CONSTANT)))),)
        )
    module = Module(pool, claims=(Claim("c", "c", node),))
    for way in WAYS:
        assert written(module, way, module.claims)
    assert called_script(written(module, "python", module.claims)) == ["undetermined"]


# --- cases that licences keep elsewhere ------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not DEV, reason="licences keep the cases outside: POTLANG_CASES says where")
def test_cases_have_the_same_verdicts_in_each_tool() -> None:
    """[WAY-PYTHON] [WAY-TPTP] [WAY-ASP]"""
    script = Path(__file__).parents[2] / "benchmarks" / "ways_out.py"
    command = [sys.executable, str(script), "--cases", str(DEV), "--share", "40"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_characters_that_strings_of_solvers_have_not_are_refused() -> None:
    """[WAY-NONE]"""
    program = {
        "constants": {"s": {"sort": "String", "members": ["s"]}},
        "knowledge_base": [r's == "a\\"'],
        "verifications": [{"name": "claim", "constraint": "Length(s) == 2"}],
    }
    assert called_script(text_of(program, "python")) == ["entailed"]
    program["knowledge_base"] = ['s == "\U00030000"']
    with pytest.raises(NoCounterpart, match="U\\+30000"):
        text_of(program, "python")


def test_claims_are_chosen_by_name() -> None:
    """[WAY-CLAIMS]"""
    program = entities(["p(a)"], ["p(a)", "p(b)"])
    module = api.compile(program, language="pot").module
    assert [each.name for each in claims_of(module, "tptp")] == ["p(a)"]
    assert [each.name for each in claims_of(module, "lean")] == ["p(a)", "p(b)"]
    assert [each.name for each in claims_of(module, "asp", "p(b)")] == ["p(b)"]
    with pytest.raises(LookupError, match=r"its claims: `p\(a\)`, `p\(b\)`"):
        claims_of(module, "asp", "p(c)")
    assert json.dumps(text_of(program, "tptp", "p(b)")).count("conjecture") == 1
