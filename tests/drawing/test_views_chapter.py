"""The chapter on views and its tests: each rule is cited, and each citation is a rule."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
CHAPTER = TESTS.parent / "spec" / "95-views.md"
RULE = re.compile(r"\[((?:KIND|FACE|VIEW)-[A-Z]+)\]")


def test_each_rule_of_the_chapter_is_cited_by_a_test_and_each_citation_exists() -> None:
    rules = re.findall(r"^\*\*\[((?:KIND|FACE|VIEW)-[A-Z]+)\]\*\*", CHAPTER.read_text("utf-8"), re.MULTILINE)
    assert len(rules) == len(set(rules)) > 15
    cited = {rule for path in sorted(TESTS.rglob("*.py")) for rule in RULE.findall(path.read_text("utf-8"))}
    assert cited == set(rules)
