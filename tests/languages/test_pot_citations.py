"""Citations: sentences of a document that items cite, which change no verdict and are quoted by results."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import potlang
from potlang.api import check, compile, verify
from potlang.drawing.program_page import program_page
from potlang.ir.digest import digest
from potlang.languages.pot.format import laid_out
from potlang.prove.cache import Cache
from potlang.report.from_json import report_from_dict
from potlang.reread import confirm
from potlang.tool import call
from potlang.utils.resources import schema

SENTENCES = [
    "Items can be returned <b>within</b> 30 days.",
    "Opened items cannot be returned.",
    "An item is sold.",
]
X = [{"name": "x", "sort": "Item"}]
PROGRAM: dict[str, Any] = {
    "document": {"name": "refund.md", "sha256": "00", "sentences": SENTENCES},
    "sorts": [{"name": "Item", "type": "DeclareSort", "cites": [3]}],
    "functions": [
        {"name": "days", "domain": ["Item"], "range": "Int"},
        {"name": "opened", "domain": ["Item"], "range": "Bool", "closed": True, "cites": [2]},
        {"name": "returnable", "domain": ["Item"], "range": "Bool"},
    ],
    "constants": {"items": {"sort": "Item", "members": ["lamp"], "cites": [3]}},
    "knowledge_base": ["days(lamp) == 20", {"assertion": "days(lamp) > 1", "cites": [3, 1]}],
    "rules": [
        {
            "name": "thirty",
            "forall": X,
            "implies": {"antecedent": "days(x) <= 30", "consequent": "returnable(x)"},
            "unless": "opened(x)",
            "cites": [1, 2, 1],
        },
        {"name": "none", "forall": X, "constraint": "not returnable(x)", "role": "norm", "cites": [2]},
    ],
    "verifications": [
        {"name": "lamp", "constraint": "returnable(lamp)", "cites": [1]},
        {"name": "which", "cites": [2], "options": [{"name": "a", "constraint": "opened(lamp)"}]},
    ],
}


def without_citations(program: dict[str, Any]) -> dict[str, Any]:
    def bare(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: bare(each) for key, each in value.items() if key not in ("cites", "document")}
        return [bare(each) for each in value] if isinstance(value, list) else value

    found: dict[str, Any] = bare(program)
    return found


def numbers(report: Any, result: int) -> list[list[int]]:
    core = report.results[result].evidence.core
    return [[quote.number for quote in item.quotes] for item in core]


def test_cores_claims_and_norms_quote_what_they_cite() -> None:
    """[CITE-QUOTE]: each item the sentences of its own, each once; the completion those of its function."""
    report = verify(PROGRAM)
    assert [each.verdict for each in report.results] == ["entailed", "refuted", "refuted"]
    by_pointer = {each.pointer: each for each in report.results[0].evidence.core or ()}
    assert [each.number for each in by_pointer["/rules/0"].quotes] == [1, 2]
    assert by_pointer["/rules/0"].quotes[1].text == SENTENCES[1]
    assert by_pointer["/knowledge_base/0"].quotes == ()
    completion = next(each for each in by_pointer.values() if each.kind == "semantics")
    assert [each.number for each in completion.quotes] == [2]
    claim, option, norm = report.results
    assert [[each.number for each in result.quotes] for result in (claim, option, norm)] == [[1], [2], [2]]


def test_all_faces_quote() -> None:
    """[CITE-QUOTE]: text, words, JSON and back, a page with all of it escaped, and the tool."""
    program = compile(PROGRAM)
    report = verify(program, words=True)
    line = "by sentence 2: “Opened items cannot be returned.”"
    assert f"\n      {line}\n" in str(verify(program))
    assert "(By sentence 1: “Items can be returned <b>within</b> 30 days.”, sentence 2:" in report.words()
    value = report.to_dict()
    Draft202012Validator(schema("report-1")).validate(value)
    facts = [each for each in value["results"][0]["evidence"]["core"] if each["kind"] == "fact"]
    assert facts and all("quotes" not in each for each in facts)
    assert report_from_dict(value).to_dict() == value
    page = program_page(verify(program), "refund", program)
    assert line in page and "<b>within</b>" not in page
    answer = call({"operation": "verify", "program": PROGRAM})
    Draft202012Validator(schema("tool-answer-1")).validate(answer)
    quotes = [each.get("quotes") for each in answer["results"][0]["because"]]
    assert [{"number": 1, "text": SENTENCES[0]}, {"number": 2, "text": SENTENCES[1]}] in quotes


def test_corrections_and_conflicts_quote() -> None:
    """[CITE-QUOTE]: of assumptions that contradict each other, with all cores and what to remove."""
    program = copy.deepcopy(PROGRAM)
    program["knowledge_base"].append({"assertion": "days(lamp) < 0", "cites": [2]})
    found = verify(program, cores="all").results[0].evidence
    every = [
        item for group in (found.cores or (), found.corrections or ()) for core in group for item in core
    ]
    cited = [item for item in every if item.pointer == "/knowledge_base/2"]
    assert len(cited) > 1 and all([each.number for each in item.quotes] == [2] for item in cited)


def test_a_session_quotes() -> None:
    """[CITE-QUOTE]: a claim that is put to a program later rests on the same sentences."""
    with compile(PROGRAM).session() as session:
        report = session.verify("not returnable(lamp)")
    assert report.verdict == "refuted"
    assert [1, 2] in numbers(report, 0)


def test_citations_change_no_verdict_and_no_digest() -> None:
    """[CITE-ITEM], [CITE-DOCUMENT]: nor what the second reader finds."""
    bare = without_citations(PROGRAM)
    assert digest(compile(bare).module) == digest(compile(PROGRAM).module)
    assert [each.verdict for each in verify(bare).results] == [
        each.verdict for each in verify(PROGRAM).results
    ]
    assert confirm(json.dumps(PROGRAM).encode(), compile(PROGRAM).emit("ir", passes="")).status == "confirmed"


def test_a_kept_report_quotes_the_document_of_who_asks(tmp_path: Any) -> None:
    """[CITE-QUOTE]: one meaning has one entry in the cache, whatever the programs cite."""
    other = copy.deepcopy(PROGRAM)
    other["document"]["sentences"][1] = "Other words."
    cache = Cache(tmp_path)
    texts = [str(verify(each, cache=cache)) for each in (PROGRAM, other, without_citations(PROGRAM))][1:]
    assert cache.stats().entries == 1
    assert "Other words." in texts[0] and "Opened items" not in texts[0]
    assert "by sentence" not in texts[1]


def test_writing_keeps_citations() -> None:
    """[CITE-KEEP]: in PoT that is written from the typed program, and in the canonical layout."""
    written = json.loads(compile(PROGRAM).emit("pot"))
    assert written["document"] == PROGRAM["document"]
    assert written["sorts"][0]["cites"] == written["constants"]["Item"]["cites"] == [3]
    assert [each.get("cites") for each in written["functions"]] == [None, [2], None]
    assert written["knowledge_base"][1]["cites"] == [3, 1]
    assert [each["cites"] for each in written["rules"]] == [[2], [1, 2, 1], [2]]
    assert [each["cites"] for each in written["verifications"]] == [[1], [2]]
    text = laid_out(check(json.dumps(PROGRAM)))
    assert text is not None and json.loads(text) == PROGRAM


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({"cites": [4]}, "POT2040", "/rules/1/cites/0"),
        ({"cites": [1, 2, 9]}, "POT2040", "/rules/1/cites/2"),
        ({"cites": [0]}, "POT1010", "/rules/1/cites/0"),
        ({"cites": [True]}, "POT1010", "/rules/1/cites/0"),
        ({"cites": [1.5]}, "POT1010", "/rules/1/cites/0"),
        ({"cites": [10**400]}, "POT1010", "/rules/1/cites/0"),
        ({"cites": 2}, "POT1010", "/rules/1/cites"),
    ],
)
def test_a_number_that_is_no_sentence_is_an_error(change: dict[str, Any], code: str, pointer: str) -> None:
    """[CITE-ITEM]"""
    program = copy.deepcopy(PROGRAM)
    program["rules"][1] |= change
    (found,) = check(program).diagnostics
    assert (found.code, found.place.pointer) == (code, pointer)


def test_without_a_document_nothing_can_be_cited() -> None:
    """[CITE-ITEM]: and a malformed document is the only error."""
    program = {key: each for key, each in PROGRAM.items() if key != "document"}
    assert {each.code for each in check(program).diagnostics} == {"POT2040"}
    malformed = check({**PROGRAM, "document": {"sentences": None}}).diagnostics
    assert [(each.code, each.place.pointer) for each in malformed] == [("POT1010", "/document/sentences")]


def test_a_claim_may_not_cite_in_an_option() -> None:
    """[CITE-ITEM]: an option is no item of its own."""
    program = copy.deepcopy(PROGRAM)
    program["verifications"][1]["options"][0]["cites"] = [1]
    assert [each.code for each in potlang.check(program).diagnostics] == ["POT1012"]
