"""The assumptions that close predicates, as text of the IR: [CLOSED-RULES] to [CLOSED-NAMES]."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from .exceptions import Expression, conjunction, copied, fresh, parsed, written
from .least import HornClause, LeastModels
from .lexer import NotCovered
from .terms import sort_text

_QUANTIFIERS = ("forall", "exists")
_DUAL = {"and": "or", "or": "and", "forall": "exists", "exists": "forall"}
_MOST_TOGETHER = 8


class Assumed(NamedTuple):
    """The formula of a fact or rule, and the sorts of its variables by number."""

    formula: str
    sorts: Sequence[str]


class _DefiningRule(NamedTuple):
    sorts: Sequence[str]
    args: list[Expression]
    variables: list[str]
    conditions: list[Expression]


class Closed(NamedTuple):
    """Lines for the IR: symbols that are declared besides, and assumptions by key."""

    declared: list[str]
    assumed: list[tuple[str, str]]


def closed(
    domains: Mapping[str, Sequence[str]], assumed: Sequence[Assumed], members: Mapping[str, Sequence[str]]
) -> Closed:
    """The assumptions that close the predicates with these domains. Raises `NotCovered`.

    `members` are those of sorts that are listed, each another than the others.
    """
    rules: dict[str, list[_DefiningRule]] = {name: [] for name in domains}
    for each in assumed:
        for name, rule in _defining(each, domains):
            rules[name].append(rule)
    below = {
        name: {
            symbol for rule in found for condition in rule.conditions for symbol in _in(condition, domains)
        }
        for name, found in rules.items()
    }
    for middle, first in product(domains, domains):
        if middle in below[first]:
            below[first] |= below[middle]
    found = Closed([], [])
    done: set[str] = set()
    known = LeastModels(members, domains)
    # Who needs others comes after them: all that they need, it needs too.
    for name in sorted(domains, key=lambda name: len(below[name] | {name})):
        if name in done:
            continue
        group = [
            name,
            *(each for each in domains if each != name and each in below[name] and name in below[each]),
        ]
        group.sort(key=list(domains).index)
        done.update(group)
        clauses = [
            HornClause(each, rule.args, rule.variables, rule.conditions, rule.sorts)
            for each in group
            for rule in rules[each]
        ]
        denials = known.denials(group, clauses)
        if denials is not None:
            found.assumed.append((f"s:closed predicate {group[0]}", written(conjunction(denials))))
            continue
        completion = _Closing(group, domains, rules, recursive=name in below[name])
        found.declared.extend(completion.declared())
        found.assumed.append((f"s:closed predicate {group[0]}", completion.root()))
    return found


def _name(expression: Expression, domains: Mapping[str, Sequence[str]]) -> str | None:
    """The closed predicate that an atom is of."""
    word = expression if isinstance(expression, str) else expression[0]
    if not isinstance(word, str) or not word.startswith('"'):
        return None
    name = str(json.loads(word))
    return name if name in domains else None


def _in(expression: Expression, domains: Mapping[str, Sequence[str]]) -> Iterator[str]:
    stack = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            if part[0] != "lit":
                stack.extend(part)
        else:
            name = _name(part, domains)
            if name is not None:
                yield name


def _defining(assumed: Assumed, domains: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, _DefiningRule]]:
    """[CLOSED-RULES]"""
    stack: list[tuple[Expression, list[str], list[Expression]]] = [(parsed(assumed.formula), [], [])]
    while stack:
        part, variables, conditions = stack.pop()
        name = _name(part, domains)
        if name is not None:
            yield (
                name,
                _DefiningRule(
                    assumed.sorts, part[1:] if isinstance(part, list) else [], variables, conditions
                ),
            )
        elif isinstance(part, list) and part[0] == "forall":
            stack.append((part[2], [*variables, *map(written, part[1])], conditions))
        elif isinstance(part, list) and part[0] == "=>":
            stack.append((part[2], variables, [*conditions, part[1]]))
        elif isinstance(part, list) and part[0] == "and":
            stack.extend((each, variables, conditions) for each in reversed(part[1:]))
        elif isinstance(part, list) and part[0] in ("iff", "="):
            for side, other in ((part[2], part[1]), (part[1], part[2])):
                if _name(side, domains) is not None:
                    stack.append((side, variables, [*conditions, other]))


class _Closing:
    """[CLOSED-COMPLETION], [CLOSED-RECURSION]"""

    def __init__(
        self,
        group: Sequence[str],
        domains: Mapping[str, Sequence[str]],
        rules: Mapping[str, Sequence[_DefiningRule]],
        *,
        recursive: bool,
    ) -> None:
        if recursive and len(group) > _MOST_TOGETHER:
            raise NotCovered("very many closed predicates that recur together")
        self._group = group
        self._domains = {name: domains[name] for name in group}
        self._rules = rules
        self._recursive = recursive
        self._sorts: list[str] = []
        self._kept = self._first_kept() if recursive else 0

    def declared(self) -> list[str]:
        """The orders."""
        if not self._recursive:
            return []
        found = []
        for p, q in product(self._group, repeat=2):
            sorts = (*self._domains[p], *self._domains[q][self._kept :])
            name = json.dumps(f"{p} before {q}")
            found.append(f"(declare fresh {name} ({' '.join(map(sort_text, sorts))}) Bool)")
        return found

    def root(self) -> str:
        """The assumption."""
        parts = [self._completed(name) for name in self._group]
        if self._recursive:
            parts += self._laws()
        body = written(conjunction(parts))
        if not self._sorts:
            return body
        variables = " ".join(f"(?.{number} {sort_text(sort)})" for number, sort in enumerate(self._sorts))
        return f"(vars {variables}) {body}"

    def _first_kept(self) -> int:
        kept = 0
        while all(kept < len(domain) for domain in self._domains.values()):
            if len({domain[kept] for domain in self._domains.values()}) > 1:
                break
            if not all(self._keeps(rule, kept) for name in self._group for rule in self._rules[name]):
                break
            kept += 1
        return kept

    def _keeps(self, rule: _DefiningRule, at: int) -> bool:
        given = rule.args[at]
        atoms = [atom for condition in rule.conditions for atom in self._atoms(condition)]
        is_variable = isinstance(given, str) and given.startswith("?")
        return not atoms or (is_variable and all(atom[at + 1] == given for atom in atoms))

    def _atoms(self, expression: Expression) -> Iterator[list[Expression]]:
        stack = [expression]
        while stack:
            part = stack.pop()
            if isinstance(part, list) and part[0] != "lit":
                if _name(part, self._domains) is not None:
                    yield part
                stack.extend(part)

    def _fresh(self, sort: str) -> str:
        return fresh(sort, self._sorts)

    def _variables(self, name: str) -> list[Expression]:
        return [self._fresh(sort) for sort in self._domains[name]]

    def _completed(self, name: str) -> Expression:
        variables = self._variables(name)
        ways = [self._way(name, rule, variables) for rule in self._rules[name]]
        some: Expression = "false" if not ways else ways[0] if len(ways) == 1 else ["or", *ways]
        return _for_all(variables, ["=>", _applied(json.dumps(name), variables), some])

    def _way(self, name: str, rule: _DefiningRule, variables: Sequence[Expression]) -> Expression:
        replaced: dict[str, Expression] = {}
        equations = []
        for variable, given in zip(variables, rule.args, strict=True):
            if isinstance(given, str) and given.startswith("?") and given not in replaced:
                replaced[given] = variable
            else:
                equations.append((variable, given))
        left: list[Expression] = []
        for word in rule.variables:
            if word not in replaced:
                replaced[word] = self._fresh(rule.sorts[int(word[2:])])
                left.append(replaced[word])
        parts: list[Expression] = [
            ["=", one, copied(other, replaced, rule.sorts, self._sorts)] for one, other in equations
        ]
        for condition in rule.conditions:
            own = copied(condition, replaced, rule.sorts, self._sorts)
            if self._recursive and any(True for _ in _in(own, self._domains)):
                own = self._earlier(own, True, name, variables)
            parts.append(own)
        body = conjunction(parts)
        return ["exists", left, body] if left else body

    def _earlier(self, part: Expression, sign: bool, name: str, others: Sequence[Expression]) -> Expression:
        """The negation normal form, in which what is asked of the group is derived before."""
        if isinstance(part, str) and part in ("true", "false"):
            return str((part == "true") is sign).lower()
        asked = _name(part, self._domains)
        if asked is not None:
            args = part[1:] if isinstance(part, list) else []
            return ["and", part, self._order(asked, args, name, others)]
        head = part[0] if isinstance(part, list) else ""
        if isinstance(part, list) and isinstance(head, str):
            if head == "not":
                return self._earlier(part[1], not sign, name, others)
            if head == "=>":
                return self._earlier(["or", ["not", part[1]], part[2]], sign, name, others)
            if head in _DUAL:
                word = head if sign else _DUAL[head]
                if head in _QUANTIFIERS:
                    return [word, part[1], self._earlier(part[2], sign, name, others)]
                return [word, *(self._earlier(each, sign, name, others) for each in part[1:])]
            if head in ("iff", "xor", "ite"):
                raise NotCovered("an equivalence or a choice in a condition of a recursive predicate")
        return part if sign else ["not", part]

    def _order(
        self, first: str, args: Sequence[Expression], second: str, others: Sequence[Expression]
    ) -> Expression:
        return _applied(json.dumps(f"{first} before {second}"), [*args, *others[self._kept :]])

    def _laws(self) -> Iterator[Expression]:
        for name in self._group:
            own = self._variables(name)
            yield _for_all(own, ["not", self._order(name, own, name, own)])
        for p, q, r in product(self._group, repeat=3):
            x = self._variables(p)
            y, z = (
                [*x[: self._kept], *map(self._fresh, self._domains[each][self._kept :])] for each in (q, r)
            )
            steps: Expression = ["and", self._order(p, x, q, y), self._order(q, y, r, z)]
            law: Expression = ["=>", steps, self._order(p, x, r, z)]
            yield _for_all([*x, *y[self._kept :], *z[self._kept :]], law)


def _applied(word: str, args: Sequence[Expression]) -> Expression:
    return [word, *args] if args else word


def _for_all(variables: Sequence[Expression], body: Expression) -> Expression:
    return ["forall", list(variables), body] if variables else body
