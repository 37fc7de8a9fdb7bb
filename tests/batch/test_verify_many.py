"""`potlang.verify_many`: a stream of inputs, answered in order ([BATCH-MANY])."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_support import STEPS, TRACE, program

import potlang
from potlang.batch import many
from potlang.batch.run import BatchOptions
from potlang.processes import pool
from potlang.processes.children import Children
from potlang.processes.frames import Message
from potlang.processes.process import Process

FAST = BatchOptions(trust="solver")


def test_answers_in_order(tmp_path: Path) -> None:
    """Each source has the answer that `verify` gives, in the order of the sources."""
    path = tmp_path / "a.dot.txt"
    path.write_text(TRACE, encoding="utf-8")
    sources: list[Any] = [
        *(program(f"{number} < 3") for number in range(6)),
        path,
        TRACE,
        {"steps": STEPS},
        STEPS,
        b"{",
        "",
        [],
        {"program": 5},
        tmp_path / "none.json",
    ]
    found = [each.verdict for each in potlang.verify_many(sources, FAST, workers=2)]
    known = [source for source in sources if source != []]
    expected = [potlang.verify(source, trust="solver").verdict for source in known]
    assert found[:12] + found[13:] == [str(each) for each in expected]
    assert found[12] == "rejected"


def test_reads_no_further_than_it_must() -> None:
    """An endless stream is read a few inputs ahead ([BATCH-MANY])."""
    taken = []

    def endless() -> Iterator[dict[str, Any]]:
        for number in itertools.count():
            taken.append(number)
            yield program(f"{number} >= 0")

    answers = potlang.verify_many(endless(), FAST, workers=1)
    assert [next(answers).verdict for _ in range(5)] == ["entailed"] * 5
    assert len(taken) <= 5 + 4
    answers.close()


def test_a_fault_costs_one_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process that dies three times at an input loses that one alone ([BATCH-FAULT])."""
    monkeypatch.setattr(many, "_SERVICE", ("batch_support:DyingJobs",))
    sources = [program("1 < 2"), "deadly", program("2 < 1")]
    found = list(potlang.verify_many(sources, FAST, workers=1))
    assert [each.verdict for each in found] == ["entailed", "unknown", "refuted"]
    assert found[1].report is None and "SIGKILL" in (found[1].fault or "")


def test_who_stops_early_waits_for_no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """[BATCH-MANY] What is under way is ended, and not tried again as after a process that died."""
    asked, started = [], []
    ask = Children.ask

    def noted(children: Children, *given: Any, **named: Any) -> Message:
        asked.append(given)
        return ask(children, *given, **named)

    def spawned(*given: Any) -> Process:
        started.append(Process(*given))
        return started[-1]

    monkeypatch.setattr(pool, "Process", spawned)
    monkeypatch.setattr(Children, "ask", noted)
    monkeypatch.setattr(many, "_SERVICE", ("batch_support:HangingJobs",))
    answers = potlang.verify_many([program("1 < 2"), *["hangs"] * 4], FAST, workers=1)
    assert next(answers).verdict == "entailed"
    while len(asked) < 2:
        time.sleep(0.01)
    answers.close()
    assert len(started) == 1 and not started[0].alive()


class Sly(dict[str, Any]):
    """A value that runs code of its own wherever it is looked at."""

    def __str__(self) -> str:
        raise RuntimeError("not to be shown")

    __repr__ = __str__

    def items(self) -> Any:
        raise RuntimeError("not to be read")


def _endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


STRANGE: list[Any] = [
    None,
    3,
    float("nan"),
    True,
    b"\xff\xfe\x00",
    "\ud800",
    object(),
    Sly(a=1),
    {"verifications": [object()]},
    {"verifications": _endless()},
    (1, 2),
    {1, 2},
    Path("there/is/none.json"),
]


def test_what_is_no_program_is_rejected_in_its_place() -> None:
    """Anything among the sources has an answer at its place, and the rest goes on ([BATCH-MANY])."""
    sources = [each for strange in STRANGE for each in (strange, program("1 < 2"))]
    found = list(potlang.verify_many(sources, FAST, workers=1))
    assert [each.verdict for each in found] == ["rejected", "entailed"] * len(STRANGE)
    reports = [each.report for each in found[::2]]
    assert all(each is not None and each["diagnostics"] for each in reports)
    messages = [each["diagnostics"][0]["message"] for each in reports if each is not None]
    assert messages[6].startswith("cannot read `source 13`: it is of the type object")
    assert "no JSON value (RuntimeError)" in messages[7]


def test_what_the_sources_raise_comes_after_the_answers() -> None:
    """A generator that fails in the middle loses no answer, and its error is raised ([BATCH-MANY])."""

    def failing() -> Iterator[dict[str, Any]]:
        for number in range(3):
            yield program(f"{number} < 2")
        raise LookupError("no more rows")

    found: list[str] = []
    with pytest.raises(LookupError, match="no more rows"):
        for each in potlang.verify_many(failing(), FAST, workers=1):
            found.append(each.verdict)
    assert found == ["entailed", "entailed", "refuted"]

    async def in_a_loop() -> None:
        async for each in potlang.aio.verify_many(failing(), FAST, workers=1):
            found.append(each.verdict)

    with pytest.raises(LookupError):
        asyncio.run(in_a_loop())
    assert found == ["entailed", "entailed", "refuted"] * 2


def test_in_an_event_loop() -> None:
    """`potlang.aio.verify_many` gives the same answers; a task that is cancelled ends ([STOP-TASK])."""

    async def main() -> list[str]:
        sources = (program(f"{number} < 2") for number in range(4))
        return [each.verdict async for each in potlang.aio.verify_many(sources, FAST, workers=1)]

    async def cancelled() -> None:
        async def endless() -> None:
            async for _ in potlang.aio.verify_many(itertools.repeat(program("1 < 2")), FAST, workers=1):
                pass

        task = asyncio.ensure_future(endless())
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert asyncio.run(main()) == ["entailed", "entailed", "refuted", "refuted"]
    asyncio.run(cancelled())
