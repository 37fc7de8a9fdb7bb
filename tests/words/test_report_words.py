"""Verdicts and their evidence in sentences."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from spoken import rental

import potlang
from potlang import tool
from potlang.report.from_json import report_from_dict
from potlang.utils.resources import schema

EXAMPLES = Path(__file__).parents[2] / "examples"


def said(program: dict[str, Any], **options: Any) -> list[str]:
    report = potlang.verify(program, language="pot", words=True, **options)
    jsonschema.validate(report.to_dict(), schema("report-1"))
    assert report_from_dict(report.to_dict()).to_dict() == report.to_dict()
    return report.words().splitlines()


def test_what_a_claim_follows_from() -> None:
    """Rule [WORDS-REPORT]."""
    assert said(rental({"constraint": "rents(ann)"})) == [
        "ann may rent a car.",
        "This is so, because of what is assumed:",
        "- fact 1: The age of ann is 30.",
        "- rule “grown up”: For every person x, if the age of x is at least 21, then x may rent a car.",
    ]


def test_what_a_claim_contradicts() -> None:
    """Rule [WORDS-REPORT]: with its counterexample."""
    claim = {"forall": [{"name": "p", "sort": "Person"}], "constraint": "Not(rents(p))"}
    assert said(rental(claim))[:3] == [
        "For every person p, p may not rent a car.",
        "This is not so, because of what is assumed:",
        "- fact 1: The age of ann is 30.",
    ]
    assert said(rental(claim))[4:] == [
        "It is not so, for example, if p is ann, p may rent a car and the age of p is 30."
    ]


def test_what_is_open() -> None:
    """Rule [WORDS-REPORT]: an example of each side, without the claim itself."""
    lines = said(rental({"constraint": "age(bob) > 3 -> rents(bob)"}))
    assert lines[:2] == [
        "If the age of bob is more than 3, then bob may rent a car.",
        "It is open whether this is so.",
    ]
    assert lines[2].startswith("It is so, for example, if ")
    assert lines[3].startswith("It is not so, for example, if ") and "bob may not rent a car" in lines[3]
    for line in said(rental({"constraint": "rents(bob)"}))[2:]:
        assert "if bob may rent" not in line


def test_what_needs_nothing_and_what_follows_from_contradictions() -> None:
    """Rule [WORDS-REPORT]."""
    lines = said(rental({"constraint": "1 < 2"}, {"constraint": "2 < 1"}))
    assert lines == [
        "1 is less than 2.",
        "This is so, whatever is assumed.",
        "",
        "2 is less than 1.",
        "This is never so, whatever is assumed.",
    ]
    broken = rental(
        knowledge_base=["age(ann) == 30", {"name": "no", "assertion": "rents(ann)", "value": False}]
    )
    assert said(broken, cores="all")[:3] == [
        "Nothing can be concluded, because these contradict each other:",
        "- fact 1: The age of ann is 30.",
        "- fact “no”: ann may not rent a car.",
    ]


def test_norms_questions_and_modes() -> None:
    """Rule [WORDS-REPORT]: violations, bindings, outcomes."""
    norm = {"role": "norm", "forall": [{"name": "x", "sort": "Person"}], "constraint": "age(x) < 30"}
    lines = said(rental(rules=[norm]))
    assert lines[0] == "For every person x, the age of x is less than 30."
    assert lines[3:] == [
        "It is broken if x is ann.",
        "It may be broken if x is bob.",
        "It is not so, for example, if x is ann and the age of x is 30.",
    ]
    find = {"find": [{"name": "w", "sort": "Person"}], "constraint": "rents(w)"}
    lines = said(rental(find))
    assert lines[0] == "For which person w is it so that w may rent a car?"
    assert "It is so if w is ann." in lines
    lines = said(rental({"constraint": "rents(bob)", "ask": "could"}))
    assert "It was asked whether this could be so, and it could." in lines


def test_scenarios() -> None:
    """Rule [WORDS-REPORT]: an element without a name is said by its variable."""
    items = {
        "sorts": [{"name": "Item", "type": "DeclareSort"}],
        "functions": [
            {"name": "premium", "domain": ["Item"], "range": "Bool"},
            {"name": "returnable", "domain": ["Item"], "range": "Bool"},
        ],
        "verifications": [
            {
                "forall": [{"name": "x", "sort": "Item"}],
                "implies": {"antecedent": "premium(x)", "consequent": "returnable(x)"},
            }
        ],
    }
    lines = said(items)
    assert lines[:2] == [
        "For every item x, if x is premium, then x is returnable.",
        "It is open whether this is so.",
    ]
    broken = "It is not so, for example, of an item x if "
    assert lines[3].startswith(broken)
    assert set(lines[3].removeprefix(broken).rstrip(".").split(" and ")) == {
        "x is premium",
        "x is not returnable",
    }


def test_optima() -> None:
    """Rule [WORDS-REPORT]."""
    section = {
        "objectives": [{"type": "minimize", "expression": "age(bob)"}],
        "constraints": ["age(bob) > 3"],
    }
    lines = said(rental(optimization=section))
    assert lines[0] == "The least possible value of the age of bob is 4."
    section["constraints"] = ["age(ann) > 30"]
    assert said(rental(optimization=section)) == [
        "There is no solution, because these contradict each other:",
        "- fact 1: The age of ann is 30.",
        "- constraint 1: The age of ann is more than 30.",
    ]


def test_optima_are_written_as_their_sorts_are() -> None:
    """[WORDS-REPORT] [VERDICT-OPTIMUM]"""
    program = {
        "functions": [
            {"name": "start", "domain": [], "range": "Date"},
            {"name": "cost", "domain": [], "range": "Money(EUR)"},
        ],
        "knowledge_base": ["start <= 2025-05-01", "cost >= 49.5 EUR"],
        "optimization": {
            "objectives": [
                {"type": "maximize", "expression": "start"},
                {"type": "minimize", "expression": "cost"},
            ]
        },
        "actions": ["optimize"],
    }
    report = potlang.verify(program, words=True)
    assert report.optimization is not None
    assert [each.written for each in report.optimization.objectives] == ["2025-05-01", "49.5 EUR"]
    lines = [line for each in report.sentences or () for line in each.answer]
    assert lines[:2] == [
        "The greatest possible value of start is 2025-05-01.",
        "The least possible value of cost is 49.5 EUR.",
    ]
    assert "maximize objective 1: 2025-05-01" in report.render()


PROGRAMS = [path for path in sorted(EXAMPLES.glob("*.json")) if '"sorts"' in path.read_text("utf-8")]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    """Rule [WORDS-REPORT]: nothing but sentences, for each program of the examples."""
    report = potlang.verify(path, language="pot", words=True)
    assert (report.verdict == "rejected") == (path.stem == "broken")
    assert len(report.sentences or ()) >= len(report.results)
    for words in report.sentences or ():
        assert not any(item.count("`") > 6 for item in (*words.answer, *words.because))


def test_words_are_asked_for() -> None:
    """Rules [WORDS-REPORT], [WORDS-API]."""
    report = potlang.verify(rental({"constraint": "rents(ann)"}), language="pot")
    with pytest.raises(ValueError, match="words=True"):
        report.words()
    assert "words" not in report.to_dict()
    program = potlang.compile(rental())
    assert program.say("not rents(bob)") == "bob may not rent a car."
    assert program.read("bob may not rent a car.") == "Not(rents(bob))"
    with pytest.raises(ValueError, match="understood at `flies`"):
        program.read("bob flies.")
    with pytest.raises(ValueError, match="no expression"):
        program.say("rents(")


def test_nothing_is_imported_for_others() -> None:
    """Rule [WORDS-REPORT]: what nobody asks for costs nothing."""
    code = (
        "import sys, potlang; potlang.verify({'verifications': [{'constraint': '1 < 2'}]});"
        "print([name for name in sys.modules if name.startswith('potlang.words')])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_command(tmp_path: Path) -> None:
    """Rule [WORDS-REPORT]: `--words`, as text and as JSON."""
    path = tmp_path / "rental.json"
    path.write_text(json.dumps(rental({"constraint": "rents(ann)"})), encoding="utf-8")

    def run(*options: str) -> str:
        command = [sys.executable, "-m", "potlang", "verify", "--words", *options, str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "\n  - fact 1: The age of ann is 30.\n" in run()
    assert json.loads(run("--format", "json"))["words"][0]["claim"] == "ann may rent a car."


PACKED = {
    "sorts": [{"name": "Person", "type": "DeclareSort"}],
    "functions": [{"name": "older", "domain": ["Person", "Person"], "range": "Bool"}],
    "constants": {"people": {"sort": "Person", "members": ["ann", "bob"]}},
    "imports": [{"pack": "std/order/total_order", "with": {"T": "Person", "le": "older"}}],
    "verifications": [{"name": "any two", "constraint": "older(ann, bob) or older(bob, ann)"}],
}


def test_rules_of_packs_are_said_by_their_pack_in_the_programs_words() -> None:
    """[WORDS-PACK] In text, JSON, sessions and the tool; the names by which cores are looked up stay."""
    name = "`total` of the pack `std/order/total_order`"
    program = potlang.compile(PACKED)
    with program.session() as session:
        asked = session.verify("older(ann, bob) or older(bob, ann)")
    for report in (potlang.verify(PACKED), asked, potlang.verify(PACKED, cores="all")):
        (item,) = report.results[0].evidence.core or ()
        assert item.name == "std/order/total_order: total"
        assert item.text.startswith("For every person x and every person y, ") and "le(" not in item.text
        assert f"    {name}: {item.text}" in report.render()
    said = potlang.verify(PACKED, words=True)
    assert f"- {name}: For every person x" in said.render()
    answer = tool.call({"program": PACKED})
    assert answer["results"][0]["because"][0]["text"].startswith(f"{name}: For every person x")


CLOSED = {
    "sorts": [{"name": "Item", "type": "DeclareSort"}],
    "functions": [
        {"name": "opened", "domain": ["Item"], "range": "Bool"},
        {"name": "returnable", "domain": ["Item"], "range": "Bool", "closed": True},
    ],
    "constants": {"items": {"sort": "Item", "members": ["laptop", "phone"]}},
    "semantics": {"unique_names": True, "closed_domain": True},
    "knowledge_base": ["opened(laptop)"],
    "rules": [{"constraint": "ForAll([x: Item], not opened(x) -> returnable(x))"}],
    "verifications": [
        {"name": "back", "constraint": "returnable(laptop)"},
        {"name": "two", "constraint": "laptop == phone"},
        {"name": "all", "constraint": "ForAll([x: Item], x == laptop or x == phone)"},
    ],
}


def test_conventions_say_what_they_mean() -> None:
    """[WORDS-PACK], [CLOSED-NAMES] Nobody knows what "closed returnable" is who did not write it."""
    means = (
        "`returnable` is true only where rule “rule 1” says so (closed)",
        "different constants of `Item` are different things (unique names)",
        "`Item` has no members but its constants (closed domain)",
    )
    report = potlang.verify(CLOSED, words=True)
    answer = tool.call({"program": CLOSED})
    text = potlang.verify(CLOSED).render()
    for result, said, told, meant in zip(
        report.results, report.sentences or (), answer["results"], means, strict=True
    ):
        assert meant in [each.text for each in result.evidence.core or ()]
        assert f"{meant}." in said.because
        assert meant in [each["text"] for each in told["because"]]
        assert meant in text
