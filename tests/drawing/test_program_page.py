"""Pages on programs: sentences, scenarios, derivations, and the program with what results rest on."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from view_support import HOSTILE

import potlang
from potlang.drawing.program_page import scenarios
from potlang.drawing.program_source import listing
from potlang.report.results import CoreItem, Evidence, ProgramResult, Result, Verdict
from potlang.source import Document

EXAMPLES = Path(__file__).parents[2] / "examples"


class Page(HTMLParser):
    """The ids, the links, the text by element, and the headings of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.levels: list[int] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        self.links += [(values["href"] or "")[1:]] if "href" in values else []
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag not in ("meta", "br"):
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element of a drawing that has nothing in it."""

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self._open):
            self.texts[tag][-1] += data


def page(name: str) -> Page:
    return Page(potlang.view(EXAMPLES / name))


ALL = [path.name for path in sorted(EXAMPLES.glob("*.json")) if path.name not in ("broken.json", "pack.json")]


@pytest.mark.parametrize("name", ["undetermined.json", "giraffe.json", "norms.json", "natascha.dagmath.json"])
def test_links_lead_to_ids_and_headings_are_in_order(name: str) -> None:
    """[VIEW-READERS], [VIEW-PAGE]"""
    found = page(name)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)
    assert found.levels[0] == 1 and found.levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(found.levels, found.levels[1:], strict=False))


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_links_of_all_examples_lead_to_ids(name: str) -> None:
    """[VIEW-READERS], [VIEW-PROGRAM]"""
    found = page(name)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= set(found.ids)


def test_an_undetermined_claim_has_two_scenarios_with_what_differs() -> None:
    """[VIEW-PROGRAM]"""
    found = page("undetermined.json")
    rows = [row for row in found.texts["tr"] if "trained" in row]
    assert rows == ["≠ differs: trained(rex)TrueFalse", "trained(tom)FalseFalse"]
    assert "It is open whether this is so." in "".join(found.texts["header"])


def test_only_what_both_scenarios_have_differs() -> None:
    """[VIEW-PROGRAM]: with one side alone there is no table."""
    both = Evidence(could_be_true={"a": "1", "b": "2"}, could_be_false={"a": "3", "c": "4"})
    found = Page(scenarios(Result("x", "", Verdict.UNDETERMINED, evidence=both)))
    assert found.texts["tr"][1:] == ["≠ differs: a13", "b2–", "c–4"]
    one = Evidence(could_be_true={"a": "1"})
    assert scenarios(Result("x", "", Verdict.UNDETERMINED, evidence=one)) == ""


def test_a_refuted_claim_leads_to_its_premises_and_they_lead_back() -> None:
    """[VIEW-PROGRAM]"""
    text = potlang.view(EXAMPLES / "giraffe.json")
    found = Page(text)
    assert [mark.rstrip("1") for mark in found.texts["mark"]] == [
        '{"assertion": "jump_height(javier_sotomayor) == 2.45"}',
        '{"assertion": "height(average_giraffe) == 5.5"}',
    ]
    marks = [id_ for id_ in found.ids if id_.startswith("source-")]
    assert len(marks) == 3 and set(marks) <= set(found.links)
    assert found.links.count("result-1") == 2


def test_a_derived_claim_has_its_tree() -> None:
    """[VIEW-PROGRAM]: each step in the one that it leads to, with the rule by which it follows."""
    text = potlang.view(EXAMPLES / "derivation.json")
    [tree] = re.findall(r'<div class="tree">(.*?)</div>', text, re.DOTALL)
    plain = re.sub("<[^>]*>", " ", tree)
    order = ("the alarm goes off", "alarm", "reached(5)", "reached(2)", "reached(1)")
    assert [plain.index(word) for word in order] == sorted(plain.index(word) for word in order)
    assert tree.count("<details") == 4 and "doors lead on" in tree


def chain(length: int) -> dict[str, object]:
    """A program whose claim takes a derivation of so many steps."""
    return {
        "functions": [{"name": "at", "domain": ["Int"], "range": "Bool"}],
        "knowledge_base": [
            "at(0)",
            *(f"Implies(at({number}), at({number + 1}))" for number in range(length)),
        ],
        "verifications": [{"name": "end", "constraint": f"at({length})"}],
    }


def test_a_deep_derivation_is_shown_in_parts() -> None:
    """[VIEW-PROGRAM]: every step once, and no deeper than a browser nests."""
    text = potlang.view(chain(100))
    found = Page(text)
    assert {f"step-1-{number}" for number in range(101)} <= set(found.ids)
    assert set(found.links) <= set(found.ids)
    assert "derived below" in text


def test_a_claim_that_fails_by_rules_has_its_tree() -> None:
    """[VIEW-PROGRAM]"""
    program = chain(3) | {"verifications": [{"name": "not the end", "constraint": "Not(at(3))"}]}
    assert "is contradicted" in potlang.view(program)


def test_without_its_program_a_report_has_a_page_too() -> None:
    """[VIEW-PROGRAM]"""
    text = potlang.view(potlang.verify(EXAMPLES / "giraffe.json"))
    found = Page(text)
    assert set(found.links) <= set(found.ids)
    assert "jump_height(javier_sotomayor) == 2.45" in text and "The program" not in "".join(found.texts["h2"])


def test_of_a_long_program_the_lines_around_marks_are_shown() -> None:
    """[VIEW-PROGRAM]"""
    facts = [f"p{number}(1)" for number in range(3_000)]
    value = {"knowledge_base": facts, "verifications": [{"name": "one", "constraint": "p2000(1)"}]}
    item = CoreItem("fact", "/knowledge_base/2000", "p2000(1)", "fact")
    result = Result("one", "/verifications/0", Verdict.ENTAILED, evidence=Evidence((item,)))
    found = listing(Document.from_value(value), ProgramResult(Verdict.ENTAILED, (result,)))
    shown = re.sub("<[^>]*>", "", found.html)
    assert set(found.ids) == {"/knowledge_base/2000", "/verifications/0"}
    assert "p1998(1)" in shown and "p2002(1)" in shown and "p1000(1)" not in shown
    left_out = sum(int(number.replace(",", "")) for number in re.findall(r"… ([\d,]+) lines", shown))
    assert left_out + len(re.findall(r"\n", re.sub(r"… [\d,]+ lines\n", "", shown))) == pytest.approx(
        3_007, abs=2
    )


@pytest.mark.parametrize("text", HOSTILE[:6])
def test_whatever_a_program_says_is_text(text: str) -> None:
    """[VIEW-TEXT], [VIEW-ALONE]: in names, in descriptions, in the name of the page."""
    program = {
        "description": text,
        "functions": [
            {"name": "p", "domain": [], "range": "Bool"},
            {"name": "q", "domain": [], "range": "Bool"},
        ],
        "knowledge_base": ["p"],
        "rules": [{"name": text[:40], "implies": {"antecedent": "p", "consequent": "Not(q)"}}],
        "verifications": [{"name": text[:40], "constraint": "q"}, {"name": "open", "constraint": "q == p"}],
    }
    written = potlang.view(json.dumps(program), name=text)
    found = Page(written)
    assert written.count("<script") == 1 and written.count("</script") == 1
    assert {"img", "iframe", "b1", "svg"}.isdisjoint(found.texts)
    assert set(found.links) <= set(found.ids)


def test_a_notebook_shows_headings_and_no_script() -> None:
    """[VIEW-NOTEBOOK]: of all three languages."""
    sources = ("giraffe.json", "refinement.dot.txt", "natascha.dagmath.json")
    for name, kind in zip(sources, ("Program", "Trace", "Solution"), strict=True):
        written = potlang.verify(EXAMPLES / name)._repr_html_()
        assert f"<b>{kind}: </b>" in written and "<script" not in written and " id=" not in written
        assert '<th scope="col">verdict</th>' in written or kind == "Program"
