"""A compiled program as rules of the linter look at it: statements with places, implications, symbols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from potlang.diag import Applicability, Edit, Fix, Patch, Place
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.module import Assertion, AssertionKind, Claim
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, flattened
from potlang.languages.pot.program import Program
from potlang.sema.completion import left_open
from potlang.sema.emit import Unwritable, Writer

Kind = Literal["fact", "rule", "claim"]

_LONGEST_TEXT = 160
_LONGEST_SAID = 1_000
"""Parts of a formula up to which it is compared with others."""


class Statement(NamedTuple):
    """A fact, a rule or a claim of the program; `number` is its place in its section."""

    kind: Kind
    name: str
    formula: Node
    pointer: str
    formulas: tuple[s.Formula, ...]
    is_named: bool
    number: int
    group: str = ""
    """Of a claim: how it asks, or the question whose option it is. Claims of two groups are not compared."""

    @property
    def place(self) -> Place:
        """Where it is shown: its formula, or its antecedent."""
        return Place(self.formulas[0].pointer)

    @property
    def title(self) -> str:
        """`rule "late"`, for messages."""
        return f'the {self.kind} "{self.name}"' if self.is_named else f"the {self.kind} {self.number}"


class Implication(NamedTuple):
    """A statement that says, perhaps for all `binders`, that `antecedent` has `consequent`."""

    statement: Statement
    binders: tuple[Var, ...]
    antecedent: Node
    consequent: Node


class Mentioned:
    """The symbols that formulas mention, their literals, and their quantifiers."""

    def __init__(self) -> None:
        self.symbols: set[Symbol] = set()
        self.literals: list[Lit] = []
        self.quantifiers: list[Quant] = []
        self.has_twins = False
        """Whether some function has the same argument twice."""
        self._seen: set[int] = set()

    def copy(self) -> Mentioned:
        """The same, to look at more."""
        other = Mentioned()
        other.symbols, other._seen = set(self.symbols), set(self._seen)
        other.literals, other.quantifiers = list(self.literals), list(self.quantifiers)
        other.has_twins = self.has_twins
        return other

    def look_at(self, roots: Iterable[Node]) -> None:
        """Adds what these mention."""
        # One walk for all rules, since a program may have very many facts.
        seen, symbols = self._seen, self.symbols
        stack = list(roots)
        while stack:
            node = stack.pop()
            if node.id in seen:
                continue
            seen.add(node.id)
            if isinstance(node, App):
                if isinstance(node.op, Symbol):
                    symbols.add(node.op)
                    if len(node.args) > 1 and len(set(node.args)) < len(node.args):
                        self.has_twins = True
                stack += node.args
            elif isinstance(node, Sym):
                symbols.add(node.symbol)
            elif isinstance(node, Lit):
                self.literals.append(node)
            elif isinstance(node, Quant):
                self.quantifiers.append(node)
                stack.append(node.body)


class LintedProgram:
    """A program with what several rules need of it, made when the first one asks."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.module = program.module
        self.tree = program.tree

    # --- statements ------------------------------------------------------------------------------

    @cached_property
    def facts(self) -> list[Statement]:
        """The knowledge base."""
        kept = self._assumed(AssertionKind.FACT)
        return [
            Statement(
                "fact",
                each.name or f"fact {at}",
                formula,
                each.pointer,
                (each.formula,),
                each.name is not None,
                at,
            )
            for at, each in enumerate(self.tree.facts, 1)
            if (formula := kept.get(each.pointer)) is not None
        ]

    @cached_property
    def rules(self) -> list[Statement]:
        """The rules that are assumed; norms are not."""
        kept = self._assumed(AssertionKind.RULE)
        return list(_statements("rule", self.tree.rules, kept))

    @cached_property
    def claims(self) -> list[Statement]:
        """The claims that ask for no bindings, and the norms."""
        asked: tuple[Claim, ...] = (*self.module.claims, *self.module.norms)
        kept = {each.origin.pointer: each.formula for each in asked if not each.find}
        return [
            *_statements("claim", self._asked(), kept),
            *_statements("rule", (each for each in self.tree.rules if each.role == "norm"), kept),
        ]

    def _asked(self) -> Iterator[s.StatementDecl]:
        for each in self.tree.verifications:
            yield from each.options or (each,)

    @property
    def statements(self) -> Iterator[Statement]:
        """All of them."""
        yield from self.facts
        yield from self.rules
        yield from self.claims

    def _assumed(self, kind: AssertionKind) -> dict[str, Node]:
        return {each.origin.pointer: each.formula for each in self.module.assertions if each.kind is kind}

    @cached_property
    def implications(self) -> list[Implication]:
        """Facts and rules that are implications, also under quantifiers."""
        # Most facts are literals, of which there may be very many.
        able = (each for each in (*self.facts, *self.rules) if _is_implication(each.formula))
        return [found for each in able if (found := implication(each)) is not None]

    # --- symbols ---------------------------------------------------------------------------------

    @cached_property
    def premises(self) -> list[Node]:
        """All that is assumed, definitions too."""
        module = self.module
        found = [each.body for each in module.definitions]
        found += [each.formula for each in module.assertions]
        if module.optimization is not None:
            found += [each.formula for each in module.optimization.constraints]
        return found

    @cached_property
    def assumed(self) -> Mentioned:
        """The names in premises."""
        found = Mentioned()
        found.look_at(self.premises)
        return found

    def mentioned(self, roots: Iterable[Node]) -> Mentioned:
        """The names in these formulas."""
        found = Mentioned()
        found.look_at(roots)
        return found

    @cached_property
    def used(self) -> Mentioned:
        """The names in premises, claims and objectives."""
        found = self.assumed.copy()
        module = self.module
        found.look_at(each.formula for each in (*module.claims, *module.norms))
        if module.optimization is not None:
            found.look_at(each.term for each in module.optimization.objectives)
        return found

    @cached_property
    def formulas(self) -> list[s.Formula]:
        """The formulas as they are written."""
        tree = self.tree
        found = [each.body for each in tree.functions if each.body is not None]
        found += [each.formula for each in tree.facts]
        for statement in (*tree.rules, *tree.verifications):
            parts = (statement.constraint, statement.antecedent, statement.consequent)
            found += [part for part in parts if part is not None]
        if tree.optimization is not None:
            found += tree.optimization.constraints
            found += [each.expression for each in tree.optimization.objectives]
            found += [each.constraint for each in tree.optimization.soft]
        return found

    # --- texts -----------------------------------------------------------------------------------

    @cached_property
    def writer(self) -> Writer:
        """Writes terms in the program's language."""
        return Writer(self.module)

    def text(self, node: Node, free: Iterable[Var] = ()) -> str:
        """A term as the program would write it, shortened."""
        try:
            text = self.writer.term(node, free)
        except Unwritable:
            return "…"
        text = bare(text)
        return text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"

    def without_rules(self, left_out: Iterable[Statement]) -> list[Node]:
        """The premises but for these statements; definitions are not among them."""
        places = {each.pointer for each in left_out}
        return [each.formula for each in self.module.assertions if each.origin.pointer not in places]

    def in_any_case(self, left_out: Iterable[Statement] = ()) -> list[Node]:
        """As `without_rules`, where also what is true of closed predicates without rules is open.

        Facts about a case make them true, and the program is asked about other cases, too.
        """
        places = {each.pointer for each in left_out}
        return [each.formula for each in self._left_open if each.origin.pointer not in places]

    @cached_property
    def _left_open(self) -> list[Assertion]:
        module = self.module
        names = {each.name for each in self.tree.functions if each.closed}
        closed = {each: "" for each in module.symbols if each.name in names}
        if not closed:
            return [*module.assertions]
        counting = [each for each in module.assertions if self.counts_named_members(each.origin.pointer)]
        return left_open(closed, module.assertions, module.definitions, counting)

    def counts_named_members(self, pointer: str) -> bool:
        """Whether the statement there counts the members that have a name, to which a case may add others."""
        return any(place.startswith(f"{pointer}/") for place in self.counting)

    @cached_property
    def counting(self) -> list[str]:
        """The places of formulas that count members, or add something up over them, by their names."""
        found = [each for each in self.program.diagnostics if each.code == "POT4004"]
        return [each.place.pointer for each in found]

    @cached_property
    def ranked(self) -> frozenset[str]:
        """The pointers of rules with exceptions, and of those that come before others or give way to them.

        What such a rule means rests on the others, or theirs on it.
        """
        overridden = {name for each in self.tree.rules for name, _ in each.overrides}
        return frozenset(
            each.pointer
            for each in self.tree.rules
            if each.unless or each.overrides or each.default or each.name in overridden
        )


def _statements(
    kind: Kind, items: Iterable[s.StatementDecl], formulas: dict[str, Node]
) -> Iterator[Statement]:
    for at, each in enumerate(items, 1):
        formula = formulas.get(each.pointer)
        parts = (each.constraint, each.antecedent, each.consequent)
        written = tuple(part for part in parts if part is not None)
        if formula is not None and written:
            name = each.name or f"{kind} {at}"
            question, options, _ = each.pointer.rpartition("/options/")
            group = question if options else each.ask if kind == "claim" else ""
            yield Statement(kind, name, formula, each.pointer, written, each.name is not None, at, group)


def _is_implication(formula: Node) -> bool:
    kind = type(formula)
    return kind is Quant or (kind is App and formula.op is op.IMPLIES)  # type: ignore[union-attr]


def implication(statement: Statement) -> Implication | None:
    """The statement as an implication; None where it is none. `A -> (B -> C)` has both antecedents."""
    formula, binders = statement.formula, list[Var]()
    antecedents: list[App] = []
    while True:
        if isinstance(formula, Quant) and formula.kind == "forall":
            binders += formula.binders
            formula = formula.body
        elif isinstance(formula, App) and formula.op is op.IMPLIES:
            antecedents.append(formula)
            formula = formula.args[1]
        else:
            break
    if len(antecedents) != 1:
        return None
    return Implication(statement, tuple(binders), antecedents[0].args[0], formula)


def outline(formula: Node) -> object:
    """A coarser key than `said`, and a quicker one: formulas with one key there have one here."""
    if not isinstance(formula, Quant):
        return formula
    body = formula.body
    if not isinstance(body, App):
        return formula.kind
    parts = tuple([each.op if isinstance(each, App) else None for each in body.args])
    return formula.kind, len(formula.binders), body.op, parts


def said(formula: Node) -> object:
    """A key of a formula: formulas with one key differ in the names of their bound variables at most."""
    # Formulas without variables are equal only if they are the same node of the pool.
    if not isinstance(formula, Quant):
        return formula
    found: list[object] = []
    numbers: dict[Var, int] = {}
    stack: list[Node] = [formula]
    while stack:
        # Shared parts are written out each time: of a formula with very many no copy is looked for.
        if len(found) > _LONGEST_SAID:
            return formula
        node = stack.pop()
        match node:
            case App(op=head, args=args):
                found.append((head, len(args)))
                stack += args
            case Quant(kind=kind, binders=binders, body=body):
                numbers.update(zip(binders, range(len(numbers), len(numbers) + len(binders)), strict=True))
                found.append((kind, *(var.sort for var in binders)))
                stack.append(body)
            case Var():
                found.append(numbers.get(node, node))
            case _:
                found.append(node)
    return tuple(found)


def conjuncts(node: Node) -> Iterator[Node]:
    """The parts of a conjunction, nested ones too; of another formula itself."""
    return flattened(node, op.AND)


def bare(text: str) -> str:
    """A text without the brackets around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and at < len(text) - 1:
            return text
    return text[1:-1]


def literal(node: Node) -> tuple[Node, bool]:
    """A formula without its negations, and whether they cancel."""
    positive = True
    while isinstance(node, App) and node.op is op.NOT:
        node, positive = node.args[0], not positive
    return node, positive


def expressions(root: s.Expr) -> Iterator[s.Expr]:
    """All parts of an expression, outer ones first."""
    stack = [root]
    while stack:
        expr = stack.pop()
        yield expr
        match expr:
            case s.Call(head=head, args=args):
                stack += [*reversed(args), head]
            case s.Infix(args=args):
                stack += reversed(args)
            case s.Compare(operands=operands):
                stack += reversed(operands)
            case s.Prefix(arg=arg):
                stack.append(arg)
            case s.ListOf(items=items):
                stack += reversed(items)
            case _:
                pass


def removal(pointer: str, title: str, *, safe: bool = False) -> Fix:
    """The fix that removes an item of a list."""
    edits: tuple[Edit, ...] = (Patch("remove", pointer),)
    return Fix(title, Applicability.SAFE if safe else Applicability.UNSAFE, edits)
