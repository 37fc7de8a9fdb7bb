"""The playground in a browser: what people do there, and what hostile texts cannot do."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if any(find_spec(each) is None for each in ("mcp", "uvicorn", "prometheus_client", "playwright")):
    pytest.skip("the extra `play` or playwright is not installed", allow_module_level=True)

from free_ports import free_port
from playing import BROWSER, Playing, Watched, browsing, playing

if BROWSER is None:
    pytest.skip("there is no browser", allow_module_level=True)

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "potlang" / "server" / "playground" / "assets" / "tutorial.md"
HARD = "Exists([x: Int, y: Int, z: Int], x**3 + y**3 + z**3 == 114)"
SCRIPT = "<script>parent.wasRun = 1; document.title = 'run'</script><img src=x onerror='wasRun = 1'>"
BIDI = "a\u202eb\u2066c\u200bd"
NAMES = [
    SCRIPT,
    BIDI,
    "\"'&lt;{{nonce}}`${1}",
    "javascript:wasRun=1",
    "</pre></textarea><style>*{display:none}</style>",
]


@pytest.fixture(scope="module")
def place() -> Iterator[Playing]:
    with playing("--workers", "1") as found:
        yield found


@pytest.fixture
def watched(place: Playing) -> Iterator[Watched]:
    """A page that has asked nobody else for anything, and has complained of nothing, at the end."""
    with browsing(viewport={"width": 1280, "height": 800}, accept_downloads=True) as found:
        found.open(place.url)
        yield found
        assert [each for each in found.requests if not each.startswith((place.url, "blob:"))] == []
        assert found.complaints == []


def program(*constraints: str, **more: Any) -> str:
    claims = [{"name": f"claim {n}", "constraint": each} for n, each in enumerate(constraints)]
    return json.dumps({**more, "verifications": claims}, ensure_ascii=False, indent=2)


def test_a_mistake_is_shown_and_fixed_and_the_claim_verified(watched: Watched, tmp_path: Path) -> None:
    """[PLAY-CHECK], [PLAY-VERIFY], [PLAY-VIEWS], [PLAY-FILES], [PLAY-POLICY]"""
    page = watched.page
    watched.write('{"verifications": [{"name": "sum", "constraint": "1 + 1 == 2"},]}')
    assert page.locator("#language").inner_text() == "program"
    assert page.locator("#problems li").count() == 1
    assert page.locator(".cm-lintRange-error").count() == 1
    page.click("#problems .code")
    page.wait_for_selector("#dialog[open]")
    assert "POT1001" in page.locator("#dialog-title").inner_text()
    assert page.locator("#dialog-body pre").count() >= 1
    page.click("#dialog button")

    page.click("#problems .fix")
    watched.checked()
    assert watched.text() == '{"verifications": [{"name": "sum", "constraint": "1 + 1 == 2"}]}'
    assert page.locator("#state").inner_text() == "no problems"
    page.keyboard.press("Control+z")
    watched.checked()
    assert watched.text().endswith(",]}")
    page.click("#fix-all")
    watched.checked()

    page.click(".cm-content")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#panel .verdict", timeout=60_000)
    assert page.locator("#panel .verdict").inner_text().startswith("✓ entailed")
    page.click("#tab-words")
    assert "1 plus 1 is 2" in page.locator("#panel").inner_text()
    page.click("#tab-smt2")
    page.wait_for_selector("#panel pre")
    assert "(check-sat)" in page.locator("#panel").inner_text()
    page.click("#tab-page")
    page.frame_locator("#panel iframe").get_by_text("sum").first.wait_for(timeout=30_000)

    page.click(".cm-content")
    page.keyboard.press("Control+f")
    page.keyboard.type("constraint")
    page.wait_for_selector(".cm-searchMatch")
    assert page.locator(".cm-searchMatch").count() == 1
    page.keyboard.press("Escape")
    page.fill("#name", "mine.json")
    with page.expect_download() as saved:
        page.click("#save")
    saved.value.save_as(tmp_path / "saved")
    assert saved.value.suggested_filename == "mine.json"
    assert (tmp_path / "saved").read_text(encoding="utf-8") == watched.text()


@pytest.mark.slow
def test_what_an_answer_rests_on_is_marked_in_the_text(watched: Watched) -> None:
    """[PLAY-VERIFY]"""
    page = watched.page
    watched.example("giraffe.json")
    assert watched.verify() == "refuted"
    marked = "".join(page.locator(".evidence").all_inner_texts())
    assert "2.45" in marked and "5.5" in marked
    page.click("#panel .core button >> nth=1")
    assert "5.5" in "".join(page.locator(".evidence").all_inner_texts())
    assert "2.45" not in "".join(page.locator(".evidence").all_inner_texts())
    watched.example("undetermined.json")
    assert page.locator("#panel.old").count() == 1
    assert watched.verify() == "undetermined"
    assert page.locator("#panel.old").count() == 0
    assert page.locator("#panel mark").all_inner_texts() == ["True", "False"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "language", "verdict", "row"),
    [
        ("refinement.dot.txt", "trace", "accepted", "undetermined"),
        ("natascha.dagmath.json", "solution", "accepted", "proved"),
        ("logarithms.dagmath.txt", "solution", "accepted", "proved"),
        ("norms.json", "program", "refuted", "certainly broken"),
        ("portfolio.json", "program", "optimal", "cost"),
        ("allocation.json", "program", "optimal", "worker2"),
        ("broken.json", "program", "rejected", "mistakes"),
    ],
)
def test_all_kinds_of_input_have_their_answers(
    watched: Watched, example: str, language: str, verdict: str, row: str
) -> None:
    """[PLAY-VERIFY], [PLAY-VIEWS], [PLAY-FILES]"""
    page = watched.page
    watched.example(example)
    assert page.locator("#language").inner_text() == language
    assert watched.verify() == verdict
    assert row in page.locator("#panel").inner_text()
    page.click("#tab-page")
    if verdict != "rejected":
        page.frame_locator("#panel iframe").locator("body *").first.wait_for(timeout=60_000)
    for tab in ("smt2", "ir", "words", "result"):
        page.click(f"#tab-{tab}")
        page.wait_for_selector("#panel :is(pre, .result, ul)", timeout=30_000)


@pytest.mark.slow
def test_the_tutorial_is_done_by_doing_it(watched: Watched) -> None:
    """[PLAY-TUTORIAL], [PLAY-CHECK]"""
    page = watched.page
    steps = TUTORIAL.read_text(encoding="utf-8").split("\n## ")[1:]
    for at, step in enumerate(steps):
        goal = json.loads(re.findall(r"(?ms)^```json goal\n(.*?)^```$", step)[0])
        assert page.locator("#tutorial h2").inner_text().startswith(f"{at + 1}. ")
        assert page.locator("[role=tab][aria-selected=true]").inner_text() == "Result"
        if page.locator("#try").count():
            watched.checked()
            assert watched.text().strip() == re.findall(r"(?ms)^```json program\n(.*?)^```$", step)[0].strip()
        assert page.locator("#done").inner_text() == ""
        if "explained" in goal:
            page.click("#problems .code")
            page.wait_for_selector("#dialog[open]")
            page.keyboard.press("Escape")
        if page.locator("#show-me").count():
            page.click("#show-me")
            watched.checked()
        elif "clean" in goal:
            page.click("#fix-all")
            watched.checked()
        if "verdicts" in goal:
            watched.verify()
        if "opened" in goal:
            page.click(f"#tab-{goal['opened']}")
        if "saved" in goal:
            with page.expect_download():
                page.click("#save")
        page.wait_for_selector("#done:text('✓ Done')", timeout=10_000)
        if at + 1 < len(steps):
            page.click("#tutorial button:text-is('Next')")
    page.reload()
    page.wait_for_selector("#tutorial h2:text('10. ')")
    assert page.locator("#done").inner_text() == "✓ Done"


@pytest.mark.slow
def test_the_tutorial_leaves_a_text_of_ones_own(watched: Watched) -> None:
    """[PLAY-TUTORIAL]"""
    page = watched.page
    watched.example("giraffe.json")
    own = watched.text()
    page.click("#tutorial button:text-is('Next')")
    watched.checked()
    assert watched.text() == own
    page.click("#try")
    watched.checked()
    page.click("#tutorial button:text-is('Next')")
    watched.checked()
    assert "not later" in watched.text()


def _hostile() -> list[str]:
    claims = [
        {"name": each, "constraint": f"p == p and {each}" if n % 2 else "p or not p"}
        for n, each in enumerate(NAMES)
    ]
    fact = {"sorts": [{"name": each, "type": "DeclareSort"} for each in NAMES]}
    whole = {"constants": {"b": {"sort": "Bool", "members": ["p"]}}, "description": BIDI}
    named = [{"name": each, "constraint": "p or not p"} for each in NAMES]
    return [
        json.dumps({**whole, "verifications": claims}, ensure_ascii=False),
        json.dumps({**whole, **fact, "verifications": named}, ensure_ascii=False),
        json.dumps({**whole, "verifications": named}, ensure_ascii=False),
        json.dumps({**whole, "knowledge_base": ["p"], "verifications": named}, ensure_ascii=False),
        f"@node id=1 role=problem\n{SCRIPT}\n@node id=2 role=proposer\n@edge src=1 dst=2 kind=use\n{BIDI}\n",
        f"Step 1\nEdge: {SCRIPT}\nParents: none\nNode: $x = 2$ {SCRIPT} {BIDI}\n",
        SCRIPT,
        "".join(NAMES) * 50,
    ]


@pytest.mark.slow
@pytest.mark.parametrize("text", _hostile(), ids=range(8))
def test_hostile_texts_are_texts(watched: Watched, text: str) -> None:
    """[PLAY-TEXT], [PLAY-POLICY] Nothing runs, hides or is loaded; the policy is not even tried."""
    page = watched.page
    title = page.title()
    page.click("#tutorial button:text-is('Close')")
    watched.write(text)
    watched.verify()
    for tab in ("words", "page", "smt2", "ir", "result"):
        page.click(f"#tab-{tab}")
        page.wait_for_timeout(1_500)
        shown = page.locator("body").inner_text()
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", shown)
        assert page.evaluate("window.wasRun") is None and page.title() == title
        assert page.locator("#problems script, #panel script, #panel img, #panel style").count() == 0
        for frame in page.frames[1:]:
            assert frame.evaluate("window.wasRun") is None
            assert frame.evaluate("window.origin") == "null"
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", watched.text())


@pytest.mark.slow
def test_the_frame_reaches_neither_the_page_nor_the_network(watched: Watched, place: Playing) -> None:
    """[PLAY-POLICY] Whatever a page on a report had in it."""
    page = watched.page
    page.click("#tab-page")
    page.frame_locator("#panel iframe").locator("body *").first.wait_for(timeout=30_000)
    frame = page.frames[1]
    assert (
        frame.evaluate("(() => { try { return parent.document.title } catch (e) { return e.name } })()")
        == "SecurityError"
    )
    assert (
        frame.evaluate(f"fetch('{place.url}play/session.json').then(() => 'read', () => 'refused')")
        == "refused"
    )
    assert (
        frame.evaluate("(() => { try { return localStorage.length } catch (e) { return e.name } })()")
        == "SecurityError"
    )
    # The browser says what it has refused, as it must.
    assert any("Content Security Policy" in each for each in watched.complaints)
    watched.complaints.clear()


@pytest.mark.slow
def test_a_verification_is_cancelled_and_the_next_one_answered(watched: Watched) -> None:
    """[PLAY-VERIFY], [PLAY-LIMITS] The check of another text does not wait for it."""
    page = watched.page
    watched.write(program(HARD))
    page.click("#verify")
    page.wait_for_selector("#progress:text('s are left')")
    began = time.monotonic()
    watched.write(program("1 < 2,"))
    page.wait_for_selector("#problems li")
    assert time.monotonic() - began < 10
    page.click("#cancel")
    page.wait_for_selector("#progress:text('cancelled')")
    watched.write(program("1 < 2"))
    assert watched.verify() == "entailed"


@pytest.mark.slow
def test_a_check_that_takes_long_does_not_keep_the_next_one_waiting(watched: Watched) -> None:
    """[PLAY-CHECK] Answers come back late here by what stands between the page and the server."""
    page = watched.page
    seen: list[str] = []

    def slowly(route: Any) -> None:
        seen.append(route.request.post_data)
        if "slow" not in route.request.post_data:
            route.continue_()

    page.route("**/v1/check*", slowly)
    page.click(".cm-content")
    page.keyboard.press("Control+A")
    page.keyboard.insert_text('{"description": "slow"}')
    page.wait_for_timeout(600)
    page.keyboard.press("Control+A")
    page.keyboard.insert_text('{"knowledge_base": ["p"]}')
    page.wait_for_selector("#problems :text('`p` is not declared')", timeout=10_000)
    assert seen == ['{"description": "slow"}', '{"knowledge_base": ["p"]}']


@pytest.mark.slow
def test_a_server_that_was_started_again_is_used_again() -> None:
    """[PLAY-RETURN], [PLAY-TOKEN]"""
    port = free_port()
    with browsing() as watched:
        page = watched.page
        with playing("--workers", "1", port=port) as first:
            watched.open(first.url)
            watched.write(program("1 < 2"))
            assert watched.verify() == "entailed"
        page.click(".cm-content")
        page.keyboard.press("Control+End")
        page.keyboard.insert_text(",")
        page.wait_for_selector("#state:text('does not answer')")
        page.click("#verify")
        page.wait_for_selector("#progress:text('cannot be reached')")
        with playing("--workers", "1", port=port):
            page.wait_for_selector("#problems li", timeout=30_000)
            page.click(".cm-content")
            page.keyboard.press("Control+End")
            page.keyboard.press("Backspace")
            watched.checked()
            assert watched.verify() == "entailed"


@pytest.mark.slow
def test_files_are_opened_and_the_state_is_kept_until_it_is_reset(watched: Watched, tmp_path: Path) -> None:
    """[PLAY-FILES]"""
    page = watched.page
    file = tmp_path / "mine.dot.txt"
    file.write_text("@node id=1 role=problem\r\nA question.\r\n", encoding="utf-8", newline="")
    page.set_input_files("#file", file)
    watched.checked()
    assert page.locator("#language").inner_text() == "trace"
    page.select_option("#theme", "dark")
    page.reload()
    page.wait_for_selector("#language:not(:empty)")
    assert page.input_value("#name") == "mine.dot.txt"
    assert watched.text().startswith("@node id=1 role=problem\nA question.")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#reset")
    page.wait_for_selector("#tutorial h2:text('1. ')")
    page.wait_for_selector("#language:text('program')")
    assert page.evaluate("document.documentElement.dataset.theme") is None
    large = tmp_path / "large.json"
    large.write_text(" " * (9 * 1024 * 1024))
    page.set_input_files("#file", large)
    assert "more than 8 MB" in page.locator("#notice").inner_text()
    within = tmp_path / "within.json"
    within.write_text("[" * (2 * 1024 * 1024))
    page.set_input_files("#file", within)
    page.wait_for_selector("#problems :text('the text has more than 1,048,576 bytes')", timeout=30_000)


SIZES = [(390, 844), (820, 1180), (1280, 800), (2200, 1200)]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES, ids=[f"{width}" for width, _ in SIZES])
def test_axe_finds_nothing_serious_and_nothing_is_cut(
    place: Playing, size: tuple[int, int], scheme: Any
) -> None:
    """[PLAY-ACCESS]"""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    width, height = size
    with browsing(viewport={"width": width, "height": height}, color_scheme=scheme) as watched:
        page = watched.page
        watched.open(place.url)

        def look(where: str) -> None:
            found = axe.run(page).response["violations"]
            serious = [each for each in found if each["impact"] in ("serious", "critical")]
            assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == [], where
            assert page.evaluate("document.documentElement.scrollWidth") <= width, where

        look("tutorial")
        watched.example("broken.json")
        look("problems")
        page.click("#problems .code >> nth=0")
        page.wait_for_selector("#dialog[open]")
        look("dialog")
        page.keyboard.press("Escape")
        for example in ("ladder.json", "undetermined.json", "norms.json", "refinement.dot.txt"):
            watched.example(example)
            watched.verify()
            look(example)
        page.click("#tab-smt2")
        page.wait_for_selector("#panel pre", timeout=30_000)
        look("what the solver is asked")
        page.click(".cm-content")
        page.keyboard.press("Control+f")
        look("search")


@pytest.mark.slow
def test_all_of_it_works_by_keyboard(watched: Watched) -> None:
    """[PLAY-ACCESS] Tab leaves the editor; arrows go through the tabs."""
    page = watched.page
    watched.write('{"verifications": [{"constraint": "1 < 2"},]}')

    def tab_to(selector: str) -> None:
        for _ in range(60):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(selector)

    tab_to("#fix-all")
    page.keyboard.press("Enter")
    watched.checked()
    assert page.locator("#problems li").count() == 0
    tab_to("#verify")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel .verdict", timeout=60_000)
    tab_to("#tab-result")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-words"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.id") == "tab-ir"


def test_a_claim_is_no_statement_and_has_its_verdict_on_each_tab(watched: Watched) -> None:
    """[PLAY-VERIFY], [PLAY-VIEWS] The page has the name of the file."""
    page = watched.page
    watched.write(program("1 + 1 == 3"))
    page.fill("#name", "sums.json")
    watched.verify()
    for tab in ("result", "words"):
        page.click(f"#tab-{tab}")
        article = page.locator("#panel article")
        assert article.locator(".claimed").inner_text() == "Claim: 1 plus 1 is 3."
        answer = article.locator(".claimed + p").inner_text()
        assert answer.startswith("✗ refuted") and "This is never so" in answer, tab
    page.click("#tab-page")
    frame = page.frame_locator("#panel iframe")
    frame.locator("h1").wait_for(timeout=30_000)
    assert frame.locator("h1").inner_text() == "sums.json"


@pytest.mark.slow
@pytest.mark.parametrize("example", ["ladder.json", "refinement.dot.txt"])
def test_verify_is_at_hand_on_a_phone(place: Playing, example: str) -> None:
    """[PLAY-ACCESS] Wherever the page is scrolled to, and it covers nothing at its end."""
    with browsing(viewport={"width": 390, "height": 844}, color_scheme="light") as watched:
        page = watched.page
        watched.open(place.url)
        watched.example(example)
        watched.verify()
        for where in (0, 400, 100_000):
            page.evaluate("where => scrollTo(0, where)", where)
            box = page.locator("#verify").bounding_box()
            assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 844, where
        footer, bar = page.locator("footer").bounding_box(), page.locator(".asking").bounding_box()
        assert footer is not None and bar is not None and footer["y"] + footer["height"] <= bar["y"] + 1
