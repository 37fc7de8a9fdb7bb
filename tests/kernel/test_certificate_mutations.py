"""Changes of accepted certificates: each is refused or harmless.

Harmless means: everything that the changed certificate still says, holes apart, is true by z3 alone. That
is, every piece of evidence that is not listed as a hole names the status that z3 finds on the SMT-LIB text
of the program; every refutation is of something that z3 finds unsatisfiable; and for every verdict without
holes, other than `unknown`, z3 finds the state that it means. The same holds where the program is changed
and the certificate's digest with it.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest
from invariants import check as invariants
from kernel_support import certificate, program
from test_statements import (
    AGREED,
    BEST,
    LIMIT,
    OPTIMAL,
    PROGRAM,
    STATES,
    UNATTAINED,
    UNKNOWN,
    WHOLE,
    optimizing,
)

from potlang.certify import Outcome, check, read_theory
from potlang.engines.finite.direct import refutation
from potlang.ir.module import Assertion, AssertionKind, Module
from potlang.ir.nodes import Node
from potlang.ir.pool import Pool
from potlang.ir.text import TextError, read_module
from potlang.utils.deadline import Deadline

TOKEN = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')

EVIDENCE = (
    *WHOLE[: WHOLE.index('(result "open" unknown)')],
    '(result "open" entailed)',
    AGREED["claim", "sat"],
    AGREED["negation", "unsat"],
    *WHOLE[WHOLE.index('(result "which" entailed)') :],
)
LEMMAS = (
    '(refutation r negation "yes")',
    '(instance 1 "f0")',
    '(instance 2 "r2" (?x.0 a))',
    '(instance 3 "r1" (?x.0 a))',
    '(instance 4 "r1" (?x.0 (f a)))',
    "(axiom 5 transitive a c (f a))",
    '(instance 6 "f1")',
    "(axiom 7 congruent P ((f a)) (c))",
    "(axiom 8 member k)",
    "(axiom 9 between (n a) 0 2)",
    "(lemma 5)",
    "(delete 5)",
    "(instance 10 goal)",
    "(axiom 11 linear (2 (< (n a) 3)) (1 (not (< (+ (n a) (n a)) 5))))",
    "(axiom 12 compare (n a) (n c))",
    "(axiom 13 arithmetic (mod (n a) 2))",
    "(lemma -5 -8)",
    "(empty)",
    '(result "yes" entailed)',
    '(agreed sat claim "z3")',
    "(unsat negation r)",
    *UNKNOWN[1:],
)
FINITE_PROGRAM = program(
    "(sort S)",
    '(declare function "n" (S) Int)',
    '(declare constant "a" () S)',
    '(declare constant "b" () S)',
    '(declare constant "x" () Int)',
    '(declare constant "y" () Int)',
    '(declare constant "z" () Int)',
    '(assert "f0" "closed" semantics (vars (?s.0 S)) (forall (?s.0) (or (= ?s.0 a) (= ?s.0 b))))',
    '(assert "f1" "fact" fact (vars (?s.0 S)) (forall (?s.0) (and (<= 0 (n ?s.0)) (< (n ?s.0) 3))))',
    '(assert "f2" "fact" fact (and (<= 0 x) (<= x 2) (<= 0 y) (<= y 2) (<= 0 z) (<= z 2)))',
    '(assert "f3" "fact" fact (= (+ (n a) (n b)) 4))',
    '(assert "f4" "fact" fact (and (not (= x y)) (not (= y z)) (not (= x z))))',
    '(claim "two" "two" () (= (n a) 2))',
    '(claim "sum" "sum" () (= (+ x y z) 3))',
    '(claim "open" "open" () (= (n a) x))',
)


def _finite() -> Iterator[str]:
    """A certificate of finite problems, one of them with unknowns that all differ."""
    theory = read_theory(FINITE_PROGRAM)
    for name, keys in (("two", ["f0", "f1", "f3"]), ("sum", ["f2", "f4"])):
        lines = refutation(theory, keys, "negation", name, None, Deadline(10_000))
        assert lines is not None
        yield from (f'(refutation {name} negation "{name}")', *lines)
    for name in ("two", "sum"):
        yield from (f'(result "{name}" entailed)', '(agreed sat claim "z3")', f"(unsat negation {name})")
    yield '(result "open" unknown)'


ACCEPTED = {
    "evidence": certificate(PROGRAM, *EVIDENCE),
    "lemmas": certificate(PROGRAM, *LEMMAS),
    "finite": certificate(FINITE_PROGRAM, *_finite()),
}
PROGRAMS = {"evidence": PROGRAM, "lemmas": PROGRAM, "finite": FINITE_PROGRAM}


# --- what z3 finds ---------------------------------------------------------------------------------


@cache
def status(program: str, key: str, side: str) -> str:
    """Of the assumptions with a side of a claim: z3's word, on text that the kernel has no part in."""
    import z3

    from potlang.smt.printer import script

    module = read_module(program)
    assertions = list(module.assertions)
    if side != "assumptions":
        (claim,) = [each for each in module.claims if each.key == key]
        formula: Node = claim.formula
        if claim.find:
            formula = module.pool.quant("exists", claim.find, formula)
        if side == "negation":
            formula = module.pool.negate(formula)
        assertions.append(Assertion("goal", "goal", AssertionKind.FACT, formula))
    solver = z3.Solver()
    solver.set("timeout", 10_000)
    solver.from_string(script(_alone(module, assertions)))
    return str(solver.check())


def _alone(module: Module, assertions: list[Assertion]) -> Module:
    assert isinstance(module.pool, Pool)
    return replace(module, assertions=tuple(assertions), claims=(), norms=(), optimization=None)


def harmless(found: Outcome, text: str, program: str) -> None:
    """What the accepted certificate says without a hole is true."""
    holes = {hole.line for hole in found.holes}
    open_keys: set[str] = set()
    key = ""
    for number, line in enumerate(text.split("\n"), 1):
        words = [token.strip('"') for token in TOKEN.findall(line)]
        if words[1:2] == ["result"]:
            key = words[2]
        elif number in holes:
            open_keys.add(key)
        elif words[1:2] in (["sat"], ["unsat"]):
            assert status(program, key, words[2]) == words[1]
        elif words[1:2] == ["refutation"]:
            assert status(program, words[4], words[3]) == "unsat"
    sides = ("assumptions", "claim", "negation")
    for key, verdict in found.verdicts.items():
        if verdict != "unknown" and key not in open_keys:
            assert tuple(status(program, key, side) for side in sides) == STATES[verdict]


# --- changes ---------------------------------------------------------------------------------------


def changes(text: str, first: int, more: tuple[str, ...] = ()) -> Iterator[str]:
    """Each token, from line `first` on, replaced by each other, dropped, doubled, swapped with the next."""
    lines = text.rstrip("\n").split("\n")
    tokens = [(number, *match.span()) for number, line in enumerate(lines) for match in TOKEN.finditer(line)]
    tokens = [place for place in tokens if place[0] >= first]
    words = list(dict.fromkeys([lines[n][start:end] for n, start, end in tokens] + list(more)))
    for (number, start, end), following in itertools.zip_longest(tokens, tokens[1:]):
        line = lines[number]
        others = [f" {word} " for word in words if word != line[start:end]]
        others += ["", f" {line[start:end]} {line[start:end]} "]
        made = [line[:start] + other + line[end:] for other in others]
        if following and following[0] == number:
            made.append(
                f"{line[:start]} {line[following[1] : following[2]]} {line[start:end]} {line[following[2] :]}"
            )
        for changed in made:
            yield "\n".join([*lines[:number], changed, *lines[number + 1 :], ""])


def line_changes(text: str) -> Iterator[str]:
    """Each line dropped, doubled, or swapped with the next."""
    lines = text.rstrip("\n").split("\n")
    for i in range(len(lines)):
        yield "\n".join([*lines[:i], *lines[i + 1 :], ""])
        yield "\n".join([*lines[:i], lines[i], *lines[i:], ""])
        yield "\n".join([*lines[:i], *reversed(lines[i : i + 2]), *lines[i + 2 :], ""])


def refused_or_harmless(texts: Iterator[str], program: str) -> tuple[int, int]:
    """How many texts there were, and how many of them were accepted."""
    count = accepted = 0
    for text in texts:
        found = check(text, program)
        count += 1
        assert "cannot be checked" not in found.message, text
        if found.status != "INVALID":
            accepted += 1
            harmless(found, text, program)
    return count, accepted


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_certificates_are_accepted_and_true(name: str) -> None:
    found = check(ACCEPTED[name], PROGRAMS[name])
    assert found.status == "VALID_WITH_HOLES"
    harmless(found, ACCEPTED[name], PROGRAMS[name])


@pytest.mark.parametrize("name", ACCEPTED)
def test_changes_of_lines_are_refused_or_harmless(name: str) -> None:
    refused_or_harmless(line_changes(ACCEPTED[name]), PROGRAMS[name])


@pytest.mark.parametrize("name", ACCEPTED)
def test_some_changes_of_tokens_are_refused_or_harmless(name: str) -> None:
    """A sample of what the next test does in full."""
    every = list(changes(ACCEPTED[name], 2))
    count, accepted = refused_or_harmless(iter(random.Random(7).sample(every, 400)), PROGRAMS[name])
    assert accepted < count / 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ACCEPTED)
def test_all_changes_of_tokens_are_refused_or_harmless(name: str) -> None:
    every = changes(ACCEPTED[name], 0, ("goal", "false", "0", "-1", "unknown"))
    count, accepted = refused_or_harmless(every, PROGRAMS[name])
    assert accepted < count / 10


def readable(program: str) -> bool:
    """Whether potlang's own reader takes it, with all its invariants, and defined symbols are defined."""
    try:
        module = read_module(program)
    except TextError:
        return False
    defined = [definition.symbol for definition in module.definitions]
    whole = all(symbol in defined for symbol in module.symbols if symbol.kind == "defined")
    return whole and not invariants(module)


def of_changed_programs(name: str, programs: list[str]) -> int:
    """How many changed programs the certificate is accepted for, with their digests."""
    lines = ACCEPTED[name].rstrip("\n").split("\n")
    accepted = 0
    for changed in programs:
        accepted += refused_or_harmless(iter([certificate(changed, *lines[2:-1])]), changed)[1]
    return accepted


def test_some_changes_of_the_program_are_refused_or_harmless() -> None:
    some = random.Random(7).sample(list(changes(PROGRAM, 1)), 400)
    programs = [program for program in some if readable(program)]
    assert 0 < of_changed_programs("evidence", programs) < len(programs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ACCEPTED)
def test_all_changes_of_the_program_are_refused_or_harmless(name: str) -> None:
    programs = [program for program in changes(PROGRAMS[name], 1) if readable(program)]
    assert 0 < of_changed_programs(name, programs) < len(programs)


# --- optima ----------------------------------------------------------------------------------------

ANSWERS = {"objective 0": ("optimal 3",), "objective 1": ("unattained 5/2",)}


@pytest.mark.parametrize("mode", ["lexicographic", "box"])
def test_changes_of_an_optimum_are_refused_or_harmless(mode: str) -> None:
    """What a changed certificate shows, with nothing open, is the one answer; a limit is open always."""
    program = optimizing(mode)
    text = certificate(program, *BEST, *LIMIT, *OPTIMAL, *UNATTAINED)
    assert check(text, program).open == ("objective 1",)
    every = [*line_changes(text), *changes(text, 2, ("5", "infeasible", "unbounded", "feasible", "unknown"))]
    accepted = 0
    for changed in random.Random(7).sample(every, 1_000):
        found = check(changed, program)
        assert "cannot be checked" not in found.message, changed
        for key, verdict in found.verdicts.items():
            assert key in found.open or verdict in ANSWERS[key], changed
        accepted += found.status != "INVALID"
    assert 0 < accepted < 100
