"""Formulas said in sentences, and sentences read."""

from __future__ import annotations

from typing import Any

import pytest
from spoken import speaker

import potlang
from potlang.words.constructs import BINDING, CONSTRUCTS
from potlang.words.parts import MOST_PARTS, Unsayable
from potlang.words.phrases import Lexicon, ProgramVocabulary
from potlang.words.read import read_sentence
from potlang.words.rules import PatternHole
from potlang.words.table import Language, language

PROGRAM: dict[str, Any] = {
    "sorts": [
        {"name": "Person", "type": "DeclareSort"},
        {"name": "Cars", "type": "DeclareSort"},
        {"name": "Color", "type": "EnumSort", "values": ["red", "dark_blue", "and"]},
    ],
    "functions": [
        {"name": "adult", "domain": ["Person"], "range": "Bool"},
        {"name": "tall", "domain": ["Person"], "range": "Bool"},
        {"name": "mayRent", "domain": ["Person"], "range": "Bool"},
        {"name": "must_pay", "domain": ["Person"], "range": "Bool"},
        {"name": "has_license", "domain": ["Person"], "range": "Bool"},
        {"name": "owns", "domain": ["Person", "Cars"], "range": "Bool"},
        {"name": "parent", "domain": ["Person", "Person"], "range": "Bool"},
        {"name": "TallerThan", "domain": ["Person", "Person"], "range": "Bool"},
        {"name": "age", "domain": ["Person"], "range": "Int"},
        {"name": "color_of", "domain": ["Cars"], "range": "Color"},
        {"name": "distance", "domain": ["Person", "Person"], "range": "Real"},
        {"name": "holds", "domain": ["Bool"], "range": "Bool"},
    ],
    "constants": {
        "people": {"sort": "Person", "members": ["ann", "bob_lee", "is", "hard_hat", "hardHat"]},
        "cars": {"sort": "Cars", "members": ["beetle"]},
        "flags": {"sort": "Bool", "members": ["raining"]},
        "words": {"sort": "String", "members": ["title"]},
        "sets": {"sort": "Set(Person)", "members": ["team"]},
    },
    "variables": [
        {"name": "x", "sort": "Person"},
        {"name": "y", "sort": "Person"},
        {"name": "shut", "sort": "Bool"},
    ],
}

SENTENCES = [
    ("adult(ann)", "ann is an adult."),
    ("Not(tall(ann))", "ann is not tall."),
    ("Not(mayRent(ann))", "ann may not rent."),
    ("Not(must_pay(ann))", "It is not the case that ann must pay."),
    ("Not(has_license(ann))", "ann does not have license."),
    ("ForAll([x], adult(x) -> mayRent(x))", "For every person x, if x is an adult, then x may rent."),
    ("Exists([c: Cars], owns(bob_lee, c))", "There is a car c such that bob lee owns c."),
    ("parent(ann, bob_lee)", "Parent holds for ann and bob lee."),
    ("TallerThan(ann, bob_lee)", "ann is taller than bob lee."),
    ("Sum([shut], 2) == 4", "The sum over every truth value shut of 2 is 4."),
    ("age(ann) + 2 * 3 >= 21", "The age of ann plus (2 times 3) is at least 21."),
    ("color_of(beetle) == dark_blue", "The color of beetle is dark blue."),
    ("color_of(beetle) == `and`", "The color of beetle is `and`."),
    ("adult(is) or adult(hard_hat)", "`is` is an adult or `hard_hat` is an adult."),
    ("color_of(beetle) in [red, dark_blue]", "The color of beetle is one of red and dark blue."),
    ("raining and not raining", "raining is true and raining is false."),
    ("holds(adult(ann) or raining)", "(whether ann is an adult or raining is true) holds."),
    ("1 <= age(ann) < 5", "1 is at most the age of ann and the age of ann is less than 5."),
    (
        "adult(ann) and (tall(ann) or tall(bob_lee))",
        "ann is an adult and (ann is tall or bob lee is tall).",
    ),
    (
        "ForAll([x], Exists([y], parent(x, y))) -> raining",
        "If (for every person x, there is a person y such that parent holds for x and y), "
        "then raining is true.",
    ),
    (
        "Not(adult(ann) and raining)",
        "It is not the case that (ann is an adult and raining is true).",
    ),
    (
        "Count([x], adult(x)) <= 2",
        "The number of choices of a person x such that (x is an adult) is at most 2.",
    ),
    ("Distinct(ann, bob_lee, `is`)", "ann, bob lee and `is` are all different."),
    ("Union(team, [ann]) == team", "The union of team and the set of ann is team."),
    ('title == "a \\"b\\""', 'title is "a \\"b\\"".'),
    ("Min(age(ann), 3) == 3", "The least of the age of ann and 3 is 3."),
    (
        "Abs(-distance(ann, ann)) > 1/2",
        "The absolute value of minus the distance of ann and ann is more than 1 divided by 2.",
    ),
    ("If(raining, age(ann), 3) == 3", "(the age of ann if raining is true, otherwise 3) is 3."),
    (
        "If(raining, 1, If(adult(ann), 2, If(Exists([y], tall(y)), If(tall(ann), 3, 4), 5))) == age(ann)",
        "(1 if raining is true, 2 if ann is an adult, (3 if ann is tall, otherwise 4) if (there is a person "
        "y such that y is tall), otherwise 5) is the age of ann.",
    ),
    (
        "(raining <-> adult(ann)) or True",
        "(raining is true if and only if ann is an adult) or this is always so.",
    ),
]


@pytest.fixture(scope="module")
def program() -> potlang.Program:
    return potlang.compile(PROGRAM)


@pytest.mark.parametrize(("formula", "sentence"), SENTENCES, ids=[formula for formula, _ in SENTENCES])
def test_sentences(program: potlang.Program, formula: str, sentence: str) -> None:
    """Rules [WORDS-SAY], [WORDS-NAMES], [WORDS-FROM-NAMES], [WORDS-BRACKETS], [WORDS-TRUTH].

    And [WORDS-NEGATION].
    """
    assert speaker(program).say(formula) == sentence


def test_what_is_said_is_read(program: potlang.Program) -> None:
    """Rule [WORDS-SAME], for the sentences above."""
    voice = speaker(program)
    claims = [f"Iff({formula}, {voice.read(voice.say(formula)).expression})" for formula, _ in SENTENCES]
    asked = PROGRAM | {"verifications": [{"constraint": each} for each in claims]}
    report = potlang.verify(asked, language="pot")
    assert [(each.verdict, claim) for each, claim in zip(report.results, claims, strict=True)] == [
        ("entailed", claim) for claim in claims
    ]


@pytest.mark.parametrize("length", [2, 3, 7, 60])
def test_a_chain_of_choices_is_a_list_of_cases(program: potlang.Program, length: int) -> None:
    """[WORDS-CASES] However long it is; it is read as the chain that it is."""
    chain = str(length)
    for number in reversed(range(length)):
        chain = f"If(age(ann) == {number}, {number * number}, {chain})"
    voice = speaker(program)
    said = voice.say(f"age(bob_lee) == {chain}")
    cases = [f"{number * number} if the age of ann is {number}," for number in range(length)]
    assert said == f"The age of bob lee is ({' '.join(cases)} otherwise {length})."
    assert (voice.read(said).expression or "").count("If(") == length


@pytest.mark.parametrize(
    ("sentence", "problem", "at"),
    [
        ("", "there is no sentence", ""),
        ("Ann is an adult.", "not understood at `Ann`", "Ann"),
        ("ann is an adlut.", "not understood at `adlut`", "adlut"),
        ("ann is an adult and", "not understood at `and`", "and"),
        ("The age of ann.", "not complete", "ann"),
        ("If ann is an adult, then.", "not complete", "then"),
        ("ann is an adult or bob lee is tall and raining is true.", "not understood at `and`", "and"),
    ],
)
def test_what_is_not_read(program: potlang.Program, sentence: str, problem: str, at: str) -> None:
    """Rule [WORDS-READ]: with its place."""
    found = speaker(program).read(sentence)
    assert found.expression is None
    assert problem in found.problem
    assert sentence[found.start : found.end] == at


def test_a_sentence_of_two_readings() -> None:
    """Rule [WORDS-READ]: it is refused, and never said."""
    functions = [
        {"name": "f", "domain": ["T"], "range": "T", "description": "the friend of {x}"},
        {"name": "g", "domain": ["T"], "range": "T", "description": "{x} of b"},
        {"name": "p", "domain": ["T"], "range": "Bool", "description": "{x} sleeps"},
    ]
    source = {
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": functions,
        "constants": {"t": {"sort": "T", "members": ["ann"]}},
    }
    voice = speaker(potlang.compile(source))
    found = voice.read("The friend of ann of b sleeps.")
    assert found.expression is None
    assert "p(f(g(ann)))" in found.problem and "p(g(f(ann)))" in found.problem
    assert voice.say("p(f(g(ann)))") == "`p`(`f`(`g`(`ann`)))."


def test_too_long_and_without_words(program: potlang.Program) -> None:
    """Rule [WORDS-SAY]: where there is no sentence, that is said."""
    voice = speaker(program)
    with pytest.raises(Unsayable, match="too long"):
        voice.say(" + ".join(["age(ann)"] * MOST_PARTS) + " == 1")
    deep = "Not(" * 500 + "adult(ann) == raining" + ")" * 500
    assert voice.say(deep).count("not the case") == 500


@pytest.mark.slow
def test_a_sentence_that_never_ends(program: potlang.Program) -> None:
    """Rule [WORDS-READ]: long texts of any words are refused within their steps."""
    voice = speaker(program)
    for text in (
        "if " * 4_000,
        "(" * 4_000,
        "ann and " * 400,
        "ann, " * 900,
        "the age of " * 2_000 + "ann is 3",
    ):
        assert voice.read(text).expression is None


# --- tables ----------------------------------------------------------------------------------------


def test_each_construct_has_a_row() -> None:
    """Rule [WORDS-TABLE]."""
    found = language()
    assert set(found.table["patterns"]) == {*CONSTRUCTS, *BINDING}
    for key, rule in found.rules.items():
        holes = [
            piece.operand for piece in rule.pieces if isinstance(piece, PatternHole) and piece.operand >= 0
        ]
        if key in CONSTRUCTS and key not in found.joins:
            assert sorted(holes) == list(range(len(CONSTRUCTS[key].operands.rstrip("*")))) or any(
                isinstance(piece, PatternHole) and piece.is_list for piece in rule.pieces
            ), key


def test_another_language_is_another_table() -> None:
    """Rule [WORDS-TABLE]: words in another order are said and read by the same code."""
    table = language().table
    german = {
        "implies": {"level": 1, "say": "wenn {0:3}, dann {1:3}"},
        "forall": {"level": 0, "say": "für {every*} gilt: {0:0}"},
        "at least": {"level": 5, "say": "{0:2} ist mindestens {1:2}"},
    }
    patterns = {**table["patterns"], **german}
    binders = {"every": "jedes {noun} {name}", "some": "ein {noun} {name}"}
    functions = table["functions"] | {"value": {"1": "{words} von {0:3}", "more": "{words} von {0*:3}"}}
    other = Language(
        table
        | {"patterns": patterns, "binders": binders, "functions": functions, "sorts": {"Int": "Ganzes"}}
        | {"list": {"comma": ", ", "last": " und "}}
    )
    lexicon = Lexicon(other, ProgramVocabulary(sorts={"Int": None}))
    sentence = "Für jedes Ganzes n gilt: wenn n ist mindestens 3, dann n ist mindestens 2."
    assert read_sentence(sentence, lexicon).expression == "ForAll([n: Int], ((n >= 3) -> (n >= 2)))"


LISTING: dict[str, Any] = {
    "constants": {
        "numbers": {"sort": "Int", "members": ["n"]},
        "flags": {"sort": "Bool", "members": ["raining"]},
        "sums": {"sort": "FunctionSort(Int, Int)", "members": ["g"]},
        "choices": {"sort": "FunctionSort(Bool, Int)", "members": ["k"]},
    },
    "verifications": [{"constraint": "n == 0"}],
}


def _lists(depth: int) -> list[str]:
    """Terms that are lists of one to three others, or a function's value, which may be such lists again."""
    if not depth:
        return ["n"]
    inner = ["n", *_lists(depth - 1)[1:]]
    found = ["n", *(f"g({each})" for each in inner)]
    found += [f"Max([{', '.join(items)}])" for size in (1, 2, 3) for items in _placed(inner, size)]
    return found


def _placed(inner: list[str], size: int) -> list[list[str]]:
    """Each of the terms at each place among others."""
    return [["n"] * at + [each] + ["n"] * (size - at - 1) for each in inner for at in range(size)]


def test_lists_among_the_items_of_lists() -> None:
    """[WORDS-BRACKETS]: brackets say which list an item belongs to; where they say nothing there are none."""
    voice = speaker(potlang.compile(LISTING))
    for text, sentence in (
        ("0 in [k(raining), 0]", "0 is one of (the value of k at raining) and 0."),
        ("0 in [0, k(raining)]", "0 is one of 0 and the value of k at raining."),
        (
            "Max([g(1), g(2), n]) == 3",
            "The greatest of (the value of g at 1), (the value of g at 2) and n is 3.",
        ),
        ("0 in [Max([1, n]), 2]", "0 is one of the greatest of 1 and n and 2."),
        ("0 in [Max([1, n])]", "0 is one of (the greatest of 1 and n)."),
        ("0 in [-g(n), 1]", "0 is one of (minus the value of g at n) and 1."),
        (
            "0 in [0, k(raining)] and raining",
            "(0 is one of 0 and the value of k at raining) and raining is true.",
        ),
        ("n == g(n) and raining", "n is the value of g at n and raining is true."),
        ("0 in [Max([1, g(n)]), 2]", "0 is one of (the greatest of 1 and the value of g at n) and 2."),
    ):
        assert voice.say(text) == sentence
        assert voice.read(sentence).expression is not None
    for each in _lists(2):
        claim = f"0 in [1, {each}]"
        for text in (
            f"0 in [{each}, 1]",
            claim,
            f"0 in [{each}]",
            f"0 in [1, {each}, 2]",
            f"{claim} and raining",
        ):
            assert voice.read(voice.say(text)).expression is not None
