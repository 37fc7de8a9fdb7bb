"""Reading and extracting DoT traces of growing size: `python benchmarks/traces.py --help`.

Each measurement is a process of its own, for its memory's sake, and its time is the processor's. The
growth per doubling is bounded; it counts in runs of a fixed loop, so that other load matters less.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import click

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from measure import growth, median, peak_megabytes  # noqa: E402
from outcome import finish  # noqa: E402
from tables import table  # noqa: E402

STAGES = ("read", "extract", "hash", "write", "stream")
_PIECE = 1 << 16
_MOST_GROWTH = 2.2
_TEXTS = (
    b"The condition holds.",
    "Das gilt – siehe oben.".encode(),
    b"",
    b"For x = 4 it is 4 > 2, so it is true.",
)


def trace_of_size(size: int) -> bytes:
    """A well-formed trace of so many records, text and fences among them, with every kind of record."""
    random = Random(size)
    lines = [b"@node id=1 role=problem", b'@prop id=1 {"declare": {"x": "Int"}}', b"What holds of x?"]
    valid: list[int] = []
    node = 1
    while len(lines) < size:
        node += 2
        lines += _round(random, node - 1, valid)
        valid.append(node - 1)
    return b"\n".join(lines[:size]) + b"\n"


def _round(random: Random, proposer: int, valid: Sequence[int]) -> list[bytes]:
    """A proposer that builds on earlier ones, and the critic that validates it."""
    critic = proposer + 1
    sources = [random.choice(valid) for _ in range(random.choice([1, 1, 2]))] if valid else [1]
    lines = [b"@node id=%d role=proposer" % proposer]
    lines += [b"@edge src=%d dst=%d kind=use" % (source, proposer) for source in sources]
    lines.append(
        b'@prop id=%d {"gt": [{"add": ["x", %d]}, %d]}' % (proposer, random.randrange(9), random.randrange(9))
    )
    lines.append(random.choice(_TEXTS))
    lines.append(b"@node id=%d role=critic" % critic)
    lines.append(b"@edge src=%d dst=%d kind=critique" % (proposer, critic))
    lines.append(b"@status target=%d mark=validated just=%d" % (proposer, critic))
    if valid and random.random() < 0.4:
        lines.append(b"@entails src=%d dst=%d witness=%d" % (proposer, random.choice(valid), critic))
    if valid and random.random() < 0.05:
        lines.append(b"@eq src=%d dst=%d" % (proposer, random.choice(valid)))
    lines.append(random.choice(_TEXTS) if random.random() < 0.9 else b"@@len=5@@@eq\xc3\xa9")
    return lines


def damaged_trace(size: int) -> bytes:
    """A trace of so many lines of which one in ten has lost, doubled or exchanged a byte."""
    random = Random(size + 1)
    lines = trace_of_size(size).splitlines(keepends=True)
    for at in random.sample(range(size), size // 10):
        line = bytearray(lines[at])
        where = random.randrange(len(line))
        line[where : where + 1] = random.choice([b"", line[where : where + 1] * 2, b"@", b"\xff", b"\n"])
        lines[at] = bytes(line)
    return b"".join(lines)


@dataclass(frozen=True, slots=True)
class Point:
    """Median milliseconds of each stage at one size, the peak in megabytes, and what was not right.

    `loops` is reading and extracting in runs of a fixed loop, timed before and behind: other processes
    on the machine slow both down. `stream_loops` is the same of the validator that reads pieces.
    """

    size: int
    ms: dict[str, float | None]
    loops: float | None
    stream_loops: float | None
    megabytes: float | None
    faults: list[str]

    @property
    def total(self) -> float | None:
        """Reading and extracting together."""
        read, extract = self.ms["read"], self.ms["extract"]
        return None if read is None or extract is None else read + extract


def loop_ms() -> float:
    """How long a fixed loop takes at the moment."""
    began = process_time()
    total = 0
    for number in range(3_000_000):
        total += number & 7
    return (process_time() - began) * 1000


def measure_one(size: int, damaged: bool) -> dict[str, Any]:
    """The stages once, in this process."""
    from potlang.diag import Sink
    from potlang.languages.dot.lower.canonical import digest
    from potlang.languages.dot.lower.extract import extract
    from potlang.languages.dot.read.reader import read_trace
    from potlang.languages.dot.stream.validator import Validator
    from potlang.languages.dot.write.emit import emit

    data = damaged_trace(size) if damaged else trace_of_size(size)
    read_trace(trace_of_size(50), sink := Sink())
    before = peak_megabytes()["self"]
    ms: dict[str, float] = {}

    def timed(stage: str, work: Callable[[], Any]) -> Any:
        began = process_time()
        result = work()
        ms[stage] = (process_time() - began) * 1000
        return result

    loop = loop_ms()
    trace = timed("read", lambda: read_trace(data, sink))
    timed("extract", lambda: extract(trace).index)
    loop = (loop + loop_ms()) / 2
    read_megabytes = peak_megabytes()["self"] - before
    timed("hash", lambda: digest(trace))
    written = timed("write", lambda: emit(trace))
    validator = Validator()

    def stream() -> None:
        for at in range(0, len(data), _PIECE):
            validator.push(data[at : at + _PIECE])

    before_stream = loop_ms()
    timed("stream", stream)
    stream_loops = 2 * ms["stream"] / (before_stream + loop_ms())
    right = written == data and len(trace.records) == size and not len(sink)
    right = right and validator.status == "complete"
    if damaged:
        right = not trace.is_well_formed and len(sink) > size // 50 and validator.status == "invalid"
    loops = (ms["read"] + ms["extract"]) / loop
    inclusions = len(extract(trace).inclusions)
    return {
        "ms": ms,
        "loops": loops,
        "stream_loops": stream_loops,
        "megabytes": read_megabytes,
        "right": right,
        "inclusions": inclusions,
    }


def measure(size: int, rounds: int, damaged: bool) -> Point:
    """A point from so many processes."""
    figures = []
    faults = []
    for _ in range(rounds):
        command = [sys.executable, __file__, "--one", str(size), *(["--damaged"] if damaged else [])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1_800, check=False)
        if done.returncode:
            faults.append(done.stderr.strip().splitlines()[-1] if done.stderr else f"exit {done.returncode}")
            continue
        figures.append(json.loads(done.stdout))
    if not all(each["right"] for each in figures):
        faults.append("what was read is not what was written")
    ms = {stage: median(each["ms"][stage] for each in figures) for stage in STAGES}
    loops = median(each["loops"] for each in figures)
    stream = median(each["stream_loops"] for each in figures)
    return Point(size, ms, loops, stream, median(each["megabytes"] for each in figures), faults)


def rows(points: Sequence[Point]) -> list[list[Any]]:
    """The points as rows of a table."""
    factors = [None, *(growth((a.size, b.size), (a.loops, b.loops)) for a, b in pairwise(points))]
    return [
        [
            point.size,
            *(point.ms[stage] for stage in STAGES),
            None if point.total is None else 1000 * point.total / point.size,
            point.megabytes,
            None if point.megabytes is None else point.megabytes * 2**20 / point.size,
            factor,
        ]
        for point, factor in zip(points, factors, strict=True)
    ]


HEADINGS = ("records", *STAGES, "us a record", "MB", "bytes a record", "growth")


def failures(points: Sequence[Point], most: float) -> list[str]:
    """What is not as it must be: faults, and a growth per doubling beyond the bound."""
    found = [f"{point.size}: {fault}" for point in points for fault in point.faults]
    for a, b in pairwise(points):
        factor = growth((a.size, b.size), (a.loops, b.loops))
        if factor is None or factor > most:
            found.append(f"{a.size} to {b.size}: grows {factor} times per doubling, at most {most}")
        streamed = growth((a.size, b.size), (a.stream_loops, b.stream_loops))
        # A damaged trace is left at its first violation, which is near its beginning.
        if a.stream_loops and a.stream_loops > 0.1 and (streamed is None or streamed > most):
            found.append(f"{a.size} to {b.size}: the stream grows {streamed} times, at most {most}")
    return found


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--sizes", default="62500,125000,250000,500000,1000000", show_default=True, help="Records.")
@click.option("--rounds", default=3, show_default=True, help="Processes for each size; medians count.")
@click.option("--max-growth", default=_MOST_GROWTH, show_default=True, help="Bound on growth per doubling.")
@click.option("--damaged", is_flag=True, help="One line in ten is damaged.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--check", is_flag=True, help="Exit with 1 if a bound is not kept.")
@click.option("--one", type=int, hidden=True)
def main(
    sizes: str,
    rounds: int,
    max_growth: float,
    damaged: bool,
    json_path: Path | None,
    check: bool,
    one: int | None,
) -> None:
    """Read, extract, hash and write traces of growing size; times in milliseconds, medians."""
    if one is not None:
        click.echo(json.dumps(measure_one(one, damaged)))
        return
    points = [measure(int(size), rounds, damaged) for size in sizes.split(",")]
    click.echo(table(HEADINGS, rows(points)))
    failed = failures(points, max_growth)
    figures = [asdict(point) for point in points]
    finish("traces", {"points": figures}, failed, json_path, check)


if __name__ == "__main__":
    main()
