"""The site: built strictly, no link broken, nothing from the network, searched from a disk in a browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlparse

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow
pytest.importorskip("mkdocs")


class _Page(HTMLParser):
    """The ids of a page, the addresses that it links to, and those that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value is not None}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif "src" in given or (tag == "link" and given.get("rel") != "canonical" and "href" in given):
            self.loaded.append(given.get("src") or given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def parsed(site: Path) -> dict[str, _Page]:
    """Each page, by its path in the site."""
    return {
        str(path.relative_to(site)): _Page(path.read_text(encoding="utf-8"))
        for path in site.rglob("*.html")
        if path.name != "404.html"
    }


def test_no_link_of_the_site_is_broken(site: Path, parsed: dict[str, _Page]) -> None:
    assert len(parsed) > 80
    broken = []
    for name, page in parsed.items():
        for link in page.links:
            target = urlparse(urljoin(f"http://site/{name}", link))
            path = unquote(target.path).lstrip("/")
            if target.netloc == "site" and not (
                (site / path).is_file()
                and (not target.fragment or _has(parsed, path, unquote(target.fragment)))
            ):
                broken.append((name, link))
    assert broken == []


def _has(parsed: dict[str, _Page], path: str, fragment: str) -> bool:
    return path not in parsed or fragment in parsed[path].ids or fragment.startswith("__")


def test_nothing_is_loaded_from_the_network(site: Path, parsed: dict[str, _Page]) -> None:
    assert {
        address for page in parsed.values() for address in page.loaded if re.match(r"(https?:)?//", address)
    } == set()
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", styles) == []


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-background-networking"],
        )
        yield started
        started.close()


@pytest.mark.parametrize(
    ("word", "page"), [("vacuous", "translation.html"), ("POT2020", "diagnostics-2.html")]
)
def test_the_search_finds_a_page_from_a_disk(site: Path, browser: Any, word: str, page: str) -> None:
    tab = browser.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((site / "index.html").as_uri())
    tab.locator(".md-search__input").click()
    tab.locator(".md-search__input").press_sequentially(word)
    found = tab.locator(f".md-search-result__link[href*='{page}']").first
    found.wait_for(timeout=30_000)
    found.click()
    tab.wait_for_url(f"**/{page}*")
    assert word.lower() in tab.locator("article").inner_text().lower()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", ["index", "tutorials/pot", "spec/10-pot", "papers"])
def test_pages_can_be_read_by_everybody(site: Path, browser: Any, page: str, scheme: str) -> None:
    """axe finds nothing serious."""
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(color_scheme=scheme)
    tab = context.new_page()
    tab.goto((site / f"{page}.html").as_uri())
    found = Axe().run(tab).response["violations"]
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == []
    context.close()
