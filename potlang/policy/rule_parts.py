"""Rules taken apart: under which condition each says what, for tests, gaps and overlaps ([POLICY-PARTS])."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from potlang.ir import operators as op
from potlang.ir.module import AssertionKind, Module, Origin
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, SymbolKind, Var, free_variables, reachable
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL
from potlang.languages.pot.program import Program
from potlang.linter.linted import conjuncts, literal

MOST_PARTS: Final = 64
"""Parts of one rule: what is said of both sides of choices and equivalences doubles with each of them
([LIMIT-POLICY-SUGGEST])."""
_CONNECTIVES: Final = (op.NOT, op.AND, op.OR, op.IMPLIES, op.IFF, op.XOR)


class RulePart(NamedTuple):
    """The content of a fact, a rule or a definition: for all `binders`, `conclusion` where `condition` holds.

    `both_ways`: it says the opposite where the condition does not hold. `open`: it says of something that it
    has the conclusion, and of no thing in particular; the part is one such thing. `key` is that of the
    assertion, empty for a definition.
    """

    key: str
    name: str
    origin: Origin
    binders: tuple[Var, ...]
    condition: Node
    conclusion: Node
    both_ways: bool = False
    open: bool = False


class _Piece(NamedTuple):
    """A formula still to be taken apart, under conditions."""

    binders: tuple[Var, ...]
    conditions: tuple[Node, ...]
    formula: Node


def parts_of(module: Module) -> list[RulePart]:
    """The parts of all facts, rules and definitions of a module, in its order."""
    found: list[RulePart] = []
    for each in module.assertions:
        if each.kind in (AssertionKind.FACT, AssertionKind.RULE):
            found += _parts(module.pool, each.key, each.name, each.origin, each.formula)
    for definition in module.definitions:
        symbol = definition.symbol
        if symbol.kind is SymbolKind.DEFINED:
            pool, params = module.pool, definition.params
            formula: Node = pool.eq(pool.app(symbol, params) if params else pool.sym(symbol), definition.body)
            formula = pool.quant("forall", params, formula) if params else formula
            found += _parts(pool, "", symbol.name, definition.origin, formula)
    return found


def _parts(pool: Pool, key: str, name: str, origin: Origin, formula: Node) -> list[RulePart]:
    found = []
    for piece, both_ways, is_open in _pieces(pool, formula):
        # "If a, and c is not so, then c" says that c is so if a is.
        denial = pool.negate(piece.formula)
        condition = pool.conj(each for each in dict.fromkeys(piece.conditions) if each is not denial)
        # Binders that a branch does not mention say nothing about it.
        used = set(free_variables(condition, piece.formula))
        binders = tuple(var for var in piece.binders if var in used)
        found.append(RulePart(key, name, origin, binders, condition, piece.formula, both_ways, is_open))
        if len(found) == MOST_PARTS:
            break
    return found


def _pieces(pool: Pool, formula: Node) -> Iterator[tuple[_Piece, bool, bool]]:
    stack = [_Piece((), (), formula)]
    while stack:
        piece = stack.pop()
        conditions = _opened(pool, piece)
        if conditions is not None:
            stack += reversed(conditions)
            continue
        steps = _step(pool, piece)
        if steps is not None:
            stack += reversed(steps)
            continue
        inner = piece.formula
        if isinstance(inner, App) and inner.op is op.IFF:
            about, other = _subject_first(*inner.args)
            yield _Piece(piece.binders, (*piece.conditions, other), about), True, False
            continue
        yield piece, False, False
        if isinstance(inner, Quant) and inner.kind == "exists":
            yield _Piece((*piece.binders, *inner.binders), piece.conditions, inner.body), False, True


def _opened(pool: Pool, piece: _Piece) -> list[_Piece] | None:
    """The pieces with a condition opened that has quantifiers: what exists is a binder, a choice is several.

    None if there is no such condition.
    """
    for at, each in enumerate(piece.conditions):
        before, after = piece.conditions[:at], piece.conditions[at + 1 :]
        match each:
            case App(op=op.AND, args=args) if _has_quantifier(each):
                return [piece._replace(conditions=(*before, *args, *after))]
            case App(op=op.OR, args=args) if _has_quantifier(each):
                return [piece._replace(conditions=(*before, arg, *after)) for arg in args]
            case App(op=op.NOT, args=(Quant(kind="forall", binders=binders, body=body),)):
                inner = (*before, pool.negate(body), *after)
                return [_Piece((*piece.binders, *binders), inner, piece.formula)]
            case Quant(kind="exists", binders=binders, body=body):
                return [_Piece((*piece.binders, *binders), (*before, body, *after), piece.formula)]
    return None


def _has_quantifier(node: Node) -> bool:
    return any(isinstance(each, Quant) for each in reachable(node))


def _step(pool: Pool, piece: _Piece) -> list[_Piece] | None:
    """The pieces that a piece says together; None if its formula is a conclusion."""

    def under(formula: Node, *conditions: Node) -> _Piece:
        return _Piece(piece.binders, (*piece.conditions, *conditions), formula)

    match piece.formula:
        case Quant(kind="forall", binders=binders, body=body):
            return [_Piece((*piece.binders, *binders), piece.conditions, body)]
        case App(op=op.AND, args=args):
            return [under(arg) for arg in args]
        case App(op=op.IMPLIES, args=(left, right)):
            return [under(pool.negate(left))] if right is pool.false else [under(right, left)]
        case App(op=op.OR, args=args):
            return [under(args[-1], *map(pool.negate, args[:-1]))]
        case App(op=op.ITE, args=(choice, one, other)):
            return [under(one, choice), under(other, pool.negate(choice))]
        case App(op=op.XOR, args=(left, right)):
            return [under(pool.eq(left, pool.negate(right)))]
        case App(op=op.NOT, args=(inner,)):
            return _denial(pool, inner, under)
        case App(op=op.EQ, args=(left, App(op=op.ITE, args=(choice, one, other)))):
            sides = pool.eq(left, one), pool.eq(left, other)
            return [under(sides[0], choice), under(sides[1], pool.negate(choice))]
    return None


def _denial(pool: Pool, inner: Node, under: Callable[..., _Piece]) -> list[_Piece] | None:
    """The pieces that the denial of a formula says together; None if it is a conclusion."""
    match inner:
        case App(op=op.AND, args=args):
            return [under(pool.negate(args[-1]), *args[:-1])]
        case App(op=op.OR, args=args):
            return [under(pool.negate(arg)) for arg in args]
        case App(op=op.IMPLIES, args=(left, right)):
            return [under(left), under(pool.negate(right))]
        case App(op=op.IFF, args=(left, right)):
            return [under(pool.eq(left, pool.negate(right)))]
        case App(op=op.XOR, args=(left, right)):
            return [under(pool.eq(left, right))]
        case App(op=op.NOT, args=(arg,)):
            return [under(arg)]
        case Quant(kind="exists", binders=binders, body=body):
            return [under(pool.quant("forall", binders, pool.negate(body)))]
        case Quant(kind="forall", binders=binders, body=body):
            return [under(pool.quant("exists", binders, pool.negate(body)))]
    return None


def _subject_first(left: Node, right: Node) -> tuple[Node, Node]:
    """The sides of an equivalence, first the one that it is about."""
    return (left, right) if _is_subject(left) or not _is_subject(right) else (right, left)


def _is_subject(node: Node) -> bool:
    """Whether a formula says something of a function of the program at some arguments, and no more."""
    atom, _ = literal(node)
    return atoms(atom) == [atom] and subject(atom) is not None


def atoms(formula: Node) -> list[Node]:
    """The parts of a formula that no connective makes, each once, in the order of its text."""
    found: dict[Node, None] = {}
    seen: set[int] = set()
    stack = [formula]
    while stack:
        node = stack.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if isinstance(node, App) and (node.op in _CONNECTIVES or (node.op is op.ITE and node.sort is BOOL)):
            stack += reversed(node.args)
        elif not isinstance(node, Lit):
            found[node] = None
    return list(found)


def subject(formula: Node) -> App | Sym | None:
    """The subject of a literal or a comparison: a function of the program at some arguments."""
    atom, _ = literal(formula)
    sides = atom.args if isinstance(atom, App) and atom.op in (op.EQ, op.LT, op.LE) else (atom,)
    return next((found for side in sides if (found := declared(side)) is not None), None)


def concluded_names(program: Program) -> frozenset[str]:
    """The functions that are defined, and those whose values rules conclude: what nobody has to look up.

    A fact about one thing, and a limit for a value that is given, conclude nothing of others.
    """
    module = program.module.typed or program.module
    kinds = (AssertionKind.FACT, AssertionKind.RULE, AssertionKind.PACK)
    said = [each.formula for each in module.assertions if each.kind in kinds]
    concluded = conclusions(each for each in said if isinstance(each, Quant) or not _is_literal(each))
    return frozenset({each.name for each in concluded} | {each.symbol.name for each in module.definitions})


def _is_literal(formula: Node) -> bool:
    return subject(formula) is not None


def declared(term: Node) -> App | Sym | None:
    """A term that is a function or a constant of the program; that under a conversion of a measure."""
    while isinstance(term, App) and (term.op is op.TO_REAL or _is_conversion(term)):
        term = term.args[0]
    symbol = term.op if isinstance(term, App) else term.symbol if isinstance(term, Sym) else None
    is_own = isinstance(symbol, Symbol) and symbol.kind is not SymbolKind.FRESH
    return term if is_own and isinstance(term, App | Sym) else None


def _is_conversion(term: App) -> bool:
    return isinstance(term.op, Symbol) and term.op.kind is SymbolKind.FRESH and len(term.args) == 1


def conclusions(formulas: Iterable[Node]) -> set[Symbol]:
    """The functions and constants of which formulas conclude something.

    A bound of a value is no conclusion about it.
    """
    found: set[Symbol] = set()
    seen: set[Node] = set()
    stack = [*formulas]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        match node:
            case Quant(body=body):
                stack.append(body)
            case App(op=op.IMPLIES, args=(_, right)):
                stack.append(right)
            case App(op=op.AND | op.OR | op.NOT, args=args):
                stack += args
            case App(op=op.LT | op.LE):
                pass
            case App(op=op.IFF, args=(left, right)):
                stack.append(_subject_first(left, right)[0])
            case _:
                match subject(node):
                    case App(op=Symbol() as symbol) | Sym(symbol=symbol):
                        found.add(symbol)
    return found


def contrapositives(pool: Pool, part: RulePart) -> Iterator[RulePart]:
    """The part said the other way round: where its conclusion is false, one of its conditions is."""
    conditions = list(conjuncts(part.condition))
    for at, each in enumerate(conditions):
        if not isinstance(each, Lit):
            others = (*conditions[:at], *conditions[at + 1 :], pool.negate(part.conclusion))
            yield part._replace(condition=pool.conj(others), conclusion=pool.negate(each), both_ways=False)


def stronger(pool: Pool, formula: Node) -> list[Node]:
    """Statements if something exists, with one of its choices made: of "a or b" the a alone, and the b."""
    if not (isinstance(formula, Quant) and formula.kind == "exists"):
        return []
    return [pool.quant("exists", formula.binders, each) for each in _choices(pool, formula.body)]


def _choices(pool: Pool, formula: Node) -> list[Node]:
    match formula:
        case App(op=op.OR, args=args):
            return list(args)
        case App(op=op.IMPLIES, args=(left, right)):
            return [pool.negate(left), right]
        case App(op=op.AND, args=args):
            return [
                pool.conj((*args[:at], choice, *args[at + 1 :]))
                for at, each in enumerate(args)
                if isinstance(each, App) and each.op in (op.OR, op.IMPLIES)
                for choice in _choices(pool, each)
            ]
    return []
