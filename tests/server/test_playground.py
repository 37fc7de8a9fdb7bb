"""The playground's pages as an application: policies, tokens, and the texts that it ships with."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if any(find_spec(each) is None for each in ("mcp", "uvicorn", "prometheus_client")):
    pytest.skip("the extra `play` is not installed", allow_module_level=True)

from test_service import SMALL, Answer, Here, ask, run

from potlang import api
from potlang.server.gate import Gate
from potlang.server.metrics import Metrics
from potlang.server.playground.examples import _TITLES, examples
from potlang.server.playground.pages import Playground
from potlang.server.serving import Serving, application
from potlang.server.sessions import SessionLimits
from potlang.server.tokens import CallerLimits

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "potlang" / "server" / "playground"
ASSETS = FOLDER / "assets"
SCRIPTS = [each for each in sorted(ASSETS.glob("*.js")) if not each.name.endswith(".min.js")]
LIMITS = CallerLimits(bytes=2_000, seconds=9.0, megabytes=300)


def gate_of(limits: CallerLimits = LIMITS, at_once: int = 2) -> Gate:
    playground = Playground(limits, at_once)
    given = {"tokens": playground.tokens, "usual": limits, "playground": playground}
    return application(Here(), Metrics(), "127.0.0.1", Serving(SessionLimits(1, 1, 60), **given))


async def session(gate: Gate) -> dict[str, Any]:
    found: dict[str, Any] = (await ask(gate, "GET", "/play/session.json")).json()
    return found


async def send(gate: Gate, path: str, body: bytes, caller: str = "editing") -> Answer:
    token = (await session(gate))["tokens"][caller]
    return await ask(gate, "POST", path, body, authorization=f"Bearer {token}")


def policy(answer: Answer) -> dict[str, list[str]]:
    parts = (part.split() for part in answer.headers["content-security-policy"].split(";"))
    return {name: values for name, *values in parts}


def test_all_pages_forbid_what_they_do_not_need() -> None:
    """[PLAY-POLICY]"""

    async def main() -> None:
        gate = gate_of()
        names = ["", "play/session.json", "play/examples.json", "play/explain/POT2001"]
        for name in [*names, *(f"play/{each.name}" for each in ASSETS.iterdir())]:
            found = await ask(gate, "GET", f"/{name}")
            assert found.status == 200
            assert policy(found)["default-src"] == ["'none'"]
            assert found.headers["x-content-type-options"] == "nosniff"
            assert found.headers["cross-origin-resource-policy"] == "same-origin"
        index = await ask(gate, "GET", "/")
        rules = policy(index)
        assert rules["script-src"] == rules["connect-src"] == rules["frame-src"] == ["'self'"]
        assert rules["frame-ancestors"] == ["'none'"]
        nonce = rules["style-src"][1].removeprefix("'nonce-").removesuffix("'")
        assert f'content="{nonce}"' in index.body.decode() and "{{" not in index.body.decode()
        assert policy(await ask(gate, "GET", "/"))["style-src"] != rules["style-src"]
        frame = policy(await ask(gate, "GET", "/play/frame.html"))
        assert frame["sandbox"] == ["allow-scripts"] and "connect-src" not in frame

    run(main)


@pytest.mark.parametrize("path", [*SCRIPTS, ASSETS / "index.html"], ids=lambda each: each.name)
def test_own_scripts_read_no_html_and_name_no_other_place(path: Path) -> None:
    """[PLAY-TEXT], [PLAY-POLICY]"""
    text = path.read_text(encoding="utf-8")
    assert not re.search(
        r"(?i)(inner|outer)HTML|insertAdjacent|DOMParser|\beval\b|new Function|document\.write", text
    )
    assert not re.search(r"https?:|(?i:\son\w+=\")|\sstyle=", text.replace("http://www.w3.org/2000/svg", ""))


def test_work_needs_the_token_of_this_run() -> None:
    """[PLAY-TOKEN]"""

    async def main() -> None:
        gate = gate_of()
        for verb in ("verify", "check", "fix", "compile", "view", "batch"):
            assert (await ask(gate, "POST", f"/v1/{verb}", SMALL)).status == 401
        assert (await ask(gate, "POST", "/mcp", b"{}")).status == 401
        other = f"Bearer {(await session(gate_of()))['tokens']['editing']}"
        assert (await ask(gate, "POST", "/v1/check", SMALL, authorization=other)).status == 401
        assert (await send(gate, "/v1/check", SMALL)).json()["diagnostics"] == []
        assert (await ask(gate, "POST", "/", SMALL)).status == 405

    run(main)


@pytest.mark.parametrize("path", ["/", "/play/session.json", "/play/play.js"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example:8800"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_another_host_or_origin_reads_nothing(path: str, headers: dict[str, str], status: int) -> None:
    """[PLAY-LOCAL], [PLAY-TOKEN] As after DNS rebinding, and from the frame of a report."""

    async def main() -> None:
        found = await ask(gate_of(), "GET", path, **headers)
        assert found.status == status and b"token" not in found.body

    run(main)


@pytest.mark.parametrize(
    "path", ["/play/", "/play/../pages.py", "/play/explain/POT9999", "/play/explain/..", "/x"]
)
def test_there_is_nothing_else(path: str) -> None:
    """[PLAY-POLICY]"""

    async def main() -> None:
        assert (await ask(gate_of(), "GET", path)).status in (401, 404)

    run(main)


def test_limits_are_those_that_the_page_shows() -> None:
    """[PLAY-LIMITS] And verifications have fewer places than checks."""

    async def main() -> None:
        gate = gate_of()
        assert (await session(gate))["limits"] == {"seconds": 9.0, "megabytes": 300, "bytes": 2_000}
        assert (await send(gate, "/v1/check", b" " * 2_001)).status == 413
        assert (await send(gate, "/v1/verify?total_timeout=10", SMALL, "verifying")).status == 400
        editing, verifying = Playground(LIMITS, 2).tokens
        assert (editing.limits.in_flight, verifying.limits.in_flight) == (LIMITS.in_flight, 2)
        assert (editing.limits.seconds, verifying.limits.seconds) == (5.0, 9.0)

    run(main)


def test_the_service_without_a_playground_has_no_page() -> None:
    """[SERVE-TOKENS]"""

    async def main() -> None:
        given = {"tokens": Playground(LIMITS, 2).tokens}
        gate = application(Here(), Metrics(), "127.0.0.1", Serving(SessionLimits(1, 1, 60), **given))
        assert [(await ask(gate, "GET", path)).status for path in ("/", "/play/session.json")] == [401, 401]

    run(main)


def test_all_examples_are_listed() -> None:
    """[PLAY-FILES]"""
    listed = examples()
    assert {each.name for each in listed} == {
        each.name for each in (ROOT / "examples").iterdir() if each.is_file()
    }
    assert len({each.title for each in listed}) == len(listed)
    assert [each.name for each in listed][: len(_TITLES)] == [*_TITLES]


def test_the_bundle_is_of_the_versions_that_are_named() -> None:
    """[PLAY-BUNDLE]"""
    wanted = json.loads((FOLDER / "bundle" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", each) for each in wanted.values())
    licences = (ASSETS / "editor.licences.txt").read_text(encoding="utf-8")
    assert dict(re.findall(r"(?m)^(\S+) (\d+\.\d+\.\d+) \([\w-]+\)$", licences)) == wanted
    entry = (FOLDER / "bundle" / "editor.js").read_text(encoding="utf-8")
    names = set(re.findall(r"\w+", " ".join(re.findall(r"export \{([^}]*)\}", entry))))
    imports = (re.findall(r'import \{([^}]*)\} from "./editor.min.js"', each.read_text()) for each in SCRIPTS)
    assert names == {name for found in imports for each in found for name in re.findall(r"\w+", each)}
    bundle = (ASSETS / "editor.min.js").read_text(encoding="utf-8")
    assert len(bundle.encode()) < 600_000
    assert set(re.findall(r"\bas (\w+)", bundle[bundle.rindex("export{") :])) == names


# --- the tutorial ---------------------------------------------------------------------------------------

STEPS = (ASSETS / "tutorial.md").read_text(encoding="utf-8").split("\n## ")[1:]


def blocks(step: str) -> dict[str, str]:
    return dict(re.findall(r"(?ms)^```json (\w+)\n(.*?)^```$", step))


def reached(program: str, goal: dict[str, Any]) -> bool:
    """Whether a program reaches what a goal says of programs."""
    clean = not api.lint(program, budget_ms=0).diagnostics
    if "clean" in goal and clean is not goal["clean"]:
        return False
    if "verdicts" not in goal:
        return True
    report: Any = api.verify(program, language="pot", trust="solver")
    found = {each.name: each.verdict for each in report.results}
    return all(found.get(name) == verdict for name, verdict in goal["verdicts"].items())


@pytest.mark.parametrize("step", STEPS, ids=lambda each: each.partition("\n")[0])
def test_a_step_of_the_tutorial_is_done_by_its_answer(step: str) -> None:
    """[PLAY-TUTORIAL]"""
    found = blocks(step)
    goal = json.loads(found["goal"])
    assert set(goal) <= {"verdicts", "clean", "explained", "opened", "saved"}
    assert "\n> " in step
    if "answer" in found:
        assert not reached(found["program"], goal)
        assert reached(found["answer"], goal)
    elif "clean" in goal:
        assert not reached(found["program"], goal)
        assert reached(api.fix(found["program"]).text, goal)
    elif "verdicts" in goal:
        # Nothing has to be changed: verifying is what is to be tried.
        assert reached(found["program"], goal)


def test_the_tutorial_has_ten_steps() -> None:
    """[PLAY-TUTORIAL]"""
    assert len(STEPS) == 10


# --- hostile programs ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_fifty_hostile_programs_at_once_are_answered_while_somebody_types() -> None:
    """[PLAY-HOSTILE], [PLAY-LIMITS] `benchmarks/playground.py` says how long all of it takes."""
    command = [sys.executable, str(ROOT / "benchmarks" / "playground.py"), "--check", "--rounds", "2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1_800)
    assert done.returncode == 0, done.stdout + done.stderr
