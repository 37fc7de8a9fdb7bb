"""Every link of a document, to a file or a heading, leads somewhere, and every path that it names exists."""

from __future__ import annotations

import posixpath
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "hooks"))

from generated import GROUPS, LINT_RULES, PUBLIC, anchor, pages  # noqa: E402 - it lies where the site reads it

WRITTEN = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks" / "README.md",
    *(
        path
        for folder in ("docs", "spec", "stdlib", "potlang")
        for path in sorted((ROOT / folder).rglob("*.md"))
    ),
]
NAMED = re.compile(r"`((?:potlang|tests|spec|docs|schemas|stdlib|examples|benchmarks|changes)/[\w./-]*\w)/?`")


@cache
def texts() -> dict[str, str]:
    """The text of each page, those that are made among them, by its path in the repository."""
    written = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in WRITTEN}
    return written | {f"docs/{path}": text for path, text in pages().items()}


@cache
def anchors(page: str) -> frozenset[str]:
    """The anchors of a page's headings, as sites and code hosts number those that are alike."""
    found: Counter[str] = Counter()
    names = set()
    tokens = MarkdownIt("commonmark").parse(texts()[page])
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            given = re.search(r" \{#([\w-]+)\}$", inline.content)
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", inline.content)
            name = given[1] if given else anchor(plain)
            names.add(f"{name}-{found[name]}" if found[name] else name)
            found[name] += 1
    return frozenset(names)


def links(text: str) -> Iterator[str]:
    """The targets of all links and pictures of a text that are not on the network."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        for child in token.children or ():
            target = child.attrGet("href") or child.attrGet("src")
            if target is not None and not re.match(r"[a-z]+:", str(target)):
                yield unquote(str(target))


def broken(page: str, text: str) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for link in links(text):
        path, _, name = link.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        if target not in texts():
            found = (ROOT / target).exists()
        else:
            found = not name or name in anchors(target)
        if not found:
            yield link


def test_every_link_leads_somewhere() -> None:
    assert {page: wrong for page, text in texts().items() if (wrong := list(broken(page, text)))} == {}


def test_a_broken_link_is_found() -> None:
    good = "[a](README.md#a-program) [b](#read-on) `[c](none)`"
    bad = "[d](spec/nothing.md) [e](README.md#nothing) ![f](docs/assets/none.svg)"
    assert list(broken("README.md", good)) == []
    assert list(broken("README.md", bad)) == ["spec/nothing.md", "README.md#nothing", "docs/assets/none.svg"]


def test_paths_that_documents_name_exist() -> None:
    written = {page: text for page, text in texts().items() if not page.startswith("potlang/")}
    missing = {
        (page, path)
        for page, text in written.items()
        for path in NAMED.findall(text)
        if not (ROOT / path).exists()
    }
    assert missing == set()


def test_every_page_that_is_written_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r": ([\w/-]+\.md)$", navigation, re.MULTILINE))
    assert {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")} <= listed
    assert listed <= {path.removeprefix("docs/") for path in texts()}


def test_the_reference_has_all_codes_rules_functions_and_names() -> None:
    from importlib import import_module

    from potlang.cli.commands import COMMANDS
    from potlang.diag.register import CODES
    from potlang.sema.builtins import BUILTINS

    made = pages()
    assert {
        code
        for group in GROUPS
        for code in re.findall(r"\{#(pot\d+)\}", made[f"reference/diagnostics-{group}.md"])
    } == {code.lower() for code in CODES}
    assert all(f"| `{rule.name}` |" in made["reference/lints.md"] for rule in LINT_RULES)
    assert re.findall(r"^\| `(\w+)` \|", made["reference/functions.md"], re.MULTILINE) == list(BUILTINS)
    assert all(
        "](../../spec/" in row for row in made["reference/functions.md"].splitlines() if row.startswith("| `")
    )
    assert set(re.findall(r"^### potc ([\w-]+)$", made["reference/commands.md"], re.MULTILINE)) == set(
        COMMANDS
    )
    for path in (ROOT / "stdlib").rglob("pack.json"):
        assert f"## std/{path.parent.relative_to(ROOT / 'stdlib')}\n" in made["reference/packs.md"]
    for module in PUBLIC:
        names = set(import_module(module).__all__) - {"__version__"}
        modules = {name for name in names if f"{module}.{name}" in PUBLIC or name in ("api",)}
        assert (
            set(re.findall(r"^## (\w+)$", made[f"reference/api/{module}.md"], re.MULTILINE))
            == names - modules
        )


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "assets").glob("*.svg")), ids=lambda path: path.name)
def test_pictures_are_those_that_potc_draws(path: Path) -> None:
    """`POTLANG_BLESS=1` draws them anew."""
    import os

    import potlang

    drawn = potlang.view(ROOT / "examples" / f"{path.stem}.dot.txt", to="svg")
    if os.environ.get("POTLANG_BLESS") == "1" and not os.environ.get("CI"):
        path.write_text(drawn, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == drawn
