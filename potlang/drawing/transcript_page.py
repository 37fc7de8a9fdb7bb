"""The page on a transcript: the question, what a model was asked and replied, the votes, what was decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from potlang.drawing.formulas import text_with_formulas
from potlang.drawing.page import (
    LONGEST_TEXT,
    Lead,
    Section,
    chip,
    cut,
    diagnostics_section,
    document,
    folded,
    version_words,
)
from potlang.models.endpoint import Message
from potlang.models.loop.asking import Attempt
from potlang.models.loop.results import totals_of
from potlang.models.loop.transcripts import ReadSample, ReadTranscript, ReportedVerdict, VoteCount
from potlang.report.html import Html, element, joined, table, text_html

_SAID: Final = {
    ("program", "entailed"): "What was asked follows from what the program states.",
    ("program", "refuted"): "The opposite of what was asked follows from what the program states.",
    ("program", "undetermined"): "What was asked may be true or false: the program leaves it open.",
    ("program", "inconsistent"): "What the program states contradicts itself.",
    ("program", "optimal"): "The best value was found.",
    ("trace", "accepted"): "Nothing in the trace was found to be wrong.",
    ("trace", "unfaithful"): "The trace judges what it proposes otherwise than solvers do.",
    ("trace", "inconsistent"): "What the trace states contradicts itself.",
    ("trace", "refuted"): "Something that the trace validates is refuted.",
    ("solution", "accepted"): "Nothing in the solution was found to be wrong.",
    ("solution", "refuted"): "A step of the solution is refuted.",
    ("solution", "open"): "Some steps of the solution are used by none.",
    ("solution", "inconsistent"): "Steps that are given contradict each other.",
}
"""The verdicts in words, by what was written."""
_NOUNS: Final = {"program": "claim", "answer": "claim", "trace": "node", "solution": "step"}
"""The things that have verdicts, by what was written."""
_PARTS: Final = {"arguments": "found in what it calls a tool with", "reasoning": "found in its thoughts"}
_MOST_FINDINGS: Final = 100
_FEW: Final = 30
_LONG: Final = 5 * LONGEST_TEXT
"""Characters of a text where there are few attempts."""


def transcript_page(found: ReadTranscript, name: str = "transcript") -> str:
    """The page on a transcript; `name` is what it is called. All its text is escaped."""
    page = _TranscriptPage(found)
    sections = (
        Section(
            "question", "Question", element("div", text_with_formulas(cut(found.question)), class_="text")
        ),
        Section("votes", "Votes", page.votes()),
        Section("attempts", "Attempts", page.attempts()),
        Section("result", f"The {found.written}", page.result()),
        Section("prompt", "What the model was told before", page.prompt()),
        Section("cost", "Cost", page.cost()),
    )
    lead = Lead("Transcript", [found.verdict], list(page.sentences()))
    return document(name, lead, sections, version_words(found.version))


class _TranscriptPage:
    """The parts of the page."""

    def __init__(self, found: ReadTranscript) -> None:
        self._found = found
        self._longest = _LONG if len(found.attempts) <= _FEW else LONGEST_TEXT
        self._first = found.attempts[0].messages[:1] if found.attempts else ()
        """The message that begins each conversation."""

    def sentences(self) -> Iterator[str]:
        """The answer, the verdict in words, and how it came about."""
        found = self._found
        if found.answer:
            yield f"The answer is {cut(found.answer)}."
        if found.verdict == "unknown":
            yield f"There is no answer{': ' if found.reason else ''}{cut(found.reason)}."
        elif (found.written, found.verdict) in _SAID:
            yield _SAID[found.written, found.verdict]
        if found.established is not None:
            yield f"It {'establishes' if found.established else 'does not establish'} its answer."
        if found.expected:
            yield found.expected
        asked = _counted(len(found.attempts), "request")
        yield f"{found.model or 'A model'} wrote {_counted(len(found.samples), found.written)} in {asked}."

    def votes(self) -> Html:
        """The votes as bars, and what the answer in prose says."""
        found = self._found
        most = max((each.votes for each in found.votes), default=0)
        prose = element("p", text_html(f"The answer in prose {cut(found.prose)}.")) if found.prose else None
        if len(found.samples) < 2 or not most:
            return joined((prose,))
        rows = (_vote(each, most) for each in found.votes)
        return joined((table(("answer", "votes", "share"), rows, class_="votes"), prose))

    def attempts(self) -> Html:
        """An overview, then each sample with its attempts."""
        samples = self._found.samples
        rows = map(self._overview, range(len(samples)))
        overview = table(("sample", "requests", "verdict"), rows, class_="overview")
        articles = (self._sample(number, each) for number, each in enumerate(samples))
        return joined((overview, *articles))

    def _title(self, number: int) -> str:
        return f"{self._found.written.capitalize()} {number + 1}"

    def _overview(self, number: int) -> Html:
        sample = self._found.samples[number]
        marks = (_mark(number, at, each) for at, each in enumerate(sample.attempts))
        is_chosen = number == self._found.chosen and len(self._found.samples) > 1
        chosen = element("span", " chosen", class_="note") if is_chosen else None
        return element(
            "tr",
            element("th", element("a", self._title(number), href=f"#sample-{number + 1}"), scope="row"),
            element("td", joined(marks, " "), class_="strip"),
            element("td", chip(sample.verdict), chosen),
        )

    def _sample(self, number: int, sample: ReadSample) -> Html:
        heading = element("h3", f"{self._title(number)} ", chip(sample.verdict), id=f"sample-{number + 1}")
        attempts = (self._attempt(number, at, each) for at, each in enumerate(sample.attempts))
        return element("article", heading, *attempts, class_="result")

    def _attempt(self, number: int, at: int, attempt: Attempt) -> Html:
        title = f"{at + 1}. {attempt.stage.capitalize()} "
        told = attempt.messages
        # The message that begins them all has a place of its own.
        told = told[1:] if told[:1] == self._first else told
        last = told[-1:] if attempt.stage == "second look" else ()
        return element(
            "div",
            element("h4", title, chip(*_outcome(attempt)), id=_attempt_id(number, at)),
            element("p", text_html(cut(attempt.problem)), class_="remark") if attempt.problem else None,
            element("p", ", ".join(_facts(attempt)), class_="note"),
            *(folded("Why it was asked again", self._text(each.text), is_open=True) for each in last),
            diagnostics_section(attempt.diagnostics).body,
            folded("All that it was told", joined(map(self._message, told))) if told and not last else None,
            folded("Its thoughts", self._text(attempt.reasoning)),
            folded("Its reply", self._text(attempt.reply)),
            folded("What it calls a tool with", self._text(attempt.arguments)),
            folded(f"The {self._found.written} in it", self._written(attempt)),
            class_="attempt",
        )

    def _message(self, message: Message) -> Html:
        return joined((element("p", f"{message.role}:", class_="note"), self._text(message.text)))

    def _written(self, attempt: Attempt) -> Html:
        """The text that was read of a reply, if that is another than the reply."""
        text = attempt.program or ""
        return Html("") if text.strip() == attempt.reply.strip() else self._text(text)

    def _text(self, text: str) -> Html:
        return (
            element("pre", text_html(cut(text, self._longest)), class_="source") if text.strip() else Html("")
        )

    def result(self) -> Html:
        """The report on the chosen sample, and its text."""
        chosen = self._found.chosen
        if chosen is None:
            return Html("")
        sample = self._found.samples[chosen]
        shown = sample.findings[:_MOST_FINDINGS]
        noun = _NOUNS[self._found.written]
        head = (noun, "verdict", "says")[: 3 if any(each.says for each in shown) else 2]
        rows = table(head, (_row(each, head) for each in shown), class_="cards") if shown else None
        more = len(sample.findings) - len(shown)
        note = element("p", f"{more:,} more are not shown.", class_="note") if more else None
        return joined((rows, note, folded(f"The {self._found.written} as text", self._text(sample.written))))

    def prompt(self) -> Html:
        """The system message, and the first message of each conversation."""
        system = folded("The system message", self._text(self._found.system))
        first = joined(self._text(each.text) for each in self._first)
        return joined((system, folded("The first message", first)))

    def cost(self) -> Html:
        """Calls, seconds, tokens and dollars."""
        attempts = self._found.attempts
        totals = totals_of(attempts)
        known = {
            "requests": f"{totals.calls:,}",
            "seconds": f"{totals.seconds:,.1f}",
            "tokens of prompts": _sum(each.prompt_tokens for each in attempts),
            "of these kept by the endpoint": _sum(each.cached_tokens for each in attempts),
            "tokens of replies": _sum(each.completion_tokens for each in attempts),
            "of these thoughts": _sum(each.reasoning_tokens for each in attempts),
            "US dollars": _sum((each.cost for each in attempts), ".4f"),
        }
        rows = (
            element("tr", element("th", name, scope="row"), element("td", value, class_="number"))
            for name, value in known.items()
            if value
        )
        return element("table", element("tbody", *rows), class_="cost")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _vote(vote: VoteCount, most: int) -> Html:
    width = round(100 * vote.votes / most, 2)
    bar = element(
        "svg",
        element("rect", width=width, height=8, rx=1),
        viewBox="0 0 100 8",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
    return element(
        "tr",
        element("th", text_with_formulas(cut(vote.name)) if vote.name else "none", scope="row"),
        element("td", f"{vote.votes:,}", class_="number"),
        element("td", bar, class_="bar"),
    )


def _outcome(attempt: Attempt) -> tuple[str, str]:
    """A verdict whose mark and colour stand for how a request ended, and that in words."""
    if attempt.failure:
        return "unknown", f"no reply: {attempt.failure}"
    return ("rejected", "not accepted") if attempt.problem else ("accepted", "accepted")


def _mark(number: int, at: int, attempt: Attempt) -> Html:
    word, said = _outcome(attempt)
    title = f"{at + 1}. {attempt.stage}: {said}"
    return element(
        "a", chip(word, str(at + 1)), href=f"#{_attempt_id(number, at)}", title=title, aria_label=title
    )


def _attempt_id(number: int, at: int) -> str:
    return f"attempt-{number + 1}-{at + 1}"


def _facts(attempt: Attempt) -> Iterator[str]:
    yield f"{attempt.seconds:.1f} s"
    if attempt.prompt_tokens is not None or attempt.completion_tokens is not None:
        yield f"{attempt.prompt_tokens or 0:,} + {attempt.completion_tokens or 0:,} tokens"
    if attempt.cost is not None:
        yield f"${attempt.cost:.4f}"
    if attempt.mended:
        yield f"{attempt.mended:,} safe fix{'' if attempt.mended == 1 else 'es'} made without asking"
    if attempt.part in _PARTS:
        yield _PARTS[attempt.part]
    if attempt.tries > 1:
        yield f"tried {attempt.tries:,} times"
    if attempt.from_cache:
        yield "kept from an earlier run"
    if attempt.answered_by:
        yield f"answered by {cut(attempt.answered_by)}"


def _row(found: ReportedVerdict, head: tuple[str, ...]) -> Html:
    cells = (
        element("th", text_html(cut(found.name)), scope="row", data_name=head[0]),
        element("td", chip(found.verdict) if found.verdict else None, data_name="verdict"),
        element("td", _said(found.says), data_name="says"),
    )
    return element("tr", *cells[: len(head)])


def _said(text: str) -> Html:
    """A text of a question, or of a step, with its formulas."""
    return element("div", text_with_formulas(cut(text)), class_="text") if text else Html("")


def _sum(counts: Iterator[float | None], form: str = ",") -> str:
    known = [each for each in counts if each is not None]
    return format(sum(known), form) if known else ""
