"""Phrases that order things, and whether formulas order them alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import potlang
from potlang.sema.emit import Writer
from potlang.words.order_phrases import Pole, order_phrases
from potlang.words.orders import OrderConflict, order_conflict

NAMES = ("amy", "Bob", "blueJay", "red_book", "plums", "F", "G", "H")
FIRST, LAST = Pole("order", False), Pole("order", True)
LEFT, RIGHT = Pole("side", False), Pole("side", True)


@pytest.mark.parametrize(
    ("text", "pole", "first", "second", "rank"),
    [
        ("Amy finished below Bob.", LAST, "amy", "Bob", None),
        ("Amy finished second.", FIRST, "amy", None, 2),
        ("Amy came in last, and Bob clapped", LAST, "amy", None, 1),
        ("Amy finished third-to-last.", LAST, "amy", None, 3),
        ("Amy was the 2nd to last", LAST, "amy", None, 2),
        ("The blue jay is to the left of the red book.", LEFT, "blueJay", "red_book", None),
        ("The blue jay is the second bird from the right.", RIGHT, "blueJay", None, 2),
        ("The Blue Jay is the leftmost", LEFT, "blueJay", None, 1),
        ("The plums are the third-cheapest.", Pole("price", False), "plums", None, 3),
        ("The plums are the second-most expensive.", Pole("price", True), "plums", None, 2),
        ("The plums are less expensive than Amy.", Pole("price", False), "plums", "amy", None),
        ("Amy is taller than Bob.", Pole("size", True), "amy", "Bob", None),
        ("Amy is bigger than Bob.", Pole("size", True), "amy", "Bob", None),
        ("Amy is heavier than Bob.", Pole("weight", True), "amy", "Bob", None),
        ("Amy is the eldest.", Pole("age", True), "amy", None, 1),
        ("Amy is more famous than Bob.", Pole("famous", True), "amy", "Bob", None),
        ("Bob stands in front of Amy", FIRST, "Bob", "amy", None),
        ("G was the next one written after F.", LAST, "G", "F", None),
    ],
)
def test_a_phrase_is_read(text: str, pole: Pole, first: str, second: str | None, rank: int | None) -> None:
    """[ORDER-PHRASE]"""
    (found,) = order_phrases(text, NAMES)
    assert found[1:] == (pole, first, second, rank) and found.words in text


def test_the_subject_is_that_of_each_relation() -> None:
    """[ORDER-PHRASE]"""
    found = order_phrases("H was written earlier than G but later than F.", NAMES)
    assert [each[1:4] for each in found] == [(FIRST, "H", "G"), (LAST, "H", "F")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Amy did not finish below Bob.",
        "Amy isn't above Bob.",
        "If Amy finished below Bob, she cried.",
        "Either Amy or Bob finished first.",
        "Did Amy finish first?",
        "Amy lives on the second floor.",
        "Amy is first cousin to Bob.",
        "Amy is rather good. Bob is other than Amy.",
        "Bob, who is tall, is the last but one.",
        "A finished first.",
        "f finished first.",
        "Amy is 3. Bob is 4.",
        "Carl finished above Dan.",
    ],
)
def test_what_is_not_sure_is_not_read(text: str) -> None:
    """[ORDER-PHRASE]: denials, conditions, questions, other nouns, other names."""
    assert order_phrases(text, NAMES) == []


@given(st.text(alphabet="Amy Bob tfirslat.-,?!\n'’é😀", max_size=80))
def test_any_text_is_read(text: str) -> None:
    """[ORDER-PHRASE]: and phrases are words of it."""
    assert all(each.words in text for each in order_phrases(text, NAMES))


# --- formulas ------------------------------------------------------------------------------------------


def conflict(text: str, names: Sequence[str], formulas: Sequence[str], *, by_function: bool) -> Any:
    program: dict[str, Any] = {"knowledge_base": list(formulas), "verifications": []}
    if by_function:
        program["sorts"] = [{"name": "Thing", "type": "DeclareSort"}]
        program["constants"] = {"things": {"sort": "Thing", "members": list(names)}}
        program["functions"] = [{"name": "place", "domain": ["Thing"], "range": "Int"}]
    else:
        program["constants"] = {"things": {"sort": "Int", "members": list(names)}}
    module = potlang.compile(program).module
    return order_conflict(text, [each.formula for each in module.assertions])


def place(name: str, by_function: bool) -> str:
    return f"place({name})" if by_function else name


def test_two_ends_of_one_scale_are_a_conflict() -> None:
    """[ORDER-CONFLICT]: below is nearer to the last place, and 5 is the last place."""
    text = "Joe finished last. Mya finished second-to-last. Eve finished below Amy. Ana was there, too."
    formulas = ["Distinct(joe, ana, amy, mya, eve)", "joe == 5 and mya == 4", "eve < amy", "ana >= 1"]
    names = ("joe", "ana", "amy", "mya", "eve")
    found = conflict(text, names, formulas, by_function=False)
    assert isinstance(found, OrderConflict)
    assert {each.phrase.words for each in found} == {"Joe finished last", "Eve finished below Amy"}
    writer = Writer(potlang.compile({"constants": {"n": {"sort": "Int", "members": list(names)}}}).module)
    assert found.described(writer.term) == (
        'the same scale is numbered from one end in "Joe finished last" as joe == 5, and from the other in '
        '"Eve finished below Amy" as eve < amy'
    )
    right = [*formulas[:2], "eve > amy"]
    assert conflict(text, names, right, by_function=False) is None


def test_answers_to_choose_from_are_no_conflict() -> None:
    """[ORDER-CONFLICT]: where the same thing is said to have several places, which is meant is open."""
    text = "Amy finished last. Bob finished above Amy.\nBob finished below Amy.\nAmy finished first."
    formulas = ["amy == 3", "bob < amy", "bob > amy", "amy == 1", "carl == 2"]
    assert conflict(text, ("amy", "bob", "carl"), formulas, by_function=False) is None


def test_other_functions_may_run_the_other_way() -> None:
    """[ORDER-CONFLICT]: a higher score is a smaller place."""
    program = {
        "sorts": [{"name": "Thing", "type": "DeclareSort"}],
        "constants": {"things": {"sort": "Thing", "members": ["amy", "bob"]}},
        "functions": [{"name": name, "domain": ["Thing"], "range": "Int"} for name in ("place", "score")],
        "knowledge_base": ["place(amy) == 1", "place(bob) == 2", "score(amy) > score(bob)"],
    }
    module = potlang.compile(program).module
    text = "Amy finished first. Amy is above Bob in the table."
    assert order_conflict(text, [each.formula for each in module.assertions]) is None


_ENDS = {
    "order": (("first", "above"), ("last", "below")),
    "side": (("leftmost", "to the left of"), ("rightmost", "to the right of")),
    "price": (("the cheapest", "cheaper than"), ("the most expensive", "more expensive than")),
}
_ORDINALS = ("", "second", "third", "fourth", "fifth", "sixth")
_RANKS = {"order": ("{}", "{}-to-last"), "side": ("the {} from the left", "the {} from the right")}


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[list[str], list[tuple[str, str, str]], bool]:
    """Things, and for each statement its words and the formulas that number from either end."""
    names = ["ann", "bob", "cleo", "dan", "eve", "fay"][: draw(st.integers(3, 6))]
    scale = draw(st.sampled_from(sorted(_ENDS)))
    by_function = draw(st.booleans())
    order = draw(st.permutations(names))
    size = len(names)

    def at(name: str) -> str:
        return place(name, by_function)

    statements = []
    for one, other in draw(st.lists(st.permutations(names).map(lambda p: p[:2]), min_size=1, max_size=4)):
        behind = order.index(one) > order.index(other)
        words = f"{one.title()} is {_ENDS[scale][behind][1]} {other.title()}."
        less, more = f"{at(one)} < {at(other)}", f"{at(one)} > {at(other)}"
        statements.append((words, *((more, less) if behind else (less, more))))
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)):
        index = order.index(name)
        from_end = draw(st.booleans())
        rank = size - index if from_end else index + 1
        if rank == 1:
            said = _ENDS[scale][from_end][0]
        elif scale in _RANKS:
            said = _RANKS[scale][from_end].format(_ORDINALS[rank - 1])
        else:
            said = f"the {_ORDINALS[rank - 1]}-{('cheapest', 'most expensive')[from_end]}"
        statements.append(
            (f"{name.title()} is {said}.", f"{at(name)} == {index + 1}", f"{at(name)} == {size - index}")
        )
    return names, statements, by_function


@given(puzzles(), st.integers(0, 1), st.data())
def test_a_text_that_is_translated_one_way_round_is_no_conflict(
    puzzle: tuple[list[str], list[tuple[str, str, str]], bool], end: int, data: st.DataObject
) -> None:
    """[ORDER-CONFLICT]: from whichever end the places are numbered; one statement turned round is one."""
    names, statements, by_function = puzzle
    everyone = "Distinct({})".format(", ".join(place(each, by_function) for each in names))
    bounds = [f"1 <= {place(each, by_function)}" for each in names]
    text = "\n".join(words for words, *_ in statements)
    formulas = [each[1 + end] for each in statements]
    assert conflict(text, names, [everyone, *bounds, *formulas], by_function=by_function) is None

    turned = data.draw(st.integers(0, len(statements) - 1))
    # A middle place has the same number from either end, and a pair that is said twice is left open.
    changed = [each[1 + (end ^ (at == turned))] for at, each in enumerate(statements)]
    others = {each for at, each in enumerate(changed) if at != turned}
    tells = [words for words, one, other in statements if one != other]
    repeated = len({frozenset(names_of(words)) for words, *_ in statements}) < len(statements)
    if changed == formulas or len(tells) < 2 or not others or repeated:
        return
    found = conflict(text, names, [everyone, *bounds, *changed], by_function=by_function)
    assert isinstance(found, OrderConflict)
    assert any(each.phrase.words in statements[turned][0] for each in found)


def names_of(words: str) -> list[str]:
    return [each.strip(".").casefold() for each in words.split() if each[:1].isupper()]
