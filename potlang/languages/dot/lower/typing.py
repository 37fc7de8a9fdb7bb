"""The propositions of a trace as typed formulas over one theory ([DOT-THEORY-1] to [DOT-THEORY-7]).

The theory is what the problem declares and assumes, on top of a PoT program if one is given. A
proposition with an error is reported and left out; all others are read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from json import dumps
from typing import NamedTuple

from potlang.diag import Fix, Sink
from potlang.expressions import surface as s
from potlang.expressions.expression import parse_sort
from potlang.ir.module import Assertion, Module, Origin
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.sorts import BOOL
from potlang.languages.dot.lower.expressions import read_expression
from potlang.languages.dot.lower.source_map import RecordingSink, TraceSourceMap
from potlang.languages.dot.read.propositions import DECLARING
from potlang.languages.dot.read.records import Prop
from potlang.languages.dot.read.trace import Trace
from potlang.sema.build import IncrementalElaborator, build_session
from potlang.sema.undeclared import Uses
from potlang.source import join_pointer

Culprit = tuple[int, str, str]
"""A declaration or an assumption: the node, `declare` or `assume`, and the key."""


@dataclass(frozen=True, slots=True)
class TypedPropositions:
    """The propositions of a trace as formulas over `module`, which holds the theory.

    `stated` has the nodes whose `@prop` is a proposition, with `texts` in the PoT language; `atoms` a fresh
    constant for each proposer that says nothing checkable. `broken` are the nodes whose
    `@prop` has an error.
    """

    module: Module
    stated: dict[int, Node]
    texts: dict[int, str]
    atoms: dict[int, Node]
    broken: frozenset[int]

    def formula(self, id_: int) -> Node | None:
        """The formula of a node in arrows and in the summary; None for a node that is not a proposer."""
        return self.stated.get(id_) or self.atoms.get(id_)


class TraceTheory(NamedTuple):
    """A PoT program without errors that a trace is read against: its tree, and what is compiled of it.

    Its verifications, optimization and actions play no part. `compiled` is None where the formulas are to be
    in a pool of their own, since they are kept.
    """

    tree: s.ParsedProgram
    compiled: tuple[Module, IncrementalElaborator] | None = None


def _declares_any(trace: Trace) -> bool:
    """Whether a problem of the trace declares or assumes something."""
    return any(_declares(prop) for prop in trace.props.values())


def read_propositions(trace: Trace, sink: Sink, theory: TraceTheory | None = None) -> TypedPropositions:
    """The typed propositions of a trace; the sink gets their errors, at places of the trace.

    They are formulas in the theory's own pool where the trace declares and assumes nothing. Where it does,
    tree and declarations are elaborated together, since a closed domain may speak of a constant of the trace.
    """
    places = TraceSourceMap(trace)
    broken: set[int] = set()
    if theory is not None and theory.compiled is not None and not _declares_any(trace):
        module, extension = theory.compiled
        module = replace(module, claims=(), norms=(), optimization=None)
        extension = extension.advising(_advice)
    else:
        tree = s.ParsedProgram() if theory is None else theory.tree
        module, extension, broken = _Theory(trace, sink, tree, places).build()
    stated: dict[int, Node] = {}
    texts: dict[int, str] = {}
    for id_, prop in trace.props.items():
        if _declares(prop):
            continue
        inner = Sink(limit=1_000)
        pointer = places.base(id_)
        expression = read_expression(prop.value, pointer, inner)
        places.note(pointer, expression.extents)
        node = None if inner.has_errors else extension.formula(expression.formula, inner)
        places.adopt(inner, sink)
        if node is None:
            broken.add(id_)
        else:
            stated[id_], texts[id_] = node, expression.formula.text
        places.forget(pointer)
    known = set(module.symbols)
    free = [symbol for symbol in extension.free if symbol not in known]
    module = replace(
        module,
        symbols=(*module.symbols, *free),
        definitions=extension.definitions(module.definitions),
        assertions=(*module.assertions, *extension.guards(free)),
    )
    atoms = _atoms(trace, module, stated)
    module = replace(module, symbols=(*module.symbols, *atoms.values()))
    made: dict[int, Node] = {id_: module.pool.sym(symbol) for id_, symbol in atoms.items()}
    return TypedPropositions(module, stated, texts, made, frozenset(broken))


def _declares(prop: Prop) -> bool:
    return isinstance(prop.value, dict) and any(key in prop.value for key in DECLARING)


def _atoms(trace: Trace, module: Module, stated: dict[int, Node]) -> dict[int, Symbol]:
    """A fresh constant for each proposer without a formula, by names that nothing else has."""
    taken = {symbol.name for symbol in module.symbols}
    found: dict[int, Symbol] = {}
    for id_, node in trace.nodes.items():
        if node.role == "proposer" and id_ not in stated:
            name = f"node {id_}"
            while name in taken:
                name += "'"
            found[id_] = Symbol(name, (), BOOL, SymbolKind.FRESH)
    return found


class _Theory:
    """Declarations and assumptions of the problems, added to those of a program."""

    def __init__(self, trace: Trace, sink: Sink, program: s.ParsedProgram, places: TraceSourceMap) -> None:
        self._sink = sink
        self._program = program
        self._places = places
        self._props = [prop for prop in trace.props.values() if _declares(prop)]
        self._left_out: set[Culprit] = set()
        self._broken_names: dict[str, None] = {}

    def build(self) -> tuple[Module, IncrementalElaborator, set[int]]:
        """The theory without what has errors, what reads formulas over it, and the nodes with errors."""
        while True:
            inner = RecordingSink(limit=1_000)
            functions, constants = self._declarations(inner)
            facts = self._assumptions(inner)
            program = self._combined(functions, constants, facts)
            built = None if inner.has_errors else build_session(program, inner, _advice)
            culprits = self._places.culprits(inner)
            self._places.adopt(inner, self._sink)
            if built is not None:
                module, extension = built
                return self._named(module), extension, {node for node, _, _ in self._left_out}
            self._leave_out(culprits)

    def _leave_out(self, culprits: set[Culprit]) -> None:
        """Goes on without these, or where nobody is to blame without anything that the trace says."""
        new = culprits - self._left_out
        if not new:
            every = ((prop, part) for prop in self._props for part in DECLARING)
            new = {(prop.id, part, key) for prop, part in every for key, _ in _members(prop, part)}
            new -= self._left_out
            assert new, "a program without errors has none"
        self._left_out |= new
        self._broken_names.update((key, None) for _, part, key in sorted(new) if part == "declare")

    def _declarations(self, sink: Sink) -> tuple[list[s.FunctionDecl], list[s.ConstantGroup]]:
        functions: list[s.FunctionDecl] = []
        constants: list[s.ConstantGroup] = []
        for prop, name, value in self._items("declare"):
            pointer = join_pointer(self._places.base(prop.id), "declare", name)
            if isinstance(value, dict):
                domain = [
                    parse_sort(each, f"{pointer}/domain/{i}", sink) for i, each in enumerate(value["domain"])
                ]
                range_ = parse_sort(str(value["range"]), f"{pointer}/range", sink)
                good = [sort for sort in domain if sort is not None]
                if range_ is not None and len(good) == len(domain):
                    functions.append(s.FunctionDecl(name, good, range_, pointer))
                continue
            sort = parse_sort(str(value), pointer, sink)
            if sort is not None:
                constants.append(s.ConstantGroup(name, sort, [(name, f"{pointer}/name")], pointer))
        return functions, constants

    def _assumptions(self, sink: Sink) -> list[s.FactDecl]:
        facts: list[s.FactDecl] = []
        several = len(self._props) > 1
        for prop, number, value in self._items("assume"):
            pointer = f"{self._places.base(prop.id)}/assume/{number}"
            expression = read_expression(value, pointer, sink)
            self._places.note(pointer, expression.extents)
            name = f"assumption {int(number) + 1}" + (f" of node {prop.id}" if several else "")
            facts.append(s.FactDecl(name, expression.formula, True, (), pointer))
        return facts

    def _items(self, part: str) -> Iterable[tuple[Prop, str, object]]:
        """The items that the problems give in one section, ill-typed ones left out."""
        for prop in self._props:
            for key, value in _members(prop, part):
                if (prop.id, part, key) not in self._left_out:
                    yield prop, key, value

    def _combined(
        self, functions: list[s.FunctionDecl], constants: list[s.ConstantGroup], facts: list[s.FactDecl]
    ) -> s.ParsedProgram:
        program = self._program
        return replace(
            program,
            functions=[*program.functions, *functions],
            constants=[*program.constants, *constants],
            facts=[*program.facts, *facts],
            rules=[rule for rule in program.rules if rule.role != "norm"],
            verifications=[],
            optimization=None,
            actions=None,
            broken=[*program.broken, *self._broken_names],
        )

    def _named(self, module: Module) -> Module:
        """The module without norms; what the trace assumes points into its `@prop`."""
        assertions = tuple(_pointing(each) for each in module.assertions)
        return replace(module, assertions=assertions, claims=(), norms=(), optimization=None)


def _members(prop: Prop, part: str) -> Iterable[tuple[str, object]]:
    """The items of one part of a problem, each with its name or its number."""
    assert isinstance(prop.value, dict)
    found = prop.value.get(part, {})
    pairs = found.items() if isinstance(found, dict) else enumerate(found)
    return ((str(key), value) for key, value in pairs)


def _pointing(assertion: Assertion) -> Assertion:
    """The assertion with the pointer inside its `@prop`, if a trace makes it."""
    pointer = assertion.origin.pointer
    if not pointer.startswith(TraceSourceMap.PREFIX):
        return assertion
    inside = pointer[pointer.index("/", 1) :]
    return assertion._replace(origin=Origin(inside, assertion.origin.text))


def _advice(name: str, uses: Uses, sections: frozenset[str]) -> tuple[str, list[Fix]]:
    """How a trace declares a name."""
    shown = f'"{uses.sort or "Sort"}"'
    if uses.arity is not None:
        domain = ", ".join(f'"{sort or "Sort"}"' for sort in uses.domain)
        shown = f'{{"domain": [{domain}], "range": "{uses.sort or "Bool"}"}}'
    return f'declare it in the `@prop` of the problem: {{"declare": {{{dumps(name)}: {shown}}}}}', []
