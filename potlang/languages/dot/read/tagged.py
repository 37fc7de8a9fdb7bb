"""The role-tagged form `<proposer>…</proposer>` of the public prompt, read as an untyped trace.

Each tagged part becomes a node, in order, with its text. There are no edges, no statuses and no
propositions in this form, so nothing is claimed; text outside of tags is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from potlang.diag import Applicability, Sink
from potlang.languages.dot.read.lookalike import opening_of
from potlang.languages.dot.read.raw import Raw
from potlang.languages.dot.read.records import END_MARK, End, Fence, FreeText, Node, Profile, Record, Role
from potlang.languages.dot.read.rules import Violations
from potlang.languages.dot.read.trace import LeftOut, Trace
from potlang.source import Document

_TAG = re.compile(rb"<(/?)(problem|proposer|critic|summarizer)>")
_LINE = re.compile(rb"[^\n]+\n?|\n")


def free(content: bytes, block: int | None, start: int = 0, end: int = 0) -> FreeText | Fence:
    """Free text as a line if it can stand as one, else as a fence."""
    is_line = b"\n" not in content and not content.startswith(b"@") and not content.endswith(b"\r")
    kind = FreeText if is_line and content != END_MARK else Fence
    return kind(content, block, start, end)


def read_tagged(raw: Raw, document: Document, sink: Sink, profile: Profile, start: int, end: int) -> Trace:
    """The nodes of the tagged parts in the bytes `[start, end)`, numbered from 1."""
    before = len(sink)
    records: list[Record] = []
    nodes: dict[int, Node] = {}
    violations = Violations(sink, raw)
    for role, first, last, text in _parts(violations, start, end):
        node = Node(len(nodes) + 1, role, first, last)
        nodes[node.id] = node
        records.append(node)
        records.extend(_lines(raw.data, node, text, violations))
    if not nodes:
        violations.report("POT5006", start, start)
    well_formed = len(sink) == before
    left_out = tuple(_left_out(raw.data, start, end))
    return Trace(
        tuple(records), nodes, {}, {}, profile, document, well_formed, raw, is_typed=False, left_out=left_out
    )


def _left_out(data: bytes, start: int, end: int) -> Iterator[LeftOut]:
    """The text outside of tags: behind a closing tag or at the start, before an opening one or at the end."""
    is_open = False
    for tag in _TAG.finditer(data, start, end):
        if not is_open and data[start : tag.start()].strip():
            yield _part_left_out(data, start, tag.start())
        is_open = not tag[1]
        start = tag.end()
    if not is_open and data[start:end].strip():
        yield _part_left_out(data, start, end)


def _part_left_out(data: bytes, start: int, end: int) -> LeftOut:
    lines = data[start:end].split(b"\n")
    return LeftOut(start, end, sum(opening_of(line) > 0 for line in lines))


def _parts(violations: Violations, start: int, end: int) -> Iterator[tuple[Role, int, int, tuple[int, int]]]:
    """Each tagged part: its role, the span of its opening tag, and the span of its text."""
    opened: Any = None
    for tag in _TAG.finditer(violations.raw.data, start, end):
        if not tag[1]:
            if opened is not None:
                _report_unclosed(violations, opened, tag.start())
                yield _part(opened, tag.start())
            opened = tag
        elif opened is not None and opened[2] == tag[2]:
            yield _part(opened, tag.start())
            opened = None
        else:
            fix = violations.fix("remove it", Applicability.UNSAFE, (*tag.span(), ""))
            violations.report("POT5051", *tag.span(), fixes=[fix], role=tag[2].decode())
    if opened is not None:
        _report_unclosed(violations, opened, end)
        yield _part(opened, end)


def _report_unclosed(violations: Violations, opened: Any, at: int) -> None:
    role = opened[2].decode()
    text = f"</{role}>\n" if at else f"</{role}>"
    fix = violations.fix(f"close it with `</{role}>`", Applicability.UNSAFE, (at, at, text))
    violations.report("POT5050", *opened.span(), primary="opened here", fixes=[fix], role=role)


def _part(opened: Any, end: int) -> tuple[Role, int, int, tuple[int, int]]:
    return cast(Role, opened[2].decode()), opened.start(), opened.end(), (opened.end(), end)


def _lines(data: bytes, node: Node, span: tuple[int, int], violations: Violations) -> Iterator[Record]:
    """The text of a part line by line, without blank lines around it."""
    start, end = span
    text = data[start:end]
    end = start + len(text.rstrip())
    start += len(text) - len(text.lstrip())
    for line in _LINE.finditer(data, start, max(start, end)):
        content = line[0].rstrip(b"\r\n")
        last = line.start() + len(content)
        if content == END_MARK and node.role == "summarizer":
            yield End(node.id, line.start(), last)
            return
        violations.check_utf8("the text", line.start(), last)
        yield free(content, node.id, line.start(), last)
