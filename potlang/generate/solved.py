"""Samples from what is solved already: claims of PoT programs, and traces that somebody wrote.

The rules are [DOT-SYNTH-FROM] and [DOT-SYNTH-KEEP].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from potlang.convert.deductions import NotEntailed
from potlang.convert.derivation_to_trace import derivation_to_trace
from potlang.generate.programs import ProgramDifficulty, generate
from potlang.generate.traces import NodeLabel, Sample
from potlang.languages.dot.check import check, read
from potlang.languages.dot.read.records import Profile, Prop, Record
from potlang.languages.dot.solve.literals import entailed_literals
from potlang.languages.dot.solve.verify import verify
from potlang.languages.dot.write.builder import BuildError
from potlang.languages.dot.write.emit import emit
from potlang.languages.pot.check import compile as compile_program
from potlang.report.results import Limits, Verdict
from potlang.sema.emit import Unwritable

USUAL_LIMITS = Limits(check_ms=5_000, total_ms=20_000)


class NotSampled(NamedTuple):
    """The programs that no sample was made of, and why."""

    name: str
    reason: str


def samples_of_program(
    source: dict[str, Any],
    *,
    profile: Profile = "paper",
    role_tokens: bool = False,
    limits: Limits = USUAL_LIMITS,
) -> Iterator[Sample | NotSampled]:
    """For each claim of a program the derivation as a sample, or why there is none.

    Raises `potlang.CompileError` for a program with errors.
    """
    program = compile_program(source)
    for claim in program.module.claims:
        try:
            derived = derivation_to_trace(program, claim.name, profile=profile, limits=limits)
        except (NotEntailed, BuildError, Unwritable) as error:
            yield NotSampled(claim.name, str(error))
            continue
        text = derived.text
        if derived.needs_theory:
            # What it assumes is in the theory, and a trace is to assume nothing beside one.
            text = emit(each for each in read(text, profile=profile).records if not _is_assuming(each))
        yield sample_of_trace(
            text.decode(),
            theory=source if derived.needs_theory else None,
            name=claim.name,
            profile=profile,
            role_tokens=role_tokens,
            limits=limits,
        )


def _is_assuming(record: Record) -> bool:
    return isinstance(record, Prop) and isinstance(record.value, dict) and "assume" in record.value


def _records(trace: str, profile: Profile) -> Sequence[Record]:
    return check(trace, profile=profile).trace.records


def synthesize_from_programs(
    count: int, seed: int = 0, *, level: int = 3, profile: Profile = "paper", role_tokens: bool = False
) -> Iterator[Sample]:
    """So many samples from generated programs of a level, each with an entailed claim ([GEN-VERDICT]).

    A sample depends on seed, number, level and profile alone. Raises ValueError for a level below 1.
    """
    if count < 0:
        raise ValueError(f"count is from 0, not {count}")
    difficulty = ProgramDifficulty.of_level(level)
    return (_generated(Random(f"{seed} {index}"), difficulty, profile, role_tokens) for index in range(count))


def _generated(random: Random, difficulty: ProgramDifficulty, profile: Profile, role_tokens: bool) -> Sample:
    while True:
        made = generate(random.randrange(1 << 31), difficulty, Verdict.ENTAILED)
        [found] = samples_of_program(made.program, profile=profile, role_tokens=role_tokens)
        # What has no derivation that can be written down is drawn again.
        if isinstance(found, Sample):
            return found


def sample_of_trace(
    trace: str,
    *,
    problem: str | None = None,
    theory: dict[str, Any] | None = None,
    name: str = "",
    profile: Profile = "paper",
    role_tokens: bool = False,
    limits: Limits = USUAL_LIMITS,
) -> Sample | NotSampled:
    """The sample of a trace that is established and has its end; else why it is none.

    `problem` is the question in words, by default the text of the trace's first block. Labels and literals
    are the solver's. Raises `potlang.CompileError` for a theory with errors.
    """
    program = None if theory is None else compile_program(theory)
    if program is not None and any(map(_is_assuming, _records(trace, profile))):
        return NotSampled(name, "it assumes something beside its theory")
    report = verify(
        trace, profile=profile, theory=program, trust="solver", limits=limits, require_end=True, name="trace"
    )
    if not report.ok:
        found = report.diagnostics[0].message if report.verdict == "rejected" else ""
        reasons = "; ".join(each.text for each in report.established.reasons)
        return NotSampled(name, found or reasons)
    checked = read(trace, profile=profile)
    text = emit(checked.records, role_tokens=role_tokens).decode()
    labels = {each.id: NodeLabel(each.role, each.status, each.verdict) for each in report.nodes}
    asked = checked.texts()
    first = next(iter(checked.nodes))
    return Sample(
        text,
        report.hash,
        problem if problem is not None else asked.get(first, b"").decode(),
        labels,
        entailed_literals(checked, program, profile=profile, limits=limits),
        theory,
    )
