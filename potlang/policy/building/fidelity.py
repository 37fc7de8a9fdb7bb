"""How faithful a policy is to its document: sentences with their rules, flags, conflicts ([BUILD-REPORT])."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from potlang.diag import Severity
from potlang.diag.wording import counted, visible
from potlang.languages.pot.program import Program
from potlang.models.endpoint import Model, Sampling
from potlang.models.loop.asking import Attempt
from potlang.policy.building.builder import USUAL, BuildProgress, ExtractedPolicy, ModelFor, PolicyBuilder
from potlang.policy.building.draft import PolicyDraft, formulas_of, title_of
from potlang.policy.building.earlier import EarlierBuild, carried_over
from potlang.policy.building.examination import PolicyFinding, examined
from potlang.policy.building.flags import PolicyFlag, flags_of
from potlang.policy.building.reading import SourceDocument, SourceSentence
from potlang.policy.building.replies import JudgedSentence
from potlang.policy.describing import describe
from potlang.report.base import to_plain
from potlang.report.results import Consistency, CoreItem, Limits
from potlang.report.text import quotation_lines
from potlang.utils.style import Style
from potlang.version import __version__

Status = Literal["covered", "ignored", "ambiguous", "not read"]
FORMAT = 1


class ItemWords(NamedTuple):
    """A fact, a rule or a declaration: title, formulas, sentence in plain words, and what it cites."""

    title: str
    pointer: str
    text: str
    words: str
    cites: tuple[int, ...]


class SentenceFidelity(NamedTuple):
    """A sentence with its place and what became of it; `items` are the titles of what cites it."""

    number: int
    text: str
    kind: str
    start: int
    end: int
    status: Status
    reason: str
    readings: tuple[str, ...]
    items: tuple[str, ...]


class ModelUse(NamedTuple):
    """The replies that were asked for, of these refused ones, and their tokens as far as they are known."""

    replies: int
    refused: int
    prompt_tokens: int
    completion_tokens: int


class FidelityReport(NamedTuple):
    """A policy that was built of a document, and how faithful it is.

    `consistency` is None where the program does not compile; `conflict` are the assumptions that contradict
    each other. `problems` say which replies were given up, `failure` is that of the endpoint.
    """

    name: str
    sha256: str
    sentences: tuple[SentenceFidelity, ...]
    items: tuple[ItemWords, ...]
    flags: tuple[PolicyFlag, ...]
    consistency: Consistency | None
    conflict: tuple[CoreItem, ...]
    findings: tuple[PolicyFinding, ...]
    problems: tuple[str, ...]
    failure: str
    use: ModelUse
    program: dict[str, Any]

    @property
    def is_complete(self) -> bool:
        """Whether every sentence was read, and the policy does not contradict itself."""
        read = all(each.status != "not read" for each in self.sentences)
        return read and not self.problems and self.consistency is Consistency.CONSISTENT

    @property
    def warnings(self) -> int:
        """The number of the findings that are warnings."""
        return sum(each.severity is Severity.WARNING for each in self.findings)

    def counts(self) -> dict[str, int]:
        """The number of sentences of each status."""
        found = dict.fromkeys(("covered", "ignored", "ambiguous", "not read"), 0)
        for each in self.sentences:
            found[each.status] += 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values; `earlier_build` reads them again."""
        head = {"potlang_build": FORMAT, "potlang": __version__, "coverage": self.counts()}
        return {**head, **to_plain(self._replace(program={})), "program": self.program}

    def render(self, *, color: bool = False) -> str:
        """The report as text."""
        return "\n".join(_lines(self, Style(color)))

    def __str__(self) -> str:
        return self.render()


def build_policy(
    source: SourceDocument,
    model: Model | ModelFor,
    *,
    earlier: EarlierBuild | None = None,
    sampling: Sampling = USUAL,
    progress: BuildProgress | None = None,
    limits: Limits = Limits(),
) -> FidelityReport:
    """Has a model write the policy of a document ([BUILD-STAGES]), and says how faithful it is.

    `model` completes conversations, or is a function of a stage and the numbers of its sentences that gives
    one. Of a document with an `earlier` build only what changed is asked about. `progress` is called with the
    stage, the sentences and each attempt. What a model or its endpoint does never raises.
    """
    draft, readings = (None, None) if earlier is None else carried_over(earlier, source)
    model_for = model if callable(model) else lambda stage, numbers: model
    builder = PolicyBuilder(
        source, model_for, sampling=sampling, progress=progress, draft=draft, readings=readings
    )
    return fidelity(source, builder.build(limits), limits=limits)


def fidelity(source: SourceDocument, found: ExtractedPolicy, *, limits: Limits = Limits()) -> FidelityReport:
    """The report on a policy that was extracted, after it was compiled, verified and linted."""
    whole = found.examined or examined(found.draft, source, limits)
    citing = found.draft.citing()
    return FidelityReport(
        source.name,
        source.sha256,
        tuple(_sentence(each, found.readings.get(each.number), citing) for each in source.sentences),
        tuple(_items(found.draft, whole.checked.program)),
        flags_of(source, found.draft, found.readings),
        whole.consistency,
        whole.conflict,
        whole.findings,
        found.problems,
        found.failure,
        _use(found.attempts),
        found.draft.program(source),
    )


def _sentence(
    each: SourceSentence, reading: JudgedSentence | None, citing: Mapping[int, list[str]]
) -> SentenceFidelity:
    items = tuple(dict.fromkeys(citing.get(each.number, ())))
    place = (each.number, each.text, each.kind, each.start, each.end)
    if reading is None:
        return SentenceFidelity(*place, "not read", "", (), items)
    return SentenceFidelity(*place, reading.status, reading.reason, reading.readings, items)


def _items(draft: PolicyDraft, program: Program | None) -> Iterator[ItemWords]:
    """All items; facts and rules read back as sentences."""
    said = {} if program is None else {each.pointer: each.sentence for each in describe(program).rules}
    for section, at, item in draft.items():
        pointer = f"/{section}/{at}"
        text = "; ".join(formulas_of(item))
        words = said.get(pointer) or str(item.get("description") or "")
        yield ItemWords(title_of(section, at, item), pointer, text, words, tuple(item.get("cites", ())))


def _use(attempts: Iterable[Attempt]) -> ModelUse:
    every = list(attempts)
    return ModelUse(
        len(every),
        sum(bool(each.problem) for each in every),
        sum(each.prompt_tokens or 0 for each in every),
        sum(each.completion_tokens or 0 for each in every),
    )


# --- as text ---------------------------------------------------------------------------------------


def _lines(report: FidelityReport, style: Style) -> Iterator[str]:
    by_title = {each.title: each for each in report.items}
    for each in report.sentences:
        yield f"{each.number:>4}  {_status(each, style)}  {visible(each.text)}"
        if each.reason:
            yield f"      {visible(each.reason)}"
        yield from (f"      read as: {visible(one)}" for one in each.readings)
        for title in each.items:
            item = by_title[title]
            yield f"      {visible(title)}: {visible(item.words or item.text)}".rstrip(": ")
    yield from _titled("To look at", map(_flag, report.flags))
    yield from _titled("Found by solvers", (line for each in report.findings for line in _finding(each)))
    yield from _titled("These contradict each other", _conflict(report.conflict))
    yield from _titled("Given up", map(visible, report.problems))
    yield ""
    yield summary(report)


def summary(report: FidelityReport) -> str:
    """The report in one line."""
    statuses = ", ".join(f"{count} {status}" for status, count in report.counts().items() if count)
    rules = sum(each.pointer.startswith("/rules/") for each in report.items)
    consistency = "it does not compile" if report.consistency is None else str(report.consistency)
    read = counted(len(report.sentences), "sentence")
    return (
        f"{visible(report.name)}: {read} ({statuses}), {counted(rules, 'rule')}, "
        f"{counted(len(report.flags), 'flag')}, {consistency}"
    )


def _status(each: SentenceFidelity, style: Style) -> str:
    return (
        style("bold", f"{each.status:<9}")
        if each.status in ("ambiguous", "not read")
        else f"{each.status:<9}"
    )


def _titled(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield from ("", title, *(f"  {line}" for line in found))


def _flag(flag: PolicyFlag) -> str:
    where = flag.item or f"sentence {flag.sentence}"
    return visible(f"{where}: {flag.text} ({flag.kind})")


def _finding(found: PolicyFinding) -> Iterator[str]:
    yield visible(f"{', '.join(found.items) or 'the policy'}: {found.text} ({found.code})")
    yield from (f"  {line}" for line in quotation_lines(found.sentences))


def _conflict(core: Iterable[CoreItem]) -> Iterator[str]:
    for item in core:
        yield visible(f"{item.kind} {item.title}: {item.text}")
        yield from (f"  {line}" for line in quotation_lines(item.quotes))
