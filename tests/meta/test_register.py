"""Every diagnostic code has a row, a page whose examples are true, a golden, and a place that emits it."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import potlang
import potlang.dot
from potlang.api import check
from potlang.diag import CODES, Severity, Sink
from potlang.diag.explain import page
from potlang.diag.register import _ROWS
from potlang.languages.dagmath.check.form import check as check_solution
from potlang.languages.dot.read.reader import read_trace

PACKAGE = Path(potlang.__file__).parent
GOLDENS = Path(__file__).parents[1] / "ui"
CODE = re.compile(r"POT\d{4}")
ELSEWHERE = {
    "POT0001": "an error of the compiler itself",
    "POT0002": "an input of more than 64 MiB",
    "POT0006": "a file that cannot be read",
    "POT0009": "a file that cannot be written",
    "POT0010": "a system that allows too few files",
    "POT0011": "a configuration, which is no program",
    "POT0012": "a configuration, which is no program",
    "POT0013": "a configuration, which is no program",
    "POT0014": "a batch, which is no program",
    "POT1018": "a program that is checked by a schema alone",
    "POT4030": "a program that is written for another tool",
    "POT5013": "a budget that the validator of streams alone is given",
    "POT5070": "two traces that are glued",
    "POT5071": "two traces that are glued",
    "POT5080": "a diagram of all models, which no check makes",
    "POT5081": "a diagram of all models, which no check makes",
    "POT5082": "stages that are given beside a trace",
    "POT6010": "a damaged cache",
    "POT6011": "a cache that cannot be written",
    "POT6012": "a cached verdict that differs",
    "POT9003": "a solver that needs longer than it is given",
    "POT7011": "an answer that is compared, which checking does not do",
    "POT8005": "no program can break a pack of the standard library",
    "POT8011": "a table that is no table",
    "POT8012": "the columns of a table",
    "POT8013": "the values of a table",
    "POT8014": "the values of a table",
    "POT8016": "the values of a table",
    "POT8017": "a large table",
    "POT8020": "a document of rules, which is no program",
}
"""Codes that no program can show, with the reason; other tests show them."""


def emitting_sources() -> dict[str, str]:
    known = {PACKAGE / "diag" / "register.py"}
    return {
        str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8")
        for path in sorted(PACKAGE.rglob("*.py"))
        if path not in known
    }


@cache
def emitted_codes() -> frozenset[str]:
    """All codes that stand in a module of the package, but for the register."""
    return frozenset(code for text in emitting_sources().values() for code in CODE.findall(text))


def example(text: str, heading: str, language: str = "json|dot|dagmath") -> str | None:
    """The program or trace below a heading of a page; None where the page says that it is not run."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if section is None or "<!-- not run" in section[1]:
        return None
    fence = re.search(rf"^```(?:{language})\n(.*?)^```", section[1], re.MULTILINE | re.DOTALL)
    return fence[1] if fence else None


def found(text: str, whole: str) -> list[tuple[str, Severity]]:
    """What is reported of an example of a page."""
    if "```dagmath" in whole:
        return [(diagnostic.code, diagnostic.severity) for diagnostic in check_solution(text).diagnostics]
    if whole.startswith("# POT9") and not whole.startswith("# POT9001"):
        return [(diagnostic.code, diagnostic.severity) for diagnostic in potlang.lint(text).diagnostics]
    if "```dot" not in whole:
        return [(diagnostic.code, diagnostic.severity) for diagnostic in check(text).diagnostics]
    if whole >= "# POT5060":
        return [(each.code, each.severity) for each in potlang.dot.verify(text).diagnostics]
    profile = "strict" if "<!-- profile: strict -->" in whole else "paper"
    budget = re.search(r"<!-- budget: (\d+) -->", whole)
    records = int(budget[1]) if budget else None
    ends = "<!-- require end -->" in whole
    read_trace(text, sink := Sink(), profile=profile, budget=records, require_end=ends)
    return [(diagnostic.code, diagnostic.severity) for diagnostic in sink.diagnostics()]


def test_codes_are_not_repeated() -> None:
    repeated = {
        field: [value for value, count in Counter(values).items() if count > 1]
        for field, values in {"code": [r.code for r in _ROWS], "slug": [r.slug for r in _ROWS]}.items()
    }
    assert repeated == {"code": [], "slug": []}
    assert list(CODES) == sorted(CODES)


def test_codes_in_the_package_are_registered() -> None:
    """[DIAG-CODE-2]"""
    pages = {
        path.name: path.read_text(encoding="utf-8") for path in (PACKAGE / "diag" / "pages").glob("*.md")
    }
    used = {
        (name, code) for name, text in {**emitting_sources(), **pages}.items() for code in CODE.findall(text)
    }
    assert sorted((name, code) for name, code in used if code not in CODES) == []
    unwritten = {f"{code}.md" for code in CODES} - set(pages)
    assert not unwritten, f"write in potlang/diag/pages: {sorted(unwritten)}"
    assert len(pages) == len(CODES)


@pytest.mark.parametrize("code", CODES)
def test_code_is_emitted_somewhere(code: str) -> None:
    """[DIAG-CODE-2]"""
    assert code in emitted_codes(), f"no module of the package reports {code}"


@pytest.mark.parametrize("code", CODES)
def test_page_has_the_form_of_a_page(code: str) -> None:
    """[DIAG-CODE-3]"""
    text = page(code)
    assert text is not None, f"write potlang/diag/pages/{code}.md"
    assert re.match(rf"# {code}: \S.*\n\n\S", text)
    assert "## Fails" in text or "<!-- not run" in text
    if example(text, "Fails") is None:
        assert "<!-- not run" in text


@pytest.mark.parametrize("code", CODES)
def test_examples_of_the_page_are_true(code: str) -> None:
    """[DIAG-CODE-3]"""
    text = page(code)
    assert text is not None, f"write potlang/diag/pages/{code}.md"
    fails, corrected = example(text, "Fails"), example(text, "Corrected")
    if fails is not None:
        only_errors = CODES[code].severity is Severity.ERROR
        counted = [each for each, level in found(fails, text) if level is Severity.ERROR or not only_errors]
        assert counted == [code]
    if corrected is not None:
        assert [
            each for each, level in found(corrected, text) if level is Severity.ERROR or each == code
        ] == []


@pytest.mark.parametrize("code", CODES)
def test_code_shows_in_a_golden(code: str) -> None:
    """[DIAG-CODE-2]"""
    goldens = list((GOLDENS / code).glob("*.txt"))
    assert goldens or code in ELSEWHERE, f"add a case in tests/ui/{code}, or in ELSEWHERE why not"
    assert not goldens or code not in ELSEWHERE, f"{code} has a golden: take it out of ELSEWHERE"
    assert all(f"[{code}]" in golden.read_text(encoding="utf-8") for golden in goldens)


@pytest.mark.parametrize("code", sorted(ELSEWHERE))
def test_code_without_a_golden_has_a_test(code: str) -> None:
    tests = Path(__file__).parents[1]
    others = [path for path in sorted(tests.rglob("test_*.py")) if path != Path(__file__)]
    shown = any(code in path.read_text(encoding="utf-8") for path in others)
    assert shown, f"no test mentions {code}, for which ELSEWHERE excuses the golden"


def test_corrected_programs_are_json_objects() -> None:
    texts = [example(page(code) or "", "Corrected", "json") for code in CODES]
    assert all(isinstance(json.loads(text), dict) for text in texts if text is not None)
    assert len([text for text in texts if text is not None]) > 40
