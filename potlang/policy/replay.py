"""Decisions of a chain of records decided again, and its faults ([RECORD-REPLAY])."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

from potlang.certify import check as check_certificate
from potlang.languages.pot.check import compile as compile_program
from potlang.languages.pot.claims import Claim
from potlang.languages.pot.program import CompileError, Program
from potlang.policy.answers import PolicyAnswer, ask
from potlang.policy.cases import Case, in_order, program_text
from potlang.policy.guard.guard import Guard, Permission
from potlang.policy.guard.options import GuardOptions
from potlang.policy.guard.state import GuardState
from potlang.policy.records import (
    Certificates,
    DecisionRecord,
    RecordFault,
    Records,
    certificate_content,
    read_records,
)
from potlang.policy.tests import PolicyError
from potlang.report.base import to_plain
from potlang.report.results import Limits, Verdict
from potlang.version import __version__


class ChangedDecision(NamedTuple):
    """A decision that is another one now: its place in the chain, and both as text."""

    place: int
    recorded: str
    now: str


@dataclass(slots=True)
class Replay:
    """The outcome of deciding the records of a chain again.

    `decisions` were decided again and are the same unless they are in `changed`; `open` are places where the
    verdict is unknown now. `cuts` are places of records that were not finished, as where a process was
    killed: nothing was decided by them. `certificates` are kept in the chain, and `certified` of these show
    all that was decided; the others rest on a solver's word somewhere, or are of another version of potlang.
    `head` is the digest of the last record: who keeps it elsewhere finds that the end of a chain was taken
    away.
    """

    records: int = 0
    decisions: int = 0
    faults: list[RecordFault] = field(default_factory=list)
    changed: list[ChangedDecision] = field(default_factory=list)
    open: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    certificates: int = 0
    certified: int = 0
    head: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        found: dict[str, Any] = to_plain({each.name: getattr(self, each.name) for each in fields(self)})
        return found


def replay(
    path: Path, *, key: bytes = b"", guard: Guard | None = None, head: str = "", limits: Limits = Limits()
) -> Replay:
    """Decides all decisions of a chain again, by the policies in it, or by that of another `guard`.

    Certificates in the chain are checked by the kernel; those of a policy in whose place there is another
    guard are not. `head` is the digest that the last record should have. Raises RecordError for what cannot
    be read.
    """
    found = Replay()
    replaying = _Replaying(found, key, guard, limits)
    for each in read_records(path, key):
        if isinstance(each, RecordFault):
            found.faults.append(each)
            continue
        found.records += 1
        found.head = each.digest
        try:
            replaying.take(each)
        except (PolicyError, CompileError, KeyError, TypeError, ValueError) as error:
            text = str(error).splitlines()[0] if str(error) else type(error).__name__
            found.faults.append(RecordFault(each.number, f"it cannot be decided again: {text}"))
    if head and head != found.head:
        place = found.records + 1
        found.faults.append(RecordFault(place, "the chain does not end with the record that it should"))
    return found


class _Replaying:
    """The guards and policies of a chain so far, and the states of sessions by their recorded seals."""

    def __init__(self, found: Replay, key: bytes, guard: Guard | None, limits: Limits) -> None:
        self._found = found
        self._key = key
        self._other = guard
        self._limits = limits
        self._guards: dict[str, Guard] = {}
        self._programs: dict[str, Program] = {}
        self._states: dict[tuple[str, str], GuardState] = {}

    def take(self, record: DecisionRecord) -> None:
        """One record. Raises PolicyError, CompileError, KeyError, TypeError, ValueError."""
        content = record.content
        match record.kind:
            case "policy":
                self._policy(content)
            case "begin":
                guard = self._guard(content)
                self._states[content["guard"], content["state"]] = guard.begin(content["case"])
            case "decision":
                self._decision(record)
            case "outcome":
                self._outcome(content)
            case "answer":
                self._answer(record)
            case "cut":
                self._found.cuts.append(record.number)
            case _:
                raise PolicyError(f"nothing is known of records of the kind {record.kind!r:.50}")

    def _policy(self, content: Mapping[str, Any]) -> None:
        if "guard" in content:
            guard = Guard(content["program"], GuardOptions.of(content["options"]), key=self._key)
            if guard.digest != content["guard"]:
                raise PolicyError("the policy is not the one that its digest names")
            self._guards[guard.digest] = guard
        else:
            text = content["program"]
            if _sha256(text) != content["sha256"]:
                raise PolicyError("the policy is not the one that its digest names")
            self._programs[content["sha256"]] = compile_program(text)

    def _guard(self, content: Mapping[str, Any]) -> Guard:
        if self._other is not None:
            return self._other
        guard = self._guards.get(content["guard"])
        if guard is None:
            raise PolicyError("the chain does not have the policy")
        return guard

    def _state(self, content: Mapping[str, Any]) -> GuardState:
        place = content["guard"], content["state"]
        state = self._states.get(place)
        if state is None:
            raise PolicyError("the chain does not have the session before it")
        # The last state alone keeps what is known of it: earlier ones are read again if they are needed.
        self._states[place] = replace(state, facts=None)
        return state

    def _decision(self, record: DecisionRecord) -> None:
        content = record.content
        guard, state = self._guard(content), self._state(content)
        if self._other is None and "certificate" in content:
            self._certificate(record, guard.applied(state, content["fields"]), [content["verdict"]])
        now = guard.check(content["event"], state)
        self._found.decisions += 1
        if now.verdict is Verdict.UNKNOWN and content["verdict"] != Verdict.UNKNOWN:
            self._found.open.append(record.number)
        elif (now.permission, now.verdict) != (content["permission"], content["verdict"]):
            recorded = _text(content["permission"], content["verdict"])
            changed = ChangedDecision(record.number, recorded, _text(now.permission, now.verdict))
            self._found.changed.append(changed)
        after = now.state
        if now.permission != content["permission"] or (after is state) is not (
            content["after"] == content["state"]
        ):
            # The session went on by what was decided then.
            kept = content["after"] == content["state"]
            after = state if kept else guard.followed_as(
                state, content["fields"], Permission(content["permission"])
            )  # fmt: skip
        self._states[content["guard"], content["after"]] = after

    def _outcome(self, content: Mapping[str, Any]) -> None:
        guard, state = self._guard(content), self._state(content)
        answer = content.get("decision")
        permission = None if answer is None else Permission(answer)
        after = guard.outcome(state, content["fields"], of=content["of"], permission=permission)
        self._states[content["guard"], content["after"]] = after

    def _answer(self, record: DecisionRecord) -> None:
        content = record.content
        program = self._programs.get(content["sha256"])
        if program is None:
            raise PolicyError("the chain does not have the policy")
        if "certificate" in content:
            asked = Case.of(content["case"]).asking(program, content["claims"])
            self._certificate(record, asked, content["verdicts"])
        now = ask(program, content["claims"], content["case"], limits=self._limits, explain=False)
        self._found.decisions += 1
        verdicts = [str(each.verdict) for each in now.report.results]
        if verdicts == content["verdicts"]:
            return
        if Verdict.UNKNOWN in verdicts:
            self._found.open.append(record.number)
        else:
            changed = ChangedDecision(record.number, ", ".join(content["verdicts"]), ", ".join(verdicts))
            self._found.changed.append(changed)

    def _certificate(self, record: DecisionRecord, program: Program, verdicts: Sequence[str]) -> None:
        """Has the kernel check the certificate of these verdicts on the claims of a program."""
        self._found.certificates += 1
        text = record.content["certificate"]
        outcome = check_certificate(text, program.emit("ir", passes=""))
        keys = [each.key for each in program.module.claims]
        found = [outcome.verdicts.get(key, "") for key in keys]
        if _sha256(text) != record.content["certificate_sha256"]:
            problem = "its certificate is not the one that its digest names"
        elif outcome.status == "INVALID":
            if record.potlang != __version__:
                # That version may have made another program of the policy.
                return
            problem = f"its certificate is not accepted: {outcome.message}"
        elif any(new not in (old, Verdict.UNKNOWN) for old, new in zip(verdicts, found, strict=True)):
            problem = "its certificate is about another verdict"
        else:
            self._found.certified += not any(key in outcome.open for key in keys)
            return
        self._found.faults.append(RecordFault(record.number, problem))


def record_answer(
    records: Records,
    program: Program,
    claims: Sequence[Claim],
    case: Mapping[str, Any] | None,
    answer: PolicyAnswer,
    *,
    policy: str = "",
    certificates: Certificates = "none",
    limits: Limits = Limits(),
) -> DecisionRecord:
    """Records the answer of a policy to claims in a case.

    With `certificates` solvers are asked once more, within `limits`, for the certificate of the verdicts.
    Raises RecordError.
    """
    text = program_text(program)
    digest = _sha256(text)
    known = (each for each in records.read() if isinstance(each, DecisionRecord) and each.kind == "policy")
    if not any(each.content.get("sha256") == digest for each in known):
        records.add("policy", {"id": policy, "program": text, "sha256": digest})
    results = answer.report.results
    decided = [each.verdict for each in results]
    evidence: dict[str, str] = {}
    # Of what was unknown there is nothing to be certified, though solvers might know it now.
    if certificates != "none" and answer.report.verdict != "rejected" and Verdict.UNKNOWN not in decided:
        asked = Case.of(in_order(case or {})).asking(program, claims)
        with asked.session(limits=limits) as session:
            report = session.run(certificate=True)
        found = [each.verdict for each in report.results]
        evidence = certificate_content(decided, found, report.certificate, certificates)
    return records.add(
        "answer",
        {
            "policy": policy,
            "sha256": digest,
            "claims": list(claims),
            "case": to_plain(dict(case or {})),
            "verdicts": [str(each.verdict) for each in results],
            "rules": [to_plain(list(each.evidence.core or ())) for each in results],
            **evidence,
        },
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _text(permission: str, verdict: str | None) -> str:
    return f"{permission} ({verdict or 'refused'})"
