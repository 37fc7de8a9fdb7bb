"""The rules of a well-formed trace: a code each, its paragraph in `spec/20-dot.md`, and its wording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from potlang import diag
from potlang.diag import CODES, Applicability, Diagnostic, Fix, Label, Replace, Sink
from potlang.languages.dot.read.raw import Raw
from potlang.reading.embedded import EmbeddedDocument
from potlang.source import Document


class TraceRule(NamedTuple):
    """A rule: the paragraph of the specification that states it, what it says, and what to do."""

    section: str
    text: str
    help: str = ""


_FENCE = "text that begins with @ goes into a fence: `@@len=N@@` and N bytes"
_EARLIER = "a record refers to nodes whose `@node` stands above it"
RULES: Mapping[str, TraceRule] = MappingProxyType(
    {
        "POT5001": TraceRule("DOT-LEX-3", "a line that begins with @ is a record or a fence", _FENCE),
        "POT5002": TraceRule("DOT-LEX-4", "the fields of a record have one form and one order"),
        "POT5003": TraceRule(
            "DOT-FENCE-1", "a fence takes exactly N bytes", "write the number of bytes that follow `@@`"
        ),
        "POT5004": TraceRule(
            "DOT-FENCE-2", "the line ends after the bytes of a fence", "count the bytes of the fence again"
        ),
        "POT5005": TraceRule("DOT-LEX-1", "a trace is UTF-8", "save the text as UTF-8"),
        "POT5006": TraceRule(
            "DOT-GRAM-1", "a trace is one or more blocks", "begin with `@node id=1 role=problem`"
        ),
        "POT5007": TraceRule("DOT-GRAM-1", "a trace begins with `@node`", "move it into the block of a node"),
        "POT5008": TraceRule("DOT-GRAM-2", "the records of a block have one order"),
        "POT5009": TraceRule("DOT-GRAM-3", "a block has at most one `@status` and one `@prop`"),
        "POT5010": TraceRule(
            "DOT-END-1", "nothing follows the end of a trace", "move the end behind it, or remove it"
        ),
        "POT5011": TraceRule(
            "DOT-END-2", "a trace has no more records than its budget", "end it earlier, or raise the budget"
        ),
        "POT5012": TraceRule("DOT-PROF-2", "the profile `strict` is the paper's grammar to the letter"),
        "POT5013": TraceRule(
            "STREAM-BUDGET", "a trace stays within its budgets", "end it earlier, or raise the budget"
        ),
        "POT5014": TraceRule(
            "DOT-END-3",
            "where its end is required, a trace has it",
            "end the last summarizer with `<summarizer:end>`",
        ),
        "POT5066": TraceRule(
            "DOT-LOOKS",
            "a record begins at the very start of its line",
            "remove what stands before the `@`",
        ),
        "POT5067": TraceRule(
            "DOT-REPLY",
            "what stands around the trace of a reply is no part of it",
            "answer with the trace alone",
        ),
        "POT5020": TraceRule("DOT-NODE-1", "ids strictly increase", "give the node the next free id"),
        "POT5021": TraceRule("DOT-REF-1", "a record refers to earlier nodes alone", _EARLIER),
        "POT5022": TraceRule(
            "DOT-EDGE-1", "an edge ends in the node of its block", "move it into the block of that node"
        ),
        "POT5023": TraceRule(
            "DOT-EDGE-2", "the source of an edge is less than its target", "let it come from an earlier node"
        ),
        "POT5024": TraceRule("DOT-EDGE-3", "the roles of both ends must admit the kind of the edge"),
        "POT5025": TraceRule("DOT-EDGE-4", "the block of a critic has critique edges alone"),
        "POT5026": TraceRule(
            "DOT-EDGE-5", "a summarizer uses validated proposers alone", "validate it first, or leave it out"
        ),
        "POT5030": TraceRule(
            "DOT-STAT-1", "a status is that of a proposer", "name the proposition that was examined"
        ),
        "POT5031": TraceRule(
            "DOT-STAT-2", "the first status of a node stands", "refine the proposition under a new id"
        ),
        "POT5032": TraceRule(
            "DOT-ARR-1", "arrows and equalities join proposers", "name two nodes whose role is `proposer`"
        ),
        "POT5033": TraceRule(
            "DOT-ARR-2", "the witness of an arrow is a critic", "name a critic, or leave `witness=` out"
        ),
        "POT5040": TraceRule(
            "DOT-PROP-1", "a `@prop` is that of the node of its block", "move it into the block of that node"
        ),
        "POT5041": TraceRule(
            "DOT-PROP-3",
            "the JSON is a proposition, or what the problem declares",
            "`schemas/dot-prop-1.json` describes it",
        ),
        "POT5042": TraceRule(
            "DOT-PROP-4", "the problem alone declares and assumes", "move it to the `@prop` of the problem"
        ),
        "POT5050": TraceRule(
            "DOT-TAG-1", "each opening tag has its closing tag", "close it before the next tag"
        ),
        "POT5051": TraceRule("DOT-TAG-1", "each closing tag has its opening tag", "open it before the text"),
        "POT5052": TraceRule(
            "DOT-ROLE-1",
            "a block begins with the role token of its node",
            "write `<role>` above its `@node`",
        ),
    }
)
JSON_RULE = TraceRule(
    "DOT-PROP-2",
    "after the id there is one JSON value, up to the end of the line",
    "write the whole JSON on the line of its `@prop`",
)


def rule_name(code: str) -> str:
    """The name of the rule that a diagnostic of a trace says is broken: the register's short name."""
    return CODES[code].slug


def located(diagnostics: Iterable[Diagnostic], document: Document) -> tuple[dict[str, Any], ...]:
    """Diagnostics of a trace as JSON values, each with its rule (`schemas/diagnostics-1.json`)."""
    return tuple(
        {**diag.diagnostic_to_json(each, document), "rule": rule_name(each.code)} for each in diagnostics
    )


def rule_of(code: str) -> TraceRule:
    """The rule behind a code; the codes of reading JSON all come from a `@prop`."""
    return RULES.get(code, JSON_RULE)


class Violations:
    """Reports what is not well formed, with places in bytes, the rule and its help."""

    __slots__ = ("raw", "sink")

    def __init__(self, sink: Sink, raw: Raw) -> None:
        self.sink = sink
        self.raw = raw

    def report(
        self,
        code: str,
        start: int,
        end: int,
        *,
        primary: str = "",
        labels: Iterable[tuple[int, int, str]] = (),
        helps: Iterable[str] = (),
        fixes: Iterable[Fix] = (),
        **fields: Any,
    ) -> None:
        """Adds a diagnostic at the bytes `[start, end)`."""
        place = self.raw.place
        rule = RULES.get(code)
        self.sink.report(
            code,
            place(start, end),
            primary=primary,
            labels=[Label(place(first, last), text) for first, last, text in labels],
            notes=[] if rule is None else [note(rule)],
            helps=[*helps, *([rule.help] if rule is not None and rule.help else [])],
            fixes=fixes,
            **fields,
        )

    def check_utf8(self, what: str, start: int, end: int) -> bool:
        """Whether the bytes `[start, end)` are UTF-8; the first byte that is not is reported."""
        content = self.raw.data[start:end]
        if content.isascii():
            return True
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            at = start + error.start
            self.report("POT5005", at, start + error.end, primary=f"byte {at}", what=what)
            return False
        return True

    def fix(self, title: str, how: Applicability, *edits: tuple[int, int, str]) -> Fix:
        """A fix whose edits replace bytes `[start, end)` by a text."""
        return Fix(title, how, tuple(self._edit(*edit) for edit in edits))

    def _edit(self, start: int, end: int, text: str) -> Replace:
        span = self.raw.place(start, end).span or (0, 0)
        return Replace("", *span, text)

    def adopt(self, diagnostic: Diagnostic, inner: EmbeddedDocument, fixes: Iterable[Fix] = ()) -> None:
        """Adds a diagnostic that was made for the JSON text of a record, with other fixes if there are."""
        row = rule_of(diagnostic.code)
        moved = inner.diagnostic(diagnostic)
        notes, helps = (*moved.notes, note(row)), (*moved.helps, row.help)
        self.sink.add(moved._replace(notes=notes, helps=helps, fixes=tuple(fixes) or moved.fixes))


def note(rule: TraceRule) -> str:
    """A rule as diagnostics cite it."""
    return f"rule {rule.section}: {rule.text}"
