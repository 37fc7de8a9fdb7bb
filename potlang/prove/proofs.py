"""Archives cvc5's proofs of a report's unsatisfiable sides, each beside its problem ([CERT-ARCHIVE])."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from potlang.engines.messages import ProofFormat, Query, SolverAnswer
from potlang.engines.solver import SolverSession
from potlang.ir.module import Assertion, Claim, Module
from potlang.processes.pool import Workers
from potlang.prove.program_slice import slice_of
from potlang.prove.proof_checkers import Checking, check_proof
from potlang.prove.verdicts import closed_formula
from potlang.report.results import Consistency, CoreItem, Limits, ProgramResult, Verdict
from potlang.smt.errors import Unsupported
from potlang.smt.printer import Printer
from potlang.utils.deadline import Deadline

_SIDES: Final = {
    Verdict.ENTAILED: "negation",
    Verdict.REFUTED: "claim",
    Verdict.INCONSISTENT: "assumptions",
}
_LONGEST_STEM: Final = 60
_LONGEST_COMMENT: Final = 200
# Quoted symbols, strings and comments come first: what stands in them is no rule.
_RULE: Final = re.compile(r'\|[^|]*\||"(?:[^"]|"")*"|;[^\n]*|:rule\s+([^\s()|";]+)')
_TRUSTED: Final = re.compile(r"trust|hole\b|lia_generic\b")


class Archived(NamedTuple):
    """One unsatisfiable side of a result and what was written of it.

    `number` is the result's, from 1. `problem` and `proof` are files; there is none of what could not be
    had, and `note` says why. `steps` of the proof apply a rule; `trusted` of them are cvc5's bare word.
    """

    number: int
    name: str
    side: str
    problem: Path | None = None
    proof: Path | None = None
    form: ProofFormat | None = None
    steps: int = 0
    trusted: int = 0
    checking: Checking | None = None
    note: str = ""

    def __str__(self) -> str:
        """One line for people."""
        if self.proof is None or self.form is None:
            return f"no proof: {self.note}"
        steps = "1 step" if self.steps == 1 else f"{self.steps} steps"
        words = [f"{self.form} proof, {steps}, {self.trusted} trusted: {self.proof}"]
        if self.checking is not None:
            said = f": {self.checking.words}" if self.checking.words else ""
            words.append(f"{self.checking.checker}: {self.checking.outcome}{said}")
        return "; ".join([*words, self.note] if self.note else words)


class _ProofTarget(NamedTuple):
    number: int
    name: str
    side: str
    claim: Claim | None
    core: tuple[CoreItem, ...] | None


def archive_proofs(
    module: Module,
    report: ProgramResult,
    directory: Path,
    workers: Workers,
    *,
    name: str = "program",
    form: ProofFormat = "cpc",
    rules: Sequence[Path] = (),
    limits: Limits = Limits(),
) -> Iterator[Archived]:
    """Ask cvc5 for the proofs behind a report on `module`; write them as NAME-N into `directory`.

    `limits` are those of a report, and of a checker too. `rules` as in `check_proof`. Raises OSError if
    a file cannot be written.
    """
    deadline = Deadline(limits.total_ms)
    stem = file_stem(name)
    for target in _targets(module, report):
        archived = Archived(target.number, target.name, target.side)
        try:
            text = _problem(module, target)
        except Unsupported as reason:
            yield archived._replace(note=f"cvc5 cannot be given this: {reason}")
            continue
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{stem}-{target.number}"
        problem = path.with_name(f"{path.name}.smt2")
        _write(problem, _script(target, text))
        found, answer, note = _proved(text, form, workers, limits, deadline)
        archived = archived._replace(problem=problem, note=note)
        if answer.proof is not None:
            proof = path.with_name(f"{path.name}.{found}")
            _write(proof, answer.proof)
            steps, trusted = count_steps(answer.proof)
            checking = check_proof(
                found, problem, proof, min(limits.check_ms, max(1, deadline.left_ms())), rules
            )
            archived = archived._replace(
                proof=proof, form=found, steps=steps, trusted=trusted, checking=checking
            )
        yield archived


def file_stem(name: str) -> str:
    """A file name, without what follows its last dot, for any text."""
    stem = re.sub(r"[^\w.-]", "_", name).strip("_.-")
    return stem[:_LONGEST_STEM] or "program"


def count_steps(proof: str) -> tuple[int, int]:
    """How many steps of a CPC or Alethe proof apply a rule, and how many of them are taken on trust."""
    steps = trusted = 0
    for match in _RULE.finditer(proof):
        if match[1] is not None:
            steps += 1
            trusted += _TRUSTED.match(match[1]) is not None
    return steps, trusted


def _targets(module: Module, report: ProgramResult) -> Iterator[_ProofTarget]:
    """The unsatisfiable sides: of each result, or of a program that has none but a contradiction."""
    if report.results:
        claims = (*module.claims, *module.norms)
        for number, (claim, result) in enumerate(zip(claims, report.results, strict=True), 1):
            side = _SIDES.get(result.verdict)
            if side is not None:
                yield _ProofTarget(number, result.name, side, claim, result.evidence.core)
    elif report.consistency is Consistency.INCONSISTENT:
        core = None if report.evidence is None else report.evidence.core
        yield _ProofTarget(1, "assumptions", "assumptions", None, core)


def _assumptions(module: Module, core: tuple[CoreItem, ...] | None) -> Sequence[Assertion]:
    """The assertions of a core; all there are if the core is not known."""
    if core is None:
        return module.assertions
    # Not by their text, which for a pack's rule is a sentence.
    wanted = {(item.name, item.pointer, item.kind) for item in core}
    found = {
        key: each
        for each in module.assertions
        if (key := (each.name, each.origin.pointer, each.kind.value)) in wanted
    }
    return tuple(found.values()) if len(found) == len(wanted) else module.assertions


def _problem(module: Module, target: _ProofTarget) -> str:
    """The commands, in cvc5's words, that state the core with the side. Raises Unsupported."""
    claim = None if target.side == "assumptions" else target.claim
    part = slice_of(module, _assumptions(module, target.core), claim, same_words=False)
    printer = Printer(part, "cvc5")
    text = printer.declarations() + printer.assertions(named=False)
    if claim is None:
        return text
    formula = closed_formula(claim, module.pool)
    return text + printer.assertion(formula if target.side == "claim" else module.pool.negate(formula)) + "\n"


def _script(target: _ProofTarget, problem: str) -> str:
    """The problem as a script of its own."""
    name = json.dumps(target.name[:_LONGEST_COMMENT]).replace("\x7f", "\\u007f")
    return f"; {name}, {target.side}: unsat\n(set-logic ALL)\n{problem}(check-sat)\n"


def _proved(
    text: str, form: ProofFormat, workers: Workers, limits: Limits, deadline: Deadline
) -> tuple[ProofFormat, SolverAnswer, str]:
    """The proof, its format, and a note where it is not the one asked for or there is none."""
    answer = _ask(text, form, workers, limits, deadline)
    note = ""
    if form == "alethe" and answer.status == "unsat" and answer.proof is None:
        note = f"not as alethe: {_line(answer.detail)}"
        form, answer = "cpc", _ask(text, "cpc", workers, limits, deadline)
    if answer.proof is None:
        said = answer.detail or answer.reason or "it says nothing more"
        note = f"cvc5 answers {answer.status}: {_line(said)}"
    return form, answer, note


def _ask(text: str, form: ProofFormat, workers: Workers, limits: Limits, deadline: Deadline) -> SolverAnswer:
    timeout = min(limits.check_ms, max(1, deadline.left_ms()))
    with SolverSession(workers, "cvc5", memory_mb=limits.memory_mb, rlimit=limits.rlimit) as session:
        return session.ask(Query(text, proof=form), timeout)


def _line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_COMMENT]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogatepass", newline="\n")
