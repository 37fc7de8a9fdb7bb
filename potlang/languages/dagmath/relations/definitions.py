"""Definitions of functions, points and sets, put in the place of their names ([REL-DEFINED])."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from potlang.languages.dagmath.lower.normal_forms import compared
from potlang.languages.dagmath.lower.syntax import (
    BINDERS,
    Op,
    Term,
    Unreadable,
    Variable,
    free_names,
    is_object,
    is_op,
    measured,
    parts,
    rebuilt,
    substituted,
)
from potlang.languages.dagmath.relations.model import Chain, Side
from potlang.languages.dagmath.relations.standing import Standing, lead

_PARAMETERS: Final = frozenset("xtzyusn")
"""Letters that stand for any argument where a function is defined: `f(a) = 3` says something of one value."""
_MOST_ROUNDS: Final = 5
_CONDITION: Final = re.compile(
    r"^[\s$\\),.\]]*(?:,\s*)?(?:if|when|whenever|unless|otherwise|on|in|mod|for(?!\s+(?:all|every|any|each|some|real)\b))\b"
    r"|^[\s$\\),.\]]*[<>≤≥]|^[\s$\\),.\]]*\\(?:le|ge|text|mathrm|quad|in|pmod)",
)
_RESTRICTED: Final = re.compile(r"[<>≤≥]|\\[lg]eq?\b|\bcase\b|\bpiecewise\b", re.IGNORECASE)
_INTRODUCING: Final = re.compile(r"\b(?:let|define|defined|consider)\b", re.IGNORECASE)
_CALLED: Final = re.compile(r"(?<![A-Za-z\\])([A-Za-z])\(")


class StatedDefinition(NamedTuple):
    """The term that a name stands for, or a function of parameters, and the step that says so.

    `is_firm`: a given step says it, or one that introduces it. `is_tried`: it is only supposed.
    """

    step: int
    parameters: tuple[str, ...]
    body: Term
    is_firm: bool
    is_tried: bool


class Definitions:
    """The definitions of a solution so far; of some names other things are said, so that nothing is sure."""

    def __init__(self) -> None:
        self._found: dict[str, StatedDefinition] = {}
        self._unsure: set[str] = set()

    def note(self, at: int, text: str, chain: Chain, meant: Standing, *, is_given: bool) -> None:
        """Takes in what a chain says of names and functions as such."""
        head = _head(chain.sides[0])
        if head is None or chain.links[0] != "=" or len(chain.sides) < 2:
            for side in chain.sides:
                self._unsure.update(name for name in _mentioned(side) if name not in self._found)
            return
        name, parameters = head
        body, before = chain.sides[1].term, lead(text[: chain.start], "")
        is_meant = meant in (Standing.CLAIMED, Standing.SUPPOSED)
        if not is_meant or body is None or not _defines(name, parameters, body):
            self._unsure.add(name)
            return
        if _CONDITION.search(text[chain.end :]) or _RESTRICTED.search(before):
            self._unsure.add(name)
            self._found.pop(name, None)
            return
        known = self._found.get(name)
        if known is None:
            is_firm = is_given or _INTRODUCING.search(before) is not None
            is_tried = not is_firm and meant is Standing.SUPPOSED
            self._found[name] = StatedDefinition(at, parameters, body, is_firm, is_tried)
        elif compared(_applied(known, tuple(map(Variable, parameters))) or known.body, body) is not True:
            self._unsure.add(name)

    def forget(self, names: frozenset[str]) -> None:
        """Forgets names that are introduced again."""
        for name in names:
            self._found.pop(name, None)
            self._found.pop(f"call:{name}", None)

    def expanded(
        self, term: Term, known: frozenset[int], *, is_tried: bool = False
    ) -> tuple[Term, frozenset[str]]:
        """A term with the definitions of some steps put in, and the names that these define.

        Those that are only tried are put into what is tried as well (`is_tried`).
        """
        used: set[str] = set()
        made = term

        def put_in(part: Term) -> Term:
            name = part.text if isinstance(part, Variable) else part.op if isinstance(part, Op) else ""
            found = self._found.get(name)
            if found is None or found.step not in known or (found.is_tried and not is_tried):
                return part
            body = _applied(found, part.args if isinstance(part, Op) else ())
            if body is None:
                return part
            used.add(name)
            return body

        try:
            for _ in range(_MOST_ROUNDS):
                before, made = made, measured(rebuilt(made, put_in))
                if before == made:
                    break
        except (Unreadable, RecursionError):
            return term, frozenset()
        return (term, frozenset()) if any(map(_is_segment, parts(made))) else (made, frozenset(used))

    def are_sure(self, names: frozenset[str]) -> bool:
        """Whether nothing else is said of some names, and each is given or introduced as it is."""
        return self._unsure.isdisjoint(names) and all(self._found[name].is_firm for name in names)


def _head(side: Side) -> tuple[str, tuple[str, ...]] | None:
    """The name that a side is, or the function, with its parameters."""
    match side.term:
        case Variable(name):
            return name, ()
        case Op(op, ()) if op.startswith("vector:"):
            return op, ()
        case Op(op, args) if op.startswith("call:"):
            names = tuple(each.text for each in args if isinstance(each, Variable))
            return (op, names) if len(names) == len(args) and len({*names}) == len(names) else None
    return None


def _mentioned(side: Side) -> set[str]:
    """Functions that are spoken of at arguments that are no numbers; all of a side that was not read."""
    if side.term is None:
        return {f"call:{name}" for name in _CALLED.findall(side.source)}
    return {
        each.op
        for each in parts(side.term)
        if isinstance(each, Op) and each.op.startswith("call:") and any(map(free_names, each.args))
    }


def _defines(name: str, parameters: tuple[str, ...], body: Term) -> bool:
    """Whether a side says what a name or a function is: a function of its parameters, an object."""
    if any(isinstance(each, Op) and each.op == name for each in parts(body)) or is_op(body, "list"):
        return False
    names = free_names(body)
    if not parameters:
        return not name.startswith("call:") and is_object(body) and name not in names
    return set(parameters) <= _PARAMETERS and set(parameters) <= names


def _is_segment(term: Term) -> bool:
    """Whether points stand side by side: `P A` is a segment, and no product."""
    return is_op(term, "*") and sum(is_op(each, "tuple") for each in term.args) > 1


def _applied(found: StatedDefinition, arguments: tuple[Term, ...]) -> Term | None:
    """The body of a definition at arguments; None where these are too many, or its sums hide them."""
    if len(arguments) != len(found.parameters):
        return None
    indices = {each.args[0] for each in parts(found.body) if is_op(each, *BINDERS)}
    if any(index in parts(argument) for index in indices for argument in arguments):
        return None
    values: dict[Term, Term] = {
        Variable(name): argument for name, argument in zip(found.parameters, arguments, strict=True)
    }
    return substituted(found.body, values)
