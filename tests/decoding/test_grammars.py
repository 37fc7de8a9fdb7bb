"""Exported grammars admit what the readers read; `benchmarks/grammars.py` compares many more strings."""

from __future__ import annotations

import json
import sys
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import jsonschema
import pytest

import potlang
from potlang.decoding import NoSuchGrammar, grammar
from potlang.decoding.grammars import GrammarLanguage

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "benchmarks"))

from canonical_traces import a_trace, is_trace  # noqa: E402
from gbnf import Gbnf  # noqa: E402
from grammars import Case, Export, cases, compare, damaged, formulas_of_programs  # noqa: E402

GIRAFFE = (ROOT / "examples" / "giraffe.json").read_text(encoding="utf-8")
CASES = cases(formulas_of_programs(ROOT / "examples"))
QUICK = 300


def _sample(case: Case, count: int, random: Random) -> list[str]:
    """Some directed strings, ours, and damaged ones."""
    directed = list(case.directed())
    found = random.sample(directed, min(count, len(directed)))
    for _ in range(count // 3 if directed else 5):
        found.append(case.ours(random))
        found.append(damaged(found[-1], case.pieces, random))
    return found


@pytest.mark.parametrize("language", CASES)
def test_llguidance_admits_what_the_readers_read(language: str) -> None:
    """[GRAMMAR-CANON] Directed strings, ours, walks along the masks, and damaged ones."""
    case = CASES[language]
    if language == "dot":
        case = case._replace(ours=partial(a_trace, nodes=9))
    few = _sample(case, QUICK if language in ("expression", "prop") else QUICK // 3, Random(1))
    walks = 12 if language == "pot" else 90
    found, wrong = compare(case._replace(directed=lambda: iter(few), long=200), len(few) + walks, 1)
    assert not wrong
    assert found["walk"] >= walks // 5 and found["directed out"] > 2 and found["ours in"] > 3


@pytest.mark.parametrize("language", ["expression", "prop"])
def test_gbnf_admits_what_the_readers_read(language: GrammarLanguage) -> None:
    """[GRAMMAR-CANON] The same language in GBNF, which a plain reader of that notation reads."""
    case, export = CASES[language], Gbnf(grammar(language, "gbnf"))
    for text in _sample(case, 40, Random(2)):
        # That no name is declared twice is what GBNF cannot hold.
        if not text.startswith('{"declare"'):
            assert export.admits(text) == case.admits(text), text


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ("ForAll([x: Int], x > 0 -> p(x))", True),
        ("x and not y or z in [1, 2]", True),
        ("5% <= share", True),
        ("notx", True),
        ("of", False),
        ("and", False),
        ("x == in", False),
        ("x  + 1", False),
        ("x+1", False),
        ("5% + 1", False),
        ("(a, b) == c", False),
        ("é", False),
        ("`é`", True),
        ("1234567890123456", False),
    ],
)
def test_expressions(text: str, is_read: bool) -> None:
    """[GRAMMAR-EXPRESSION]"""
    assert Export(grammar("expression")).admits(text.encode()) is is_read


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        ('{"gt": ["x", -3.5]}', True),
        ('{"gt":["x", 3]}', False),
        ('{"forall": [{"x": "Int"}, {"pot": "x > 0 or s == \'a\'"}]}', True),
        ('{"forall": [{"x": "Int", "y": "Int"}, "p"]}', False),
        (
            '{"declare": {"x": "Int", "p": {"domain": ["Int"], "range": "Bool"}}, "assume": [["p", "x"]]}',
            True,
        ),
        ('{"assume": ["p"], "declare": {}}', False),
        ('{"declare": {"x": "Int", "p": "Bool", "x": "Int"}}', False),
        ('{"declare": {"x": "Int", "xs": "Int"}}', False),
        ('"and"', False),
    ],
)
def test_propositions(text: str, is_read: bool) -> None:
    """[GRAMMAR-PROP]"""
    assert Export(grammar("prop")).admits(text.encode()) is is_read


HEAD = "@node id=1 role=problem\n@node id=2 role=proposer\n@node id=3 role=critic\n"
CRITIQUE = "@edge src=2 dst=3 kind=critique\n"
END = "@node id=4 role=summarizer\n<summarizer:end>\n"


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        (HEAD + CRITIQUE + END, True),
        (HEAD + END, False),
        (HEAD + CRITIQUE, False),
        (HEAD + CRITIQUE + END.replace("4", "5"), False),
        (HEAD + CRITIQUE + "@status target=2 mark=validated just=3\n" + END, True),
        (HEAD + CRITIQUE + "text\n@status target=2 mark=validated\n" + END, False),
        (HEAD + CRITIQUE + "@@len=1@@x\n" + END, False),
        (HEAD + CRITIQUE + END.replace("\n<", "\n@entails src=2 dst=2 witness=4\n<"), False),
    ],
)
def test_traces(text: str, is_read: bool) -> None:
    """[GRAMMAR-DOT]"""
    assert Export(grammar("dot", nodes=5)).admits(text.encode()) is is_read


def test_the_first_node_is_told_from_those_whose_ids_begin_alike() -> None:
    """[GRAMMAR-STATES] A lexer without a way back once took `@edge src=1` for a piece of its own."""
    lines = ["@node id=1 role=problem", *(f"@node id={node} role=proposer" for node in range(2, 14))]
    lines += ["@edge src=1 dst=13 kind=use", "@edge src=12 dst=13 kind=use", "@node id=14 role=critic"]
    lines += ["@edge src=13 dst=14 kind=critique", "@node id=15 role=summarizer", "<summarizer:end>", ""]
    assert Export(grammar("dot", nodes=15)).admits("\n".join(lines).encode())


def test_a_status_counts_at_once() -> None:
    """[GRAMMAR-STATES] And in the block of the node itself."""
    export = Export(grammar("dot", nodes=6))
    for mark, is_read in (("validated", True), ("invalidated", False)):
        status = f"@status target=2 mark={mark}\n"
        use = END.replace("\n<", "\n@edge src=2 dst=4 kind=use\n<")
        assert export.admits((HEAD + CRITIQUE + status + use).encode()) is is_read
        assert not export.admits((HEAD + CRITIQUE + status + END.replace("\n<", f"\n{status}<")).encode())


@pytest.mark.parametrize("nodes", [4, 5, 31])
def test_every_walk_ends(nodes: int) -> None:
    """[GRAMMAR-STATES] As many nodes are left as the goal needs; the last one is the summary."""
    export, random = Export(grammar("dot", nodes=nodes)), Random(nodes)
    case = CASES["dot"]
    for _ in range(6):
        walked = export.walk(random, case.steered, 400)
        assert walked is not None and is_trace(walked, nodes)


def test_gbnf_of_traces_holds_the_order_alone() -> None:
    """[GRAMMAR-STATES]"""
    text = grammar("dot", "gbnf")
    export = Gbnf(text)
    assert "Neither are the ids" in text
    whole = HEAD + CRITIQUE + "@status target=2 mark=validated\n" + END
    assert export.admits(whole)
    assert export.admits(whole.replace("src=2", "src=9"))
    for broken in (
        HEAD + END,
        whole[:-18],
        whole.replace("critique", "use"),
        whole.replace("critic\n", "problem\n"),
    ):
        assert not export.admits(broken)
    for text in list(CASES["dot-strict"].directed())[::400]:
        assert export.admits(text) or not CASES["dot"].admits(text)


@pytest.mark.parametrize("language", ["dot", "prop", "expression"])
def test_gbnf_is_what_other_readers_of_it_take(language: GrammarLanguage) -> None:
    """[GRAMMAR-CANON] Each rule is defined once, and llguidance, which serves GBNF too, reads the same."""
    llguidance = pytest.importorskip("llguidance")
    text = grammar(language, "gbnf")
    rules = [line.partition(" ::=")[0] for line in text.splitlines() if " ::=" in line and line[0] != "#"]
    assert len(rules) == len(set(rules))
    known = llguidance.grammar_from("gbnf", text)
    assert llguidance.LLMatcher.validate_grammar(known) == ""
    if language == "dot":
        whole = HEAD + CRITIQUE + "@status target=2 mark=validated\nA line.\nAnother 🦒.\n" + END
        for trace, is_one in ((whole, True), (whole.replace(".\n@", ".@"), False)):
            matcher = llguidance.LLMatcher(llguidance.LLTokenizer("byte"), known, log_level=0)
            is_read = matcher.validate_tokens(list(trace.encode())) == len(trace.encode())
            assert is_read == is_one == Gbnf(text).admits(trace)


def test_a_program_has_the_declarations_of_the_file() -> None:
    """[GRAMMAR-POT]"""
    program = json.loads(GIRAFFE)
    given = {key: program.get(key, []) for key in ("sorts", "functions", "constants", "variables")}
    claim = {"name": "", "forall": [], "exists": [], "constraint": "height(average_giraffe) > 2"}
    claim |= {"find": [], "ask": "must"}
    whole = {**given, "knowledge_base": [], "rules": [], "verifications": [claim], "imports": []}
    export = Export(grammar("pot", program=potlang.compile(GIRAFFE)))
    text = json.dumps(whole, ensure_ascii=False)
    assert export.admits(text.encode()) and potlang.check(text).ok
    assert not export.admits(text.replace("height(", "weight(").encode())
    assert not export.admits(json.dumps({**whole, "sorts": []}).encode())


def test_steps_rest_on_earlier_ones() -> None:
    """[GRAMMAR-DAGMATH]"""
    given = '{"steps": [{"step_id": 1, "edge": null, "direct_dependent_steps": null, "node": "x = 3"}'
    more = ', {"step_id": 2, "edge": "By Step 1", "direct_dependent_steps": [1], "node": "x > 2"'
    more += ', "formal": "x > 2"}]}'
    for export in (Export(grammar("dagmath")), _InText(Gbnf(grammar("dagmath", "gbnf")))):
        assert export.admits((given + more).encode())
        assert not export.admits((given + more.replace("[1]", "[2]")).encode())
        assert not export.admits((given + more.replace('"step_id": 2', '"step_id": 3')).encode())


class _InText(NamedTuple):
    """A GBNF grammar that is given bytes."""

    grammar: Gbnf

    def admits(self, text: bytes) -> bool:
        return self.grammar.admits(text.decode())


def test_names_are_those_of_a_program() -> None:
    """[GRAMMAR-NAMES]"""
    program = potlang.compile(GIRAFFE)
    both = [
        Export(grammar("expression", program=program)),
        Gbnf(grammar("expression", "gbnf", program=program)),
    ]
    expected = {
        "jump_height(javier_sotomayor) > 0": True,
        "ForAll([x: Person], jump_height(x) > height(average_giraffe))": True,
        "ForAll([xs: Person], True)": False,
        "weight(average_giraffe) > 0": False,
        "ForAll([x: Plant], True)": False,
    }
    for text, is_read in expected.items():
        assert both[0].admits(text.encode()) is is_read
        assert both[1].admits(text) is is_read
    prop = Export(grammar("prop", program=program))
    assert prop.admits(b'{"gt": [["height", "average_giraffe"], 2]}')
    assert not prop.admits(b'{"gt": [["weight", "average_giraffe"], 2]}')
    assert not prop.admits(b'{"declare": {"weight": "Int"}}')


def test_a_name_that_is_no_word_stands_in_backquotes() -> None:
    """[GRAMMAR-NAMES]"""
    constants = {"n": {"sort": "Int", "members": ["größe", "of", "in", "a b"]}}
    export = Export(grammar("expression", program=potlang.compile({"constants": constants})))
    for name in ("größe", "of", "in", "a b"):
        assert export.admits(f"`{name}` > 0".encode())
        assert not export.admits(f"{name} > 0".encode())


def test_the_schema_of_propositions_knows_the_names() -> None:
    """[GRAMMAR-SCHEMA]"""
    schema = json.loads(grammar("prop", "json-schema", program=potlang.compile(GIRAFFE)))
    checker = jsonschema.Draft202012Validator(schema)
    assert checker.is_valid({"gt": [["height", "average_giraffe"], 2]})
    assert not checker.is_valid({"gt": [["weight", "average_giraffe"], 2]})
    assert not checker.is_valid({"declare": {"x": "Int"}})
    assert jsonschema.Draft202012Validator(json.loads(grammar("prop", "json-schema"))).is_valid(
        {"declare": {"x": "Int"}}
    )


def test_what_is_no_json_has_no_schema() -> None:
    """[GRAMMAR-SCHEMA]"""
    assert json.loads(grammar("pot", "json-schema"))["$id"] == "urn:potlang:pot-1"
    assert json.loads(grammar("dagmath", "json-schema"))["$id"] == "urn:potlang:dagmath-1"
    for language in ("expression", "dot"):
        with pytest.raises(NoSuchGrammar, match="use `llguidance` or `gbnf`"):
            grammar(language, "json-schema")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="4 to 31 nodes"):
        grammar("dot", nodes=3)
    with pytest.raises(ValueError, match="no grammar of 'sums'"):
        grammar("sums")  # type: ignore[arg-type]


def test_what_a_grammar_cannot_hold_is_said_at_its_head() -> None:
    """[GRAMMAR-PROP]"""
    head = "".join(islice(grammar("prop", "gbnf").splitlines(keepends=True), 3))
    assert "Not held, and checked behind" in head and "no name is declared twice" in head
