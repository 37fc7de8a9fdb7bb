"""The validator of streams: the reader's language byte by byte, in any pieces, on any way."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from call_counts import calls_of
from stream_support import a_trace, check_agrees, form_of, is_read

from potlang.diag import Sink
from potlang.diag.render_text import render_all
from potlang.dot import Budgets, TraceBuilder, TraceGoal, Validator, synthesize
from potlang.languages.dot.lower.canonical import digest
from potlang.languages.dot.read.reader import read_trace
from potlang.languages.dot.read.records import PROFILES
from potlang.languages.dot.read.rules import RULES
from potlang.languages.dot.stream import ids
from potlang.languages.dot.stream.order import order_of
from potlang.languages.dot.stream.registers import NumberRange
from potlang.languages.dot.write.emit import emit
from potlang.source import DEFAULT_LIMITS

HEAD = b"@node id=1 role=problem\n"
TWO = HEAD + b"@node id=2 role=proposer\n"
CRITIC = TWO + b"@node id=3 role=critic\n@edge src=2 dst=3 kind=critique\n"


def judged(data: bytes, **options: Any) -> Validator:
    validator = Validator(**options)
    validator.push(data)
    return validator


# --- against the reader ------------------------------------------------------------------------------


def test_bytes_are_judged_as_the_reader_judges_what_may_come_of_them() -> None:
    """[STREAM-STATUS] [STREAM-FIRST] [STREAM-CLOSE] [STREAM-BYTE]"""
    random = Random(1)
    judgements = {check_agrees(random) for _ in range(60)}
    assert judgements == {True, False}


def test_json_is_judged_as_the_reader_judges_what_may_come_of_it() -> None:
    """[STREAM-JSON]"""
    random = Random(2)
    judgements = {check_agrees(random, of_json=True) for _ in range(60)}
    assert judgements == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("of_json", [False, True])
def test_many_bytes_are_judged_as_the_reader_does(of_json: bool) -> None:
    random = Random(3)
    for _ in range(3_000):
        check_agrees(random, of_json=of_json)


def check_pieces(random: Random) -> None:
    profile = random.choice(PROFILES)
    data = a_trace(random, profile, damage=random.random() < 0.7)
    budgets = Budgets(*(random.choice([None, None, 6, 40, 300]) for _ in range(3)))
    whole, single, pieces = (Validator(profile=profile, budgets=budgets) for _ in range(3))
    whole.push(data)
    for byte in data:
        single.push(bytes((byte,)))
    cuts = sorted({0, len(data), *(random.randrange(len(data) + 1) for _ in range(random.randint(0, 9)))})
    for start, end in pairwise(cuts):
        pieces.push(data[start:end])
    for other in (single, pieces):
        assert (other.status, other.position, other.error) == (whole.status, whole.position, whole.error)
        assert (other.line, other.column, other.state) == (whole.line, whole.column, whole.state)
    if whole.error is None:
        form, limit = form_of(data), budgets.records
        assert (whole.status == "complete") == is_read(data, form, profile, limit)
    else:
        good = data[: whole.position]
        assert whole.line == good.count(b"\n") + 1
        assert whole.error.code in RULES or whole.error.code < "POT2"
        assert whole.error.place.span == (len(good.decode("utf-8", "replace")), whole.error.place.span[1])


def test_pieces_make_no_difference() -> None:
    """[STREAM-CHUNK]"""
    random = Random(4)
    for _ in range(120):
        check_pieces(random)


@pytest.mark.slow
def test_pieces_make_no_difference_to_many_traces() -> None:
    """[STREAM-CHUNK]"""
    random = Random(5)
    for _ in range(10_000):
        check_pieces(random)


def check_prefixes(data: bytes) -> None:
    validator = Validator()
    for byte in data:
        assert validator.push(bytes((byte,))) != "invalid", validator.error
    assert validator.status == "complete"


def test_prefixes_of_a_trace_are_not_invalid() -> None:
    """[STREAM-STATUS]"""
    for sample in synthesize(8, seed=1):
        check_prefixes(sample.trace.encode())


@pytest.mark.slow
def test_prefixes_of_a_thousand_traces_are_not_invalid() -> None:
    random = Random(6)
    for sample in synthesize(500, seed=2):
        check_prefixes(sample.trace.encode())
    for _ in range(500):
        check_prefixes(a_trace(random, "paper", damage=False))


# --- which byte, which code ----------------------------------------------------------------------------

FIRST = [
    (b"x", 0, "POT5007"),
    (b"\n", 0, "POT5007"),
    (b"@edge src=1", 1, "POT5007"),
    (b"@@len=1@@", 1, "POT5007"),
    (b"@nodes", 5, "POT5001"),
    (b"@node  id=1", 6, "POT5002"),
    (b"@node id=01", 10, "POT5002"),
    (b"@node id=1 role=judge", 16, "POT5002"),
    (b"@node id=" + b"9" * 601, 609, "POT0004"),
    (HEAD + b"@e", 25, "POT5024"),
    (HEAD + b"@s", 25, "POT5030"),
    (HEAD + b"@c", 25, "POT5032"),
    (HEAD + b"@x", 25, "POT5001"),
    (HEAD + b"\xff", 24, "POT5005"),
    (HEAD + b"caf\xc3\n", 28, "POT5005"),
    (HEAD + b"@node id=0", 33, "POT5020"),
    (HEAD + b"@node id=1 ", 34, "POT5020"),
    (TWO + b"@edge src=3", 59, "POT5021"),
    (TWO + b"@edge src=2", 59, "POT5023"),
    (TWO + b"@edge src=1 dst=3", 65, "POT5022"),
    (TWO + b"@edge src=1 dst=2 kind=r", 72, "POT5024"),
    (TWO + b"@entails src=1", 62, "POT5032"),
    (TWO + b"@entails src=2 dst=2 w", 70, "POT5033"),
    (TWO + b"x\n@e", 52, "POT5008"),
    (TWO + b"@prop id=1", 58, "POT5040"),
    (TWO + b'@prop id=2 "p"\n@p', 65, "POT5009"),
    (CRITIC + b"@status target=2 mark=validated\n@s", 137, "POT5009"),
    (CRITIC + b"@edge src=1", 114, "POT5024"),
    (CRITIC + b"@edge src=2 dst=3 kind=u", 127, "POT5025"),
    (CRITIC + b"@node id=4 role=summarizer\n@edge", 133, "POT5026"),
    (CRITIC + b"@status target=2 mark=validated\n@node id=4 role=critic\n@s", 160, "POT5031"),
    (HEAD + b"@@len=2@@abc", 35, "POT5004"),
    (HEAD + b"@@len=2@@a\xc3\xa4", 34, "POT5005"),
    (HEAD + b"@@len=99999999", 37, "POT5003"),
    (HEAD + b"@node id=2 role=summarizer\n<summarizer:end>\n\n x", 70, "POT5010"),
    (HEAD + b"@prop id=1 \n", 35, "POT5002"),
    (HEAD + b'@prop id=1 {"gt": [1, 2,', 47, "POT5041"),
    (HEAD + b'@prop id=1 {"and": []', 44, "POT5041"),
    (HEAD + b'@prop id=1 {"ad"', 38, "POT5041"),
    (HEAD + b'@prop id=1 {"gt": [1]', 44, "POT5041"),
    (HEAD + b'@prop id=1 {"gt" [', 41, "POT1001"),
    (HEAD + b'@prop id=1 "p" x', 39, "POT1001"),
    (HEAD + b'@prop id=1 {"gt": [01', 44, "POT1001"),
    (HEAD + b'@prop id=1 {"gt": [N', 43, "POT1006"),
    (HEAD + b'@prop id=1 ["\\ud800"', 43, "POT1005"),
    (HEAD + b'@prop id=1 ["\\udc', 40, "POT1005"),
    (HEAD + b'@prop id=1 {"declare": {"x": "Int", "x"', 62, "POT1004"),
    (TWO + b'@prop id=2 {"declare"', 62, "POT5042"),
    (HEAD + b"@prop id=1 " + b'{"not":' * 513, 35 + 7 * 512, "POT0003"),
    (HEAD + b'@prop id=1 {"gt": [' + b"1" * 10_001, 43 + 10_000, "POT0004"),
    (HEAD + b'@prop id=1 "' + b"p" * 10_001, 36 + 10_000, "POT0007"),
    (b"<problem>\n@node id=1 role=c", 26, "POT5052"),
    (b"<problem>\nx", 10, "POT5052"),
    (b"<problem>\n" + HEAD + b"@n", 35, "POT5052"),
]


@pytest.mark.parametrize(("data", "at", "code"), FIRST, ids=lambda value: str(value)[-30:])
def test_the_first_byte_that_nothing_saves_is_known(data: bytes, at: int, code: str) -> None:
    """[STREAM-FIRST] [STREAM-BYTE] [STREAM-JSON]"""
    validator = judged(data)
    assert validator.error is not None
    assert (validator.position, validator.error.code) == (at, code), validator.error.message
    assert validator.push(b"more") == "invalid" and validator.position == at
    assert render_all([validator.error], read_trace(data, Sink(), form="records").document)


def test_text_is_pushed_as_utf_8_and_a_byte_order_mark_is_passed_over() -> None:
    """[STREAM-CHUNK]"""
    validator = Validator()
    assert validator.push("\ufeff@node id=1 role=problem\nü🙂") == "complete"
    assert (validator.line, validator.column) == (2, 3)
    assert validator.push("\ud800") == "invalid"
    assert validator.error is not None and validator.error.place.span == (27, 28)
    with pytest.raises(TypeError):
        Validator().push(None)  # type: ignore[arg-type]


def test_what_is_judged_later_than_it_could_be() -> None:
    """[STREAM-LATER]"""
    limits = DEFAULT_LIMITS._replace(bytes=30)
    validator = judged(HEAD + b"@node id", limits=limits)
    assert validator.error is not None and (validator.position, validator.error.code) == (30, "POT0002")
    assert judged(HEAD + b'@prop id=1 {"pot": "(("}').status == "complete"
    tagged = judged(b"<problem>q</problem>")
    assert tagged.status == "invalid" and tagged.position == 9


# --- budgets -------------------------------------------------------------------------------------------


def test_budgets_are_judged_at_the_byte_that_leaves_nothing() -> None:
    """[STREAM-BUDGET]"""
    records = Budgets(records=1)
    assert judged(HEAD, budgets=records).status == "complete"
    over = judged(HEAD + b"@n", budgets=records)
    assert over.error is not None and (over.position, over.error.code) == (25, "POT5011")
    for data, budgets, at in [
        (HEAD + b"four", Budgets(text=4), 27),
        (HEAD + "aä".encode(), Budgets(text=3), 25),
        (HEAD + b"fou\n\n", Budgets(text=4), 28),
        (HEAD + b"@@len=10@@", Budgets(text=20), 31),
        (HEAD + b"@@len=9@@", Budgets(text=8), 25),
        (b"@node id=10", Budgets(ids=9), 10),
        (HEAD + b"@n", Budgets(ids=1), 25),
    ]:
        validator = judged(data, budgets=budgets)
        assert validator.error is not None
        assert (validator.position, validator.error.code) == (at, "POT5013"), data
    ending = HEAD + b"@node id=2 role=summarizer\n<summarizer:end>"
    assert judged(ending, budgets=Budgets(text=0)).status == "complete"
    for bad in (Budgets(records=0), Budgets(text=-1), Budgets(ids=-1)):
        with pytest.raises(ValueError, match="no trace"):
            Validator(budgets=bad)


def test_budgets_leave_ways_to_complete_what_is_not_invalid() -> None:
    """[STREAM-BUDGET] [STREAM-CLOSE]"""
    random = Random(7)
    for _ in range(60):
        budgets = Budgets(*(random.choice([None, 3, 9, 60]) for _ in range(3)))
        validator = Validator(budgets=budgets)
        for byte in a_trace(random, "paper", damage=False):
            before = validator.checkpoint()
            if validator.push(bytes((byte,))) == "invalid":
                validator.rollback(before)
                break
            if random.random() < 0.1:
                closed = validator.fork()
                assert closed.push(validator.closing()) == "complete"
        assert validator.push(validator.closing()) == "complete"


@pytest.mark.slow
def test_a_goal_is_reached_within_budgets_from_every_byte_that_is_not_invalid() -> None:
    """[STREAM-GOAL] [STREAM-CLOSE]: each byte of the closing takes one off."""
    random = Random(11)
    for _ in range(30):
        goal = TraceGoal(end=random.random() < 0.8, critique=random.random() < 0.6)
        budgets = Budgets(*(random.choice([None, *some]) for some in ([5, 9, 30], [0, 3, 90], [3, 9, 60])))
        validator = Validator(budgets=budgets, goal=goal, tokens=random.choice([None, False, True]))
        data = a_trace(random, "paper", damage=random.random() < 0.3)
        for byte in data.replace(b"<summarizer:end>", b"") if random.random() < 0.5 else data:
            before = validator.checkpoint()
            if validator.push(bytes((byte,))) == "invalid":
                validator.rollback(before)
                break
            if random.random() < 0.03:
                check_closes(validator.fork(), goal, budgets)
        check_closes(validator, goal, budgets)


def check_closes(validator: Validator, goal: TraceGoal, budgets: Budgets) -> None:
    way = validator.closing()
    pace = 1 + len(way) // 40
    for size in range(0, len(way), pace):
        assert validator.closing() == way[size:]
        assert validator.status == "incomplete"
        validator.push(way[size : size + pace])
    assert validator.status == "complete" and validator.closing() == b""
    registers = validator.state.registers
    assert validator.machine.has_ended(validator.state) or not goal.end
    assert registers.criticized or not goal.critique
    assert registers.counted <= (budgets.records or 10**9) and registers.last <= (budgets.ids or 10**99)


def test_a_goal_is_judged_at_the_byte_that_leaves_nothing_for_it() -> None:
    """[STREAM-GOAL]"""
    both = TraceGoal(end=True, critique=True)
    for data, budgets, at in [
        (TWO + b"@node id=3 role=p", Budgets(records=5), 65),
        (TWO + b"@e", Budgets(records=5), 50),
        (TWO + b"@node id=3 role=critic\nx", Budgets(records=5), 72),
        (TWO + b"@node id=4", Budgets(ids=4), 58),
    ]:
        validator = judged(data, budgets=budgets, goal=both)
        assert validator.position == at and validator.status == "invalid", (data, validator.position)
    early = judged(HEAD + b"@node id=2 role=summarizer\n<summarizer:end>\n", goal=both)
    assert early.position == len(HEAD) + 43
    with pytest.raises(ValueError, match="reaches"):
        Validator(budgets=Budgets(records=3), goal=both)


# --- other ways ----------------------------------------------------------------------------------------


def test_forks_and_checkpoints_do_not_see_each_other() -> None:
    """[STREAM-TIME]"""
    validator = judged(CRITIC)
    here = validator.checkpoint()
    other = validator.fork()
    assert other.push(b"@status target=2 mark=validated\n@node id=4 role=critic\n@s") == "invalid"
    assert validator.push(b"@node id=4 role=critic\n@status target=2") == "incomplete"
    validator.rollback(here)
    assert validator.push(b"@status target=2 mark=invalidated\n") == "complete"
    other.rollback(here)
    assert other.status == "complete" and other.error is None


def pairs(count: int) -> bytes:
    builder = TraceBuilder()
    builder.problem("Which?")
    for index in range(count):
        node = builder.proposer({"gt": [index, 2]}, uses=[1], text="So it is.")
        builder.critic(node, text="Yes.")
        builder.validate(node)
    return builder.text()


def test_calls_are_in_proportion_to_the_trace() -> None:
    """[STREAM-TIME]"""
    short, long = pairs(100), pairs(400)
    few, many = (calls_of(lambda data=data: judged(data)) for data in (short, long))
    assert many / few <= 1.1 * len(long) / len(short)


# --- role tokens ---------------------------------------------------------------------------------------


def test_role_tokens_say_nothing() -> None:
    """[DOT-ROLE-1] [DOT-ROLE-2]"""
    random = Random(8)
    for _ in range(40):
        data = a_trace(random, "paper", damage=False)
        plain = read_trace(data, Sink())
        with_tokens = emit(plain, role_tokens=True)
        trace = read_trace(with_tokens, sink := Sink())
        assert not len(sink) and trace.has_role_tokens and digest(trace) == digest(plain)
        assert emit(trace) == with_tokens
        assert trace.texts() == plain.texts()


def test_a_role_token_goes_with_its_node() -> None:
    """[DOT-ROLE-1]"""
    builder = TraceBuilder()
    builder.problem("<critic>")
    builder.proposer(uses=[1])
    data = builder.text(role_tokens=True)
    assert b"@@len=8@@<critic>\n<proposer>\n@node id=2" in data
    for wrong in (
        data.replace(b"<proposer>", b"<critic>"),
        data.replace(b"<proposer>\n", b""),
        data + b"<critic>\n",
        data + b"<critic>\n\n@node id=3 role=critic\n",
    ):
        read_trace(wrong, sink := Sink())
        assert {each.code for each in sink.diagnostics()} == {"POT5052"}, wrong


def test_an_end_can_be_required() -> None:
    """[DOT-END-3]"""
    data = HEAD + b"@node id=2 role=summarizer\n<summarizer:end>\n"
    for cut, codes in ((data, []), (data[:-3], ["POT5014"])):
        read_trace(cut, sink := Sink(), require_end=True)
        assert [each.code for each in sink.diagnostics()] == codes


# --- parts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", PROFILES)
def test_the_order_is_that_of_the_grammar(profile: Any) -> None:
    """[DOT-GRAM-2]: the automaton from the parser's tables against a regular expression."""
    tokens = {"N": "NODE", "E": "EDGE", "S": "STATUS", "A": "ENTAILS", "Q": "EQ", "P": "PROP", "T": "TEXT"}
    late = "|NE*A*Q*P?T+ST*" if profile == "paper" else ""
    right = re.compile(rf"(NE*S?A*Q*P?T*{late})+")
    order, random = order_of(profile), Random(9)
    for _ in range(4_000):
        word = "N" + "".join(random.choices("NESAQPT", (2, 3, 2, 2, 2, 2, 4), k=random.randint(0, 9)))
        state: int | None = 0
        for letter in word:
            state = None if state is None else order.rows[state].get(tokens[letter])
        assert (state is not None and order.may_end[state]) == (right.fullmatch(word) is not None), word


def test_sets_of_ids_keep_what_they_were() -> None:
    random = Random(10)
    for _ in range(60):
        plain: set[bytes] = set()
        trie = ids.EMPTY
        moments = []
        for _ in range(50):
            if plain and random.random() < 0.4:
                key = random.choice(sorted(plain))
                plain, trie = plain - {key}, ids.removed(trie, key)
            else:
                key = b"%d" % random.randrange(random.choice([10, 100, 1_000, 10**12]))
                plain, trie = plain | {key}, ids.added(trie, key)
            moments.append((plain, trie))
        for members, then in moments:
            assert set(ids.members(then)) == members
            for prefix in (b"", b"1", b"12", b"0", *sorted(members)[:3]):
                fitting = [each for each in members if each.startswith(prefix)]
                assert ids.extends(then, prefix) == bool(fitting)
                assert ids.has(then, prefix) == (prefix in members)
                rest = ids.shortest(then, prefix)
                least = min(fitting, key=lambda each: (len(each), each), default=None)
                assert least == (None if rest is None else prefix + rest)


def test_ranges_of_numbers_know_their_prefixes() -> None:
    for low in range(0, 130, 7):
        for high in (*range(low - 2, low + 30, 5), 400):
            numbers = [b"%d" % each for each in range(low, high + 1)]
            for prefix in (b"", *(b"%d" % each for each in range(450))):
                fits = any(each.startswith(prefix) for each in numbers)
                assert NumberRange(low, high).extends(prefix) == fits, (low, high, prefix)
                if fits:
                    assert prefix + NumberRange(low, high).shortest(prefix) in numbers
