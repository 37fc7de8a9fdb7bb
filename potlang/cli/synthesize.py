"""`potc synthesize`: traces as training data, a JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import click

from potlang import dot, generate, models
from potlang.cli.common import CommandFailure, output_option, tell, write_lines
from potlang.cli.helping import Command
from potlang.cli.options import grouped, profile_option
from potlang.languages.pot.program import CompileError

if TYPE_CHECKING:
    from potlang.generate.solved import NotSampled
    from potlang.generate.traces import Sample
    from potlang.languages.dot.read.records import Profile
    from potlang.models.training.trace_records import TrainingForm


class RecordOptions(NamedTuple):
    """The form in which a sample is written."""

    form: TrainingForm
    broken: float
    auxiliary: bool
    role_tokens: bool


_record_options = grouped(
    "record",
    RecordOptions,
    "Records",
    click.option(
        "--form",
        type=click.Choice(["sample", "text", "chat", "completion"]),
        default="sample",
        help="With labels; the trace alone; messages for fine-tuning; the problem's block and the rest.",
    ),
    click.option(
        "--broken",
        type=float,
        default=0.0,
        help="Share of records with a broken trace and its diagnostics before the right one.",
    ),
    click.option(
        "--auxiliary", is_flag=True, help="Add the texts of the auxiliary loss, and the place for them."
    ),
    click.option("--role-tokens", is_flag=True, help="Write the role of each node above it."),
)


@click.command(cls=Command)
@click.option("--count", type=int, default=100, help="Number of traces.")
@click.option("--seed", type=int, default=0, help="The same seed gives the same bytes.")
@click.option(
    "--kind",
    type=click.Choice(["mixed", "horn", "arithmetic", "program"]),
    default="mixed",
    help="Kind of the problems; `program`: claims of generated PoT programs, with a solver.",
)
@click.option("--depth", type=int, default=3, help="Layers in a derivation, or the level of a program.")
@click.option("--width", type=int, default=3, help="Most steps in a layer.")
@click.option("--wrong", type=float, default=0.3, help="Share of steps that have a wrong proposal.")
@click.option("--refine", type=float, default=0.7, help="Share of wrong proposals that are refined.")
@click.option(
    "--equal", type=float, default=0.0, help="Share of steps that are proposed again in other words (`@eq`)."
)
@click.option(
    "--from",
    "programs",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A PoT program whose entailed claims are the problems; may be repeated.",
)
@click.option(
    "--keep",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON Lines with a `trace` each, of which those are kept that are established.",
)
@_record_options
@profile_option
@output_option
def synthesize(
    count: int,
    seed: int,
    kind: Literal["mixed", "horn", "arithmetic", "program"],
    depth: int,
    width: int,
    wrong: float,
    refine: float,
    equal: float,
    programs: tuple[Path, ...],
    keep: Path | None,
    record: RecordOptions,
    profile: Profile,
    output: Path | None,
) -> None:
    """Generate traces as training data: derivations with wrong proposals, critiques and refinements.

    Each line is an object: the trace, its hash, the problem, the labels of its nodes, and the literals that
    its summary entails, or another form of these. With --from the traces are derivations of claims of
    programs, with --keep traces that a model wrote.
    """
    if programs and keep is not None:
        raise click.UsageError("--from and --keep name two sources")
    try:
        if keep is not None:
            made = _told(_kept(keep, record, profile))
        elif programs:
            made = _told(_derived(programs, record, profile))
        elif kind == "program":
            made = dot.synthesize_from_programs(
                count, seed, level=depth, profile=profile, role_tokens=record.role_tokens
            )
        else:
            difficulty = dot.Difficulty(depth, width, wrong, refine, equal)
            made = dot.synthesize(
                count,
                seed,
                kind=kind,
                difficulty=difficulty,
                profile=profile,
                role_tokens=record.role_tokens,
            )
        records = models.training_records(
            made,
            record.form,
            broken=models.BrokenShare(record.broken, seed),
            auxiliary=record.auxiliary,
            profile=profile,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    write_lines(output, (json.dumps(each, ensure_ascii=False) for each in records))


def _told(found: Iterable[Sample | NotSampled]) -> Iterator[Sample]:
    """The samples; what is left out is told on standard error, and how much is kept."""
    count = left_out = 0
    for each in found:
        if isinstance(each, generate.NotSampled):
            left_out += 1
            tell(f"left out {each.name}: {each.reason}")
        else:
            count += 1
            yield each
    tell(f"kept {count} of {count + left_out}")


def _derived(
    programs: Iterable[Path], record: RecordOptions, profile: Profile
) -> Iterator[Sample | NotSampled]:
    for path in programs:
        try:
            source = json.loads(path.read_text(encoding="utf-8"))
            yield from generate.samples_of_program(source, profile=profile, role_tokens=record.role_tokens)
        except (OSError, ValueError, RecursionError, CompileError) as error:
            raise CommandFailure(f"{path} is no program to be solved: {error}") from error


def _kept(path: Path, record: RecordOptions, profile: Profile) -> Iterator[Sample | NotSampled]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise CommandFailure(f"cannot read {path}: {error}") from error
    yield from models.trace_records.kept(_lines(text), profile=profile, role_tokens=record.role_tokens)


def _lines(text: str) -> list[str]:
    """The lines; a text that is one JSON value over several lines, as a transcript, is one."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text.split("\n")
    return [text]
