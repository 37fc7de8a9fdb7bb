"""What the tests of traces share: reading with a sink, and well-formedness decided in another way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from potlang.diag import Diagnostic, Sink
from potlang.languages.dot.read.reader import read_trace
from potlang.languages.dot.read.records import Profile, Record
from potlang.languages.dot.read.trace import Trace
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import Shuffle

ROOT = Path(__file__).parents[2]
APPENDIX_A = (ROOT / "examples" / "appendix_a.dot.txt").read_bytes()
HEAD = b"@node id=1 role=problem\nWhat is true?\n"


def read(data: bytes | str, profile: Profile = "paper", **options: Any) -> tuple[Trace, list[Diagnostic]]:
    trace = read_trace(data, sink := Sink(limit=100_000), profile=profile, **options)
    return trace, sink.diagnostics()


def trace_of(found: Iterable[Record], profile: Profile = "paper") -> Trace:
    """The trace of records that are well formed."""
    trace, reported = read(emit(found), profile)
    assert reported == []
    return trace


def codes(data: bytes | str, profile: Profile = "paper", **options: Any) -> list[str]:
    return [each.code for each in read(data, profile, **options)[1]]


def without_places(trace: Trace) -> list[Any]:
    """The records with their kinds, without their places."""
    places = ("start", "end", "json_start")
    return [
        (type(record).__name__, {k: v for k, v in record._asdict().items() if k not in places})
        for record in trace.records
    ]


@dataclass(frozen=True)
class Reordered:
    """Records of a trace under a profile, and another order of them."""

    found: list[Record]
    other: Shuffle
    profile: Profile


@dataclass(frozen=True)
class Compared:
    """The records of two small traces, which are nearly the same."""

    found: list[Record]
    other: list[Record]


# --- well-formedness, decided by regular expressions over the kinds of records, and loops --------------

_NATURAL = rb"(0|[1-9][0-9]*)"
_LINES = {
    "N": rb"@node id=%b role=(problem|proposer|critic|summarizer)" % _NATURAL,
    "E": rb"@edge src=%b dst=%b kind=(refine|critique|use)" % (_NATURAL, _NATURAL),
    "S": rb"@status target=%b mark=(validated|invalidated)(?: just=%b)?" % (_NATURAL, _NATURAL),
    "A": rb"@entails src=%b dst=%b(?: witness=%b)?(?: rank=%b)?" % ((_NATURAL,) * 4),
    "Q": rb"@eq src=%b dst=%b" % (_NATURAL, _NATURAL),
    "C": rb"@coeq src=%b dst=%b" % (_NATURAL, _NATURAL),
    "P": rb"@prop id=%b (.+)" % _NATURAL,
}
_ORDER = {
    "strict": r"(NE*S?A*Q*P?T*)+(ZB*)?",
    "paper": r"(NE*(SA*[QC]*P?T*|A*[QC]*P?T*|A*[QC]*P?T+ST*))+(ZB*)?",
}
_TRIPLES = {
    *(
        ("proposer", "critic", "critique"),
        ("proposer", "proposer", "refine"),
        ("critic", "proposer", "refine"),
    ),
    *(("proposer", "proposer", "use"), ("proposer", "summarizer", "use")),
}


def is_well_formed(data: bytes, profile: Profile = "paper") -> bool:
    """Whether a trace is well formed: the rules of the specification again, as directly as can be."""
    try:
        pieces = _pieces(data.removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return False
    oracle = _Oracle(profile)
    try:
        kinds = "".join(oracle.kind(*piece) for piece in pieces)
    except _Wrong:
        return False
    return re.fullmatch(_ORDER[profile], kinds) is not None


class _Wrong(Exception):
    pass


def _pieces(data: bytes) -> list[tuple[str, tuple[bytes, ...]]]:
    """The records, lines and fences in order; ValueError for what is none."""
    found: list[tuple[str, tuple[bytes, ...]]] = []
    at = 0
    while at < len(data):
        fence = re.compile(rb"@@len=%b@@" % _NATURAL).match(data, at)
        if fence:
            at = fence.end() + int(fence[1])
            tail = re.compile(rb"\r?(?:\n|\Z)").match(data, at)
            if at > len(data) or tail is None:
                raise ValueError
            data[fence.end() : at].decode()
            found.append(("T", (b"fence",)))
            at = tail.end()
            continue
        end = data.find(b"\n", at)
        line = data[at : end if end >= 0 else len(data)]
        line = line[:-1] if line.endswith(b"\r") else line
        found.append(_line(line))
        at = end + 1 if end >= 0 else len(data)
    return found


def _line(line: bytes) -> tuple[str, tuple[bytes, ...]]:
    line.decode()
    if not line.startswith(b"@"):
        return "T", (line,)
    for kind, pattern in _LINES.items():
        match = re.fullmatch(pattern, line, re.DOTALL)
        if match:
            return kind, match.groups()
    raise ValueError


class _Oracle:
    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.roles: dict[int, str] = {}
        self.states: dict[int, str] = {}
        self.ended = False

    @property
    def current(self) -> int:
        return max(self.roles, default=-1)

    @property
    def _summarizing(self) -> bool:
        return self.roles.get(self.current) == "summarizer"

    def _role(self, id_: Any) -> str:
        if int(id_) not in self.roles:
            raise _Wrong
        return self.roles[int(id_)]

    def _need(self, holds: bool) -> None:
        if not holds:
            raise _Wrong

    def kind(self, kind: str, fields: tuple[Any, ...]) -> str:
        if kind == "T":
            if self.ended and not fields[0].strip():
                return "B"
            if fields[0] != b"<summarizer:end>" or self.ended or not self._summarizing:
                return "T"
            self.ended = True
            return "Z"
        if kind == "N":
            self._need(int(fields[0]) > self.current)
            self.roles[int(fields[0])] = fields[1].decode()
        elif kind == "E":
            self._edge(int(fields[0]), int(fields[1]), fields[2].decode())
        elif kind == "S":
            self._need(self._role(fields[0]) == "proposer" and int(fields[0]) not in self.states)
            self._need(fields[2] is None or bool(self._role(fields[2])))
            self.states[int(fields[0])] = fields[1].decode()
        elif kind == "P":
            self._need(int(fields[0]) == self.current)
            self._need(_is_proposition(fields[1], self.roles.get(self.current) == "problem"))
        else:
            self._need(self._role(fields[0]) == self._role(fields[1]) == "proposer")
            if kind == "A":
                self._need(fields[2] is None or self._role(fields[2]) == "critic")
                self._need(fields[3] is None or self.profile == "paper")
        return kind

    def _edge(self, src: int, dst: int, edge_kind: str) -> None:
        self._need(dst == self.current and src < dst)
        triple = (self._role(src), self._role(dst), edge_kind)
        admitted = _TRIPLES | ({("problem", "proposer", "use")} if self.profile == "paper" else set())
        self._need(triple in admitted)
        self._need(triple[1] != "summarizer" or self.states.get(src) == "validated")


@cache
def schema() -> Draft202012Validator:
    text = (ROOT / "schemas" / "dot-prop-1.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text))


def _is_proposition(data: bytes, of_problem: bool) -> bool:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError
        return dict(pairs)

    def constant(_: str) -> None:
        raise ValueError

    try:
        value = json.loads(data.decode(), object_pairs_hook=members, parse_constant=constant)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:
        return False
    declares = isinstance(value, dict) and ("declare" in value or "assume" in value)
    return schema().is_valid(value) and (of_problem or not declares)
