"""The engine that asks E, a saturation prover, and believes it no further than its proof is checked.

S. Schulz, S. Cruanes, P. Vukmirovic, "Faster, Higher, Stronger: E 2.3" (2019). The prover is a program of the
system's; it runs as the child of a worker, within the worker's limits, and ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import tempfile
from collections.abc import Sequence
from typing import Final

from potlang.engines.messages import Query, Reason, SolverAnswer
from potlang.engines.saturation.proof import Unconfirmed, confirm
from potlang.engines.saturation.tptp import (
    TermBank,
    UnreadableProof,
    clauses_of,
    proof_in,
    signature_of,
    steps_of,
)
from potlang.engines.worker import SolverEngine
from potlang.processes.launch import NOT_STARTED, end_program, launch_program
from potlang.utils.deadline import Deadline

MOST_OUTPUT: Final = 16 * 1024 * 1024
"""Bytes that the prover may print."""
_CHUNK: Final = 1 << 16
_LAST_WORDS: Final = 200
_ITS_SHARE: Final = 0.8
"""Of the time: the rest is for checking its proof."""
_MOST_MEGABYTES: Final = 2_048
_STATUS: Final = re.compile(r"^[#%] SZS status (\w+)", re.MULTILINE)
_FAILED: Final[dict[str, Reason]] = {"ResourceOut": "timeout", "Timeout": "timeout", "MemoryOut": "memory"}
_REFUTED: Final = ("Unsatisfiable", "ContradictoryAxioms", "Theorem")
_SATURATED: Final = ("Satisfiable", "CounterSatisfiable")


class _Stopped(Exception):
    """The prover has said nothing of use; arguments: the reason and the words."""


class EproverEngine(SolverEngine):
    """Asks the prover whose path is the base. A query's text is a problem of `SaturationProblem`.

    `unsat` is said of a proof whose steps have all been confirmed: `core` are the names of the clauses that
    it uses, `proof` its ground instances as text, or None. A problem that the prover calls satisfiable is
    unknown.
    """

    name = "eprover"

    def __init__(self) -> None:
        super().__init__()
        self._memory: int | None = None

    def warm_up(self) -> None:
        """Load what checks proofs."""
        import z3  # noqa: F401

    def limit_memory(self, megabytes: int | None) -> None:
        """Cap the prover's own memory, too."""
        self._memory = megabytes

    def ask(self, query: Query, timeout_ms: int) -> SolverAnswer:
        """The answer to a problem."""
        deadline = Deadline(timeout_ms)
        try:
            output = self._output(query.text, Deadline(max(1, timeout_ms * _ITS_SHARE)))
            core, instances = self._proved(output, query.text, deadline)
        except _Stopped as stopped:
            reason, words = stopped.args
            return SolverAnswer("unknown", reason, words, time_ms=deadline.spent_ms())
        return SolverAnswer("unsat", core=core, proof=instances, time_ms=deadline.spent_ms())

    def _proved(self, output: str, problem: str, deadline: Deadline) -> tuple[tuple[str, ...], str | None]:
        """The clauses that a proof uses, and its instances of them as text. Raises `_Stopped`."""
        status = _STATUS.search(output)
        if status is None:
            raise _Stopped("error", f"eprover gives no status: {_last_words(output)}")
        if status[1] in _SATURATED:
            raise _Stopped("incomplete", f"eprover says {status[1]}, and has no model to show for it")
        if status[1] not in _REFUTED:
            reason = _FAILED.get(status[1], "incomplete")
            raise _Stopped(reason, f"eprover says {status[1][:_LAST_WORDS]}")
        bank = TermBank()
        try:
            signature = signature_of(problem)
            steps = steps_of(proof_in(output), signature, bank)
            clauses = clauses_of(problem, signature, bank)
            found = confirm(steps, clauses, signature, bank, deadline)
        except (UnreadableProof, Unconfirmed) as error:
            raise _Stopped("error", f"eprover says {status[1]}, its proof is not accepted: {error}") from None
        if found.instances is None:
            return found.used, None
        bindings = [
            (
                name,
                {
                    bank.heads[variable]: value
                    for (variable, _), value in zip(clauses[name].variables, values, strict=True)
                },
            )
            for name, values in found.instances
        ]
        return found.used, _encoded(bank, bindings)

    # --- the program ---

    def _output(self, problem: str, deadline: Deadline) -> str:
        """The prover's output. Raises `_Stopped`."""
        seconds = max(1, -(-deadline.left_ms() // 1000))
        memory = min(self._memory or _MOST_MEGABYTES, _MOST_MEGABYTES)
        limits = [f"--cpu-limit={seconds}", f"--memory-limit={memory}"]
        command = [self._base, "--auto", "--proof-object", "--tstp-format", "-s", *limits]
        with tempfile.TemporaryFile() as asked:
            asked.write(problem.encode())
            asked.seek(0)
            try:
                return self._read(command, asked, deadline)
            except OSError as error:
                raise _Stopped("error", f"eprover does not start: {error.strerror or error}") from None

    def _read(self, command: list[str], asked: object, deadline: Deadline) -> str:
        reading, writing = os.pipe()
        try:
            with os.fdopen(writing, "wb") as output:
                process = launch_program(command, output, asked)  # type: ignore[arg-type]
            try:
                said = _until_closed(reading, deadline)
                with contextlib.suppress(Exception):
                    process.wait(max(0.1, deadline.left_ms() / 1000))
            finally:
                end_program(process)
        finally:
            os.close(reading)
        text = said.decode("utf-8", "replace")
        if process.returncode == NOT_STARTED:
            raise _Stopped("error", f"eprover does not start: {_last_words(text)}")
        if process.returncode and _STATUS.search(text) is None:
            raise _Stopped("error", f"eprover ends with exit code {process.returncode}: {_last_words(text)}")
        return text


def _until_closed(descriptor: int, deadline: Deadline) -> bytes:
    """All that is printed. Raises `_Stopped` where that takes too long, or is too much."""
    parts: list[bytes] = []
    size = 0
    while True:
        if not select.select([descriptor], [], [], max(0, deadline.left_ms()) / 1000)[0]:
            raise _Stopped("timeout", "eprover was ended at the limit")
        part = os.read(descriptor, _CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > MOST_OUTPUT:
            raise _Stopped("error", f"eprover prints more than {MOST_OUTPUT >> 20} MB")


def _encoded(bank: TermBank, instances: Sequence[tuple[str, dict[str, int]]]) -> str:
    """Instances with the terms in them, each of which mentions earlier ones by their places."""
    numbers = bank.below(value for _, values in instances for value in values.values())
    places = {number: place for place, number in enumerate(numbers)}
    terms = [(bank.heads[number], [places[arg] for arg in bank.args[number]]) for number in numbers]
    found = [(name, {key: places[value] for key, value in values.items()}) for name, values in instances]
    return json.dumps([terms, found], separators=(",", ":"))


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:_LAST_WORDS] if lines else "it prints nothing"
