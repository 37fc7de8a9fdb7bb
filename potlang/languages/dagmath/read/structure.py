"""The graph structure of steps: ids are unique, parents come before ([DAG-ID], [DAG-PARENT])."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from potlang.diag import Applicability, Fix, Label
from potlang.diag.sink import Sink
from potlang.ir.graphs import components
from potlang.languages.dagmath.read.records import Step
from potlang.languages.dagmath.read.source_map import SourceMap

_SHOWN = 8


def check_structure(steps: Sequence[Step], complete: bool, places: SourceMap, sink: Sink) -> None:
    """Reports ids that repeat, parents that do not exist or come too late, and cycles.

    `complete` False: some steps could not be read, so that nothing is said of parents that are missing.
    """
    positions: dict[int, int] = {}
    for at, step in enumerate(steps):
        if step.id in positions:
            also = Label(places.part(positions[step.id], "id"), "this one has it too")
            sink.report("POT7002", places.part(at, "id"), labels=[also], id=step.id)
        else:
            positions[step.id] = at
    late: list[tuple[int, int]] = []
    for at, step in enumerate(steps):
        for index, parent in enumerate(step.parents or ()):
            position = positions.get(parent)
            if position is None:
                if complete:
                    _report(places, sink, steps, "POT7003", at, index)
            # Of a second step with the same id no order is told: its id means the first.
            elif position >= at and positions[step.id] == at:
                late.append((at, index))
    if late:
        _report_late(steps, positions, late, places, sink)


def _report_late(
    steps: Sequence[Step],
    positions: dict[int, int],
    late: Sequence[tuple[int, int]],
    places: SourceMap,
    sink: Sink,
) -> None:
    """Reports parents that come too late: each cycle once, by name, and the rest one by one."""
    parents = [[positions[each] for each in step.parents or () if each in positions] for step in steps]
    component, _ = components(parents)
    named: set[int] = set()
    for at, index in late:
        parent = positions[(steps[at].parents or ())[index]]
        # Only within a component do steps depend on each other; between two a parent is merely late.
        if component[at] != component[parent]:
            _report(places, sink, steps, "POT7004", at, index)
        elif component[at] not in named:
            named.add(component[at])
            cycle = _path(parents, component, parent, at)
            names = [f"{steps[each].id}" for each in (at, *cycle)]
            if len(names) > _SHOWN:
                names = [*names[: _SHOWN - 2], "…", names[-1]]
            _report(places, sink, steps, "POT7005", at, index, cycle=" → ".join(names))


def _report(
    places: SourceMap, sink: Sink, steps: Sequence[Step], code: str, at: int, index: int, **fields: Any
) -> None:
    step = steps[at]
    parents = step.parents or ()
    left = sorted({each for each in parents if each != parents[index]})
    edits = places.set_parents(at, left)
    fixes = [Fix(f"remove the dependency on step {parents[index]}", Applicability.UNSAFE, edits)]
    sink.report(code, places.parent(at, index), fixes=fixes, id=step.id, parent=parents[index], **fields)


def _path(parents: Sequence[Sequence[int]], component: Sequence[int], start: int, end: int) -> list[int]:
    """The shortest way from a step to another by their parents, within one component."""
    came_from = {start: start}
    waiting = deque([start])
    while end not in came_from:
        here = waiting.popleft()
        for parent in parents[here]:
            if component[parent] == component[end] and parent not in came_from:
                came_from[parent] = here
                waiting.append(parent)
    path = [end]
    while path[-1] != start:
        path.append(came_from[path[-1]])
    return path[::-1]
