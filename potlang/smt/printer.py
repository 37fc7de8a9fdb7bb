"""Modules as SMT-LIB 2.6 text: declarations, assertions, queries, whole scripts.

What `script` prints for people is what the other methods print for solvers: the same texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import cast

from potlang.ir.graphs import ordered
from potlang.ir.module import Claim, Definition, Module, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind, symbols_in
from potlang.ir.pool import Pool
from potlang.ir.sorts import DeclaredSort, EnumSort, SetSort, TupleSort
from potlang.smt import names, sharing
from potlang.smt.encodings import Dialect, OperatorEncoder, members
from potlang.smt.errors import Unsupported
from potlang.smt.symbols import Symbols, datatype
from potlang.smt.terms import TermWriter

Sent = Callable[[Pool, Node], Node]
"""Gives the form in which a closed formula is asserted."""

_COMMENT = 400


def symbols_of(module: Module) -> Symbols:
    """Names for all symbols of a module."""
    return Symbols((*module.symbols, *(definition.symbol for definition in module.definitions)))


class Printer:
    """Prints one module, and formulas over its pool, in the dialect of one solver.

    Texts depend on the module and, for names of shared terms and of symbols that the module does not
    declare, on the order of the calls. Every method raises `Unsupported` where the dialect cannot say it.
    """

    def __init__(
        self,
        module: Module,
        dialect: Dialect = "z3",
        symbols: Symbols | None = None,
        sent: Sent | None = None,
    ) -> None:
        """`symbols` are the names of the module's symbols, where another printer of it has made them.

        `sent` gives the form in which formulas are asserted; as they are, where there is none.
        """
        self.module = module
        self.dialect = dialect
        self._symbols = symbols or symbols_of(module)
        self._terms = TermWriter(self._symbols, OperatorEncoder(self._symbols, dialect))
        self._sent = sent
        self._count = 0
        self._texts: tuple[list[str], list[str]] | None = None

    # --- declarations ----------------------------------------------------------------------------

    def declarations(self) -> str:
        """Sorts, functions and definitions, each after what it uses, a line each."""
        defined = {definition.symbol for definition in self.module.definitions}
        lines = [self._sort(sort) for sort in self.module.sorts]
        for symbol in self.module.symbols:
            if symbol not in defined and symbol.kind is not SymbolKind.DEFINED:
                lines.append(self.declare(symbol))
        lines += [self._definition(definition) for definition in _in_order(self.module.definitions)]
        return "\n".join([*lines, ""])

    def _sort(self, sort: DeclaredSort | EnumSort | TupleSort) -> str:
        if isinstance(sort, DeclaredSort):
            return f"(declare-sort {names.sort_name(sort.name)} 0)"
        return datatype(sort, self._symbols)

    def declare(self, symbol: Symbol) -> str:
        """The declaration of one function or constant."""
        result = self._symbols.sort(symbol.range)
        if not symbol.domain:
            return f"(declare-const {self.symbol(symbol)} {result})"
        domain = " ".join(map(self._symbols.sort, symbol.domain))
        return f"(declare-fun {self.symbol(symbol)} ({domain}) {result})"

    def _definition(self, definition: Definition) -> str:
        plan = sharing.plan([definition.body], (), self._may_share)
        body = self._terms.write(definition.body, plan, definition.params)
        parameters = [
            f"({names.binder_name(p.name, number)} {self._symbols.sort(p.sort)})"
            for number, p in enumerate(definition.params)
        ]
        result = self._symbols.sort(definition.symbol.range)
        return f"(define-fun {self.symbol(definition.symbol)} ({' '.join(parameters)}) {result} {body})"

    def symbol(self, symbol: Symbol) -> str:
        """The name of a function or constant."""
        return self._symbols.symbol(symbol)

    # --- terms and assertions --------------------------------------------------------------------

    def term(self, node: Node) -> str:
        """One closed term, complete in itself: for `get-value`, `minimize` and within other text."""
        text = self._terms.small(node)
        if text is None:
            plan = sharing.plan([node], self._terms.shared, self._may_share)
            text = self._terms.write(node, plan)
        return text

    def assertion(self, node: Node, name: str | None = None) -> str:
        """The commands that assert a closed formula: one `assert`, after those that name its shared terms.

        `name` is `names.assertion_name` of a number, for cores.
        """
        text = self._terms.small(node)
        if text is not None:
            return _assert(text, name)
        if self._sent is not None:
            node = self._sent(self.module.pool, node)
        plan = sharing.plan([node], self._terms.shared, self._may_share)
        if not plan.closed:
            return _assert(self._terms.write(node, plan), name)
        before = dict(self._terms.shared)
        lines = self._name_shared(plan)
        lines.append(_assert(self._terms.write(node, plan), name))
        self._terms.shared = before
        return "\n".join(lines)

    def assertions(self, *, named: bool = True) -> str:
        """All assertions of the module, a line each, assertion i named `names.assertion_name(i)`.

        Solvers read them a third faster without names.

        Terms that they share are named before them, once. Later texts use those names, so what this
        returns must be in scope wherever what `term` and `assertion` return afterwards is.
        """
        shared, texts = self._assertion_texts()
        if named:
            lines = [_assert(text, names.assertion_name(number)) for number, text in enumerate(texts)]
        else:
            lines = [f"(assert {text})" for text in texts]
        return "\n".join([*shared, *lines, ""])

    def _assertion_texts(self) -> tuple[list[str], list[str]]:
        """The commands that name shared terms, and the term of each assertion of the module."""
        if self._texts is None:
            self._texts = self._print_assertions()
        return self._texts

    def _print_assertions(self) -> tuple[list[str], list[str]]:
        roots = [assertion.formula for assertion in self.module.assertions]
        small = self._terms.small
        texts = [small(root) for root in roots]
        large = [place for place, text in enumerate(texts) if text is None]
        if self._sent is not None:
            for place in large:
                roots[place] = self._sent(self.module.pool, roots[place])
        plan = sharing.plan([roots[place] for place in large], self._terms.shared, self._may_share)
        shared = self._name_shared(plan)
        for place in large:
            texts[place] = self._terms.write(roots[place], plan)
        return shared, cast("list[str]", texts)

    def base(self, *, named: bool = True) -> str:
        """The text that all queries share: declarations and named assertions, without a logic."""
        return self.declarations() + self.assertions(named=named)

    def _name_shared(self, plan: sharing.Plan) -> list[str]:
        lines = []
        for node in plan.closed:
            text = self._terms.write(node, sharing.Plan([], plan.open))
            sort = self._symbols.sort(node.sort)
            name = names.shared_name(self._count)
            self._count += 1
            if sharing.wants_equation(node):
                lines.append(f"(declare-const {name} {sort})\n(assert (= {name} {text}))")
            else:
                lines.append(f"(define-fun {name} () {sort} {text})")
            self._terms.shared[node.id] = name
        return lines

    def _may_share(self, node: Node) -> bool:
        """Not set operations that the dialect can only write unfolded."""
        if self.dialect == "z3" or not isinstance(node.sort, SetSort):
            return True
        return members(node.sort.element) is not None

    # --- scripts ---------------------------------------------------------------------------------

    def script(self, claims: Iterable[Claim] | None = None) -> str:
        """A whole script: the base, then for each claim the two checks that decide it, then the optimization.

        `claims` are those of the module, norms included, unless given.
        """
        asked = (*self.module.claims, *self.module.norms) if claims is None else claims
        lines = ["; SMT-LIB 2.6, written by potlang", "(set-logic ALL)"]
        lines += self._base_with_origins()
        for claim in asked:
            lines += self._claim(claim)
        lines += self._optimization()
        return "".join(f"{line}\n" for line in lines)

    def _base_with_origins(self) -> list[str]:
        """The lines of `base`, each assertion after a comment that says where it comes from."""
        lines = self.declarations().splitlines()
        shared, texts = self._assertion_texts()
        lines += shared
        for number, (assertion, text) in enumerate(zip(self.module.assertions, texts, strict=True)):
            lines.append(_comment(str(assertion.kind), assertion.name, assertion.origin))
            lines.append(_assert(text, names.assertion_name(number)))
        return lines

    def _claim(self, claim: Claim) -> list[str]:
        pool = self.module.pool
        formula = pool.quant("exists", claim.find, claim.formula) if claim.find else claim.formula
        lines = [_comment("claim", claim.name, claim.origin)]
        for side in (formula, pool.negate(formula)):
            lines += ["(push 1)", self.assertion(side), "(check-sat)", "(pop 1)"]
        return lines

    def _optimization(self) -> list[str]:
        problem = self.module.optimization
        if problem is None:
            return []
        lines = [_comment("optimization", problem.mode, problem.origin)]
        if self.dialect != "z3":
            return [*lines, "; (this dialect has no objectives)"]
        priority = {"lexicographic": "lex"}.get(problem.mode, problem.mode)
        lines += ["(push 1)", f"(set-option :opt.priority {priority})"]
        for constraint in problem.constraints:
            lines.append(_comment(str(constraint.kind), constraint.name, constraint.origin))
            lines.append(self.assertion(constraint.formula))
        for objective in problem.objectives:
            lines.append(_comment("objective", objective.name, objective.origin))
            lines.append(f"({objective.direction} {self.term(objective.term)})")
        return [*lines, "(check-sat)", "(get-objectives)", "(pop 1)"]


def script(module: Module, dialect: Dialect = "z3", sent: Sent | None = None) -> str:
    """The whole script of a module, its formulas in the form `sent`: what is solved."""
    return Printer(module, dialect, sent=sent).script()


def _assert(text: str, name: str | None) -> str:
    return f"(assert {text})" if name is None else f"(assert (! {text} :named {name}))"


def _comment(kind: str, name: str, origin: Origin) -> str:
    """One line of plain ASCII, whatever the parts contain."""
    parts = [json.dumps(part[:_COMMENT]) for part in (name, origin.pointer, origin.text) if part]
    return " ".join([";", kind, *parts]).replace("\x7f", "\\u007f")


def _in_order(definitions: tuple[Definition, ...]) -> list[Definition]:
    """Definitions such that each follows those it uses. Raises `Unsupported` for recursion."""
    by_symbol = {definition.symbol: definition for definition in definitions}

    def used(symbol: Symbol) -> list[Symbol]:
        return [each for each in symbols_in(by_symbol[symbol].body) if each in by_symbol]

    def recursive(cycle: list[Symbol]) -> None:
        raise Unsupported(f"the definition of {cycle[0].name} is recursive")

    return [by_symbol[symbol] for symbol in ordered(by_symbol, used, recursive)]
