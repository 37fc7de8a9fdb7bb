"""The textual IR (`spec/45-ir.md`) as terms: what is assumed and what is claimed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from .operators import OPERATORS
from .sorts import BOOL, INT, Sort, Sorts
from .terms import MOST_STEPS, QUANTIFIERS, Symbol, Term, Terms, outer_first
from .tokens import Invalid, QuotedText, StepBudget, Tree, integer, name, pair, shown, tree

_SKIPPED = ("ask", "closed", "properties", "question", "unique")
_REFERENCE = re.compile(r"\?[A-Za-z0-9_]*\.(0|[1-9][0-9]{0,8})")
Special = Callable[[list[Tree], tuple[Term, ...]], Term]
Heads = Mapping[str, tuple[int, Special]]
Names = dict[str, Term]
_NONE: Mapping[str, Term] = MappingProxyType({})
_NO_HEADS: Heads = MappingProxyType({})


class Root:
    """An assertion or a claim: its formula, closed, and its variables by reference."""

    def __init__(self, key: str, formula: Term, variables: Names) -> None:
        self.key, self.formula, self.variables = key, formula, variables


class Goal(NamedTuple):
    """A formula, true or (`sign` False) false beside the assertions and perhaps the constraints."""

    root: Root | None
    sign: bool = True
    constrained: bool = False


class Obligation(NamedTuple):
    """`kind` is claim, assumptions, objective, point or front; `sides` are the goals of its evidence.

    `values` are what an objective or a point is said to have; `behind` is the key of the objective that comes
    before this one in lexicographic order.
    """

    kind: str
    sides: Mapping[str, Goal]
    values: tuple[str, ...] = ()
    behind: str | None = None


class OptimizedTerm(NamedTuple):
    """A term to make small or large, and its variables by reference."""

    term: Term
    maximized: bool
    variables: Names


class Theory:
    """One program: `assertions`, `constraints` of its optimization, and `questions`, by key.

    The questions are its claims and norms, and whether the assertions have a model; those of the
    optimization are added with the values that are said to be its answer. `mode` is the optimization's,
    `actions` what is asked for (None: all that there is). `text` is the program's. `matrices` and
    `dummies` are for refutations, so that many of them share what they make, `conjuncts`, `limits` and
    `results` for finite problems; `encoded` is one that waits for its reader, and `refuted` are the goals
    that were refuted, with the lines of text that did it, so that nobody has them read twice.
    """

    def __init__(self, program: str, steps: StepBudget) -> None:
        self.text = program
        self.sorts = Sorts()
        self.terms = Terms(self.sorts, steps)
        self.assertions: dict[str, Root] = {}
        self.constraints: dict[str, Root] = {}
        self.questions = {"assumptions": Obligation("assumptions", {"assumptions": Goal(None)})}
        self.mode: str | None = None
        self.objectives: list[OptimizedTerm] = []
        self.actions: list[str] | None = None
        self.matrices: dict[object, Any] = {}
        self.dummies: dict[Sort, Symbol] = {}
        self.conjuncts: dict[Any, Any] = {}
        self.limits: dict[Any, Any] = {}
        self.results: dict[Any, Any] = {}
        self.encoded: Any = None
        self.refuted: set[tuple[Goal, tuple[str, ...]]] = set()
        self._made: dict[object, Symbol] = {}
        self.symbols: list[Symbol] = []
        self._named: dict[str, Symbol | None] = {}

    def line(self, line: str) -> None:
        """One declaration."""
        read = self.sorts.read
        match tree(line):
            case ["assert", QuotedText(key), QuotedText(), str(), *body]:
                self._root(self.assertions, key, [], body)
            case ["sort", called]:
                self.sorts.declare("declared", name(called), (), ())
            case ["enum", called, *values]:
                self.sorts.declare("enum", name(called), (), tuple(map(name, values)))
            case ["tuple", called, *fields]:
                pairs = [(name(label), read(sort)) for label, sort in map(pair, fields)]
                labels, sorts = tuple(label for label, _ in pairs), tuple(sort for _, sort in pairs)
                self.sorts.declare("tuple", name(called), sorts, labels)
            case ["declare" | "use", str(kind), QuotedText(called), list(domain), range_]:
                self._declare(Symbol(kind, called, tuple(map(read, domain)), read(range_)))
            case ["define", called, list(params), *body]:
                self._define(self.symbol(called), params, body)
            case ["constraint", QuotedText(key), QuotedText(), str(), *body]:
                self._root(self.constraints, key, [], body)
            case ["claim" | "norm", QuotedText(key), QuotedText(), list(find), *body]:
                root = self._root({}, key, find, body)
                self.ask(key, Obligation("claim", {"claim": Goal(root), "negation": Goal(root, False)}))
            case ["optimize", QuotedText("lexicographic" | "box" | "pareto" as mode), *_] if not self.mode:
                self.mode = mode
            case ["objective", QuotedText(), QuotedText("minimize" | "maximize" as direction), *body]:
                _, term, variables = self._body([], body)
                self.objectives.append(OptimizedTerm(term, direction == "maximize", variables))
            case ["actions", *words] if self.actions is None:
                self.actions = [name(word) for word in words]
            case [str(head), *_] if head in _SKIPPED:
                pass
            case _:
                raise Invalid("unknown or malformed declaration")

    def _declare(self, symbol: Symbol) -> None:
        if symbol.kind == "constructor":
            sort = symbol.range
            fits = sort.kind == "tuple" and (symbol.name, symbol.domain) == (sort.name, sort.parts)
        elif symbol.kind == "selector":
            fits = len(symbol.domain) == 1 and (symbol.name, symbol.range) in symbol.domain[0].fields
        else:
            fits = symbol.kind in ("function", "constant", "free", "defined", "fresh")
        if not fits:
            raise Invalid(f"{shown(symbol.name)} is not a {shown(symbol.kind)} of its sort")
        self.symbols.append(symbol)
        self._named[symbol.name] = None if symbol.name in self._named else symbol

    def symbol(self, part: Tree) -> Symbol:
        """The symbol that `part` names, by name or number."""
        found = None if isinstance(part, list) else self._named.get(name(part))
        if isinstance(part, str) and part.startswith("@"):
            number = integer(part[1:])
            found = self.symbols[number] if 0 <= number < len(self.symbols) else None
        if found is None:
            raise Invalid(f"unknown or ambiguous symbol {shown(part)}")
        return found

    def selectors(self, sort: Sort) -> list[Symbol]:
        """Those of a tuple sort; what the program does not mention is made."""
        known = {one.name: one for one in self.symbols if (one.kind, one.domain) == ("selector", (sort,))}
        fields = [(label, Symbol("selector", label, (sort,), part)) for label, part in sort.fields]
        return [known.get(label) or self._made.setdefault((sort, label), each) for label, each in fields]

    def differing(self, sort: Sort) -> list[Symbol]:
        """Functions of two tables that give an index at which they differ, if they do."""
        keys = sort.parts if sort.kind == "Set" else sort.parts[:-1]
        every = [(number, Symbol("differ", "", (sort, sort), key)) for number, key in enumerate(keys)]
        return [self._made.setdefault((sort, number), each) for number, each in every]

    def _define(self, symbol: Symbol, params: list[Tree], parts: list[Tree]) -> None:
        found, body, _ = self._body(params, parts)
        fits = (tuple(param.sort for param in found), body.sort) == (symbol.domain, symbol.range)
        if symbol.used or symbol.definition or symbol.kind in ("constructor", "selector") or not fits:
            raise Invalid(f"{shown(symbol.name)} is defined twice, after its use, or does not fit")
        symbol.definition = found, body

    def ask(self, key: str, question: Obligation) -> None:
        """One more question."""
        if key in self.questions:
            raise Invalid(f"{shown(key)} occurs twice")
        self.questions[key] = question

    def _root(self, roots: dict[str, Root], key: str, find: list[Tree], parts: list[Tree]) -> Root:
        found, body, variables = self._body(find, parts)
        if body.sort is not BOOL or key in roots:
            raise Invalid(f"{shown(key)} is not a formula, or occurs twice")
        closed = self.terms.make("exists", (body,), BOOL, found) if found else body
        root = roots[key] = Root(key, closed, variables)
        return root

    # --- terms ---

    def _body(self, params: list[Tree], parts: list[Tree]) -> tuple[tuple[Term, ...], Term, Names]:
        """Parameters, the term that `parts` hold, after its origin, and its variables."""
        names: Names = {}
        _, parts = _section(parts, "origin")
        declared, parts = _section(parts, "vars")
        shared, parts = _section(parts, "defs")
        for each in declared:
            self._variable(each, names)
        variables = names.copy()
        for label, written in map(pair, shared):
            if not isinstance(label, str) or not label.startswith("%") or label in names:
                raise Invalid("labels start with % and are defined once")
            names[label] = self.term(written, names)
        if len(parts) != 1:
            raise Invalid("expected one term")
        body, found = self.term(parts[0], names), self._listed(params, names)
        if not body.free <= set(found):
            raise Invalid("a variable is free that nothing binds")
        return found, body, variables

    def _variable(self, part: Tree, names: Names) -> None:
        match part:
            case [str(reference), sort] | [str(reference), sort, QuotedText()]:
                number = _REFERENCE.fullmatch(reference)
                if number is not None and int(number[1]) == len(names):
                    names[reference] = self.terms.make("var", (), self.sorts.read(sort))
                    return
        raise Invalid("the variables of a root have a sort and are numbered in order")

    def _listed(self, parts: list[Tree], names: Mapping[str, Term]) -> tuple[Term, ...]:
        """The variables that `parts` name, each once."""
        found = dict.fromkeys(names[part] for part in parts if isinstance(part, str) and part in names)
        if len(found) < len(parts) or any(term.op != "var" for term in found):
            raise Invalid("an undeclared variable, or one that is listed twice")
        return tuple(found)

    def term(self, part: Tree, names: Mapping[str, Term] = _NONE, special: Heads = _NO_HEADS) -> Term:
        """The term that `part` writes, from the leaves up; `names` are variables and labels.

        `special` says for further head words how many of the parts are no terms, and what they mean.
        """
        heads: Heads = {**dict.fromkeys(QUANTIFIERS, (2, partial(self._quantified, names))), **special}
        results: list[Term] = []
        stack: list[tuple[Tree, bool]] = [(part, False)]
        while stack:
            top, complete = stack.pop()
            if not isinstance(top, list) or top[:1] == ["lit"]:
                results.append(self._leaf(top, names))
                continue
            head = top[0] if top and isinstance(top[0], str) else ""
            skipped, made = heads.get(head, (1, self._applied))
            if complete:
                cut = len(results) - max(len(top) - skipped, 0)
                results[cut:] = [made(top, tuple(results[cut:]))]
            else:
                stack.append((top, True))
                stack.extend((each, False) for each in reversed(top[skipped:]))
        return results[0]

    def _applied(self, part: list[Tree], args: tuple[Term, ...]) -> Term:
        if not args:
            raise Invalid("an application has arguments")
        return self.terms.apply(self.head(part[0]), args)

    def head(self, part: Tree) -> str | Symbol:
        """The head of an application: an operator's word, or a symbol."""
        return part if isinstance(part, str) and part in OPERATORS else self.symbol(part)

    def _quantified(self, names: Mapping[str, Term], part: list[Tree], args: tuple[Term, ...]) -> Term:
        match part:
            case [str(kind), list(listed), _] if listed and args[0].sort is BOOL:
                return self.terms.make(kind, args, BOOL, self._listed(listed, names))
        raise Invalid("a quantifier has variables and one formula")

    def _leaf(self, part: Tree, names: Mapping[str, Term]) -> Term:
        literal = self.terms.literal
        match part:
            case "true" | "false":
                return literal(part == "true", BOOL)
            case str() if part in names:
                return names[part]
            case str() if part[0] in "-0123456789":
                return literal(integer(part), INT)
            case ["lit", sort, value]:
                return self._literal(sort, value)
            case _:
                return self.terms.apply(self.symbol(part), ())

    def _literal(self, written: Tree, value: Tree) -> Term:
        sort, literal = self.sorts.read(written), self.terms.literal
        match sort.kind, value:
            case "Real", str():
                above, _, below = value.partition("/")
                if integer(below) > 0:
                    return literal(Fraction(integer(above), integer(below)), sort)
            case "BitVec", str() if integer(value) >= 0 and integer(value).bit_length() <= sort.width:
                return literal(integer(value), sort)
            case "String", QuotedText(text):
                return literal(text, sort)
            case "enum", QuotedText(text) if text in sort.labels:
                return literal(text, sort)
            case "Set", "empty":
                return literal(None, sort)
        raise Invalid(f"{shown(value)} is not a literal of its sort")


def _section(parts: list[Tree], head: str) -> tuple[list[Tree], list[Tree]]:
    """The content of a first group of that name, and the rest."""
    first = parts[0] if parts else ""
    return (first[1:], parts[1:]) if isinstance(first, list) and first[:1] == [head] else ([], parts)


def reachable(root: Term) -> list[Term]:
    """All terms in `root`, each once."""
    return list(outer_first(root, lambda term: term.args))


def read_theory(program: str, steps: StepBudget | None = None) -> Theory:
    """The program that IR text declares, for any number of refutations. Raises `Invalid`.

    Each character is a step, too.
    """
    theory = Theory(program, steps or StepBudget(MOST_STEPS + len(program)))
    number = 0
    try:
        for line in program.split("\n"):
            number += 1
            theory.terms.steps.spend(len(line))
            if number == 1 and tree(line) != ["potlang-ir", "1"]:
                raise Invalid("expected (potlang-ir 1)")
            if number > 1 and line:
                theory.line(line)
    except Invalid as error:
        raise Invalid(f"the program, line {number}: {error}") from None
    return theory
