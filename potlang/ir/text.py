"""The textual form of the IR: printing. `potlang.ir.reader` reads it back.

One declaration a line; the grammar is in `spec/45-ir.md`. Text is linear in the nodes of each root:
a part that occurs more than once is written once, as `%0`, `%1`, … in the root's `defs`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from json.encoder import encode_basestring_ascii as quoted

from potlang.ir.module import Assertion, Claim, Definition, Module, MultipleChoice, Origin
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, children, reachable, symbols_in
from potlang.ir.numerals import decimal
from potlang.ir.operators import OPERATORS, Operator
from potlang.ir.reader import TextError, read_formula, read_module
from potlang.ir.sorts import (
    BOOL,
    INT,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)

__all__ = ["TextError", "print_formula", "print_module", "read_formula", "read_module", "variable_names"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORDS = {"true", "false", "forall", "exists", "lit", "empty"}
_CERTIFICATE_WORDS = {"skolem", "dummy", "differ", "field", "element", "record", "table"}
_ROOT_WORDS = {"origin", "vars", "defs"}
_SORT_WORDS = {"Bool", "Int", "Real", "String", "BitVec", "Array", "Set", "Function"}
RESERVED = frozenset(OPERATORS) | _WORDS | _ROOT_WORDS | _SORT_WORDS | _CERTIFICATE_WORDS


def name_text(name: str) -> str:
    """`name` as it is, or quoted as JSON quotes if it is no plain identifier or a word of the format."""
    return name if _PLAIN.fullmatch(name) and name not in RESERVED else quoted(name)


def symbols_of(module: Module) -> tuple[list[Symbol], list[Symbol]]:
    """The symbols that the module declares, and the others that it mentions, each in order."""
    declared = dict.fromkeys(module.symbols)
    used: dict[Symbol, None] = dict.fromkeys(definition.symbol for definition in module.definitions)
    for root in module.formulas():
        used.update(dict.fromkeys(symbols_in(root)))
    return list(declared), [symbol for symbol in used if symbol not in declared]


@dataclass(slots=True)
class IrPrinter:
    """Prints roots. Symbols that share their name with another are written `@n`, by declaration."""

    symbols: dict[Symbol, str]
    canonical: bool = False
    """Without names of variables and without origins."""
    origins: bool = True
    sorts: dict[Sort, str] = field(default_factory=dict)

    @classmethod
    def of(cls, symbols: list[Symbol], canonical: bool = False, *, origins: bool = True) -> IrPrinter:
        """A printer for terms over `symbols`, numbered as listed."""
        count: dict[str, int] = {}
        for symbol in symbols:
            count[symbol.name] = count.get(symbol.name, 0) + 1
        unique = {s: name_text(s.name) if count[s.name] == 1 else f"@{i}" for i, s in enumerate(symbols)}
        return cls(unique, canonical, origins)

    def sort(self, sort: Sort) -> str:
        """A sort's text."""
        text = self.sorts.get(sort)
        if text is None:
            text = self.sorts[sort] = _sort_text(sort)
        return text

    def root(self, root: Node, params: tuple[Var, ...] = ()) -> tuple[str, str]:
        """The text of `params` as references, and of the root: its variables, shared parts and body."""
        work = _Root(self, root, params)
        parts = []
        if work.variables:
            parts.append(f"(vars {' '.join(work.variable(var) for var in work.variables)})")
        if work.shared:
            bodies = [f"({work.labels[node.id]} {work.term(node, whole=True)})" for node in work.shared]
            parts.append(f"(defs {' '.join(bodies)})")
        parts.append(work.term(root))
        return " ".join(work.variables[var] for var in params), " ".join(parts)

    def literal(self, node: Lit) -> str:
        """A literal's text."""
        value = node.value
        if node.sort is BOOL:
            return "true" if value else "false"
        if node.sort is INT and isinstance(value, int):
            return decimal(value)
        if value is None:
            text = "empty"
        elif isinstance(value, Fraction):
            text = f"{decimal(value.numerator)}/{decimal(value.denominator)}"
        elif isinstance(value, int):
            text = decimal(value)
        else:
            text = quoted(value)
        return f"(lit {self.sort(node.sort)} {text})"

    def origin(self, origin: Origin) -> str:
        """`origin`, with a space before it, or nothing if it says nothing."""
        if self.canonical or not self.origins or origin == Origin():
            return ""
        return f" (origin {quoted(origin.pointer)} {quoted(origin.text)})"


def _sort_text(sort: Sort) -> str:
    """Pieces are collected from a stack, so nesting is no limit."""
    pieces: list[str] = []
    stack: list[Sort | str] = [sort]
    while stack:
        part = stack.pop()
        match part:
            case str():
                pieces.append(part)
            case DeclaredSort() | EnumSort() | TupleSort():
                pieces.append(name_text(part.name))
            case BitVecSort():
                pieces.append(f"(BitVec {part.width})")
            case SetSort():
                stack += [")", part.element, "(Set"]
            case ArraySort():
                stack += [")", part.element, part.index, "(Array"]
            case FunctionSort():
                stack += [")", part.range, *reversed(part.domain), "(Function"]
            case _:
                pieces.append(str(part))
    return _joined(pieces)


def _joined(pieces: list[str]) -> str:
    """The pieces with a space before each but the first and closing parentheses."""
    return "".join([piece if piece == ")" else " " + piece for piece in pieces])[1:]


class _Root:
    """One root being printed: its variables and shared parts, numbered in order of appearance."""

    def __init__(self, printer: IrPrinter, root: Node, params: tuple[Var, ...]) -> None:
        self.printer = printer
        self.variables: dict[Var, str] = {}
        self.labels: dict[int, str] = {}
        self.shared: list[Node] = []
        for var in params:
            self._number(var)
        self._survey(root)

    def _number(self, var: Var) -> None:
        if var not in self.variables:
            plain = not self.printer.canonical and _PLAIN.fullmatch(var.name)
            name = var.name if plain else ""
            self.variables[var] = f"?{name}.{len(self.variables)}"

    def variable(self, var: Var) -> str:
        """The declaration of `var`; its name is added where the reference does not hold it."""
        reference = self.variables[var]
        hidden = self.printer.canonical or reference.startswith(f"?{var.name}.")
        name = "" if hidden else " " + quoted(var.name)
        return f"({reference} {self.printer.sort(var.sort)}{name})"

    def _survey(self, root: Node) -> None:
        """Number variables where they are met first, and shared parts when they are complete."""
        uses: dict[int, int] = {}
        for node in reachable(root):
            for child in children(node):
                uses[child.id] = uses.get(child.id, 0) + 1
        seen: set[int] = set()
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, complete = stack.pop()
            if complete:
                if uses.get(node.id, 0) > 1 and _large(node):
                    self.labels[node.id] = f"%{len(self.shared)}"
                    self.shared.append(node)
                continue
            if node.id in seen:
                continue
            seen.add(node.id)
            if isinstance(node, Var):
                self._number(node)
            elif isinstance(node, Quant):
                for var in node.binders:
                    self._number(var)
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children(node)))

    def term(self, root: Node, whole: bool = False) -> str:
        """The text of `root`; a shared part inside it, and itself unless `whole`, by its label."""
        pieces: list[str] = []
        stack: list[Node | str] = [root]
        labels = {} if whole else self.labels
        while stack:
            part = stack.pop()
            if isinstance(part, str):
                pieces.append(part)
            elif part.id in labels:
                pieces.append(labels[part.id])
            elif isinstance(part, App):
                stack.append(")")
                stack.extend(reversed(part.args))
                pieces.append("(" + self._head(part.op))
            elif isinstance(part, Quant):
                binders = " ".join(self.variables[var] for var in part.binders)
                stack += [")", part.body]
                pieces.append(f"({part.kind} ({binders})")
            else:
                pieces.append(self._leaf(part))
            labels = self.labels
        return _joined(pieces)

    def _head(self, operator: Operator | Symbol) -> str:
        return self.printer.symbols[operator] if isinstance(operator, Symbol) else operator.name

    def _leaf(self, node: Lit | Sym | Var) -> str:
        match node:
            case Sym():
                return self.printer.symbols[node.symbol]
            case Var():
                return self.variables[node]
            case Lit():
                return self.printer.literal(node)


def _large(node: Node) -> bool:
    """Whether a repeated node gets a label; the others are no longer than a label's definition."""
    if isinstance(node, App):
        return len(node.args) > 2 or any(isinstance(arg, App | Quant) for arg in node.args)
    return isinstance(node, Quant)


def variable_names(root: Node, params: tuple[Var, ...] = ()) -> dict[Var, str]:
    """The variables of a root as its text refers to them, `?name.n`, in order of n."""
    return _Root(IrPrinter({}), root, params).variables


def print_formula(node: Node, symbols: Sequence[Symbol] | None = None) -> str:
    """One term or formula: variables, shared parts and body.

    Symbols are written by name where the name is unique among `symbols` (by default those that occur,
    in order of appearance), else `@n` by their place there.
    """
    listed = symbols_in(node) if symbols is None else list(symbols)
    return IrPrinter.of(listed).root(node)[1]


def print_module(module: Module, canonical: bool = False, *, origins: bool = True) -> str:
    """The module as text. `canonical`: without origins and names of variables, for digests."""
    declared, used = symbols_of(module)
    printer = IrPrinter.of([*declared, *used], canonical, origins=origins)
    lines = ["(potlang-ir 1)"]
    lines += [_declaration_of_sort(printer, sort) for sort in module.sorts]
    lines += _named_sorts("closed", printer, module.closed) + _named_sorts("unique", printer, module.unique)
    lines += [_declaration(printer, "declare", symbol) for symbol in declared]
    lines += [_declaration(printer, "use", symbol) for symbol in used]
    lines += [_definition(printer, definition) for definition in module.definitions]
    lines += [_assertion(printer, "assert", assertion) for assertion in module.assertions]
    lines += [_claim(printer, "claim", claim) for claim in module.claims]
    lines += [_claim(printer, "norm", claim) for claim in module.norms]
    lines += _asked(printer, module)
    lines += _optimization(printer, module)
    lines.append(_words("actions", module.actions))
    if module.properties:
        lines.append(_words("properties", sorted(map(str, module.properties))))
    return "\n".join(lines) + "\n"


def _words(head: str, words: Iterable[str]) -> str:
    return f"({' '.join([head, *map(quoted, words)])})"


def _declaration_of_sort(printer: IrPrinter, sort: Sort) -> str:
    match sort:
        case EnumSort():
            return f"(enum {' '.join([name_text(sort.name), *map(quoted, sort.values)])})"
        case TupleSort():
            parts = [f"({quoted(name)} {printer.sort(part)})" for name, part in sort.fields]
            return f"(tuple {' '.join([name_text(sort.name), *parts])})"
        case _:
            return f"(sort {printer.sort(sort)})"


def _named_sorts(head: str, printer: IrPrinter, sorts: frozenset[Sort]) -> list[str]:
    return [f"({head} {text})" for text in sorted(printer.sort(sort) for sort in sorts)]


def _declaration(printer: IrPrinter, head: str, symbol: Symbol) -> str:
    domain = " ".join(printer.sort(sort) for sort in symbol.domain)
    return f"({head} {symbol.kind} {quoted(symbol.name)} ({domain}) {printer.sort(symbol.range)})"


def _definition(printer: IrPrinter, definition: Definition) -> str:
    params, body = printer.root(definition.body, definition.params)
    origin = printer.origin(definition.origin)
    return f"(define {printer.symbols[definition.symbol]} ({params}){origin} {body})"


def _assertion(printer: IrPrinter, head: str, assertion: Assertion) -> str:
    _, body = printer.root(assertion.formula)
    names = f"{quoted(assertion.key)} {quoted(assertion.name)} {assertion.kind}"
    return f"({head} {names}{printer.origin(assertion.origin)} {body})"


def _claim(printer: IrPrinter, head: str, claim: Claim) -> str:
    find, body = printer.root(claim.formula, claim.find)
    names = f"{quoted(claim.key)} {quoted(claim.name)} ({find})"
    return f"({head} {names}{printer.origin(claim.origin)} {body})"


def _asked(printer: IrPrinter, module: Module) -> list[str]:
    """Lines for modes and questions, only where there are some: most programs have none."""
    lines = [f"(ask {quoted(each.key)} {each.ask})" for each in module.claims if each.ask != "must"]
    options: dict[MultipleChoice, list[str]] = {}
    for claim in module.claims:
        if claim.question is not None:
            options.setdefault(claim.question, []).append(claim.key)
    for question, keys in options.items():
        head = f"{quoted(question.key)} {quoted(question.name)}{printer.origin(question.origin)}"
        lines.append(f"(question {head} {' '.join(map(quoted, keys))})")
    return lines


def _optimization(printer: IrPrinter, module: Module) -> list[str]:
    optimization = module.optimization
    if optimization is None:
        return []
    lines = [f"(optimize {quoted(optimization.mode)}{printer.origin(optimization.origin)})"]
    lines += [_assertion(printer, "constraint", constraint) for constraint in optimization.constraints]
    for objective in optimization.objectives:
        _, body = printer.root(objective.term)
        names = f"{quoted(objective.name)} {quoted(objective.direction)}"
        lines.append(f"(objective {names}{printer.origin(objective.origin)} {body})")
    return lines
