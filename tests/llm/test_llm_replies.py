"""Where in a reply the program is, and what an answer in prose says beside a verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st
from statements import Mutation, Property

from potlang.models.programs import replies
from potlang.models.programs.consistency import compare
from potlang.models.programs.replies import program_in, read_program
from potlang.models.replies import extract
from potlang.models.replies.extract import find_programs
from potlang.report.results import Verdict
from potlang.testing import finite_programs

PROGRAM = '{"sorts": [], "verifications": [{"constraint": "1 < 2"}]}'
LATER = '{"sorts": [], "verifications": [{"constraint": "1 < 3"}]}'
WRONG = '{"sorts": [], "verifications": [{"name": "is", "constraint": "1 < n"}]}'
BROKEN = '{"sorts": [], "verifications": [{"constraint": "1 < 2"}'


def _first_alone(reply: str, *, safe_fixes: bool) -> list[extract.Found]:
    return find_programs(reply, safe_fixes=safe_fixes)[:1]


IN_TEXT = json.dumps(PROGRAM)


@pytest.mark.parametrize(
    ("reply", "program"),
    [
        (PROGRAM, PROGRAM),
        (f"  {PROGRAM}\nThis says it all {{so}}.", PROGRAM),
        (f"Sure! Here it is: {PROGRAM} Anything else?", PROGRAM),
        (f"```json\n{PROGRAM}\n```", PROGRAM),
        (f"~~~\n{PROGRAM}\n~~~\nDone.", PROGRAM),
        (f"<think>{LATER}</think>\n{PROGRAM}", PROGRAM),
        (f"```json\n{PROGRAM}\n```\nor, shorter:\n```json\n{LATER}\n```", PROGRAM),
        (f"```json\n{PROGRAM}\n```\nA typical mistake:\n```json\n{WRONG}\n```", PROGRAM),
        (f"A draft:\n```json\n{WRONG}\n```\nbetter:\n```json\n{LATER}\n```", LATER),
        (f"A draft:\n```json\n{BROKEN}\n```\nbetter:\n```json\n{LATER}\n```", LATER),
        (f'Given {{"x": 1}}, I write\n{PROGRAM}\nwhere {{"name": "y"}} is free', PROGRAM),
        (f'{{"program": {PROGRAM}}}', PROGRAM),
        (f'{{"program": {IN_TEXT}}}', PROGRAM),
        (f'{{"answer": {PROGRAM}}}', PROGRAM),
        (f"[{PROGRAM}]", PROGRAM),
        (f'{{"reasoning": "Say {{so}}.", "program": {PROGRAM}}}', PROGRAM),
        (f'{{"reasoning": "Say so.", {PROGRAM[1:]}', PROGRAM),
        (f'{PROGRAM[:-1]}, "reasoning": "Said so."}}', PROGRAM),
        (f'{{"name": "potlang", "arguments": {{"program": {PROGRAM}}}}}', PROGRAM),
        (f'{{"name": "potlang", "arguments": {json.dumps(f"""{{"program": {PROGRAM}}}""")}}}', PROGRAM),
        (f'<tool_call>\n{{"name": "potlang", "arguments": {PROGRAM}}}\n</tool_call>', PROGRAM),
        (f'{{"operation": "verify", "program": {{"program": {PROGRAM}}}}}', PROGRAM),
        (f"```json\n{BROKEN}\n```\nThat is all.", BROKEN),
        (BROKEN, BROKEN),
        (f"{PROGRAM}</think>", PROGRAM),
        ('{"premises": ["p"]}', '{"premises": ["p"]}'),
        ("{sorts: []}", '{"sorts": []}'),
        ("{'sorts': [],}", '{"sorts": []}'),
        ("{“sorts”: []} // none", '{"sorts": []}'),
        ("{'program': {'sorts': [], 'closed': None}}", '{"sorts": [], "closed": null}'),
    ],
)
def test_the_program_in_a_reply(reply: str, program: str) -> None:
    """[LOOP-REPLY], [LOOP-MEND], [LOOP-REASONING]"""
    found = read_program(reply)
    assert found is not None and found.text == program


@pytest.mark.parametrize(
    "reply",
    ["", "Rex has no fur.", "the set {'a', 'b'} has two members", "f(x) = {x}", "```\nRex\n```", "[1, 2]"],
)
def test_a_reply_of_prose(reply: str) -> None:
    """[LOOP-REPLY]"""
    assert find_programs(reply) == [] and read_program(reply) is None


def test_safe_fixes_are_counted_and_can_be_left_out() -> None:
    """[LOOP-MEND]: of the JSON and of the formulas in it."""
    text = PROGRAM.replace("1 < 2", "1 = 2 && true")[:-1] + ",}"
    found = read_program(f'{{"program": {text}}}')
    assert found is not None and not found.problem and found.mended == 3
    assert json.loads(found.text)["verifications"] == [{"constraint": "1 == 2 and true"}]
    plain = read_program(text, safe_fixes=False)
    assert plain is not None and (plain.text, plain.mended) == (text, 0) and plain.problem
    assert program_in(text) == text


def test_of_programs_with_errors_the_best_is_repaired() -> None:
    """[LOOP-REPLY]: that with the fewest errors, of several the last."""
    worse = WRONG.replace('"1 < n"', '"m < n"')
    other = WRONG.replace("1 < n", "2 < n")
    for reply, text in (
        (f"{worse}\n{WRONG}", WRONG),
        (f"{WRONG}\n{worse}", WRONG),
        (f"{WRONG}\n{other}", other),
        (f"{other}\n{WRONG}", WRONG),
    ):
        found = read_program(reply)
        assert found is not None and found.text == text and found.problem == "the program has 1 error"


def test_what_stands_around_the_program() -> None:
    """[LOOP-REPLY]"""
    (found,) = find_programs(f"<think>no</think>\nAnswer: yes.\n{PROGRAM}\nBye.")
    assert found.around.split() == ["Answer:", "yes.", "Bye."]


PROSE = st.text(st.sampled_from("ab {}[]\"'`\n:,\\<>/"), max_size=40)


def check_found_in_prose(given: tuple[dict[str, Any], str, str, int | None]) -> None:
    """[LOOP-REPLY]: a program in a fence is found whatever prose stands around, and is found in itself."""
    program, before, after, indent = given
    text = json.dumps(program, indent=indent)
    reply = f"{before.replace('{', '(')}\n```json\n{text}\n```\n{after.replace('{', '(')}"
    (found,) = find_programs(reply)
    assert json.loads(found.text) == program
    assert find_programs(found.text) == [extract.Found(found.text, "")]


FOUND = Property(
    check_found_in_prose,
    st.tuples(finite_programs(), PROSE, PROSE, st.sampled_from([None, 1, 2])),
    quick=30,
)
test_found_in_prose, test_found_in_prose_deeply = FOUND.tests()


def check_wrapped(given: tuple[dict[str, Any], list[str]]) -> None:
    """[LOOP-REPLY]: a program in up to five objects, lists and texts is found as it is."""
    program, wrappings = given
    value: Any = program
    for each in wrappings:
        value = json.dumps(value) if each == "text" else [value] if each == "list" else {"key": value}
    reply = value if isinstance(value, str) else json.dumps(value)
    (found,) = find_programs(reply)
    assert json.loads(found.text) == program


WRAPPED = Property(
    check_wrapped,
    st.tuples(finite_programs(), st.lists(st.sampled_from(["text", "list", "object"]), max_size=4)),
    quick=30,
)
test_wrapped, test_wrapped_deeply = WRAPPED.tests()


def test_an_object_that_reaches_over_the_end_of_a_thought_is_none() -> None:
    """[LOOP-REPLY]"""
    (found,) = find_programs(f"{BROKEN}</think>{PROGRAM}\n```\n</think>")
    assert found.text == PROGRAM
    (found,) = find_programs(f'{BROKEN}</think>{{"\n```\n</think>')
    assert found.text == '{"'


def check_stable(text: str) -> None:
    """[LOOP-REPLY]: whatever the text, what is found in it is found in itself, and is of it unless mended."""
    for found in find_programs(text):
        again = find_programs(found.text)
        assert found.text in [each.text for each in again]
        assert found.mended or found.text in text


PIECES = st.lists(
    st.sampled_from(
        [PROGRAM, BROKEN, "```json\n", "\n```\n", "{", "}", '{"', '"program": ', "</think>", "x ", "\n"]
    ),
    max_size=8,
).map("".join)
STABLE = Property(check_stable, PIECES, quick=200)
test_stable, test_stable_deeply = STABLE.tests()


def test_hostile_replies_take_linear_time() -> None:
    """[LOOP-REPLY]: a million brackets."""
    for text in (
        '{"' * 500_000,
        "{" * 1_000_000,
        '{"sorts": ' * 100_000,
        "{'sorts': " * 10_000,
        "```\n" * 200_000,
        "</think>" * 100_000,
    ):
        read_program(text)


def check_first_that_compiles(given: tuple[str, str]) -> None:
    """[LOOP-REPLY]: a draft with an error, then two programs that compile."""
    before, between = (each.replace("{", "(") for each in given)
    found = read_program(f"{before}\n{WRONG}\n{between}\n{PROGRAM}\n{between}\n{LATER}")
    assert found is not None and found.text == PROGRAM


FIRST = Property(check_first_that_compiles, st.tuples(PROSE, PROSE), quick=30)
test_first_that_compiles, test_first_that_compiles_deeply = FIRST.tests()

MUTATIONS = [
    Mutation("first", "the first of several", (replies,), "find_programs", _first_alone),
    Mutation("first", "no object has sections", (extract,), "_sections", frozenset),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_mutations_are_caught(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    mutation.check_caught(FIRST, monkeypatch)


# --- consistency -------------------------------------------------------------------------------------

YES, NO, OPEN = Verdict.ENTAILED, Verdict.REFUTED, Verdict.UNDETERMINED


@pytest.mark.parametrize(
    ("prose", "means"),
    [
        ("Yes.", YES),
        ("**Yes**, because Rex is an iguana. There is no doubt.", YES),
        ("Rex has no fur, we know. So the answer is: **True**", YES),
        ("First no, then yes. Final answer: no", NO),
        (r"We get \(\boxed{\text{False}}\)", NO),
        ("The statement is not true.", NO),
        ("The claim is false.", NO),
        ("Answer = Uncertain", OPEN),
        ("It cannot be determined from the premises.", OPEN),
        ("Answer: it can't be known", OPEN),
        ('The answer is "unknown".', OPEN),
    ],
)
def test_prose_is_read(prose: str, means: Verdict) -> None:
    """[LOOP-CONSISTENT]"""
    for verdict in (YES, NO, OPEN):
        found = compare(prose, {"c": verdict})
        assert found.status == ("agrees" if verdict is means else "contradicts"), found
        assert str(verdict) in found.why and found.stated


@pytest.mark.parametrize(
    ("prose", "verdict", "status"),
    [
        ("Not necessarily.", NO, "agrees"),
        ("Not necessarily.", OPEN, "agrees"),
        ("Answer: it does not follow", YES, "contradicts"),
        ("Yes", Verdict.UNKNOWN, "cannot tell"),
        ("Yes", Verdict.INCONSISTENT, "cannot tell"),
        ("Rex is an iguana, and iguanas are reptiles.", YES, "cannot tell"),
        ("Nobody has fur.", NO, "cannot tell"),
        ("Yesterday it rained.", YES, "cannot tell"),
        ("No-one knows", NO, "cannot tell"),
        ("", YES, "cannot tell"),
    ],
)
def test_what_prose_leaves_open(prose: str, verdict: Verdict, status: str) -> None:
    """[LOOP-CONSISTENT]"""
    assert compare(prose, {"c": verdict}).status == status


@pytest.mark.parametrize(
    ("prose", "verdicts", "status"),
    [
        ("Answer: B", (NO, YES, NO), "agrees"),
        ("The correct answer is (B).", (NO, YES, NO), "agrees"),
        (r"\boxed{B}", (OPEN, YES, OPEN), "agrees"),
        ("The answer is option B", (NO, YES, NO), "agrees"),
        ("Answer: A", (NO, YES, NO), "contradicts"),
        ("Answer: A", (OPEN, YES, NO), "contradicts"),
        ("Answer: A", (NO, YES, YES), "contradicts"),
        ("Answer: B", (NO, YES, YES), "cannot tell"),
        ("Answer: A", (OPEN, OPEN, NO), "cannot tell"),
        ("A man walks in", (YES, NO, NO), "cannot tell"),
        ("Answer: D", (YES, NO, NO), "cannot tell"),
        ("Answer: yes", (YES, NO, NO), "cannot tell"),
    ],
)
def test_choices(prose: str, verdicts: tuple[Verdict, ...], status: str) -> None:
    """[LOOP-CONSISTENT]"""
    claims = dict(zip("ABC", verdicts, strict=True))
    assert compare(prose, claims, ("A", "B", "C")).status == status


def check_bounded(given: tuple[str, str]) -> None:
    """[LOOP-CONSISTENT]: every text has an answer, and a label that no claim has is never agreed with."""
    prose, label = given
    found = compare(f"{prose}\nAnswer: {label}", {"c": YES}, (label,))
    assert found.status != "agrees" or label == "c" or found.stated != label


BOUNDED = Property(check_bounded, st.tuples(PROSE, st.sampled_from(["A", "B", "yes", "x y"])))
test_bounded, test_bounded_deeply = BOUNDED.tests()


def test_hostile_prose() -> None:
    for text in (
        "answer is " * 100_000,
        "\\boxed{" * 100_000,
        "answer" + ":" * 500_000,
        "*" * 1_000_000,
        "not " * 9**6,
    ):
        compare(text, {"c": YES}, ("A", "B"))
