"""The classes of equal terms in a model of ground clauses, and the axioms that the model violates.

Congruence closure with a proof forest (R. Nieuwenhuis and A. Oliveras, 2005); what it concludes against
the model becomes instances of transitivity and congruence.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from potlang.engines.ground.axioms import Axiom
from potlang.engines.ground.table import Head, Table, values_of
from potlang.ir import operators as op
from potlang.ir.nodes import Lit, Symbol
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, INT, Sort

MOST_BETWEEN = 64
"""Integers between two bounds are told apart if they are no more than so many."""
UNKNOWN = -1
"""In place of a class."""
_CONGRUENT = 0
_COMPUTED = -1


class Classes:
    """What a model's true atoms make equal. `axioms` are instances that the model violates, each once."""

    def __init__(self, table: Table, true: Iterable[int]) -> None:
        self.table = table
        self.true = frozenset(true)
        self.axioms: dict[Axiom, None] = {}
        equalities = [number for number in sorted(self.true) if table.atoms[number][0] is op.EQ]
        self.trivial = not equalities and not table.computed
        self._leader: list[int] = list(range(len(table.heads)))
        self._literal: dict[int, int] = {}
        if not self.trivial:
            self._close(equalities)
            self._check()
        self._require_choices()
        self._require_members()
        self._require_integers()

    def leader(self, term: int) -> int:
        """The number that stands for the class of a term; a term made later is alone in its class."""
        leader = self._leader
        if term >= len(leader) or term < 0:
            return term
        while leader[term] != term:
            leader[term] = leader[leader[term]]
            term = leader[term]
        return term

    def literal(self, term: int) -> int | None:
        """A literal in the class of a term."""
        if self.trivial or term >= len(self._leader):
            return term if self.table.is_literal(term) else None
        return self._literal.get(self.leader(term))

    def apply(self, head: Symbol | Operator, args: tuple[int, ...], sort: Sort) -> int:
        """The class of a function's value at classes of arguments, as the model has it or by default.

        `UNKNOWN` for what an operator gives, if only an instance will tell.
        """
        if UNKNOWN in args:
            return UNKNOWN
        if sort is BOOL:
            holds = self.holds(head, args)
            return UNKNOWN if holds is None else self.leader(self.table.literal(self.table.pool.truth(holds)))
        leaders = tuple([self.leader(arg) for arg in args])
        known = self.table.find(head, args) if self.trivial else self._signatures.get((head, leaders))
        if known is not None:
            return self.leader(known)
        if isinstance(head, Operator):
            known = self.table.find(head, args)
            value = self._computed(head, args)
            if known is None and value is None:
                return UNKNOWN
            return self.leader(self.table.literal(value) if known is None else known)  # type: ignore[arg-type]
        return self.leader(self.table.default(sort))

    def holds(self, head: Symbol | Operator, args: tuple[int, ...]) -> bool | None:
        """The value of an atom at classes of arguments; None if only an instance will give it one."""
        if UNKNOWN in args:
            return None
        if head is op.EQ:
            return self.leader(args[0]) == self.leader(args[1])
        if isinstance(head, Operator):
            value = self._computed(head, args)
            if value is not None:
                return value.value is True
            number = self.table.known_atom(head, args)
            return None if number is None else (abs(number) in self.true) is (number > 0)
        if self.trivial:
            return self.table.known_atom(head, args) in self.true
        return (head, tuple([self.leader(arg) for arg in args])) in self._facts

    def doubtful(self) -> bool:
        """Whether something interpreted has a value here that no computation gave it."""
        table = self.table
        terms = zip(table.heads, table.args, table.sorts, strict=True)
        calls = [(head, args) for head, args, sort in terms if sort is not BOOL]
        return any(self._is_doubtful(head, args) for head, args in [*calls, *table.atoms[1:]])

    def _is_doubtful(self, head: Head, args: tuple[int, ...]) -> bool:
        if not isinstance(head, Operator):
            return self.table.formulas_in(args)
        if head is op.EQ:
            return False
        if head is op.ITE:
            return self.table.formula(args[0]) is None
        return self._computed(head, args) is None

    def _computed(self, head: Operator, args: Iterable[int]) -> Lit | None:
        literals = [self.literal(arg) for arg in args]
        known = [lit for lit in literals if lit is not None]
        return self.table.compute(head, known) if len(known) == len(literals) else None

    # --- closure ---

    def _close(self, equalities: list[int]) -> None:
        table = self.table
        self._proof: dict[int, tuple[int, int]] = {}
        self._inputs: dict[int, tuple[int, ...]] = {}
        self._pending: deque[tuple[int, int, int]] = deque()
        self._uses: dict[int, list[int]] = {}
        self._signatures: dict[tuple[Head, tuple[int, ...]], int] = {}
        self._clashes: dict[tuple[int, int, int], None] = {}
        count = len(self._leader)
        for term in range(count):
            if table.is_literal(term):
                self._literal[term] = term
            elif (
                table.args[term] and table.sorts[term] is not BOOL and not table.formulas_in(table.args[term])
            ):
                for arg in dict.fromkeys(table.args[term]):
                    self._uses.setdefault(arg, []).append(term)
                self._signatures[table.heads[term], table.args[term]] = term
        for number in equalities:
            a, b = table.atoms[number][1]
            self._pending.append((a, b, number))
        while self._pending:
            self._merge(*self._pending.popleft())

    def _extend(self) -> None:
        """Literals that were computed are terms too."""
        for term in range(len(self._leader), len(self.table.heads)):
            self._leader.append(term)
            if self.table.is_literal(term):
                self._literal[term] = term

    def _merge(self, a: int, b: int, reason: int) -> None:
        small, large = self.leader(a), self.leader(b)
        if small == large:
            return
        if len(self._uses.get(small, ())) > len(self._uses.get(large, ())):
            small, large, a, b = large, small, b, a
        one, other = self._literal.get(small), self._literal.get(large)
        if one is not None and other is not None:
            self._clashes[a, b, reason] = None
            return
        self._reroot(a)
        self._proof[a] = (b, reason)
        self._leader[small] = large
        literal = one if one is not None else other
        changed = list(self._uses.get(small, ()))
        if literal is not None:
            self._literal[large] = literal
            if other is None:
                changed += self._uses.get(large, ())
        self._uses.setdefault(large, []).extend(self._uses.pop(small, ()))
        for term in dict.fromkeys(changed):
            self._sign(term)

    def _sign(self, term: int) -> None:
        """A term one of whose arguments' classes has grown."""
        table = self.table
        head, args = table.heads[term], table.args[term]
        signature = (head, tuple([self.leader(arg) for arg in args]))
        other = self._signatures.setdefault(signature, term)
        if other != term:
            self._pending.append((term, other, _CONGRUENT))
        if isinstance(head, Operator) and term not in self._inputs:
            value = self._computed(head, args)
            if value is not None:
                self._inputs[term] = tuple([self._literal[self.leader(arg)] for arg in args])
                literal = table.literal(value)
                self._extend()
                self._pending.append((term, literal, _COMPUTED))

    def _reroot(self, term: int) -> None:
        edge = self._proof.pop(term, None)
        while edge is not None:
            above, reason = edge
            edge = self._proof.pop(above, None)
            self._proof[above] = (term, reason)
            term = above

    # --- what the model violates ---

    def _check(self) -> None:
        for a, b, reason in self._clashes:
            path = [*self._path(self._literal[self.leader(a)], a), (b, reason)]
            path += self._path(b, self._literal[self.leader(b)])[1:]
            self._explain_path(path)
        facts: dict[tuple[Head, tuple[int, ...]], int] = {}
        for number in sorted(self.true):
            head, args = self.table.atoms[number]
            if head is not op.EQ:
                facts.setdefault((head, tuple([self.leader(arg) for arg in args])), number)
        self._facts = facts
        for number in range(1, len(self.table.atoms)):
            head, args = self.table.atoms[number]
            if head is op.EQ:
                if number not in self.true and self.leader(args[0]) == self.leader(args[1]):
                    self._explain(args[0], args[1])
            else:
                self._check_atom(number, head, args)

    def _check_atom(self, number: int, head: Head, args: tuple[int, ...]) -> None:
        if self.table.formulas_in(args):
            return
        holds = number in self.true
        if isinstance(head, Operator):
            value = self._computed(head, args)
            if value is not None and value.value is not holds:
                inputs = tuple([self._literal[self.leader(arg)] for arg in args])
                self._congruent(head, *((args, inputs) if holds else (inputs, args)))
        if not holds:
            other = self._facts.get((head, tuple([self.leader(arg) for arg in args])))
            if other is not None:
                self._congruent(head, self.table.atoms[other][1], args)

    def _congruent(self, head: Head, left: tuple[int, ...], right: tuple[int, ...]) -> None:
        self.axioms[Axiom("congruent", head, left, right)] = None
        for a, b in zip(left, right, strict=True):
            self._explain(a, b)

    def _explain(self, a: int, b: int) -> None:
        """The axioms by which two terms of one class are equal."""
        stack = [(a, b)]
        done: set[tuple[int, int]] = set()
        while stack:
            pair = stack.pop()
            if pair not in done and pair[0] != pair[1]:
                done.add(pair)
                stack.extend(self._chain(self._path(*pair)))

    def _explain_path(self, path: list[tuple[int, int]]) -> None:
        for a, b in self._chain(path):
            self._explain(a, b)

    def _chain(self, path: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The axioms along a path of terms, and the pairs of arguments that these take to be equal."""
        pairs: list[tuple[int, int]] = []
        first = before = path[0][0]
        for term, reason in path[1:]:
            if reason <= 0:
                head, left, right = self._step(before, term, reason)
                self.axioms[Axiom("congruent", head, left, right)] = None
                pairs.extend(zip(left, right, strict=True))
            if before != first:
                self.axioms[Axiom("transitive", None, (first, before, term))] = None
            before = term
        return pairs

    def _step(self, a: int, b: int, reason: int) -> tuple[Head, tuple[int, ...], tuple[int, ...]]:
        """Why two terms next to one another are equal, other than by an equality."""
        args = self.table.args
        if reason == _CONGRUENT:
            return self.table.heads[a], args[a], args[b]
        if self.table.is_literal(b):
            return self.table.heads[a], args[a], self._inputs[a]
        return self.table.heads[b], self._inputs[b], args[b]

    def _path(self, a: int, b: int) -> list[tuple[int, int]]:
        """The terms from `a` to `b`, each with the reason why it equals the one before."""
        above = {a: 0}
        up = [(a, 0)]
        here = a
        while here in self._proof:
            here, reason = self._proof[here]
            up.append((here, reason))
            above[here] = len(up) - 1
        down: list[tuple[int, int]] = []
        here = b
        while here not in above:
            over, reason = self._proof[here]
            down.append((here, reason))
            here = over
        return up[: above[here] + 1] + down[::-1]

    def _require_choices(self) -> None:
        """A choice is what its condition says."""
        table = self.table
        for term in table.computed:
            if table.heads[term] is op.ITE and table.formula(table.args[term][0]) is not None:
                self.axioms[Axiom("then", None, (term,))] = None
                self.axioms[Axiom("else", None, (term,))] = None

    def _require_members(self) -> None:
        """A term of an enumerated sort is one of its values."""
        table = self.table
        for sort, terms in list(table.by_sort.items()):
            if sort is BOOL or values_of(sort) is None:
                continue
            for term in terms:
                if self.literal(term) is None:
                    self.axioms[Axiom("member", None, (term,))] = None

    def _require_integers(self) -> None:
        """An integer between two bounds is one of those there; below a bound it is below higher ones."""
        table = self.table
        lows: dict[int, int] = {}
        highs: dict[int, int] = {}
        for number in range(1, len(table.atoms)):
            head, args = table.atoms[number]
            if head is not op.LT or table.sorts[args[0]] is not INT or not table.is_literal(args[1]):
                continue
            term, bound = args[0], table.integer(args[1])
            if number in self.true:
                highs[term] = min(bound - 1, highs.get(term, bound - 1))
            else:
                lows[term] = max(bound, lows.get(term, bound))
        for term, low in lows.items():
            high = highs.get(term)
            if high is not None and self.literal(term) is None and abs(high - low) <= MOST_BETWEEN:
                ends = tuple([table.literal(table.pool.integer(value)) for value in (low, high)])
                self.axioms[Axiom("between", None, (term, *ends))] = None
