"""Any bytes get a report: random ones, damaged traces, and traces whose propositions are damaged."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies.reasoning import reasoning

import potlang.dot
from potlang.languages.dot.read.records import PROFILES, Profile
from potlang.languages.dot.results import TraceVerdict
from potlang.report.results import Limits
from potlang.testing import damaged_propositions, damaged_traces
from potlang.testing.traces import damaged

LIMITS = Limits(check_ms=2_000, total_ms=5_000)
PIECES = (
    *(b"@node id=", b"@edge src=", b" dst=", b"@status", b"\n", b"1", b"@@len=", b"@@", b"@prop id=1 {"),
    *(b" role=proposer\n", b' "p"', b"<proposer>", b"</proposer>", b"\xff"),
)


def check_reported(data: bytes, profile: Profile = "paper") -> None:
    """There is a report, its JSON can be written, and an error is all that rejects a trace."""
    report = potlang.dot.verify(data, profile=profile, trust="solver", limits=LIMITS)
    assert json.loads(json.dumps(report.to_dict()))["kind"] == "dot"
    errors = [each for each in report.diagnostics if each.severity == "error"]
    assert (report.verdict == TraceVerdict.REJECTED) == bool(errors)
    for each in report.located:
        assert each["rule"] and each["line"] and each["column"]
        is_form = each["severity"] == "error" and each["code"].startswith("POT50")
        assert each["helps"] or not is_form
    assert potlang.dot.check(data, profile=profile).ok == (not errors)


def damaged_reasoning(random: Random) -> bytes:
    """Reasoning whose names are declared, with one to three mutations."""
    return damaged(reasoning(random).text, random)


def random_bytes(random: Random) -> bytes:
    """Bytes, or pieces of records in any order."""
    if random.random() < 0.3:
        return random.randbytes(random.randint(0, 200))
    return b"".join(random.choice(PIECES) for _ in range(random.randint(0, 40)))


ANY = st.one_of(
    st.builds(damaged_reasoning, st.randoms(use_true_random=False)),
    st.builds(random_bytes, st.randoms(use_true_random=False)),
    damaged_traces(),
    damaged_propositions(),
)


@settings(max_examples=60)
@given(ANY, st.sampled_from(PROFILES))
def test_any_input_gets_a_report(data: bytes, profile: Profile) -> None:
    check_reported(data, profile)


@pytest.mark.slow
@settings(max_examples=2_000, derandomize=False)
@given(ANY, st.sampled_from(PROFILES))
def test_two_thousand_inputs_get_a_report(data: bytes, profile: Profile) -> None:
    check_reported(data, profile)
