"""The map of the papers names every numbered item of them, and code, rules and tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
ROWS = [
    line.strip("| \n").split(" | ")
    for line in PAGE.splitlines()
    if line.startswith("| ") and "---" not in line
]
ITEMS = [row for row in ROWS if row[0] != "item"]
TRACES = """Figure 1; Figures 2, 3; Definition 3.1; Definition 4.1; Definition 4.2; Theorem 4.3; Theorem
4.5; Corollary 4.6; Theorem 4.8; Corollary 4.10; Remark 4.11; Proposition 4.12; Proposition 4.14;
Proposition 4.16; Proposition 4.18; Proposition 4.20; Theorem 4.22; Appendix A; Theorem B.1; Proposition
B.2; Theorem B.3; Algorithm 1; Lemma C.1; Lemma C.2; Proposition C.3; D.1, D.3, D.5, D.7, D.9, D.11,
D.13, D.15"""
SOLUTIONS = """Figure 1; Figure 2; Figure 3; Figure 4; figures 5, 6; figure 7; figure 8; figure 9;
figure 10; Assumption 1; equation (1); Definition 1; Definition 2; Definition 3; Tables 1, 3; Table 2;
tables 4 to 6; table 7; tables 8 to 10; table 11; table 12; Appendix C; Appendix D; Appendix E; Appendix
F; Appendix G; Appendix H; Appendix I; Appendix J; K.1; K.2; K.3; K.4"""
PROGRAMS = """Figure 1; Figure 2; figure 3; figures 4 to 6; 3.2; 3.3 (1); 3.3 (2); 3.3 (3); 3.3 (4); 3.3
(5); 3.3 (6); 3.3 (7); 3.3 (8); 3.3 (9); 3.4; 4.1; 7.3; 7.4; 7.6; 7.7"""


def section(title: str) -> str:
    """The part of the page below a heading."""
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_numbered_item_of_the_papers_is_there() -> None:
    titles = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    missing = [
        (paper, item)
        for paper, items in zip(titles, (PROGRAMS, TRACES, SOLUTIONS), strict=True)
        for item in " ".join(items.split()).split("; ")
        if not re.search(rf"{re.escape(item)}(?!\.?\d)", section(paper))
    ]
    assert missing == []


def test_each_item_names_code_a_rule_and_a_test() -> None:
    assert len(ITEMS) > 90
    for item, _, code, rules, tests in ITEMS:
        assert all(path.startswith(("potlang/", "examples/", "tests/seed/")) for path in named(code)), item
        assert re.search(r"\[[A-Z0-9-]+\]\(\.\./spec/", rules), item
        assert named(tests) and all(path.startswith("tests/") for path in named(tests)), item
        assert all((ROOT / path).exists() for path in [*named(code), *named(tests)]), item


def test_rules_of_the_map_stand_where_its_links_lead() -> None:
    for rule, chapter in re.findall(
        r"\[([A-Z0-9-]+)\]\(\.\./spec/([\w-]+\.md)[^)]*\)", "".join(row[3] for row in ITEMS)
    ):
        assert f"**[{rule}]**" in (ROOT / "spec" / chapter).read_text(encoding="utf-8"), rule


def named(cell: str) -> list[str]:
    """The paths of a cell."""
    return re.findall(r"`([\w./-]+)`", cell)
