"""Pages in a real browser: what can be done on them, that nothing of an input runs, and who can read them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from transcript_support import made
from view_support import HOSTILE, full, large

import potlang
from potlang.drawing.trace_page import trace_page
from potlang.drawing.transcript_page import transcript_page
from potlang.models.loop.transcripts import read_transcript

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog
    from playwright.sync_api import Page as Tab

CHROMIUM = next(
    (path for path in ("/usr/bin/chromium", shutil.which("chromium")) if path and Path(path).exists()), None
)
EXAMPLES = Path(__file__).parents[2] / "examples"
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 900}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--headless=new", "--disable-gpu", "--disable-background-networking"]
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield started
        started.close()


class Watched:
    """A page that is open, and all that happened on it which should not: a list of words."""

    def __init__(self, context: BrowserContext, html: str, path: Path) -> None:
        self.wrong: list[str] = []
        self.tab: Tab = context.new_page()
        self.tab.on("dialog", self._dismiss)
        self.tab.on("console", lambda found: self.wrong.append(f"console {found.text}"))
        self.tab.on("pageerror", lambda found: self.wrong.append(f"error {found}"))
        self.tab.on("request", lambda found: self.wrong.append(f"request {found.url}"))
        path.write_text(html, encoding="utf-8")
        self.tab.goto(path.as_uri())
        # The page itself is the only request.
        assert self.wrong.pop(0) == f"request {path.as_uri()}"

    def _dismiss(self, found: Dialog) -> None:
        self.wrong.append(f"dialog {found.message}")
        found.dismiss()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    contexts: list[BrowserContext] = []

    def open_page(html: str, size: dict[str, int] = DESK, scheme: str = "light", **options: Any) -> Watched:
        context = browser.new_context(viewport=size, color_scheme=scheme, **options)  # type: ignore[arg-type]
        contexts.append(context)
        return Watched(context, html, tmp_path / f"page{len(contexts)}.html")

    yield open_page
    for context in contexts:
        context.close()


def example(name: str) -> str:
    return potlang.view(EXAMPLES / name)


# --- what can be done ------------------------------------------------------------------------------


def test_a_graph_is_searched_zoomed_folded_and_walked(opened: Any) -> None:
    """[VIEW-GRAPH], [VIEW-PAGE]"""
    watched = opened(trace_page(large(30)))
    tab = watched.tab
    view = "document.querySelector('svg').getAttribute('viewBox').split(' ').map(Number)"
    tab.get_by_role("button", name="Fit the graph").click()
    fitted = tab.evaluate(view)
    tab.get_by_role("button", name="Zoom in").click()
    zoomed = tab.evaluate(view)
    assert zoomed[2] == pytest.approx(fitted[2] / 1.25, rel=0.01)
    box = tab.locator(".canvas").bounding_box()
    tab.mouse.move(box["x"] + 5, box["y"] + 5)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 65, box["y"] + 45)
    tab.mouse.up()
    moved = tab.evaluate(view)
    assert moved[0] < zoomed[0] and moved[1] < zoomed[1] and moved[2] == zoomed[2]
    tab.get_by_role("button", name="Fit the graph").click()
    assert tab.evaluate(view) == fitted
    # Searching marks, goes there, and says how many.
    search = tab.get_by_role("searchbox")
    search.fill("x > 1")
    assert (
        tab.locator("svg .match").count()
        == sum("x > 1" in f"x > {number}" for number in range(1, 30, 2))
        == 6
    )
    assert tab.get_by_role("status").text_content() == "1 of 6 nodes that match"
    search.press("Enter")
    assert tab.get_by_role("status").text_content() == "2 of 6 nodes that match"
    search.fill("")
    assert tab.locator("svg .match, svg .dim").count() == 0
    # Folding hides what leads to one node alone, and shows it again.
    tab.get_by_role("button", name="Fit the graph").click()
    sign = tab.locator("svg .fold").last
    sign.click()
    gone = tab.locator("svg .node.gone").count()
    assert gone > 0 and tab.get_by_role("status").text_content() == f"{gone} folded"
    tab.get_by_role("button", name="Unfold all").click()
    assert tab.locator("svg .gone").count() == 0
    # One stop of the tab key; arrows go on from there; Enter leads to the row, the row leads back.
    assert tab.locator("svg .node[tabindex='0']").count() == 1
    tab.locator("svg .node[tabindex='0']").focus()
    first = tab.evaluate("document.activeElement.dataset.id")
    tab.keyboard.press("ArrowUp")
    second = tab.evaluate("document.activeElement.dataset.id")
    assert second not in (None, first)
    tab.keyboard.press("Enter")
    assert tab.url.endswith(f"#row-{second}")
    tab.locator("#row-7 .to-graph").click()
    tab.locator("svg .node[data-id='7']:focus").wait_for(state="attached")
    assert watched.wrong == []


def test_a_derivation_opens_and_closes_and_premises_are_reached(opened: Any) -> None:
    """[VIEW-PROGRAM]"""
    watched = opened(example("derivation.json"))
    tab = watched.tab
    deepest = tab.get_by_text("reached(1)", exact=True).first
    tab.get_by_role("button", name="Close all").click()
    assert not deepest.is_visible()
    tab.get_by_role("button", name="Open all").click()
    assert deepest.is_visible()
    tab.locator(".premises a").first.click()
    assert tab.locator("mark:target").count() == 1
    tab.locator("mark:target .uses a").click()
    assert tab.url.endswith("#result-1")
    tab.keyboard.press("Home")
    assert watched.wrong == []


def test_of_a_large_trace_the_whole_opens_below_the_first_drawing(opened: Any) -> None:
    """[VIEW-LARGE], [VIEW-GRAPH]"""
    watched = opened(trace_page(large(80)))
    tab = watched.tab
    assert tab.locator("figure").nth(0).locator(".node").count() == 40
    tab.get_by_text("All 80 nodes").click()
    whole = tab.locator("figure").nth(1)
    assert whole.locator(".node").count() == 80 and whole.locator("svg").bounding_box()["width"] > 600
    assert watched.wrong == []


def test_without_the_script_everything_is_there(opened: Any) -> None:
    """[VIEW-ALONE]"""
    watched = opened(trace_page(full()), java_script_enabled=False)
    tab = watched.tab
    assert tab.locator("svg .node").count() == 8 and tab.locator("tbody tr").count() == 9
    assert tab.locator("button, input").count() == 0
    box = tab.locator("svg").bounding_box()
    assert box["width"] > 200 and box["height"] > 200


# --- nothing of an input runs -------------------------------------------------------------------------

ATTACKS = (
    *HOSTILE[:6],
    "<svg onload=alert(1)><style>*{display:none}</style>",
    "'><a href='javascript:alert(1)'>x</a>",
    r"$\href{javascript:alert(1)}{x}$ $\text{</math><script>alert(1)</script>}$",
    "x" * 20_000,
)


def hostile_pages(text: str) -> Iterator[str]:
    """Pages in which a text stands wherever texts stand: a trace, a program, a solution."""
    yield trace_page(full(text), text)
    program = {
        "description": text,
        "functions": [{"name": "q", "domain": [], "range": "Bool"}],
        "rules": [{"name": text[:99], "constraint": "Not(q)"}],
        "verifications": [{"name": text[:99], "constraint": "q"}],
    }
    yield potlang.view(json.dumps(program), name=text)
    steps = [
        {"step_id": 1, "edge": text, "direct_dependent_steps": None, "node": text},
        {"step_id": 2, "edge": text, "direct_dependent_steps": [1], "node": f"${text}$"},
    ]
    yield potlang.view({"steps": steps}, name=text, steps=False)


def assert_nothing_runs(opened: Any, text: str) -> None:
    for html in hostile_pages(text):
        watched = opened(html)
        watched.tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        for link in watched.tab.locator("a").all()[:3]:
            assert (link.get_attribute("href") or "").startswith("#")
        assert watched.tab.locator("script").count() == 1
        assert watched.tab.evaluate("[...document.links].every((each) => each.protocol === 'file:')")
        assert watched.wrong == []


@pytest.mark.parametrize("text", ATTACKS[1:3])
def test_nothing_of_an_input_runs(opened: Any, text: str) -> None:
    """[VIEW-TEXT], [VIEW-ALONE]: no dialog, no message, no report of the policy, no request."""
    assert_nothing_runs(opened, text)


@pytest.mark.slow
@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_of_any_hostile_input_runs(opened: Any, text: str) -> None:
    """[VIEW-TEXT], [VIEW-ALONE]"""
    assert_nothing_runs(opened, text)


def test_the_policy_holds_even_for_markup_that_gets_in(opened: Any) -> None:
    """[VIEW-ALONE]: a script that stood on a page would be refused."""
    html = trace_page(full()).replace("</main>", "<script>document.title = 'ran'</script><img src=x></main>")
    watched = opened(html)
    assert watched.tab.title() != "ran"
    assert len([each for each in watched.wrong if "Content Security Policy" in each]) == 2


# --- who can read them -----------------------------------------------------------------------------------


def found_by_axe(tab: Tab) -> list[str]:
    """What axe-core finds to be serious or critical."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    tab.context.set_default_timeout(60_000)
    result = axe.Axe().run(tab)
    return [
        f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
        for each in result.response["violations"]
        if each["impact"] in ("serious", "critical")
    ]


def pages(name: str) -> str:
    if name.startswith("trace of"):
        return trace_page(large(int(name.split()[-1])), name)
    if name == "transcript":
        return transcript_page(read_transcript(json.loads(made("solution"))))
    return example(name)


def assert_readable(browser: Browser, tmp_path: Path, name: str, scheme: str, size: dict[str, int]) -> None:
    # The checker is a script of its own, which the policy of a page refuses, as it should.
    context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    path = tmp_path / "page.html"
    path.write_text(pages(name), encoding="utf-8")
    tab = context.new_page()
    tab.goto(path.as_uri())
    assert found_by_axe(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    context.close()


@pytest.mark.parametrize(
    ("name", "scheme", "size"),
    [("undetermined.json", "dark", PHONE), ("trace of 30", "light", DESK), ("transcript", "dark", PHONE)],
)
def test_a_page_is_readable(
    browser: Browser, tmp_path: Path, name: str, scheme: str, size: dict[str, int]
) -> None:
    """[VIEW-READERS]"""
    assert_readable(browser, tmp_path, name, scheme, size)


@pytest.mark.slow
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    [
        *("undetermined.json", "giraffe.json", "derivation.json", "ladder.json", "norms.json"),
        *("natascha.dagmath.json", "refinement.dot.txt", "trace of 60", "trace of 500", "transcript"),
    ],
)
def test_all_pages_are_readable(
    browser: Browser, tmp_path: Path, name: str, scheme: str, size: dict[str, int]
) -> None:
    """[VIEW-READERS]"""
    assert_readable(browser, tmp_path, name, scheme, size)


def test_in_print_everything_is_open_and_fits(opened: Any) -> None:
    """[VIEW-READERS]"""
    watched = opened(example("derivation.json"))
    watched.tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    watched.tab.emulate_media(media="print")
    assert watched.tab.get_by_text("reached(1)", exact=True).first.is_visible()
    graph = opened(trace_page(large(30)))
    graph.tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    graph.tab.emulate_media(media="print")
    box = graph.tab.locator("svg").bounding_box()
    legend = graph.tab.locator(".legend").bounding_box()
    assert 0 < box["width"] <= 1280 and box["height"] <= 900 and legend["y"] >= box["y"] + box["height"]
    assert watched.wrong == graph.wrong == []
