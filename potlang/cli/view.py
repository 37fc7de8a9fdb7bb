"""`potc view FILE`: a page on a program, a trace, a solution or a transcript, or a drawing."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, get_args

import click

from potlang import api, dot
from potlang.cli.answer import Answer, print_diagnostics, theory_program, verified_answer
from potlang.cli.common import (
    ALL_ENTAILED,
    INVALID,
    Input,
    color_option,
    fail,
    output_option,
    read_input,
    use_color,
    write_output,
)
from potlang.cli.helping import Command
from potlang.cli.options import (
    PageOptions,
    SolutionOptions,
    SolvingOptions,
    TraceOptions,
    config_option,
    grouped,
    note_options,
    page_options,
    solution_options,
    solving_options,
    sources_option,
    trace_options,
    verify_options,
)
from potlang.drawing.draw import Form, ViewError, draw
from potlang.drawing.trace_page import trace_page
from potlang.models.evaluation.results_file import is_results_file
from potlang.models.loop.transcripts import BadTranscript, read_transcript, transcript_value
from potlang.utils.serialize import json_text
from potlang.utils.style import Style

if TYPE_CHECKING:
    from potlang.models.loop.transcripts import ReadTranscript

_ENDINGS: dict[str, Form] = {
    ".html": "html",
    ".svg": "svg",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".gv": "graphviz",
    ".dot": "graphviz",
}


class ToposOptions(NamedTuple):
    """The diagram of a trace in a topos instead of a drawing, and how it is shown."""

    topos: bool
    stages: str | None
    as_json: bool


topos_options = grouped(
    "in_topos",
    ToposOptions,
    "Traces in a topos",
    click.option(
        "--topos",
        is_flag=True,
        help="The diagram of a trace over all models of its theory, with the paper's statements computed "
        "on it: as text, or on the page with `--to html`.",
    ),
    click.option(
        "--stages",
        metavar="FILE",
        help="JSON that names stages and lists what has been found out at each, constants or nodes: "
        '{"first": [], "later": ["p", 2]}.',
    ),
    click.option("--json", "as_json", is_flag=True, help="The diagram as JSON."),
)


@click.command(cls=Command)
@click.argument("file")
@output_option
@click.option(
    "--to",
    "form",
    type=click.Choice(get_args(Form)),
    help="A page, or a drawing alone. [default: by the ending of the file that is written, else html]",
)
@click.option(
    "--question",
    metavar="ID",
    help="FILE is a results file of `potc eval`: a page on what was asked and answered for this question.",
)
@topos_options
@trace_options
@solution_options
@solving_options
@page_options
@config_option
@sources_option
@color_option
def view(
    file: str,
    output: Path | None,
    form: Form | None,
    question: str | None,
    in_topos: ToposOptions,
    trace: TraceOptions,
    solution: SolutionOptions,
    solving: SolvingOptions,
    page: PageOptions,
    color: str,
) -> None:
    """Draw a trace or a solution, or make a page on it, on a program, on a transcript of `reason`, or on a
    question of `eval`.

    Exit code: 0 it is drawn, whatever was found; 2 there is nothing to draw.
    """
    if (in_topos.stages is not None or in_topos.as_json) and not in_topos.topos:
        raise click.UsageError("--stages and --json go with --topos")
    if in_topos.topos and (form not in (None, "html") or (in_topos.as_json and form)):
        raise click.UsageError("a diagram in a topos is text, `--json` or `--to html`")
    ending = "" if output is None else output.suffix.lower()
    if question is not None:
        _view_question(file, question, output, form or _ENDINGS.get(ending), in_topos)
    _refuse_results(file)
    theory = theory_program(trace.theory, "text", color)
    given = read_input(file)
    if (found := _transcript(given)) is not None:
        _view_transcript(found, given.name, output, form or _ENDINGS.get(ending), in_topos)
    note_options(given)
    options = verify_options(given.kind, solving, trace, solution, theory)
    if given.kind == "pot":
        options |= {"words": True, "models": page.models}
    answer, program = verified_answer(given, options)
    form = form or _ENDINGS.get(ending)
    style = Style(output is None and use_color(color))
    try:
        if in_topos.topos:
            text = _in_topos(given, answer, trace, theory, in_topos, form, style)
        else:
            text = draw(answer.found, form or "html", given.name, program)  # type: ignore[arg-type]
    except ViewError as error:
        print_diagnostics(answer.document, answer.diagnostics, color)
        fail(f"{given.name}: {error}")
    except (dot.NoDiagram, dot.MalformedTrace) as error:
        print_diagnostics(error.trace.document, error.diagnostics, color)
        sys.exit(INVALID)
    write_output(output, text)
    if not answer.is_whole:
        raise KeyboardInterrupt
    sys.exit(ALL_ENTAILED)


def _transcript(given: Input) -> dict[str, object] | None:
    """The JSON value of an input that is a transcript of `reason`."""
    return None if isinstance(given.source, Path) else transcript_value(given.source)


def _view_transcript(
    value: dict[str, object], name: str, output: Path | None, form: Form | None, in_topos: ToposOptions
) -> NoReturn:
    """Writes the page on a transcript, and ends the command."""
    _write_transcript(lambda: read_transcript(value), name, output, form, in_topos)


def _view_question(
    file: str, id_: str, output: Path | None, form: Form | None, in_topos: ToposOptions
) -> NoReturn:
    """Writes the page on a question of a results file, and ends the command."""
    from potlang.models.evaluation.question_transcript import question_transcript

    _write_transcript(lambda: question_transcript(Path(file), id_), f"{file}, {id_}", output, form, in_topos)


def _write_transcript(
    read: Callable[[], ReadTranscript],
    name: str,
    output: Path | None,
    form: Form | None,
    in_topos: ToposOptions,
) -> NoReturn:
    if in_topos.topos:
        fail(f"{name}: only a trace has a diagram in a topos")
    try:
        text = draw(read(), form or "html", name)
    except (ViewError, BadTranscript) as error:
        fail(f"{name}: {error}")
    except OSError as error:
        fail(f"error[POT0006]: cannot read `{name}`: {error.strerror}")
    write_output(output, text)
    sys.exit(ALL_ENTAILED)


def _refuse_results(file: str) -> None:
    """Says which option a results file of `potc eval` needs."""
    if file.endswith(".jsonl") and is_results_file(Path(file)):
        raise click.UsageError(f"{file} is a results file of `potc eval`: name a question by --question")


def _in_topos(
    given: Input,
    answer: Answer,
    trace: TraceOptions,
    theory: api.Program | None,
    options: ToposOptions,
    form: Form | None,
    style: Style,
) -> str:
    """The diagram of a trace in its topos. Raises ViewError for another input, and as `dot.diagram` does."""
    from potlang.languages.dot.diagram_text import diagram_lines, diagram_to_dict

    report = answer.found
    if not isinstance(report, dot.TraceReport):
        raise ViewError("only a trace has a diagram in a topos")
    stages = None if options.stages is None else _stages(options.stages)
    found = dot.diagram(given.source, profile=trace.profile, theory=theory, stages=stages, name=given.name)
    if options.as_json:
        return json_text(diagram_to_dict(found, report)) + "\n"
    if form == "html":
        return trace_page(report, given.name, diagram_lines(found, report))
    return "".join(f"{line}\n" for line in diagram_lines(found, report, style))


def _stages(name: str) -> dict[str, list[str | int]]:
    """The stages in a JSON file; what is no such file ends the command."""
    given = read_input(name)
    try:
        value = json.loads(b"" if isinstance(given.source, Path) else given.source)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not all(isinstance(each, list) for each in value.values()):
        fail(f"{given.name}: stages are a JSON object with a list for each name")
    return value
