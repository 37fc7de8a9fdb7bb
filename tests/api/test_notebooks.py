"""Programs, reports and answers in notebooks: one form, all text escaped ([VIEW-NOTEBOOK])."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import potlang
from potlang.batch.many import VerifiedOne

EXAMPLES = Path(__file__).parents[2] / "examples"
NASTY = "<script>alert(1)</script> \u202e \x1b[31m & \"'"
PROGRAM: dict[str, Any] = {
    "sorts": [{"name": "Item", "type": "DeclareSort"}],
    "functions": [{"name": "old", "domain": ["Item"], "range": "Bool"}],
    "constants": {"items": {"sort": "Item", "members": ["cup"]}},
    "knowledge_base": ["old(cup)"],
    "verifications": [
        {"name": NASTY, "constraint": "old(cup)"},
        {"name": "no", "constraint": "not old(cup)"},
    ],
}


class _Seen(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.styles: dict[str, str] = {}
        self.text = ""
        self._style = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.names.update(name for name, _ in attrs)
        self._style = dict(attrs).get("style") or ""

    def handle_data(self, data: str) -> None:
        self.text += data
        self.styles.setdefault(data.strip(), self._style)


def seen(value: Any) -> _Seen:
    found = _Seen(value._repr_html_())
    assert found.tags <= {
        "div",
        "p",
        "b",
        "strong",
        "table",
        "thead",
        "th",
        "tbody",
        "tr",
        "td",
        "pre",
        "span",
    }
    assert found.names <= {"class", "style", "scope"}
    assert not [char for char in found.text if not char.isprintable() and char != "\n"]
    return found


def answers(*sources: Any) -> list[VerifiedOne]:
    return list(potlang.verify_many(sources, workers=1))


def test_a_program_has_its_parts() -> None:
    found = seen(potlang.compile(PROGRAM))
    for part in ("Program: ", "functions", "old", "cup", "fact 1", "<script>alert(1)</script> \\u202e"):
        assert part in found.text


def test_verdicts_have_colours_that_are_read_on_any_ground() -> None:
    found = seen(potlang.verify(PROGRAM))
    for verdict in ("entailed", "refuted"):
        assert "background:#" in found.styles[verdict] and ";color:#" in found.styles[verdict]
    assert found.styles["entailed"] != found.styles["refuted"]


def test_sentences_stand_in_the_table() -> None:
    twice = [{"name": "c", "constraint": "old(cup)"}, {"name": "c", "constraint": "not old(cup)"}]
    text = seen(potlang.verify({**PROGRAM, "verifications": twice}, words=True)).text
    assert text.index("cup is old.") < text.index("cup is not old.")
    assert "cup is old." in seen(potlang.verify(PROGRAM, words=True)).text
    assert "cup is old." not in seen(potlang.verify(PROGRAM)).text
    assert "The trace holds together" in seen(potlang.verify(EXAMPLES / "refinement.dot.txt")).text


def test_answers_of_many_have_the_form_of_their_reports() -> None:
    trace = f"@node id=1 role=problem\n{NASTY.replace(chr(27), '')}\n"
    step = {"step_id": 1, "node": NASTY, "edge": "given", "direct_dependent_steps": None}
    sources = [PROGRAM, trace, {"steps": [step]}, None, '{"verifications": [{"constraint": "<b>"}]}']
    found = [seen(each) for each in answers(*sources)]
    assert found[0].text.startswith("Program: ") and "it follows from" in found[0].text
    assert found[1].text.startswith("Trace: ") and "<script>" in found[1].text
    assert found[2].text.startswith("Solution: ") and "<script>" in found[2].text
    assert "rejected" in found[3].text and "error[" in found[3].text
    assert "rejected" in found[4].text
    lost = seen(VerifiedOne("unknown", None, f"crash: {NASTY}"))
    assert "crash: <script>" in lost.text
    assert json.loads(json.dumps(answers(PROGRAM)[0].report))["verdict"] == "refuted"
