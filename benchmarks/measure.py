"""Timing, memory and statistics: medians of interleaved runs, peaks of a process and its children."""

from __future__ import annotations

import gc
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

PACKAGES = ("potlang", "z3-solver", "cvc5", "pysmt", "lark", "jsonschema", "proofofthought")


class Subject(Protocol):
    """Something to be timed: `prepare` is not, `run` is."""

    def prepare(self) -> None:
        """Get ready for one run."""

    def run(self) -> None:
        """Do the work once."""


def interleaved(subjects: Mapping[str, Subject], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each run, by subject.

    Each round runs every subject once, beginning with another one each time, so that drift of the
    machine falls on all of them alike.
    """
    names = list(subjects)
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        first = turn % len(names) if names else 0
        for name in names[first:] + names[:first]:
            times[name].append(timed(subjects[name]))
    return times


def timed(subject: Subject) -> float:
    """Milliseconds of one run."""
    subject.prepare()
    began = time.perf_counter()
    subject.run()
    return (time.perf_counter() - began) * 1000


def collect() -> None:
    """Collect garbage now, so that one contender does not pay for another's."""
    gc.collect()


def median(values: Iterable[float]) -> float | None:
    """The median; None of nothing."""
    found = list(values)
    return statistics.median(found) if found else None


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` of the values do not exceed; None of nothing."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def ratio(value: float | None, to: float | None) -> float | None:
    """`value / to`; None if either is not known or there is nothing to divide by."""
    return None if value is None or not to else value / to


def growth(sizes: tuple[int, int], values: tuple[float | None, float | None]) -> float | None:
    """The factor by which the value grows when the size doubles, from two points."""
    factor = ratio(values[1], values[0])
    if factor is None or factor <= 0 or sizes[0] == sizes[1]:
        return None
    return float(factor ** (1 / math.log2(sizes[1] / sizes[0])))


def fitted_growth(sizes: Sequence[int], values: Sequence[float | None]) -> float | None:
    """The growth per doubling that fits all points best (least squares of the logarithms)."""
    pairs = [(math.log2(s), math.log2(v)) for s, v in zip(sizes, values, strict=True) if v and s > 0]
    if len({x for x, _ in pairs}) < 2:
        return None
    slope, _ = statistics.linear_regression([x for x, _ in pairs], [y for _, y in pairs])
    return float(2**slope)


# --- memory ---


def peak_megabytes() -> dict[str, float]:
    """Peak resident memory so far: of this process, and of the largest of its children."""
    return {"self": _own_peak(), "child": max([_waited_peak(), *_living_peaks()])}


def _own_peak() -> float:
    import resource

    return _megabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _waited_peak() -> float:
    import resource

    return _megabytes(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)


def _megabytes(maxrss: int) -> float:
    return maxrss / (1 << 20) if sys.platform == "darwin" else maxrss / 1024


def resident_megabytes() -> tuple[float | None, float | None]:
    """Resident memory now: of this process, and of its living children together (Linux; else unknown)."""
    own = _status(Path("/proc/self/status"))
    if "VmRSS" not in own:
        return None, None
    return _status_megabytes(own, "VmRSS"), sum(_status_megabytes(each, "VmRSS") for each in _children())


def _living_peaks() -> list[float]:
    """The peaks of children that are still there (Linux; elsewhere nothing is known of them)."""
    return [_status_megabytes(each, "VmHWM") for each in _children()]


def _children() -> Iterator[dict[str, str]]:
    """What the system says of each child that is there and not yet dead."""
    for path in Path("/proc").glob("[0-9]*/status"):
        found = _status(path)
        if found.get("PPid", "").strip() == str(os.getpid()) and "VmRSS" in found:
            yield found


def _status(path: Path) -> dict[str, str]:
    try:
        text = path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return {}
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def _status_megabytes(status: Mapping[str, str], name: str) -> float:
    return int(status[name].split()[0]) / 1024


# --- the machine ---


def machine() -> dict[str, Any]:
    """Where and with what the figures were taken."""
    return {
        "date": time.strftime("%Y-%m-%d"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := _version(name))},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
