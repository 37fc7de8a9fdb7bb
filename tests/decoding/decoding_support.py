"""What the tests of decoding share: a vocabulary that is hard on purpose, and walks through a trace."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from potlang.decoding import Budgets, TokenMasker, TokenVocabulary, TraceGoal
from potlang.languages.dot.read.records import PROFILES
from potlang.languages.dot.stream.machine import TextLine, TraceState
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import damaged, records

_PIECES = (
    *(
        b"@",
        b"node",
        b" id=",
        b"1",
        b"2",
        b"12",
        b" role=",
        b"critic",
        b"proposer",
        b"\n",
        b"\n@",
        b"\r\n",
        b"\r",
    ),
    *(b"summarizer", b"<summarizer:end>", b"<critic>", b"@edge src=", b" dst=", b" kind=", b"use"),
    *(
        b"refine",
        b"critique",
        b"@status target=",
        b" mark=validated",
        b" just=",
        b'{"',
        b'"}',
        b"gt",
        b'": [',
        b", ",
    ),
    *(
        b"]}",
        b'"x"',
        b"0",
        b"@@len=",
        b"@@",
        b"3",
        b"\xc3",
        b"\xa4",
        b"\xe2\x82",
        b"\xac",
        b"\xf0\x9f",
        b"text ",
    ),
    *(b" ", b"\\u", b"0067", b"\\", b'\\"', b"declare", b'":{"', b"@prop id=", b"@entails src=", b"witness"),
    *(b"rank=", b"e5", b".", b"-", b"00", b"abc", b'"a":"Int"', b"not", b"pot"),
)


NAMES = ("x", "y", "age", "ünïcode", "a b", "p", "gtx", "€")
"""Most of those in the traces of `records`, and some that are not there."""


def adversarial(random: Random, size: int = 1_200) -> TokenVocabulary:
    """Single bytes, and tokens that run across everything that a trace is made of."""
    tokens = {bytes((byte,)) for byte in range(256)}
    while len(tokens) < size:
        tokens.add(b"".join(random.choice(_PIECES) for _ in range(random.randint(1, 5))))
    shuffled = sorted(tokens)
    random.shuffle(shuffled)
    return TokenVocabulary([*shuffled, None], end=len(shuffled))


def a_masker(vocabulary: TokenVocabulary, random: Random) -> TokenMasker:
    """A masker of any form, budgets and goal."""
    while True:
        some = ([5, 9, 30], [0, 20, 200, 400], [3, 9, 60])
        budgets = Budgets(*(random.choice([None, None, None, *each]) for each in some))
        goal = TraceGoal(random.random() < 0.5, random.random() < 0.4)
        profile, tokens = random.choice(PROFILES), random.choice([False, False, True, None])
        names = random.choice([None, None, NAMES])
        try:
            return TokenMasker(
                vocabulary, profile=profile, budgets=budgets, goal=goal, tokens=tokens, names=names
            )
        except ValueError:
            continue


def states(masker: TokenMasker, random: Random, share: float) -> Iterator[TraceState]:
    """Some of the states on the way through a trace, lines of text less often than others."""
    machine = masker.machine
    found = records(random, blocks=random.randint(1, 9), profile=machine.rules.profile)
    tokens = machine.rules.tokens
    data = emit(found, role_tokens=random.random() < 0.5 if tokens is None else tokens)
    state = machine.start()
    for byte in damaged(data, random) if random.random() < 0.3 else data:
        often = 1 if isinstance(state.place, TextLine) else 3
        if random.random() < share * often:
            yield state
        following = machine.step(state, byte)
        if following is None:
            return
        state = following
