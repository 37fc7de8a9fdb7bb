"""Rules taken apart, as nested lists of the words of the textual IR: [EXC-PARTS] to [EXC-MATCH]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .lexer import NotCovered

Expression = str | list["Expression"]
"""A word, or what stands between parentheses."""

_WORD = re.compile(r'[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+')


class Parts(NamedTuple):
    """A formula, taken apart: for all `variables`, if all `conditions`, then `conclusion`."""

    variables: list[str]
    conditions: list[Expression]
    conclusion: Expression


def parsed(text: str) -> Expression:
    """The nested lists of one term."""
    stack: list[list[Expression]] = [[]]
    for word in _WORD.findall(text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0][0]


def written(expression: Expression) -> str:
    """The text of nested lists."""
    if isinstance(expression, str):
        return expression
    return f"({' '.join(map(written, expression))})"


def taken_apart(formula: Expression) -> Parts:
    """Through universal quantifiers and implications, from the outside."""
    found = Parts([], [], formula)
    while isinstance(formula, list) and formula[0] in ("forall", "=>"):
        if formula[0] == "forall":
            found.variables.extend(map(written, formula[1]))
        else:
            found.conditions.append(formula[1])
        formula = formula[2]
    return found._replace(conclusion=formula)


def copied(
    part: Expression, replaced: Mapping[str, Expression], sorts: Sequence[str], into: list[str]
) -> Expression:
    """The expression with variables replaced, and those that it binds by new ones, whose sorts go `into`."""
    if isinstance(part, str):
        return replaced.get(part, part)
    if part[0] not in ("forall", "exists"):
        return [copied(each, replaced, sorts, into) for each in part]
    words = [written(each) for each in part[1]]
    inner = {**replaced, **{word: fresh(sorts[int(word[2:])], into) for word in words}}
    return [part[0], [inner[word] for word in words], copied(part[2], inner, sorts, into)]


def fresh(sort: str, into: list[str]) -> str:
    """A new variable of a root, whose variables have the sorts `into`."""
    into.append(sort)
    return f"?.{len(into) - 1}"


class ReadConclusion(NamedTuple):
    """A declared symbol at arguments, and what a conclusion says of it: its truth, its value, or less."""

    atom: list[Expression]
    said: bool | Expression | None


class OverridableRule:
    """A rule with its exceptions, and those that override it; `sorts` are those of its root's variables."""

    def __init__(self, formula: str, unless: Iterable[str], sorts: list[str]) -> None:
        self.parts = taken_apart(parsed(formula))
        self.sorts = sorts
        self.overriding: list[OverridableRule] = []
        self.opposed: list[OverridableRule] = []
        """Those that override it because of what they conclude: [EXC-DEFAULT]"""
        self._exceptions: list[Expression] = [parsed(each) for each in unless]
        self._is_open = True
        self._formula = formula

    def formula(self) -> str:
        """The formula that is assumed."""
        conditions = self._applies(64)
        if not self._exceptions:
            return self._formula
        variables: list[Expression] = list(self.parts.variables)
        body: Expression = ["=>", conditions, self.parts.conclusion]
        return written(["forall", variables, body] if variables else body)

    def oppose(self, others: Iterable[OverridableRule]) -> None:
        """Lets those rules override this one, a default, that conclude the opposite."""
        if self.overriding:
            raise NotCovered("a default that is overridden by name, too")
        if not any(subject.said is not None for subject in _subjects(self.parts.conclusion)):
            raise NotCovered("a default that concludes no literal and no equation")
        self.opposed = [each for each in others if each is not self and self._pairs(each, opposite=True)]

    def _applies(self, levels: int) -> Expression:
        if levels == 0:
            raise NotCovered("many rules that override one another")
        if self._is_open:
            self._is_open = False
            self._exceptions += [self._overridden(each, levels - 1) for each in self.overriding]
            self._exceptions += [self._overridden(each, levels - 1, opposite=True) for each in self.opposed]
        return conjunction([*self.parts.conditions, *(["not", each] for each in self._exceptions)])

    def _pairs(self, by: OverridableRule, *, opposite: bool) -> list[tuple[ReadConclusion, ReadConclusion]]:
        return [
            (mine, theirs)
            for mine in _subjects(self.parts.conclusion)
            for theirs in _subjects(by.parts.conclusion)
            if mine.atom[0] == theirs.atom[0] and (not opposite or _are_opposite(mine, theirs))
        ]

    def _overridden(self, by: OverridableRule, levels: int, *, opposite: bool = False) -> Expression:
        """[EXC-MATCH]"""
        applies = by._applies(levels)
        pairs = self._pairs(by, opposite=opposite)
        if not pairs and not by.parts.variables:
            return copied(applies, {}, by.sorts, self.sorts)
        if len(pairs) != 1:
            raise NotCovered("rules that override one another for several reasons")
        mine, theirs = pairs[0]
        replaced: dict[str, Expression] = {}
        equations = []
        for wanted, given in zip(mine.atom[1:], theirs.atom[1:], strict=True):
            if isinstance(given, str) and given in by.parts.variables and given not in replaced:
                replaced[given] = wanted
            elif _is_literal(wanted) and _is_literal(given) and wanted != given:
                raise NotCovered("rules that override one another for things that differ")
            else:
                equations.append((given, wanted))
        left = {
            word: fresh(by.sorts[int(word[2:])], self.sorts)
            for word in by.parts.variables
            if word not in replaced
        }
        replaced.update(left)
        sides = [(copied(given, replaced, by.sorts, self.sorts), wanted) for given, wanted in equations]
        parts: list[Expression] = [["=", given, wanted] for given, wanted in sides if given != wanted]
        if applies != "true" or not parts:
            parts.append(copied(applies, replaced, by.sorts, self.sorts))
        body = conjunction(parts)
        return ["exists", list(left.values()), body] if left else body


def _is_literal(expression: Expression) -> bool:
    word = expression if isinstance(expression, str) else expression[0]
    return isinstance(word, str) and (word in ("lit", "true", "false") or word.lstrip("-").isdigit())


def _are_opposite(mine: ReadConclusion, theirs: ReadConclusion) -> bool:
    """A literal and its denial, or equations with different other sides."""
    if isinstance(mine.said, bool) or isinstance(theirs.said, bool):
        return isinstance(mine.said, bool) and isinstance(theirs.said, bool) and mine.said != theirs.said
    if mine.said is None or theirs.said is None:
        return False
    if "?" in written(mine.said) + written(theirs.said):
        raise NotCovered("a default beside an equation with a variable")
    return mine.said != theirs.said


def _subjects(conclusion: Expression) -> Iterator[ReadConclusion]:
    """The things of which a conclusion speaks."""
    denied = False
    while isinstance(conclusion, list) and conclusion[0] == "not":
        conclusion, denied = conclusion[1], not denied
    if isinstance(conclusion, list) and conclusion[0] == "and" and not denied:
        for part in conclusion[1:]:
            yield from _subjects(part)
        return
    if isinstance(conclusion, list) and conclusion[0] in ("iff", "xor"):
        raise NotCovered("a conclusion that is an equivalence, beside exceptions")
    if (known := _atom(conclusion)) is not None:
        yield ReadConclusion(known, not denied)
    elif isinstance(conclusion, list) and conclusion[0] in ("=", "<", "<="):
        sides = conclusion[1:]
        is_equation = conclusion[0] == "=" and not denied
        speaking = [(_atom(side), other) for side, other in (sides, sides[::-1])]
        found = [(atom, other) for atom, other in speaking if atom is not None]
        for atom, other in found[:1] if is_equation else found:
            yield ReadConclusion(atom, other if is_equation else None)


def _atom(expression: Expression) -> list[Expression] | None:
    """An application of a declared symbol, or a constant."""
    found: list[Expression] = [expression] if isinstance(expression, str) else expression
    return found if isinstance(found[0], str) and found[0].startswith('"') else None


def conjunction(parts: Sequence[Expression]) -> Expression:
    """All of the parts."""
    return "true" if not parts else parts[0] if len(parts) == 1 else ["and", *parts]
