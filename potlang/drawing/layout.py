"""Where the boxes of a graph go, and how its lines run between them, by dagre (`layout_engine`).

dagre places the boxes in ranks, and says where a line passes each rank. The corners of the lines are set
here: within a rank a line runs straight along the flow, between two ranks it may slant. So no line passes
behind a box. Lines over very many ranks would take dagre minutes: the longest ones run beside the drawing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import ceil, sqrt
from typing import Any, Final, NamedTuple

from potlang.processes.children import Children
from potlang.processes.process import Command, Died

Point = tuple[float, float]
Size = tuple[float, float]

_ENGINE: Final[Command] = ("potlang.drawing.layout_engine:LayoutService",)
_SECONDS = 20.0
_MEGABYTES = 512
_BOXES, _LINES, _RANKS = 26, 14, 56
"""Gaps between boxes of a rank, between lines, and between ranks."""
CORNER = 10
"""A line bends at least so far from every box, so that its corners may be rounded as much."""
_LOOP = 26
_LANE = 10
_PASSED_FREE, _PASSED_EACH = 300, 2
"""Ranks that the lines may pass in all, and for each box; the longest of others run beside the drawing."""
_PORTS = 22
_MARGIN = 16
_SHAPE = 1_200 / 1_600
"""Width by height that a drawing should have at best."""
_NARROWEST = 8


class LayoutError(RuntimeError):
    """There is no layout: the engine failed, or it took too much time or memory."""


class Link(NamedTuple):
    """A line that is wanted, between boxes by their numbers, and the size of its label."""

    source: int
    target: int
    label: Size = (0, 0)


class PlacedBox(NamedTuple):
    """A placed box by its upper left corner."""

    x: float
    y: float
    width: float
    height: float


class Route(NamedTuple):
    """The corners of a placed line from source to target, and the middle of its label."""

    points: tuple[Point, ...]
    label: Point


class GraphLayout(NamedTuple):
    """The boxes and the lines in the order in which they were given, inside of `width` and `height`."""

    boxes: tuple[PlacedBox, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def layout(sizes: Sequence[Size], links: Sequence[Link]) -> GraphLayout:
    """The layout of boxes of these sizes. Boxes come after those with smaller numbers that point to them.

    Lines go down; or to the right, if that gives a drawing of a better shape. Raises LayoutError.
    """
    if not sizes:
        return GraphLayout((), (), 2 * _MARGIN, 2 * _MARGIN)
    ranks = _ranks(len(sizes), links)
    return _Flow(sizes, links, _beside(links, ranks), _is_better_down(sizes, ranks)).placed()


def _is_better_down(sizes: Sequence[Size], ranks: Sequence[int]) -> bool:
    """Whether ranks below each other come nearer to the shape of a page than ranks side by side."""
    width, height = max(size[0] for size in sizes), max(size[1] for size in sizes)
    deep, broad = max(ranks) + 1, max(Counter(ranks).values())
    down = broad * (width + _BOXES), deep * (height + _RANKS)
    right = deep * (width + _RANKS), broad * (height + _BOXES)

    def spread(shape: Size) -> float:
        return max(shape[0] / _SHAPE, shape[1])

    return spread(down) <= spread(right)


def _ranks(count: int, links: Iterable[Link]) -> list[int]:
    """The length of the longest path to each box."""
    before: dict[int, list[int]] = defaultdict(list)
    for link in links:
        if link.source != link.target:
            before[max(link.source, link.target)].append(min(link.source, link.target))
    rank: list[int] = []
    for box in range(count):
        rank.append(max((rank[each] + 1 for each in before[box]), default=0))
    return rank


def _beside(links: Sequence[Link], ranks: Sequence[int]) -> frozenset[int]:
    """The numbers of the longest lines, which run beside the drawing: none where all are of usual lengths."""
    left = _PASSED_FREE + _PASSED_EACH * len(ranks)
    beside = []
    for number in sorted(range(len(links)), key=lambda each: _length(links[each], ranks)):
        left -= _length(links[number], ranks)
        if left < 0:
            beside.append(number)
    return frozenset(beside)


def _length(link: Link, ranks: Sequence[int]) -> int:
    return abs(ranks[link.source] - ranks[link.target])


class _Band(NamedTuple):
    """The part of the flow in which the boxes or the labels of one rank are."""

    middle: float
    start: float
    end: float


class _Flow:
    """One layout, in coordinates across and along the flow; they become x and y, or y and x."""

    def __init__(
        self, sizes: Sequence[Size], links: Sequence[Link], beside: frozenset[int], down: bool
    ) -> None:
        self._down = down
        self._links = links
        self._sizes = [self._turned(size) for size in sizes]
        loops = defaultdict[int, float](float)
        for link in links:
            if link.source == link.target:
                loops[link.source] = max(loops[link.source], _LOOP + link.label[0])
        # A line to its own box runs on the right of it.
        self._room = [self._turned((size[0] + loops[box], size[1])) for box, size in enumerate(sizes)]
        self._beside = beside
        self._lines = [
            link for number, link in enumerate(links) if link.source != link.target and number not in beside
        ]
        found = _ask(self._question())
        self._middles: list[Point] = [(x, y) for x, y in found["middles"]]
        self._inner: list[list[Point]] = [
            [(x, y) for x, y in line["points"]] for line in found["lines"][: len(self._lines)]
        ]
        self._labels: list[Point] = [(x, y) for x, y in (line["label"] for line in found["lines"])]

    def _turned(self, pair: Size) -> Size:
        return pair if self._down else (pair[1], pair[0])

    def _question(self) -> dict[str, Any]:
        lines = [
            [min(link[:2]), max(link[:2]), *self._turned(link.label), 1 if link.label == (0, 0) else 0]
            for link in self._lines
        ]
        lines += [[*pair, 0, 0, 0] for pair in self._rows_of_single_boxes()]
        gaps = {"boxes": _BOXES, "lines": _LINES, "ranks": _RANKS}
        return {"sizes": self._room, "lines": lines, "gaps": gaps}

    def _rows_of_single_boxes(self) -> Iterator[tuple[int, int]]:
        """Lines that are not drawn, between boxes that have none: they would all stand in one rank."""
        linked = {box for link in self._lines for box in link[:2]}
        single = [box for box in range(len(self._sizes)) if box not in linked]
        row = max(_NARROWEST, ceil(sqrt(len(single) / 2)))
        return zip(single, single[row:], strict=False)

    # --- boxes ------------------------------------------------------------------------------------

    def placed(self) -> GraphLayout:
        """The layout, moved to the margin."""
        boxes = [self._box(number) for number in range(len(self._sizes))]
        bands = self._bands()
        routed = iter(self._routes(boxes, bands))
        outer = iter(self._outer_routes(boxes, bands))
        routes = [
            self._loop(boxes[link.source], link)
            if link.source == link.target
            else next(outer if number in self._beside else routed)
            for number, link in enumerate(self._links)
        ]
        xs = [x for box in boxes for x in (box.x, box.x + box.width)]
        ys = [y for box in boxes for y in (box.y, box.y + box.height)]
        for route, link in zip(routes, self._links, strict=True):
            (x, y), (width, height) = route.label, link.label
            xs += [*(x for x, _ in route.points), x - width / 2, x + width / 2]
            ys += [*(y for _, y in route.points), y - height / 2, y + height / 2]
        left, top = min(xs) - _MARGIN, min(ys) - _MARGIN
        return GraphLayout(
            tuple(box._replace(x=_round(box.x - left), y=_round(box.y - top)) for box in boxes),
            tuple(_moved(route, left, top) for route in routes),
            _round(max(xs) - left + _MARGIN),
            _round(max(ys) - top + _MARGIN),
        )

    def _box(self, number: int) -> PlacedBox:
        across, along = self._middles[number]
        left = across - self._room[number][0] / 2, along - self._room[number][1] / 2
        return PlacedBox(*self._turned(left), *self._turned(self._sizes[number]))

    def _loop(self, box: PlacedBox, link: Link) -> Route:
        right, out = box.x + box.width, box.x + box.width + _LOOP - 6
        upper, lower = box.y + box.height * 0.3, box.y + box.height * 0.75
        middle = (out + 2 + link.label[0] / 2, (upper + lower) / 2)
        return Route(((right, upper), (out, upper), (out, lower), (right, lower)), middle)

    # --- lines ------------------------------------------------------------------------------------

    def _routes(self, boxes: Sequence[PlacedBox], bands: Sequence[_Band]) -> Iterator[Route]:
        """The lines between different boxes, in order, but for those beside the drawing."""
        ways = [self._way(number, bands) for number in range(len(self._lines))]
        starts, ends = self._ports(boxes, ways)
        for number, (link, way) in enumerate(zip(self._lines, ways, strict=True)):
            source, target = min(link[:2]), max(link[:2])
            corners = [
                *self._out(starts[number], source, bands, forward=True),
                *way,
                *reversed(self._out(ends[number], target, bands, forward=False)),
            ]
            points = [self._turned(point) for point in _without_straight(corners)]
            if link.source > link.target:
                points.reverse()
            yield Route(tuple(points), self._turned(self._labels[number]))

    def _outer_routes(self, boxes: Sequence[PlacedBox], bands: Sequence[_Band]) -> Iterator[Route]:
        """The lines beside the drawing: out of a rank, along the drawing in a lane, and into a rank."""
        edge = max(across + size[0] / 2 for (across, _), size in zip(self._middles, self._room, strict=True))
        edge = max([edge, *(across for way in self._inner for across, _ in way)]) + _BOXES
        lanes: list[list[tuple[float, float]]] = []
        for number in sorted(self._beside):
            link = self._links[number]
            first, last = min(link[:2]), max(link[:2])
            start = self._outer_end(boxes, first, bands, number, forward=True)
            end = self._outer_end(boxes, last, bands, number, forward=False)
            taken = min(start[-1][1], end[-1][1]), max(start[-1][1], end[-1][1])
            lane = next((at for at, each in enumerate(lanes) if _is_free(each, taken)), len(lanes))
            if lane == len(lanes):
                lanes.append([])
            lanes[lane].append(taken)
            across = edge + lane * _LANE + self._turned(link.label)[0] / 2
            points = [*start, (across, start[-1][1]), (across, end[-1][1]), *reversed(end)]
            turned = [self._turned(point) for point in points]
            middle = self._turned((across, sum(taken) / 2))
            yield Route(tuple(reversed(turned) if link.source > link.target else turned), middle)

    def _outer_end(
        self, boxes: Sequence[PlacedBox], box: int, bands: Sequence[_Band], number: int, *, forward: bool
    ) -> list[Point]:
        """From a box into the gap beyond its rank, each line at a height of its own there."""
        (across, along), (wide, long) = self._turned(boxes[box][:2]), self._sizes[box]
        port = (across + wide - _PORTS / 3, along + (long if forward else 0))
        corner = self._out(port, box, bands, forward=forward)[1]
        aside = number * 7 % 20
        return [port, (corner[0], corner[1] + (aside if forward else -aside))]

    def _bands(self) -> list[_Band]:
        """The bands of the ranks of boxes, and of the labels between them."""
        tall: dict[float, float] = defaultdict(float)
        for (_, along), (_, size) in zip(self._middles, self._room, strict=True):
            tall[along] = max(tall[along], size)
        for (_, along), link in zip(self._labels, self._lines, strict=False):
            if link.label != (0, 0):
                tall[along] = max(tall[along], self._turned(link.label)[1])
        return [_Band(middle, middle - size / 2, middle + size / 2) for middle, size in sorted(tall.items())]

    def _way(self, number: int, bands: Sequence[_Band]) -> list[Point]:
        """The corners of a line in the bands that it passes."""
        inside = {band.middle: band for band in bands}
        corners: list[Point] = []
        for across, along in self._inner[number]:
            if band := inside.get(along):
                corners += [(across, band.start - CORNER), (across, band.end + CORNER)]
        return corners

    def _ports(
        self, boxes: Sequence[PlacedBox], ways: Sequence[list[Point]]
    ) -> tuple[list[Point], list[Point]]:
        """Where lines leave and enter their boxes: apart from each other, in the order of where they go."""
        leaving: dict[int, list[tuple[float, int]]] = defaultdict(list)
        entering: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for number, (link, way) in enumerate(zip(self._lines, ways, strict=True)):
            source, target = min(link[:2]), max(link[:2])
            leaving[source].append((way[0][0] if way else self._middles[target][0], number))
            entering[target].append((way[-1][0] if way else self._middles[source][0], number))
        starts, ends = ([(0.0, 0.0)] * len(ways) for _ in range(2))
        for sides, places, is_end in ((leaving, starts, True), (entering, ends, False)):
            for number, wishes in sides.items():
                (across, along), (wide, long) = self._turned(boxes[number][:2]), self._sizes[number]
                step = min(_PORTS, wide / (len(wishes) + 1))
                first = across + wide / 2 - step * (len(wishes) - 1) / 2
                for at, (_, line) in enumerate(sorted(wishes)):
                    places[line] = (first + at * step, along + (long if is_end else 0))
        return starts, ends

    def _out(self, port: Point, box: int, bands: Sequence[_Band], *, forward: bool) -> list[Point]:
        """From a port straight out of the band of its box, or into it."""
        band = next(each for each in bands if each.middle == self._middles[box][1])
        return [port, (port[0], band.end + CORNER if forward else band.start - CORNER)]


def _is_free(lane: Sequence[tuple[float, float]], wanted: tuple[float, float]) -> bool:
    return all(high + _LANE < wanted[0] or wanted[1] + _LANE < low for low, high in lane)


def _without_straight(corners: Sequence[Point]) -> list[Point]:
    """The corners at which a line bends, and its ends."""
    kept: list[Point] = []
    for corner in corners:
        while len(kept) > 1 and kept[-2][0] == kept[-1][0] == corner[0]:
            kept.pop()
        kept.append(corner)
    return kept


def _moved(route: Route, left: float, top: float) -> Route:
    points = tuple((_round(x - left), _round(y - top)) for x, y in route.points)
    return Route(points, (_round(route.label[0] - left), _round(route.label[1] - top)))


def _round(value: float) -> float:
    return round(value, 1)


# --- the engine ------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _engine() -> Children:
    """The process of the engine, which ends with this one."""
    return Children(_ENGINE, most=1)


def _ask(question: dict[str, Any]) -> dict[str, Any]:
    """The places that dagre gives. Raises LayoutError."""
    try:
        answer = _engine().ask({"graph": question}, seconds=_SECONDS, megabytes=_MEGABYTES)
    except Died as error:
        late = f"the layout took more than {_SECONDS:g} seconds"
        raise LayoutError(late if error.reason == "timeout" else f"the layout failed: {error}") from error
    if "failed" in answer:
        raise LayoutError(f"the layout failed: {answer['failed']}")
    found: dict[str, Any] = answer["laid_out"]
    return found
