"""What the reader accepts is what the rules say, decided in another way; any input gets a report."""

from __future__ import annotations

from random import Random

import pytest
from call_counts import calls_of
from dot_support import APPENDIX_A, codes, is_well_formed, read, without_places
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.diag.render_text import render_all
from potlang.languages.dot.lower.canonical import digest
from potlang.languages.dot.lower.extract import extract
from potlang.languages.dot.read.raw import Raw
from potlang.languages.dot.read.records import PROFILES, Profile, Record
from potlang.languages.dot.write.emit import emit
from potlang.testing import damaged_propositions, damaged_traces, traces
from potlang.testing.traces import damaged, records

PROFILE = st.sampled_from(PROFILES)


def check_agrees(data: bytes, profile: Profile) -> None:
    trace, found = read(data, profile)
    # What is beyond a limit is refused, and the rules say nothing of it.
    if trace.is_typed and all(each.code != "POT0004" for each in found):
        assert (found == []) == is_well_formed(data, profile), [each.message for each in found]
    assert trace.is_well_formed == (found == [])


def check_reported(data: bytes, profile: Profile) -> None:
    """All that is done with a trace can be done with what is left of a broken one."""
    trace, found = read(data, profile)
    assert render_all(found, trace.document) or not found
    for each in found:
        where = trace.document.locate(each.place)
        assert where is not None and where.line <= data.count(b"\n") + data.count(b"\r") + 1
        assert each.helps and each.notes
    extract(trace)
    digest(trace)


@settings(max_examples=60)
@given(st.data(), PROFILE)
def test_what_is_made_well_formed_is_accepted_and_written_as_it_was(
    data: st.DataObject, profile: Profile
) -> None:
    made = data.draw(traces(profile))
    text = emit(made)
    trace, found = read(text, profile)
    assert found == []
    assert emit(trace) == text
    assert is_well_formed(text, profile)


@settings(max_examples=150)
@given(st.data(), PROFILE)
def test_damaged_traces_are_accepted_as_the_rules_say(data: st.DataObject, profile: Profile) -> None:
    check_agrees(data.draw(damaged_traces(profile)), profile)


@settings(max_examples=60)
@given(damaged_traces(), PROFILE)
def test_damaged_traces_are_reported(data: bytes, profile: Profile) -> None:
    check_reported(data, profile)


@settings(max_examples=80)
@given(st.data(), PROFILE)
def test_damaged_propositions_are_reported(data: st.DataObject, profile: Profile) -> None:
    text = data.draw(damaged_propositions(profile))
    check_agrees(text, profile)
    check_reported(text, profile)


@settings(max_examples=60)
@given(st.binary(max_size=300), PROFILE)
def test_any_bytes_are_reported(data: bytes, profile: Profile) -> None:
    check_agrees(data, profile)
    check_reported(data, profile)


@settings(max_examples=100)
@given(damaged_traces())
def test_writing_what_was_read_of_a_broken_trace_gives_the_same_records(data: bytes) -> None:
    trace, _ = read(data)
    again, _ = read(emit(trace))
    if trace.is_well_formed:
        assert without_places(again) == without_places(trace)


@settings(max_examples=200)
@given(st.one_of(st.text(), st.binary().map(lambda data: data.decode("latin-1"))), st.binary(), st.data())
def test_places_count_characters_of_the_decoded_text(text: str, junk: bytes, draw: st.DataObject) -> None:
    pieces = [text.encode(), junk, "é🙂".encode(), b"\xe2\x82", b"\xf0", b"\x80", b"x" * 4_093, b"\xff"]
    data = b"".join(draw.draw(st.lists(st.sampled_from(pieces), max_size=12)))
    raw = Raw(data)
    at = draw.draw(st.integers(0, len(data)))
    before, after = (part.decode("utf-8", "replace") for part in (data[:at], data[at:]))
    if before + after == raw.text:
        assert raw.character(at) == len(before)
    else:
        assert raw.text[: raw.character(at)] == before[: raw.character(at)]
        assert raw.character(at) in range(len(before) - 3, len(before))


# --- the deep tier -------------------------------------------------------------------------------


@pytest.mark.slow
def test_ten_thousand_random_byte_strings_get_a_report() -> None:
    random = Random(1)
    pieces = [
        b"@node id=",
        b"@edge src=",
        b" dst=",
        b"@status",
        b"\n",
        b"1",
        b"@@len=",
        b"@@",
        b"@prop id=1 {",
    ]
    for _ in range(10_000):
        if random.random() < 0.5:
            data = random.randbytes(random.randint(0, 200))
        else:
            some = [random.choice([*pieces, random.randbytes(2)]) for _ in range(random.randint(0, 40))]
            data = b"".join(some)
        check_agrees(data, random.choice(PROFILES))
        check_reported(data, random.choice(PROFILES))


@pytest.mark.slow
def test_ten_thousand_damaged_traces_get_a_report() -> None:
    random = Random(2)
    for index in range(10_000):
        profile = random.choice(PROFILES)
        made = records(random, blocks=random.randint(1, 14), profile=profile)
        data = damaged(APPENDIX_A if index % 10 == 0 else emit(made), random)
        check_agrees(data, profile)
        check_reported(data, profile)


@pytest.mark.slow
@settings(max_examples=1_000, derandomize=False)
@given(st.data(), PROFILE)
def test_a_thousand_damaged_propositions_are_reported(data: st.DataObject, profile: Profile) -> None:
    text = data.draw(damaged_propositions(profile))
    check_agrees(text, profile)
    check_reported(text, profile)


# --- linear time, by counting calls ----------------------------------------------------------------


def repeated(found: list[Record], times: int) -> bytes:
    """The records of a trace so many times, under ever greater ids."""
    from potlang.languages.dot.read.records import renumbered

    most = 1 + max(record.block or 0 for record in found)
    return b"".join(
        emit(renumbered(record, {i: i + turn * most for i in range(most)}) for record in found)
        for turn in range(times)
    )


BROKEN = [
    b"@node id=1 role=problem\n" * 400,
    b"@\n" * 600,
    b"@@len=99999999@@\n" * 400,
    b'@node id=1 role=problem\n@prop id=1 {"a":\n' * 150,
    b"@edge src=1 dst=2 kind=use\n" * 400,
    b"@node id=1 role=problem\nx\n" + b"@status target=1 mark=validated\n" * 400,
    b"\xff\n" * 500,
    b"<proposer>" * 400,
    b"</critic>" * 400,
]


@pytest.mark.parametrize("data", BROKEN, ids=lambda data: data[:24].decode("latin-1").strip())
def test_reading_what_is_broken_takes_calls_in_proportion(data: bytes) -> None:
    codes(data)
    assert calls_of(lambda: codes(data * 2)) <= 2.1 * calls_of(lambda: codes(data)) + 2_000


def test_reading_and_extracting_take_calls_in_proportion() -> None:
    """Theorem B.1: linear but for union-find, whose calls are bounded here all the same."""
    found = records(Random(5), blocks=40)
    sizes = [repeated(found, times) for times in (5, 10, 20)]
    codes(sizes[0])
    calls = [calls_of(lambda data=data: extract(read(data)[0])) for data in sizes]
    assert calls[1] <= 2.05 * calls[0] + 2_000
    assert calls[2] <= 2.05 * calls[1] + 2_000


def check_linear(data: bytes) -> None:
    """Twice as many copies behind the first two take twice as many calls, whatever is wrong with them."""
    codes(data)
    few, more, most = (calls_of(lambda n=n: codes(data * n)) for n in (2, 4, 8))
    assert most - more <= 2.2 * (more - few) + 2_000


@settings(max_examples=15)
@given(st.one_of(damaged_traces(), st.binary(max_size=200)))
def test_reading_damaged_traces_takes_calls_in_proportion(data: bytes) -> None:
    check_linear(data)


@pytest.mark.slow
@settings(max_examples=500, derandomize=False)
@given(st.one_of(damaged_traces(), damaged_propositions(), st.binary(max_size=200)))
def test_reading_five_hundred_damaged_traces_takes_calls_in_proportion(data: bytes) -> None:
    check_linear(data)
