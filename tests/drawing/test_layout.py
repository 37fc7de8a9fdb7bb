"""Layouts: no line behind a box, no box on another, whatever the graph; and what comes without the engine."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from view_support import full, large

from potlang import api
from potlang.drawing import layout as layouts
from potlang.drawing.draw import ViewError, draw
from potlang.drawing.graph import DrawnGraph, graph_of, graph_of_solution
from potlang.drawing.layout import GraphLayout, LayoutError, Link, PlacedBox, Point, layout
from potlang.drawing.svg import placed
from potlang.processes.children import Children

ROOT = Path(__file__).parents[2]
_TOUCH = 0.3
"""Places are rounded to tenths."""


def crosses(start: Point, end: Point, box: PlacedBox) -> bool:
    """Whether a segment passes through the inside of a box: whether any of it is between the four sides."""
    low, high = 0.0, 1.0
    for at, side, size in ((0, box.x, box.width), (1, box.y, box.height)):
        begin, way = start[at], end[at] - start[at]
        near, far = side + _TOUCH - begin, side + size - _TOUCH - begin
        if way == 0:
            if near >= 0 or far <= 0:
                return False
            continue
        first, last = sorted((near / way, far / way))
        low, high = max(low, first), min(high, last)
    return low < high


def overlap(one: PlacedBox, two: PlacedBox) -> bool:
    return (
        one.x < two.x + two.width
        and two.x < one.x + one.width
        and one.y < two.y + two.height
        and two.y < one.y + one.height
    )


def assert_clear(found: GraphLayout, links: list[Link]) -> None:
    """No line behind a box, no box on another, all inside, each line from its source to its target."""
    assert not any(overlap(one, two) for one, two in combinations(found.boxes, 2))
    for link, route in zip(links, found.routes, strict=True):
        for start, end in pairwise(route.points):
            assert not any(crosses(start, end, box) for box in found.boxes), link
        for (x, y), number in ((route.points[0], link.source), (route.points[-1], link.target)):
            box = found.boxes[number]
            assert box.x - 1 <= x <= box.x + box.width + 1 and box.y - 1 <= y <= box.y + box.height + 1
        assert all(0 <= x <= found.width and 0 <= y <= found.height for x, y in route.points)
    assert all(
        box.x >= 0 and box.y >= 0 and box.x + box.width <= found.width and box.y + box.height <= found.height
        for box in found.boxes
    )


@st.composite
def graphs(draw: st.DrawFn, most: int = 25) -> tuple[list[tuple[int, int]], list[Link]]:
    sizes = draw(st.lists(st.sampled_from([(96, 34), (150, 50), (216, 82)]), min_size=1, max_size=most))
    ends = st.integers(0, len(sizes) - 1)
    label = st.sampled_from([(0, 0), (0, 0), (30, 18)])
    return sizes, draw(st.lists(st.builds(Link, ends, ends, label), max_size=2 * most))


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_lines_do_not_pass_behind_boxes(graph: tuple[list[tuple[int, int]], list[Link]]) -> None:
    """[VIEW-LAYOUT]"""
    sizes, links = graph
    assert_clear(layout(sizes, links), links)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(graphs(most=60))
def test_lines_do_not_pass_behind_boxes_of_large_graphs(
    graph: tuple[list[tuple[int, int]], list[Link]],
) -> None:
    """[VIEW-LAYOUT]"""
    sizes, links = graph
    assert_clear(layout(sizes, links), links)


def links_of(graph: DrawnGraph) -> list[Link]:
    number = {vertex.id: at for at, vertex in enumerate(graph.vertices)}
    return [Link(number[line.source], number[line.target]) for line in graph.lines]


@pytest.mark.parametrize(
    "name", ["refinement.dot.txt", "appendix_a.dot.txt", "parcel.dot.txt", "derivation.dot.txt"]
)
def test_lines_of_real_traces_are_clear(name: str) -> None:
    """[VIEW-LAYOUT]"""
    report = api.verify((ROOT / "examples" / name).read_bytes(), language="dot")
    graph = graph_of(report)  # type: ignore[arg-type]
    assert_clear(placed(graph).layout, links_of(graph))


def test_lines_of_a_real_solution_are_clear() -> None:
    """[VIEW-LAYOUT]"""
    source = (ROOT / "examples" / "natascha.dagmath.json").read_bytes()
    report = api.verify(source, language="dagmath", steps=False)
    graph = graph_of_solution(report)  # type: ignore[arg-type]
    assert_clear(placed(graph).layout, links_of(graph))


def test_the_longest_lines_run_beside_the_drawing() -> None:
    """[VIEW-LAYOUT]: clear of boxes too."""
    graph = graph_of(large(200))
    found = placed(graph).layout
    assert_clear(found, links_of(graph))
    right = max(box.x + box.width for box in found.boxes)
    assert any(x > right for route in found.routes for x, _ in route.points)


def test_many_boxes_without_lines_are_in_rows() -> None:
    """[VIEW-LAYOUT]"""
    found = layout([(150, 50)] * 400, [])
    assert_clear(found, [])
    assert 0.2 < found.width / found.height < 5


def test_a_wide_graph_goes_to_the_right() -> None:
    """[VIEW-LAYOUT]: a problem with forty proposals has a column of them."""
    links = [Link(0, number) for number in range(1, 41)]
    found = layout([(216, 50)] * 41, links)
    assert_clear(found, links)
    assert len({box.x for box in found.boxes}) == 2


@pytest.mark.slow
def test_500_nodes_with_750_lines_are_laid_out_in_seconds() -> None:
    """[VIEW-LAYOUT]: far within the limit, also on a machine that is busy."""
    links = [Link(max(0, number - 1 - number * 7 % 13), number) for number in range(1, 500)]
    links += [Link(number, number + 1 + number * 5 % 40) for number in range(0, 500 - 42, 2)][:251]
    assert_clear(layout([(180, 62)] * 500, links), links)


# --- without the engine ----------------------------------------------------------------------------


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "_SECONDS", 0.001)


@pytest.mark.usefixtures("no_time")
def test_a_layout_that_takes_too_long_is_an_error_and_the_engine_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """[VIEW-LAYOUT]"""
    sizes, links = [(180, 62)] * 300, [Link(number // 3, number) for number in range(1, 300)]
    with pytest.raises(LayoutError, match="took more than"):
        layout(sizes, links)
    monkeypatch.setattr(layouts, "_SECONDS", 30.0)
    assert len(layout(sizes, links).boxes) == 300


@pytest.mark.usefixtures("no_time")
def test_without_a_layout_a_page_says_so_and_has_the_rest() -> None:
    """[VIEW-LAYOUT]"""
    report = large(300)
    written = draw(report)
    assert "There is no drawing: the layout took more than" in written
    assert 'id="row-299"' in written and "<svg" not in written
    with pytest.raises(ViewError, match="--to graphviz"):
        draw(report, "svg")


@pytest.mark.parametrize(
    ("service", "said"),
    [("potlang.drawing.no_such_module:Service", "failed"), ("os:abort", "failed")],
)
def test_an_engine_that_does_not_start_is_an_error(
    service: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[VIEW-LAYOUT]"""
    with Children((service,)) as broken:
        monkeypatch.setattr(layouts, "_engine", lambda: broken)
        with pytest.raises(LayoutError, match=said):
            layout([(10, 10)], [])


def test_layouts_are_made_where_memory_is_capped() -> None:
    """[VIEW-LAYOUT] As in the processes of the service: V8 wants more address space than they have."""
    code = (
        "import resource; _, hard = resource.getrlimit(resource.RLIMIT_AS)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, hard))\n"
        "from potlang.drawing.layout import layout; print(len(layout([(10, 10)] * 3, []).boxes))"
    )
    ended = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=False)
    assert (ended.stdout, ended.stderr) == ("3\n", "")


def test_the_engine_is_told_sizes_and_numbers_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """[VIEW-LAYOUT]"""
    questions: list[dict[str, object]] = []
    original = layouts._ask

    def asked(question: dict[str, object]) -> dict[str, object]:
        questions.append(question)
        return original(question)

    monkeypatch.setattr(layouts, "_ask", asked)
    placed(graph_of(full("Any text; alert(1)")))
    [question] = questions
    assert set(json.dumps(question)) <= set('{}[]":, .-0123456789abcdefghijklmnopqrstuvwxyz')
    assert set(question) == {"sizes", "lines", "gaps"}


def test_layouts_are_made_where_a_loop_runs() -> None:
    """[VIEW-LAYOUT]: as in notebooks."""

    async def made() -> GraphLayout:
        return layout([(10, 10), (10, 10)], [Link(0, 1)])

    assert asyncio.run(made()) == layout([(10, 10), (10, 10)], [Link(0, 1)])
