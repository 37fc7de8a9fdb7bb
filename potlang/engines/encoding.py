"""The SMT-LIB encoding of a module for one solver, and the decoding of its names and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from potlang.ir.fold import literal_of
from potlang.ir.module import Assertion, Module
from potlang.ir.nodes import Lit, Node, Symbol
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, Sort
from potlang.smt.errors import Unsupported
from potlang.smt.names import assertion_name, assertion_number
from potlang.smt.printer import Printer, symbols_of

if TYPE_CHECKING:
    from potlang.smt.encodings import Dialect
    from potlang.smt.printer import Sent
    from potlang.smt.symbols import Symbols

__all__ = ["AssertionNames", "Encoding", "Unsupported", "show_value", "shown_literal"]


class AssertionNames:
    """The names under which assumptions are asserted: numbered, the module's own first and in order.

    And those of the module's symbols, which are the same for all engines.
    """

    def __init__(self, module: Module, sent: Sent | None = None) -> None:
        """`sent` is the form of formulas in solvers' text, the same for all engines."""
        self.sent = sent
        self._module = module
        self._assertions: list[Assertion] = list(module.assertions)
        self._numbers: dict[int, int] = {}
        self._symbols: Symbols | None = None

    @property
    def symbols(self) -> Symbols:
        """The names of the symbols."""
        if self._symbols is None:
            self._symbols = symbols_of(self._module)
        return self._symbols

    def name(self, assertion: Assertion) -> str:
        """The name of an assumption, new ones numbered as they come."""
        if not self._numbers:
            self._numbers = {id(each): number for number, each in enumerate(self._assertions)}
        number = self._numbers.get(id(assertion))
        if number is None:
            number = self._numbers[id(assertion)] = len(self._assertions)
            self._assertions.append(assertion)
        return assertion_name(number)

    def find(self, name: str) -> tuple[int, Assertion] | None:
        """Number and assumption of a name; None for a name of something else."""
        number = assertion_number(name)
        if number is None or number >= len(self._assertions):
            return None
        return number, self._assertions[number]


class Encoding:
    """Prints one module for one engine. All methods that give text raise `Unsupported`."""

    def __init__(self, module: Module, engine: str, labels: AssertionNames) -> None:
        self.labels = labels
        self._module = module
        self.dialect: Dialect = "z3" if engine == "z3" else "cvc5"
        self._printer = Printer(module, self.dialect, labels.symbols, labels.sent)
        self._bases: dict[bool, str] = {}
        self._bare: Encoding | None = None
        self._declarations: str | None = None

    def base(self, *, named: bool = True) -> str:
        """Declarations and the assumptions, named for cores."""
        if named not in self._bases:
            self._bases[named] = self._printer.base(named=named)
        return self._bases[named]

    def declarations(self) -> str:
        """Declarations alone."""
        if self._declarations is None:
            self._declarations = self._printer.declarations()
        return self._declarations

    def bare(self) -> Encoding:
        """The same words for a session that was started with the declarations alone."""
        if self._bare is None:
            self._bare = Encoding(self._module, self.dialect, self.labels)
        return self._bare

    def goal(self, formula: Node | None, *, negated: bool = False) -> str:
        """The command that asserts a closed formula, or its negation; nothing for no formula."""
        if formula is None:
            return ""
        return self._printer.assertion(self._module.pool.negate(formula) if negated else formula)

    def named(self, formula: Node, name: str, *, negated: bool) -> str:
        """The command that asserts a formula, or its negation, under a name."""
        return self._printer.assertion(self._module.pool.negate(formula) if negated else formula, name)

    def assertion(self, assertion: Assertion) -> str:
        """The command that asserts an assumption beyond the base, under its name."""
        return self._printer.assertion(assertion.formula, self.labels.name(assertion))

    def declare(self, symbol: Symbol) -> str:
        """The declaration of a symbol that the module has not."""
        return self._printer.declare(symbol)

    def term(self, node: Node) -> str:
        """A closed term."""
        return self._printer.term(node)


def show_value(raw: str, sort: Sort, called: Callable[[str, str], str], shown: Sort | None = None) -> str:
    """A solver's value in the program's words; `called` names elements: sort, solver's name.

    `shown` is the sort that the program writes, where numbers stand for its members.
    """
    if sort is BOOL and raw in ("true", "false"):
        return raw.capitalize()
    from potlang.smt.value_text import format_value
    from potlang.smt.values import read_value

    try:
        value = read_value(raw, sort)
    except ValueError:
        return raw
    return format_value(value, shown or sort, lambda element: called(element.sort, element.raw))


def shown_literal(raw: str, sort: Sort, pool: Pool) -> Lit | None:
    """A solver's value as a literal that has words in the program, if there is one."""
    from potlang.smt.values import read_value

    try:
        literal = literal_of(pool, read_value(raw, sort), sort)
    except ValueError:
        return None
    return None if literal is None or literal.value is None else literal
