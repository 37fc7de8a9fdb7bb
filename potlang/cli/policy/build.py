"""`potc policy build`: a policy of a document, written by a model and checked."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from potlang import policy
from potlang.cli.common import (
    ALL_ENTAILED,
    OTHER_ANSWER,
    UNDECIDED,
    CannotWriteFile,
    CommandFailure,
    color_option,
    format_option,
    print_json,
    tell,
    use_color,
    waiting,
    write_text,
)
from potlang.cli.model_options import AskedModel, model_options
from potlang.cli.policy.common import Seconds, limited, stored
from potlang.cli.policy.diff import difference_lines
from potlang.diag.wording import counted
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.format import format_text
from potlang.models.loop.journal import BadJournal
from potlang.policy import building
from potlang.utils.serialize import json_text

if TYPE_CHECKING:
    from potlang.models.loop.asking import Attempt
    from potlang.policy import Store
    from potlang.policy.building.earlier import EarlierBuild
    from potlang.policy.building.fidelity import FidelityReport
    from potlang.policy.building.reading import DocumentFormat, SourceDocument

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_NEW = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("doc", type=_FILE)
@click.option("--name", help="Store the policy under this name.")
@click.option("--output", "-o", type=_NEW, help="Write the program.")
@click.option("--report", type=_NEW, help="Write the report in JSON, from which a later build goes on.")
@click.option("--html", type=_NEW, help="Write the report as a page.")
@click.option(
    "--earlier", type=_FILE, help="The report of an earlier build: only what changed is asked about."
)
@click.option("--replies", type=_FILE, help="Recorded replies, JSON Lines: no model is asked.")
@click.option("--journal", type=_NEW, help="Keep every reply here; with an existing journal the run goes on.")
@click.option(
    "--strict", is_flag=True, help="Take what solvers and the linter warn of for errors: exit code 1."
)
@click.option(
    "--document-format",
    "form",
    type=click.Choice(["markdown", "text", "html", "pdf"]),
    help="The document's format. [default: as its name and its content show]",
)
@format_option("text", "json")
@color_option
@limited
@model_options(attempts=4, accepted="the words or the rules of some sentences", cached=True)
@stored
def build(
    doc: Path,
    name: str | None,
    output: Path | None,
    report: Path | None,
    html: Path | None,
    earlier: Path | None,
    replies: Path | None,
    journal: Path | None,
    strict: bool,
    form: DocumentFormat | None,
    style: str,
    color: str,
    seconds: Seconds,
    asked: AskedModel,
    store: Store,
) -> None:
    """Build a policy of a document: each sentence is covered by rules that cite it, ignored, or ambiguous.

    DOC is Markdown, text, HTML, or a PDF with text. The report says of each sentence what became of it, reads
    the rules back in plain words, and lists what to look at. What solvers find in the whole, such as rules
    that disagree, is shown to the model, which may write these rules anew.

    Exit code: 0 all sentences are read, and the rules do not contradict each other; 1 some are not, or they
    do, or with --strict there is a warning; 2 the document cannot be read; 3 the model failed: with the same
    `--journal` the run goes on.
    """
    before = None if earlier is None else _earlier(earlier)
    source = _read(doc, form)
    found = _built(source, before, (replies, journal), asked, seconds)
    if style == "json":
        print_json(found.to_dict())
        tell(building.summary(found))
    else:
        click.echo(found.render(color=use_color(color)))
    _write(found, output, report, html)
    if before is not None and found.consistency is not None:
        _show_difference(before, found, seconds)
    is_stored = name is None or found.consistency is None or _stored(store, name, found, seconds)
    if found.failure:
        tell(f"ended early: {found.failure}")
        sys.exit(UNDECIDED)
    is_strict = strict and found.warnings > 0
    if is_strict:
        tell(f"{found.name}: {counted(found.warnings, 'warning')}, which --strict takes for errors")
    is_good = found.is_complete and is_stored and not is_strict
    sys.exit(ALL_ENTAILED if is_good else OTHER_ANSWER)


def _read(doc: Path, form: DocumentFormat | None) -> SourceDocument:
    try:
        return building.read_document(doc.read_bytes(), doc.name, form)
    except ImportError as error:
        raise CommandFailure(str(error)) from error
    except OSError as error:
        raise CommandFailure(f"cannot read {doc}: {error.strerror}") from error


def _built(
    source: SourceDocument,
    before: EarlierBuild | None,
    kept_in: tuple[Path | None, Path | None],
    asked: AskedModel,
    seconds: Seconds,
) -> FidelityReport:
    """The policy that the model wrote, or that the replies in files say."""
    replies, journal = kept_in
    endpoint = None if replies is not None else asked.endpoint(cached=True)
    try:
        kept = building.KeptReplies(endpoint)
        # First of all the journal: it cuts off a line that was not finished.
        with building.BuildJournal(journal) as notes:
            for path in kept_in:
                if path is not None and path.is_file():
                    kept.add(path)

            def progress(stage: str, numbers: Sequence[int], attempt: Attempt) -> None:
                notes.note(stage, numbers, attempt)
                where = f" {numbers[0]}-{numbers[-1]}" if numbers else ""
                tell(f"{stage}{where}: {attempt.problem or 'read'}")

            with waiting("reading the document"):
                return building.build_policy(
                    source,
                    kept.model_for,
                    earlier=before,
                    sampling=asked.sampling(),
                    progress=progress,
                    limits=seconds.limits,
                )
    except BadJournal as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise CannotWriteFile(error.filename or journal, error) from error
    finally:
        if endpoint is not None:
            endpoint.close()


def _stored(store: Store, name: str, found: FidelityReport, seconds: Seconds) -> bool:
    """Stores the policy; False if it fails a test."""
    try:
        added = store.add(name, json_text(found.program), limits=seconds.limits)
    except policy.FailingTests as error:
        tell(f"error: {error}; it is not stored")
        return False
    tell(f"{'stored' if added.created else 'stored already'}: {added.version.id}")
    return True


def _earlier(path: Path) -> EarlierBuild:
    try:
        return building.earlier_build(json.loads(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(str(error), param_hint="--earlier") from error


def _write(found: FidelityReport, out: Path | None, report: Path | None, html: Path | None) -> None:
    """Writes the files that were asked for."""
    if out is not None:
        write_text(out, _program_text(found.program))
    if report is not None:
        write_text(report, json_text(found.to_dict()) + "\n")
    if html is not None:
        from potlang.drawing.fidelity_page import fidelity_page

        write_text(html, fidelity_page(found.to_dict()))


def _program_text(program: dict[str, Any]) -> str:
    """The program in its canonical layout."""
    return format_text(json_text(program))


def _show_difference(before: EarlierBuild, found: FidelityReport, seconds: Seconds) -> None:
    """The claims that the policy decides otherwise than the earlier one, on standard error."""
    old, new = compile_program(dict(before.program)), compile_program(found.program)
    with waiting("comparing the versions"):
        difference = policy.compare(old, new, limits=seconds.limits)
    for line in difference_lines(difference):
        tell(line)
