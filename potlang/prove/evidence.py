"""From solvers' words to evidence in the program's own: cores as assumptions, values as models."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from potlang.engines.encoding import AssertionNames, show_value
from potlang.ir.evaluator import Evaluator
from potlang.ir.measures import shown_sort
from potlang.ir.module import Module
from potlang.ir.nodes import Sym, SymbolKind
from potlang.ir.sorts import DeclaredSort, Sort, TupleSort
from potlang.ir.structure import NotEvaluable
from potlang.ir.values import Element, Record, Unspecified
from potlang.prove.terms import FreshNames, ShownTerm, constants_within
from potlang.report.results import CoreItem, Model
from potlang.smt.models import complete
from potlang.smt.names import constructor_name, sort_name

if TYPE_CHECKING:
    from potlang.engines.encoding import Encoding
    from potlang.ir.pool import Pool
    from potlang.prove.verdicts import PartialModel

_MOST_NAMES = 4


def core_items(names: Iterable[str], labels: AssertionNames) -> tuple[CoreItem, ...]:
    """The assumptions behind the names of a core, in the program's order."""
    found = [labels.find(name) for name in names]
    ordered = sorted((each for each in found if each is not None), key=lambda pair: pair[0])
    return tuple(
        CoreItem(each.name, each.origin.pointer, each.origin.text, each.kind.value) for _, each in ordered
    )


class _Elements:
    """Names of the elements of declared sorts in one model."""

    def __init__(
        self,
        model: PartialModel,
        named: Sequence[ShownTerm],
        given: Mapping[Element, str],
        taken: Container[str],
    ) -> None:
        self._names = {(each.sort, _raw(each)): [name] for each, name in given.items()}
        for term in named:
            raw = model.values.get(term.node.id)
            if raw is not None:
                self._names.setdefault((str(term.node.sort), raw), []).append(term.label)
        self._fresh = FreshNames(taken)

    def name(self, sort: str, raw: str) -> str:
        """The constants that denote the element, or a name that it is given."""
        return self.other_name(sort, raw, None) or raw

    def other_name(self, sort: str, raw: str, but: str | None) -> str | None:
        """The same without the name `but`; None if there is no other."""
        key = (sort, raw)
        if key not in self._names:
            self._names[key] = [self._fresh.name(sort)]
        names = [name for name in self._names[key] if name != but]
        more = " = …" if len(names) > _MOST_NAMES else ""
        return " = ".join(names[:_MOST_NAMES]) + more if names else None


def _raw(element: Element) -> str:
    """An element as z3's models write it, and so `evaluated`."""
    return f"{sort_name(element.sort)}!val!{element.index}"


def evaluated(module: Module, model: PartialModel, terms: Iterable[ShownTerm]) -> PartialModel | None:
    """The same model with the values that these terms have in its structure; None if it has none."""
    structure = None if model.result.structure is None else model.result.structure()
    if structure is None:
        return None
    evaluator = Evaluator(complete(structure, module))
    values: dict[int, str] = {}
    for term in terms:
        node = term.node
        try:
            value = evaluator.value(node)
        except (NotEvaluable, Unspecified):
            continue
        text = _raw_text(value, node.sort, model.encoding, module.pool)
        if text is not None:
            values[node.id] = text
    return model._replace(values=values)


def _raw_text(value: object, sort: Sort, encoding: Encoding, pool: Pool) -> str | None:
    """A value as solvers' models write it; None where there is no such text here."""
    if isinstance(value, Element):
        return _raw(value)
    if isinstance(value, bool | int | Fraction | str):
        return encoding.term(pool.lit(value, sort))
    if isinstance(value, Record) and isinstance(sort, TupleSort):
        pairs = zip(value.fields, sort.fields, strict=True)
        parts = [_raw_text(each, part, encoding, pool) for each, (_, part) in pairs]
        known = [each for each in parts if each is not None]
        return f"({' '.join([constructor_name(sort.name), *known])})" if len(known) == len(parts) else None
    return None


def read_model(
    model: PartialModel,
    terms: Sequence[ShownTerm],
    named: Sequence[ShownTerm],
    names: Mapping[Element, str] | None = None,
) -> Model:
    """The values of `terms`, elements called by the constants in `named` that denote them, else by `names`.

    A constant of a declared sort is left out unless another constant denotes the same element; those among
    the arguments of the terms are looked at, too.
    """
    taken = {symbol.name for term in terms[:1] for symbol in term.terms.module.symbols}
    elements = _Elements(model, named, names or {}, taken)
    shown: Model = {}
    for term in terms:
        raw = model.values.get(term.node.id)
        if raw is None:
            continue
        sort = term.node.sort
        if isinstance(sort, DeclaredSort):
            constant = isinstance(term.node, Sym) and term.node.symbol.kind is SymbolKind.CONSTANT
            value = elements.other_name(sort.name, raw, term.label if constant else None)
        else:
            value = show_value(raw, sort, elements.name, shown_sort(term.node))
        if value is not None:
            shown[term.label] = value
    return shown | _merged(model, terms, shown)


def _merged(model: PartialModel, terms: Sequence[ShownTerm], shown: Model) -> Model:
    """The constants among the terms' arguments that are one element with an earlier one, if none says so."""
    first: dict[tuple[str, str], str] = {}
    found: Model = {}
    for node in constants_within(terms):
        raw = model.values.get(node.id)
        label = None if raw is None else terms[0].terms.label(node)
        if raw is None or label is None:
            continue
        earlier = first.setdefault((str(node.sort), raw), label)
        if earlier != label and label not in shown:
            found[label] = earlier
    return found
