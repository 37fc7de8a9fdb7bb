"""How SIGINT and SIGTERM end a command: soon, whatever it is at, with what is known ([STOP-SIGNAL]).

The command's own thread is interrupted as by `KeyboardInterrupt`, prints what it knows, and ends. Where it
does not look up in time, since it is in a long call of a library, another thread ends the process. That one
is woken by the system's own handler, which does not wait for the interpreter to look up.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE_S = 0.12
_PRINTING_S = 0.08
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Stopping:
    def __init__(self) -> None:
        self.number = 0
        self.ended = False
        self.print_known: Callable[[], None] | None = None
        self.spared = 0


_state = _Stopping()


def listen() -> None:
    """Take the signals from now on, but those that whoever started the command has it ignore."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    # Without a thread or a file handle for this the command's own thread is relied on.
    with suppress(OSError, RuntimeError, ValueError, AttributeError):
        woken, waker = os.pipe()
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        threading.Thread(target=_end_late, args=(woken,), daemon=True).start()


def ignore() -> None:
    """From now on no signal interrupts the command, which is about to end anyway."""
    _state.ended = True


def end() -> int:
    """Say by which signal the command is ended; its exit code."""
    ignore()
    number = _state.number or signal.SIGINT
    with suppress(OSError, ValueError):
        sys.stderr.write(_words(number))
    return 128 + number


def drain_first(drain: Callable[[], None]) -> None:
    """The first SIGTERM calls `drain`, and does not end the command; a second one does."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:
        return
    _state.spared = 1

    def begin(_: int, __: Any) -> None:
        signal.signal(signal.SIGTERM, _interrupt)
        drain()

    signal.signal(signal.SIGTERM, begin)


@contextmanager
def known(print_known: Callable[[], None]) -> Iterator[None]:
    """`print_known` prints what is known, where a signal leaves the work inside no time to end by itself.

    It is called in another thread, and at most once; not if the work inside has raised something.
    """
    _state.print_known = print_known
    try:
        yield
    finally:
        _state.print_known = None


def _interrupt(number: int, _: Any) -> None:
    """Interrupts the command, once: a second signal must not interrupt the printing of what is known."""
    if _state.number or _state.ended:
        return
    _state.number = number
    sys.unraisablehook = _unraisable
    raise KeyboardInterrupt


def _unraisable(found: sys.UnraisableHookArgs) -> None:
    """Says nothing of an interruption that Python has lost, as in a finalizer: the other thread ends us."""
    if not issubclass(found.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(found)


def _end_late(woken: int) -> None:
    """Ends the process a while after the first signal, if there still is one."""
    number = 0
    while number not in _SIGNALS:
        number = os.read(woken, 1)[0]
        if number == signal.SIGTERM and _state.spared:
            _state.spared, number = 0, 0
    time.sleep(_PATIENCE_S)
    # Printing may wait for a reader for ever, or for a lock of the thread that did not look up.
    printer = threading.Thread(target=_print_known, args=(number,), daemon=True)
    printer.start()
    printer.join(_PRINTING_S)
    os._exit(128 + number)


def _print_known(number: int) -> None:
    with suppress(OSError, ValueError):
        print_known, _state.print_known = _state.print_known, None
        if print_known is not None:
            print_known()
        sys.stdout.flush()
        os.write(2, _words(number).encode())


def _words(number: int) -> str:
    return f"stopped by {signal.Signals(number).name}\n"
