"""Closed predicates of which it is known where they are true: [CLOSED-KNOWN]."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from .exceptions import Expression, written
from .lexer import NotCovered

_MOST_ROWS = 20_000
_MOST_INSTANCES = 3_000_000
_QUANTIFIERS = ("forall", "exists")
_CONNECTIVES = ("not", "and", "or", "=>", "iff", "=", "distinct", "xor", "ite")
Row = tuple[str, ...]
Env = Mapping[str, str]


class HornClause:
    """A rule for a predicate; `sorts` are those of the variables by number."""

    def __init__(
        self,
        name: str,
        args: Sequence[Expression],
        variables: Sequence[str],
        conditions: Sequence[Expression],
        sorts: Sequence[str],
    ) -> None:
        self.name = name
        self.args = args
        self.variables = variables
        self.sorts = sorts
        self.parts: list[Expression] = []
        stack = list(conditions)
        while stack:
            part = stack.pop()
            if isinstance(part, list) and part[0] == "and":
                stack.extend(part[1:])
            else:
                self.parts.append(part)


class LeastModels:
    """The rows of known predicates, one group after the other.

    `members` are the words for the members of sorts whose members are told apart.
    """

    def __init__(self, members: Mapping[str, Sequence[str]], domains: Mapping[str, Sequence[str]]) -> None:
        self._members = members
        self._words = {word for words in members.values() for word in words}
        self._domains = domains
        self._rows: dict[str, set[Row]] = {}

    def denials(self, group: Sequence[str], clauses: Sequence[HornClause]) -> list[Expression] | None:
        """Where the predicates of a group are false; None where it is not known."""
        if not self._are_known(group, clauses):
            return None
        for name in group:
            self._rows[name] = set()
        self._derive(group, clauses)
        found: list[Expression] = []
        for name in group:
            word = json.dumps(name)
            for row in product(*(self._members[sort] for sort in self._domains[name])):
                if row not in self._rows[name]:
                    found.append(["not", [word, *row] if row else word])
        return found

    # --- what is known ---

    def _are_known(self, group: Sequence[str], clauses: Sequence[HornClause]) -> bool:
        for name in group:
            domain = self._domains[name]
            if not all(sort in self._members for sort in domain):
                return False
            if prod(len(self._members[sort]) for sort in domain) > _MOST_ROWS:
                return False
        known = {*self._rows, *group}
        for clause in clauses:
            own = self._instances(clause.variables, clause.sorts)
            inside = [self._inside(part, clause, known) for part in (*clause.args, *clause.parts)]
            if not all(inside) or not 0 < own * max(inside, default=1) <= _MOST_INSTANCES:
                return False
        return True

    def _instances(self, variables: Sequence[str], sorts: Sequence[str]) -> int:
        """How many values the variables have together; 0 where they have too many or unknown ones."""
        return prod(len(self._members.get(sorts[int(word[2:])], ())) for word in variables)

    def _inside(self, part: Expression, clause: HornClause, known: set[str]) -> int:
        """How many values the quantifiers above one place have at most; 0 for what nothing is known of."""
        word = written(part)
        if word in ("true", "false") or word in self._words:
            return 1
        if isinstance(part, str):
            if part.startswith("?"):
                return 1 if clause.sorts[int(part[2:])] in self._members else 0
            return 1 if part.startswith('"') and json.loads(part) in known else 0
        head = part[0]
        if head in _QUANTIFIERS:
            own = self._instances([written(each) for each in part[1]], clause.sorts)
            return own * self._inside(part[2], clause, known)
        if not isinstance(head, str) or not (
            head in _CONNECTIVES or (head.startswith('"') and json.loads(head) in known)
        ):
            return 0
        inside = [self._inside(each, clause, known) for each in part[1:]]
        return max(inside) if all(inside) else 0

    # --- what follows ---

    def _derive(self, group: Sequence[str], clauses: Sequence[HornClause]) -> None:
        """Round by round: a rule that waits for atoms of the group has one of them from the last round."""
        last: set[tuple[str, Row]] = set()
        first = True
        while first or last:
            found: set[tuple[str, Row]] = set()
            for clause in clauses:
                for env in self._applications(clause, group, last, first):
                    row = tuple(self._value(arg, env) for arg in clause.args)
                    if row not in self._rows[clause.name]:
                        found.add((clause.name, row))
            for name, row in found:
                self._rows[name].add(row)
            last, first = found, False

    def _applications(
        self, clause: HornClause, group: Sequence[str], last: set[tuple[str, Row]], first: bool
    ) -> Iterator[Env]:
        atoms = [(name, _args(part)) for part in clause.parts if (name := self._atom(part))]
        tests = [part for part in clause.parts if not self._atom(part)]
        inner = [at for at, (name, _) in enumerate(atoms) if name in group]
        if first or any(name in group for test in tests for name in self._names(test)):
            yield from self._joined(clause, atoms, tests, {})
            return
        for at in inner:
            name, args = atoms[at]
            for other, row in last:
                env = _matched(args, row, {}) if other == name else None
                if env is not None:
                    yield from self._joined(clause, [*atoms[:at], *atoms[at + 1 :]], tests, env)

    def _joined(
        self,
        clause: HornClause,
        atoms: Sequence[tuple[str, Sequence[str]]],
        tests: Sequence[Expression],
        env: Env,
    ) -> Iterator[Env]:
        stack: list[tuple[Sequence[tuple[str, Sequence[str]]], Env]] = [(atoms, env)]
        while stack:
            atoms, env = stack.pop()
            if atoms:
                known = [sum(not arg.startswith("?") or arg in env for arg in args) for _, args in atoms]
                at = known.index(max(known))
                name, args = atoms[at]
                rest = [*atoms[:at], *atoms[at + 1 :]]
                for row in self._candidates(name, args, env):
                    after = _matched(args, row, env)
                    if after is not None:
                        stack.append((rest, after))
                continue
            left = [word for word in clause.variables if word not in env]
            sorts = [self._members[clause.sorts[int(word[2:])]] for word in left]
            for values in product(*sorts):
                after = {**env, **dict(zip(left, values, strict=True))}
                if all(self._holds(test, after, clause.sorts) for test in tests):
                    yield after

    def _candidates(self, name: str, args: Sequence[str], env: Env) -> Iterator[Row]:
        """Rows that may match: all of them, or the one there can be."""
        row = tuple(env.get(arg, arg) for arg in args)
        if any(arg.startswith("?") for arg in row):
            yield from self._rows[name]
        elif row in self._rows[name]:
            yield row

    def _atom(self, part: Expression) -> str | None:
        """The predicate of an atom at variables and members."""
        word = part if isinstance(part, str) else part[0]
        if not isinstance(word, str) or not word.startswith('"'):
            return None
        name = str(json.loads(word))
        args = part[1:] if isinstance(part, list) else []
        simple = all(written(arg).startswith("?") or written(arg) in self._words for arg in args)
        return name if name in self._rows and simple else None

    def _names(self, part: Expression) -> Iterator[str]:
        stack = [part]
        while stack:
            part = stack.pop()
            if isinstance(part, list):
                stack.extend(part)
            elif part.startswith('"'):
                yield json.loads(part)

    def _value(self, part: Expression, env: Env) -> str:
        word = written(part)
        if word in env:
            return env[word]
        if word not in self._words:
            raise NotCovered("a choice among the members of a sort")
        return word

    def _holds(self, part: Expression, env: Env, sorts: Sequence[str]) -> bool:
        if isinstance(part, str):
            return part == "true" or (part != "false" and () in self._rows[json.loads(part)])
        head, *args = part
        if head in _QUANTIFIERS:
            words = [written(each) for each in part[1]]
            values = product(*(self._members[sorts[int(word[2:])]] for word in words))
            each_holds = (
                self._holds(part[2], {**env, **dict(zip(words, row, strict=True))}, sorts) for row in values
            )
            return all(each_holds) if head == "forall" else any(each_holds)
        if isinstance(head, str) and head.startswith('"'):
            return tuple(self._value(arg, env) for arg in args) in self._rows[json.loads(head)]
        if head in ("=", "distinct") and not any(self._is_formula(arg) for arg in args):
            found = [self._value(arg, env) for arg in args]
            return len(set(found)) == (1 if head == "=" else len(found))
        if head == "and":
            return all(self._holds(arg, env, sorts) for arg in args)
        if head == "or":
            return any(self._holds(arg, env, sorts) for arg in args)
        if head == "not":
            return not self._holds(args[0], env, sorts)
        if head == "=>":
            return not self._holds(args[0], env, sorts) or self._holds(args[1], env, sorts)
        if head in ("iff", "=", "xor") and len(args) == 2:
            return (self._holds(args[0], env, sorts) is self._holds(args[1], env, sorts)) is (head != "xor")
        raise NotCovered(f"{head} in a condition of a closed predicate")

    def _is_formula(self, part: Expression) -> bool:
        word = written(part)
        return not word.startswith("?") and word not in self._words


def _args(part: Expression) -> list[str]:
    return [written(arg) for arg in part[1:]] if isinstance(part, list) else []


def _matched(args: Sequence[str], row: Row, env: Env) -> Env | None:
    after = dict(env)
    for arg, value in zip(args, row, strict=True):
        if (after.setdefault(arg, value) if arg.startswith("?") else arg) != value:
            return None
    return after
