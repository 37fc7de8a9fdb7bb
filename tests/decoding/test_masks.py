"""Masks against brute force, and walks along them."""

from __future__ import annotations

import time
from collections import Counter
from random import Random
from typing import Any

import pytest
from decoding_support import a_masker, adversarial, states

np = pytest.importorskip("numpy", reason="masks need numpy (potlang[decoding])")

from potlang.decoding import Budgets, BudgetTooSmall, TokenMasker, TokenVocabulary, TraceGoal  # noqa: E402
from potlang.diag import Sink  # noqa: E402
from potlang.dot import Validator, read, synthesize  # noqa: E402
from potlang.languages.dot.read.reader import read_trace  # noqa: E402
from potlang.languages.dot.read.records import Edge, End  # noqa: E402
from potlang.languages.dot.stream.closing import closing  # noqa: E402

BOTH = TraceGoal(end=True, critique=True)
VOCABULARY = adversarial(Random(1))


def check_masks(vocabulary: TokenVocabulary, random: Random, count: int, share: float) -> Counter[str]:
    """Compares masks with what trying each token gives."""
    seen: Counter[str] = Counter()
    while sum(seen.values()) < count:
        masker = a_masker(vocabulary, random)
        tables = masker.mask_tables
        for state in states(masker, random, share):
            found, wanted = tables.mask(state), tables.tried(state)
            if not np.array_equal(found, wanted):
                wrong = [vocabulary.tokens[each] for each in tables.tables.unpacked(found ^ wanted)]
                raise AssertionError((state.place, masker.machine.rules.budgets, wrong[:9]))
            seen[type(state.place).__name__] += 1
    return seen


@pytest.mark.slow
def test_masks_are_those_of_brute_force() -> None:
    """[DECODE-MASK]"""
    seen = check_masks(VOCABULARY, Random(2), 90, 0.05)
    assert {"Keyword", "FieldValue", "FieldName", "Proposition", "FenceBytes", "LineStart"} <= set(seen)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_masks_are_those_of_brute_force(seed: int) -> None:
    """[DECODE-MASK]"""
    random = Random(seed)
    check_masks(adversarial(random), random, 4_000, 0.05)


def bits(mask: Any) -> list[int]:
    return [int(each) for each in np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))]


def small(random: Random) -> TokenVocabulary:
    """A vocabulary in which a walk is quick."""
    some = [token for token in adversarial(random, 500).tokens if token is not None and token < b"\x7f"]
    tails = [b"\x80", b"\x90", b"\xa0", b"\xc3", b"\xe2", b"\xf0"]
    single = {bytes((byte,)) for byte in range(0x20, 0x7F)} | {b"\n", b"\r"}
    tokens = sorted({*(each for each in some if len(each) > 1), *tails, *single})
    return TokenVocabulary([*tokens, None], end=len(tokens))


def walk(masker: TokenMasker, random: Random) -> bytes:
    """Tokens at random up to the end; what was written."""
    written = b""
    while not masker.is_stopped():
        allowed = bits(masker.mask())
        assert allowed, masker.state
        if random.random() < 0.05:
            assert allowed == [each for each in range(len(masker.vocabulary)) if masker.allows(each)]
        token = random.choice(allowed)
        assert masker.consume_token(token)
        written += masker.vocabulary.tokens[token] or b""
    return written


def check_walk(random: Random, most: int) -> None:
    vocabulary = small(random)
    masker = TokenMasker(vocabulary, goal=BOTH, max_tokens=most, tokens=random.choice([False, True]))
    written = walk(masker, random)
    assert masker.is_accepting()
    trace = read_trace(written, sink := Sink(), require_end=True)
    assert not len(sink), (written, [each.message for each in sink.diagnostics()])
    assert any(edge.kind == "critique" for edge in trace.of(Edge)) and list(trace.of(End))


def test_walks_end_in_traces_that_reach_the_goal() -> None:
    """[DECODE-CLOSE]"""
    random = Random(3)
    for _ in range(2):
        check_walk(random, 180)


@pytest.mark.slow
def test_many_walks_end_in_traces_that_reach_the_goal() -> None:
    """[DECODE-CLOSE]"""
    random = Random(4)
    for _ in range(100):
        check_walk(random, random.randint(160, 400))


def check_growth(vocabulary: TokenVocabulary, random: Random, share: float) -> None:
    """No token adds more to the closing than is said, but for the length of a fence."""
    masker = a_masker(vocabulary, random)
    for state in states(masker, random, share):
        masker._path = (state, 0, None)
        before = len(masker.closing())
        for token in bits(masker.mask()):
            data = vocabulary.tokens[token] or b""
            following = masker._behind(state, data)
            assert following is not None
            if b"@@" not in data and type(state.place).__name__ != "FenceLength":
                after = len(closing(masker.machine, following))
                assert after <= before + masker.reserve.growth(state), (state.place, data, after, before)


def test_no_token_adds_more_to_the_closing_than_is_kept_for_it() -> None:
    """[DECODE-CLOSE]"""
    random = Random(8)
    check_growth(VOCABULARY, random, 0.01)


@pytest.mark.slow
def test_no_token_adds_more_to_many_closings() -> None:
    """[DECODE-CLOSE]"""
    random = Random(9)
    for _ in range(40):
        check_growth(VOCABULARY, random, 0.02)


def check_reserve(
    vocabulary: TokenVocabulary, random: Random, count: int, share: float, tried: int
) -> Counter[str]:
    """Compares masks near the end of a budget with the closings behind some of the tokens."""
    seen: Counter[str] = Counter()
    while sum(seen.values()) < count:
        masker = a_masker(vocabulary, random)
        reserve, machine = masker.reserve, masker.machine
        for state in states(masker, random, share):
            found = masker.mask_tables.mask(state)
            needs = {}
            allowed = bits(found)
            for token in random.sample(allowed, min(tried, len(allowed))):
                following = masker._behind(state, vocabulary.tokens[token] or b"")
                assert following is not None
                needs[token] = len(closing(machine, following))
                assert reserve.length(following) == needs[token]
            base = len(closing(machine, state))
            # Where masks change there are the most to be seen.
            some = sorted({*needs.values()})
            for left in {base - 1, *random.sample(some, min(3, len(some)))}:
                if left >= base - 1:
                    kept = set(bits(reserve.affordable(state, found, left)))
                    pairs = ((each, each in kept, needed <= left) for each, needed in needs.items())
                    wrong = [
                        (vocabulary.tokens[each], is_kept) for each, is_kept, fits in pairs if is_kept != fits
                    ]
                    assert not wrong, (wrong[:9], left, base, state.place, masker.machine.rules.goal)
            seen[type(state.place).__name__] += 1
    return seen


@pytest.mark.slow
def test_masks_near_the_end_of_a_budget_are_those_of_all_closings() -> None:
    """[DECODE-CLOSE]"""
    seen = check_reserve(VOCABULARY, Random(12), 30, 0.04, 12)
    assert {"Keyword", "FieldValue", "FieldName", "Proposition", "LineStart"} <= set(seen)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_masks_near_the_end_are_those_of_all_closings(seed: int) -> None:
    """[DECODE-CLOSE]"""
    random = Random(100 + seed)
    check_reserve(adversarial(random), random, 1_500, 0.05, 2_000)


def test_a_fence_for_which_no_tokens_are_left_is_not_opened() -> None:
    """[DECODE-CLOSE]: its length may be said by tokens that begin within its mark."""
    pieces = [b"@len=9999", b"len=9999", b"=9999", b"9999"]
    vocabulary = TokenVocabulary([*(bytes((byte,)) for byte in range(256)), *pieces, None], end=260)
    for most, is_allowed in ((4_000, False), (40_000, True)):
        masker = TokenMasker(vocabulary, goal=BOTH, max_tokens=most)
        assert masker.consume_tokens(b"@node id=1 role=problem\n@")
        for token, more in ((256, b"@"), (257, b"len"), (258, b"="), (259, b"9")):
            assert masker.allows(token) is is_allowed
            assert (token in bits(masker.mask())) is is_allowed
            assert masker.consume_tokens(more)


def test_what_begins_a_role_token_is_no_text_yet() -> None:
    """[DECODE-MASK]: found by `benchmarks/mask_states.py`, in a token with a whole line before it."""
    vocabulary = TokenVocabulary([*(bytes((byte,)) for byte in range(256)), b"a\n<p", b"a\n<x"])
    masker = TokenMasker(vocabulary, tokens=True, budgets=Budgets(text=3))
    assert masker.consume_tokens(b"<problem>\n@node id=1 role=problem\n")
    assert {256, 257} & {*bits(masker.mask())} == {256}
    assert masker.allows(256) and not masker.allows(257)


def test_what_begins_the_end_marker_needs_less_for_the_closing() -> None:
    """[DECODE-CLOSE]: found by `benchmarks/mask_states.py`."""
    single = [bytes((byte,)) for byte in range(256)]
    vocabulary = TokenVocabulary([*single, b"a\n<summarizer:e", b"a\n", b"a\nb", None], end=259)
    begun = b"@node id=1 role=summarizer\n"
    most = len(begun) + len("<summarizer:end>") + 1
    masker = TokenMasker(vocabulary, goal=TraceGoal(end=True), max_tokens=most)
    assert masker.consume_tokens(begun) and bits(masker.mask()) == [ord("<"), 256]
    assert masker.consume_token(256) and masker.consume_tokens(masker.closing())


def test_the_last_token_is_the_end() -> None:
    """[DECODE-CLOSE]: also where blank lines may follow the end marker."""
    closed = Validator(goal=BOTH, tokens=False).closing() + b"\n"
    masker = TokenMasker(VOCABULARY, goal=BOTH, max_tokens=len(closed) + 1)
    assert masker.consume_tokens(VOCABULARY.ids[bytes((byte,))] for byte in closed)
    assert bits(masker.mask()) == [VOCABULARY.end]
    assert not masker.allows(VOCABULARY.ids[b" "])


def test_budgets_that_nothing_fits_are_refused_before_anything_is_written() -> None:
    """[DECODE-CLOSE]"""
    needed = len(Validator(goal=BOTH, tokens=False).closing()) + 1
    with pytest.raises(BudgetTooSmall, match="takes"):
        TokenMasker(VOCABULARY, goal=BOTH, max_tokens=needed - 1)
    masker = TokenMasker(VOCABULARY, goal=BOTH, max_tokens=needed)
    assert len(read(walk(masker, Random(5)).decode(), require_end=True).nodes) == 4 - 1
    with pytest.raises(ValueError, match="no trace"):
        TokenMasker(VOCABULARY, goal=BOTH, budgets=Budgets(records=3))


def test_tokens_are_consumed_validated_and_taken_back() -> None:
    """[DECODE-STEP]"""
    text = b"@node id=1 role=problem\nWhich?\n"
    tokens = [VOCABULARY.ids[bytes((byte,))] for byte in text]
    masker = TokenMasker(VOCABULARY, goal=TraceGoal(end=True))
    assert masker.consume_tokens(tokens)
    there = masker.mask().copy()
    other = masker.deep_copy()
    wrong = VOCABULARY.ids[b"\xff"]
    assert not masker.consume_token(wrong) and not masker.consume_tokens([tokens[0], wrong])
    assert not masker.consume_token(-1) and not masker.consume_token(len(VOCABULARY))
    assert masker.validate_tokens([*tokens[:2], wrong, tokens[0]]) == 2
    assert np.array_equal(masker.mask(), there)
    assert other.consume_tokens([VOCABULARY.ids[bytes((byte,))] for byte in b"@node id=2 role=summarizer\n"])
    closing = [VOCABULARY.ids[bytes((byte,))] for byte in other.closing()]
    assert other.consume_tokens(closing) and other.is_accepting()
    assert other.consume_token(VOCABULARY.end or 0) and other.is_stopped() and not other.mask().any()
    other.rollback(1)
    assert not other.is_stopped() and other.allows(VOCABULARY.end or 0)
    other.rollback(len(closing) + 27)
    assert np.array_equal(other.mask(), there) and np.array_equal(masker.mask(), there)
    with pytest.raises(ValueError, match="taken back"):
        other.rollback(1_000)
    rows = np.zeros((3, len(there)), dtype=np.int32)
    TokenMasker.fill_batch([masker, other], rows)
    assert np.array_equal(rows[0], there) and np.array_equal(rows[1], there) and not rows[2].any()


def test_the_tokens_of_a_trace_are_allowed_one_after_the_other() -> None:
    """[DECODE-MASK]"""
    [sample] = synthesize(1, seed=3)
    masker, at, data, random = TokenMasker(VOCABULARY), 0, sample.trace.encode(), Random(7)
    while at < len(data):
        size = next(size for size in range(24, 0, -1) if data[at : at + size] in VOCABULARY.ids)
        token = VOCABULARY.ids[data[at : at + size]]
        assert random.random() < 0.9 or token in bits(masker.mask())
        assert masker.consume_token(token)
        at += size
    assert masker.is_accepting()


def test_a_vocabulary_is_made_ready_in_time_that_its_size_explains() -> None:
    began = time.process_time()
    TokenMasker(adversarial(Random(6), 5_000)).mask()
    assert time.process_time() - began < 5


def test_behind_the_end_marker_the_last_token_is_the_end() -> None:
    """[DECODE-CLOSE]: blank lines may follow the marker, as long as a token is left for the end."""
    masker = TokenMasker(VOCABULARY, goal=BOTH, max_tokens=400)
    assert masker.consume_tokens(VOCABULARY.encode("@node id=1 role=problem\n"))
    assert masker.consume_tokens(VOCABULARY.encode(masker.closing() + b"\n"))
    newline = VOCABULARY.ids[b"\n"]
    while masker.consume_token(newline):
        assert bits(masker.mask()) == [each for each in range(len(VOCABULARY)) if masker.allows(each)]
    assert bits(masker.mask()) == [VOCABULARY.end] and masker.consume_token(len(VOCABULARY) - 1)
