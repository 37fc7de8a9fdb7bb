"""Comparing many propositions: the order against brute force, the questions it takes, what is redundant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random

import pytest

import potlang.dot
from potlang.languages.dot.check import opened
from potlang.languages.dot.lower.typing import read_propositions
from potlang.languages.dot.solve.comparing import FormulaComparison, bit_set
from potlang.languages.dot.solve.ordering import EntailmentOrder, Pair, Told
from potlang.languages.dot.solve.prover import Assuming, TheoryProver
from potlang.prove.options import ProverOptions
from potlang.prove.switches import SwitchAnswer
from potlang.report.results import Limits

AMPLE = Limits(total_ms=600_000)
HEAD = '@node id=1 role=problem\n@prop id=1 {"declare": {"x": "Int", "y": "Int", "p": "Bool"}}\n'


class Worlds:
    """Formulas as sets of worlds; answers from some of the worlds that tell a pair apart."""

    def __init__(self, random: Random, formulas: Sequence[int], worlds: int) -> None:
        self.random, self.formulas, self.worlds = random, formulas, worlds
        self.unseen: set[int] = set()
        self.unsettled: set[Pair] = set()
        self.order = EntailmentOrder(len(formulas))
        self.questions = 0

    def ask(self, questions: Sequence[Sequence[Pair]]) -> Iterator[Told]:
        """As a solver would."""
        for pairs in questions:
            self.questions += 1
            apart = [world for world in range(self.worlds) if self._is_apart(pairs, world)]
            if self.unsettled.intersection(pairs):
                yield "unknown"
            elif not apart:
                yield "entailed"
            else:
                world = self.random.choice(apart[:3])
                seen = [at for at in range(len(self.formulas)) if at not in self.unseen]
                true = bit_set(at for at in seen if self._holds(at, world))
                self.order.rule_out(true, bit_set(seen) & ~true)
                yield "apart"

    def _is_apart(self, pairs: Sequence[Pair], world: int) -> bool:
        return any(self._holds(one, world) > self._holds(other, world) for one, other in pairs)

    def _holds(self, formula: int, world: int) -> int:
        return self.formulas[formula] >> world & 1

    def entailed(self) -> list[Pair]:
        """The pairs of which the first entails the second."""
        formulas = [*enumerate(self.formulas)]
        return [(a, b) for a, one in formulas for b, other in formulas if a != b and not one & ~other]

    def ask_linked(self) -> None:
        """Models that make one true and what it is not known to entail false, as a solver finds them."""
        for lower in self.order.linked():
            uppers = self.order.last_open(lower)
            if uppers:
                self.questions += 1
                fits = any(self._fits(lower, uppers, world) for world in range(self.worlds))
                if fits:
                    self.order.rule_out(1 << lower, bit_set(uppers))

    def _fits(self, lower: int, uppers: Sequence[int], world: int) -> bool:
        return bool(self._holds(lower, world)) and not any(self._holds(each, world) for each in uppers)

    def check(self) -> None:
        """What is known is so, and unless something was not settled everything is known."""
        for lower, one in enumerate(self.formulas):
            for upper, other in enumerate(self.formulas):
                found = self.order.entails(lower, upper)
                assert found is (not one & ~other) or (found is None and not self.order.settled)


@pytest.mark.parametrize("seed", range(120))
def test_the_order_is_that_of_brute_force(seed: int) -> None:
    """[DOT-SUMMARY-5] Also where models say nothing of some formulas, and where questions stay open."""
    random = Random(seed)
    worlds = random.randrange(1, 9)
    case = Worlds(random, [random.randrange(1 << worlds) for _ in range(random.randrange(1, 14))], worlds)
    count = len(case.formulas)
    if seed % 3:
        case.unseen = set(random.sample(range(count), random.randrange(count + 1)))
    if seed % 3 == 2:
        case.unsettled = {(random.randrange(count), random.randrange(count)) for _ in range(3)}
    case.order.settle(case.ask)
    case.check()
    assert case.order.settled or case.unsettled


@pytest.mark.parametrize("shape", ["chain", "apart", "equal"])
def test_an_order_takes_few_questions(shape: str) -> None:
    """A model for each step of a chain, or each of those that are apart, and few more."""
    shapes = {"chain": [(1 << at) - 1 for at in range(150)], "apart": [1 << at for at in range(150)]}
    random = Random(shape)
    formulas = shapes.get(shape, [1] * 150)
    case = Worlds(random, random.sample(formulas, len(formulas)), 150)
    case.order.settle(case.ask)
    case.check()
    assert case.questions <= (8 if shape == "equal" else 200)


@pytest.mark.parametrize("seed", range(60))
def test_the_order_is_the_same_where_some_of_it_is_known(seed: int) -> None:
    """[DOT-SUMMARY-5] Arrows tell some of it, and circles of them that formulas are equivalent."""
    random = Random(seed)
    worlds = random.randrange(1, 9)
    case = Worlds(random, [random.randrange(1 << worlds) for _ in range(random.randrange(2, 14))], worlds)
    known = case.entailed()
    for pair in random.sample(known, random.randrange(len(known) + 1)):
        case.order.prove(*pair)
    case.ask_linked()
    case.order.settle(case.ask)
    case.check()
    assert case.order.settled


@pytest.mark.parametrize("shape", ["path", "tree", "circle"])
def test_an_order_that_arrows_tell_takes_a_question_for_each(shape: str) -> None:
    random = Random(shape)
    below = {"path": range(149), "tree": [random.randrange(at) for at in range(1, 150)], "circle": range(149)}
    # A formula is the set of those that entail it: each of its own world.
    formulas = [1 << at for at in range(150)]
    pairs = [(at, upper) for at, upper in enumerate(below[shape], 1)]
    for lower, upper in reversed(pairs):
        formulas[upper] |= formulas[lower]
    if shape == "circle":
        formulas, pairs = [formulas[0]] * 150, [*pairs, (0, 149)]
    case = Worlds(random, formulas, 150)
    for pair in pairs:
        case.order.prove(*pair)
    case.ask_linked()
    assert case.questions <= (0 if shape == "circle" else 150)
    asked = case.questions
    case.order.settle(case.ask)
    case.check()
    assert case.questions == asked


def test_an_order_of_which_no_more_can_be_asked_is_not_settled() -> None:
    """[DOT-SUMMARY-5] However many pairs are open."""
    case = Worlds(Random(1), [1 << at for at in range(1_000)], 1_000)
    case.order.rule_out(0b11, bit_set(range(2, 1_000)))
    asked: list[int] = []

    def ask(questions: Sequence[Sequence[Pair]]) -> Iterator[Told] | None:
        asked.append(len(questions))
        return None

    case.order.settle(ask)
    assert len(asked) == 1 and not case.order.settled
    assert case.order.entails(0, 2) is False and case.order.entails(0, 1) is None


def test_only_the_order_that_is_wanted_is_asked_for() -> None:
    case = Worlds(Random(1), [0b1, 0b11, 0b10], 2)
    case.order = EntailmentOrder(3, 0b101)
    case.order.settle(case.ask)
    assert case.order.entails(0, 2) is False and case.order.entails(2, 0) is False
    assert case.order.entails(0, 1) is None


class Unhelpful(Assuming):
    """A base whose solver knows no switches."""

    def ask_switches(self, *given: object, **more: object) -> list[SwitchAnswer]:
        """Nothing is known."""
        return [SwitchAnswer("unknown")] * len(given[1])  # type: ignore[arg-type]


TEXTS = ("x > {}", "x < {}", "y == {}", "p or x > {}", "x != y + {}", "Exists([z: Int], 2 * z == x + {})")


@pytest.mark.parametrize(("seed", "route"), [(1, "auto"), (2, "auto"), (3, "auto"), (4, "cvc5"), (5, "both")])
def test_switches_find_what_single_questions_find(seed: int, route: str) -> None:
    """[DOT-SUMMARY-4] [DOT-SUMMARY-5] [DOT-SUMMARY-7] Quantified formulas among them."""
    random = Random(seed)
    chosen = [random.choice(TEXTS if route == "auto" else TEXTS[:4]) for _ in range(7)]
    said = "".join(
        f'@node id={at} role=proposer\n@prop id={at} {{"pot": "{text.format(random.randrange(4))}"}}\n'
        for at, text in enumerate(chosen, 2)
    )
    trace, sink = opened(HEAD + said, "paper", None, None, False)
    propositions = read_propositions(trace, sink, None)
    named = list(propositions.stated.items())
    assert len(named) == 7 and not sink.has_errors
    found = []
    options = ProverOptions(route, "solver")  # type: ignore[arg-type]
    with TheoryProver(propositions.module, options, Limits()) as prover:
        pool = prover.pool
        pairs = list(permutations([formula for _, formula in named], 2))
        follow = prover.assuming().follow(pool.implies(*pair) for pair in pairs)
        entailed = [pair for pair in pairs if follow[pool.implies(*pair).id]]
    for kind, known in ((Assuming, ()), (Unhelpful, ()), (Assuming, entailed[::2])):
        with TheoryProver(propositions.module, options, Limits()) as prover:
            base = kind(prover, ())
            comparison = FormulaComparison(base, prover.pool, [formula for _, formula in named], known)
            claim, used = named[0][1], [named[1][1]]
            parts = (
                comparison.irredundant(named),
                comparison.needed(claim, used, named[2:]),
                comparison.incomparable(named),
            )
            found.append((parts, comparison.complete))
            base.close()
    assert found[0] == found[1] == found[2]
    assert found[0][1]


def validated(said: Sequence[str]) -> str:
    """A trace whose validated propositions are these."""
    blocks = [
        f'@node id={at} role=proposer\n@prop id={at} {{"pot": "{text}"}}\n@node id={at + 1} role=critic\n'
        f"@edge src={at} dst={at + 1} kind=critique\n@status target={at} mark=validated\n"
        for at, text in zip(range(2, 2 * len(said) + 2, 2), said, strict=True)
    ]
    return HEAD + "".join(blocks)


@pytest.mark.parametrize("many", [30, pytest.param(205, marks=pytest.mark.slow)])
def test_hundreds_of_propositions_are_compared(many: int) -> None:
    """[DOT-SUMMARY-4] [DOT-SUMMARY-5] [DOT-SUMMARY-9] A chain whose last says all, and what is apart."""
    said = [f"x > {at}" for at in range(many)]
    summary = potlang.dot.verify(validated([*said, "p", "y == 3", "p"]), trust="solver", limits=AMPLE).summary
    assert not summary.notes
    last, p, y, again = (2 * (many + more) for more in range(4))
    assert summary.redundant == (*range(2, last, 2), again)
    assert len(summary.incomparable) == 3 * many + 2
    assert (last, p) in summary.incomparable and (p, y) in summary.incomparable
