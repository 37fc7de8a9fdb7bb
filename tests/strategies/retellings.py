"""Traces told in another way: all legal orders of a small one, and other traces with the same diagram."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import permutations, product
from math import prod
from random import Random

from potlang.languages.dot.read.records import Edge, End, Entails, Node, Record, Status
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import Shuffle, by_block, in_order, shuffle

_TRIED = 7
"""Things of which all orders are tried."""


def retold(found: Iterable[Record], random: Random) -> Shuffle:
    """The same diagram and the same inclusions, told in another way.

    A shuffle without witnesses, justifications, critique edges and end. Behind it stand a proposition
    that nobody examined and one that is invalidated, with an arrow from it that does not count. Both
    are opaque.
    """
    other = shuffle([less for record in found for less in _without_judges(record)], random)
    last = max(other.ids.values())
    more: list[Record] = [Node(last + 1, "proposer"), Node(last + 2, "proposer"), Node(last + 3, "critic")]
    more += [
        Status(last + 1, "invalidated", None, last + 3),
        Entails(last + 1, last + 2, None, None, last + 3),
    ]
    return Shuffle([*other.records, *more], other.ids)


def _without_judges(record: Record) -> list[Record]:
    if isinstance(record, Entails):
        return [record._replace(witness=None)]
    if isinstance(record, Status):
        return [record._replace(just=None)]
    return (
        []
        if isinstance(record, End) or (isinstance(record, Edge) and record.kind == "critique")
        else [record]
    )


class EveryShuffle:
    """All orders of the records of a small trace that are legal, found by trying every order.

    It knows no rule: `is_legal` says of records whether they are a well-formed trace. It is asked about
    all orders of the blocks, then, block by block, about all orders behind the `@node`. The text takes
    part in both. Raises `ValueError` for traces of more than 7 blocks, and 7 records in one.
    """

    def __init__(self, found: Iterable[Record], is_legal: Callable[[list[Record]], bool]) -> None:
        blocks = by_block(found)
        # All permutations are tried: 7! are 5,040 readings of the trace.
        if max(len(blocks), *(len(block) - 1 for block in blocks.values())) > _TRIED:
            raise ValueError("too many orders to try")
        # New ids must differ from the old ones in the same way for every order.
        plain = Random(0)
        self.orders = [
            order
            for order in permutations(blocks)
            if is_legal(in_order([blocks[id_] for id_ in order], plain).records)
        ]
        self.within: dict[int, list[tuple[Record, ...]]] = {}
        for id_, (node, *rest) in blocks.items():
            # By their text: equal records in another order are the same block.
            tried = {emit(some): (node, *some) for some in permutations(rest)}.values()
            self.within[id_] = [
                block
                for block in tried
                if is_legal(in_order(({**blocks, id_: block}).values(), plain).records)
            ]

    def __len__(self) -> int:
        """The number of legal orders."""
        return len(self.orders) * prod(map(len, self.within.values()))

    def draw(self, random: Random) -> Shuffle:
        """One of them, each as likely as any other."""
        order = random.choice(self.orders)
        return in_order([random.choice(self.within[id_]) for id_ in order], random)

    def __iter__(self) -> Iterator[Shuffle]:
        """Each of them once."""
        for order in self.orders:
            for blocks in product(*(self.within[id_] for id_ in order)):
                yield in_order(blocks, Random(0))
