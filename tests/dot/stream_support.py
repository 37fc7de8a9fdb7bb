"""What the tests of streams share: the validator against the reader, at each byte."""

from __future__ import annotations

import json
from random import Random

from potlang.diag import Sink
from potlang.languages.dot.read.reader import Form, read_trace
from potlang.languages.dot.read.records import PROFILES, Profile
from potlang.languages.dot.stream.closing import closing
from potlang.languages.dot.stream.machine import TraceMachine
from potlang.languages.dot.stream.registers import Budgets
from potlang.languages.dot.write.emit import emit
from potlang.testing.traces import damaged, declarations, proposition, records

_JSON_PIECES = (
    *(
        b'"',
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\\u00",
        b"\\ud83d",
        b"\\ude00",
        b"\\",
        b"e",
        b".",
        b"0",
        b"-",
    ),
    *(b"1", b" ", b"\r", b"\n", b"\xe2", b"\x82", b"\xac", b"\xed\xa0\x80", b"n", b"@", b"\x00", b"declare"),
    *(b'"x"', b"gt", b"\\u0067t", b"I", b"true"),
)


def form_of(data: bytes) -> Form:
    return "tokens" if data.startswith(b"<") else "records"


def is_read(data: bytes, form: Form, profile: Profile, budget: int | None = None) -> bool:
    read_trace(data, sink := Sink(), profile=profile, form=form, budget=budget)
    return not len(sink)


def a_trace(random: Random, profile: Profile, *, damage: bool) -> bytes:
    found = records(random, blocks=random.randint(1, 9), profile=profile)
    data = emit(found, role_tokens=random.random() < 0.3)
    return damaged(data, random) if damage else data


def a_proposition(random: Random) -> bytes:
    """A trace of one node with a `@prop`, damaged now and then inside its JSON."""
    role = random.choice(["problem", "proposer"])
    declares = role == "problem" and random.random() < 0.6
    value = declarations(random) if declares else proposition(random, random.randint(0, 3))
    between = random.choice([(",", ":"), (", ", ": "), (" , ", " : ")])
    text = json.dumps(value, ensure_ascii=random.random() < 0.5, separators=between).encode()
    if random.random() < 0.3:
        text = text.replace(b"gt", b"\\u0067\\u0074").replace(b"x", b"\\u0078")
    for _ in range(random.randint(0, 2)):
        at = random.randrange(len(text)) if text else 0
        piece = random.choice(_JSON_PIECES) * random.randint(0, 2)
        text = text[:at] + piece + text[at + random.choice([0, 0, 1, 1, 2, 3]) :]
    end = random.choice([b"", b"\n", b"\r\n", b"\nx"])
    return b"@node id=1 role=%b\n@prop id=1 %b%b" % (role.encode(), text, end)


def check_judged(data: bytes, random: Random, profile: Profile, budget: int | None = None) -> bool:
    """Compares some prefixes of the data with the reader, up to the first byte that nothing saves.

    Each state's own completion is read; of that byte it is tried that none of many completions is.
    """
    form = form_of(data)
    machine = TraceMachine(profile, Budgets(budget), tokens=form == "tokens")
    state = machine.start()
    for at, byte in enumerate(data):
        if random.random() < 0.12 or at == 0:
            assert machine.is_complete(state) == is_read(data[:at], form, profile, budget), data[:at]
            way = closing(machine, state)
            assert is_read(data[:at] + way, form, profile, budget), (data[:at], way)
        following = machine.step(state, byte)
        if following is None:
            others = (machine.step(state, other) for other in range(256))
            ways = {closing(machine, other) for other in others if other is not None}
            for way in {b"", b"\n", b" ", data[at + 1 :], closing(machine, state), *ways}:
                for rest in (way, way[1:]):
                    assert not is_read(data[: at + 1] + rest, form, profile, budget), (data[: at + 1], rest)
            return False
        state = following
    assert machine.is_complete(state) == is_read(data, form, profile, budget)
    assert is_read(data + closing(machine, state), form, profile, budget)
    return True


def check_agrees(random: Random, *, of_json: bool = False) -> bool:
    if of_json:
        return check_judged(a_proposition(random), random, "paper")
    profile = random.choice(PROFILES)
    budget = random.choice([None, None, 3, 8, 20])
    return check_judged(a_trace(random, profile, damage=random.random() < 0.8), random, profile, budget)
