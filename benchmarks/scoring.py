"""Scoring DAG-MATH samples: the metrics beside the same written plainly over networkx, growth, memory."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from measure import growth, median, ratio  # noqa: E402

LEVELS = range(101)
_PROBLEMS = 300
_MODELS = 5
_BATCH = 1 << 20


# --- samples -------------------------------------------------------------------------------------


def lines(count: int, seed: int = 1) -> Iterator[bytes]:
    """So many samples, 22 to 38 steps each and about 45 edges; texts as long as models write them."""
    random = Random(seed)
    words = "we substitute the value into the equation and simplify by the distributive law to obtain it"
    for number in range(count):
        size = random.randint(22, 38)
        steps = [_step(random, at, size, words) for at in range(1, size + 1)]
        sample = {
            "problem_id": f"p{number % _PROBLEMS}",
            "model": f"m{number % _MODELS}",
            "dataset": "synthetic",
            "sample": number,
            "difficulty": number % 6 + 0.5,
            "answer": "42",
            "steps": steps,
        }
        yield json.dumps(sample).encode() + b"\n"


def _step(random: Random, at: int, size: int, words: str) -> dict[str, Any]:
    if at < 5:
        return {
            "step_id": at,
            "edge": "This is given by the problem.",
            "direct_dependent_steps": None,
            "node": f"$x_{{{at}}} = {random.randint(1, 999)}$.",
        }
    parents = sorted(random.sample(range(max(1, at - 7), at), random.choice((1, 1, 2, 2, 3))))
    node = f"$x_{{{at}}} = {random.randint(1, 999)}$."
    if at == size:
        node = rf"The final answer is $\boxed{{{random.choice((42, 42, 41, 7, 12))}}}$."
    cited = " and ".join(f"Step {parent}" for parent in parents)
    return {
        "step_id": at,
        "edge": f"From {cited}, {words}.",
        "direct_dependent_steps": parents,
        "node": node,
    }


# --- the peer: the same metrics, written plainly over networkx -----------------------------------


class Peer:
    """PASS@1, R̂, the AUC curve and the graph statistics by class, by group, as one would write them."""

    def __init__(self) -> None:
        self.problems: dict[Any, dict[str, list[tuple[bool, bool, float]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self.graphs: dict[Any, list[tuple[int, int, float, int, int]]] = defaultdict(list)

    def add(self, sample: dict[str, Any]) -> None:
        """Adds a sample as `json.loads` gives it."""
        import networkx as nx

        graph = nx.DiGraph()
        steps = sample["steps"]
        graph.add_nodes_from(step["step_id"] for step in steps)
        for step in steps:
            graph.add_edges_from((parent, step["step_id"]) for parent in step["direct_dependent_steps"] or ())
        if len(graph) != len(steps) or not nx.is_directed_acyclic_graph(graph):
            raise ValueError("not a graph of steps")
        last = steps[-1]["step_id"]
        closed = [node for node, degree in graph.out_degree() if degree > 0 and node != last]
        is_closed = len(closed) == len(graph) - 1
        share = len(closed) / (len(graph) - 1) if len(graph) > 1 else 1.0
        correct = steps[-1]["node"].partition("boxed{")[2].partition("}")[0] == sample["answer"]
        group = sample["model"], sample["dataset"]
        self.problems[group][sample["problem_id"]].append((correct, is_closed, share))
        statistics = (
            graph.number_of_nodes(),
            graph.number_of_edges(),
            2 * nx.density(graph),
            max(degree for _, degree in graph.in_degree()),
            max(degree for _, degree in graph.out_degree()),
        )
        self.graphs[group, correct, is_closed].append(statistics)

    def result(self) -> dict[Any, Any]:
        """PASS@1, R̂ and the AUC of each group."""
        found = {}
        for group, problems in self.problems.items():
            curve = [
                _mean(
                    _mean(correct and share >= level / 100 - 1e-12 for correct, _, share in samples)
                    for samples in problems.values()
                )
                for level in LEVELS
            ]
            found[group] = curve[0], curve[-1], sum((a + b) / 2 for a, b in pairwise(curve)) / 100
        for rows in self.graphs.values():
            [_mean(column) for column in zip(*rows, strict=True)]
        return found


def _mean(values: Any) -> float:
    kept = [float(each) for each in values]
    return sum(kept) / len(kept)


# --- measuring -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Race:
    """Microseconds a sample of either contender, on loaded samples and from text to table."""

    samples: int
    metrics: float
    peer_metrics: float
    whole: float
    peer_whole: float
    agree: bool

    @property
    def metrics_ratio(self) -> float | None:
        """How many times faster the metrics are."""
        return ratio(self.peer_metrics, self.metrics)

    @property
    def whole_ratio(self) -> float | None:
        """The same from text to table."""
        return ratio(self.peer_whole, self.whole)


def race(samples: int, rounds: int) -> Race:
    """Both contenders in turn on the same text; processor time, medians."""
    from potlang.score.scoring import score

    texts = list(lines(samples))
    data = b"".join(texts)
    loaded, peer_loaded = _loaded(texts), [json.loads(text) for text in texts]
    times: dict[str, list[float]] = defaultdict(list)
    outcomes: dict[str, Any] = {}
    contenders: dict[str, Callable[[], Any]] = {
        "metrics": lambda: _metrics(loaded),
        "peer_metrics": lambda: _peer(peer_loaded),
        "whole": lambda: score(io.BytesIO(data), by=("model", "dataset")),
        "peer_whole": lambda: _peer(map(json.loads, io.BytesIO(data))),
    }
    names = list(contenders)
    for turn in range(rounds):
        for name in names[turn % 4 :] + names[: turn % 4]:
            began = process_time()
            outcomes[name] = contenders[name]()
            times[name].append((process_time() - began) / samples * 1e6)
    found = {
        each.group: (float(each.pass_1), float(each.prr), float(each.auc))
        for each in outcomes["whole"].groups()
    }
    middle = {name: median(values) or 0.0 for name, values in times.items()}
    return Race(samples, **middle, agree=_agree(found, outcomes["peer_whole"]))


def _loaded(texts: Sequence[bytes]) -> list[Any]:
    from potlang.score.samples import Reader

    reader = Reader(("model", "dataset"))
    return [reader.usual(text) for text in texts]


def _metrics(rows: Sequence[Any]) -> Any:
    from potlang.languages.dagmath.check.metrics import shape_of_distinct
    from potlang.score.samples import answer_of
    from potlang.score.scores import Scores

    scores = Scores(("model", "dataset"))
    for row in rows:
        correct = answer_of(row) == row.answer
        scores.tally.add(
            shape_of_distinct(row.steps),
            correct,
            group=row.labels,
            problem=row.problem,
            difficulty=row.difficulty,
        )
    return scores.groups()


def _peer(samples: Any) -> dict[Any, Any]:
    peer = Peer()
    for sample in samples:
        peer.add(sample)
    return peer.result()


def _agree(found: dict[Any, Any], other: dict[Any, Any]) -> bool:
    return found.keys() == other.keys() and all(
        abs(a - b) < 1e-9 for key in found for a, b in zip(found[key], other[key], strict=True)
    )


@dataclass(frozen=True)
class Point:
    """One pass over so many samples in a process of its own: seconds of its processor, peak megabytes."""

    samples: int
    seconds: float | None
    megabytes: float | None
    fault: str | None = None


def pass_over(samples: int) -> Point:
    """Scores so many samples from a pipe, in a process of its own; this one writes the pipe.

    Text repeats after a while, for the writer's sake; problems and models do not depend on it.
    """
    block = list(lines(min(samples, 20_000)))
    command = [sys.executable, __file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        left = samples
        while left:
            part = block[: min(left, len(block))]
            child.stdin.write(b"".join(part))
            left -= len(part)
        child.stdin.close()
        output = child.stdout.read()
    if child.returncode:
        return Point(samples, None, None, f"exit {child.returncode}")
    figures = json.loads(output)
    fault = None if figures["samples"] == samples else f"{figures['samples']} samples were counted"
    return Point(samples, figures["seconds"], figures["megabytes"], fault)


def rows(points: Sequence[Point]) -> list[list[Any]]:
    """The passes as rows of a table."""
    factors = [None, *(_growth(a, b) for a, b in pairwise(points))][: len(points)]
    return [
        [
            each.samples,
            each.seconds,
            None if each.seconds is None else each.seconds / each.samples * 1e6,
            each.megabytes,
            factor,
        ]
        for each, factor in zip(points, factors, strict=True)
    ]


HEADINGS = ("samples", "s", "us a sample", "peak MB", "growth")
RACE_HEADINGS = ("samples", "", "us a sample", "networkx", "x faster")


def race_rows(found: Race) -> list[list[Any]]:
    """The race as rows of a table."""
    return [
        [found.samples, "metrics, loaded", found.metrics, found.peer_metrics, found.metrics_ratio],
        [found.samples, "text to table", found.whole, found.peer_whole, found.whole_ratio],
    ]


def failures(
    found: Race, points: Sequence[Point], metrics: float, whole: float, most_growth: float, most_memory: float
) -> list[str]:
    """What is not as it must be."""
    failed = [] if found.agree else ["the scores are not networkx's"]
    for name, value, least in (
        ("metrics", found.metrics_ratio, metrics),
        ("text to table", found.whole_ratio, whole),
    ):
        if value is None or value < least:
            failed.append(f"{name}: {value} times as fast as networkx, at least {least}")
    failed += [f"{each.samples}: {each.fault}" for each in points if each.fault]
    for a, b in pairwise(points):
        factor = _growth(a, b)
        if factor is None or factor > most_growth:
            failed.append(f"{a.samples} to {b.samples}: grows {factor} per doubling, at most {most_growth}")
        if a.megabytes is None or b.megabytes is None or b.megabytes > most_memory * a.megabytes:
            failed.append(f"{b.samples}: {b.megabytes} MB after {a.megabytes}, at most {most_memory} times")
    return failed


def _growth(one: Point, other: Point) -> float | None:
    return growth((one.samples, other.samples), (one.seconds, other.seconds))


def _high_water() -> float | None:
    """Peak megabytes of this program alone (Linux): what the system counts begins before it was started."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    found = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(found[0]) / 1024 if found else None


def _child() -> None:
    """Scores standard input, and says what that took."""
    from potlang.score.scoring import score

    began = process_time()
    scores = score(sys.stdin.buffer, by=("model", "dataset"))
    groups = scores.groups()
    figures = {
        "samples": sum(each.samples for each in groups),
        "seconds": process_time() - began,
        "megabytes": _high_water(),
    }
    json.dump(figures, sys.stdout)


if __name__ == "__main__":
    _child()
