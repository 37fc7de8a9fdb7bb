"""Closed predicates: true only where rules or facts make them so ([CLOSED-RULES] ff.).

K. Clark, "Negation as failure" (1978); for recursion an order that each derivation goes down
(F. Fages, "Consistency of Clark's completion and existence of stable models", 1994).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product

from potlang.diag import Label, Place, Sink
from potlang.ir import operators as op
from potlang.ir.graphs import components
from potlang.ir.module import COMPLETION, Assertion, AssertionKind, Definition, Origin
from potlang.ir.nnf import NegationNormalForm, cnf_of_connective
from potlang.ir.nodes import App, Node, Quant, Sym, Symbol, SymbolKind, Var, reachable, symbols_in
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, Sort
from potlang.ir.substitute import rebuild, substitute
from potlang.sema.known import DefiningRule, KnownPredicates, Members

_DEFINING = (AssertionKind.FACT, AssertionKind.RULE, AssertionKind.PACK)
_MOST_NAMED = 4
"""Rules of which the name is told; of more, how many there are."""
_MOST_TOGETHER = 8
"""Predicates that recur through one another: the laws of their order grow with the third power."""


@dataclass(slots=True, eq=False)
class ClosedPredicate:
    """A closed predicate, the place that says so, its rules, and the closed predicates that they ask for.

    `needs` says of each whether it is asked for under a negation (or in a place that counts as one), and by
    which rule, perhaps through a defined function.
    """

    symbol: Symbol
    pointer: str
    rules: list[DefiningRule] = field(default_factory=list)
    needs: dict[tuple[Symbol, bool], tuple[DefiningRule, Symbol | None]] = field(default_factory=dict)


def completions(
    predicates: Mapping[Symbol, str],
    assertions: Iterable[Assertion],
    definitions: Iterable[Definition],
    is_finite: Callable[[Sort], bool],
    members: Members,
    taken: Container[str],
    pool: Pool,
    sink: Sink,
) -> tuple[list[Assertion], list[Symbol]]:
    """The assertions that close predicates, given with the pointers that say so, and the symbols introduced.

    One assertion for each predicate, or for those that recur through one another; those that have no
    meaning are reported and left out.
    """
    order = {symbol: at for at, symbol in enumerate(predicates)}
    made: list[tuple[int, Assertion]] = []
    symbols: list[Symbol] = []
    known = KnownPredicates(members)
    for group in dependence(predicates, assertions, definitions):
        if not _is_stratified(group, sink):
            continue
        formula = _denials(group, known, pool)
        if formula is None:
            kept, orders = 0, dict[tuple[Symbol, Symbol], Symbol]()
            if _recur(group):
                if not _is_founded(group, is_finite, sink):
                    continue
                kept = _kept(group)
                orders = _orders(group, kept, taken)
                symbols += orders.values()
            formula = _Completion(group, orders, kept, pool).formula()
        name = f"closed {', '.join(each.symbol.name for each in group)}"
        origin = Origin(group[0].pointer, _in_words(group))
        key = COMPLETION + group[0].symbol.name
        made.append((order[group[0].symbol], Assertion(key, name, AssertionKind.SEMANTICS, formula, origin)))
    return [assertion for _, assertion in sorted(made, key=lambda pair: pair[0])], symbols


def _in_words(group: list[ClosedPredicate]) -> str:
    """The completion of a group in words, without its formula, which nobody wrote."""
    subject = _listed([f"`{each.symbol.name}`" for each in group], "and")
    be = "is" if len(group) == 1 else "are"
    rules = dict.fromkeys(rule.assertion for each in group for rule in each.rules)
    if not rules:
        return f"{subject} {be} false: no fact and no rule says otherwise (closed)"
    named = [f"“{each.name}”" for each in rules if each.kind is not AssertionKind.FACT]
    kinds = ["a fact"] if len(named) < len(rules) else []
    if len(named) > _MOST_NAMED:
        kinds.append(f"one of {len(named)} rules")
    else:
        kinds += [f"rule {each}" for each in named]
    return f"{subject} {be} true only where {_listed(kinds, 'or')} says so (closed)"


def _listed(items: Sequence[str], joint: str) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {joint} {items[-1]}"


def completed(assertions: Iterable[Assertion]) -> set[Symbol]:
    """The predicates of which an assertion says where they are false, or what alone makes them true."""
    found: set[Symbol] = set()
    stack = [each.formula for each in assertions if each.key.startswith(COMPLETION)]
    while stack:
        node = stack.pop()
        if isinstance(node, Quant):
            stack.append(node.body)
        elif isinstance(node, App) and node.op is op.AND:
            stack += node.args
        elif isinstance(node, App) and node.op in (op.IMPLIES, op.NOT):
            head = node.args[0]
            symbol = head.symbol if isinstance(head, Sym) else head.op if isinstance(head, App) else None
            # What is introduced are orders, which are not the program's.
            if isinstance(symbol, Symbol) and symbol.kind is not SymbolKind.FRESH:
                found.add(symbol)
    return found


def without_rules(predicates: Mapping[Symbol, object], assertions: Iterable[Assertion]) -> list[Symbol]:
    """The predicates that no fact and no rule can make true, in their order."""
    concluded = {
        symbol
        for each in assertions
        if each.kind in _DEFINING
        for symbol, _ in defining_rules(each, predicates)
    }
    return [each for each in predicates if each not in concluded]


def left_open(
    predicates: Mapping[Symbol, str],
    assertions: Sequence[Assertion],
    definitions: Iterable[Definition],
    unsettled: Iterable[Assertion] = (),
) -> list[Assertion]:
    """The assertions but for those that close predicates without rules, or predicates that rest on these.

    So do the predicates that `unsettled` assertions conclude about.
    """
    free = set(without_rules(predicates, assertions))
    free.update(symbol for each in unsettled for symbol, _ in defining_rules(each, predicates))
    if not free:
        return list(assertions)
    for group in dependence(predicates, assertions, definitions):
        if any(symbol in free for each in group for symbol, _ in each.needs):
            free |= {each.symbol for each in group}
    keys = {COMPLETION + each.name for each in free}
    return [each for each in assertions if each.key not in keys]


def dependence(
    predicates: Mapping[Symbol, str], assertions: Iterable[Assertion], definitions: Iterable[Definition]
) -> Iterator[list[ClosedPredicate]]:
    """The predicates with their rules, in groups that depend on one another, each after those it needs."""
    found = {symbol: ClosedPredicate(symbol, pointer) for symbol, pointer in predicates.items()}
    for assertion in assertions:
        if assertion.kind in _DEFINING:
            for symbol, rule in defining_rules(assertion, found):
                found[symbol].rules.append(rule)
    _find_needs(found, {each.symbol: each for each in definitions})
    closed = list(found.values())
    numbers = {each.symbol: at for at, each in enumerate(closed)}
    _, groups = components([[numbers[symbol] for symbol, _ in each.needs] for each in closed])
    for numbered in groups:
        yield [closed[at] for at in numbered]


# --- rules -----------------------------------------------------------------------------------------------


def defining_rules(
    assertion: Assertion, closed: Mapping[Symbol, object]
) -> Iterator[tuple[Symbol, DefiningRule]]:
    """The rules for closed predicates in an assertion, each with its predicate ([CLOSED-RULES])."""
    stack: list[tuple[Node, tuple[Var, ...], tuple[Node, ...]]] = [(assertion.formula, (), ())]
    while stack:
        node, variables, conditions = stack.pop()
        head = _head(node, closed)
        if head is not None:
            yield head[0], DefiningRule(assertion, head[1], variables, conditions)
        elif isinstance(node, Quant) and node.kind == "forall":
            stack.append((node.body, (*variables, *node.binders), conditions))
        elif isinstance(node, App):
            if node.op is op.IMPLIES:
                stack.append((node.args[1], variables, (*conditions, node.args[0])))
            elif node.op is op.AND:
                stack += [(arg, variables, conditions) for arg in reversed(node.args)]
            elif node.op is op.IFF:
                for side, other in (node.args[::-1], node.args):
                    if _head(side, closed) is not None:
                        stack.append((side, variables, (*conditions, other)))


def _head(node: Node, closed: Mapping[Symbol, object]) -> tuple[Symbol, tuple[Node, ...]] | None:
    if isinstance(node, Sym) and node.symbol in closed:
        return node.symbol, ()
    if isinstance(node, App) and isinstance(node.op, Symbol) and node.op in closed:
        return node.op, node.args
    return None


def _find_needs(closed: Mapping[Symbol, ClosedPredicate], definitions: Mapping[Symbol, Definition]) -> None:
    inside: dict[Symbol, frozenset[Symbol]] = {}
    # Each definition stands behind those that it uses.
    for symbol, definition in definitions.items():
        inside[symbol] = _mentioned(definition.body, closed, inside)
    for predicate in closed.values():
        for rule in predicate.rules:
            for condition in rule.conditions:
                for symbol, denied, through in _needs(condition, closed, inside):
                    predicate.needs.setdefault((symbol, denied), (rule, through))


def _mentioned(
    node: Node, closed: Mapping[Symbol, object], inside: Mapping[Symbol, frozenset[Symbol]]
) -> frozenset[Symbol]:
    """The closed predicates that a term mentions, also through definitions."""
    symbols = symbols_in(node)
    own = [symbol for symbol in symbols if symbol in closed]
    return frozenset(own).union(*(inside[symbol] for symbol in symbols if symbol in inside))


def _needs(
    condition: Node, closed: Mapping[Symbol, object], inside: Mapping[Symbol, frozenset[Symbol]]
) -> Iterator[tuple[Symbol, bool, Symbol | None]]:
    """The closed predicates in a condition, with True where denied, and the defined function they are in."""
    seen: set[tuple[int, bool]] = set()
    stack = [(condition, True)]
    while stack:
        node, sign = stack.pop()
        if (node.id, sign) in seen:
            continue
        seen.add((node.id, sign))
        if isinstance(node, Quant):
            stack.append((node.body, sign))
            continue
        clauses = cnf_of_connective(node, sign)
        if clauses:
            stack += [part for clause in clauses for part in clause]
            continue
        head = _head(node, closed)
        if head is not None:
            yield head[0], not sign, None
        # Below terms and definitions nobody looks for signs: both are possible.
        below = head[1] if head is not None else (node,)
        for part in below:
            for symbol in _mentioned(part, closed, inside):
                defined = (each for each in symbols_in(part) if symbol in inside.get(each, ()))
                through = next(defined, None)
                yield symbol, True, through
                yield symbol, False, through


# --- recursion -------------------------------------------------------------------------------------------


def _recur(group: Sequence[ClosedPredicate]) -> bool:
    inside = {each.symbol for each in group}
    return any(symbol in inside for each in group for symbol, _ in each.needs)


def _is_stratified(group: Sequence[ClosedPredicate], sink: Sink) -> bool:
    """Whether no predicate of a cycle depends on the denial of another; else a report."""
    inside = {each.symbol: each for each in group}
    for each in group:
        for symbol, denied in each.needs:
            if symbol in inside and denied:
                _report_cycle("POT4022", each, symbol, inside, sink, "a negation", _STRATIFY)
                return False
    return True


def _denials(group: Sequence[ClosedPredicate], known: KnownPredicates, pool: Pool) -> Node | None:
    """Where the predicates are false, if that is known ([CLOSED-KNOWN])."""
    found = known.denials({each.symbol: each.rules for each in group})
    if found is None:
        return None
    return pool.conj(
        pool.negate(pool.app(symbol, args) if args else pool.sym(symbol))
        for symbol, false in found
        for args in false
    )


def _is_founded(group: Sequence[ClosedPredicate], is_finite: Callable[[Sort], bool], sink: Sink) -> bool:
    """Whether an order says what the predicates of a cycle are; else a report."""
    inside = {each.symbol: each for each in group}
    open_ = [sort for each in group for sort in each.symbol.domain if not is_finite(sort)]
    if open_:
        first = next(each for each in group if open_[0] in each.symbol.domain)
        follower = next(symbol for symbol, _ in first.needs if symbol in inside)
        help_ = f'close the sort: `"semantics": {{"closed_domain": ["{open_[0]}"]}}`, or leave out `closed`'
        reason = f"over the sort {open_[0]}, which is not finite"
        _report_cycle("POT4023", first, follower, inside, sink, reason, [help_])
        return False
    if len(group) > _MOST_TOGETHER:
        first = group[0]
        follower = next(symbol for symbol, _ in first.needs if symbol in inside)
        reason = f"with more than {_MOST_TOGETHER} predicates"
        _report_cycle("POT4023", first, follower, inside, sink, reason, [_TOGETHER])
        return False
    return True


_STRATIFY = [
    "leave out `closed` of one of them, or say the exception of another predicate",
    "negations are `unless` and the conditions of an overriding rule, too, and whatever occurs in an"
    " equivalence, a term or a defined function",
]
_TOGETHER = "leave out `closed` of some of them"


def _report_cycle(
    code: str,
    first: ClosedPredicate,
    second: Symbol,
    inside: Mapping[Symbol, ClosedPredicate],
    sink: Sink,
    reason: str,
    helps: Sequence[str],
) -> None:
    """Reports the shortest cycle that begins with the step from `first` to `second`."""
    back: dict[Symbol, Symbol] = {second: second}
    queue = [second]
    for symbol in queue:
        for next_, _ in inside[symbol].needs:
            if next_ in inside and next_ not in back:
                back[next_] = symbol
                queue.append(next_)
    path = [first.symbol]
    while path[-1] is not second:
        path.append(back[path[-1]])
    path.append(first.symbol)
    path.reverse()
    words = []
    labels: dict[str, Label] = {}
    for here, there in pairwise(path):
        needs = inside[here].needs
        denied = (there, True) in needs
        words.append(f"{'not ' if denied else ''}`{there.name}`")
        rule, through = needs[there, denied]
        pointer = rule.assertion.origin.pointer
        text = (
            f"`{here.name}` by this, where {words[-1]}{'' if through is None else f' (in `{through.name}`)'}"
        )
        labels.setdefault(pointer, Label(Place(pointer), text))
    cycle = " -> ".join([f"`{first.symbol.name}`", *words])
    sink.report(code, first.pointer, cycle=cycle, reason=reason, labels=list(labels.values()), helps=helps)


def _kept(group: Sequence[ClosedPredicate]) -> int:
    """How many first arguments no step of the recursion changes: derivations with others never meet."""
    inside = {each.symbol for each in group}
    kept = 0
    while all(kept < len(each.symbol.domain) for each in group):
        if len({each.symbol.domain[kept] for each in group}) > 1:
            break
        if not all(_keeps(rule, kept, inside) for each in group for rule in each.rules):
            break
        kept += 1
    return kept


def _keeps(rule: DefiningRule, at: int, inside: set[Symbol]) -> bool:
    asked = [
        node
        for node in reachable(*rule.conditions)
        if isinstance(node, App) and isinstance(node.op, Symbol) and node.op in inside
    ]
    return not asked or (isinstance(rule.args[at], Var) and all(n.args[at] is rule.args[at] for n in asked))


Orders = Mapping[tuple[Symbol, Symbol], Symbol]
"""For two predicates the relation of what is derived of the first before something is of the second."""


def order_name(first: Symbol, second: Symbol) -> str:
    """The name of an order, but for spaces behind it that tell it from other names."""
    return f"{first.name} before {second.name}"


def _orders(
    group: Sequence[ClosedPredicate], kept: int, taken: Container[str]
) -> dict[tuple[Symbol, Symbol], Symbol]:
    found = {}
    for p, q in product([each.symbol for each in group], repeat=2):
        name = order_name(p, q)
        while name in taken:
            name += " "
        found[p, q] = Symbol(name, (*p.domain, *q.domain[kept:]), BOOL, SymbolKind.FRESH)
    return found


# --- formulas --------------------------------------------------------------------------------------------


class _Completion:
    """The completion of predicates that recur through one another, or of one that does not recur."""

    def __init__(self, group: Sequence[ClosedPredicate], orders: Orders, kept: int, pool: Pool) -> None:
        self._group = group
        self._orders = orders
        self._kept = kept
        self._pool = pool
        self._normal = NegationNormalForm(pool)

    def formula(self) -> Node:
        """That each predicate holds only by one of its rules, and the laws of the order."""
        return self._pool.conj([*map(self._completed, self._group), *self._laws()])

    def _completed(self, predicate: ClosedPredicate) -> Node:
        pool, symbol = self._pool, predicate.symbol
        variables = self._variables(symbol, "x")
        ways = [self._way(predicate, rule, variables) for rule in predicate.rules]
        holds = pool.app(symbol, variables) if variables else pool.sym(symbol)
        return self._for_all(variables, pool.implies(holds, pool.disj(ways)))

    def _way(self, predicate: ClosedPredicate, rule: DefiningRule, variables: Sequence[Var]) -> Node:
        """That one rule makes the predicate true of `variables`."""
        pool = self._pool
        replaced: dict[Node, Node] = {}
        equations: list[tuple[Node, Node]] = []
        for var, arg in zip(variables, rule.args, strict=True):
            if isinstance(arg, Var) and arg not in replaced:
                replaced[arg] = var
            else:
                equations.append((var, arg))
        left = [var for var in rule.variables if var not in replaced]
        fresh = {var: pool.var(var.name, var.sort) for var in left}
        replaced.update(fresh.items())
        parts = [pool.eq(var, substitute(pool, arg, replaced)) for var, arg in equations]
        for condition in rule.conditions:
            parts.append(self._earlier(predicate.symbol, substitute(pool, condition, replaced), variables))
        body = pool.conj(parts)
        return pool.quant("exists", tuple(fresh.values()), body) if fresh else body

    def _earlier(self, symbol: Symbol, condition: Node, variables: Sequence[Var]) -> Node:
        """The condition, with what it asks of the group derived before `symbol` is of `variables`."""
        inside = {each.symbol for each in self._group}
        if not self._orders or not any(each in inside for each in symbols_in(condition)):
            return condition
        pool = self._pool

        def before(node: Node) -> Node:
            asked = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
            if not isinstance(asked, Symbol) or asked not in inside:
                return node
            args = node.args if isinstance(node, App) else ()
            return pool.conj([node, self._order(asked, args, symbol, variables)])

        return rebuild(pool, [self._normal.of(condition)], before)[0]

    def _order(self, first: Symbol, args: Sequence[Node], second: Symbol, others: Sequence[Node]) -> Node:
        symbol = self._orders[first, second]
        given = (*args, *others[self._kept :])
        return self._pool.app(symbol, given) if given else self._pool.sym(symbol)

    def _laws(self) -> Iterator[Node]:
        """That nothing comes before itself, and that what comes before an earlier one comes before."""
        if not self._orders:
            return
        pool = self._pool
        symbols = [each.symbol for each in self._group]
        for symbol in symbols:
            own = self._variables(symbol, "x")
            yield self._for_all(own, pool.negate(self._order(symbol, own, symbol, own)))
        for p, q, r in product(symbols, repeat=3):
            x = self._variables(p, "x")
            y, z = (
                (*x[: self._kept], *self._variables(each, name)[self._kept :])
                for each, name in ((q, "y"), (r, "z"))
            )
            steps = pool.conj([self._order(p, x, q, y), self._order(q, y, r, z)])
            law = pool.implies(steps, self._order(p, x, r, z))
            yield self._for_all((*x, *y[self._kept :], *z[self._kept :]), law)

    def _variables(self, symbol: Symbol, name: str) -> tuple[Var, ...]:
        return tuple([self._pool.var(f"{name}{at}", sort) for at, sort in enumerate(symbol.domain, 1)])

    def _for_all(self, variables: Sequence[Var], body: Node) -> Node:
        return self._pool.quant("forall", tuple(variables), body) if variables else body
