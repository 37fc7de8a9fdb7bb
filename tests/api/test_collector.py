"""The garbage collector while programs are worked on: it is the host program's, and as it was afterwards."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

import potlang
from potlang.utils.gc_pause import collector_calmed

PROGRAM = {"verifications": [{"constraint": "1 < 2"}]}


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("first", [0, 700, 50_000])
def test_thresholds_come_back(first: int) -> None:
    gc.set_threshold(first, 11, 12)
    with collector_calmed():
        assert gc.get_threshold() == (first if first in (0, 50_000) else 10_000, 11, 12)
    assert gc.get_threshold() == (first, 11, 12)
    assert potlang.verify(PROGRAM).ok
    assert gc.get_threshold() == (first, 11, 12)


def test_the_last_of_several_callers_brings_them_back() -> None:
    gc.set_threshold(700, 11, 12)
    inside, leave = threading.Event(), threading.Event()

    def work() -> None:
        with collector_calmed():
            inside.set()
            leave.wait(10)

    other = threading.Thread(target=work)
    with collector_calmed():
        other.start()
        assert inside.wait(10)
    assert gc.get_threshold()[0] == 10_000
    leave.set()
    other.join()
    assert gc.get_threshold() == (700, 11, 12)


def test_who_is_interrupted_as_it_begins_leaves_them_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    """[STOP-LIBRARY]"""

    class Interrupting:
        """A lock whose first holder is interrupted when it has just let it go."""

        is_first = True

        def __enter__(self) -> None:
            pass

        def __exit__(self, *_: object) -> None:
            is_first, self.is_first = self.is_first, False
            if is_first:
                raise KeyboardInterrupt

    monkeypatch.setattr("potlang.utils.gc_pause._lock", Interrupting())
    gc.set_threshold(700, 11, 12)
    with pytest.raises(KeyboardInterrupt), collector_calmed():
        raise AssertionError("not begun")
    assert gc.get_threshold() == (700, 11, 12)
    with collector_calmed():
        assert gc.get_threshold()[0] == 10_000
    assert gc.get_threshold() == (700, 11, 12)


def test_what_the_host_sets_meanwhile_stays() -> None:
    gc.set_threshold(700, 11, 12)
    with collector_calmed():
        gc.set_threshold(5, 6, 7)
    assert gc.get_threshold() == (5, 6, 7)
