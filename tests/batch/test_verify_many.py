"""`potlang.verify_many`: a stream of inputs, answered in order ([BATCH-MANY])."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batch_support import STEPS, TRACE, program

import potlang
from potlang.batch import many
from potlang.batch.run import BatchOptions

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


def test_wrong_sources() -> None:
    with pytest.raises(TypeError, match="not int"):
        list(potlang.verify_many([5], FAST, workers=1))


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
