"""Solutions are read in each of their forms, and any bytes at all get an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from statements import Property

from potlang.diag import Severity, Sink
from potlang.diag.fixes import apply_fixes
from potlang.languages.dagmath.check.form import check
from potlang.languages.dagmath.read.reader import ReadSolution, read_solution
from potlang.languages.dagmath.read.records import Solution, Step
from potlang.languages.dagmath.write import solution_value, write_json, write_text
from potlang.testing.solutions import damaged_solutions, solutions

ROOT = Path(__file__).parents[2]


def read(source: Any) -> tuple[ReadSolution, list[tuple[str, str, str]]]:
    """What is read, and each diagnostic's code, pointer and the text that it points to."""
    found = read_solution(source, sink := Sink())
    text = found.document.text or ""
    marked = []
    for each in sink.diagnostics():
        span = found.document.raw_span(each.place)
        marked.append((each.code, each.place.pointer, "" if span is None else text[slice(*span)]))
    return found, marked


def steps(*values: dict[str, Any]) -> str:
    return json.dumps({"steps": list(values)})


def step(number: Any = 1, parents: Any = None, node: Any = "$x$.", **others: Any) -> dict[str, Any]:
    value = {"step_id": number, "edge": "Given.", "direct_dependent_steps": parents, "node": node, **others}
    return {key: item for key, item in value.items() if item != "absent"}


# --- round trips ---------------------------------------------------------------------------------


def json_round_trip(solution: Solution) -> None:
    """[DAG-WRITE]: what is written as JSON is read back the same, from text and from the value."""
    for text in (write_json(solution), write_json(solution, indent=None)):
        found, marked = read(text)
        assert (found.solution, marked) == (solution, [])
    assert text.count("\n") == 1
    assert read(solution_value(solution))[0].solution == solution


def text_round_trip(solution: Solution) -> None:
    """[DAG-WRITE]: the text form is read back the same, with Markdown bold or without."""
    for bold in (False, True):
        found, marked = read(write_text(solution, bold=bold))
        assert (found.solution, marked) == (solution, [])


def wrapped_round_trip(solution: Solution) -> None:
    """[DAG-WRAP]: prose and a fence around the JSON make one warning, and its fix removes them."""
    text = write_json(solution)
    for wrapped in (
        f"Sure!\n```json\n{text}```\nDone.\n",
        f"{text}\nThat is all, {{really}}.",
        f"```\n{text}```",
    ):
        found, marked = read(wrapped)
        assert found.solution == solution
        assert [code for code, _, _ in marked] == ["POT7030"]
        fixes = [fix for each in check(wrapped).diagnostics for fix in each.fixes if each.code == "POT7030"]
        fixed = apply_fixes(wrapped, fixes)
        assert json.loads(fixed) == json.loads(text)
        assert read(fixed)[1] == []


test_json, test_json_deep = Property(json_round_trip, solutions(formatted=False)).tests()
test_text, test_text_deep = Property(text_round_trip, solutions(formatted=False)).tests()
test_wrapped, test_wrapped_deep = Property(wrapped_round_trip, solutions(formatted=False)).tests()


def any_string_survives(texts: tuple[str, str]) -> None:
    """[DAG-WRITE]: JSON keeps any text; the text form keeps it but for its white space."""
    edge, node = texts
    solution = Solution((Step(1, edge, None, node),), problem=node)
    assert read(write_json(solution))[0].solution == solution
    in_one_line = " ".join(edge.split()), " ".join(node.split())
    if in_one_line[1]:
        found = read(write_text(solution))[0].solution
        assert found is not None
        assert (found.steps[0].edge, found.steps[0].node) == in_one_line


NO_LATEX = st.text(st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from(" \n")).filter(
    lambda text: "boxed" not in text
)
test_strings, test_strings_deep = Property(
    any_string_survives, st.tuples(NO_LATEX, NO_LATEX.filter(str.strip)), quick=100
).tests()


# --- anything at all -----------------------------------------------------------------------------


def gets_an_answer(source: str | bytes) -> None:
    """[DAG-READ]: any input gives a solution or an error, never an exception."""
    checked = check(source)
    errors = [each for each in checked.diagnostics if each.severity is Severity.ERROR]
    assert (checked.solution is None) == bool(errors)
    assert (checked.graph is None) == (checked.solution is None)
    checked.located()
    if isinstance(source, str):
        safe = [fix for each in checked.diagnostics for fix in each.fixes]
        check(apply_fixes(source, safe))


@settings(max_examples=200)
@given(st.binary() | st.text() | st.sampled_from(["Step 1\nNode:", "[[", '{"steps":', "```json\n[{"]))
@example('{"steps": [{"step_id": 1, "step_id": 2}]}')
@example('[{"step_id": 1, "direct_dependent_steps": {}, "node": "\\ud800"}]')
@example("Step 1\nParents: [1\nNode: x")
@example("Step 99999999999999999999\nParents: Null\nNode: x")
@example('{"steps": [{"step_id": 1e400, "direct_dependent_steps": [NaN], "node": ""}]}')
def test_any_input(source: str | bytes) -> None:
    gets_an_answer(source)


test_damaged = Property(gets_an_answer, damaged_solutions(), quick=200).test(200)
test_damaged_deep = pytest.mark.slow(
    Property(gets_an_answer, damaged_solutions()).test(3_000, repeatable=False)
)


@pytest.mark.parametrize(
    "piece",
    [
        '"\\',
        "{",
        "\n{",
        "\nStep 1\nEdge:",
        "Steps 1, ",
        "\\(",
        "\\$",
        "\\boxed{",
        "\n**Edge",
        "\nProblem: ",
        "```\n",
    ],
)
@pytest.mark.parametrize(
    "begin", ["", '{"steps":[{"step_id":1,"edge":"', "Step 1\nEdge: x\nParents: Null\nNode: "]
)
def test_long_input_takes_linear_time(begin: str, piece: str) -> None:
    """Backtracking over a repeated piece would take hours here."""
    gets_an_answer((begin + piece * 30_000).encode())


# --- forms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("edge", "node"), ("thinking", "text"), ("reason", "text")])
def test_variants(names: tuple[str, str]) -> None:
    """[DAG-JSON]: the keys of appendices D, F, G and H."""
    edge, node = names
    value = {"step_id": 4, edge: "E", "direct_dependent_steps": None, node: "N", "reasons": 7}
    found, marked = read({"problem_text": "P", "final_answer": "A", "steps": [value]})
    assert found.solution == Solution((Step(4, "E", None, "N"),), problem="P", answer="A")
    assert marked == []


def test_the_first_key_of_a_part_counts() -> None:
    """[DAG-JSON]"""
    value = step(text="T", thinking="Th", reason="R")
    found, _ = read({"steps": [value], "answer": "1", "final_answer": "2"})
    assert found.solution == Solution((Step(1, "Given.", None, "$x$."),), answer="1")


@pytest.mark.parametrize(
    ("value", "parents"),
    [("null", None), ([None], None), ("None", None), ([], ()), (["1"], (1,)), (1, (1,)), ([1.0], (1,))],
)
def test_parents_written_otherwise(value: object, parents: tuple[int, ...] | None) -> None:
    """[DAG-LENIENT]: read as meant, with a warning where the schema does not allow it."""
    found, marked = read(steps(step(), step(2, value)))
    assert found.solution is not None
    assert found.solution.steps[1].parents == parents
    assert [code for code, _, _ in marked] == ([] if value in ([], [1.0]) else ["POT1017"])


def test_lenient_reading_is_undone_by_its_fixes() -> None:
    """[DAG-LENIENT]: each warning has a safe fix, after which the same is read without it."""
    value = step("Step 2", "null", "$\times$ and \boxed{3}", edge="absent", Edge="E")
    value["direct-dependent-steps"] = value.pop("direct_dependent_steps")
    text = steps(step(1), value)
    found, marked = read(text)
    assert found.solution is not None
    assert found.solution.steps[1] == Step(2, "E", None, r"$\times$ and \boxed{3}")
    assert sorted(code for code, _, _ in marked) == ["POT1016"] * 2 + ["POT1017"] * 3
    for _ in range(3):
        read_solution(text, sink := Sink())
        text = apply_fixes(text, [fix for each in sink.diagnostics() for fix in each.fixes])
    again, marked = read(text)
    assert (again.solution, marked) == (found.solution, [])


def test_a_bare_list_is_read_as_steps() -> None:
    """[DAG-LENIENT]"""
    found, marked = read([step()])
    assert found.solution == Solution((Step(1, "Given.", None, "$x$."),))
    assert [code for code, _, _ in marked] == ["POT1017"]


APPENDIX_C = r"""### Example

**Step 1**

**Edge:** Restate the target equation from the problem statement, $2 \log(x - 1) = \log k$,
which is the central equation to solve for $x$.

**Parents:** Null

**Node:** $2 \log(x - 1) = \log k$.

⋮

Step 4.
Edge: Since the equation in Step 1 contains $\log(x - 1)$,
  the domain requires $x > 1$.
Parents: Step 1.
Node: $\log(x - 1)$ requires $x > 1$.

__Step 5__:
- *Edge*: From Step 1.
- *Parents*: [1]
- *Node*: $k > 0$.

**STEP 9**
**Parents**: Step 1,4,5
**Edge**: Step 1, Step 4 and Step 5 say so.
**Sink Node:** There are 300 valid values for $k$.

That is all.
"""


def test_the_text_of_appendix_c() -> None:
    """[DAG-TEXT]"""
    found, marked = read(APPENDIX_C)
    assert found.solution is not None
    first, fourth, fifth, last = found.solution.steps
    assert first.edge.endswith("$2 \\log(x - 1) = \\log k$,\nwhich is the central equation to solve for $x$.")
    assert (first.id, first.parents, first.node) == (1, None, r"$2 \log(x - 1) = \log k$.")
    assert (fourth.id, fourth.parents) == (4, (1,))
    assert fourth.edge.endswith("the domain requires $x > 1$.")
    assert (fifth.id, fifth.parents, fifth.node) == (5, (1,), "$k > 0$.")
    assert (last.parents, last.node) == ((1, 4, 5), "There are 300 valid values for $k$.")
    assert marked == [("POT7030", "", "### Example")]


@pytest.mark.parametrize(
    ("text", "parents"),
    [
        ("Null", None),
        ("", None),
        ("—", None),
        ("None", ()),
        ("Step 4,5,7", (4, 5, 7)),
        ("Step 4, Step 5 and Step 7", (4, 5, 7)),
        ("Steps 4, 5, and 7.", (4, 5, 7)),
        ("[4, 5; 7]", (4, 5, 7)),
        ("4 & 5", (4, 5)),
    ],
)
def test_parents_in_the_text_form(text: str, parents: tuple[int, ...] | None) -> None:
    """[DAG-TEXT-PARENTS] [DAG-TEXT]"""
    blocks = [f"Step {k}\nParents: Null\nNode: $x$." for k in (4, 5, 7)]
    found, marked = read("\n".join([*blocks, f"Step 8\nParents: {text}\nNode: $y$."]))
    assert marked == []
    assert found.solution is not None
    assert found.solution.steps[-1].parents == parents


@pytest.mark.parametrize("text", ["Step 4-5", "the first", "Step 4 5", "1,", "Step", "4..5"])
def test_parents_that_are_no_list(text: str) -> None:
    """[DAG-TEXT-PARENTS] [DAG-TEXT]"""
    _, marked = read(f"Step 4\nParents: Null\nNode: $x$.\nStep 8\nParents: {text}\nNode: $y$.")
    assert marked == [("POT7006", "", text)]


# --- errors, with places -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (steps(step("absent")), [("POT7007", "/steps/0")]),
        (steps(step(), step(1)), [("POT7002", "/steps/1/step_id")]),
        (steps(step(), step(2, [1, 7])), [("POT7003", "/steps/1/direct_dependent_steps/1")]),
        (steps(step(1, [2]), step(2)), [("POT7004", "/steps/0/direct_dependent_steps/0")]),
        (steps(step(1, [1])), [("POT7005", "/steps/0/direct_dependent_steps/0")]),
        (steps(step(), step(2, "absent")), [("POT7007", "/steps/1")]),
        (steps(step(node="absent")), [("POT7007", "/steps/0")]),
        (steps(step(node="  ")), [("POT1014", "/steps/0/node")]),
        (steps(step(node=3)), [("POT1010", "/steps/0/node")]),
        (steps(step("one")), [("POT1010", "/steps/0/step_id")]),
        (steps(step(-1)), [("POT1010", "/steps/0/step_id")]),
        (steps(step(True)), [("POT1010", "/steps/0/step_id")]),
        (steps(step(1, {})), [("POT1010", "/steps/0/direct_dependent_steps")]),
        (steps(step(1, ["a"])), [("POT1010", "/steps/0/direct_dependent_steps/0")]),
        (steps(step(edge=3)), [("POT1010", "/steps/0/edge")]),
        ('{"steps": [3]}', [("POT1010", "/steps/0")]),
        ('{"steps": {}}', [("POT1010", "/steps")]),
        ("{}", [("POT7001", "")]),
        (steps(step(node="$\\boxed{12:1$")), [("POT7010", "/steps/0/node")]),
        (steps(step(), step("x"), step(3, [2])), [("POT1010", "/steps/1/step_id")]),
        ('{"steps": [], "correct": 1}', [("POT7001", "/steps")]),
        (json.dumps({"steps": [step()], "correct": 1}), [("POT1010", "/correct")]),
        (json.dumps({"steps": [step()], "difficulty": 10**9}), [("POT1010", "/difficulty")]),
        ('{"steps": [{]}', [("POT1001", "")]),
    ],
)
def test_errors(source: str, expected: list[tuple[str, str]]) -> None:
    """[DAG-ID], [DAG-PARENT], [DAG-BOX], [DAG-JSON]: the code, and where."""
    found, marked = read(source)
    assert [(code, pointer) for code, pointer, _ in marked][:1] == expected
    assert found.solution is None


def test_errors_in_wrapped_json_have_places_in_the_whole_text() -> None:
    """[DAG-WRAP]"""
    _, marked = read(f"Here:\n```json\n{steps(step(), step(2, [9]))}\n```")
    assert marked == [("POT7030", "", "Here:"), ("POT7003", "", "9")]


def test_a_parent_that_is_no_number_leaves_the_others_their_places() -> None:
    """[DAG-PARENT]: places count the items of the list that is written."""
    _, marked = read(steps(step(), step(2, ["x", 9])))
    assert marked == [
        ("POT1010", "/steps/1/direct_dependent_steps/0", '"x"'),
        ("POT7003", "/steps/1/direct_dependent_steps/1", "9"),
    ]


def test_a_cycle_is_named_once_and_by_its_shortest_way() -> None:
    """[DAG-PARENT]"""
    read_solution(steps(step(1, [4]), step(2, [1, 3]), step(3, [2]), step(4, [2, 3, 1])), sink := Sink())
    cycles = [each.message for each in sink.diagnostics()]
    assert cycles == ["steps depend on one another: 1 → 4 → 1"]


def late_parents_are_found(edges: list[tuple[int, int]]) -> None:
    """[DAG-PARENT]: POT7005 for a cycle among the steps, POT7004 for any other late parent."""
    parents: dict[int, list[int]] = {at: sorted({b for a, b in edges if a == at}) for at in range(6)}
    _, marked = read(steps(*(step(at, found) for at, found in parents.items())))
    reach = {at: set(found) for at, found in parents.items()}
    for _ in parents:
        reach = {at: found.union(*(reach[each] for each in found)) for at, found in reach.items()}
    on_cycles = {frozenset({b for b in reach[a] if a in reach[b]}) for a in parents if a in reach[a]}
    late = [(a, b) for a, found in parents.items() for b in found if b >= a and a not in reach[b] and a != b]
    codes = [code for code, _, _ in marked]
    assert codes.count("POT7005") == len(on_cycles)
    assert codes.count("POT7004") == len(late)


EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9)
test_late, test_late_deep = Property(late_parents_are_found, EDGES, quick=100).tests()


def test_the_examples_are_without_fault() -> None:
    """[DAG-JSON], [DAG-TEXT]: the Natascha ratio (appendix E.1) and the logarithmic count (appendix C)."""
    natascha = check(ROOT / "examples/natascha.dagmath.json")
    logarithms = check(ROOT / "examples/logarithms.dagmath.txt")
    assert natascha.diagnostics == logarithms.diagnostics == ()
    assert natascha.solution is not None
    assert logarithms.solution is not None
    parents = [each.parents for each in natascha.solution.steps]
    assert parents == [*[None] * 4, (1, 4), None, (3, 4, 6), (7,), (2, 5, 6), (9,), (8, 10), (11,), (12,)]
    assert natascha.solution.answer == "12:1"
    assert [each.parents for each in logarithms.solution.steps][3:] == [
        (1,),
        (1,),
        (1, 4, 5),
        (6,),
        (4, 5, 7),
        (2, 3, 5, 8),
    ]
    assert logarithms.solution.answer == "300"


@pytest.mark.parametrize("between", ["\n", "\r", " ", ""])
def test_a_second_object_is_not_passed_over(between: str) -> None:
    """Of two solutions none is left out unsaid, whatever stands between them ([DAG-WRAP])."""
    one = '{"steps": [{"step_id": 1, "edge": "", "direct_dependent_steps": null, "node": "$x = 1$."}]}'
    sink = Sink()
    assert read_solution(one + between + one, sink).solution is None
    assert [each.code for each in sink.diagnostics()] == ["POT7009"]
