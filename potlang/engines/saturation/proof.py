"""A prover's derivation checked step by step by z3, and made instances of the clauses that it began with.

Of each step z3 is asked whether its parents entail it, with its variables as constants; the instances of the
parents in z3's proof of that are the step's own. Put together from the empty clause backwards they are
ground instances of the problem's clauses that contradict each other (J. Herbrand): what the kernel is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from potlang.engines.saturation.superposition import DUMMY, Superposition, Use
from potlang.engines.saturation.tptp import EQUAL, Clause, Literal, ProofStep, Signature, TermBank
from potlang.utils.deadline import Deadline

MOST_INSTANCES: Final = 20_000
"""More than this are not made: the derivation is then z3's word and the prover's."""
_STEP_MS: Final = 1_000
_MOST_WAYS: Final = 20
_LONGEST_NAME: Final = 100


class Unconfirmed(Exception):
    """The derivation is no proof, or nobody says that it is; the message says why."""


class Confirmed(NamedTuple):
    """A proof whose steps have been confirmed. `used` are the problem's clauses that it rests on.

    `instances` are ground instances of these that contradict each other, each with the values of its
    variables; None where they are too many, or z3's proof of some step does not show its own.
    """

    used: tuple[str, ...]
    instances: tuple[tuple[str, tuple[int, ...]], ...] | None


class _Schema(NamedTuple):
    """The instances of parents that a clause follows from, over its variables; None: not known."""

    uses: tuple[tuple[object, tuple[int, ...]], ...] | None


def confirm(
    steps: Iterable[ProofStep],
    problem: Mapping[str, Clause],
    signature: Signature,
    bank: TermBank,
    deadline: Deadline,
) -> Confirmed:
    """The proof, if each step of it that matters follows from its parents. Raises `Unconfirmed`.

    What a derivation says its clauses of the problem are must follow from `problem`, too.
    """
    known: dict[str, ProofStep] = {}
    last: ProofStep | None = None
    for step in steps:
        if step.name in known:
            raise Unconfirmed(f"two steps are called {step.name[:_LONGEST_NAME]}")
        for parent in step.parents:
            if parent not in known:
                raise Unconfirmed(f"there is no {parent[:_LONGEST_NAME]} before {step.name[:_LONGEST_NAME]}")
        for name in step.given:
            if name not in problem:
                raise Unconfirmed(f"the problem has no {name[:_LONGEST_NAME]}")
        known[step.name] = step
        if step.clause is not None and not step.clause.literals:
            last = step
            break
    if last is None:
        raise Unconfirmed("there is no empty clause in it")
    checker = _StepChecker(signature, bank)
    schemata: dict[object, _Schema] = {}
    order = _needed(last, known)
    for step in order:
        if deadline.passed():
            raise Unconfirmed("no time was left for all steps")
        schemata[step.name] = checker.check(step, known, problem, deadline)
    used = tuple(dict.fromkeys(name for step in order for name in step.given))
    return Confirmed(used, _instances(last, known, schemata, bank, deadline))


def _needed(last: ProofStep, known: Mapping[str, ProofStep]) -> list[ProofStep]:
    found: dict[str, None] = {}
    stack = [last.name]
    while stack:
        name = stack.pop()
        if name not in found:
            found[name] = None
            stack.extend(known[name].parents)
    return [step for name, step in known.items() if name in found]


def _instances(
    last: ProofStep,
    known: Mapping[str, ProofStep],
    schemata: Mapping[object, _Schema],
    bank: TermBank,
    deadline: Deadline,
) -> tuple[tuple[str, tuple[int, ...]], ...] | None:
    """The instances of the problem's clauses that the empty clause comes from."""
    leaves: dict[tuple[str, tuple[int, ...]], None] = {}
    seen: set[tuple[str, tuple[int, ...]]] = {(last.name, ())}
    stack: list[tuple[str, tuple[int, ...]]] = [(last.name, ())]
    while stack:
        name, values = stack.pop()
        uses, clause = schemata[name].uses, known[name].clause
        if uses is None or clause is None or len(seen) > MOST_INSTANCES or deadline.passed():
            return None
        images = dict(zip([variable for variable, _ in clause.variables], values, strict=True))
        for parent, binding in uses:
            there = bank.substitute(binding, images)
            if isinstance(parent, _Given):
                leaves[parent.name, there] = None
            elif (str(parent), there) not in seen:
                seen.add((str(parent), there))
                stack.append((str(parent), there))
    return tuple(leaves)


class _Given(NamedTuple):
    """A clause of the problem, among steps that are called by name."""

    name: str


class _StepChecker:
    """Asks z3, in this process, about one step after the other."""

    def __init__(self, signature: Signature, bank: TermBank) -> None:
        import z3

        self.z3 = z3
        # Only contexts that are made with it have proofs; the process's own may be in use by others.
        self.context = z3.Context("proof", "true")
        self.bank = bank
        self.signature = signature
        self.superposition = Superposition(signature, bank)
        self._sorts: dict[str, Any] = {}
        self._functions: dict[str, Any] = {}

    def check(
        self,
        step: ProofStep,
        known: Mapping[str, ProofStep],
        problem: Mapping[str, Clause],
        deadline: Deadline,
    ) -> _Schema:
        """The instances that the step follows from. Raises `Unconfirmed`."""
        parents: list[tuple[object, Clause | None]] = [(_Given(name), problem[name]) for name in step.given]
        parents += [(name, known[name].clause) for name in step.parents]
        if step.clause is None:
            return _Schema(())
        clauses = [(name, clause) for name, clause in parents if clause is not None]
        for name, clause in clauses:
            renamed = self._renamed(clause, step.clause)
            if renamed is not None:
                return _Schema(((name, renamed),))
        uses = self._replayed(step, dict(clauses), step.clause, deadline)
        if uses is None:
            uses = self._entailed(clauses, step.clause, deadline)
        if uses is None:
            rule = f" ({step.rule[:_LONGEST_NAME]})" if step.rule else ""
            name = step.name[:_LONGEST_NAME]
            raise Unconfirmed(f"step {name}{rule} does not follow, as far as z3 can tell")
        return uses

    def _renamed(self, clause: Clause, other: Clause) -> tuple[int, ...] | None:
        """The values of the first clause's variables with which it is the other, literal by literal."""
        pairs: list[tuple[int, int]] = []
        if len(clause.literals) != len(other.literals):
            return None
        for one, another in zip(clause.literals, other.literals, strict=True):
            if (one.positive, one.head) != (another.positive, another.head):
                return None
            pairs += zip(one.args, another.args, strict=True)
        images = self.superposition.match(pairs, {}, dict(clause.variables), dict(other.variables))
        return None if images is None else tuple([images[variable] for variable, _ in clause.variables])

    def _replayed(
        self, step: ProofStep, clauses: Mapping[object, Clause], conclusion: Clause, deadline: Deadline
    ) -> _Schema | None:
        """The instances by the way that the inference record tells, if z3 says that they suffice.

        Terms that have been rewritten are in no instance over the terms of the conclusion: z3 would have to
        guess them.
        """
        if not step.chain or not all(name in clauses for _, name in step.chain):
            return None
        (_, first), *others = step.chain
        named = {str(name): clause for name, clause in clauses.items() if not isinstance(name, _Given)}
        ways = self.superposition.replay(first, others, named, conclusion)
        for uses in islice(ways, _MOST_WAYS):
            if deadline.passed():
                return None
            if self._suffice(uses, named, conclusion):
                return _Schema(tuple(dict.fromkeys(uses)))
        return None

    def _suffice(self, uses: Iterable[Use], clauses: Mapping[str, Clause], conclusion: Clause) -> bool:
        """Whether z3 says that a clause follows from instances over its variables."""
        z3 = self.z3
        solver = z3.SolverFor("QF_UF", ctx=self.context)
        solver.set("timeout", _STEP_MS)
        fixed = self._constants("v", conclusion)
        for name, values in uses:
            variables = [variable for variable, _ in clauses[name].variables]
            images = dict(zip(variables, self._terms(values, fixed), strict=True))
            solver.add(self._disjunction(clauses[name], images))
        for literal in conclusion.literals:
            solver.add(self._literal(literal._replace(positive=not literal.positive), fixed))
        return bool(solver.check() == z3.unsat)

    def _constants(self, letter: str, clause: Clause) -> dict[int, Any]:
        """A constant of z3 for each variable of a clause."""
        return {
            variable: self.z3.Const(f"{letter}{place}", self._sort(sort))
            for place, (variable, sort) in enumerate(clause.variables)
        }

    def _entailed(
        self, parents: Sequence[tuple[object, Clause]], conclusion: Clause, deadline: Deadline
    ) -> _Schema | None:
        """The instances of clauses that another follows from, as z3 finds them; None where it does not."""
        z3 = self.z3
        solver = z3.Solver(ctx=self.context)
        solver.set("timeout", max(1, int(min(_STEP_MS, deadline.left_ms()))))
        fixed = self._constants("v", conclusion)
        named = {f"v{place}": variable for place, (variable, _) in enumerate(conclusion.variables)}
        ground: list[tuple[object, tuple[int, ...]]] = []
        for number, (name, clause) in enumerate(parents):
            variables = self._constants("w", clause)
            body = self._disjunction(clause, variables)
            if variables:
                body = z3.ForAll(list(variables.values()), body, qid=f"p{number}")
            else:
                ground.append((name, ()))
            solver.add(body)
        for literal in conclusion.literals:
            solver.add(self._literal(literal._replace(positive=not literal.positive), fixed))
        try:
            if solver.check() != z3.unsat:
                return None
            return _Schema(self._uses(solver.proof(), parents, ground, named))
        except z3.Z3Exception:
            return None

    def _uses(
        self,
        proof: Any,
        parents: Sequence[tuple[object, Clause]],
        ground: Sequence[tuple[object, tuple[int, ...]]],
        named: Mapping[str, int],
    ) -> tuple[tuple[object, tuple[int, ...]], ...] | None:
        """The instances of parents in z3's proof; None where it has changed what an instance is of."""
        z3 = self.z3
        found = dict.fromkeys(ground)
        seen: set[int] = set()
        stack = [proof]
        while stack:
            top = stack.pop()
            if top.get_id() in seen or not z3.is_app(top):
                continue
            seen.add(top.get_id())
            stack.extend(top.children())
            if top.decl().kind() != z3.Z3_OP_PR_QUANT_INST:
                continue
            quantifier = top.arg(top.num_args() - 1).arg(0).arg(0)
            values = top.decl().params()
            number = quantifier.qid().removeprefix("p") if z3.is_quantifier(quantifier) else ""
            if not number.isdecimal() or int(number) >= len(parents):
                return None
            name, clause = parents[int(number)]
            terms = self._read(values, named)
            if terms is None or len(values) != len(clause.variables):
                return None
            found[name, terms] = None
        return tuple(found)

    def _read(self, values: Sequence[Any], named: Mapping[str, int]) -> tuple[int, ...] | None:
        """z3's terms as terms of the bank."""
        done: dict[int, int] = {}
        stack = list(values)
        while stack:
            top = stack[-1]
            missing = [each for each in top.children() if each.get_id() not in done]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            head = top.decl().name()
            args = tuple([done[each.get_id()] for each in top.children()])
            if not args and head in named:
                done[top.get_id()] = named[head]
            elif head in self.signature.symbols:
                done[top.get_id()] = self.bank.term(head, args)
            else:
                # A member that z3 has made up: any will do.
                done[top.get_id()] = self.bank.term(f"{DUMMY}{top.sort().name()}")
        return tuple([done[each.get_id()] for each in values])

    # --- in z3's words ---

    def _sort(self, name: str) -> Any:
        if name not in self._sorts:
            self._sorts[name] = self.z3.DeclareSort(name, self.context)
        return self._sorts[name]

    def _function(self, name: str) -> Any:
        if name not in self._functions:
            domain, value = self.signature.symbols[name]
            sorts = [self._sort(sort) for sort in domain]
            range_ = self.z3.BoolSort(self.context) if value is None else self._sort(value)
            self._functions[name] = self.z3.Function(name, *sorts, range_)
        return self._functions[name]

    def _disjunction(self, clause: Clause, variables: Mapping[int, Any]) -> Any:
        literals = [self._literal(literal, variables) for literal in clause.literals]
        return self.z3.Or(*literals, self.z3.BoolVal(False, self.context))

    def _literal(self, literal: Literal, variables: Mapping[int, Any]) -> Any:
        terms = self._terms(literal.args, variables)
        atom = terms[0] == terms[1] if literal.head == EQUAL else self._function(literal.head)(*terms)
        return atom if literal.positive else self.z3.Not(atom)

    def _terms(self, roots: Sequence[int], variables: Mapping[int, Any]) -> list[Any]:
        made: dict[int, Any] = {}
        for number in self.bank.below(roots):
            args = [made[arg] for arg in self.bank.args[number]]
            known = variables.get(number)
            head = self.bank.heads[number]
            if known is None and head.startswith(DUMMY):
                known = self.z3.Const(head, self._sort(head.removeprefix(DUMMY)))
            made[number] = self._function(head)(*args) if known is None else known
        return [made[root] for root in roots]
