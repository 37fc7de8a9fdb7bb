"""The tool's operations: one function each, from its arguments to plain JSON values.

Each raises `CallMistake` for arguments that it cannot work on, and keeps to the deadline.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, cast

from potlang import api, dagmath, dot, policy
from potlang.diag import CODES, nearest
from potlang.diag.brief import in_brief
from potlang.diag.explain import normal_code
from potlang.diag.render_json import diagnostic_to_json
from potlang.diag.wording import counted
from potlang.languages.kind import Kind
from potlang.languages.pot.check import check as check_program
from potlang.languages.pot.program import Checked, CompileError, Program
from potlang.languages.pot.report import Report
from potlang.languages.pot.solve import verify as verify_program
from potlang.linter.linter import lint
from potlang.linter.rules import LINT_RULES
from potlang.models.programs.topics import overview, topic, topics
from potlang.models.programs.vocabulary import vocabulary
from potlang.prove.options import Models
from potlang.report.base import to_plain
from potlang.report.results import (
    Bindings,
    CoreItem,
    Evidence,
    Limits,
    OptimizationResult,
    OptionElection,
    ParetoPoint,
    Result,
    Scenario,
    Verdict,
)
from potlang.report.text import sentence_lines
from potlang.tool.arguments import CallArguments, CallMistake, kind, wrong_type
from potlang.tool.texts import checked_text, finding_parts
from potlang.utils.deadline import OutOfFuel
from potlang.utils.extra import not_installed

if TYPE_CHECKING:
    from potlang.policy import Store

Answer = dict[str, Any]

LIMITS: Final = Limits(check_ms=2_000, total_ms=10_000, memory_mb=2_048)
"""Of one call; less where reading took its time."""
_LANGUAGES: Final[dict[str, Kind]] = {"program": "pot", "trace": "dot", "solution": "dagmath"}
_LEAST_MS: Final = 1_000
_MOST_CLAIMS: Final = 100
_LONGEST_TOPIC: Final = 60
_MOST_LINTS: Final = 5
_OF_LINTS: Final = ("code", "message", "pointer")
"""Of a finding of the linter beside verdicts."""
_NAMES_SHOWN: Final = 8
_NOT_SHOWN: Final = ("verdict", "diagnostics", "kind", "potlang", "limits")
"""Parts of a report that an answer has elsewhere, or not at all."""
_NOT_IN_PARTS: Final = ("result", "text", "line", "time_ms", "limited")
"""Of the parts of a report: what the caller has sent, and what only people ask for."""
_NOT_OF_OBJECTIVES: Final = ("pointer", "direction", "model", "trust", "assurances")


def prepare() -> None:
    """Does the imports ahead of the first call."""
    verify_program({"verifications": [{"constraint": "True"}]}, limits=LIMITS)


def verify(given: CallArguments, deadline: float) -> Answer:
    """The verdicts on a program, a trace or a solution, or its diagnostics."""
    match given.subject():
        case "trace":
            return _trace(given, deadline)
        case "solution":
            return _solution(given, deadline)
    words, models = given.flag("words"), cast(Models, given.choice("models", ("claim", "full")))
    checked = _checked(given)
    if checked.program is None:
        return _rejected(checked)
    limits = _limits(deadline)
    reported = _reported(verify_program(checked.program, limits=limits, words=words, models=models))
    return {**reported, **_found(checked), **_lints(checked)}


def check(given: CallArguments, deadline: float) -> Answer:
    """The diagnostics of a program, a trace or a solution."""
    options: api.FormOptions = {"theory": _theory(given)} if given.subject() == "trace" else {}
    checked = api.check(_source(given), language=_LANGUAGES[given.subject()], name=given.subject(), **options)
    if not checked.ok:
        return _rejected(checked)
    found = _linted(checked) if isinstance(checked, Checked) else checked
    return {"status": "ok", "verdict": "valid", **_found(found)}


def fix(given: CallArguments, deadline: float) -> Answer:
    """The text of a program, a trace or a solution after its safe fixes, and the diagnostics left."""
    subject = given.subject()
    source = _source(given)
    text = source if isinstance(source, str | bytes) else json.dumps(source, indent=2, ensure_ascii=False)
    try:
        fixed = api.fix(text, language=_LANGUAGES[subject], name=subject)
    except ValueError as error:
        raise CallMistake("wrong_type", f"`{subject}`: {error}", "send a text in UTF-8") from None
    located = (diagnostic_to_json(each, fixed.after) for each in fixed.diagnostics)
    diagnostics = in_brief(located)
    errors = any(each["severity"] == "error" for each in diagnostics)
    answer: Answer = {"status": "rejected" if errors else "ok", "text": fixed.text, "fixed": fixed.applied}
    return {**answer, "diagnostics": diagnostics} if diagnostics else answer


def compile(given: CallArguments, deadline: float) -> Answer:
    """The SMT-LIB text of a program, or of the program that a trace amounts to."""
    subject = given.subject()
    if subject == "solution":
        raise CallMistake("wrong_type", "there is no program in a solution", "send a program or a trace")
    options: api.FormOptions = {"theory": _theory(given)} if subject == "trace" else {}
    try:
        program = api.compile(_source(given), language=_LANGUAGES[subject], name=subject, **options)
        return {"status": "ok", "text": program.emit("smt2")}
    except CompileError as error:
        return _rejected(Checked(error.document, error.diagnostics, None))


def view(given: CallArguments, deadline: float) -> Answer:
    """The drawing of a trace or a solution, in the language of Mermaid."""
    from potlang.drawing.draw import ViewError

    subject = given.subject()
    options: api.VerifyOptions = {"theory": _theory(given)} if subject == "trace" else {}
    options["limits"] = _limits(deadline)
    try:
        text = api.view(_source(given), to="mermaid", language=_LANGUAGES[subject], name=subject, **options)
    except ViewError as error:
        raise CallMistake(
            "wrong_type", str(error), "send a trace or a solution; check says what is wrong"
        ) from None
    return {"status": "ok", "text": text}


def claims(given: CallArguments, deadline: float) -> Answer:
    """The verdicts of claims against a stored policy, perhaps in a case."""
    asked, case = _formulas(given), _case(given)
    program = _policy(given)
    if not given.lacks("text"):
        return _text_checked(given, program, asked, case, deadline)
    try:
        found = policy.ask(
            program, asked[:_MOST_CLAIMS], case, limits=_limits(deadline), explain=case is not None
        )
    except CompileError as error:
        refused = _rejected(Checked(error.document, error.diagnostics, None), "case")
        notes = [note for each in error.diagnostics for note in each.notes]
        return {**refused, "notes": [*notes, *vocabulary(program.module)]}
    report = found.report
    answer = _reported(report if given.flag("words") else report._replace(sentences=None))
    for key, parts in (
        ("changes", found.changes),
        ("missing", found.missing),
        ("sufficient", found.sufficient),
    ):
        if parts:
            # The whole case is what the caller has sent, but for the one value.
            answer[key] = [{k: v for k, v in to_plain(each).items() if k != "case"} for each in parts]
    if report.located:
        answer["diagnostics"] = in_brief(report.located)
    if not found.explained:
        answer["notes"] = [*answer.get("notes", ()), _CUT]
    if report.verdict is Verdict.REJECTED:
        answer["notes"] = [*answer.get("notes", ()), *vocabulary(program.module)]
    more = len(asked) - _MOST_CLAIMS
    return {**answer, "left_out": {"results": more}} if more > 0 else answer


def _text_checked(
    given: CallArguments,
    program: Program,
    translations: list[str],
    case: dict[str, Any] | None,
    deadline: float,
) -> Answer:
    """The finding on a text that the claims are translations of."""
    try:
        program = program if case is None else policy.Case.of(case).applied(program)
    except CompileError as error:
        return _rejected(Checked(error.document, error.diagnostics, None))
    found = checked_text(program, given.text("text"), translations, _limits(deadline))
    report = found.report
    answer = {"status": "ok"} if report is None else _reported(report._replace(sentences=None))
    return {**answer, **finding_parts(found)}


def _policy(given: CallArguments) -> Program:
    """The stored policy that a call names."""
    asked, store = given.text("policy"), None
    try:
        store = policy.open_store()
        return store.version(asked).compile()
    except policy.PolicyError as error:
        raise CallMistake("unknown_policy", str(error), _stored(store, asked)) from None
    except CompileError as error:
        raise CallMistake(
            "unknown_policy", f"the policy {asked!r:.80} no longer compiles", "`potc policy test` says why"
        ) from error


def _case(given: CallArguments) -> dict[str, Any] | None:
    """The case of a call, an object or its JSON text."""
    if given.lacks("case"):
        return None
    value = given.bounded("case")
    if isinstance(value, str):
        try:
            value = json.loads(value, parse_float=Decimal)
        except (ValueError, RecursionError):
            raise CallMistake("wrong_type", "`case` is not JSON", "send an object, or its text") from None
    if not isinstance(value, dict):
        raise wrong_type("case", "an object", value, "send an object, or its text")
    return value


def explain(given: CallArguments, deadline: float) -> Answer:
    """The page of a diagnostic's code, with an example of the mistake and of its correction."""
    asked = given.text("code")[:40]
    code = normal_code(asked)
    if code is None:
        slugs = (row.slug for row in CODES.values())
        near = nearest(asked.strip().upper(), CODES, 1) or nearest(asked.strip().lower(), slugs, 1)
        hint = f"did you mean {near[0]}?" if near else "codes look like POT2001 and stand in every diagnostic"
        raise CallMistake("unknown_code", f"no code {asked!r}", hint)
    return {"status": "ok", "code": code, "text": api.explain(code) or CODES[code].headline}


def reference(given: CallArguments, deadline: float) -> Answer:
    """The language by a topic, or what topics there are."""
    if not given.lacks("policy"):
        return {"status": "ok", "text": _described(_policy(given))}
    if given.lacks("topic"):
        return {"status": "ok", "text": overview()}
    asked = given.text("topic")[:_LONGEST_TOPIC].strip()
    try:
        return {"status": "ok", "text": topic(asked)}
    except KeyError as error:
        near = error.args[1:]
        hint = f"did you mean {near[0]}?" if near else f"one of {', '.join(topics())}, or a pack"
        raise CallMistake("unknown_topic", f"no topic {asked!r}", hint) from None


def _described(program: Program) -> str:
    """The description of a policy, as lines."""
    found = policy.describe(program)
    rules = (f"- {each.name}: {each.sentence}" if each.name else f"- {each.sentence}" for each in found.rules)
    return "\n".join(each for each in (found.description, *found.vocabulary, *rules) if each)


def _trace(given: CallArguments, deadline: float) -> Answer:
    """The diagnostics of a trace, and the verdicts of its theory on its propositions."""
    source = given.long_text("trace")
    theory = None
    if not given.lacks("program"):
        checked = _checked(given)
        if checked.program is None:
            return _rejected(checked)
        theory = checked.program
    try:
        report = dot.verify(source, name="trace", theory=theory, limits=_limits(deadline)).to_dict()
    except CompileError as error:
        # A theory over large tables, which a trace cannot use.
        return _rejected(Checked(error.document, error.diagnostics, None))
    parts = ("established", "nodes", "arrows", "nucleus", "summary", "consequences", "notes")
    return _report_answer(report, {key: report[key] for key in parts})


def _solution(given: CallArguments, deadline: float) -> Answer:
    """The form, the closeness and the steps of a solution."""
    source = _source(given)
    try:
        report = dagmath.verify(source, name="solution", limits=_limits(deadline)).to_dict()
    except dagmath.MissingExtraError as error:
        raise CallMistake("missing_extra", not_installed(error.name), "the extra `dagmath` has it") from None
    parts = {key: value for key, value in report.items() if key not in _NOT_SHOWN}
    if isinstance(parts.get("steps"), list):
        # The node is what was sent; the result is what the caller asked for.
        parts["steps"] = [{**each, "node": None, **(each.get("result") or {})} for each in parts["steps"]]
    return _report_answer(report, parts)


# --- the source of a verb ----------------------------------------------------------------------------


def _source(given: CallArguments) -> Any:
    """The program, trace or solution that a verb is about. Raises `CallMistake` for another type."""
    subject = given.subject()
    if subject == "program":
        return given.source("program")
    if subject == "trace":
        return given.long_text("trace")
    source = given.bounded("solution")
    if isinstance(source, dict | list):
        try:
            return json.dumps(source)
        except (TypeError, ValueError, RecursionError):
            raise CallMistake(
                "wrong_type", "`solution` is not made of JSON values", "send its text"
            ) from None
    if not isinstance(source, str | bytes):
        raise wrong_type("solution", "a string or an object", source, "send its text")
    return source


def _theory(given: CallArguments) -> Program | None:
    """The program that stands beside a trace. Raises `CallMistake` if it does not compile."""
    if given.lacks("program"):
        return None
    checked = _checked(given)
    if checked.program is None:
        raise CallMistake("wrong_type", "the program beside the trace has mistakes", "check it by itself")
    return checked.program


# --- arguments ---------------------------------------------------------------------------------------


_CUT: Final = "the time was over before all was looked for that would change an answer or decide it"
_FORMULAS: Final = ("formulas", "each claim is a formula", '["permitted(ann)"]')
_TRANSLATIONS: Final = (
    "translations of the text, each as JSON in a string",
    "each claim is a translation of the text, as JSON in a string",
    r"""["{\"claims\": [{\"formula\": \"permitted(ann)\", \"words\": [\"she may\"]}]}"]""",
)


def _formulas(given: CallArguments) -> list[str]:
    """The claims, or the translations of a text. Raises `CallMistake` if they are no list of texts."""
    asked = given.values.get("claims")
    several, one, example = _FORMULAS if given.lacks("text") else _TRANSLATIONS
    if not isinstance(asked, list) or not asked:
        found = "an empty list" if asked == [] else kind(asked)
        raise CallMistake("wrong_type", f"`claims` is a list of {several}, not {found}", f"such as {example}")
    given.bounded("claims")
    for number, each in enumerate(asked):
        if not isinstance(each, str):
            raise CallMistake("wrong_type", f"claim {number + 1} is no string but {kind(each)}", one)
    return asked


def _stored(store: Store | None, asked: str) -> str:
    """A hint at ids to send in the place of one that cannot be used."""
    none = "no policy is stored"
    if store is None:
        return none
    try:
        names = store.names()
    except policy.PolicyError:
        return none
    name = asked.partition("@")[0]
    if name in names:
        ids = [f"{name}@{number}" for number in store.numbers(name)[-_NAMES_SHOWN:]]
        return f"its versions are {', '.join(ids)}"
    # Misspelt names first: the list of all may be long.
    near = nearest(name, names, 1)
    if near:
        return f"did you mean {near[0]}?"
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"stored are {', '.join(names[:_NAMES_SHOWN])}{more}" if names else none


# --- parts of answers -------------------------------------------------------------------------------


def _limits(deadline: float) -> Limits:
    # Reading may have used up the time: a moment is left for what is easy.
    left = max(_LEAST_MS, int((deadline - time.monotonic()) * 1_000))
    return LIMITS._replace(total_ms=min(LIMITS.total_ms, left))


def _checked(given: CallArguments) -> Checked:
    return check_program(given.source("program"), name="program")


def _linted(checked: Checked) -> Checked:
    """With what the linter finds without a solver; without it if no time is left."""
    try:
        return lint(checked, budget_ms=0)
    except OutOfFuel:
        return checked


def _lints(checked: Checked) -> Answer:
    """Some findings of the linter, in brief: `check` has all, with their fixes."""
    found = in_brief(_linted(checked).located())
    codes = {rule.code for rule in LINT_RULES}
    findings = [
        {key: each[key] for key in _OF_LINTS if key in each} for each in found if each["code"] in codes
    ]
    lists = {"lints": findings[:_MOST_LINTS]} if findings else {}
    more = len(findings) - _MOST_LINTS
    return {**lists, "left_out": {"lints": more}} if more > 0 else lists


def _rejected(checked: api.AnyChecked, what: str = "program") -> Answer:
    found = in_brief(checked.located())
    errors = sum(each["severity"] == "error" for each in found)
    message = f"{counted(errors, 'error')}: repair the {what} and call again"
    return {"status": "rejected", "verdict": "rejected", "message": message, "diagnostics": found}


def _found(checked: api.AnyChecked) -> Answer:
    found = in_brief(checked.located())
    return {"diagnostics": found} if found else {}


def _report_answer(report: Answer, parts: Answer) -> Answer:
    """An answer with parts of a report of another kind."""
    return {
        "status": "rejected" if report["verdict"] == "rejected" else "ok",
        "verdict": report["verdict"],
        "diagnostics": in_brief(report["diagnostics"]),
        "report": _slim(parts),
    }


def _slim(value: Any) -> Any:
    """A part of a report without empty parts, the input, and times."""
    if isinstance(value, list | tuple):
        return [_slim(each) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _slim(each) for key, each in value.items() if key not in _NOT_IN_PARTS}
    return {key: each for key, each in kept.items() if each not in (None, [], {}, "")}


def _reported(report: Report) -> Answer:
    return {
        "status": "rejected" if report.verdict is Verdict.REJECTED else "ok",
        "verdict": str(report.verdict),
        **_given(outcome=str(report.outcome) if report.has_asks else None),
        "results": [{**_result(each), **_said(report, each)} for each in report.results],
        **_given(
            words=_said_besides(report) or None,
            elections=[_election(each) for each in report.elections] or None,
            optimization=_optimum(report.optimization),
            because=None if report.evidence is None else _core(report.evidence.core),
            notes=list(report.notes) or None,
        ),
    }


def _said(report: Report, result: Result) -> Answer:
    """A result in plain sentences, if they were asked for."""
    found = [each for each in report.sentences or () if each.pointer == result.pointer]
    return {"words": list(sentence_lines(found[0]))} if found else {}


def _said_besides(report: Report) -> list[str]:
    """The sentences on the assumptions and the optimum."""
    known = {each.pointer for each in report.results}
    found = [each for each in report.sentences or () if each.pointer not in known]
    return [line for each in found for line in sentence_lines(each)]


def _given(**parts: Any) -> Answer:
    """The parts that are not None."""
    return {key: part for key, part in parts.items() if part is not None}


def _result(result: Result) -> Answer:
    evidence = result.evidence
    return {
        "name": result.name,
        "verdict": str(result.verdict),
        "checked_by": result.trust,
        **_given(
            ask=None if result.ask == "must" else result.ask,
            outcome=None if result.ask == "must" else str(result.outcome),
            question=None if result.question is None else result.question.name,
            kind=None if result.kind == "verification" else result.kind,
            reason=result.reason or None,
            possible=[str(each) for each in result.possible] if result.reason else None,
            because=_core(evidence.core),
            remove_one_of=[_core(items) for items in evidence.corrections or ()] or None,
            could_be_true=_plain(evidence.could_be_true),
            could_be_false=_plain(evidence.could_be_false),
            to_ask=list(evidence.to_ask or ()) or None,
            holds_for=_scenario(evidence.true_scenario),
            fails_for=_scenario(evidence.false_scenario),
            witness=None if evidence.witness is None else list(map(_plain, evidence.witness.bindings)),
        ),
        **(_found_in(evidence) if evidence.rows is None else {"rows": to_plain(evidence.rows)}),
    }


def _found_in(evidence: Evidence) -> Answer:
    return {**_bindings("violated_by", evidence.violations), **_bindings("bindings", evidence.bindings)}


def _scenario(scenario: Scenario | None) -> Answer | None:
    """The variables and the values of one object: `x` is `a Person` where no constant names it."""
    if scenario is None:
        return None
    values = {each.name: each.value if each.named else f"some {each.sort}" for each in scenario.witness}
    return _plain(values | scenario.values)


def _election(election: OptionElection) -> Answer:
    named = _given(elected=election.elected)
    lists = {"holding": list(election.holding), "open": list(election.open)}
    shown = {key: names for key, names in lists.items() if election.elected is None and names}
    return {"question": election.name, "ask": election.ask, "outcome": election.outcome, **named, **shown}


def _bindings(key: str, found: Bindings | None) -> Answer:
    if found is None:
        return {}
    others = {f"{key}_possible": found.possible, f"{key}_undecided": found.undecided}
    return {
        key: list(map(_plain, found.certain)),
        **{other: list(map(_plain, bindings)) for other, bindings in others.items() if bindings},
        **_given(**{f"{key}_not_looked_at": found.cut or None}),
    }


def _core(items: Iterable[CoreItem] | None) -> list[Answer] | None:
    if items is None:
        return None
    return [
        {
            "pointer": each.pointer,
            "text": _premise(each),
            **_given(quotes=to_plain(each.quotes) or None),
        }
        for each in items
    ]


def _premise(item: CoreItem) -> str:
    """An assumption as the program says it; who has sent it has not written the rules of packs."""
    return f"{item.title}: {item.text}" if item.kind == "pack" else item.text


def _plain(values: Mapping[str, Any] | None) -> Answer | None:
    return None if values is None else {str(key): str(value) for key, value in values.items()}


def _optimum(found: OptimizationResult | None) -> Answer | None:
    if found is None:
        return None
    return {
        "status": str(found.status),
        "mode": found.mode,
        "objectives": [
            {
                key: str(value)
                for key, value in _given(**each._asdict()).items()
                if key not in _NOT_OF_OBJECTIVES
            }
            for each in found.objectives
        ],
        **_given(
            model=_plain(found.model),
            points=None if found.points is None else [_point(found, each) for each in found.points],
            points_complete=None if found.points is None else found.complete,
            because=_core(found.core),
            reason=found.reason or None,
            notes=list(found.notes) or None,
            if_sorts_were_closed=_optimum(found.closed),
        ),
    }


def _point(found: OptimizationResult, point: ParetoPoint) -> Answer:
    named = zip(found.objectives, point.values, strict=False)
    values = {each.name: str(value) for each, value in named if value is not None}
    return {"values": values, **_given(model=_plain(point.model))}
