"""Where the vertices of a graph go: in rows by the longest path to them, ordered to keep lines short.

Linear in the graph but for sorting the rows. Rows that get too wide are broken in several.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, sqrt
from typing import NamedTuple

_SWEEPS = 4
_NARROWEST = 8


class GraphLayout(NamedTuple):
    """The vertices' ids by row and from left to right, and the row and the column of each.

    Columns count from the middle of the row, so they may be negative and end in a half.
    """

    rows: tuple[tuple[int, ...], ...]
    places: Mapping[int, tuple[int, float]]


def layout(ids: Sequence[int], lines: Iterable[tuple[int, int]]) -> GraphLayout:
    """The places of all vertices; `lines` are from source to target."""
    order = {id_: index for index, id_ in enumerate(ids)}
    above: dict[int, list[int]] = {id_: [] for id_ in ids}
    below: dict[int, list[int]] = {id_: [] for id_ in ids}
    for source, target in lines:
        # Only lines that run forwards count, so that the longest path ends even where a trace has circles.
        if order[source] < order[target]:
            above[target].append(source)
            below[source].append(target)
    ranks = _ranks(ids, above)
    # Down, then up, as in layered drawing after Sugiyama: a rank can only be ordered against one that stands.
    for sweep in range(_SWEEPS):
        _order(ranks, above) if sweep % 2 == 0 else _order(ranks[::-1], below)
    # A rank of a thousand would make a drawing that nobody can scroll; its rows keep the order found.
    rows = [row for rank in ranks for row in _broken(rank, len(ids))]
    places = {
        id_: (number, column) for number, row in enumerate(rows) for id_, column in _columns(row).items()
    }
    return GraphLayout(tuple(tuple(row) for row in rows), places)


def _ranks(ids: Iterable[int], above: Mapping[int, list[int]]) -> list[list[int]]:
    """The vertices by the number of lines on the longest path to them; sources come before targets."""
    rank: dict[int, int] = {}
    ranks: list[list[int]] = []
    for id_ in ids:
        here = rank[id_] = max((rank[each] + 1 for each in above[id_]), default=0)
        if here == len(ranks):
            ranks.append([])
        ranks[here].append(id_)
    return ranks


def _order(ranks: Iterable[list[int]], towards: Mapping[int, list[int]]) -> None:
    """Sorts each rank by the mean place of the neighbours on one side, in place."""
    column: dict[int, float] = {}
    for rank in ranks:
        now = _columns(rank)
        wish = {
            id_: sum(column[each] for each in near) / len(near) if (near := towards[id_]) else now[id_]
            for id_ in rank
        }
        rank.sort(key=wish.__getitem__)
        column.update(_columns(rank))


def _columns(row: list[int]) -> dict[int, float]:
    return {id_: index - (len(row) - 1) / 2 for index, id_ in enumerate(row)}


def _broken(rank: list[int], count: int) -> Iterable[list[int]]:
    """A rank as rows of about equal length, none much wider than the drawing is to be."""
    widest = max(_NARROWEST, ceil(1.5 * sqrt(count)))
    size = ceil(len(rank) / ceil(len(rank) / widest))
    return (rank[start : start + size] for start in range(0, len(rank), size))
