"""Generated chains, and any premises with a model: what is true at it is not refuted ([STEP-SOUND])."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from formula_strategies import polynomials, relations
from hypothesis import strategies as st
from statements import Mutation, Property
from strategies.chains import chain

from potlang.languages.dagmath.lower import encoding, exact
from potlang.languages.dagmath.lower.encoding import Encoder
from potlang.languages.dagmath.lower.exact import NotExact, difference, truth, value
from potlang.languages.dagmath.lower.syntax import (
    Num,
    Op,
    Term,
    Unreadable,
    Variable,
    free_names,
    is_op,
    number,
    parts,
    text,
)
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.results import StepVerdict
from potlang.languages.dagmath.solve.budget import Budget
from potlang.languages.dagmath.solve.checking import check_steps
from potlang.languages.dagmath.solve.theory import StepTheory
from potlang.report.results import Limits, Verdict

# --- chains ---


def _chains(seeds: range) -> None:
    """At least 95 % of right steps are proved, every error is refuted, and no right step is."""
    right: Counter[StepVerdict] = Counter()
    for seed in seeds:
        for wrong in (False, True):
            made = chain(seed, wrong=wrong)
            assert made.is_sound()
            verdicts = {step.id: step.verdict for step in check_steps(made.solution).steps}
            right.update(verdicts[each] for each in made.derived)
            if made.wrong is not None:
                assert verdicts[made.wrong] is StepVerdict.REFUTED, made.made[made.wrong - 1].step.node
            given = set(verdicts) - set(made.derived) - {made.wrong}
            assert all(verdicts[each] is not StepVerdict.REFUTED for each in given)
    assert right[StepVerdict.REFUTED] == 0
    assert right[StepVerdict.PROVED] >= 0.95 * right.total() > 0


def test_chains() -> None:
    """40 chains, right and with an error ([STEP-SOUND])."""
    _chains(range(40))


def test_a_chain_whose_answer_had_two_subjects() -> None:
    """A mere calculation is no subject beside the quantity that it is the value of ([STEP-SOUND])."""
    _chains([52])


@pytest.mark.slow
def test_chains_slow() -> None:
    """500 chains, right and with an error ([STEP-SOUND])."""
    _chains(range(500))


def test_chains_are_repeatable() -> None:
    """A seed gives one chain, and seeds give all kinds of them."""
    assert chain(7, wrong=True).solution == chain(7, wrong=True).solution
    assert len({chain(seed).kind for seed in range(20)}) == 10
    assert len({step.node for seed in range(0, 200, 10) for step in chain(seed).solution.steps}) > 40


# --- any premises that have a model ---

NAMES = ("x", "y", "z")
VALUES = st.fixed_dictionaries({name: st.fractions(-6, 6, max_denominator=3) for name in NAMES})
SMALL = polynomials(st.one_of(st.integers(0, 9).map(number), st.sampled_from(NAMES).map(Variable)))


def _true_at(term: Term, values: dict[Term, Fraction], rng: random.Random) -> Term:
    """A relation with this left side that is true at some values; raises NotExact where there is none."""
    found = value(term, values)
    if found.denominator > 1_000 or abs(found) > 10**9:
        raise NotExact("too large to be written")
    op = rng.choice(["=", "=", "<=", ">=", "<", ">", "!="])
    offset = Fraction(rng.randint(1, 4)) if op in ("<", "!=", "<=") else -Fraction(rng.randint(1, 4))
    bound = found if op == "=" else found + offset
    shown: Term = Op("/", (number(abs(bound.numerator)), number(bound.denominator)))
    if bound.denominator == 1:
        shown = number(abs(bound.numerator))
    return Op(op, (term, Op("neg", (shown,)) if bound < 0 else shown))


def _unrefuted(given: tuple[list[Term], dict[str, Fraction], int]) -> None:
    """What is true at a model of its premises is not refuted ([STEP-SOUND])."""
    terms, named, seed = given
    rng = random.Random(seed)
    values: dict[Term, Fraction] = {Variable(name): number_ for name, number_ in named.items()}
    claims = [_true_at(term, values, rng) for term in terms]
    steps = []
    for at, claim in enumerate(claims, start=1):
        assert truth(claim, values)
        parents = tuple(sorted(rng.sample(range(1, at), min(at - 1, rng.randint(0, 3)))))
        lead = rng.choice(["", "So ", "Therefore, ", "We get ", "Hence we have "])
        is_given = at < 3
        steps.append(Step(at, "It follows.", None if is_given else parents, f"{lead}${text(claim)}$."))
    report = check_steps(Solution(tuple(steps)), limits=Limits(check_ms=200, total_ms=2_000))
    assert all(step.verdict is not StepVerdict.REFUTED for step in report.steps), report.steps
    assert all(step.read for step in report.steps)
    assert not report.contradiction


SOUNDNESS = Property(
    _unrefuted,
    st.tuples(st.lists(SMALL, min_size=2, max_size=6), VALUES, st.integers(0, 1 << 32)),
    quick=30,
    passed_over=(NotExact,),
)
test_unrefuted, test_unrefuted_slow = SOUNDNESS.tests()


def _encoded(given: tuple[Term, dict[str, Fraction], int]) -> None:
    """A statement in the IR is true where it is true by exact arithmetic ([STEP-ENCODING])."""
    claim, named, seed = given
    values: dict[Term, Fraction] = {Variable(name): number_ for name, number_ in named.items()}
    if seed % 2:
        assert isinstance(claim, Op)
        claim = _true_at(claim.args[0], values, random.Random(seed))
    expected = truth(claim, values)
    limits = Limits(check_ms=2_000, total_ms=10_000)
    with StepTheory(frozenset(), limits, "solver", None, Budget(100, limits)) as theory:
        told = [theory.encoder.statement(_equal(name, number_)) for name, number_ in values.items()]
        found = theory.ask(told, theory.encoder.statement(claim))
    if found.verdict is not Verdict.UNKNOWN:
        assert found.verdict is (Verdict.ENTAILED if expected else Verdict.REFUTED)


def _equal(name: Term, number_: Fraction) -> Term:
    over: Term = number(abs(number_.numerator))
    over = Op("neg", (over,)) if number_ < 0 else over
    return Op("=", (name, Op("/", (over, number(number_.denominator)))))


_ONE = st.tuples(st.sampled_from(["sqrt", "abs", "floor", "ceil", "%", "neg"]), SMALL).map(
    lambda pair: Op(pair[0], (pair[1],))
)


def _wider() -> st.SearchStrategy[Term]:
    """Terms with roots, absolute values, floors, maxima, percent and powers of fractions too."""
    wide = st.one_of(
        SMALL,
        _ONE,
        st.tuples(st.sampled_from(["max", "min", "/", "+", "*"]), SMALL, SMALL).map(
            lambda t: Op(t[0], t[1:])
        ),
        SMALL.map(lambda term: Op("sqrt", (Op("*", (term, term)),))),
        SMALL.map(lambda term: Op("^", (term, Op("neg", (number(2),))))),
        SMALL.map(lambda term: Op("root", (number(3), Op("^", (term, number(3)))))),
    )
    return st.one_of(wide, st.tuples(st.sampled_from(["+", "*"]), wide, wide).map(lambda t: Op(t[0], t[1:])))


ENCODING = Property(
    _encoded,
    st.tuples(
        relations(_wider()) | st.tuples(_ONE, SMALL).map(lambda sides: Op("=", sides)),
        VALUES,
        st.integers(0, 1 << 32),
    ),
    quick=40,
    passed_over=(NotExact, Unreadable),
)
test_encoded, test_encoded_slow = ENCODING.tests()


def _differs(pair: tuple[Term, Term]) -> None:
    """A point at which expressions are said to differ is one, by SymPy ([STEP-REWRITING])."""
    sympy = pytest.importorskip("sympy")
    from potlang.languages.dagmath.lower.to_sympy import to_sympy

    old, new = pair
    said = difference(old, new)
    symbols = {name: sympy.Symbol(name) for name in NAMES}
    one, other = (to_sympy(each, lambda name: symbols[name]) for each in pair)
    same = sympy.simplify(one.doit() - other.doit()) == 0
    assert said is None or not same
    assert difference(old, old) is None
    if (
        said is None
        and free_names(old) == free_names(new)
        and free_names(old)
        and not _may_be_undefined(old, new)
    ):
        assert same


def _may_be_undefined(*terms: Term) -> bool:
    every = [part for term in terms for part in parts(term)]
    powers = [part.args[1] for part in every if is_op(part, "^")]
    positive = [isinstance(each, Num) and each.value > 0 for each in powers]
    return any("frac" in text(term) for term in terms) or not all(positive)


test_differs, test_differs_slow = Property(_differs, st.tuples(SMALL, SMALL), quick=30).tests()


# --- the properties can fail ---


def _made(op: str, broken: object) -> dict[str, object]:
    """The table of the encoder with one row broken."""
    return {**encoding._MADE, op: broken}


def _factors(self: Encoder, args: tuple[Term, ...]) -> object:
    """One factor more than a power has."""
    return self._term(Op("*", (args[0],) * (1 + int(value(args[1])))))


MUTATIONS = [
    Mutation(
        "encoding",
        "floors are dropped",
        (encoding,),
        "_MADE",
        _made("floor", lambda self, args: self._term(args[0])),
    ),
    Mutation(
        "encoding",
        "a quotient is its dividend",
        (Encoder,),
        "_quotient",
        lambda self, over, under: self._real(self._term(over)),
    ),
    Mutation(
        "encoding",
        "percent are thousandths",
        (encoding,),
        "_MADE",
        _made("%", lambda self, args: self._quotient(args[0], number(1000))),
    ),
    Mutation(
        "encoding", "the least is the greatest", (encoding,), "_MADE", _made("min", encoding._MADE["max"])
    ),
    Mutation("soundness", "a power has a factor too many", (encoding,), "_MADE", _made("^", _factors)),
    Mutation(
        "soundness",
        "numbers in the IR are off",
        (Encoder,),
        "_number",
        lambda self, amount: self.pool.integer(amount.numerator + (amount.numerator > 3)),
    ),
    Mutation(
        "soundness", "signs are lost", (encoding,), "_SIMPLE", {**encoding._SIMPLE, "neg": encoding.ops.ABS}
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_mutations_are_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way to break the encoding makes a property fail."""
    mutation.check_caught({"encoding": ENCODING, "soundness": SOUNDNESS}[mutation.statement], monkeypatch)


def test_decimals_refute_nothing() -> None:
    """Numbers with decimals may be rounded ([STEP-ROUNDING])."""
    assert exact.is_nearly(Op("=", (Op("/", (number(1), number(3))), Num(Fraction(333, 1000)))))
    assert not exact.is_nearly(Op("=", (number(1), number(2))))
    assert not exact.is_nearly(Op("=", (Num(Fraction(1, 2)), number(2))))
