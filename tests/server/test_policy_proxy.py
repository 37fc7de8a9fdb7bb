"""The proxy in front of an MCP server: what passes, what is denied and what is asked ([GUARD-PROXY])."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from potlang.policy.guard import Guard, GuardSession
from potlang.policy.records import DecisionRecord, read_records
from potlang.policy.replay import replay
from potlang.server.policy_proxy import PolicyProxy

Json = dict[str, Any]
EVENT = [{"name": "e", "sort": "Event"}]
POLICY: Json = {
    "sorts": [
        {"name": "Event", "type": "DeclareSort"},
        {"name": "Tool", "type": "EnumSort", "values": ["look", "pay"]},
        {"name": "Answer", "type": "EnumSort", "values": ["allow", "deny", "ask"]},
    ],
    "functions": [
        {"name": "tool", "domain": ["Event"], "range": "Tool"},
        {"name": "amount", "domain": ["Event"], "range": "Int"},
        {"name": "before", "domain": ["Event", "Event"], "range": "Bool"},
        {"name": "decision", "domain": ["Event"], "range": "Answer"},
        {"name": "succeeded", "domain": ["Event"], "range": "Bool", "closed": True},
        {"name": "allowed", "domain": ["Event"], "range": "Bool"},
    ],
    "rules": [
        {"name": "looking", "forall": EVENT, "constraint": "tool(e) == look -> allowed(e)"},
        {
            "name": "look first",
            "forall": EVENT,
            "constraint": "tool(e) == pay and not Exists([x: Event], before(x, e) and tool(x) == look and"
            " succeeded(x)) -> not allowed(e)",
        },
        {
            "name": "small payments",
            "forall": EVENT,
            "constraint": "tool(e) == pay and amount(e) <= 10 and Exists([x: Event], before(x, e) and"
            " tool(x) == look and succeeded(x)) -> allowed(e)",
        },
    ],
}


class Wire:
    """A proxy with what it sent to either side."""

    def __init__(self, *, elicitation: bool = True, guard: Any = None) -> None:
        self.client: list[Json] = []
        self.server: list[Json] = []
        session = GuardSession(guard or Guard(POLICY))
        self.proxy = PolicyProxy(session, self.client.append, self.server.append)
        capabilities = {"elicitation": {}} if elicitation else {}
        self.say(
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": capabilities}}
        )

    def say(self, message: Any) -> None:
        self.proxy.from_client(
            message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"
        )

    def answer(self, message: Any) -> None:
        self.proxy.from_server(json.dumps(message).encode() + b"\n")

    def call(self, id: Any, name: Any, **arguments: Any) -> None:
        params = {"name": name, "arguments": arguments}
        self.say({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    def look(self, id: int, *, succeeds: bool = True) -> None:
        self.call(id, "look")
        self.answer({"jsonrpc": "2.0", "id": id, "result": {"content": [], "isError": not succeeds}})

    @property
    def told(self) -> str:
        """The text of the last answer to the client."""
        return str(self.client[-1]["result"]["content"][0]["text"])


def test_allowed_calls_and_all_other_messages_pass() -> None:
    """[GUARD-PROXY]"""
    wire = Wire()
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"é": [1.5, None]}}
    wire.say(listing)
    assert wire.server[-1] == listing
    wire.look(2)
    assert wire.server[-1]["method"] == "tools/call"
    assert wire.client[-1] == {"jsonrpc": "2.0", "id": 2, "result": {"content": [], "isError": False}}
    wire.answer({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    assert wire.client[-1]["method"] == "notifications/progress"


def test_a_denied_call_is_answered_with_the_reason_and_never_sent() -> None:
    """[GUARD-PROXY]"""
    wire = Wire()
    before = len(wire.server)
    wire.call(5, "pay", amount=5)
    assert len(wire.server) == before
    assert wire.client[-1]["id"] == 5
    assert wire.client[-1]["result"]["isError"] is True
    assert wire.told == "denied: not allowed by the policy (rule `look first`)"


def test_what_became_of_a_call_counts() -> None:
    """[GUARD-PROXY] [GUARD-OUTCOME]"""
    wire = Wire()
    wire.look(1, succeeds=False)
    wire.call(2, "pay", amount=5)
    assert wire.told.startswith("denied")
    wire.look(3)
    wire.call(4, "pay", amount=5)
    assert wire.server[-1]["id"] == 4


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        ({"result": {"action": "accept", "content": {"allow": True}}}, True),
        ({"result": {"action": "accept", "content": {"allow": False}}}, False),
        ({"result": {"action": "accept", "content": {"allow": "yes"}}}, False),
        ({"result": {"action": "accept"}}, False),
        ({"result": {"action": "decline"}}, False),
        ({"result": {"action": "cancel"}}, False),
        ({"error": {"code": -1, "message": "no"}}, False),
        ({}, False),
    ],
)
def test_people_are_asked_by_the_client(answer: Json, allowed: bool) -> None:
    """[GUARD-PROXY]"""
    wire = Wire()
    wire.look(1)
    wire.call(2, "pay", amount=500)
    question = wire.client[-1]
    assert question["method"] == "elicitation/create"
    assert "500" in question["params"]["message"]
    assert wire.server[-1]["id"] == 1
    wire.say({"jsonrpc": "2.0", "id": question["id"], **answer})
    assert (wire.server[-1]["id"] == 2) is allowed
    if not allowed:
        assert wire.told == "denied: the call was not allowed by whom was asked"
    # An answer counts once.
    sent = len(wire.server)
    accepted = {"result": {"action": "accept", "content": {"allow": True}}}
    wire.say({"jsonrpc": "2.0", "id": question["id"], **accepted})
    assert [each for each in wire.server[sent:] if each.get("method") == "tools/call"] == []


def test_a_client_that_cannot_ask_is_denied() -> None:
    """[GUARD-PROXY]"""
    wire = Wire(elicitation=False)
    wire.look(1)
    wire.call(2, "pay", amount=500)
    assert wire.told.endswith("(people would have to be asked)")


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\n",
        b"{\n",
        b"[" * 100_000,
        b'{"id": NaN}\n',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"pay"}}\n',
        b'{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"pay"}}\n',
        b'{"jsonrpc":"2.0","id":true,"method":"tools/call","params":{"name":"pay"}}\n',
        b'{"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{"name":"pay"}}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call"}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[]}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":["pay"]}}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"pay","arguments":7}}\n',
        b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"fly"}}\n',
        b'[{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"pay"}}, 5]\n',
        b"5\n",
    ],
)
def test_what_is_no_call_of_a_known_tool_never_reaches_the_server(line: bytes) -> None:
    """[GUARD-PROXY] [GUARD-CLOSED]"""
    wire = Wire()
    sent = len(wire.server)
    wire.say(line)
    assert len(wire.server) == sent


def test_the_server_reads_what_was_decided() -> None:
    """[GUARD-PROXY]"""
    wire = Wire()
    wire.say(
        b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"pay","name":"look"}}\n'
    )
    assert wire.server[-1] == {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "look"}}


@pytest.mark.parametrize("id", [[1], {"a": 1}, None, 1.5])
def test_an_answer_to_no_question_passes(id: Any) -> None:
    """[GUARD-PROXY]: whatever its id is; and the proxy goes on."""
    wire = Wire()
    wire.say({"jsonrpc": "2.0", "id": id, "result": {}})
    assert wire.server[-1] == {"jsonrpc": "2.0", "id": id, "result": {}}
    wire.look(2)
    assert wire.client[-1]["id"] == 2


def test_an_id_in_use_is_not_used_again() -> None:
    """[GUARD-PROXY]"""
    wire = Wire()
    wire.call(1, "look")
    sent = len(wire.server)
    wire.call(1, "look")
    assert len(wire.server) == sent


def test_after_an_outcome_that_was_lost_nothing_is_allowed() -> None:
    """[GUARD-PROXY] [GUARD-CLOSED]"""
    wire = Wire(guard=_Losing())
    wire.look(1)
    wire.call(2, "look")
    assert "nothing is allowed any more" in wire.told


class _Losing(Guard):
    def __init__(self) -> None:
        super().__init__(POLICY)

    def ended(self, *_: Any, **__: Any) -> Any:
        raise ValueError("lost")


def test_a_whole_session_with_a_client_and_a_server_of_the_protocol(tmp_path: Path) -> None:
    """[GUARD-PROXY] [RECORD-GUARD]"""
    mcp = pytest.importorskip("mcp")
    from mcp.client.stdio import stdio_client

    server = tmp_path / "shop.py"
    server.write_text(
        "from mcp.server.mcpserver import MCPServer\n"
        "app = MCPServer('shop')\n"
        "@app.tool()\n"
        "def look() -> str:\n    return 'seen'\n"
        "@app.tool()\n"
        "def pay(amount: int) -> str:\n    return f'paid {amount}'\n"
        "app.run()\n"
    )
    (tmp_path / "shop.json").write_text(json.dumps(POLICY))
    chain = tmp_path / "chain.jsonl"
    arguments = ["-m", "potlang", "policy", "proxy", "--record", str(chain), str(tmp_path / "shop.json")]
    parameters = mcp.StdioServerParameters(
        command=sys.executable, args=[*arguments, "--", sys.executable, str(server)], env=dict(os.environ)
    )
    asked: list[str] = []

    async def answer(context: Any, params: Any) -> Any:
        asked.append(params.message)
        return mcp.types.ElicitResult(action="accept", content={"allow": True})

    async def session() -> list[tuple[bool, str]]:
        found = []
        async with (
            stdio_client(parameters) as (reads, writes),
            mcp.ClientSession(reads, writes, elicitation_callback=answer) as client,
        ):
            await client.initialize()
            assert {each.name for each in (await client.list_tools()).tools} == {"look", "pay"}
            for name, given in (
                ("pay", {"amount": 5}),
                ("look", {}),
                ("pay", {"amount": 5}),
                ("pay", {"amount": 500}),
            ):
                result = await client.call_tool(name, given)
                found.append((result.is_error, result.content[0].text))
        return found

    found = asyncio.run(asyncio.wait_for(session(), 60))
    assert found == [
        (True, "denied: not allowed by the policy (rule `look first`)"),
        (False, "seen"),
        (False, "paid 5"),
        (False, "paid 500"),
    ]
    assert len(asked) == 1
    records = [
        each for each in read_records(chain) if isinstance(each, DecisionRecord) and each.kind == "decision"
    ]
    assert [each.content["permission"] for each in records] == ["deny", "allow", "allow", "ask"]
    again = replay(chain)
    assert (again.decisions, again.changed, again.faults) == (4, [], [])
