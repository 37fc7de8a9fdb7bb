"""The HTTP interface as an application that is called directly; answers come from this process."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest

if any(find_spec(each) is None for each in ("mcp", "uvicorn", "prometheus_client")):
    pytest.skip("the extra `serve` is not installed", allow_module_level=True)

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang import api
from potlang.batch.shards import TRIES
from potlang.export import WAYS
from potlang.languages.dagmath.solve.answers import AnswerChecker
from potlang.processes.process import Died
from potlang.server import service
from potlang.server.bodies import Lines
from potlang.server.callers import CallAllowance, Callers
from potlang.server.gate import OPERATIONS, Gate, Gone
from potlang.server.metrics import Metrics
from potlang.server.openapi import document
from potlang.server.parameters import PARAMETERS
from potlang.server.serving import Serving, application
from potlang.server.sessions import SessionLimits
from potlang.server.tokens import BearerToken, BearerTokens, CallerLimits, TokenError, read_tokens
from potlang.server.turns import Caller, QueueFull, Turns
from potlang.server.verbs import answered

ROOT = Path(__file__).parent.parent.parent
GIRAFFE = (ROOT / "examples" / "giraffe.json").read_bytes()
SMALL = b'{"verifications": [{"name": "c", "constraint": "1 < 2"}]}'
SESSIONS = SessionLimits(10, 10, 60)
Message = dict[str, Any]


class Here(Callers):
    """Calls are carried out in this process, or by `work`."""

    def __init__(self, work: Callable[[Message], Awaitable[Message]] | None = None, places: int = 2) -> None:
        self.count = places
        self.turns = Turns(places, 100)
        self.work = work or self._at_once
        self.asked: list[Message] = []
        self.limits: list[CallAllowance] = []

    async def ask(self, message: Message, caller: Caller, allowance: CallAllowance) -> Message:
        self.asked.append(message)
        self.limits.append(allowance)
        return await self.work(message)

    async def _at_once(self, message: Message) -> Message:
        with AnswerChecker() as judge:
            return answered(message, judge)

    def is_ready(self) -> bool:
        return True

    def expected_wait(self) -> float:
        return 3.2


def service_of(callers: Callers | None = None, **given: Any) -> Gate:
    return application(callers or Here(), Metrics(), "127.0.0.1", Serving(SESSIONS, **given))


class Answer:
    """What came back; `status` is 0 where nothing did."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.is_whole = False

    def json(self) -> Any:
        return json.loads(self.body)

    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.body.splitlines()]


async def ask(
    gate: Gate,
    method: str,
    path: str,
    body: bytes | list[bytes] = b"",
    *,
    gone: anyio.Event | None = None,
    client: str = "127.0.0.1",
    **headers: str,
) -> Answer:
    """The answer to a request, whose client goes away at `gone`."""
    path, _, query = path.partition("?")
    pieces = [body] if isinstance(body, bytes) else list(body)
    sent = {"host": "127.0.0.1:8000", "content-length": str(sum(map(len, pieces))), **headers}
    found = Answer()

    async def receive() -> Message:
        if pieces:
            await anyio.sleep(0)
            piece = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}
        await (gone or anyio.Event()).wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            assert not found.status
            found.status = message["status"]
            found.headers = {key.decode(): value.decode() for key, value in message["headers"]}
        else:
            found.body += message["body"]
            found.is_whole = not message["more_body"]

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "root_path": "",
        "client": (client, 1),
        "headers": [(key.replace("_", "-").encode(), value.encode()) for key, value in sent.items()],
    }
    with suppress(Gone):
        await gate(scope, receive, send)
    if found.status >= 400:
        problem = found.json()
        assert found.headers["content-type"] == "application/problem+json"
        assert problem["status"] == found.status
        assert problem["code"] and problem["detail"] and problem["help"]
    return found


def run(main: Callable[[], Awaitable[None]]) -> None:
    anyio.run(main)


# --- verbs ------------------------------------------------------------------------------------------


def _timeless(value: Any) -> Any:
    text = json.dumps(value)
    return json.loads(re.sub(r'"time_ms": [0-9.e-]+', '"time_ms": 0', text))


TRACE = (ROOT / "examples" / "appendix_a.dot.txt").read_bytes()
SOLUTION = b"""Step 1
Edge: given.
Parents: none
Node: $x = 2$

Step 2
Edge: add.
Parents: 1
Node: $x + 1 = 3$
"""


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize(
    ("data", "query", "options"),
    # Steps of solutions are checked within times of their own: a busy machine may not get to all.
    [(GIRAFFE, "", {}), (TRACE, "", {}), (SOLUTION, "?steps=false", {"steps": False})],
    ids=["program", "trace", "solution"],
)
def test_an_input_is_answered_as_the_command_does(data: bytes, query: str, options: Any) -> None:
    """[SERVE-VERBS]"""
    wanted = api.verify(data, name="-", **options).to_dict()

    async def main() -> None:
        found = await ask(service_of(), "POST", f"/v1/verify{query}", data)
        assert found.status == 200
        assert _timeless(found.json()) == _timeless(wanted)

    run(main)


def test_the_other_verbs_give_diagnostics_fixes_and_lowered_forms() -> None:
    """[SERVE-VERBS]"""
    broken = (ROOT / "examples" / "broken.json").read_bytes()

    async def main() -> None:
        gate = service_of()
        found = (await ask(gate, "POST", "/v1/check", broken)).json()
        assert {"POT2001", "POT3001"} <= {each["code"] for each in found["diagnostics"]}
        fixed = (await ask(gate, "POST", "/v1/fix", SMALL[:-2] + b",]}")).json()
        assert (fixed["text"].encode(), fixed["applied"], fixed["diagnostics"]) == (SMALL, 1, [])
        lowered = (await ask(gate, "POST", "/v1/compile?to=ir", SMALL)).json()
        assert lowered["text"] == api.compile(SMALL).emit("ir")
        # What the command writes for another tool the service and Python write, too ([WAY-CLAIMS]).
        truth = b'{"verifications": [{"name": "c", "constraint": "True"}]}'
        for way in WAYS:
            lowered = (await ask(gate, "POST", f"/v1/compile?to={way}", truth)).json()
            assert lowered["text"] == api.compile(truth).emit(way) and lowered["diagnostics"] == []
        bits = json.dumps(
            {"verifications": [{"name": "b", "constraint": "BitVecVal(1, 4) == BitVecVal(2, 4)"}]}
        )
        refused = (await ask(gate, "POST", "/v1/compile?to=lean&claim=b", bits.encode())).json()
        assert refused["text"] is None
        assert [each["code"] for each in refused["diagnostics"]] == ["POT4030"]
        with pytest.raises(api.CompileError, match="POT4030"):
            api.compile(bits).emit("lean")
        rejected = (await ask(gate, "POST", "/v1/compile", broken)).json()
        assert rejected["text"] is None and rejected["diagnostics"]

    run(main)


def test_the_view_of_an_input_is_what_the_command_draws() -> None:
    """[SERVE-VERBS]"""

    async def main() -> None:
        gate = service_of()
        page = (await ask(gate, "POST", "/v1/view", GIRAFFE)).json()
        assert page["text"].startswith("<!DOCTYPE html>") and "Sotomayor" in page["text"]
        assert page["text"] == api.view(GIRAFFE, name="-")
        drawn = (await ask(gate, "POST", "/v1/view?to=svg", TRACE)).json()
        assert drawn == {"file": "-", "text": api.view(TRACE, to="svg"), "diagnostics": []}
        rejected = (await ask(gate, "POST", "/v1/view", b"{")).json()
        assert rejected["text"] is None and rejected["diagnostics"][0]["severity"] == "error"
        assert (await ask(gate, "POST", "/v1/view?to=svg", SMALL)).json()["code"] == "cannot_answer"

    run(main)


@pytest.mark.parametrize(
    ("data", "language", "wanted"),
    [
        (SMALL[:-2] + b",]}", "pot", SMALL.decode()),
        # Offsets count characters, not bytes.
        ('{"description": "é𝄞", "verifications": [{"constraint": "1 < 2",}]}'.encode(), "pot", None),
        (b"@node id=1 role=problem\n\n\n@node id=1 role=proposer\n", "dot", None),
    ],
)
def test_a_check_gives_fixes_as_edits_of_the_text(data: bytes, language: str, wanted: str | None) -> None:
    """[SERVE-VERBS] All safe ones together are what `fix` does first."""
    text = data.decode()

    async def main() -> None:
        found = (await ask(service_of(), "POST", "/v1/check?edits=true", data)).json()
        assert found["language"] == language
        assert [len(each) for each in found["edits"]] == [len(each["fixes"]) for each in found["diagnostics"]]
        for each, edits in zip(found["diagnostics"], found["edits"], strict=True):
            for fix, changes in zip(each["fixes"], edits, strict=True):
                changed = text
                for edit in reversed(changes):
                    changed = changed[: edit["start"]] + edit["text"] + changed[edit["end"] :]
                assert (changed == text) is not bool(changes)
                if fix["applicability"] == "safe":
                    left = api.check(changed, language=language).diagnostics
                    assert len(left) < len(found["diagnostics"])
                    assert wanted in (None, changed)
        plain = (await ask(service_of(), "POST", "/v1/check", data)).json()
        assert "edits" not in plain

    run(main)


def test_what_stands_beside_an_input_counts() -> None:
    """[SERVE-VERBS] An object holds the input, the theory of a trace with it."""
    theory = {"constants": {"c": {"sort": "Bool", "members": ["p"]}}, "knowledge_base": ["p"]}
    trace = '@node id=1 role=problem\n\n@entails {"form": "p"}\n'

    async def main() -> None:
        gate = service_of()
        held = json.dumps({"id": "x", "program": json.loads(SMALL)}).encode()
        assert (await ask(gate, "POST", "/v1/verify", held)).json()["verdict"] == "entailed"
        broken = json.dumps({"trace": trace, "theory": {"knowledge_base": ["q"]}}).encode()
        assert (await ask(gate, "POST", "/v1/verify", broken)).json()["code"] == "cannot_answer"
        whole = json.dumps({"trace": trace, "theory": theory}).encode()
        assert (await ask(gate, "POST", "/v1/verify", whole)).json()["kind"] == "dot"

    run(main)


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "code"),
    [
        ("POST", "/v1/verify?trst=best", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify?trust=all", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify?trust=best&trust=best", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify?timeout=nan", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify?words=yes", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify?rlimit=1e9", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify?memory=4097", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify?total_timeout=61", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify?answer=" + "1" * 10_001, SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/compile?passes=nothing", SMALL, {}, 422, "cannot_answer"),
        ("POST", "/v1/compile?to=lisp", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/compile?to=asp&claim=nobody", SMALL, {}, 422, "cannot_answer"),
        ("POST", "/v1/compile?to=ir&claim=nobody", SMALL, {}, 422, "cannot_answer"),
        ("POST", "/v1/compile?language=dagmath", SMALL, {}, 422, "cannot_answer"),
        ("POST", "/v1/fix", b"@node id=1 \xff", {}, 422, "cannot_answer"),
        ("POST", "/v1/verify", b" " * 2_001, {}, 413, "too_large"),
        ("POST", "/v1/verify", [b" " * 1_500] * 2, {"content-length": "1"}, 413, "too_large"),
        ("POST", "/v1/verify", SMALL, {"content-encoding": "gzip"}, 415, "bad_encoding"),
        ("POST", "/v1/batch", SMALL, {"content-encoding": "br"}, 415, "bad_encoding"),
        ("POST", "/v1/batch?to=ir", SMALL, {}, 400, "bad_parameter"),
        ("POST", "/v1/verify", SMALL, {"x-request-id": "a b"}, 400, "bad_parameter"),
        ("GET", "/v1/verify", b"", {}, 405, "wrong_method"),
        ("POST", "/health/live", b"", {}, 405, "wrong_method"),
        ("GET", "/v1/nothing", b"", {}, 404, "not_found"),
        ("GET", "/v1/verify/", b"", {}, 404, "not_found"),
        ("DELETE", "/v1/requests/none", b"", {}, 404, "not_found"),
        ("POST", "/v1/verify", SMALL, {"host": "evil.example"}, 421, "bad_host"),
        ("POST", "/v1/verify", SMALL, {"origin": "http://evil.example"}, 403, "bad_host"),
        ("GET", "/health/live", b"", {"host": "evil.example:8000"}, 421, "bad_host"),
    ],
)
def test_a_bad_request_gets_a_problem_that_says_what_to_do(
    method: str, path: str, body: Any, headers: dict[str, Any], status: int, code: str
) -> None:
    """[SERVE-ERRORS], [SERVE-BODY], [SERVE-HOST]"""

    async def main() -> None:
        gate = service_of(usual=CallerLimits(bytes=2_000))
        found = await ask(gate, method, path, body, **headers)
        assert (found.status, found.json()["code"]) == (status, code)
        assert found.is_whole

    run(main)


@settings(max_examples=15)
@given(st.binary(max_size=60), st.text(max_size=20), st.sampled_from(sorted(OPERATIONS)))
def test_whatever_is_sent_there_is_an_answer(body: bytes, query: str, path: str) -> None:
    """[SERVE-ERRORS]"""
    if path == "/mcp":
        return

    async def work(_: Message) -> Message:
        return {"text": "{}\n", "language": "pot", "verdict": "entailed"}

    async def main() -> None:
        gate = service_of(Here(work))
        quoted = query.encode("utf-8", "replace").decode("latin-1").replace("?", "").replace("\n", "")
        for method in ("GET", "POST", "PUT"):
            found = await ask(gate, method, f"{path}?{quoted.encode().hex()}=1", body)
            assert found.status in (200, 400, 405)

    run(main)


@pytest.mark.parametrize(
    ("reason", "status", "code", "tries"),
    [("timeout", 422, "timeout", 1), ("memory", 422, "memory", 1), ("crash", 500, "internal", TRIES)],
)
def test_a_process_that_ends_is_a_problem_of_its_own(reason: Any, status: int, code: str, tries: int) -> None:
    """[SERVE-ERRORS] A fault is tried again, a limit is not."""

    async def work(_: Message) -> Message:
        raise Died(reason, "")

    async def main() -> None:
        callers = Here(work)
        found = await ask(service_of(callers), "POST", "/v1/verify", SMALL)
        assert (found.status, found.json()["code"], len(callers.asked)) == (status, code, tries)

    run(main)


# --- callers and their limits -----------------------------------------------------------------------


def test_a_caller_has_its_own_rate_and_requests_at_once() -> None:
    """[SERVE-LIMITS]"""
    slow = BearerToken("s" * 16, "slow", CallerLimits(rate=0.001))
    quick = BearerToken("q" * 16, "quick", CallerLimits(in_flight=1))
    held = anyio.Event()

    async def work(_: Message) -> Message:
        await held.wait()
        return {"text": "{}\n", "language": "pot", "verdict": "entailed"}

    async def main() -> None:
        gate = service_of(Here(work), tokens=[slow, quick])
        bearer = {each.name: f"Bearer {each.text}" for each in (slow, quick)}

        async def send(name: str) -> Answer:
            return await ask(gate, "POST", "/v1/verify", SMALL, authorization=bearer[name])

        assert (await ask(gate, "POST", "/v1/verify", SMALL)).headers["www-authenticate"] == "Bearer"
        async with anyio.create_task_group() as tasks:
            for name in bearer:
                tasks.start_soon(send, name)
            await anyio.wait_all_tasks_blocked()
            found = await send("slow"), await send("quick")
            held.set()
        assert [each.status for each in found] == [429, 429]
        assert [each.json()["code"] for each in found] == ["rate", "in_flight"]
        assert 900 < int(found[0].headers["retry-after"]) <= 1_000
        assert found[1].headers["retry-after"] == "1"
        assert (await send("quick")).status == 200

    run(main)


def test_health_and_the_document_need_no_token() -> None:
    """[SERVE-TOKENS]"""

    async def main() -> None:
        gate = service_of(tokens=[BearerToken("t" * 16, "t", CallerLimits())])
        for path, status in (("/health/live", 200), ("/openapi.json", 200), ("/metrics", 401), ("/mcp", 401)):
            assert (await ask(gate, "GET", path)).status == status

    run(main)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("short", "token 1 is not 16"),
        ("x" * 16 + " nmae=a", "behind a token stand name, rate"),
        ("x" * 16 + " rate=fast", "behind a token"),
        ("x" * 16 + " in-flight=2.5", "whole number"),
        ("x" * 16 + " bytes=0", "more than 0"),
        ("x" * 16 + "\n" + "x" * 16, "the same token"),
        ("x" * 16 + " name=a\n" + "y" * 16 + " name=a", "the same name"),
    ],
)
def test_a_line_that_gives_no_token_is_told_without_it(line: str, words: str) -> None:
    """[SERVE-TOKENS]"""
    with pytest.raises(TokenError, match=words) as raised:
        read_tokens(line.splitlines(), CallerLimits())
    assert "x" * 16 not in str(raised.value)


def test_tokens_have_names_and_limits() -> None:
    """[SERVE-TOKENS]"""
    usual = CallerLimits(rate=5)
    lines = [
        "# ours",
        "",
        "a" * 16,
        "b" * 16 + " name=ci rate=0.5 in-flight=2 seconds=3 megabytes=100 bytes=9",
    ]
    first, second = found = read_tokens(lines, usual)
    assert first == ("a" * 16, "token 1", usual)
    assert second == ("b" * 16, "ci", CallerLimits(0.5, 2, 9, 3.0, 100))
    assert BearerTokens(found).find("b" * 16) == second
    assert BearerTokens(found).find("b" * 17) is None


def test_limits_of_time_and_memory_are_the_callers() -> None:
    """[SERVE-LIMITS]"""

    async def main() -> None:
        callers = Here()
        gate = service_of(callers, usual=CallerLimits(seconds=2, megabytes=300))
        await ask(gate, "POST", "/v1/verify", SMALL)
        await ask(gate, "POST", "/v1/verify?total_timeout=1&memory=200&timeout=0.5", SMALL)
        assert (await ask(gate, "POST", "/v1/verify?total_timeout=3", SMALL)).status == 400
        assert [each["options"]["limits"] for each in callers.asked] == [
            [10_000, 2_000, 300, None],
            [500, 1_000, 200, None],
        ]
        assert [each.megabytes for each in callers.limits] == [300, 300]

    run(main)


def test_a_full_queue_is_503_with_the_time_to_wait() -> None:
    """[SERVE-QUEUE]"""

    async def work(_: Message) -> Message:
        raise QueueFull

    async def main() -> None:
        found = await ask(service_of(Here(work)), "POST", "/v1/verify", SMALL)
        assert (found.status, found.json()["code"], found.headers["retry-after"]) == (503, "busy", "4")

    run(main)


# --- cancel and drain -------------------------------------------------------------------------------


class Held:
    """Work that ends when it is let go, and counts what was cancelled."""

    def __init__(self) -> None:
        self.go = anyio.Event()
        self.cancelled = 0

    async def __call__(self, message: Message) -> Message:
        try:
            await self.go.wait()
        except BaseException:
            self.cancelled += 1
            raise
        row = {"line": message.get("line")}
        return {"text": json.dumps(row) + "\n", "language": "pot", "verdict": "entailed"}


def test_a_request_is_cancelled_by_name_or_by_going_away() -> None:
    """[SERVE-CANCEL]"""

    async def main() -> None:
        work, gone, found = Held(), anyio.Event(), {}
        gate = service_of(Here(work))

        async def send(name: str, **more: Any) -> None:
            found[name] = await ask(gate, "POST", "/v1/verify", SMALL, x_request_id=name, **more)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send, "named")
            tasks.start_soon(lambda: send("leaves", gone=gone))
            await anyio.wait_all_tasks_blocked()
            assert (await ask(gate, "POST", "/v1/verify", SMALL, x_request_id="named")).status == 409
            other = await ask(gate, "DELETE", "/v1/requests/named", client="127.0.0.2")
            assert other.status == 404
            assert (await ask(gate, "DELETE", "/v1/requests/named")).status == 204
            gone.set()
        assert work.cancelled == 2
        assert (found["named"].status, found["named"].json()["code"]) == (409, "cancelled")
        assert found["named"].headers["x-request-id"] == "named"
        assert found["leaves"].status == 0
        assert gate.open == 0

    run(main)


def test_a_drain_answers_what_is_open_and_refuses_the_rest() -> None:
    """[SERVE-DRAIN]"""

    async def main() -> None:
        work, found = Held(), []
        gate = service_of(Here(work))

        async def send() -> None:
            found.append(await ask(gate, "POST", "/v1/verify", SMALL))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send)
            await anyio.wait_all_tasks_blocked()
            assert (await ask(gate, "GET", "/health/ready")).status == 200
            gate.drain()
            assert gate.open == 1
            for path in ("/v1/verify", "/v1/batch", "/mcp"):
                refused = await ask(gate, "POST", path, SMALL)
                assert (refused.status, refused.json()["code"]) == (503, "draining")
                assert refused.headers["retry-after"]
            assert (await ask(gate, "GET", "/health/ready")).status == 503
            assert (await ask(gate, "GET", "/health/live")).status == 200
            work.go.set()
        assert [each.status for each in found] == [200]
        assert gate.open == 0

    run(main)


def test_what_a_drain_has_no_time_for_is_told_so() -> None:
    """[SERVE-DRAIN]"""

    async def main() -> None:
        found = []
        gate = service_of(Here(Held()))

        async def send() -> None:
            found.append(await ask(gate, "POST", "/v1/verify", SMALL))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send)
            await anyio.wait_all_tasks_blocked()
            gate.drain()
            gate.end_all()
        assert [(each.status, each.json()["code"]) for each in found] == [(503, "draining")]

    run(main)


# --- batches ----------------------------------------------------------------------------------------


def test_each_line_of_a_batch_has_its_row() -> None:
    """[SERVE-BATCH]"""
    lines = [
        b'{"id": "a", "program": {"verifications": [{"constraint": "2 < 1"}]}}',
        b"",
        b"{",
        b"[" * 600,
        b'"' + b"x" * 3_000 + b'"',
        SMALL,
    ]

    async def main() -> None:
        gate = service_of(usual=CallerLimits(bytes=2_000))
        found = await ask(gate, "POST", "/v1/batch", b"\n".join(lines))
        rows = {each["line"]: each for each in found.lines()}
        assert set(rows) == {1, 3, 4, 5, 6} and found.is_whole
        assert (rows[1]["id"], rows[1]["verdict"]) == ("a", "refuted")
        assert [rows[each]["verdict"] for each in (3, 4, 6)] == ["rejected", "rejected", "entailed"]
        assert rows[3]["report"]["diagnostics"][0]["code"] == "POT1001"
        assert rows[5]["report"] is None and rows[5]["fault"].startswith("too_large")
        assert all(jsonschema.Draft202012Validator(ROW).is_valid(each) for each in rows.values())

    run(main)


ROW = document(CallerLimits())["components"]["schemas"]["row"]


def test_of_lines_that_nobody_takes_no_more_are_read() -> None:
    """[SERVE-BATCH] Back pressure: bytes that wait are bounded, and so are lines that are asked for."""
    line = SMALL + b"\n"

    async def main() -> None:
        work = Held()
        callers = Here(work, places=1)
        gate = service_of(callers, usual=CallerLimits(bytes=10 * len(line)))
        pieces = [line] * 100
        taken: list[int] = []

        async def watched(scope: Any, receive: Any, send: Any) -> None:
            async def counted() -> Message:
                message: Message = await receive()
                taken.append(1)
                return message

            await application_(scope, counted, send)

        application_, gate.app = gate.app, watched
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, gate, "POST", "/v1/batch", pieces)
            while len(callers.asked) < 2:
                await anyio.sleep(0.01)
            await anyio.sleep(0.05)
            assert len(callers.asked) == 2
            assert len(taken) <= 2 + 10 + 1
            work.go.set()
        assert len(callers.asked) == 100

    run(main)


def test_a_drain_ends_a_batch_with_the_line_to_go_on_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """[SERVE-DRAIN] What was asked for is answered, the rest is named."""
    monkeypatch.setattr(service, "_BUSY_SECONDS", 0.01)

    async def main() -> None:
        work, found = Held(), []
        callers = Here(work, places=1)
        gate = service_of(callers)

        async def send() -> None:
            found.append(await ask(gate, "POST", "/v1/batch", [SMALL + b"\n"] * 9))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send)
            while len(callers.asked) < 2:
                await anyio.sleep(0.01)
            gate.drain()
            await anyio.sleep(0.05)
            work.go.set()
        *rows, last = found[0].lines()
        assert sorted(each["line"] for each in rows) == [1, 2]
        assert (last["code"], last["line"]) == ("draining", 3)

    run(main)


def test_a_batch_whose_client_goes_is_given_up() -> None:
    """[SERVE-CANCEL]"""

    async def main() -> None:
        work, gone = Held(), anyio.Event()
        gate = service_of(Here(work, places=1))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: ask(gate, "POST", "/v1/batch", SMALL, gone=gone))
            await anyio.wait_all_tasks_blocked()
            gone.set()
        assert work.cancelled == 1
        assert gate.open == 0

    run(main)


def test_a_full_queue_has_the_lines_of_a_batch_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """[SERVE-BATCH]"""
    monkeypatch.setattr(service, "_BUSY_SECONDS", 0.01)
    tries: Counter[int] = Counter()

    async def work(message: Message) -> Message:
        tries[message["line"]] += 1
        if tries[message["line"]] < 3:
            raise QueueFull
        return {
            "text": json.dumps({"line": message["line"]}) + "\n",
            "language": "pot",
            "verdict": "entailed",
        }

    async def main() -> None:
        found = await ask(service_of(Here(work)), "POST", "/v1/batch", SMALL + b"\n" + SMALL)
        assert sorted(each["line"] for each in found.lines()) == [1, 2]
        assert set(tries.values()) == {3}

    run(main)


@settings(max_examples=50)
@given(st.binary(max_size=200), st.integers(1, 20), st.integers(1, 60))
def test_lines_are_the_same_however_they_come(data: bytes, size: int, most: int) -> None:
    """[SERVE-BATCH]"""
    lines = Lines(most)
    found = [each for at in range(0, len(data), size) for each in lines.fed(data[at : at + size])]
    found += lines.end()
    wanted = [
        (number, text if len(text) <= most else None)
        for number, text in enumerate(data.split(b"\n"), 1)
        if text.strip() or len(text) > most
    ]
    assert [tuple(each) for each in found] == wanted


# --- what it says of itself -------------------------------------------------------------------------


def test_figures_count_what_was_answered() -> None:
    """[SERVE-METRICS]"""

    async def main() -> None:
        gate = service_of(tokens=[BearerToken("t" * 16, "ci", CallerLimits())])
        bearer = f"Bearer {'t' * 16}"
        await ask(gate, "POST", "/v1/verify", SMALL, authorization=bearer)
        await ask(gate, "POST", "/v1/batch", SMALL, authorization=bearer)
        await ask(gate, "POST", "/v1/verify?x=1", SMALL, authorization=bearer)
        await ask(gate, "GET", "/" + "x" * 50, authorization=bearer)
        text = (await ask(gate, "GET", "/metrics", authorization=bearer)).body.decode()
        for wanted in (
            'potlang_requests_total{caller="ci",operation="verify",status="200"} 1.0',
            'potlang_requests_total{caller="ci",operation="other",status="404"} 1.0',
            'potlang_refused_total{caller="ci",code="bad_parameter"} 1.0',
            'potlang_verdicts_total{language="pot",verdict="entailed"} 2.0',
            'potlang_batch_rows_total{caller="ci"} 1.0',
            "potlang_queue_length 0.0",
            "potlang_places 2.0",
        ):
            assert wanted in text
        assert "xxx" not in text and "t" * 16 not in text

    run(main)


def test_the_operators_page_has_each_figure() -> None:
    """[SERVE-METRICS]"""
    page = (ROOT / "spec" / "93-service.md").read_text(encoding="utf-8")

    async def main() -> None:
        text = (await ask(service_of(), "GET", "/metrics")).body.decode()
        names = set(re.findall(r"^# TYPE (potlang_\w+)", text, re.MULTILINE))
        assert names and all(f"`{name}`" in page for name in names)

    run(main)


def test_the_log_has_no_body_no_token_and_no_query(capsys: pytest.CaptureFixture[str]) -> None:
    """[SERVE-LOG]"""

    async def main() -> None:
        gate = service_of(log=True, tokens=[BearerToken("t" * 16, "ci", CallerLimits())])
        await ask(gate, "POST", "/v1/verify?answer=secret", SMALL, authorization=f"Bearer {'t' * 16}")

    run(main)
    (line,) = capsys.readouterr().err.splitlines()
    logged = json.loads(line)
    assert (logged["caller"], logged["operation"], logged["status"]) == ("ci", "verify", 200)
    assert (logged["bytes_in"], set(logged)) == (
        len(SMALL),
        {"id", "caller", "method", "operation", "status", "ms", "bytes_in", "bytes_out"},
    )
    assert not any(word in line for word in ("secret", "tttt", "constraint"))


def test_the_document_is_whole_and_says_what_is_read() -> None:
    """[SERVE-OPENAPI]"""

    async def main() -> None:
        served = (await ask(service_of(), "GET", "/openapi.json")).json()
        assert served == document(CallerLimits())
        for path, methods in served["paths"].items():
            for method in methods:
                if "{" not in path:
                    found = await ask(service_of(), method.upper(), path, SMALL)
                    assert found.status == 200
        names = {
            name: {each["name"] for each in served["paths"][f"/v1/{name}"]["post"]["parameters"]}
            for name in PARAMETERS
        }
        assert names == {
            name: {each.name for each in table} | {"X-Request-Id"} for name, table in PARAMETERS.items()
        }

    run(main)
    text = json.dumps(document(CallerLimits()))
    for pointer in set(re.findall(r'"\$ref": "#/([^"]+)"', text)):
        value: Any = document(CallerLimits())
        for part in pointer.split("/"):
            value = value[part]


def test_answers_are_as_the_document_says() -> None:
    """[SERVE-OPENAPI]"""
    whole = document(CallerLimits())

    async def main() -> None:
        for verb, query in (*((each, "") for each in service.VERBS), ("check", "?edits=true")):
            content = whole["paths"][f"/v1/{verb}"]["post"]["responses"]["200"]["content"]
            schema = content["application/json"]["schema"]
            check = jsonschema.Draft202012Validator({**schema, "components": whole["components"]})
            for body in (SMALL, b"{", GIRAFFE):
                check.validate((await ask(service_of(), "POST", f"/v1/{verb}{query}", body)).json())

    run(main)
