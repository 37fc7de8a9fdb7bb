"""Free text that looks like a record: bulleted, indented or quoted, so that it was not read as one."""

from __future__ import annotations

import re

from potlang.diag import Applicability, Sink
from potlang.languages.dot.read.records import FreeText
from potlang.languages.dot.read.rules import Violations
from potlang.languages.dot.read.shapes import SHAPES
from potlang.languages.dot.read.trace import Trace

_MOST = 100
"""Lines that are reported one by one."""
_NUMBER = r"[0-9]{1,4}[.)]"
_RECORD = rf"@(?:{'|'.join(SHAPES)})[ \t]+[a-z]+="
# One run of one class, then perhaps a number and another run: no bytes can be matched in many ways. The
# bytes above 127 are those of a bullet, a dash and a no-break space in UTF-8.
_MARKS = r"[ \t>*+|#`\"'\xc2\xa0\xe2\x80\xa2\x93\x94-]"
_LOOKS = re.compile(
    rf"(?:{_MARKS}{{1,40}}|(?={_NUMBER}))(?:{_NUMBER}{_MARKS}{{1,8}})?(?={_RECORD})".encode("latin-1")
)


def opening_of(line: bytes) -> int:
    """How many bytes stand before the record that a line of text looks like; 0 if it looks like none."""
    found = _LOOKS.match(line)
    return 0 if found is None else found.end()


def report_unread(trace: Trace, sink: Sink) -> bool:
    """Warns of lines of text that look like records (POT5066); whether there are any, left out or not."""
    violations, found = Violations(sink, trace.raw), 0
    for record in trace.of(FreeText):
        opening = _LOOKS.match(record.content)
        if opening is None:
            continue
        found += 1
        if found > _MOST:
            break
        start = record.start + opening.end()
        how = Applicability.SAFE if not opening[0].strip() else Applicability.UNSAFE
        fix = violations.fix("let it begin its line", how, (record.start, start, ""))
        word = record.content[opening.end() :].split(b" ", 1)[0].split(b"\t", 1)[0].decode()
        violations.report("POT5066", start, record.end, fixes=[fix], kind=word)
    return found > 0 or any(part.records and not part.thoughts for part in trace.left_out)
