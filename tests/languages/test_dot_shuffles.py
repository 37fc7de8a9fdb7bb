"""Other orders of the records of a trace: which are legal, and that they have one hash (theorem B.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest
from dot_properties import theorem_b_3
from dot_support import APPENDIX_A, ROOT, Reordered, is_well_formed, read, trace_of
from strategies.retellings import EveryShuffle

from potlang.languages.dot.lower.canonical import canonical, digest
from potlang.languages.dot.read.records import (
    PROFILES,
    End,
    Fence,
    FreeText,
    Node,
    Profile,
    Record,
    renumbered,
)
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import records, shuffle

EXAMPLE = (ROOT / "examples" / "refinement.dot.txt").read_bytes()
SMALL = (
    b"@node id=1 role=proposer\n@node id=2 role=proposer\n"
    b"@node id=3 role=critic\n@edge src=1 dst=3 kind=critique\n@edge src=2 dst=3 kind=critique\n"
    b"@status target=1 mark=validated\n@entails src=1 dst=2\nx\n"
)


def is_legal(profile: Profile) -> Callable[[list[Record]], bool]:
    """Well-formedness as the tests decide it, without the reader."""
    return lambda found: is_well_formed(emit(found), profile)


def small_traces(random: Random, blocks: int) -> Iterator[tuple[list[Record], Profile]]:
    """Traces of so many blocks that are small enough for all orders to be tried, without end."""
    while True:
        profile = random.choice(PROFILES)
        found = records(random, blocks=blocks, profile=profile)
        owners = [record.block for record in found]
        if max(map(owners.count, owners)) <= 6:
            yield found, profile


def typed(found: list[Record]) -> bytes:
    """The typed records in their order, with ids that count from 0."""
    ids = {node.id: rank for rank, node in enumerate(each for each in found if isinstance(each, Node))}
    return emit(renumbered(each, ids) for each in found if not isinstance(each, FreeText | Fence))


def test_every_shuffle_tries_all_orders() -> None:
    """Two nodes in any order, two edges in any order; in `paper` the status before or behind the text."""
    found = list(read(SMALL)[0].records)
    for profile, wanted in (("strict", 4), ("paper", 8)):
        every = EveryShuffle(found, is_legal(profile))
        assert len(every) == wanted
        assert len({typed(each.records) for each in every}) == wanted
    with pytest.raises(ValueError, match="too many orders"):
        EveryShuffle(read(APPENDIX_A)[0].records, is_legal("paper"))


@pytest.mark.parametrize("seed", range(6))
def test_shuffles_are_all_legal_orders_and_no_others(seed: int) -> None:
    """With text in each block, since a status may then stand behind it."""
    random = Random(seed)
    for found, profile in small_traces(random, 4):
        # The profile `strict` puts a status in front, where it may stand without text.
        early = shuffle(
            [r for r in found if not isinstance(r, FreeText | Fence | End)], random, profile="strict"
        )
        base = _with_text([r for r in early.records if not isinstance(r, FreeText | Fence)])
        every = EveryShuffle(base, is_legal(profile))
        if 2 <= len(every) <= 60:
            legal = {typed(each.records) for each in every}
            made = [typed(shuffle(base, random, profile=profile).records) for _ in range(60 * len(legal))]
            assert set(made) == legal
            return


def _with_text(found: list[Record]) -> list[Record]:
    """One line of text at the end of each block."""
    kept: list[Record] = []
    for at, record in enumerate(found):
        kept.append(record)
        if at + 1 == len(found) or isinstance(found[at + 1], Node):
            kept.append(FreeText(b"text", record.block))
    return kept


def test_all_orders_of_small_traces_have_one_hash() -> None:
    random = Random(1)
    bases = small_traces(random, 3)
    for _ in range(8):
        found, profile = next(bases)
        every = EveryShuffle(found, is_legal(profile))
        wanted = canonical(trace_of(found, profile))
        for _ in range(min(25, len(every))):
            assert canonical(trace_of(every.draw(random).records, profile)) == wanted


# --- the deep tier: ten thousand orders by trying, and as many by the rules ---------------------------


@pytest.mark.slow
def test_ten_thousand_orders_found_by_trying_have_one_hash() -> None:
    """Of 40 small traces, 250 each; legal by a decision that shares nothing with the reader."""
    random = Random(3)
    texts = set()
    bases = small_traces(random, 5)
    count = 0
    while count < 10_000:
        found, profile = next(bases)
        every = EveryShuffle(found, is_legal(profile))
        if len(every) < 500:
            continue
        hashes = {digest(trace_of(found, profile))}
        for _ in range(250):
            other = every.draw(random)
            text = emit(other.records)
            assert is_well_formed(text, profile)
            hashes.add(digest(trace_of(other.records, profile)))
            texts.add(text)
            count += 1
        assert len(hashes) == 1
    assert len(texts) > 9_000


@pytest.mark.slow
def test_ten_thousand_shuffles_have_one_hash() -> None:
    """Of the examples and 198 traces of up to 30 blocks, 50 each; one in ten with all of theorem B.3."""
    random = Random(4)
    given: list[tuple[list[Record], Profile]] = [
        (list(read(data)[0].records), "paper") for data in (APPENDIX_A, EXAMPLE)
    ]
    for _ in range(198):
        profile = random.choice(PROFILES)
        given.append((records(random, blocks=random.randint(2, 30), profile=profile), profile))
    for found, profile in given:
        hashes = {digest(trace_of(found, profile))}
        for turn in range(50):
            other = shuffle(found, random, profile=profile)
            hashes.add(digest(trace_of(other.records, profile)))
            if turn % 10 == 0:
                theorem_b_3(Reordered(found, other, profile))
        assert len(hashes) == 1
