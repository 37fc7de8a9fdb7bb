"""Solutions in prose become steps with parents, by rule; each link says how sure it is."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import potlang.dagmath
from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.check.graph import Graph
from potlang.languages.dagmath.read.prose import Confidence, from_prose
from potlang.languages.dagmath.write import solution_value

HIGH, MEDIUM, LOW = Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW
EGGS = "A farm has 40 hens. Each lays 3 eggs a day, and 17 eggs break. How many are left?"


def nodes(text: str) -> list[str]:
    found = from_prose(text).solution
    return [] if found is None else [step.node for step in found.steps]


def links(text: str, problem: str | None = None) -> dict[tuple[int, int], Confidence]:
    return {(each.step, each.parent): each.confidence for each in from_prose(text, problem=problem).links}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We have $x = 1.5$. Then $2x = 3$.", ["We have $x = 1.5$.", "Then $2x = 3$."]),
        ("By Eq. 2 we get $x = 3$, i.e. $x > 0$.", ["By Eq. 2 we get $x = 3$, i.e. $x > 0$."]),
        ("Now\n\\[\nx = 3.\n\\]\nSo $y = 4$.", ["Now \\[ x = 3. \\]", "So $y = 4$."]),
        ("We write\n\n$$x = 3$$\n\nand are done.", ["We write $$x = 3$$ and are done."]),
        ("a = 1\nb = 2\nc = a + b", ["a = 1", "b = 2", "c = a + b"]),
        ("The sum is\n3 + 4 = 7.", ["The sum is 3 + 4 = 7."]),
        ("- one is $1$\n- two is $2$", ["one is $1$", "two is $2$"]),
        ("1. It is $6 \\cdot 2 = 12$.\n2) It is $13$.", ["It is $6 \\cdot 2 = 12$.", "It is $13$."]),
        ("## Step 1: Set up\nLet $x = 3$.\n\n**Step 2**\n$x + 1 = 4$.", ["Let $x = 3$.", "$x + 1 = 4$."]),
        ("Step 1: $x = 3$.\nStep 2: $y = 4$.", ["$x = 3$.", "$y = 4$."]),
        (
            "He has 4 * 2 = <<4*2=8>>8.\n#### 8",
            ["He has 4 * 2 = <<4*2=8>>8.", r"The final answer is $\boxed{8}$."],
        ),
        ("<think>Is it 5? $x = 5$.</think>It is $x = 4$.", ["It is $x = 4$."]),
        (
            "\\begin{align*}\nx &= 3 \\\\\n\ny &= 4.\n\\end{align*}\nDone: $z = 1$.",
            [r"\begin{align*} x &= 3 \\ y &= 4. \end{align*}", "Done: $z = 1$."],
        ),
        ("Angles at the base are equal. So $b = 40$.", ["Angles at the base are equal.", "So $b = 40$."]),
    ],
)
def test_sentences_are_steps(text: str, expected: list[str]) -> None:
    """[DAG-RULES]: with their formulas whole."""
    assert nodes(text) == expected


def test_what_is_no_step_is_named() -> None:
    """[DAG-RULES]: greetings, questions, announcements, and what follows the answer."""
    found = from_prose(
        "Sure!\nLet's solve this.\nWhat is $x$?\nIt is $\\boxed{3}$.\nI hope that 100 % of it helps."
    )
    assert found.solution is not None and [each.node for each in found.solution.steps] == [
        "It is $\\boxed{3}$."
    ]
    assert found.ignored == (
        *("Sure!", "Let's solve this.", "What is $x$?"),
        "I hope that 100 % of it helps.",
    )
    for text in ("", "Sure!", "I cannot help with that, and neither can you."):
        assert from_prose(text).solution is None


def test_messages_and_chats() -> None:
    """[DAG-RULES]"""
    expected = from_prose("So $x = 3$.")
    message = {"role": "assistant", "content": "So $x = 3$."}
    parts = {"role": "assistant", "content": [{"type": "text", "text": "So $x = 3$."}]}
    question = {"role": "user", "content": "How much is $4$?"}
    for source in (message, parts, [question, message]):
        assert from_prose(source) == expected
    for empty in ([], {}, {"content": None}, {"content": [3]}):
        assert from_prose(empty).solution is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Numbers: one that a single step came to, one of one digit, one that the problem has.
        ("The hens lay 40 * 3 = 120 eggs.\nOf these 120 - 17 = 103 are left.", {(2, 1): HIGH}),
        ("There are 4 + 4 = 8 hens.\nThey lay 8 * 2 = 16.", {(2, 1): MEDIUM}),
        ("It is 20 * 2 = 40.\nAnd 39 + 1 = 40.\nThat makes 40 + 5 = 45.", {(2, 1): LOW, (3, 2): MEDIUM}),
        # A given restates the problem.
        ("There are 40 hens.\nEach lays 3 eggs.\nThey lay 40 * 3 = 120 eggs.", {(3, 1): LOW, (3, 2): LOW}),
        # Steps and equations by name.
        (
            "Step 1: $x = 3$.\nStep 2: $y = 4$.\nStep 3: By steps 1 and 2 it holds.",
            {(2, 1): LOW, (3, 1): HIGH, (3, 2): HIGH},
        ),
        ("\\[a + b = 30 \\tag{7}\\]\nLet $c = 5$.\nBy equation (7) we are done.", {(3, 1): HIGH}),
        ("$a + b = 30$ (1)\nLet $c = 5$.\nThis follows from (1).", {(3, 1): HIGH, (3, 2): MEDIUM}),
        ("Let $c = 5$.\nLet $d = 6$.\nBy the previous step we are done.", {(3, 2): HIGH}),
        # Names.
        ("Let $x = 30$.\nLet $y = 50$.\nWe get $x + z = 90$.", {(3, 1): MEDIUM}),
        ("x = 30\nLet y = 50\nHere x + 9 = 39", {(3, 1): MEDIUM}),
        # Order.
        ("The triangle has three sides of $5$.\nIt is isosceles and acute.", {(2, 1): LOW}),
        ("The triangle has sides of $5$.\nTherefore it is isosceles.", {(2, 1): MEDIUM}),
        # The answer.
        ("It is $30 + 7 = 37$.\nLet $z = 1$.\nThe answer is $\\boxed{37}$.", {(3, 1): HIGH}),
    ],
)
def test_links(text: str, expected: dict[tuple[int, int], Confidence]) -> None:
    """[DAG-LINKS]"""
    assert links(text, EGGS) == expected


def test_the_edge_and_the_sums_say_how_sure_it_is() -> None:
    """[DAG-LINKS]"""
    found = from_prose("Let $x = 30$.\nThen $x + 7 = 37$.\nIt is $\\boxed{37}$.", problem="?", answer="37")
    assert found.solution is not None
    assert [step.edge for step in found.solution.steps] == [
        "It is given.",
        "Step 1 says something of x (medium).",
        "Step 2 says the same (high).",
    ]
    assert found.counts == {"high": 1, "medium": 1, "low": 0}
    assert (found.solution.problem, found.solution.answer) == ("?", "37")
    assert potlang.dagmath.verify(found.solution).graph is not None


TEXTS = st.lists(
    st.sampled_from(
        (
            *(
                "$",
                "$$",
                "\\[",
                "\\]",
                "\\begin{align}",
                "\\end{align}",
                "\n",
                "\n\n",
                " ",
                ". ",
                "- ",
                "1. ",
                "## ",
            ),
            *(
                "Step 2: ",
                "step 1 ",
                "equation (1) ",
                "(1)\n",
                "x = 12",
                "So ",
                "Let ",
                "\\boxed{",
                "}",
                "12",
                "#### 3",
            ),
            *("\\tag{1}", "?", "the previous step", "<think>", "</think>", "**", "e.g. ", "1,000"),
        )
    )
    | st.text(max_size=3),
    max_size=30,
).map("".join)


@given(TEXTS, TEXTS)
@settings(max_examples=150)
def test_any_text_makes_a_graph_or_nothing(text: str, problem: str) -> None:
    """[DAG-RULES] [DAG-LINKS]: parents come before, each is linked once, and no order is broken."""
    found = from_prose(text, problem=problem)
    if found.solution is None:
        assert not found.links
        return
    graph = Graph.of(found.solution)
    assert sum(map(len, graph.parents)) == len(found.links) == sum(found.counts.values())
    assert all(each.parent < each.step for each in found.links)
    assert {(each.step, each.parent) for each in found.links} == {
        (step.id, parent) for step in found.solution.steps for parent in step.parents or ()
    }
    codes = {each.code for each in check(solution_value(found.solution)).diagnostics}
    assert not codes & {"POT7002", "POT7003", "POT7004", "POT7005", "POT7021", "POT7022", "POT7024"}


@pytest.mark.parametrize(
    "piece",
    [
        "$",
        "\\[",
        "x = 12. ",
        "a\n",
        "- b 1\n",
        "\\begin{align}",
        "**",
        "(1) ",
        "steps 1, 2, ",
        "1,000,",
        "<think>",
        "\\boxed{",
    ],
)
def test_long_texts_take_little_time(piece: str) -> None:
    """[DAG-RULES]"""
    begin = process_time()
    from_prose(piece * (60_000 // len(piece)))
    assert process_time() - begin < 10
