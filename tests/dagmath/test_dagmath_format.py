"""The rules of the format: what is formatted has no warnings, each slip has its own, and fixes undo it."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from statements import Property

from potlang.diag import Applicability
from potlang.diag.fixes import apply_fixes
from potlang.languages.dagmath.check.form import CheckedSolution, check
from potlang.languages.dagmath.read.boxed import boxed_answer, is_final_answer, last_box
from potlang.languages.dagmath.read.citations import citations
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.read.sentences import count_sentences
from potlang.languages.dagmath.write import write_json, write_text
from potlang.testing.solutions import solution, solutions

Slip = Callable[[Random, list[Step]], list[Step] | None]


def no_warnings(found: Solution) -> None:
    """[DAG-FORMAT]: a solution that keeps the format is reported nothing of, in each form."""
    assert check(write_json(found)).diagnostics == ()
    assert check(write_text(found)).diagnostics == ()


test_formatted, test_formatted_deep = Property(no_warnings, solutions()).tests()


# --- one slip each -------------------------------------------------------------------------------


def with_parents(steps: list[Step], least: int) -> list[int]:
    return [at for at, step in enumerate(steps) if len(step.parents or ()) >= least]


def repeat_parent(random: Random, steps: list[Step]) -> list[Step] | None:
    at = random.choice(with_parents(steps, 1) or [-1])
    if at < 0:
        return None
    parents = steps[at].parents or ()
    steps[at] = steps[at]._replace(parents=tuple(sorted((*parents, random.choice(parents)))))
    return steps


def descend(random: Random, steps: list[Step]) -> list[Step] | None:
    at = random.choice(with_parents(steps, 2) or [-1])
    if at < 0:
        return None
    steps[at] = steps[at]._replace(parents=(steps[at].parents or ())[::-1])
    return steps


def forget_citation(random: Random, steps: list[Step]) -> list[Step] | None:
    at = random.choice(with_parents(steps, 1) or [-1])
    if at < 0:
        return None
    parent = random.choice(steps[at].parents or ())
    steps[at] = steps[at]._replace(edge=re.sub(rf"Step {parent}\b", "a fact", steps[at].edge))
    return steps


def cite_stranger(random: Random, steps: list[Step]) -> list[Step] | None:
    at = random.randrange(len(steps))
    steps[at] = steps[at]._replace(edge=f"{steps[at].edge} See Step {steps[-1].id + 5}.")
    return steps


def cite_in_plural(random: Random, steps: list[Step]) -> list[Step] | None:
    at = random.choice(with_parents(steps, 1) or [-1])
    if at < 0:
        return None
    names = ", ".join(str(parent) for parent in steps[at].parents or ())
    steps[at] = steps[at]._replace(edge=f"From Steps {names} it follows.")
    return steps


def drop_edge(random: Random, steps: list[Step]) -> list[Step] | None:
    at = random.randrange(len(steps))
    steps[at] = steps[at]._replace(edge=" ")
    return steps


def say_two_things(random: Random, steps: list[Step]) -> list[Step] | None:
    if len(steps) < 2:
        return None
    at = random.randrange(len(steps) - 1)
    steps[at] = steps[at]._replace(node="We have $x = 1.5$ km. Then $y$ is positive.", formal=None)
    return steps


def say_more_than_the_answer(random: Random, steps: list[Step]) -> list[Step] | None:
    steps[-1] = steps[-1]._replace(node=random.choice([r"So it is $\boxed{7}$.", "The final answer is $7$."]))
    return steps


def unused_given(random: Random, steps: list[Step]) -> list[Step] | None:
    steps.insert(0, Step(0, "The problem says so.", None, "$z = 3$."))
    return steps


def smaller_id(random: Random, steps: list[Step]) -> list[Step] | None:
    steps[-1] = steps[-1]._replace(id=0)
    return steps if len(steps) > 1 else None


SLIPS: dict[str, Slip] = {
    "POT7020": unused_given,
    "POT7021": smaller_id,
    "POT7022": descend,
    "POT7023": repeat_parent,
    "POT7024": forget_citation,
    "POT7025": cite_stranger,
    "POT7026": cite_in_plural,
    "POT7027": drop_edge,
    "POT7028": say_two_things,
    "POT7029": say_more_than_the_answer,
}


def slipped(code: str) -> Callable[[Random], Solution | None]:
    def make(random: Random) -> Solution | None:
        found = solution(random)
        steps = SLIPS[code](random, list(found.steps))
        return None if steps is None else found._replace(steps=tuple(steps))

    return make


def edges(checked: CheckedSolution) -> list[set[int]]:
    assert checked.graph is not None
    return [set(parents) for parents in checked.graph.parents]


@pytest.mark.parametrize("code", SLIPS)
def test_a_slip_has_its_warning_and_leaves_the_graph(code: str) -> None:
    """[DAG-ORDER] [DAG-UNCLOSED] [DAG-FORMAT]: each rule's own code and no other, in JSON and in text; its
    safe fixes undo the slip.
    """

    def holds(found: Solution) -> None:
        for text in (write_json(found), write_text(found)):
            checked = check(text)
            assert {each.code for each in checked.diagnostics} == {code}
            assert checked.ok
            safe = [
                fix
                for each in checked.diagnostics
                for fix in each.fixes
                if fix.applicability is Applicability.SAFE
            ]
            fixed = check(apply_fixes(text, safe))
            assert edges(fixed) == edges(checked)
            assert bool(fixed.diagnostics) == (not safe)

    made = st.randoms(use_true_random=False).map(slipped(code)).filter(lambda found: found is not None)
    Property(holds, made, quick=30).test(30)()


def unsafe_fixes_keep_a_solution(found: Solution) -> None:
    """[DAG-FORMAT]: whatever is fixed, a solution stays one."""
    for text in (write_json(found), write_text(found)):
        for each in check(text).diagnostics:
            for fix in each.fixes:
                assert check(apply_fixes(text, [fix])).ok


test_fixes, test_fixes_deep = Property(unsafe_fixes_keep_a_solution, solutions(formatted=False)).tests()


# --- sentences, citations, boxes -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("$x = 1.5$.", 1),
        ("Cycling speed is $3r$ km/h.", 1),
        ("The domain requires $x > 1$, i.e. $x$ is large.", 1),
        ("By Eq. 3 the value of No. 7 is 2.5 in total.", 1),
        ("Let A. Smith have $3. 4$ apples", 1),
        ("Is it? It is!", 2),
        ("$x = 1.$ $y = 2.$", 2),
        ("Define $d = b - a$ and $e = c - a$. Then the equations become: $d = 1$.", 2),
        ("We get 5. It follows that $x$ is 6. Done.", 3),
        (r"\(a. B\) holds", 1),
        ("One $unclosed. And More", 1),
    ],
)
def test_sentences(text: str, count: int) -> None:
    """[DAG-NODE]"""
    assert count_sentences(text) == count


@pytest.mark.parametrize(
    ("edge", "cited", "singular"),
    [
        ("From Step 1, Step 3 and step 10.", [(1,), (3,), (10,)], []),
        ("From Steps 8, 9, and 10, we have", [(8, 9, 10)], ["Step 8, Step 9, and Step 10"]),
        ("Steps 3 and 4", [(3, 4)], ["Step 3 and Step 4"]),
        ("Steps 3-5 hold", [(3, 4, 5)], ["Step 3, Step 4, and Step 5"]),
        ("Step 4,5,7", [(4, 5, 7)], ["Step 4, Step 5, and Step 7"]),
        ("Steps 6", [(6,)], ["Step 6"]),
        ("Step 4, 5 apples", [(4,)], []),
        ("Step~2 and Step\n3", [(2,), (3,)], []),
        ("Stepwise 3, misstep 4, Step 1.5", [], []),
    ],
)
def test_citations(edge: str, cited: list[tuple[int, ...]], singular: list[str]) -> None:
    """[DAG-CITE]"""
    found = citations(edge)
    assert [each.ids for each in found] == cited
    assert [each.singular for each in found if each.singular is not None] == singular
    assert all(edge[each.start : each.end].lower().startswith("step") for each in found)
    for each in found:
        for start, end in each.spans:
            assert edge[start:end].isdigit()


PIECES = st.lists(
    st.sampled_from(["\\boxed{", "{", "}", "\\{", "\\}", "\\\\", "x", " ", "\\fbox", "boxed{", "\\boxed {"]),
    max_size=14,
).map("".join)


def the_last_box_is_balanced(text: str) -> None:
    r"""[DAG-BOX]: a box is the last that stands in no other, and its braces balance, counted one by one."""
    openings = [(m.start(), m.end()) for m in re.finditer(r"\\boxed\s*\{", text)]
    found: Any = None
    end = 0
    for start, inside in openings:
        if start < end:
            continue
        depth, at = 1, inside
        while at < len(text) and depth:
            if text[at] == "\\":
                at += 2
                continue
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        end = at if not depth else len(text) + 1
        found = (start, text[inside : at - 1].strip() if not depth else None)
    box = last_box(text)
    assert (None if box is None else (box.start, box.content)) == found
    assert boxed_answer(text) == (None if found is None else found[1])


test_boxes, test_boxes_deep = Property(the_last_box_is_balanced, PIECES, quick=300).tests()


@pytest.mark.parametrize(
    ("text", "final"),
    [
        (r"The final answer is \boxed{3}.", True),
        (r"The final answer is $\boxed{\frac{1}{2}}$.", True),
        (r"**The final answer is:** $$\boxed{3}$$", True),
        (r"the final answer is \(\boxed{12:1}\)", True),
        (r"The final answer is $\boxed{3}$ apples.", False),
        (r"So the final answer is $\boxed{3}$.", False),
        (r"The final answer is $\boxed{3$.", False),
        ("The final answer is 3.", False),
    ],
)
def test_final_answers(text: str, final: bool) -> None:
    """[DAG-FINAL]"""
    assert is_final_answer(text) == final
