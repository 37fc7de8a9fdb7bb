"""Finite problems for a SAT solver, in the kernel's own encoding ([DIRECT-ENCODE])."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from potlang.certify.bounds import UNBOUNDED
from potlang.certify.finite import Cell, FiniteEncoding
from potlang.certify.gates import Values, taken
from potlang.certify.refutation import Refutation, encoded
from potlang.certify.sorts import INT
from potlang.certify.terms import Symbol as KernelSymbol
from potlang.certify.theory import reachable
from potlang.certify.tokens import Invalid
from potlang.engines.messages import Query, SolverAnswer
from potlang.engines.propositional import Propositional
from potlang.engines.sat import solve_clauses
from potlang.engines.timed_steps import TimedSteps
from potlang.ir.module import Module
from potlang.ir.nodes import Symbol
from potlang.ir.sorts import BitVecSort, DeclaredSort, EnumSort, FunctionSort, Sort, TupleSort, table_sorts
from potlang.ir.structure import FunctionTable, Structure, definitions_of
from potlang.ir.text import symbols_of
from potlang.ir.values import Bits, Element, MapValue, Record
from potlang.utils.deadline import Deadline

if TYPE_CHECKING:
    from potlang.certify import Theory
    from potlang.certify.normal import Part
    from potlang.engines.check import SideName
    from potlang.processes.pool import Workers

MOST_STEPS = 2_000_000
"""Of one encoding: about half a second."""
_BEYOND = 3
"""Values tried at each end of a number for parts of the assumptions, which may leave it without a bound."""
_MOST_CLIQUES = 200
_MOST_NEIGHBOURS = 200_000
_MOST_CONFLICTS = 500
_MOST_CLAUSES = 5_000
"""Of a problem that is refuted in this process, which takes less than the way to a worker."""


class DirectProblem:
    """Assertions of a theory and one side of a claim (None: none), each of which can be left out.

    Raises `Invalid` where they are no finite problem, `Exhausted` where that is not known in so many steps.
    """

    def __init__(
        self,
        theory: Theory,
        keys: Sequence[str],
        side: SideName,
        claim: str | None,
        steps: int | TimedSteps = MOST_STEPS,
    ) -> None:
        self.keys = tuple(keys)
        parts = _parts(theory, keys, side, claim)
        self._theory = theory
        budget = TimedSteps(Deadline(math.inf), steps) if isinstance(steps, int) else steps
        self._encoding = encoding = FiniteEncoding(theory, parts, budget, _BEYOND)
        # One number for each part: its clauses hold where it is true.
        first = encoding.variables + 1
        self._switches = {key: first + place for place, key in enumerate((*keys, None)[: len(parts)])}
        self._formulas = dict(zip(self._switches, (formula for formula, _ in parts), strict=True))
        self._apart = [
            (self._named(places), clause)
            for cells, places in cliques(encoding)
            for clause in taken([_within(encoding, cell) for cell in cells])
        ]
        # The side of a claim may close a sort, too: then what follows rests on it.
        names = list(self._switches)
        self._closing = {names[place] for place in encoding.closing}

    def base(self) -> str:
        """The clauses, for a session with the SAT solver."""
        encoding, switches = self._encoding, self._switches.values()
        lines = [" ".join(map(str, (*clause, 0))) for clause in encoding.clauses]
        for switch, clauses in zip(switches, encoding.asserted, strict=True):
            lines += [" ".join(map(str, (-switch, *clause, 0))) for clause in clauses]
        for keys, clause in self._apart:
            absent = [-self._switches[key] for key in keys]
            lines.append(" ".join(map(str, (*absent, *clause, 0))))
        return "\n".join(lines)

    def _named(self, places: Iterable[int]) -> frozenset[str | None]:
        names = list(self._switches)
        return frozenset(names[place] for place in places)

    def query(self, keys: Iterable[str], *, goal: bool = True) -> Query:
        """The question whether these of the assertions have a model, with the side if `goal`."""
        switches = self._switches
        chosen = [switches[key] for key in (*keys, None) if key in switches and (goal or key is not None)]
        return Query("", core=True, assuming=tuple(map(str, chosen)))

    def core(self, answer: SolverAnswer) -> tuple[str, ...]:
        """The assertions that an unsatisfiable answer rests on, with those that bound their numbers."""
        used = self._used(answer)
        return tuple(key for key in self.keys if key in used)

    def rests_on_goal(self, answer: SolverAnswer) -> bool:
        """Whether an unsatisfiable answer rests on the side, be it that this bounds its numbers or sorts."""
        return None in self._used(answer)

    def _used(self, answer: SolverAnswer) -> set[str | None]:
        names = {str(switch): key for key, switch in self._switches.items()}
        return self._bounding({names[each] for each in answer.core or ()} | self._closing)

    def structure(self, answer: SolverAnswer, module: Module) -> Structure:
        """The structure of a model; `module` is what the theory was printed from."""
        true = frozenset(map(int, (answer.values or ("",))[0].split()))
        return _StructureReading(self._theory, self._encoding, module).read(lambda literal: literal in true)

    def _bounding(self, used: set[str | None]) -> set[str | None]:
        """These parts, with those that bound the numbers in them."""
        keys = list(self._switches)
        sources: dict[KernelSymbol, set[str | None]] = {}
        for cell, places in self._encoding.sources.items():
            sources.setdefault(cell[0], set()).update(keys[place] for place in places)
        found = set(used)
        waiting = list(used)
        while waiting:
            # By symbols, not by literals: what is true of all values of a cell has no literal of it.
            terms = reachable(self._formulas[waiting.pop()])
            symbols = {term.op for term in terms if isinstance(term.op, KernelSymbol)}
            new = set().union(*(sources.get(symbol, ()) for symbol in symbols)) - found
            found |= new
            waiting += new
        return found


def cliques(encoding: FiniteEncoding) -> list[tuple[list[Cell], frozenset[int]]]:
    """Cells that all differ from one another and have few values, and the places of the formulas that say so.

    Each clique begins with a cell and takes those of its neighbours that differ from all before, in order.
    """
    owners = {
        literal: (cell, value)
        for cell, values in encoding.cells.items()
        if len(values) > 2
        for value, literal in values.items()
    }
    shared: dict[tuple[Cell, Cell], dict[object, int]] = {}
    for place, clauses in enumerate(encoding.asserted):
        for clause in clauses:
            one, two = (owners.get(-literal) for literal in clause) if len(clause) == 2 else (None, None)
            if one is not None and two is not None and one[1] == two[1]:
                shared.setdefault((one[0], two[0]), {})[one[1]] = place
                shared.setdefault((two[0], one[0]), {})[one[1]] = place
    neighbours: dict[Cell, dict[Cell, None]] = {}
    within = {cell: _within(encoding, cell).keys() for pair in shared for cell in pair}
    for (left, right), values in shared.items():
        if within[left] & within[right] <= values.keys():
            neighbours.setdefault(left, {})[right] = None
    found: dict[frozenset[Cell], list[Cell]] = {}
    fuel = _MOST_NEIGHBOURS
    for first, others in neighbours.items():
        clique = [first]
        for other in others:
            fuel -= len(clique)
            if fuel > 0 and all(other in neighbours[each] for each in clique):
                clique.append(other)
        if len(clique) >= max(len(within[each]) for each in clique):
            found.setdefault(frozenset(clique), clique)
    return [(clique, _said(encoding, clique, shared)) for clique in list(found.values())[:_MOST_CLIQUES]]


def _within(encoding: FiniteEncoding, cell: Cell) -> Values:
    """A cell's values within its bounds."""
    low, high = encoding.bounds.get(cell, UNBOUNDED)
    if low is None or high is None:
        return encoding.cells[cell]
    return {value: literal for value, literal in encoding.cells[cell].items() if low <= value <= high}


def _said(
    encoding: FiniteEncoding, clique: Sequence[Cell], shared: Mapping[tuple[Cell, Cell], Mapping[object, int]]
) -> frozenset[int]:
    """The places of the formulas by which the cells differ and have no other values."""
    places = {place for pair in itertools.combinations(clique, 2) for place in shared[pair].values()}
    return frozenset(places.union(*(encoding.sources.get(cell, ()) for cell in clique)))


def refutation(
    theory: Theory,
    keys: Sequence[str],
    side: SideName,
    claim: str | None,
    workers: Workers | None,
    deadline: Deadline,
) -> tuple[str, ...] | None:
    """The statements of a refutation by a finite problem ([CERT-FINITE]); None if there is none in time.

    Nor is there one from assertions that the program does not have: a pass may have added some. What bounds
    the numbers of the problem need not be among the assertions, and is used too where it must be.
    """
    if not theory.assertions.keys() >= set(keys):
        return None
    encoding = _encoded(theory, keys, side, claim)
    if encoding is None:
        keys = [*keys, *_about_numbers(theory, _parts(theory, keys, side, claim), but=keys)]
        encoding = _encoded(theory, keys, side, claim)
    if encoding is None:
        return None
    roots = [json.dumps(key) for key in keys] + (["goal"] if side != "assumptions" else [])
    numbers = {cell: number for number, cell in enumerate(encoding.cells, 1)}
    apart = [[numbers[cell] for cell in cells] for cells, _ in cliques(encoding)]
    lines = [f"(finite {' '.join(roots)})", *(_statement("apart", each) for each in apart)]
    size = len(encoding.clauses) + sum(map(len, encoding.asserted))
    if size <= _MOST_CLAUSES:
        return _read_on_the_way(theory, side, claim, lines, workers, deadline)
    clauses = [*encoding.clauses, *(clause for part in encoding.asserted for clause in part)]
    for cells, _ in cliques(encoding):
        clauses += taken([encoding.cells[cell] for cell in cells])
    steps = _proof(clauses, workers, deadline)
    return None if steps is None else (*lines, *steps, "(empty)")


def _read_on_the_way(
    theory: Theory,
    side: SideName,
    claim: str | None,
    lines: list[str],
    workers: Workers | None,
    deadline: Deadline,
) -> tuple[str, ...] | None:
    """The statements with what is missing to the empty clause, each read by the kernel as it is made."""
    proof = Refutation(theory, side, None if side == "assumptions" else claim, TimedSteps(deadline))
    try:
        for line in lines:
            proof.statement(line)
        # Most small problems are refuted by unit propagation, so that no solver need take in the clauses.
        more = [] if proof.propagate() else _proof(proof.clauses, workers, deadline)
        if more is None:
            return None
        for line in (*more, "(empty)"):
            proof.statement(line)
    except Invalid:
        return None
    return (*lines, *more, "(empty)")


def _encoded(theory: Theory, keys: Sequence[str], side: SideName, claim: str | None) -> FiniteEncoding | None:
    try:
        return encoded(theory, _parts(theory, keys, side, claim), TimedSteps(Deadline(math.inf), MOST_STEPS))
    except Invalid:
        return None


def _about_numbers(theory: Theory, parts: Iterable[Part], but: Collection[str]) -> list[str]:
    """The other assertions that are each about one integer symbol of these formulas, and nothing else."""
    wanted = {term.op for formula, _ in parts for term in reachable(formula) if term.sort is INT}
    found = []
    for key, root in theory.assertions.items():
        if key not in but:
            symbols = {term.op for term in reachable(root.formula) if isinstance(term.op, KernelSymbol)}
            if len(symbols) == 1 and symbols <= wanted:
                found.append(key)
    return found


def _proof(
    clauses: Sequence[tuple[int, ...]], workers: Workers | None, deadline: Deadline
) -> list[str] | None:
    """Lemmas and deletions that lead to the empty clause."""
    if () in clauses:
        return []
    if len(clauses) <= _MOST_CLAUSES:
        small = Propositional()
        for clause in clauses:
            small.add(clause)
        found = small.solve(_MOST_CONFLICTS, deadline)
        if found is not None:
            return None if found else [_statement("lemma", lemma) for lemma in small.trace().lemmas]
    if workers is None or deadline.passed():
        return None
    outcome = solve_clauses(clauses, workers, deadline.left_ms())
    if outcome.proof is None:
        return None
    there = Counter(tuple(sorted(clause)) for clause in clauses)
    lines = []
    for kept, clause in outcome.proof:
        key = tuple(sorted(clause))
        # What the solver never had in this form is not deleted: the kernel would not find it.
        if kept or there[key]:
            there[key] += 1 if kept else -1
            lines.append(_statement("lemma" if kept else "delete", clause))
    return lines


def _statement(head: str, literals: Iterable[int]) -> str:
    return f"({head} {' '.join(map(str, literals))})"


def _parts(theory: Theory, keys: Iterable[str], side: SideName, claim: str | None) -> list[Part]:
    parts = [(theory.assertions[key].formula, True) for key in keys]
    key = "assumptions" if claim is None or side == "assumptions" else claim
    goal = theory.questions[key].sides[side]
    return parts if goal.root is None else [*parts, (goal.root.formula, goal.sign)]


class _StructureReading:
    """The kernel's values as those of the IR."""

    def __init__(self, theory: Theory, encoding: FiniteEncoding, module: Module) -> None:
        declared, used = symbols_of(module)
        self._symbols = {theory.symbol(f"@{at}"): each for at, each in enumerate([*declared, *used])}
        self._encoding = encoding
        self._module = module
        self._elements: dict[str, dict[int, Element]] = {}

    def read(self, holds: Callable[[int], bool]) -> Structure:
        """The structure in which the literals that hold are true; what is not mentioned is left out."""
        encoding = self._encoding
        chosen = {
            cell: next(
                (value for value, literal in values.items() if (literal < 0) is not holds(abs(literal))), None
            )
            for cell, values in encoding.cells.items()
        }
        for sort, constants in encoding.closed.items():
            members = [place for place, each in enumerate(constants) if chosen[each, ()] == place]
            self._elements[sort.name] = {
                place: Element(sort.name, number) for number, place in enumerate(members)
            }
        tables: dict[Symbol, dict[tuple[object, ...], object]] = {}
        for (symbol, args), value in chosen.items():
            known = self._symbols[symbol]
            converted = [self._value(*each) for each in zip(args, known.domain, strict=True)]
            # Nothing is at the place of a constant that is another one's.
            if None not in converted and value is not None:
                tables.setdefault(known, {})[tuple(converted)] = self._value(value, known.range)
        meanings: dict[Symbol, object] = {}
        for known, table in tables.items():
            first = next(iter(table.values()))
            meanings[known] = FunctionTable(table, first) if known.domain else first
        sizes = {
            sort: len(self._elements.get(sort.name, (0,)))
            for sort in self._module.sorts
            if isinstance(sort, DeclaredSort)
        }
        return Structure(sizes, meanings, definitions_of(self._module))

    def _value(self, value: Any, sort: Sort) -> object:
        """None for what is no member of a closed sort."""
        if isinstance(sort, DeclaredSort):
            return self._elements[sort.name].get(value)
        if isinstance(sort, BitVecSort):
            return Bits(value, sort.width)
        if isinstance(sort, TupleSort):
            parts = [self._value(each, part) for each, (_, part) in zip(value, sort.fields, strict=True)]
            return Record(sort.name, tuple(parts))
        tables = table_sorts(sort)
        if tables is not None:
            domain, element = tables
            entries = {}
            for key, each in value.entries.items():
                given = tuple(map(self._value, key, domain))
                entries[given if isinstance(sort, FunctionSort) else given[0]] = self._value(each, element)
            return MapValue(self._value(value.default, element), frozenset(entries.items()))
        assert not isinstance(sort, EnumSort) or value in sort.values
        return value
