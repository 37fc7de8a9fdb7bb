"""The consequences of rows by rules, bottom-up in the database ([SRC-LARGE])."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from potlang.ir.graphs import components
from potlang.ir.nodes import App, Sym, Symbol, reachable
from potlang.tables.queries import QueryWriter, Sense
from potlang.tables.theory import TableRelation, TableRule, TableTheory, UnansweredError


def derive(theory: TableTheory) -> list[str]:
    """Adds to the theory what its rules derive. Gives doubts: why a model may be none."""
    doubts: list[str] = []
    heads = set(theory.rules)
    needs = {
        head: {each for rule in rules for each in _symbols(rule) if each in heads}
        for head, rules in theory.rules.items()
    }
    for group in _groups(needs):
        recursive = len(group) > 1 or group[0] in needs[group[0]]
        for head in group:
            if head in theory.closed and not _is_exact(
                theory, theory.rules[head], group if recursive else ()
            ):
                theory.closed -= {head}
                doubts.append(f"`{head.name}` is closed, and its rules need what is open")
        try:
            _evaluate(theory, group, recursive)
        except UnansweredError as error:
            doubts.append(f"a rule for `{group[0].name}` is not evaluated: {error}")
    return doubts


def _symbols(rule: TableRule) -> Iterator[Symbol]:
    for node in reachable(*rule.conditions, *rule.args):
        if isinstance(node, App) and isinstance(node.op, Symbol):
            yield node.op
        elif isinstance(node, Sym):
            yield node.symbol


def _groups(needs: dict[Symbol, set[Symbol]]) -> list[list[Symbol]]:
    """The heads that depend on one another together, each group behind those that it needs."""
    heads = list(needs)
    number = {head: at for at, head in enumerate(heads)}
    _, groups = components([[number[each] for each in needs[head]] for head in heads])
    return [[heads[at] for at in group] for group in groups]


def _is_exact(theory: TableTheory, rules: Sequence[TableRule], group: Sequence[Symbol]) -> bool:
    """Whether rules say all that is true of a closed predicate: nothing in their conditions is open."""
    for rule in rules:
        for condition in rule.conditions:
            if isinstance(condition, App) and condition.op in group:
                continue
            if any(symbol in group for symbol in _symbols(rule._replace(conditions=(condition,), args=()))):
                return False
            if not theory.is_total(condition):
                return False
    return True


def _evaluate(theory: TableTheory, group: Sequence[Symbol], recursive: bool) -> None:
    """Rounds, until a round adds nothing; one where no rule needs what it derives."""
    base = {head: theory.true.get(head) for head in group}
    while True:
        before = {head: _count(theory, theory.true.get(head)) for head in group}
        for head in group:
            _round(theory, head, base[head])
        if not recursive or all(_count(theory, theory.true[head]) == before[head] for head in group):
            return


def _count(theory: TableTheory, relation: TableRelation | None) -> int:
    return 0 if relation is None else theory.database.number(f"SELECT count(*) FROM {relation.table}")


def _round(theory: TableTheory, head: Symbol, base: TableRelation | None) -> None:
    """Derives the tuples of a predicate: its rows, and what its rules make of all that is known."""
    names = [f"c{n}" for n in range(len(head.domain))] or ["c0"]
    selects = []
    if base is not None:
        listed = [f"{column} AS {name}" for column, name in zip(base.columns, names, strict=False)]
        selects.append(f"SELECT {', '.join(listed or ['0 AS c0'])} FROM {base.table}")
    for rule in theory.rules[head]:
        query = QueryWriter(theory)
        found = query.satisfying(Sense(), rule.variables, [(each, True) for each in rule.conditions])
        terms = [query.term(arg, found).sql for arg in rule.args]
        found.where += [f"{term} IS NOT NULL" for term in terms]
        listed = [f"{term} AS {name}" for term, name in zip(terms, names, strict=False)]
        selects.append(f"SELECT {', '.join(listed or ['0 AS c0'])} {found.body()}")
    union = " UNION ALL ".join(f"({each})" for each in selects)
    theory.derived(head, f"SELECT DISTINCT * FROM ({union})", tuple(names[: len(head.domain)]))
