"""Deadlines, and children that answer one request at a time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from echo_service import WAIT

from potlang.processes.child import Child
from potlang.processes.launch import launch
from potlang.processes.process import Died
from potlang.utils.deadline import Deadline


def test_a_deadline_counts_down_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("potlang.utils.deadline.monotonic", lambda: now)
    deadline = Deadline(50)
    now += 0.0295
    assert deadline.left_ms() == 20
    assert not deadline.passed()
    now += 0.03
    assert deadline.left_ms() == 0
    assert deadline.passed()
    assert deadline.spent_ms() == pytest.approx(59.5)


def test_a_child_answers_and_is_replaced_when_it_overruns() -> None:
    child = Child(("echo_service:echo",))
    assert child.ask({"text": "a"}, seconds=20, megabytes=512)["text"] == "a"
    with pytest.raises(Died) as late:
        child.ask({"text": WAIT}, seconds=0.2, megabytes=512)
    assert late.value.reason == "timeout"
    assert child.ask({"text": "b"}, seconds=20, megabytes=512)["text"] == "b"
    child.close()


def test_a_service_that_is_not_there_does_not_start() -> None:
    child = Child(("echo_service:nobody",))
    with pytest.raises(Died, match="AttributeError"):
        child.start()


@pytest.mark.parametrize("unwanted", [False, True])
def test_a_process_writes_compiled_files_if_its_parent_does(
    unwanted: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where files may not grow, Python leaves compiled files that are cut off."""
    (tmp_path / "some_service.py").write_text("class Served: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", unwanted)
    with launch("some_service:Served") as process:
        process.communicate(timeout=60)
    assert (tmp_path / "__pycache__").exists() is not unwanted
