"""Hover, completion, definitions, hints, colours and outlines of the three languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from potlang.editor.answers import LanguageText, NotDone
from potlang.editor.operator_pages import SIGNS, builtin_page, sign_page
from potlang.editor.program.completion import SCHEMA
from potlang.editor.program.text import ProgramText
from potlang.editor.schemas import keys_at
from potlang.editor.solution import SolutionText
from potlang.editor.trace.text import TraceText
from potlang.languages.pot.read.reader import SECTIONS
from potlang.sema.builtins import BUILTINS

EXAMPLES = Path(__file__).parents[2] / "examples"
TRACE = (EXAMPLES / "refinement.dot.txt").read_text(encoding="utf-8")
SOLUTION = (EXAMPLES / "natascha.dagmath.json").read_text(encoding="utf-8")
TEXT_FORM = (EXAMPLES / "logarithms.dagmath.txt").read_text(encoding="utf-8")
PROGRAM = """{
 "imports": [{"pack": "std/order/partial_order", "with": {"": ""}}, ""],
 "sorts": [{"name": "Person", "type": "DeclareSort", "description": "<b>who</b> lives here"},
  {"name": "Colour", "type": "EnumSort", "values": ["red", "green"]},
  {"name": "Pair", "type": "TupleSort", "fields": [{"name": "left", "sort": "Person"}]}],
 "functions": [{"name": "likes", "domain": ["Person", "Person"], "range": "Bool", "closed": true},
  {"name": "twice", "domain": ["Int"], "range": "Int", "params": [{"name": "n", "sort": "Int"}],
   "body": "n + n"}],
 "constants": {"people": {"sort": "Person", "members": ["ann", "hard hat"]}},
 "variables": [{"name": "p", "sort": "Person"}],
 "knowledge_base": ["likes(ann, `hard hat`)"],
 "rules": [{"name": "r1", "forall": ["p"], "constraint": "ForAll([q: Person], likes(p, q))", "role": ""},
  {"name": "r2", "constraint": "Exists([p], likes(p, ann)) and twice(2) // 2 == 2", "overrides": [""]}],
 "verifications": [{"name": "v", "constraint": "", "ask": ""}],
 "semantics": {"unique_names": [""]}
}
"""


def program(text: str = PROGRAM) -> ProgramText:
    return ProgramText(text)


def said(text: LanguageText, whole: str, part: str, inside: int = 0) -> str:
    found = text.hover(whole.index(part) + inside)
    return "" if found is None else found.markdown


def labels(text: LanguageText, offset: int) -> list[str]:
    return [item.label for item in text.completions(offset).items]


def completed(part: str, inside: int, text: str = PROGRAM) -> list[str]:
    return labels(program(text), text.index(part) + inside)


# --- programs ------------------------------------------------------------------------------------

HOVERS = [
    ("likes(p, q)", 1, "`likes(Person, Person) -> Bool`"),
    ("likes(p, q)", 1, "closed: false wherever no fact and no rule makes it true"),
    ("likes(p, q)", 6, "`p: Person`"),
    ("likes(p, q)", 9, "bound in this formula"),
    ("[q: Person]", 5, "`Person: DeclareSort`"),
    ("likes(ann, `", 7, "`ann: Person`"),
    ("`hard hat`", 3, "`hard hat: Person`"),
    ("twice(2)", 2, "defined as `n + n`"),
    ('"n + n"', 1, "`n: Int`"),
    ("2) // 2", 3, "SORT-ARITH-3"),
    ("Exists(", 2, "SORT-LOGIC-3"),
    ('"red"', 2, "`red: Colour`"),
    ('"name": "Colour"', 10, "exactly red, green"),
    ('"left"', 2, "`left(Pair) -> Person`"),
    ('"Pair"', 2, "`Pair: TupleSort`"),
    ('"Bool"', 2, "built in"),
    ("std/order", 2, "its parameters are"),
    ('"rules"', 2, "General statements, assumed"),
]


@pytest.mark.parametrize(("part", "inside", "words"), HOVERS)
def test_hover_in_programs(part: str, inside: int, words: str) -> None:
    """[EDIT-HOVER] Names of each kind, sorts, operators, keys, and sentences."""
    assert words in said(program(), PROGRAM, part, inside)


def test_hover_says_a_statement_in_words() -> None:
    """[EDIT-HOVER] The sentence that is printed with `--words`, wherever in the statement the cursor is."""
    text = PROGRAM.replace('{"pack": "std/order/partial_order", "with": {"": ""}}, ""', "")
    text = text.replace(', "role": ""', "")
    assert "*ann likes \\`hard hat\\`.*" in said(program(text), text, "likes(ann, `", 1)
    rule = said(program(text), text, '"r1"', 2)
    assert rule == "the rule `r1`\n\n*For every person p and every person q, p likes q.*"


def test_hover_shows_text_as_text() -> None:
    """[EDIT-HOVER] What a program says is no Markdown and no HTML; what cannot be seen is written out."""
    text = said(program(), PROGRAM, '"name": "Person"', 10)
    assert "\\<b\\>who\\</b\\> lives here" in text
    odd = json.dumps({"constants": {"c": {"sort": "Int", "members": ["a`b\u202ec"]}}}, ensure_ascii=False)
    assert said(program(odd), odd, "a`b", 1) == "``a`b\\u202ec: Int``\n\nconstant"


def test_each_operator_has_a_page() -> None:
    """[EDIT-HOVER] Every function of the language and every sign has a rule of the specification."""
    without = [name for name in BUILTINS if builtin_page(name) is None]
    assert not without
    assert not [sign for sign in SIGNS if sign_page(sign) is None]


COMPLETIONS = [
    ('"constraint": ""', 15, {"likes", "ann", "`hard hat`", "ForAll", "and", "p", "red", "left", "Pair"}),
    ('"ask": ""', 8, {"must", "could", "cannot", "need_not"}),
    ('"role": ""', 9, {"axiom", "norm"}),
    ('"overrides": [""', 15, {"r1", "r2"}),
    ('"unique_names": [""', 18, {"Person", "Colour"}),
    ('}, ""]', 4, {"std/order/partial_order", "std/function/injective"}),
    ("Person], likes", 0, {"Person", "Colour", "Int"}),
    ("likes(p, q)", 9, {"q", "p", "ann"}),
    ('"range": "Bool"', 10, {"Bool", "Person"}),
    ('"type": "EnumSort"', 9, {"EnumSort", "DeclareSort", "Person"}),
    ('"forall": ["p"', 13, {"p"}),
    ('"name": "v"', 3, {"name"}),
    ('"name": "v"', 1, {"name", "implies", "forall"}),
]


@pytest.mark.parametrize(("part", "inside", "wanted"), COMPLETIONS)
def test_completion_in_programs(part: str, inside: int, wanted: set[str]) -> None:
    """[EDIT-COMPLETION] By the place: names, sorts, words, packs, names of rules."""
    assert wanted <= set(completed(part, inside))


def test_parameters_that_a_pack_inherits_are_offered() -> None:
    """[EDIT-COMPLETION]"""
    text = PROGRAM.replace("std/order/partial_order", "std/order/total_order")
    assert {"T", "le"} <= set(completed('{"": ""}', 2, text))


def test_keys_are_those_of_the_schema_that_are_missing() -> None:
    """[EDIT-COMPLETION] With their quotes and the colon where there are none yet."""
    text = '{"sorts": [], }'
    items = program(text).completions(len(text) - 1).items
    assert {item.label for item in items} == {*SECTIONS, "$schema", "description"} - {"sorts"}
    assert next(item.insert for item in items if item.label == "rules") == '"rules": '
    assert set(keys_at(SCHEMA, ())) == {*SECTIONS, "$schema", "description"}
    half = '{"sorts": [], "ru'
    (rules,) = program(half).completions(len(half)).items
    assert (rules.label, rules.insert, rules.span) == ("rules", "rules", (len(half) - 2, len(half)))


@pytest.mark.parametrize(
    "typed",
    [
        ', "verifications": [{"constraint": "co',
        ', "verifications": [{"constraint": "Or(co',
        ', "verifications": [\n{"constraint": "1 < co\n}]}',
        ',,, "verifications": [{"constraint" "co',
    ],
)
def test_completion_and_hover_while_the_text_is_broken(typed: str) -> None:
    """[EDIT-BROKEN] Names are known and offered in a text that is not finished."""
    text = '{"constants": {"c": {"sort": "Int", "members": ["count"]}}' + typed
    assert "count" in labels(program(text), text.rindex("co") + 2)
    assert "`count: Int`" in said(program(text), text, '"count"', 2)


def test_completion_in_escapes_and_backquotes() -> None:
    """[EDIT-COMPLETION] What is begun is replaced, whatever it is written in."""
    members = '{"constants": {"c": {"sort": "Int", "members": ["hard hat", "é"]}}'
    text = members + ', "knowledge_base": ["\\u0031 < `har", "é"]}'
    at = text.index("`har") + 4
    (item,) = program(text).completions(at).items
    assert (item.insert, item.span) == ("`hard hat`", (at - 4, at))


def test_a_key_with_a_bad_escape_is_a_key() -> None:
    """[EDIT-ROBUST] What stands behind it is completed by what it says as far as it says anything."""
    text = '{"sorts": [], "ru\\qles": '
    assert program(text).completions(len(text)).items == ()
    text = '{"sorts": [], "rules": [{"ro\\u006ce": '
    assert labels(program(text), len(text)) == ["axiom", "norm"]


def test_there_is_nothing_to_complete_in_strings_and_numbers() -> None:
    """[EDIT-COMPLETION] Nor where a name would be no name."""
    text = '{"verifications": [{"constraint": "\'ab"}, {"constraint": "12"}]}'
    assert not labels(program(text), text.index("'ab") + 2)
    assert not labels(program(text), text.index('"12') + 2)


def test_many_names_are_cut() -> None:
    """[EDIT-COMPLETION] At most 200, and the editor is told that there are more."""
    members = [f"c{number}" for number in range(5_000)]
    text = json.dumps({"constants": {"c": {"sort": "Int", "members": members}}, "knowledge_base": ["c"]})
    found = program(text).completions(text.rindex('"c"') + 2)
    assert found.is_cut
    assert len(found.items) == 200
    assert all(item.label.startswith("c") for item in found.items)


def test_hints_of_bare_binders() -> None:
    """[EDIT-HINTS] In items and in formulas; a binder with its sort has none."""
    hints = program().hints(0, len(PROGRAM))
    shown = [PROGRAM[hint.offset - 2 : hint.offset] + hint.text for hint in hints]
    assert shown == ['"p: Person', "[p: Person"]


def test_a_section_by_another_spelling_is_read() -> None:
    """[EDIT-DEFINITION] As programs are read ([POT-PROG-2])."""
    text = PROGRAM.replace('"knowledge_base"', '"knowledgebase"')
    assert len(program(text).references(text.index("likes(ann"), with_declarations=True)) == 4


def test_outline_of_a_program() -> None:
    """[EDIT-OUTLINE] Items by their names, else by what they say."""
    outline = {each.name: each for each in program().outline()}
    assert [each.name for each in outline["rules"].children] == ["r1", "r2"]
    assert [each.name for each in outline["knowledge_base"].children] == ["likes(ann, `hard hat`)"]
    for each in outline["sorts"].children:
        assert each.span[0] <= each.name_span[0] <= each.name_span[1] <= each.span[1]


# --- traces --------------------------------------------------------------------------------------


def test_hover_in_traces() -> None:
    """[EDIT-HOVER] A node by its id, a record by its word, a name and what the proposition says."""
    trace = TraceText(TRACE)
    node = said(trace, TRACE, "target=2", 7)
    assert "**node 2**: proposer" in node
    assert "`age > 21`" in node
    assert "invalidated, as 3 says" in node
    assert "depends on `src`" in said(trace, TRACE, "@edge src=1", 2)
    name = said(trace, TRACE, '{"gt": ["age"', 10)
    assert "`age: Int`" in name
    assert "age is more than 21." in name
    assert "there is no node 9" in said(TraceText("@edge src=9"), "@edge src=9", "9")


TRACE_COMPLETIONS = [
    ("", ["@node", "<summarizer:end>"]),
    ("@n", ["@node"]),
    ("@node ", ["id="]),
    ("@node id=", ["8"]),
    ("@node id=8 role=s", ["summarizer"]),
    ("@node id=8 role=summarizer\n@edge src=", ["6", "4"]),
    ("@node id=8 role=summarizer\n@edge src=4 dst=", ["8"]),
    ("@node id=8 role=summarizer\n@edge src=4 dst=8 kind=", ["use"]),
    ('@node id=8 role=proposer\n@prop id=8 {"ge": ["a', ["age"]),
    ('@node id=8 role=proposer\n@prop id=8 {"exi', ["exists"]),
]


@pytest.mark.parametrize(("typed", "wanted"), TRACE_COMPLETIONS)
def test_completion_in_traces(typed: str, wanted: list[str]) -> None:
    """[EDIT-COMPLETION] What the validator of the stream lets come next, and nothing else."""
    text = TRACE[: TRACE.index("@node id=8")] + typed
    assert labels(TraceText(text), len(text)) == wanted


def test_behind_a_mistake_nothing_is_ruled_out() -> None:
    """[EDIT-COMPLETION] Records are offered by their form where the trace above is not well formed."""
    text = "@node id=1 role=nobody\n@edge src="
    assert labels(TraceText(text), len(text)) == ["1"]


def test_nodes_and_names_of_traces() -> None:
    """[EDIT-DEFINITION] From an id to its node, from a name to its declaration."""
    trace = TraceText(TRACE)
    (node,) = trace.definition(TRACE.index("target=4") + 7)
    assert TRACE[: node[1]].endswith("@node id=4")
    assert len(trace.references(node[0], with_declarations=False)) == 7
    (age,) = trace.definition(TRACE.rindex('"age"') + 2)
    assert age[0] == TRACE.index('"age"') + 1
    proposition = '{"forall": [{"x": "Int"}, {"pot": "x > 0 and Exists([x: Int], x < 0)"}]}'
    inner = f"@node id=1 role=problem\n@prop id=1 {proposition}\n"
    assert len(TraceText(inner).references(inner.index('"x"') + 1, with_declarations=True)) == 2
    assert len(TraceText(inner).references(inner.index("x < 0"), with_declarations=True)) == 2


def test_renaming_in_traces() -> None:
    """[EDIT-RENAME] Names across all propositions, ids in all records; clashes are refused."""
    trace = TraceText(TRACE)
    changes = trace.rename(TRACE.index('"age"') + 2, "years of age")
    assert isinstance(changes, list)
    after = TRACE
    for change in sorted(changes, reverse=True):
        after = after[: change.start] + change.text + after[change.end :]
    assert after == TRACE.replace('"age"', '"years of age"')
    numbers = trace.rename(TRACE.index("target=4") + 7, "40")
    assert isinstance(numbers, list)
    assert len(numbers) == 8
    for new, reason in (("6", "already"), ("x", "natural number"), ("04", "natural number")):
        found = trace.rename(TRACE.index("target=4") + 7, new)
        assert isinstance(found, NotDone)
        assert reason in found.reason
    for new, reason in (("licensed", "already"), ("and", "word of the language"), (" ", "printable")):
        found = trace.rename(TRACE.index('"age"') + 2, new)
        assert isinstance(found, NotDone)
        assert reason in found.reason


def test_what_stands_in_a_fence_is_no_record() -> None:
    """[EDIT-DEFINITION] Its bytes are counted, in whatever characters they are."""
    text = "@node id=1 role=problem\n@@len=22@@é\n@node id=2 role=xé\n@node id=2 role=critic\n"
    content = text[text.index("@@é") + 2 :]
    assert len(content[: len("é\n@node id=2 role=x")].encode()) == 20
    assert [each.value("role") for each in TraceText(text).records] == ["problem", "critic"]


def test_colours_and_outline_of_a_trace() -> None:
    """[EDIT-TOKENS] Words of records, ids, roles, names. [EDIT-OUTLINE] A trace is its nodes."""
    trace = TraceText(TRACE)
    shown = {(TRACE[each.start : each.end], each.kind) for each in trace.tokens(0, len(TRACE))}
    assert {("@node", "keyword"), ("critic", "enumMember"), ("8", "number"), ("age", "variable")} <= shown
    assert [each.name for each in trace.outline()][:2] == ["1 problem", "2 proposer"]


# --- solutions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [SOLUTION, TEXT_FORM], ids=["json", "text"])
def test_steps_of_solutions(text: str) -> None:
    """[EDIT-DEFINITION] From a parent or a citation to the step, in both forms. [EDIT-OUTLINE] The steps."""
    solution = SolutionText(text)
    outline = solution.outline()
    first = outline[0].name_span
    found = solution.references(first[0], with_declarations=True)
    assert len(found) > 1
    assert {text[start:end] for start, end in found} == {"1"}
    for start, _ in found:
        assert solution.definition(start) == [first]
        hover = solution.hover(start)
        assert hover is not None
        assert hover.markdown.startswith("**step 1** (given)")


def test_renaming_a_step() -> None:
    """[EDIT-RENAME] In ids, parents and citations; a number that is taken is refused."""
    solution = SolutionText(SOLUTION)
    at = solution.outline()[3].name_span[0]
    changes = solution.rename(at, "44")
    assert isinstance(changes, list)
    assert len(changes) == 5
    for new, reason in (("5", "speaks of a step 5 already"), ("x", "is a number"), ("-1", "is a number")):
        found = solution.rename(at, new)
        assert isinstance(found, NotDone)
        assert reason in found.reason


def test_completion_in_solutions() -> None:
    """[EDIT-COMPLETION] Earlier steps as parents, keys by the schema."""
    solution = SolutionText(SOLUTION)
    last = SOLUTION.rindex('"direct_dependent_steps": [') + len('"direct_dependent_steps": [')
    assert labels(solution, last) == [str(number) for number in range(1, 13)]
    key = SOLUTION.index('"edge"') + 3
    assert "edge" in labels(solution, key)
    typed = SOLUTION[: SOLUTION.rindex('"direct_dependent_steps"')] + '"direct_dependent_steps": [1'
    assert labels(SolutionText(typed), len(typed)) == ["1", "10", "11", "12"]
