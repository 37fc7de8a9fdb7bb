"""The text of a trace or a solution on its page: numbered lines that lead to nodes and back."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import potlang
from potlang.drawing.line_listing import MOST_LINES

EXAMPLES = Path(__file__).parents[2] / "examples"


class _Ids(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                assert value not in self.ids
                self.ids.add(value or "")
            elif name == "href":
                self.links.add((value or "").removeprefix("#"))


@pytest.mark.parametrize("name", ["refinement.dot.txt", "logarithms.dagmath.txt", "natascha.dagmath.json"])
def test_each_node_leads_to_its_line_and_each_line_to_its_node(name: str) -> None:
    """[VIEW-LINES]"""
    path = EXAMPLES / name
    page = potlang.view(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    found = _Ids(page)
    assert {f"line-{number}" for number in range(1, len(lines) + 1)} <= found.ids
    assert found.links <= found.ids
    rows = {each for each in found.ids if each.startswith("row-")}
    assert rows and rows <= found.links
    for row, line in re.findall(r'id="row-(\d+)".*?href="#line-(\d+)"', page):
        assert f'aria-label="line {line}, ' in page
        (owner,) = re.findall(rf'id="line-{line}"><a href="#row-(\d+)"', page)
        assert owner == row


def test_the_lines_of_a_trace_belong_to_the_node_above() -> None:
    """[VIEW-LINES]"""
    page = potlang.view(EXAMPLES / "refinement.dot.txt")
    assert 'aria-label="line 7, node 2 in the table"' in page
    assert "A driver with a licence is older than 21.</code>" in page


def test_hostile_and_long_texts_are_text_and_end() -> None:
    """[VIEW-LINES], [VIEW-TEXT]"""
    head = "@node id=1 role=problem\n<script>alert(1)</script>\u202e & \\frac{1}{2}\n"
    page = potlang.view(head + "word\n" * (MOST_LINES + 5) + "z" * 5_000, language="dot")
    assert "<script>alert" not in page and "\u202e" not in page
    assert f'id="line-{MOST_LINES}"' in page and f'id="line-{MOST_LINES + 1}"' not in page
    assert "more lines" in page
