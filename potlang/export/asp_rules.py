"""Rules of answer set programs: members of sorts, predicates, formulas in negation normal form as bodies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from potlang.export.problem import NoCounterpart, ToolProblem, label
from potlang.export.texts import Names, slug
from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Quant, Sym, Symbol, Var, flattened, free_variable_sets, reachable
from potlang.ir.operators import Operator
from potlang.ir.sorts import BOOL, BoolSort, DeclaredSort, EnumSort, Sort

_LEADING: Final = re.compile(r"^[^A-Za-z]*")


def spelled(name: str) -> str:
    """A constant or predicate: a lower letter, then letters, digits and `_`."""
    text = slug(name)
    return text[0].lower() + text[1:] if text[0].isalpha() else f"x{text}"


def variable_word(name: str) -> str:
    """A variable: a capital, then letters, digits and `_`, the last one none."""
    text = slug(name).rstrip("_")
    return text[0].upper() + text[1:] if text[:1].isalpha() else f"X{text}"


class Members:
    """The members of each sort, and what it takes to say that two of them are the same."""

    def __init__(self, problem: ToolProblem, names: Names) -> None:
        self._problem = problem
        self._names = names
        self._sorts: dict[Sort, str] = {}
        self._texts: dict[object, str] = {}
        """Of a constant, or of a sort and a value."""
        self._of: dict[Sort, list[str]] = {}
        self._same: dict[Sort, str] = {}
        self._notes: dict[str, str] = {}

    def is_listed(self, sort: Sort) -> bool:
        """Whether the members have names that are different, and are all there are."""
        module = self._problem.module
        return isinstance(sort, EnumSort) or (sort in module.closed and sort in module.unique)

    def is_open(self, sort: Sort) -> bool:
        """Whether it is a declared sort of which that is not so."""
        return isinstance(sort, DeclaredSort) and not self.is_listed(sort)

    def sort(self, sort: Sort) -> str:
        """The predicate of the members. Raises `NoCounterpart` for a sort that has no list of them."""
        if sort not in self._sorts:
            self._declare(sort)
        return self._sorts[sort]

    def _declare(self, sort: Sort) -> None:
        if not isinstance(sort, BoolSort | EnumSort | DeclaredSort):
            raise NoCounterpart(
                f"the sort {sort}", "an answer set program has enums, Bool, and declared sorts"
            )
        self._sorts[sort] = self._names.new(str(sort))
        values: Sequence[object] = (False, True) if isinstance(sort, BoolSort) else ()
        if isinstance(sort, EnumSort):
            values = sort.values
        self._of[sort] = []
        for value in values:
            self._put((sort, value), sort, str(value))
        module = self._problem.module
        # Of a closed sort all constants count, those too of which nothing is said.
        defined = [each.symbol for each in self._problem.definitions]
        known = module.symbols if self.is_listed(sort) else (*self._problem.symbols, *defined)
        for symbol in known:
            if symbol.range == sort and not symbol.domain and self.is_member(symbol):
                self._put(symbol, sort, symbol.name)

    def _put(self, key: object, sort: Sort, name: str) -> None:
        text = self._texts[key] = self._names.new(name)
        self._of[sort].append(text)
        if text != name:
            self._notes[text] = name

    def is_member(self, symbol: Symbol) -> bool:
        """Whether a constant is a member by its name; not one of a listed sort whose value is unknown."""
        return self.is_open(symbol.range) or (symbol.kind == "constant" and self.is_listed(symbol.range))

    def add(self, symbol: Symbol) -> None:
        """One more member of an open sort."""
        self.sort(symbol.range)
        self._put(symbol, symbol.range, symbol.name)

    def constant(self, symbol: Symbol) -> str:
        """The member that a constant is."""
        self.sort(symbol.range)
        return self._texts[symbol]

    def value(self, lit: Lit) -> str:
        """The member that a literal is."""
        self.sort(lit.sort)
        return self._texts[lit.sort, lit.value]

    def same(self, sort: Sort) -> str | None:
        """The predicate that says that members of an open sort are the same; None for listed sorts."""
        if not self.is_open(sort):
            return None
        if sort not in self._same:
            self._same[sort] = self._names.new(f"same_{sort}")
        return self._same[sort]

    def compared(self) -> dict[Sort, str]:
        """The sorts of which it is asked whether members are the same, and the predicates that say so."""
        return dict(self._same)

    def facts(self) -> Iterator[str]:
        """The members."""
        for sort, name in self._sorts.items():
            members = self._of[sort] or [self._names.new(f"any_{sort}")]
            yield f"\n% {label('sort', str(sort))}"
            for text in members:
                note = f"  % {label('', self._notes[text]).strip()}" if text in self._notes else ""
                yield f"{name}({text}).{note}"

    def laws(self) -> Iterator[str]:
        """That being the same is an equivalence."""
        for sort, same in self._same.items():
            of = self._sorts[sort]
            yield f"\n% {label('members that may be the same', str(sort))}"
            yield f"{{ {same}(X, Y) : {of}(X), {of}(Y) }}."
            yield f":- {of}(X), not {same}(X, X)."
            yield f":- {same}(X, Y), not {same}(Y, X)."
            yield f":- {same}(X, Y), {same}(Y, Z), not {same}(X, Z)."


class Predicates:
    """The predicates of symbols. A function is one with its value as the last argument."""

    def __init__(self, problem: ToolProblem, members: Members, names: Names) -> None:
        self._members = members
        self._names = names
        self._texts: dict[Symbol, str] = {}

    def name(self, symbol: Symbol) -> str:
        """The predicate. Raises `NoCounterpart` for a function that would make new members."""
        text = self._texts.get(symbol)
        if text is None:
            for sort in symbol.domain:
                self._members.sort(sort)
            if symbol.range is not BOOL:
                self._members.sort(symbol.range)
            if self._members.is_open(symbol.range):
                raise NoCounterpart(
                    f"the function `{symbol.name}` with values of the sort {symbol.range}, which is open",
                    "close the sort of its values, or make it a relation",
                )
            text = self._texts[symbol] = self._names.new(symbol.name)
        return text

    def choices(self, open_: Iterable[Symbol]) -> Iterator[str]:
        """That each open symbol has some meaning."""
        for symbol in open_:
            if symbol in self._texts:
                yield f"\n% {label('predicate' if symbol.range is BOOL else 'function', symbol.name)}"
                yield self._choice(symbol)

    def _choice(self, symbol: Symbol) -> str:
        names = [f"X{number}" for number in range(1, len(symbol.domain) + 1)]
        domain = [f"{self._members.sort(sort)}({x})" for sort, x in zip(symbol.domain, names, strict=True)]
        head = self._texts[symbol]
        if symbol.range is BOOL:
            over = f" : {', '.join(domain)}" if domain else ""
            return f"{{ {_atom(head, names)}{over} }}."
        body = f" :- {', '.join(domain)}" if domain else ""
        value = f"{self._members.sort(symbol.range)}(Y)"
        return f"1 {{ {_atom(head, [*names, 'Y'])} : {value} }} 1{body}."

    def congruence(self) -> Iterator[str]:
        """That what is true of a member is true of what is the same."""
        for sort, same in self._members.compared().items():
            for symbol, name in self._texts.items():
                places = [place for place, each in enumerate(symbol.domain) if each == sort]
                count = len(symbol.domain) + (symbol.range is not BOOL)
                for place in places:
                    args = [f"X{number}" for number in range(1, count + 1)]
                    other = [*args[:place], "Y", *args[place + 1 :]]
                    yield f":- {same}({args[place]}, Y), {_atom(name, args)}, not {_atom(name, other)}."

    def shown(self) -> Iterator[str]:
        """The predicates that a reader looks for."""
        yield "#show."
        for symbol, name in self._texts.items():
            kind = "predicate" if symbol.range is BOOL else "function"
            count = len(symbol.domain) + (symbol.range is not BOOL)
            yield f"#show {name}/{count}.  % {label(kind, symbol.name)}"


class RuleWriter:
    """Writes rules and constraints. Formulas are in negation normal form, without choices in terms."""

    def __init__(self, members: Members, predicates: Predicates, names: Names) -> None:
        self._members = members
        self._predicates = predicates
        self._names = names
        self._variables = Names(variable_word)
        self._free: dict[int, frozenset[Var]] = {}
        self._auxiliary: dict[int, str] = {}
        self._waiting: list[tuple[Node, str]] = []
        self._local: dict[int, str] = {}

    def rule(
        self, symbol: Symbol, args: Sequence[Node], variables: Sequence[Var], conditions: Sequence[Node]
    ) -> list[str]:
        """That a predicate is true of arguments if conditions are true; and what the conditions need."""
        self._begin((*args, *conditions), variables)
        body = _Body(self)
        head = _atom(self._predicates.name(symbol), [body.term(arg) for arg in args])
        for condition in conditions:
            body.add(condition)
        lines = [body.rule(head, variables)]
        return [*lines, *self._auxiliaries()]

    def constraint(self, normal: Node, guard: Sequence[str] = ()) -> list[str]:
        """That a closed formula is true, where the `guard` is."""
        self._begin((normal,), ())
        lines: list[str] = []
        stack: list[tuple[Node, tuple[Var, ...]]] = [(normal, ())]
        while stack:
            node, binders = stack.pop()
            if isinstance(node, Quant) and node.kind == "forall":
                stack.append((node.body, (*binders, *node.binders)))
            elif isinstance(node, App) and node.op is op.AND:
                stack += [(arg, binders) for arg in reversed(node.args)]
            else:
                body = _Body(self)
                for part in flattened(node, op.OR):
                    body.add_denied(part)
                lines.append(body.rule("", binders, guard))
        return [*(line for line in lines if line), *self._auxiliaries()]

    def _begin(self, roots: Sequence[Node], variables: Sequence[Var]) -> None:
        self._free.update(free_variable_sets(*roots))
        binders = [var for node in reachable(*roots) if isinstance(node, Quant) for var in node.binders]
        found = [node for node in reachable(*roots) if isinstance(node, Var)]
        self._local = self._variables.local(dict.fromkeys([*variables, *binders, *found]))

    def _auxiliaries(self) -> Iterator[str]:
        """The rules of the predicates that stand for parts of formulas."""
        while self._waiting:
            node, atom = self._waiting.pop()
            variables = sorted(self._free[node.id], key=lambda var: var.id)
            if isinstance(node, App) and node.op is op.OR:
                for part in node.args:
                    yield self._defined(atom, variables, part)
            elif isinstance(node, Quant) and node.kind == "forall":
                yield self._for_all(atom, variables, node)
            else:
                yield self._defined(atom, variables, node)

    def _defined(self, atom: str, variables: Sequence[Var], node: Node) -> str:
        body = _Body(self)
        body.add(node)
        return body.rule(atom, variables)

    def _for_all(self, atom: str, variables: Sequence[Var], node: Quant) -> str:
        """A condition for all members: true by what is derived, not by what is not denied."""
        domain = ", ".join(map(self.is_member, node.binders))
        given = [*map(self.is_member, variables), f"{self.single(node.body)} : {domain}"]
        return f"{atom} :- {'; '.join(given)}."

    def variable(self, var: Var) -> str:
        """The name of a variable."""
        return self._local[var.id]

    def is_member(self, var: Var) -> str:
        """That a variable is a member of its sort."""
        return f"{self._members.sort(var.sort)}({self._local[var.id]})"

    def single(self, node: Node) -> str:
        """One literal that says the formula: itself, or an atom that stands for it."""
        if _is_literal(node) and not any(map(self._has_value, reachable(node))):
            return _Body(self).literal(node)
        return self.auxiliary(node)

    def _has_value(self, node: Node) -> bool:
        """Whether a term is said by a predicate."""
        if isinstance(node, Sym):
            return node.sort is not BOOL and not self._members.is_member(node.symbol)
        return isinstance(node, App) and isinstance(node.op, Symbol) and node.sort is not BOOL

    def auxiliary(self, node: Node) -> str:
        """The atom that stands for a formula, whose rules are written later."""
        name = self._auxiliary.get(node.id)
        is_new = name is None
        if name is None:
            name = self._auxiliary[node.id] = self._names.new("part")
        variables = sorted(self._free[node.id], key=lambda var: var.id)
        atom = _atom(name, [self._local[var.id] for var in variables])
        if is_new:
            self._waiting.append((node, atom))
        return atom

    def atom(self, node: Node, args: Sequence[str]) -> str:
        """A predicate's atom."""
        symbol = node.symbol if isinstance(node, Sym) else node.op if isinstance(node, App) else None
        if not isinstance(symbol, Symbol):
            raise _no_atom(node)
        return _atom(self._predicates.name(symbol), args)

    def leaf(self, node: Node) -> str | None:
        """A term that is a variable or a member; None for one whose value a predicate says."""
        if isinstance(node, Var):
            return self._local[node.id]
        if isinstance(node, Lit):
            return self._members.value(node)
        if isinstance(node, Sym) and self._members.is_member(node.symbol):
            return self._members.constant(node.symbol)
        return None

    def equation(self, sort: Sort, left: str, right: str, *, positive: bool) -> str:
        """That two terms are the same, or that they are not."""
        self._members.sort(sort)
        same = self._members.same(sort)
        if same is None:
            return f"{left} {'=' if positive else '!='} {right}"
        return f"{'' if positive else 'not '}{same}({left}, {right})"


class _Body:
    """The literals of one rule."""

    def __init__(self, writer: RuleWriter) -> None:
        self._writer = writer
        self._literals: list[str] = []
        self._bound: dict[Var, None] = {}
        """Two quantifiers side by side may bind one variable: the second one then gets a rule of its own."""
        self._values: dict[int, str] = {}

    def rule(self, head: str, variables: Sequence[Var], guard: Sequence[str] = ()) -> str:
        """The rule; without a head a constraint. Empty where it says nothing."""
        if "#false" in self._literals:
            return ""
        found = dict.fromkeys((*variables, *self._bound))
        given = [*guard, *map(self._writer.is_member, found), *(e for e in self._literals if e != "#true")]
        if not given:
            return f"{head or ':- #true'}."
        return f"{head}{' ' if head else ''}:- {', '.join(dict.fromkeys(given))}."

    def add(self, node: Node) -> None:
        """One more condition."""
        stack = [node]
        while stack:
            node = stack.pop()
            if isinstance(node, App) and node.op is op.AND:
                stack += reversed(node.args)
            elif (
                isinstance(node, Quant)
                and node.kind == "exists"
                and not self._bound.keys() & set(node.binders)
            ):
                self._bound.update(dict.fromkeys(node.binders))
                stack.append(node.body)
            elif _is_literal(node):
                self._literals.append(self.literal(node))
            else:
                self._literals.append(self._writer.auxiliary(node))

    def add_denied(self, node: Node) -> None:
        """One more condition: that a formula is not true."""
        if _is_literal(node):
            self._literals.append(self.literal(node, positive=False))
        else:
            self._literals.append(f"not {self._writer.auxiliary(node)}")

    def literal(self, node: Node, *, positive: bool = True) -> str:
        """A literal or its denial; what says the values of its terms is added to the body."""
        if isinstance(node, App) and node.op is op.NOT:
            node, positive = node.args[0], not positive
        if isinstance(node, Lit):
            return "#true" if bool(node.value) is positive else "#false"
        if isinstance(node, App) and node.op is op.EQ:
            return self._equation(*node.args, positive=positive)
        return f"{'' if positive else 'not '}{self._atom(node)}"

    def _equation(self, one: Node, other: Node, *, positive: bool) -> str:
        """An equation; that a function has a value is said by its predicate alone."""
        for function, value in ((one, other), (other, one)):
            leaf = self._writer.leaf(value)
            if leaf is not None and self._writer.leaf(function) is None:
                return f"{'' if positive else 'not '}{self._atom(function, leaf)}"
        return self._writer.equation(one.sort, self.term(one), self.term(other), positive=positive)

    def _atom(self, node: Node, *values: str) -> str:
        args = [self.term(arg) for arg in node.args] if isinstance(node, App) else []
        return self._writer.atom(node, [*args, *values])

    def term(self, root: Node) -> str:
        """A term; values of functions are variables of which the body says what they are."""
        for node in reachable(root):
            if node.id in self._values:
                continue
            text = self._writer.leaf(node)
            if text is None:
                args = [self._values[arg.id] for arg in node.args] if isinstance(node, App) else []
                text = f"V{sum(value.endswith('_') for value in self._values.values()) + 1}_"
                self._literals.append(self._writer.atom(node, [*args, text]))
            self._values[node.id] = text
        return self._values[root.id]


def _atom(name: str, args: Sequence[str]) -> str:
    return f"{name}({', '.join(args)})" if args else name


def _is_literal(node: Node) -> bool:
    if isinstance(node, App) and node.op is op.NOT:
        node = node.args[0]
    if isinstance(node, Quant):
        return False
    return not (isinstance(node, App) and node.op in (op.AND, op.OR))


def _no_atom(node: Node) -> NoCounterpart:
    if isinstance(node, App) and isinstance(node.op, Operator):
        return NoCounterpart(
            f"the operator `{node.op.name}`",
            "an answer set program has connectives, quantifiers and equations",
        )
    return NoCounterpart(f"a term of the sort {node.sort}")
