"""Which parts of some assumptions refute a goal: told from the instances of rules that all of them have.

What follows from a part follows from the whole, so a part has no other instances. To leave assumptions out is
then to leave out instances, as often as a core that is made minimal asks for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from potlang.engines.horn.goals import HornGoal
from potlang.engines.horn.program import HornParts, HornProgram
from potlang.engines.horn.rules import EQUAL, FALSE, Atom, DatalogRule, Row, ground, unify
from potlang.engines.horn.tables import domain_rows

_MOST_STEPS = 5_000
"""Atoms of the bodies of instances."""
_MOST_ROWS = 40_000
"""Rows that are looked at while instances are made: a part of a body after the first has no index."""
_GroundAtom = tuple[int, Row]
_VIOLATION: _GroundAtom = (FALSE, ())


class RuleInstance(NamedTuple):
    """A ground instance of a rule of the assertion `key` (None: of the goal), or a ground atom of it."""

    key: str | None
    head: _GroundAtom
    body: tuple[_GroundAtom, ...]


class RuleInstances:
    """The instances of some assumptions and a goal."""

    def __init__(self, instances: Sequence[RuleInstance]) -> None:
        self._instances = instances
        self._uses: dict[_GroundAtom, list[int]] = {}
        for number, each in enumerate(instances):
            for atom in each.body:
                self._uses.setdefault(atom, []).append(number)

    def refutation(self, keys: Collection[str]) -> frozenset[str] | None:
        """The assertions that a violation by these and the goal rests on; None if nothing is violated."""
        instances, reasons = self._instances, dict[_GroundAtom, int]()
        open_ = [len(each.body) for each in instances]
        chosen = [each.key is None or each.key in keys for each in instances]
        stack = [number for number, left in enumerate(open_) if not left and chosen[number]]
        while stack and _VIOLATION not in reasons:
            number = stack.pop()
            head = instances[number].head
            if head in reasons:
                continue
            reasons[head] = number
            for use in self._uses.get(head, ()):
                open_[use] -= 1
                if not open_[use] and chosen[use]:
                    stack.append(use)
        return self._used(reasons) if _VIOLATION in reasons else None

    def _used(self, reasons: Mapping[_GroundAtom, int]) -> frozenset[str]:
        seen: dict[_GroundAtom, None] = {_VIOLATION: None}
        stack: list[_GroundAtom] = [_VIOLATION]
        found = set()
        while stack:
            instance = self._instances[reasons[stack.pop()]]
            found.add(instance.key)
            new = [atom for atom in instance.body if atom not in seen]
            seen.update(dict.fromkeys(new))
            stack += new
        return frozenset(key for key in found if key is not None)


def rule_instances(horn: HornProgram, goal: HornGoal, keys: Collection[str]) -> RuleInstances | None:
    """The instances of these assertions with a goal; None where they do not decide, or are many.

    They decide if rules and goal are exact and without equations, differences and cases.
    """
    if horn.closed or not horn.exact or goal.doubts or goal.parts.remainder:
        return None
    if goal.chosen or goal.parts.splits or not (_is_plain(horn.parts) and _is_plain(goal.parts)):
        return None
    instances = [*_given(horn.parts, keys), *_given(goal.parts, None)]
    domain = domain_rows(horn, range(len(horn.universe.nodes)))
    instances += [RuleInstance(None, atom, ()) for atom in domain]
    rules = [rule for rule in horn.parts.rules if rule.source is not None and rule.source.key in keys]
    found = _closed(instances, [*rules, *goal.parts.rules])
    return None if found is None else RuleInstances(found)


def _is_plain(parts: HornParts) -> bool:
    equations = any(given.relation == EQUAL for given in parts.given)
    return not equations and not any(
        rule.head.relation == EQUAL or rule.differ or rule.equal or rule.source is None
        for rule in parts.rules
    )


def _given(parts: HornParts, keys: Collection[str] | None) -> Iterator[RuleInstance]:
    """The given atoms, once for each assertion of `keys` (None: the goal) that gives them."""
    for given, source in parts.given.items():
        for each in (source, *parts.repeated.get(given, ())):
            if keys is None or each.key in keys:
                yield RuleInstance(None if keys is None else each.key, (given.relation, given.row), ())


def _closed(given: Sequence[RuleInstance], rules: Sequence[DatalogRule]) -> list[RuleInstance] | None:
    """The given ones and all instances of rules on what follows; None if they are many."""
    found = list(given)
    uses: dict[int, list[tuple[DatalogRule, int]]] = {}
    queue = dict.fromkeys(each.head for each in given)
    for rule in rules:
        for place, atom in enumerate(rule.body):
            uses.setdefault(atom.relation, []).append((rule, place))
        if not rule.body:
            found.append(RuleInstance(_key(rule), (rule.head.relation, rule.head.args), ()))
            queue[rule.head.relation, rule.head.args] = None
    rows: dict[int, list[Row]] = {}
    seen: set[tuple[int, tuple[_GroundAtom, ...]]] = set()
    known = set(queue)
    waiting = list(queue)
    steps = looked_at = 0
    while waiting:
        relation, row = waiting.pop()
        rows.setdefault(relation, []).append(row)
        for rule, place in uses.get(relation, ()):
            start = unify(rule.body[place], row)
            if start is None:
                continue
            rest = [atom for at, atom in enumerate(rule.body) if at != place]
            looked_at += sum(len(rows.get(atom.relation, ())) for atom in rest[:1])
            if looked_at > _MOST_ROWS:
                return None
            for values in _matches(rest, start, rows):
                steps += 1 + len(rest)
                if steps > _MOST_STEPS:
                    return None
                body = tuple([(atom.relation, ground(atom.args, values)) for atom in rule.body])
                # A row that fits two atoms of a body makes an instance twice.
                if (id(rule), body) in seen:
                    continue
                seen.add((id(rule), body))
                head = rule.head.relation, ground(rule.head.args, values)
                found.append(RuleInstance(_key(rule), head, body))
                if head not in known:
                    known.add(head)
                    waiting.append(head)
    return found


def _key(rule: DatalogRule) -> str | None:
    return None if rule.source is None else rule.source.key


def _matches(
    atoms: Sequence[Atom], start: dict[int, int], rows: Mapping[int, Iterable[Row]]
) -> list[dict[int, int]]:
    """The values under which all atoms are among the rows, beginning with those of `start`."""
    found = [start]
    for atom in atoms:
        following = []
        for values in found:
            pattern = Atom(atom.relation, tuple([values.get(~v, v) if v < 0 else v for v in atom.args]))
            for row in rows.get(atom.relation, ()):
                more = unify(pattern, row)
                if more is not None:
                    following.append({**values, **more})
        found = following
        if len(found) > _MOST_STEPS:
            break
    return found
