"""The strategies of traces: what they make is well formed, has every kind of record, and is shuffled."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from potlang.diag import Sink
from potlang.languages.dot.read.reader import read_trace
from potlang.languages.dot.read.records import PROFILES, Coeq, Entails, Profile, Record
from potlang.languages.dot.write.emit import emit
from potlang.testing import damaged_traces, shuffles, traces
from potlang.testing.traces import damaged, records, shuffle

KINDS = {"Node", "Edge", "Status", "Entails", "Eq", "Coeq", "Prop", "FreeText", "Fence", "End"}


def reported(data: bytes, profile: Profile) -> list[str]:
    read_trace(data, sink := Sink(), profile=profile)
    return [each.code for each in sink.diagnostics()]


def kinds(found: list[Record]) -> set[str]:
    return {type(record).__name__ for record in found}


@settings(max_examples=50)
@given(st.data(), st.sampled_from(PROFILES))
def test_traces_are_well_formed(data: st.DataObject, profile: Profile) -> None:
    assert reported(emit(data.draw(traces(profile))), profile) == []


def test_every_kind_of_record_occurs() -> None:
    found = [records(Random(seed), blocks=20) for seed in range(20)]
    assert set().union(*map(kinds, found)) == KINDS
    strict = [records(Random(seed), blocks=20, profile="strict") for seed in range(20)]
    assert set().union(*map(kinds, strict)) == KINDS - {"Coeq"}
    entails = [r for each in found for r in each if isinstance(r, Entails)]
    assert {r.rank is None for r in entails} == {r.witness is None for r in entails} == {True, False}


@settings(max_examples=50)
@given(st.data())
def test_shuffles_are_well_formed_and_have_the_same_typed_records(data: st.DataObject) -> None:
    found = data.draw(traces())
    other = data.draw(shuffles(found))
    assert reported(emit(other), "paper") == []
    assert _counted(found) == _counted(other)


def _counted(found: list[Record]) -> Counter[str]:
    return Counter(name for record in found if (name := type(record).__name__) not in ("FreeText", "Fence"))


def test_shuffles_move_blocks_and_renumber() -> None:
    found = records(Random(1), blocks=12)
    others = [shuffle(found, Random(seed)).records for seed in range(30)]
    orders = {tuple(type(r).__name__ for r in other) for other in others}
    ids = {tuple(r.block for r in other) for other in others}
    assert len(orders) > 25 and len(ids) > 25


def test_damage_breaks_most_traces_but_not_all() -> None:
    random = Random(6)
    found = [reported(damaged(emit(records(random)), random), "paper") for _ in range(200)]
    broken = sum(bool(each) for each in found)
    assert 120 < broken < 200
    assert len({code for each in found for code in each}) > 12


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Coeq, Entails])
def test_traces_shrink(kind: Any) -> None:
    small = find(traces(), lambda found: any(isinstance(record, kind) for record in found))
    assert len(small) <= 20


def test_damaged_traces_are_bytes() -> None:
    assert isinstance(find(damaged_traces(), lambda data: b"@node" in data), bytes)
