"""POT9021: a comparison, or a relation, has the same term on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from potlang.diag import Place
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, is_flat, reachable
from potlang.ir.sorts import BOOL
from potlang.linter.linted import LintedProgram, Statement, conjuncts, expressions, literal
from potlang.linter.rule import LintFinding, LintRule

_COMPARISONS = frozenset({op.EQ, op.DISTINCT, op.LT, op.LE})
_ENUMERATED = 2
"""So many calls that differ in one argument go through all things, the one itself too."""


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    # A contradiction is said where it is found.
    known = {each.place.pointer for each in program.program.diagnostics if each.code == "POT4003"}
    for each in program.statements:
        is_known = bool(known) and each.place.pointer in known
        if isinstance(each.formula, App | Quant) and not is_known:
            found = next(_doubtful(each, relations=program.used.has_twins), None)
            if found is not None:
                yield _finding(program, *found)


def _finding(program: LintedProgram, place: Place, node: App, term: Node) -> LintFinding:
    text, twice = program.text(node, _variables(node)), program.text(term, _variables(term))
    helps = (f"write the term that is meant beside `{twice}`",)
    return LintFinding(place, {"term": twice, "text": text}, helps=helps)


def _variables(node: Node) -> list[Var]:
    return [each for each in reachable(node) if isinstance(each, Var)]


def _written(each: Statement, name: str) -> Place | None:
    """The first call of a relation with the same argument twice; None where sums and the like made it."""
    for formula in each.formulas:
        for expr in expressions(formula.root) if formula.root is not None else ():
            if isinstance(expr, s.Call) and isinstance(expr.head, s.Name) and expr.head.id == name:
                texts = [formula.text[arg.start : arg.end].strip() for arg in expr.args]
                if len(set(texts)) < len(texts):
                    return Place(formula.pointer, (expr.start, expr.end))
    return None


def _doubtful(each: Statement, *, relations: bool) -> Iterator[tuple[Place, App, Node]]:
    """Atoms with the same term twice that are no law, no question and no part of an enumeration."""
    formula, _ = literal(each.formula)
    if relations and (each.kind != "claim" or not is_flat(formula)):
        for name, atom, term in _relations(formula):
            place = _written(each, name)
            if place is not None:
                yield place, atom, term
    for comparison, term in compared_with_itself(formula):
        yield each.place, comparison, term


def _parts(formula: Node) -> Iterator[Node]:
    """The conjuncts of a formula, or of what an implication concludes."""
    while True:
        if isinstance(formula, Quant) and formula.kind == "forall":
            formula = formula.body
        elif isinstance(formula, App) and formula.op is op.IMPLIES:
            formula = formula.args[1]
        else:
            return conjuncts(formula)


def _relations(root: Node) -> Iterator[tuple[str, App, Node]]:
    nodes = [root] if is_flat(root) else list(reachable(root))
    calls = [node for node in nodes if isinstance(node, App) and isinstance(node.op, Symbol)]
    for call in calls:
        term = _twice(call) if call.sort is BOOL else None
        if term is None or not isinstance(call.op, Symbol) or _is_enumerated(call, calls):
            continue
        # `r(x, x)` of a variable is a law where it is concluded.
        if not isinstance(term, Var) or _is_condition(root, call):
            yield call.op.name, call, term


def _twice(node: App) -> Node | None:
    seen: set[int] = set()
    for arg in node.args:
        if arg.id in seen:
            return arg
        seen.add(arg.id)
    return None


def _is_enumerated(call: App, calls: list[App]) -> bool:
    """Whether calls of the same relation differ from it in one place, the same one."""
    others = [other for other in calls if other.op is call.op and other is not call]
    places = Counter(
        at
        for other in others
        for at in range(len(call.args))
        if all(
            (a is b) is (place != at) for place, (a, b) in enumerate(zip(call.args, other.args, strict=True))
        )
    )
    return any(count >= _ENUMERATED for count in places.values())


def _is_condition(root: Node, call: App) -> bool:
    """Whether a call stands, not denied, in the condition of an implication under universal quantifiers."""
    while isinstance(root, Quant) and root.kind == "forall":
        root = root.body
    if not isinstance(root, App) or root.op is not op.IMPLIES:
        return False
    return any(part is call for part in conjuncts(root.args[0]))


def compared_with_itself(formula: Node) -> Iterator[tuple[App, Node]]:
    """The comparisons of a term with itself among what a formula says or concludes."""
    for part in _parts(formula):
        found = _compared(literal(part)[0])
        if found is not None:
            yield found


def _compared(node: Node) -> tuple[App, Node] | None:
    """A comparison of a term with itself or a number more, and `f(a) == a`; constants alone are no terms."""
    if not isinstance(node, App) or node.op not in _COMPARISONS:
        return None
    if (term := _twice(node)) is not None:
        return (node, term) if isinstance(term, App) and isinstance(term.op, Symbol) else None
    if len(node.args) != 2:
        return None
    for one, other in (node.args, node.args[::-1]):
        if not isinstance(one, App):
            continue
        if _is_shifted(one, other):
            return node, other
        is_value = isinstance(one.op, Symbol) and one.sort is not BOOL and isinstance(other, Sym)
        if node.op is op.EQ and is_value and any(arg is other for arg in one.args):
            return node, other
    return None


def _is_shifted(total: App, term: Node) -> bool:
    """Whether one is the other and a number more, or less."""
    if not isinstance(term, App) or len(total.args) != 2:
        return False
    one, other = total.args
    if total.op is op.ADD and other is term:
        one, other = other, one
    return total.op in (op.ADD, op.SUB) and one is term and isinstance(other, Lit)


RULE = LintRule("POT9021", _find)
