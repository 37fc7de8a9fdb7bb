"""Chains of records: what is found in them, and decisions decided again ([RECORD-CHAIN] ff.)."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from threading import Barrier
from typing import Any

import pytest
from reference.guarded_sessions import OPTIONS, events, policy
from reference.unlisted_rules import UNLISTED, policy_with

import potlang
from potlang.policy import ask
from potlang.policy.guard import Guard, Permission
from potlang.policy.records import (
    START,
    DecisionRecord,
    RecordError,
    RecordFault,
    Records,
    canonical_line,
    read_records,
)
from potlang.policy.replay import record_answer, replay
from potlang.report.results import Limits, Verdict

LEAVE = json.dumps(
    {
        "functions": [{"name": "days", "domain": [], "range": "Int"}],
        "knowledge_base": ["days <= 30"],
    }
)


@pytest.fixture(params=["chain.jsonl", "chain.sqlite3"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(policy(), OPTIONS)


def sessions(own: Guard, count: int, seed: int = 1, longest: int = 20) -> None:
    """So many decisions of drawn sessions."""
    random = Random(seed)
    decided = 0
    while decided < count:
        state = own.begin()
        for event, succeeded in events(random, min(count - decided, random.randint(1, longest))):
            decision = own.check(event, state)
            decided += 1
            state = decision.state
            if succeeded is not None and decision.verdict != "inconsistent":
                state = own.outcome(state, {"succeeded": succeeded})


def faults(path: Path, key: bytes = b"") -> list[RecordFault]:
    return [each for each in read_records(path, key) if isinstance(each, RecordFault)]


def test_each_record_has_the_digest_of_the_one_before(path: Path) -> None:
    """[RECORD-CHAIN]"""
    records = Records(path)
    made = [records.add("note", {"n": number}) for number in range(5)]
    found = list(read_records(path))
    assert found == made
    assert [each.number for each in made] == [1, 2, 3, 4, 5]
    assert [each.before for each in made] == [START, *(each.digest for each in made[:-1])]
    assert faults(path) == []


def test_any_byte_that_is_changed_is_found_at_its_record(tmp_path: Path) -> None:
    """[RECORD-CHAIN]"""
    path = tmp_path / "chain.jsonl"
    records = Records(path, sync=False)
    for number in range(2):
        records.add("note", {"text": f"né {number}", "n": [number, None, True, 1.5]})
    text = path.read_bytes()
    for at in range(len(text)):
        changed = bytearray(text)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        assert faults(path)[0].place == text.count(b"\n", 0, at) + 1, at


@pytest.mark.slow
def test_bytes_that_are_changed_in_a_long_chain_are_found_at_their_record(
    tmp_path: Path, guard: Guard
) -> None:
    """[RECORD-CHAIN] [RECORD-REPLAY]"""
    path = tmp_path / "chain.jsonl"
    sessions(guard.recorded(Records(path, sync=False)), 10_000, longest=60)
    found = replay(path)
    assert (found.decisions, found.changed, found.faults, found.open) == (10_000, [], [], [])
    text, random = path.read_bytes(), Random(3)
    for _ in range(60):
        at = random.randrange(len(text))
        changed = bytearray(text)
        changed[at] ^= 1 << random.randrange(8)
        path.write_bytes(changed)
        assert faults(path)[0].place == text.count(b"\n", 0, at) + 1, at


def test_lines_removed_moved_and_added_are_found(tmp_path: Path) -> None:
    """[RECORD-CHAIN]"""
    path = tmp_path / "chain.jsonl"
    records = Records(path, sync=False)
    for number in range(6):
        records.add("note", {"n": number})
    lines = path.read_bytes().splitlines(keepends=True)
    whole = replay(path)

    def first(changed: list[bytes]) -> int:
        path.write_bytes(b"".join(changed))
        return faults(path)[0].place

    assert first(lines[:2] + lines[3:]) == 3
    assert first(lines[1:]) == 1
    assert first([lines[0], lines[2], lines[1], *lines[3:]]) == 2
    assert first([*lines, lines[-1]]) == 7
    assert first([*lines[:3], lines[0], *lines[3:]]) == 4
    assert first([*lines, b"{}\n"]) == 7
    assert first([*lines, b"\n"]) == 7
    # An end that was taken away is found by who knows the digest of the last record.
    path.write_bytes(b"".join(lines[:-1]))
    assert faults(path) == []
    assert [each.place for each in replay(path, head=whole.head).faults][-1] == 6


def test_with_a_key_nobody_else_makes_a_chain(path: Path) -> None:
    """[RECORD-CHAIN]"""
    Records(path).add("note", {})
    assert [each.place for each in faults(path, b"the key of the house")] == [1]
    with pytest.raises(RecordError, match="none of this chain"):
        Records(path, key=b"the key of the house").add("note", {})


def test_threads_and_processes_add_to_one_chain(path: Path) -> None:
    """[RECORD-CHAIN]"""
    code = (
        "import sys; from pathlib import Path; from potlang.policy.records import Records\n"
        "records = Records(Path(sys.argv[1]), sync=False)\n"
        "for number in range(20): records.add('note', {'n': number})"
    )
    others = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(2)]
    records = Records(path, sync=False)
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda number: records.add("note", {"n": number}), range(30)))
    assert [each.wait(60) for each in others] == [0, 0]
    assert faults(path) == []
    assert len(list(read_records(path))) == 70


def chain_of_three(path: Path) -> bytes:
    records = Records(path, sync=False)
    for number in range(3):
        records.add("note", {"n": number})
    return path.read_bytes()


def test_a_record_that_was_not_finished_gives_way_to_the_next_which_is_told(tmp_path: Path) -> None:
    """[RECORD-CUT]: wherever it ends."""
    path = tmp_path / "chain.jsonl"
    whole = chain_of_three(path)
    begins = whole.rindex(b"\n", 0, -1) + 1
    for end in range(begins + 1, len(whole)):
        path.write_bytes(whole[:end])
        assert [each.place for each in faults(path)] == [3]
        assert Records(path, sync=False).add("note", {"n": 7}).number == 4
        assert path.read_bytes().startswith(whole[:begins])
        *_, cut, last = read_records(path)
        assert isinstance(cut, DecisionRecord) and isinstance(last, DecisionRecord)
        unfinished = whole[begins:end]
        sha256 = hashlib.sha256(unfinished).hexdigest()
        assert (cut.kind, last.content) == ("cut", {"n": 7})
        assert cut.content == {"bytes": len(unfinished), "sha256": sha256, "begins": unfinished.decode()}
        assert faults(path) == []


def test_a_first_record_that_was_not_finished_gives_way(tmp_path: Path) -> None:
    """[RECORD-CUT]"""
    path = tmp_path / "chain.jsonl"
    Records(path).add("note", {"text": "x" * 200_000})
    path.write_bytes(path.read_bytes()[:150_000])
    assert Records(path).add("note", {}).number == 2
    assert [each.kind for each in read_records(path) if isinstance(each, DecisionRecord)] == ["cut", "note"]


@pytest.mark.parametrize(
    "end",
    [
        b'{"policy": "leave.json"}',
        b'{"at":"2026-11-27T19:33:37.123+00:00","before":"' + b"0" * 64 + b'","content":{}}',
        b"\0" * 50,
        b"{}",
    ],
)
@pytest.mark.parametrize("is_behind_others", [True, False])
def test_an_end_that_no_writer_has_begun_is_left_alone(
    tmp_path: Path, end: bytes, is_behind_others: bool
) -> None:
    """[RECORD-CUT]: it may be anybody's file, or a record that was changed."""
    path = tmp_path / "chain.jsonl"
    before = chain_of_three(path) if is_behind_others else b""
    if not is_behind_others and b"000000" in end:
        end = end.replace(b'"before":"0', b'"before":"1')
    path.write_bytes(before + end)
    with pytest.raises(RecordError, match="none of this chain"):
        Records(path).add("note", {})
    assert path.read_bytes() == before + end


def test_a_whole_record_with_another_end_is_no_unfinished_one(tmp_path: Path) -> None:
    """[RECORD-CUT] [RECORD-CHAIN]"""
    path = tmp_path / "chain.jsonl"
    whole = chain_of_three(path)
    path.write_bytes(whole[:-1] + b" ")
    with pytest.raises(RecordError, match="none of this chain"):
        Records(path).add("note", {})


KILLED = """
import os, signal, sys
from pathlib import Path
from potlang.policy import records

path, begun = Path(sys.argv[1]), bytes.fromhex(sys.argv[2])
end = path.read_bytes()

def killed_at(place):
    def write(file, line):
        file.write(line[:place])
        os.kill(os.getpid(), signal.SIGKILL)
    records._write = write
    records.Records(path, sync=False).add("note", {"n": 7})

place = 0
while True:
    path.write_bytes(end + begun)
    if not os.fork():
        killed_at(place)
    os.wait()
    found = path.read_bytes()
    assert found.startswith(end), place
    added = records.Records(path, sync=False).add("note", {"n": 8})
    read = list(records.read_records(path))
    assert all(isinstance(each, records.DecisionRecord) for each in read), (place, read)
    assert read[-1] == added and [each.number for each in read] == list(range(1, len(read) + 1))
    if found.endswith(b"\\n") and found.count(b"\\n") == end.count(b"\\n") + 1 + bool(begun):
        break
    place += int(sys.argv[3])
print(place)
"""


@pytest.mark.parametrize(("begun", "step"), [(b"", 7), (b'{"at":"2026-11-27T19:33:37.123+00:00","bef', 23)])
def test_a_writer_that_is_killed_at_a_byte_loses_no_other_record(
    tmp_path: Path, begun: bytes, step: int
) -> None:
    """[RECORD-CUT]"""
    _kill_writers(tmp_path, begun, step)


@pytest.mark.slow
@pytest.mark.parametrize("begun", [b"", b'{"at":"2026-11-27T19:33:37.123+00:00","bef'])
def test_a_writer_that_is_killed_at_any_byte_loses_no_other_record(tmp_path: Path, begun: bytes) -> None:
    """[RECORD-CUT]"""
    _kill_writers(tmp_path, begun, 1)


def _kill_writers(folder: Path, begun: bytes, step: int) -> None:
    path = folder / "chain.jsonl"
    chain_of_three(path)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), begun.hex(), str(step)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) > 200


def test_a_writer_that_is_stopped_keeps_others_waiting_for_a_while_only(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[RECORD-CUT]"""
    monkeypatch.setattr("potlang.policy.records._BUSY_SECONDS", 0.1)
    Records(path).add("note", {})
    with _locked(path), pytest.raises(RecordError, match=r"by another process|is locked"):
        Records(path).add("note", {})
    assert Records(path).add("note", {}).number == 2


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    if path.suffix == ".sqlite3":
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            yield
    else:
        with path.open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def test_a_killed_writer_leaves_whole_records(path: Path) -> None:
    """[RECORD-CUT]"""
    code = (
        "import sys; from pathlib import Path; from potlang.policy.records import Records\n"
        "records = Records(Path(sys.argv[1]))\n"
        "while True: print(records.add('note', {'text': 'x' * 5000}).number, flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(3):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
    assert Records(path).add("note", {}).number > 3
    assert faults(path) == []


def test_a_full_disk_leaves_the_chain_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[RECORD-CUT]"""
    path = tmp_path / "chain.jsonl"
    records = Records(path)
    records.add("note", {})
    before = path.read_bytes()

    def full(file: Any, line: bytes) -> None:
        file.write(line[:10])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("potlang.policy.records._write", full)
        with pytest.raises(RecordError, match="No space left"):
            records.add("note", {})
    assert path.read_bytes() == before
    assert records.add("note", {}).number == 2


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 100, b"SQLite format 3\x00" + b"x" * 100, b"[1]\n", b"\xff\n"]
)
def test_a_file_that_is_no_chain_is_none(path: Path, content: bytes) -> None:
    """[RECORD-CHAIN]"""
    path.write_bytes(content)
    try:
        found = list(read_records(path))
    except RecordError:
        return
    assert not any(isinstance(each, DecisionRecord) for each in found)
    assert bool(found) is bool(content)


def test_rows_of_a_database_that_were_changed_are_found(tmp_path: Path) -> None:
    """[RECORD-CHAIN]"""
    path = tmp_path / "chain.sqlite3"
    records = Records(path)
    for number in range(4):
        records.add("note", {"n": number})
    with sqlite3.connect(path) as database:
        database.execute("UPDATE records SET line = replace(line, '\"n\":1', '\"n\":7') WHERE number = 2")
    assert [each.place for each in faults(path)] == [2]
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM records WHERE number = 2")
    assert [each.place for each in faults(path)] == [2]


@pytest.mark.parametrize("value", ["a text", 10**12, 1.5])
def test_nothing_is_built_on_a_row_that_is_no_line(tmp_path: Path, value: object) -> None:
    """[RECORD-CHAIN]: others may have put anything there."""
    path = tmp_path / "chain.sqlite3"
    Records(path).add("note", {})
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO records VALUES (2, ?)", (value,))
    assert [each.place for each in faults(path)] == [2]
    with pytest.raises(RecordError, match="none of this chain"):
        Records(path).add("note", {})


# --- decisions ---


def test_decisions_are_decided_again_and_are_the_same(path: Path, guard: Guard) -> None:
    """[RECORD-GUARD] [RECORD-REPLAY]"""
    sessions(guard.recorded(Records(path, sync=False), policy="shop@1"), 120)
    found = replay(path)
    assert (found.decisions, found.changed, found.faults, found.open) == (120, [], [], [])
    kinds = [each.kind for each in read_records(path) if isinstance(each, DecisionRecord)]
    assert kinds[:2] == ["policy", "begin"]
    assert kinds.count("policy") == 1
    # Another process goes on with the chain, and the policy is in it once.
    sessions(Guard(policy(), OPTIONS).recorded(Records(path, sync=False)), 30, seed=2)
    assert replay(path).decisions == 150
    assert [each.kind for each in read_records(path) if isinstance(each, DecisionRecord)].count("policy") == 1


def test_threads_record_the_policy_once(tmp_path: Path) -> None:
    """[RECORD-GUARD]"""
    began = Barrier(4)

    class Slow(Records):
        def add(self, kind: str, content: Mapping[str, Any]) -> DecisionRecord:
            if kind == "policy":
                time.sleep(0.1)
            return super().add(kind, content)

    own = Guard(READING).recorded(Slow(tmp_path / "chain.jsonl", sync=False))

    def begin(_: int) -> None:
        began.wait()
        own.begin()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(begin, range(4)))
    found = [each for each in read_records(tmp_path / "chain.jsonl") if isinstance(each, DecisionRecord)]
    assert [each.kind for each in found] == ["policy", *["begin"] * 4]


def test_a_decision_that_was_written_by_others_is_found(tmp_path: Path, guard: Guard) -> None:
    """[RECORD-REPLAY]"""
    path = tmp_path / "chain.jsonl"
    sessions(guard.recorded(Records(path, sync=False)), 60)
    found = [each for each in read_records(path) if isinstance(each, DecisionRecord)]
    at = next(
        n for n, each in enumerate(found) if each.kind == "decision" and each.content["verdict"] == "refuted"
    )
    # Who writes the whole chain again makes its digests right, and not its decisions.
    again = Records(tmp_path / "again.jsonl", sync=False)
    for number, each in enumerate(found):
        content = dict(each.content)
        if number == at:
            content |= {"permission": "allow", "verdict": "entailed"}
        again.add(each.kind, content)
    changed = replay(tmp_path / "again.jsonl")
    assert [each.place for each in changed.changed] == [at + 1]
    assert changed.changed[0].recorded == "allow (entailed)"


def test_another_policy_decides_otherwise(tmp_path: Path, guard: Guard) -> None:
    """[RECORD-REPLAY]"""
    path = tmp_path / "chain.jsonl"
    sessions(guard.recorded(Records(path, sync=False)), 150)
    stricter = policy()
    rule = next(each for each in stricter["rules"] if each["name"] == "small discounts")
    rule["constraint"] = rule["constraint"].replace("<= 10", "<= 5")
    found = replay(path, guard=Guard(stricter, OPTIONS))
    assert found.faults == []
    records = [
        each for each in read_records(path) if isinstance(each, DecisionRecord) and each.kind == "decision"
    ]
    asked = {each.number: each.content["event"] for each in records}
    assert found.changed
    allowed = [each.place for each in found.changed if "allow" in each.recorded]
    assert {asked[place]["arguments"]["percent"] for place in allowed} == {10}


def test_what_cannot_be_recorded_is_not_allowed(tmp_path: Path, guard: Guard) -> None:
    """[RECORD-GUARD] [GUARD-CLOSED]"""
    path = tmp_path / "chain.jsonl"
    own = guard.recorded(Records(path))
    state = own.begin()
    event = {"tool": "note", "context": {"role": "agent", "hour": 12}}
    allowed = own.check(event, state)
    assert allowed.allowed
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    denied = own.check(event, allowed.state)
    assert denied.permission is Permission.DENY
    assert "none of this chain" in denied.reason
    assert denied.state is allowed.state
    elsewhere = guard.recorded(Records(tmp_path / "none" / "chain.jsonl"))
    assert elsewhere.check(event, guard.begin()).permission is Permission.DENY


def test_events_of_any_kind_are_recorded_and_decided_again(path: Path, guard: Guard) -> None:
    """[RECORD-GUARD]"""
    own = guard.recorded(Records(path, sync=False))
    state = own.begin()
    role = {"role": "agent", "hour": 12}
    for event in (
        None,
        5,
        {"tool": 5},
        {"tool": "note", "arguments": {"x": [float("inf"), object()]}},
        {"tool": "\ud800"},
    ):
        assert not own.check(event, state, context=role).allowed
    assert own.check({"tool": "note"}, state, context=role).allowed
    found = replay(path)
    assert (found.decisions, found.changed, found.faults) == (6, [], [])


READING = {
    "sorts": [
        {"name": "Event", "type": "DeclareSort"},
        {"name": "Tool", "type": "EnumSort", "values": ["read", "write"]},
    ],
    "functions": [
        {"name": "tool", "domain": ["Event"], "range": "Tool"},
        {"name": "allowed", "domain": ["Event"], "range": "Bool"},
    ],
    "rules": [{"forall": [{"name": "e", "sort": "Event"}], "constraint": "tool(e) == read <-> allowed(e)"}],
}


@pytest.mark.parametrize("form", ["digest", "text"])
def test_records_have_certificates_if_they_are_wanted(tmp_path: Path, form: Any) -> None:
    """[RECORD-GUARD]"""
    path = tmp_path / "chain.jsonl"
    own = Guard(READING).recorded(Records(path), certificates=form)
    own.check({"tool": "read"}, own.begin())
    content = list(read_records(path))[-1].content  # type: ignore[union-attr]
    assert len(content["certificate_sha256"]) == 64
    assert ("certificate" in content) is (form == "text")
    assert replay(path).changed == []


def test_answers_of_a_policy_are_recorded_and_asked_again(path: Path) -> None:
    """[RECORD-ANSWER] [RECORD-REPLAY]"""
    program = potlang.compile(LEAVE)
    records = Records(path)
    for case in ({}, {"days": 12}):
        answer = ask(program, ["days <= 31", "days <= 12"], case, explain=False)
        record_answer(records, program, ["days <= 31", "days <= 12"], case, answer, policy="leave")
    found = replay(path)
    assert (found.decisions, found.changed, found.faults) == (2, [], [])
    contents = [each.content for each in read_records(path) if isinstance(each, DecisionRecord)]
    assert [each.get("verdicts") for each in contents] == [
        None,
        ["entailed", "undetermined"],
        ["entailed"] * 2,
    ]


def test_a_policy_that_was_given_as_a_value_is_recorded_whole(path: Path) -> None:
    """[RECORD-ANSWER]"""
    program = potlang.compile(json.loads(LEAVE))
    record_answer(Records(path), program, ["days <= 31"], {}, ask(program, ["days <= 31"], explain=False))
    assert replay(path).faults == []


WITH_NORM: dict[str, Any] = {
    **json.loads(LEAVE),
    "functions": [
        {"name": "days", "domain": [], "range": "Int"},
        {"name": "wide", "domain": [], "range": "Bool"},
    ],
    "rules": [{"name": "a norm", "role": "norm", "constraint": "days <= 10"}],
    "verifications": [
        {"name": "month", "options": [{"constraint": "days <= 31"}, {"constraint": "days > 31"}]},
        {"name": "week", "constraint": "days > 7"},
    ],
}


@pytest.mark.parametrize("claims", [[], ["days <= 12", "days < 40"], WITH_NORM["verifications"][:1]])
def test_certificates_of_answers_are_checked_with_the_rest(path: Path, claims: list[Any]) -> None:
    """[RECORD-ANSWER] [RECORD-CERT] Norms and the policy's own claims have no part in those of others."""
    program = potlang.compile(WITH_NORM)
    case = {"wide": True, "days": 12}
    answer = ask(program, claims, case, explain=False)
    record_answer(Records(path), program, claims, case, answer, certificates="text")
    found = replay(path)
    assert (found.decisions, found.certificates, found.certified, found.faults) == (1, 1, 1, [])


def test_what_was_unknown_has_no_certificate(path: Path) -> None:
    """[RECORD-CERT] Also where solvers that are asked once more would know it, or claims were not begun."""
    program = potlang.compile(WITH_NORM)
    claims = ["days <= 31", *WITH_NORM["verifications"]]
    answer = ask(program, claims, {}, limits=Limits(1, 1), explain=False)
    assert "unknown" in {str(each.verdict) for each in answer.report.results}
    record = record_answer(Records(path), program, claims, {}, answer, certificates="text")
    assert "certificate" not in record.content
    assert replay(path).faults == []


def test_a_decision_that_was_unknown_is_recorded_without_a_certificate(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[RECORD-GUARD] [RECORD-CERT]"""
    own = Guard(READING).recorded(Records(path), certificates="text")
    decision = own.check({"tool": "read"}, own.begin())
    assert decision.before is not None
    unknown = decision._replace(verdict=Verdict.UNKNOWN)
    assert own._recorder is not None
    own._recorder.decided(unknown, decision.before, {"tool": "read"}, None)
    *_, last = [each for each in read_records(path) if isinstance(each, DecisionRecord)]
    assert last.content["verdict"] == "unknown" and "certificate" not in last.content


def _rewritten(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """A chain of its own with other contents of the decisions, as somebody without a key could write it."""
    found = [each for each in read_records(path) if isinstance(each, DecisionRecord)]
    contents = [dict(each.content) for each in found]
    change(contents)
    records = Records(path.with_name("other.jsonl"))
    for each, content in zip(found, contents, strict=True):
        records.add(each.kind, content)
    return path.with_name("other.jsonl")


def _with_certificate(content: dict[str, Any], text: str) -> None:
    content |= {"certificate": text, "certificate_sha256": hashlib.sha256(text.encode()).hexdigest()}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda found: found[-1].update(certificate="x"), "not the one that its digest names"),
        (lambda found: _with_certificate(found[-1], "x"), "not accepted"),
        (lambda found: _with_certificate(found[-1], found[-2]["certificate"]), "not accepted"),
        (lambda found: found[-1].update(verdict="entailed", permission="allow"), "about another verdict"),
    ],
)
def test_a_certificate_that_shows_something_else_is_a_fault(
    path: Path, change: Callable[[list[dict[str, Any]]], None], problem: str
) -> None:
    """[RECORD-CERT] Of a chain that somebody has written anew, too."""
    own = Guard(READING).recorded(Records(path), certificates="text")
    state = own.check({"tool": "read"}, own.begin()).state
    own.check({"tool": "write"}, state)
    assert (replay(path).certificates, replay(path).certified, replay(path).faults) == (2, 2, [])
    found = replay(_rewritten(path, change))
    assert [(each.place, problem in each.problem) for each in found.faults] == [(4, True)]


def test_a_certificate_of_another_version_may_be_about_another_program(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[RECORD-CERT]"""
    monkeypatch.setattr("potlang.policy.records.__version__", "0.0.1")
    own = Guard(READING).recorded(Records(path), certificates="text")
    own.check({"tool": "write"}, own.check({"tool": "read"}, own.begin()).state)

    def change(found: list[dict[str, Any]]) -> None:
        _with_certificate(found[-1], found[-2]["certificate"])

    found = replay(_rewritten(path, change))
    assert (found.certificates, found.certified, found.faults) == (2, 1, [])


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["a number that is equal", "a number between"])
def test_what_facts_decide_of_unlisted_numbers_has_certificates(tmp_path: Path, rule: str) -> None:
    """[RECORD-GUARD] [RECORD-CERT]"""
    path = tmp_path / "chain.jsonl"
    guard = Guard(policy_with(UNLISTED[rule]), {**OPTIONS, "timeout": 60})
    own = guard.recorded(Records(path), certificates="text")
    context = {"role": "agent", "hour": 12}
    verified = own.check(
        {"tool": "verify", "arguments": {"customer": "ann"}, "context": context}, own.begin()
    )
    state = own.outcome(verified.state, {"succeeded": True})
    for amount, permission in ((100, Permission.ALLOW), (160, Permission.DENY)):
        arguments = {"customer": "ann", "order": 1, "amount": amount}
        decision = own.check({"tool": "refund", "arguments": arguments, "context": context}, state)
        assert (decision.by, decision.permission) == ("facts", permission), decision.reason
    found = replay(path)
    assert (found.certificates, found.certified, found.changed, found.faults) == (3, 3, [], [])


def test_lines_have_one_form() -> None:
    """[RECORD-CHAIN]"""
    assert canonical_line({"b": 1, "a": "é"}) == b'{"a":"\\u00e9","b":1}'
    assert os.linesep not in canonical_line({"a": "\n\u2028"}).decode()


def test_a_decision_that_its_certificate_does_not_bear_out_is_denied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[RECORD-GUARD]"""
    never = {**READING, "rules": [{**READING["rules"][0], "constraint": "not allowed(e)"}]}  # type: ignore[index]
    other = Guard(never)
    own = Guard(READING).recorded(Records(tmp_path / "chain.jsonl"), certificates="digest")
    state = own.begin()
    reports = other.report(other.begin(), {"tool": "read"}, certificate=True)
    monkeypatch.setattr(Guard, "report", lambda *_, **__: reports)
    decision = own.check({"tool": "read"}, state)
    assert decision.permission is Permission.DENY and decision.state is state
    assert "is not what the solvers say" in decision.reason
