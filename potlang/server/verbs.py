"""The verbs of the HTTP interface on one input, in the child: `potc --format json` of it ([SERVE-VERBS])."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any, Final

from potlang import api
from potlang.batch.jobs import Job, job_of_line
from potlang.batch.rows import row_of
from potlang.diag.fixes import raw_edits
from potlang.diag.model import Fix
from potlang.diag.render_json import diagnostic_to_json
from potlang.drawing.draw import ViewError
from potlang.languages.dagmath.solve.answers import AnswerChecker
from potlang.passes.base import PassLimit
from potlang.passes.pipeline import PipelineError
from potlang.processes.frames import Message
from potlang.report.results import Limits
from potlang.sema.emit import Unwritable
from potlang.smt.errors import Unsupported
from potlang.source import Document
from potlang.utils.gc_pause import begin_input
from potlang.utils.serialize import json_text

INPUT: Final = "-"
"""The name of what came in a request, as `potc` calls standard input."""
_LINT_MS: Final = 5_000

Options = dict[str, Any]


class CannotAnswer(Exception):
    """An option and an input that do not go together; the text says how."""


def answered(request: Message, judge: AnswerChecker) -> Message:
    """The answer to `verb` on `input` (Base64) with `options`, as JSON text; of a `line` of a batch its row.

    `refused` instead says why there is none. Beside it stand the language and the verdict.
    """
    begin_input()
    line = request.get("line")
    job = job_of_line(b64decode(request["input"]), INPUT, line or 1)
    options = request["options"]
    if options.get("language"):
        job = job._replace(language=options["language"])
    if line is None:
        job = job._replace(line=None)
    try:
        found = _VERBS[request["verb"]](job, options, judge)
    except (CannotAnswer, api.OptionError) as error:
        return {"refused": str(error)}
    told = {"language": job.language, "verdict": str(found.get("verdict", ""))}
    if line is None:
        return {"text": json_text(found) + "\n", **told}
    return {"text": json_text(row_of(job, found), None) + "\n", **told}


def _verified(job: Job, options: Options, judge: AnswerChecker) -> dict[str, Any]:
    given = _given(job, options, judge)
    found: dict[str, Any] = api.verify(job.source, language=job.language, name=job.name, **given).to_dict()
    return found


def _viewed(job: Job, options: Options, judge: AnswerChecker) -> dict[str, Any]:
    # A page has its sentences whatever `words` says.
    given = {**_given(job, options, judge), **({"words": True} if job.language == "pot" else {})}
    try:
        name = options.get("name") or job.name
        text = api.view(job.source, to=options["to"], language=job.language, name=name, **given)
    except ViewError as error:
        found = api.check(job.source, language=job.language, name=job.name).located()
        if not any(each["severity"] == "error" for each in found):
            raise CannotAnswer(str(error)) from error
        return {"file": job.name, "text": None, "diagnostics": list(found)}
    return {"file": job.name, "text": text, "diagnostics": []}


def _given(job: Job, options: Options, judge: AnswerChecker) -> dict[str, Any]:
    """The keyword arguments of `api.verify` for a language."""
    given: dict[str, Any] = {"trust": options["trust"], "limits": Limits(*options["limits"])}
    if job.language == "dagmath":
        answer = options.get("answer", job.answer)
        return {**given, "answer": answer, "steps": options["steps"], "judge": judge}
    if job.language == "dot":
        return {**given, "route": options["route"], **_form(job, options)}
    return {**given, **{name: options[name] for name in ("route", "models", "cores", "words")}}


def _form(job: Job, options: Options) -> api.FormOptions:
    """How a trace is read; a `theory` stands beside it."""
    theory = job.members.get("theory")
    form: api.FormOptions = {"profile": options["profile"], "require_end": options["require_end"]}
    if theory is not None:
        checked = api.check(theory, language="pot", name="theory")
        if checked.program is None:
            raise CannotAnswer(f"the theory is no valid program: {checked.diagnostics[0].message}")
        form["theory"] = checked.program
    return form


def _checked(job: Job, options: Options, _: AnswerChecker) -> dict[str, Any]:
    form = _form(job, options) if job.language == "dot" else {}
    budget_ms = _LINT_MS if options["deep"] else 0
    checked = api.lint(job.source, language=job.language, name=job.name, budget_ms=budget_ms, **form)
    located = list(checked.located())
    found: dict[str, Any] = {"file": job.name, "language": job.language, "diagnostics": located}
    if options["edits"]:
        found["edits"] = [
            [_edits(checked.document, fix) for fix in each.fixes] for each in checked.diagnostics
        ]
    return found


def _edits(document: Document, fix: Fix) -> list[dict[str, Any]]:
    """A fix as edits of the text that came, whose offsets count characters; none of a JSON value."""
    return [each._asdict() for each in raw_edits(document, fix.edits)]


def _fixed(job: Job, options: Options, _: AnswerChecker) -> dict[str, Any]:
    source = job.source
    if not isinstance(source, str | bytes):
        source = json_text(source)
    try:
        given = {"unsafe": options["unsafe"], "lint": options["lint"]}
        fixed = api.fix(source, **given, language=job.language, name=job.name)
    except ValueError as error:
        raise CannotAnswer(str(error)) from error
    left = [diagnostic_to_json(each, fixed.after) for each in fixed.diagnostics]
    return {"file": job.name, "text": fixed.text, "applied": fixed.applied, "diagnostics": left}


def _compiled(job: Job, options: Options, _: AnswerChecker) -> dict[str, Any]:
    target = options["to"]
    text, found = None, []
    try:
        form = _form(job, options) if job.language == "dot" else {}
        program = api.compile(job.source, language=job.language, name=job.name, **form)
        text = program.emit(target, options.get("passes") or None, options.get("claim"))
    except api.CompileError as error:
        found = [diagnostic_to_json(each, error.document) for each in error.diagnostics]
    except KeyError as error:
        raise CannotAnswer(f"there is no claim {error}") from error
    except LookupError as error:
        raise CannotAnswer(str(error)) from error
    except (PassLimit, PipelineError, Unwritable, Unsupported) as error:
        raise CannotAnswer(f"cannot be written as {target}: {error}") from error
    return {"file": job.name, "text": text, "diagnostics": found}


_VERBS: Final[dict[str, Callable[[Job, Options, AnswerChecker], dict[str, Any]]]] = {
    "verify": _verified,
    "check": _checked,
    "fix": _fixed,
    "compile": _compiled,
    "view": _viewed,
}
