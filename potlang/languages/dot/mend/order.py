"""A block with its records in their order: blank lines between them go, and text stands behind them."""

from __future__ import annotations

from typing import NamedTuple

from potlang.languages.dot.mend.lines import TraceLine
from potlang.languages.dot.read.records import Profile

_SLOTS = {"node": 0, "edge": 1, "status": 2, "entails": 3, "eq": 4, "coeq": 4, "prop": 5}


class Ordered(NamedTuple):
    """The bytes `[start, end)` of a block, and what is to stand there; `moved`: not blank lines alone."""

    start: int
    end: int
    text: bytes
    moved: bool


def ordered(data: bytes, block: list[TraceLine], profile: Profile) -> Ordered | None:
    """A block in the order of its records; None if it has that, or records stand behind its end."""
    places = [index for index, line in enumerate(block) if line.kind in _SLOTS]
    if any(line.kind == "end" for line in block[: places[-1]]):
        return None
    kept = [line for index, line in enumerate(block) if line.kind != "blank" or index > places[-1]]
    late = _late_status(kept) if profile == "paper" else None
    records = [line for line in kept if line.kind in _SLOTS and line is not late]
    records.sort(key=lambda line: _SLOTS[line.kind])
    free = [line for line in kept if line.kind not in _SLOTS or line is late]
    wanted = records + free
    if wanted == block:
        return None
    start, end = block[0].start, block[-1].end
    return Ordered(start, end, _joined(data, wanted, data[start:end]), wanted != kept)


def _late_status(lines: list[TraceLine]) -> TraceLine | None:
    """The status of a block, if it stands behind text, as the profile `paper` admits."""
    found = [index for index, line in enumerate(lines) if line.kind == "status"]
    if len(found) != 1:
        return None
    before = [line for line in lines[: found[0]] if line.kind not in _SLOTS]
    return lines[found[0]] if before else None


def _joined(data: bytes, lines: list[TraceLine], old: bytes) -> bytes:
    """The lines in their new order, each with its line end; the last one ends as the block did."""
    ends = b"\r\n" if b"\r\n" in old else b"\n"
    parts = [data[line.start : line.end] for line in lines]
    text = b"".join(part if part.endswith(b"\n") else part + ends for part in parts)
    return text if old.endswith(b"\n") else text.removesuffix(b"\n").removesuffix(b"\r")
