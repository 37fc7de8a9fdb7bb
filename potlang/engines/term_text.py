"""Ground terms over Skolem forms as certificates write them (`spec/80-certificates.md`)."""

from __future__ import annotations

import json

from potlang.ir.module import Module
from potlang.ir.nodes import App, Lit, Node, Sym, Symbol, SymbolKind, Var
from potlang.ir.operators import Operator
from potlang.ir.skolem import SkolemForm
from potlang.ir.sorts import TupleSort
from potlang.ir.text import IrPrinter, symbols_of, variable_names


def module_printer(module: Module) -> IrPrinter:
    """Prints symbols as the text of the module does."""
    declared, used = symbols_of(module)
    return IrPrinter.of([*declared, *used])


class TermText:
    """Prints ground terms as the certificates of a module write them.

    `add` makes the Skolem symbols of a form printable, `add_dummy` the fresh constant of a sort.
    """

    def __init__(self, printer: IrPrinter) -> None:
        self.printer = printer
        self._names: dict[str | None, dict[Var, str]] = {}
        self._fresh: dict[Symbol, str] = {}

    def add(self, root: str | None, formula: Node, form: SkolemForm) -> None:
        """Note the names of `formula`, the root as written, and what its Skolem symbols stand for."""
        names = self._names[root] = variable_names(formula)
        for symbol, choice in form.choices.items():
            self._fresh[symbol] = f"skolem {self.root(root)} {names[choice.variable]} {choice.polarity}"

    def add_dummy(self, symbol: Symbol) -> None:
        """Note that a constant stands for some member of its sort."""
        self._fresh[symbol] = f"dummy {self.printer.sort(symbol.range)}"

    def add_differing(self, symbol: Symbol, number: int) -> None:
        """Note that a function gives the index of this number at which two tables differ."""
        self._fresh[symbol] = f"differ {number}"

    def variable(self, root: str | None, var: Var) -> str:
        """The reference to a variable of a root: `?name.n`."""
        return self._names[root][var]

    def root(self, root: str | None) -> str:
        """How a root is called."""
        return "goal" if root is None else json.dumps(root)

    def knows(self, symbol: Symbol) -> bool:
        """Whether the symbol can be written."""
        return symbol in self.printer.symbols or self._made(symbol) is not None

    def head(self, symbol: Symbol) -> str:
        """A symbol where it stands alone: as a constant, or before two lists of arguments."""
        made = self._made(symbol)
        return self.printer.symbols[symbol] if made is None else f"({made})"

    def _made(self, symbol: Symbol) -> str | None:
        """The name of a symbol that the program's text does not name; a selector may be one."""
        if symbol.kind is not SymbolKind.SELECTOR or symbol in self.printer.symbols:
            return self._fresh.get(symbol)
        (sort,) = symbol.domain
        assert isinstance(sort, TupleSort)
        return f"field {[name for name, _ in sort.fields].index(symbol.name)}"

    def call(self, head: Symbol | Operator) -> str:
        """A symbol or an operator in front of its arguments."""
        if isinstance(head, Symbol):
            return self._made(head) or self.printer.symbols[head]
        return head.name

    def term(self, node: Node) -> str:
        """A ground term."""
        pieces: list[str] = []
        stack: list[Node | str] = [node]
        while stack:
            part = stack.pop()
            match part:
                case str():
                    pieces.append(part)
                case App():
                    stack.append(")")
                    stack.extend(reversed(part.args))
                    pieces.append("(" + self.call(part.op))
                case Sym():
                    pieces.append(self.head(part.symbol))
                case Lit():
                    pieces.append(self.printer.literal(part))
                case _:
                    raise TypeError("the term is not ground")
        return "".join([piece if piece == ")" else " " + piece for piece in pieces])[1:]
