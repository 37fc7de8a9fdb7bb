"""Whether structures are models of one program's assumptions, evaluated no more often than need be.

A formula's value depends on the universe and on what its own symbols mean: an assumption that was true
once is true again wherever these are the same. Claims on one policy have models that differ in little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from potlang.ir.evaluator import Survey
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import Node, Symbol, symbols_in
from potlang.ir.sorts import BOOL, DeclaredSort
from potlang.ir.structure import FunctionTable, NotEvaluable, Structure, definitions_of, free_symbols
from potlang.prove.modelcheck import ModelCheck, check_model

_FEW = 50
"""Fewer assumptions are evaluated faster than compared."""
_MOST_REMEMBERED = 200_000
_Signature = tuple[object, ...]


class Evaluation(NamedTuple):
    """Whether a structure is a model: None if a part could not be evaluated, for the reason in `note`."""

    holds: bool | None
    note: str


class Evaluations:
    """Evaluates the assumptions of one module, and more of them on top, in structures."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._defined = definitions_of(module)
        self._known: dict[int, tuple[Structure, Evaluation]] = {}
        self._symbols: dict[int, tuple[Symbol, ...] | None] = {}
        self._meanings: dict[object, int] = {}
        self._true: set[_Signature] = set()
        self._unsigned: tuple[Structure, Sequence[Assertion]] | None = None
        self._last: Structure | None = None
        self._users: dict[Symbol | None, list[int]] | None = None
        self._trivial: tuple[Structure | None] | None = None
        self._survey = Survey()
        self._refusals: Counter[str | None] = Counter()
        self.extra: tuple[Assertion, ...] = ()

    def forget(self) -> None:
        """Let go of the structures seen; what is true in which of them stays known."""
        self._known.clear()

    def renew(self) -> None:
        """The assumptions on top have changed."""
        self.forget()
        self._trivial = None
        self._last = None
        self._users = None

    def assumed(self, structure: Structure) -> Evaluation:
        """Whether the structure is a model of the assumptions."""
        known = self._known.get(id(structure))
        if known is None:
            known = self._known[id(structure)] = structure, self._assumed(structure)
        return known[1]

    def both(self, structure: Structure, side: Node | None) -> Evaluation:
        """Whether it is a model of the assumptions and of a closed formula."""
        found = self.assumed(structure)
        if side is None or found.holds is False:
            return found
        alone = self._checked((), side, structure)
        return found if alone.holds is True else alone

    def still(self, structure: Structure, model: Structure, side: Node) -> bool:
        """Whether a structure is a model, and `side` true in it, as in the `model` that it was made of.

        What speaks of nothing that has changed since is not evaluated again.
        """
        # The formula first: it is one, and exchanged values are often its own.
        if self._checked((), side, structure).holds is not True:
            return False
        every = (*self._module.assertions, *self.extra)
        users = self._used(every)
        places = set(users.get(None, ()))
        for symbol, meaning in structure.functions.items():
            if model.functions.get(symbol) is not meaning:
                places.update(users.get(symbol, ()))
        # What refused other exchanges is likely to refuse this one.
        changed = sorted(places, key=lambda place: (-self._refusals[every[place].key], place))
        found = self._model_check([every[place] for place in changed], None, structure)
        self._refusals[found.failed] += 1
        return found.holds is True

    def trivial(self) -> Structure | None:
        """The structure of one element for each sort in which all predicates are true, if it is a model.

        It is one of every program of definite rules and facts.
        """
        if self._trivial is None:
            sizes = {sort: 1 for sort in self._module.sorts if isinstance(sort, DeclaredSort)}
            symbols = [each for each in free_symbols(self._module) if each.range is BOOL]
            meanings = {each: FunctionTable({}, True) if each.domain else True for each in symbols}
            made = Structure(sizes, meanings, self._defined)
            self._trivial = (made if self.assumed(made).holds else None,)
        return self._trivial[0]

    def _assumed(self, structure: Structure) -> Evaluation:
        every = (*self._module.assertions, *self.extra)
        if len(every) < _FEW:
            return self._checked(every, None, structure)
        left = self._open(every, structure)
        known = self._known_true()
        if known:
            signed = _Signed(self, structure)
            left = [each for each in left if signed.signature(each) not in known]
        found = self._checked(left, None, structure)
        if found.holds:
            self._unsigned = structure, left
            self._last = structure
        return found

    def _known_true(self) -> set[_Signature]:
        """The signatures of what was true in some structure."""
        # Meanings are numbered for the signatures, so they are forgotten together or not at all.
        if len(self._true) > _MOST_REMEMBERED:
            self._true.clear()
            self._meanings.clear()
        # Signed only now: most programs are evaluated in one structure, and no other asks for them.
        if self._unsigned is not None:
            structure, assertions = self._unsigned
            self._unsigned = None
            signed = _Signed(self, structure)
            signatures = (signed.signature(each) for each in assertions)
            self._true.update(each for each in signatures if each is not None)
        return self._true

    def _open(self, every: Sequence[Assertion], structure: Structure) -> Sequence[Assertion]:
        """The assumptions that do not mean the same as in the last model."""
        last = self._last
        if last is None or last.universe != structure.universe:
            return every
        users = self._used(every)
        found = set(users.get(None, ()))
        for symbol in last.functions.keys() | structure.functions.keys():
            if not _same(last.functions.get(symbol), structure.functions.get(symbol)):
                found.update(users.get(symbol, ()))
        return [every[place] for place in sorted(found)]

    def _used(self, every: Sequence[Assertion]) -> dict[Symbol | None, list[int]]:
        """The places of the assumptions in which a symbol occurs; of None, those where that is not known."""
        if self._users is None:
            self._users = {}
            for place, assertion in enumerate(every):
                symbols = self.symbols(assertion.formula)
                for symbol in (None,) if symbols is None else symbols:
                    self._users.setdefault(symbol, []).append(place)
        return self._users

    def _checked(
        self, assertions: Sequence[Assertion], side: Node | None, structure: Structure
    ) -> Evaluation:
        found = self._model_check(assertions, side, structure)
        if found.holds is False:
            return Evaluation(False, f"{found.failed} is false in the model")
        if found.skipped:
            name, why = found.skipped[0]
            more = f" and {len(found.skipped) - 1} more" if len(found.skipped) > 1 else ""
            return Evaluation(None, f"not evaluated: {name}{more}: {why}")
        return Evaluation(True, "")

    def _model_check(
        self, assertions: Sequence[Assertion], side: Node | None, structure: Structure
    ) -> ModelCheck:
        return check_model(self._module, assertions, side, structure, survey=self._survey)

    def symbols(self, formula: Node) -> tuple[Symbol, ...] | None:
        """The symbols that a formula's value depends on; None if definitions take part."""
        if formula.id not in self._symbols:
            found = tuple(symbols_in(formula))
            self._symbols[formula.id] = None if any(each in self._defined for each in found) else found
        return self._symbols[formula.id]

    def meaning(self, value: object) -> int:
        """The same number for the same meaning."""
        if isinstance(value, FunctionTable):
            value = (frozenset(value.entries.items()), value.default)
        return self._meanings.setdefault(value, len(self._meanings))


def _same(one: object, other: object) -> bool:
    """Whether two meanings are certainly the same; tables are not compared."""
    return one is other or (type(one) is type(other) and not callable(one) and one == other)


class _Signed:
    """The meanings of symbols in one structure, by number."""

    def __init__(self, evaluations: Evaluations, structure: Structure) -> None:
        self._evaluations = evaluations
        self._structure = structure
        self._numbers: dict[Symbol, int | None] = {}
        sizes = frozenset((sort.name, size) for sort, size in structure.universe.items())
        self._universe = evaluations.meaning(sizes)

    def signature(self, assertion: Assertion) -> _Signature | None:
        """Equal for assumptions in structures that give them the same value; None if that cannot be told."""
        symbols = self._evaluations.symbols(assertion.formula)
        numbers = None if symbols is None else [self._number(symbol) for symbol in symbols]
        if numbers is None or None in numbers:
            return None
        return (assertion.key, self._universe, *numbers)

    def _number(self, symbol: Symbol) -> int | None:
        if symbol not in self._numbers:
            value = self._structure.functions.get(symbol, NotEvaluable)
            plain = isinstance(value, FunctionTable) or not callable(value)
            try:
                self._numbers[symbol] = self._evaluations.meaning(value) if plain else None
            except TypeError:
                self._numbers[symbol] = None
        return self._numbers[symbol]
