"""Each rule of the specification is cited by a test, and each id that is cited is a rule's."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+"
DEFINED = re.compile(rf"\*\*\[({NAME})\]\*\*")
CITED = re.compile(rf"\[({NAME})\](?!\()|\brule ({NAME})\b|\"({NAME})\"")
"""`[ID]` in docstrings and comments, `rule ID` in diagnostics (so in goldens), `"ID"` in tables of tests."""
NO_RULE = re.compile(r"A-Z|UTF-8|[A-Z]+-\d+-.*")
"""Character classes, encodings."""


def defined() -> Counter[str]:
    chapters = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "spec").glob("*.md")))
    return Counter(rule for text in chapters for rule in DEFINED.findall(text))


def citations(folder: str, *suffixes: str) -> Iterator[tuple[str, str]]:
    """Ids that the files of a folder cite, each with its file."""
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix in suffixes and path != Path(__file__):
            for groups in CITED.findall(path.read_text(encoding="utf-8", errors="replace")):
                for rule in groups:
                    if rule and not NO_RULE.fullmatch(rule):
                        yield rule, str(path.relative_to(ROOT))


def test_each_rule_is_written_once() -> None:
    rules = defined()
    assert len(rules) > 600
    assert [rule for rule, count in rules.items() if count > 1] == []


def test_each_rule_is_cited_by_a_test() -> None:
    """Test modules, conformance cases, goldens of diagnostics and pairs of passes cite rules."""
    cited = {rule for rule, _ in citations("tests", ".py", ".json", ".txt")}
    uncited = sorted(set(defined()) - cited)
    assert not uncited, f"no test cites {uncited}"


def test_each_id_that_is_cited_is_a_rule() -> None:
    wrong = defaultdict(set)
    rules = defined()
    cited = [
        *citations("potlang", ".py", ".md"),
        *citations("tests", ".py", ".json", ".txt"),
        *citations("spec", ".md"),
    ]
    for rule, file in cited:
        if rule not in rules:
            wrong[rule].add(file)
    assert dict(wrong) == {}
