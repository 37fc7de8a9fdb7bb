"""A whole program: declarations, imports, then every formula, into one typed module."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from potlang.diag import Place, Sink
from potlang.expressions import surface as s
from potlang.ir import operators as op
from potlang.ir.module import (
    Assertion,
    AssertionKind,
    Claim,
    Definition,
    Module,
    MultipleChoice,
    Objective,
    Optimization,
    Origin,
)
from potlang.ir.nodes import Node, Symbol, SymbolKind
from potlang.ir.pool import Pool
from potlang.ir.sorts import BOOL, BitVecSort, DeclaredSort, EnumSort, Sort, TupleSort
from potlang.sema.completion import completions
from potlang.sema.declare import Declarations
from potlang.sema.elaborate import Elaborator
from potlang.sema.free_numbers import FreeNumbers
from potlang.sema.kept_aggregates import KeptAggregates
from potlang.sema.scope import FunctionEntry
from potlang.sema.statements import (
    binder,
    fact_formula,
    local_variables,
    rule_formulas,
    statement_formula,
    statement_text,
)
from potlang.sema.undeclared import BROKEN, Advise, Undeclared

if TYPE_CHECKING:
    from potlang.sema.lowering import Lowering
    from potlang.sema.packs import Imports

_FACT = AssertionKind.FACT
ACTIONS = {"verify_conditions": "verify", "verify": "verify", "optimize": "optimize"}


def build_module(program: s.ParsedProgram, sink: Sink) -> Module | None:
    """The typed module, or None where the sink has errors (all of them are in the sink)."""
    return _ModuleBuilder(program, sink).build()


def build_session(
    program: s.ParsedProgram,
    sink: Sink,
    advise: Advise | None = None,
    kept: KeptAggregates | None = None,
) -> tuple[Module, IncrementalElaborator] | None:
    """The typed module, and what reads further formulas over its declarations.

    `advise` says how undeclared names are to be declared, where that is not in a section of a program;
    `kept` takes the aggregates that are not to be written out, and raises `WrittenOut` where it cannot.
    """
    builder = _ModuleBuilder(program, sink, advise, kept)
    module = builder.build()
    if module is None:
        return None
    return module, IncrementalElaborator(builder.elaborator, advise, builder.lowering)


class IncrementalElaborator:
    """Reads claims and facts over the declarations of a built module, into its pool."""

    def __init__(
        self, elaborator: Elaborator, advise: Advise | None = None, lowering: Lowering | None = None
    ) -> None:
        self._e = elaborator
        self._advise = advise
        self.scope = elaborator.scope
        """The meanings of the program's names."""
        self.sorts = elaborator.sorts
        self._lowering = lowering

    def advising(self, advise: Advise) -> IncrementalElaborator:
        """The same declarations and pool, with other advice on undeclared names."""
        return IncrementalElaborator(self._e, advise, self._lowering)

    def formula(self, formula: s.Formula, sink: Sink) -> Node | None:
        """A closed formula; None, with reports in `sink`, where it has an error."""
        self._fresh(sink)
        node = self._e.formula(formula)
        if not self._finished(sink) or node is None:
            return None
        lowering = self._lowers()
        return node if lowering is None else lowering.term(node)

    def claims(self, index: int, verification: s.StatementDecl, sink: Sink) -> list[Claim]:
        """A verification in any of its forms: a claim, or its options; none, with reports, after an error."""
        self._fresh(sink)
        claims = build_claims(index, verification, self._e)
        if not self._finished(sink):
            return []
        lowering = self._lowers()
        return claims if lowering is None else [lowering.claim(claim) for claim in claims]

    def lowered(self, term: Node) -> Node:
        """A term of the typed module's pool, as solvers are given it: over numbers."""
        lowering = self._lowers()
        return term if lowering is None else lowering.term(term)

    def _lowers(self) -> Lowering | None:
        """The lowering of dates, money and quantities, if the program or an addition to it has any."""
        if self._lowering is None and self._e.sorts.measured:
            from potlang.sema.lowering import Lowering

            self._lowering = Lowering(self._e.pool)
        if self._lowering is not None:
            self._lowering.forget()
        return self._lowering

    @property
    def free(self) -> tuple[Symbol, ...]:
        """The free variables that have occurred so far, those of the module first."""
        lowering = self._lowers()
        free = self._e.free.values()
        return tuple(free) if lowering is None else tuple(map(lowering.symbol, free))

    def guards(self, free: Sequence[Symbol]) -> list[Assertion]:
        """The assertions on free variables that their sorts imply: dates are days of the calendar."""
        return [] if self._lowering is None else self._lowering.guards(free)

    def definitions(self, known: Iterable[Definition]) -> tuple[Definition, ...]:
        """The functions of the calendar so far and the definitions known, each after what it uses."""
        calendar = () if self._lowering is None else self._lowering.definitions
        return tuple(dict.fromkeys((*calendar, *known)))

    def _fresh(self, sink: Sink) -> None:
        self._e.begin(sink)
        self._e.undeclared = Undeclared(sink, self._advise)
        self._e.free_numbers = FreeNumbers()

    def _finished(self, sink: Sink) -> bool:
        self._e.free_numbers.report(sink)
        self._e.undeclared.report(self._e.scope, frozenset())
        return not sink.has_errors


class _Members:
    """The named members of finite and declared sorts, None where a sort has no such list.

    The elaborator outlives the surface tree, so this holds nothing of it.
    """

    def __init__(self, symbols: list[Symbol], pool: Pool, tabled: frozenset[str]) -> None:
        self._pool = pool
        self._tabled = tabled
        self._declared: dict[Sort, list[Node]] = {}
        for symbol in symbols:
            if not symbol.domain and symbol.kind is SymbolKind.CONSTANT:
                self._declared.setdefault(symbol.range, []).append(pool.sym(symbol))

    def __call__(self, sort: Sort) -> list[Node] | None:
        if isinstance(sort, EnumSort):
            return [self._pool.lit(value, sort) for value in sort.values]
        if sort is BOOL:
            return [self._pool.false, self._pool.true]
        is_listed = isinstance(sort, DeclaredSort) and sort.name not in self._tabled
        return self._declared.get(sort, []) if is_listed else None


class _ModuleBuilder:
    def __init__(
        self,
        program: s.ParsedProgram,
        sink: Sink,
        advise: Advise | None = None,
        kept: KeptAggregates | None = None,
    ) -> None:
        self._program = program
        self._sink = sink
        self._pool = Pool()
        self._imported: Imports | None = None
        brought: list[s.SortDecl] = []
        if program.imports:
            from potlang.sema.packs import Imports, brought_sorts

            brought = brought_sorts(program)
            self._imported = Imports(program.imports)
        self._declared = Declarations(program, self._pool, sink, brought)
        self._scope = self._declared.scope
        self._e = self.elaborator = Elaborator(self._pool, self._scope, self._declared.sorts, sink)
        self._e.undeclared = Undeclared(sink, advise)
        self._e.kept = kept
        self._assertions: list[Assertion] = []
        self.lowering: Lowering | None = None
        """The lowering of the module, where it has dates, money or quantities."""

    def build(self) -> Module | None:
        program = self._program
        if self._imported is not None:
            self._imported.bind(self._declared, self._sink)
        self._members = self._e.members = _Members(self._declared.symbols, self._pool, program.tabled)
        if self._e.kept is not None:
            self._e.members = self._e.kept.others(self._members)
        semantics, unique = self._semantics()
        norms = self._imports()
        definitions = self._definitions()
        for index, fact in enumerate(program.facts):
            self._fact(index, fact)
        self._rules(program.rules, norms)
        completed, orders = self._completions(definitions)
        claims = [each for i, v in enumerate(program.verifications) for each in build_claims(i, v, self._e)]
        optimization = self._optimization(program.optimization)
        self._e.free_numbers.report(self._sink)
        self._e.undeclared.report(self._scope, _sections(program))
        if self._sink.has_errors:
            return None
        symbols = (*self._declared.symbols, *self._e.free.values(), *orders)
        module = Module(
            pool=self._pool,
            sorts=tuple(self._declared.sorts.order),
            symbols=symbols,
            definitions=(*definitions, *(() if self._e.kept is None else self._e.kept.definitions)),
            assertions=(*semantics, *completed, *self._assertions),
            claims=tuple(claims),
            norms=tuple(norms),
            optimization=optimization,
            closed=self._e.closed,
            unique=unique,
            actions=self._actions(),
        )
        if not self._declared.sorts.measured:
            return module
        from potlang.sema.lowering import Lowering

        self.lowering = Lowering(self._pool)
        return self.lowering.module(module)

    def _imports(self) -> list[Claim]:
        """Assumes what imported packs assume; their norms."""
        if self._imported is None:
            return []
        self._imported.read(self._e)
        self._assertions += self._imported.assertions
        return self._imported.norms

    def _definitions(self) -> list[Definition]:
        imported = [] if self._imported is None else self._imported.definitions
        if not imported and all(function.body is None for function in self._program.functions):
            return []
        from potlang.sema.definitions import build_definitions

        return build_definitions(self._program.functions, self._e, imported)

    # --- semantics -------------------------------------------------------------------------------

    def _semantics(self) -> tuple[list[Assertion], frozenset[Sort]]:
        semantics = self._program.semantics
        unique = self._chosen(semantics.unique_names, "unique_names")
        closed = self._chosen(semantics.closed_domain, "closed_domain")
        self._e.closed = frozenset(closed)
        self._e.unique = frozenset(unique)
        found = [self._unique(sort, pointer) for sort, pointer in unique.items()]
        found += [self._closed(sort, pointer) for sort, pointer in closed.items()]
        return [assertion for assertion in found if assertion is not None], frozenset(unique)

    def _chosen(self, choice: bool | list[tuple[str, str]], key: str) -> dict[Sort, str]:
        """The declared sorts that a switch is on for, with the pointer of what switched it on."""
        if choice is False:
            return {}
        if choice is True:
            sorts = [sort for sort in self._declared.sorts.order if self._is_open(sort)]
            return dict.fromkeys(sorts, f"/semantics/{key}")
        found: dict[Sort, str] = {}
        for name, pointer in choice:
            sort = self._declared.sorts.resolve(s.SortExpr(name, [], pointer, 0, len(name)))
            if sort is not None and self._is_open(sort):
                found[sort] = pointer
        return found

    def _is_open(self, sort: Sort) -> bool:
        """Whether a sort may have members that nothing lists, and that are the same."""
        return isinstance(sort, DeclaredSort) and sort.name not in self._program.tabled

    def _unique(self, sort: Sort, pointer: str) -> Assertion | None:
        members = self._members(sort) or []
        if len(members) < 2:
            return None
        formula = self._pool.app(op.DISTINCT, tuple(members))
        said = f"different constants of `{sort}` are different things (unique names)"
        return _semantic(f"unique names of {sort}", formula, pointer, said)

    def _closed(self, sort: Sort, pointer: str) -> Assertion | None:
        members = self._members(sort)
        if not members:
            self._sink.report(
                "POT4005",
                pointer,
                sort=sort,
                helps=["declare at least one constant of the sort, or leave it open"],
            )
            return None
        var = self._pool.var("x", sort)
        cases = self._pool.disj(self._pool.eq(var, member) for member in members)
        formula = self._pool.quant("forall", (var,), cases)
        said = f"`{sort}` has no members but its constants (closed domain)"
        return _semantic(f"closed domain of {sort}", formula, pointer, said)

    # --- knowledge base and rules ----------------------------------------------------------------

    def _fact(self, index: int, fact: s.FactDecl) -> None:
        found = fact_formula(fact, self._e)
        if found is not None:
            formula, text = found
            name = fact.name or f"fact {index + 1}"
            self._assertions.append(Assertion(f"f{index}", name, _FACT, formula, Origin(fact.pointer, text)))

    def _rules(self, rules: list[s.StatementDecl], norms: list[Claim]) -> None:
        names = [_rule_name(index, rule) for index, rule in enumerate(rules)]
        facts = (assertion for assertion in tuple(self._assertions) if assertion.kind is _FACT)
        closed = {function.name for function in self._program.functions if function.closed}
        if self._imported is not None:
            closed.update(symbol.name for symbol in self._imported.closed)
        for index, rule, formula in rule_formulas(rules, names, self._e, facts, closed):
            self._rule(index, rule, formula, norms)

    def _rule(self, index: int, rule: s.StatementDecl, formula: Node, norms: list[Claim]) -> None:
        name = _rule_name(index, rule)
        origin = Origin(rule.pointer, statement_text(rule))
        if rule.role == "norm":
            norms.append(Claim(f"n{index}", name, formula, origin))
        else:
            self._assertions.append(Assertion(f"r{index}", name, AssertionKind.RULE, formula, origin))

    def _completions(self, definitions: list[Definition]) -> tuple[list[Assertion], list[Symbol]]:
        """The assertions that close predicates, and the symbols that these introduce."""
        closed = [function for function in self._program.functions if function.closed]
        brought = {} if self._imported is None else self._imported.closed
        if not closed and not brought:
            return [], []
        predicates: dict[Symbol, str] = {}
        for function in closed:
            entry = self._scope.entries.get(function.name)
            symbol = entry.symbol if isinstance(entry, FunctionEntry) else None
            place = Place(f"{function.pointer}/closed", on_key=True)
            if symbol is not None and self._can_be_closed(symbol, place):
                predicates.setdefault(symbol, place.pointer)
        for symbol, pointer in brought.items():
            if self._can_be_closed(symbol, Place(pointer)):
                predicates.setdefault(symbol, pointer)
        taken = self._scope.entries
        return completions(
            predicates,
            self._assertions,
            definitions,
            self._is_finite,
            self._distinct_members,
            taken,
            self._pool,
            self._sink,
        )

    def _can_be_closed(self, symbol: Symbol, place: Place) -> bool:
        is_defined = symbol.kind is SymbolKind.DEFINED
        if symbol.range is BOOL and not is_defined:
            return True
        reason = f"`{symbol.name}` is {'defined by its body' if is_defined else 'no predicate'}"
        helps = ["leave it out: a definition says all" if is_defined else 'its range would be "Bool"']
        self._sink.report("POT4021", place, key="closed", reason=reason, helps=helps)
        return False

    def _is_finite(self, sort: Sort) -> bool:
        """Whether the sort has finitely many members in every model."""
        # Recursion is bounded: sorts that are read nest no deeper than a limit.
        if isinstance(sort, TupleSort):
            return all(self._is_finite(part) for _, part in sort.fields)
        return sort is BOOL or isinstance(sort, EnumSort | BitVecSort) or sort in self._e.closed

    def _distinct_members(self, sort: Sort) -> list[Node] | None:
        """The members of an enum, or of a closed sort with unique names."""
        if isinstance(sort, EnumSort) or (sort in self._e.closed and sort in self._e.unique):
            return self._members(sort)
        return None

    # --- claims ----------------------------------------------------------------------------------

    def _optimization(self, section: s.OptimizationDecl | None) -> Optimization | None:
        if section is None:
            return None
        self._scope.local = local_variables(section.variables, self._e)
        from potlang.sema.infer import infer_decision_variables

        self._e.inferred = infer_decision_variables(section, self._e)
        self._e.deciding = True
        constraints: list[Assertion] = []
        for index, formula in enumerate(section.constraints):
            node = self._e.formula(formula)
            if node is not None:
                origin = Origin(formula.pointer, formula.text)
                name = f"constraint {index + 1}"
                constraints.append(Assertion(f"c{index}", name, AssertionKind.CONSTRAINT, node, origin))
        objectives = [found for i, o in enumerate(section.objectives) if (found := self._objective(i, o))]
        objectives += self._soft(section)
        self._scope.local = {}
        self._e.inferred = {}
        self._e.deciding = False
        origin = Origin(section.pointer)
        return Optimization(tuple(constraints), tuple(objectives), section.mode, origin)

    def _objective(self, index: int, objective: s.ObjectiveDecl) -> Objective | None:
        term = self._e.number(objective.expression)
        if term is None:
            return None
        name = objective.name or f"objective {index + 1}"
        origin = Origin(objective.pointer, objective.expression.text)
        return Objective(name, objective.direction, term, origin)

    def _soft(self, section: s.OptimizationDecl) -> list[Objective]:
        """An objective for each group of soft constraints: the weight of those that do not hold, least."""
        groups: dict[str | None, list[tuple[Node, s.SoftDecl]]] = {}
        for soft in section.soft:
            node = self._e.formula(soft.constraint)
            if node is not None:
                groups.setdefault(soft.group, []).append((node, soft))
        pool = self._pool
        found: list[Objective] = []
        for group, members in groups.items():
            whole = all(soft.weight.denominator == 1 for _, soft in members)
            none: Node = pool.integer(0) if whole else pool.real(0)
            costs: list[Node] = []
            for node, soft in members:
                weight: Node = pool.integer(int(soft.weight)) if whole else pool.real(soft.weight)
                costs.append(pool.app(op.ITE, (node, none, weight)))
            term = costs[0] if len(costs) == 1 else pool.app(op.ADD, tuple(costs))
            origin = Origin(members[0][1].pointer, members[0][1].constraint.text)
            found.append(Objective(group or "soft constraints", "minimize", term, origin))
        return found

    def _actions(self) -> tuple[str, ...]:
        if self._program.actions is None:
            return ("verify", "optimize")
        return tuple(dict.fromkeys(ACTIONS[action] for action in self._program.actions if action in ACTIONS))


def build_claims(index: int, verification: s.StatementDecl, e: Elaborator) -> list[Claim]:
    """A verification as a claim, or as one for each option; without those that have an error."""
    name = verification.name or f"verification {index + 1}"
    if not verification.options:
        claim = _claim(f"v{index}", name, verification, e)
        return [] if claim is None else [claim._replace(ask=verification.ask)]
    _tell_apart(verification.options, e)
    question = MultipleChoice(f"v{index}", name, Origin(verification.pointer))
    found = (
        _claim(f"v{index}.{at}", option.name or f"option {at + 1}", option, e)
        for at, option in enumerate(verification.options)
    )
    return [each._replace(ask=verification.ask, question=question) for each in found if each is not None]


def _tell_apart(options: Sequence[s.StatementDecl], e: Elaborator) -> None:
    """Reports options of one question that have the same name."""
    names: set[str | None] = {None}
    for option in options:
        if option.name in names - {None}:
            problem = f"two options are called `{option.name}`"
            helps = ["the answer is an option's name: give each one of its own"]
            e.sink.report("POT1028", f"{option.pointer}/name", problem=problem, helps=helps)
        names.add(option.name)


def _claim(key: str, name: str, verification: s.StatementDecl, e: Elaborator) -> Claim | None:
    sought = [(decl.name, binder(decl, e)) for decl in verification.find]
    e.scope.push(sought)
    formula = statement_formula(verification, e)
    e.scope.pop(sought)
    if formula is None or any(var is None for _, var in sought):
        return None
    origin = Origin(verification.pointer, statement_text(verification))
    find = tuple(var for _, var in sought if var is not None)
    return Claim(key, name, formula, origin, find)


def _rule_name(index: int, rule: s.StatementDecl) -> str:
    return rule.name or f"rule {index + 1}"


def _semantic(name: str, formula: Node, pointer: str, said: str) -> Assertion:
    key = f"s:{name}"
    return Assertion(key, name, AssertionKind.SEMANTICS, formula, Origin(pointer, said))


def _sections(program: s.ParsedProgram) -> frozenset[str]:
    """The sections with content, `constants[]` for constants written as a list."""
    sections = {
        "sorts": program.sorts,
        "functions": program.functions,
        "constants": program.constants,
        "variables": program.variables,
    }
    found = {name for name, items in sections.items() if items}
    if program.broken:
        found.add(BROKEN)
    if program.constants and all(
        group.pointer == f"/constants/{index}" for index, group in enumerate(program.constants)
    ):
        found.add("constants[]")
    return frozenset(found)
