"""POT9020: a relation whose name says that it is symmetric or transitive, and no rule that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from potlang.diag import Applicability, Fix, Patch, Place
from potlang.expressions.names import written
from potlang.ir.nodes import App, Node, Quant, Symbol, reachable
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, Sort
from potlang.linter.catalogue import catalogue
from potlang.linter.linted import LintedProgram
from potlang.linter.matching import Renaming, form_of, renamings
from potlang.linter.rule import LintFinding, LintRule
from potlang.sema.emit import sort_text

_SYMMETRIC = re.compile(
    "adjacent|adjoins|borders|colleagues?|compatible|conflicts|cousins?|disjoint|equals?|friends?|married"
    "|neighbou?rs?|parallel|same|siblings?|similar|spouse|touches"
)
_TRANSITIVE = re.compile(
    "above|after|ancestor|before|below|bigger|contains|descendant|faster|follows|greater|heavier|higher|inside"
    "|larger|less|lighter|lower|older|precedes|shorter|slower|smaller|subset|superset|taller|within|younger"
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def _find(program: LintedProgram) -> Iterator[LintFinding]:
    chained, turned = _laws(program)
    symbols = {each.name: each for each in program.module.symbols}
    for function in program.tree.functions:
        symbol = symbols.get(function.name)
        if symbol is None or symbol.range is not BOOL or not _is_relation(symbol.domain):
            continue
        words = [word.lower() for word in _WORD.findall(symbol.name)]
        name, sort = written(symbol.name), sort_text(symbol.domain[0])
        if any(map(_SYMMETRIC.fullmatch, words)) and symbol not in turned:
            law = f"ForAll([x: {sort}, y: {sort}], Implies({name}(x, y), {name}(y, x)))"
            yield _finding(program, function.pointer, symbol, "symmetric", law)
        elif any(map(_TRANSITIVE.fullmatch, words)) and symbol not in chained:
            binders = f"[x: {sort}, y: {sort}, z: {sort}]"
            law = f"ForAll({binders}, Implies(And({name}(x, y), {name}(y, z)), {name}(x, z)))"
            yield _finding(program, function.pointer, symbol, "transitive", law)


def _is_relation(domain: tuple[Sort, ...]) -> bool:
    return len(domain) == 2 and domain[0] == domain[1]


def _finding(program: LintedProgram, pointer: str, symbol: Symbol, kind: str, law: str) -> LintFinding:
    rule = {"name": f"{symbol.name} is {kind}", "constraint": law}
    edit = Patch.append(rule, "/rules", bool(program.tree.rules))
    packs = ", ".join(f"`{each}`" for each in _packs_with(_law(symbol, kind)))
    return LintFinding(
        Place(f"{pointer}/name"),
        {"name": symbol.name, "kind": kind},
        helps=(
            f"if it is, add the rule `{law}`",
            *([f"or import one of {packs}, which have this law"] if packs else []),
        ),
        fixes=(Fix(f"say that `{symbol.name}` is {kind}", Applicability.UNSAFE, (edit,)),),
    )


def _law(symbol: Symbol, kind: str) -> Node:
    """The law, in a pool of its own: what is chained leads on, what is turned round holds as well."""
    pool = Pool()
    x, y, z = (pool.var(name, symbol.domain[0]) for name in "xyz")
    if kind == "symmetric":
        body = pool.implies(pool.app(symbol, (x, y)), pool.app(symbol, (y, x)))
        return pool.quant("forall", (x, y), body)
    steps = pool.conj([pool.app(symbol, (x, y)), pool.app(symbol, (y, z))])
    return pool.quant("forall", (x, y, z), pool.implies(steps, pool.app(symbol, (x, z))))


def _packs_with(law: Node) -> list[str]:
    """The packs about one relation alone that have a law among their axioms, those that say least first."""
    form = form_of(law)
    found = [
        pack
        for pack in catalogue()
        if form is not None
        and len(pack.symbols) == 1
        and any(any(renamings(each, form, Renaming())) for each in pack.forms)
    ]
    return [each.name for each in sorted(found, key=lambda each: (len(each.axioms), each.name))]


def _laws(program: LintedProgram) -> tuple[set[Symbol], set[Symbol]]:
    """The relations that a quantified premise has three times, and those that it has turned around."""
    chained: set[Symbol] = set()
    turned: set[Symbol] = set()
    for premise in program.premises:
        if not isinstance(premise, Quant):
            continue
        uses: dict[Symbol, set[tuple[Node, ...]]] = {}
        for node in reachable(premise):
            if isinstance(node, App) and isinstance(node.op, Symbol):
                uses.setdefault(node.op, set()).add(node.args)
        for symbol, arguments in uses.items():
            if len(arguments) > 2:
                chained.add(symbol)
            if any(args[::-1] in arguments and args != args[::-1] for args in arguments):
                turned.add(symbol)
    return chained, turned


RULE = LintRule("POT9020", _find, by_default=False)
