"""One version under the other: whether all that one says follows from all that the other assumes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import Any, NamedTuple

from potlang.ir.module import AssertionKind, Claim, Module
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.lower import DEFAULT_PASSES, divided, lower
from potlang.languages.pot.program import CompileError, Program
from potlang.policy.statements import PolicyStatement, assumed, is_completion
from potlang.processes.pool import default_workers
from potlang.prove.options import ProverOptions
from potlang.prove.prover import Prover
from potlang.report.results import Consistency, CoreItem, Limits, Result, Verdict
from potlang.sema.emit import Unwritable, module_to_pot
from potlang.utils.deadline import within
from potlang.utils.serialize import json_text


class PolicyCertificate(NamedTuple):
    """A program that asks the assumptions of one version for what the other says, and its certificate.

    `potc cert check` checks the one against the other. `base` is the version whose assumptions they are.
    """

    base: str
    program: str
    certificate: str


class Direction:
    """Questions to one version, the base, in the words of both; a context manager.

    What the base does not declare is free there: it is declared and nothing is assumed of it, but that its
    definitions hold.
    """

    def __init__(
        self,
        base: Module,
        other: Module,
        asked: Sequence[PolicyStatement],
        claims: Sequence[Claim],
        limits: Limits,
    ) -> None:
        """`asked` and `claims` may have formulas of either module. Nothing is solved yet."""
        self.asked = asked
        self._base = base
        self.problem = ""
        """Why the base cannot be asked, if so."""
        self._prover: Prover | None = None
        every = [each.claim for each in asked] + [_plain(each) for each in claims]
        try:
            program = compile_program(question(base, other, every))
        except (Unwritable, CompileError) as error:
            self.problem = str(error).partition("\n")[0]
            return
        # The cores of claims are shown, those of statements are not.
        self._prover = _prover(program, limits, minimal=bool(claims))

    def __enter__(self) -> Direction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._prover is not None:
            self._prover.close()

    def statements(self) -> tuple[Result, ...]:
        """The verdicts of the base on the other's statements."""
        if self._prover is None:
            return tuple(unknown(each, self.problem) for each in self.asked)
        return self._verified(self._prover, slice(len(self.asked)))

    def claims(self) -> tuple[Result, ...]:
        """The verdicts of the base on the claims; none where it cannot be asked."""
        return () if self._prover is None else self._verified(self._prover, slice(len(self.asked), None))

    def is_contradictory(self) -> bool:
        """Whether the base's assumptions are known to contradict each other."""
        return self._prover is not None and self._prover.consistency() is Consistency.INCONSISTENT

    def _verified(self, prover: Prover, part: slice) -> tuple[Result, ...]:
        claims = prover.module.claims[part]
        results = prover.verify(claims, []) if claims else ()
        return tuple(_in_own_words(each, self._places) for each in results)

    @cached_property
    def _places(self) -> dict[str, PolicyStatement]:
        """The statements of the base by their places in the program that is asked ."""
        facts, rules = [], []
        for assertion, statement in zip(self._base.assertions, assumed(self._base), strict=True):
            if assertion.kind is AssertionKind.FACT:
                facts.append(statement)
            elif assertion.kind is not AssertionKind.SEMANTICS or is_completion(assertion):
                rules.append(statement)
        return {
            f"/{section}/{at}": statement
            for section, every in (("knowledge_base", facts), ("rules", rules))
            for at, statement in enumerate(every)
        }


def unknown(statement: PolicyStatement, reason: str) -> Result:
    """The verdict on a statement that cannot be asked."""
    return Result(statement.name, "", Verdict.UNKNOWN, reason=reason, possible=tuple(Verdict))


def _in_own_words(result: Result, places: Mapping[str, PolicyStatement]) -> Result:
    """The result with a core that has the texts and the places of the policy itself."""
    core = result.evidence.core
    if core is None:
        return result
    said = tuple(_item(each, places.get(each.pointer)) for each in core)
    return result._replace(evidence=result.evidence._replace(core=said))


def _item(item: CoreItem, statement: PolicyStatement | None) -> CoreItem:
    if statement is None:
        return item
    return CoreItem(statement.name, statement.pointer, statement.text, statement.kind)


def _plain(claim: Claim) -> Claim:
    """A claim by itself, whatever question it is an option of."""
    return claim._replace(ask="must", question=None)


def _prover(program: Program, limits: Limits, minimal: bool) -> Prover:
    """A prover of which the cores are minimal, or as they were found."""
    plain, sent = divided(DEFAULT_PASSES)
    with within(limits.total_ms):
        module = lower(program.module, plain)
    # A fact that is refuted has a case too: the model of the assumptions.
    options = ProverOptions(examples=True, minimize_cores=minimal, sent=sent)
    return Prover(module, options, limits, default_workers(), program.module)


def certified(
    base: Module, other: Module, asked: Sequence[PolicyStatement], name: str, limits: Limits
) -> PolicyCertificate | None:
    """The certificate for all of these statements; None where the base cannot be asked."""
    try:
        text = json_text(question(base, other, [each.claim for each in asked])) + "\n"
        with compile_program(text).session(limits=limits) as session:
            found = session.run(certificate=True).certificate
    except (Unwritable, CompileError):
        return None
    return None if found is None else PolicyCertificate(name, text, found)


def question(base: Module, other: Module, claims: Sequence[Claim]) -> dict[str, Any]:
    """A program with the assumptions of one module, the words of both, and these claims.

    Raises Unwritable where a formula has no text.
    """
    assumed = replace(base, claims=(), norms=(), optimization=None, actions=("verify",))
    program = module_to_pot(assumed)
    words = module_to_pot(replace(other, assertions=(), claims=(), norms=(), optimization=None))
    known = set(_names(program))
    program["sorts"] += [each for each in words["sorts"] if each["name"] not in known]
    program["functions"] += [each for each in words["functions"] if each["name"] not in known]
    # Variables are unknown things that no closed domain and no unique names of the base speak of.
    program["variables"] += [each for each in _things(words, program) if each["name"] not in known]
    # No variable of a claim may have a name of either.
    symbols, sorts = (*base.symbols, *other.symbols), (*base.sorts, *other.sorts)
    asking = replace(assumed, symbols=symbols, sorts=sorts, assertions=(), claims=tuple(claims))
    return {**program, "verifications": module_to_pot(asking)["verifications"]}


def _names(program: dict[str, Any]) -> Iterator[str]:
    for section in ("sorts", "functions", "variables"):
        yield from (each["name"] for each in program[section])
    yield from (each["name"] for each in _members(program))


def _members(program: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The constants and the values of enums, as variables would be declared."""
    for group in program["constants"].values():
        yield from ({"name": name, "sort": group["sort"]} for name in group["members"])
    for sort in program["sorts"]:
        yield from ({"name": name, "sort": sort["name"]} for name in sort.get("values", ()))


def _things(words: dict[str, Any], program: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """Terms without arguments: variables, constants, and values of sorts that the program has with others."""
    added = {name for sort in program["sorts"] for name in sort.get("values", ())}
    return [*words["variables"], *(each for each in _members(words) if each["name"] not in added)]
