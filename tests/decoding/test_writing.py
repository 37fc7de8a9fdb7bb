"""Algorithm 1 with scripted and random models."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="masks need numpy (potlang[decoding])")

from potlang import dot  # noqa: E402
from potlang.decoding import BadVocabulary, Budgets, BudgetTooSmall, TokenVocabulary, TraceGoal  # noqa: E402
from potlang.dot import BadLogits, TraceVerdict, WrittenTrace, check, verify  # noqa: E402
from potlang.languages.dot.read.records import Edge, End  # noqa: E402
from potlang.models.traces.prompting import writing_prompt  # noqa: E402
from potlang.report.results import Verdict  # noqa: E402

write = partial(dot.write, prompt="")
"""Without the default prompt, which these models do not read."""
VOCABULARY = TokenVocabulary(
    [*(bytes((byte,)) for byte in range(256)), b"@node id=", b"\n@node id=", None], end=258
)
SIZE = len(VOCABULARY)
THEORY: dict[str, Any] = {"declare": {"x": "Int"}, "assume": [{"gt": ["x", 3]}]}
GOOD = """\
@node id=2 role=proposer
@edge src=1 dst=2 kind=use
@prop id=2 {"gt": ["x", 2]}
x is more than 2.
@node id=9 role=proposer
@edge src=1 dst=9 kind=use
@prop id=9 {"lt": ["x", 2]}
@node id=20 role=critic
@edge src=2 dst=20 kind=critique
@status target=2 mark=validated just=20
@node id=30 role=summarizer
@edge src=2 dst=30 kind=use
@prop id=30 {"gt": ["x", 2]}
<summarizer:end>
"""
DONE = "Solver: it follows from the problem.\n"


class Following:
    """Writes one text, lines that are taken back once more, and passes over those that it did not write."""

    def __init__(self, text: str) -> None:
        self.lines = text.encode().splitlines(keepends=True)

    def __call__(self, tokens: Sequence[int]) -> Any:
        data = b"".join(VOCABULARY.tokens[each] or b"" for each in tokens)
        *before, last = [b"", *data.split(b"\n")]
        at = 0
        for line in before:
            at += at < len(self.lines) and self.lines[at] == line + b"\n"
        found = np.zeros(SIZE)
        wanted = VOCABULARY.end if at == len(self.lines) else self.lines[at][len(last)]
        found[wanted] = 9
        return found


def random_model(seed: int) -> Any:
    random = np.random.default_rng(seed)
    return lambda tokens: random.normal(size=SIZE)


def closed(written: WrittenTrace) -> None:
    checked = check(written.trace)
    assert checked.trace.is_well_formed
    assert any(checked.trace.of(End))
    assert any(each.kind == "critique" for each in checked.trace.of(Edge))
    shown = b"".join(VOCABULARY.tokens[each] or b"" for each in written.tokens)
    assert shown == written.trace


@pytest.mark.parametrize("seed", range(6))
def test_random_models_write_traces_within_the_budget(seed: int) -> None:
    """[WRITE-TRACE] [WRITE-CLOSE]"""
    written = write(
        random_model(seed),
        "Is x > 2?\n@node id=2\n<critic>\n",
        vocabulary=VOCABULARY,
        max_tokens=700,
        temperature=1.0,
        seed=seed,
        role_tokens=seed % 2 == 1,
        verdicts="offered" if seed % 3 else "placed",
        profile="strict" if seed > 3 else "paper",
    )
    if seed <= 3:
        closed(written)
    assert len(written.tokens) <= 700
    assert check(written.trace, profile="strict" if seed > 3 else "paper").trace.is_well_formed


def test_a_script_is_written_as_it_stands() -> None:
    """[WRITE-TRACE]"""
    written = write(Following(GOOD), "Is x > 2?", vocabulary=VOCABULARY, **THEORY)
    assert written.ended == "end"
    assert written.text.endswith(GOOD)
    assert written.verdicts == {}
    closed(written)
    assert verify(written.trace).verdict is TraceVerdict.ACCEPTED


def test_verdicts_are_offered_to_the_critic() -> None:
    """[WRITE-VERDICT]"""
    written = write(Following(GOOD), "Is x > 2?", vocabulary=VOCABULARY, verdicts="offered", **THEORY)
    assert written.verdicts == {2: Verdict.ENTAILED, 9: Verdict.REFUTED}
    assert f"x is more than 2.\n{DONE}@node id=9" in written.text
    assert "Solver: its negation follows from the problem.\n@node id=20 role=critic" in written.text
    closed(written)
    assert verify(written.trace).verdict is TraceVerdict.ACCEPTED


@pytest.mark.parametrize("role_tokens", [False, True])
def test_verdicts_take_the_place_of_the_critic(role_tokens: bool) -> None:
    """[WRITE-VERDICT]"""
    text = GOOD[: GOOD.index("@node id=20")] + GOOD[GOOD.index("@node id=30") :]
    if role_tokens:
        for role in ("proposer", "summarizer"):
            text = re.sub(f"^(?=@node.*={role}$)", f"<{role}>\\n", text, flags=re.MULTILINE)
    written = write(
        Following(text),
        "Is x > 2?",
        vocabulary=VOCABULARY,
        verdicts="placed",
        role_tokens=role_tokens,
        **THEORY,
    )
    assert written.verdicts == {2: Verdict.ENTAILED, 9: Verdict.REFUTED}
    placed = (
        "@node id=3 role=critic\n@edge src=2 dst=3 kind=critique\n@status target=2 mark=validated just=3\n"
    )
    assert placed + DONE in written.text
    assert "@status target=9 mark=invalidated just=10\n" in written.text
    closed(written)
    report = verify(written.trace)
    assert report.verdict is TraceVerdict.ACCEPTED
    assert report.summary.faithful


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_logits_that_are_none_are_an_error_first_and_end_the_trace_later(bad: float) -> None:
    """[WRITE-LOGITS]"""
    with pytest.raises(BadLogits):
        write(lambda tokens: np.full(SIZE, bad), "Is x > 2?", vocabulary=VOCABULARY)
    good, random = iter(range(40)), random_model(1)
    written = write(
        lambda tokens: random(tokens) if next(good, None) is not None else np.full(SIZE, bad),
        "Is x > 2?",
        vocabulary=VOCABULARY,
    )
    assert (written.ended, written.calls) == ("logits", 41)
    closed(written)


@pytest.mark.parametrize("given", [[], [0.0], "logits", None, [[0.0] * SIZE]])
def test_logits_of_another_shape_are_an_error(given: Any) -> None:
    """[WRITE-LOGITS]"""
    with pytest.raises(BadLogits):
        write(lambda tokens: given, "Is x > 2?", vocabulary=VOCABULARY)


@pytest.mark.parametrize("most", [1, 50, 120])
def test_a_budget_that_is_too_small_is_an_error_before_the_model_is_asked(most: int) -> None:
    """[WRITE-CLOSE]"""
    with pytest.raises(BudgetTooSmall):
        write(_never_asked, "Is x > 2? " * 5, vocabulary=VOCABULARY, max_tokens=most)


def _never_asked(tokens: Sequence[int]) -> Any:
    raise AssertionError("asked")


def test_a_model_that_never_ends_is_ended() -> None:
    """[WRITE-CLOSE]"""
    endless = np.zeros(SIZE)
    endless[ord("a")] = 9
    written = write(lambda tokens: endless, "Why?", vocabulary=VOCABULARY, max_tokens=500)
    assert written.ended == "budget"
    assert 450 < len(written.tokens) <= 500
    closed(written)
    slow = write(lambda tokens: endless, "Why?", vocabulary=VOCABULARY, timeout=1e-6)
    assert (slow.ended, slow.calls) == ("time", 1)
    closed(slow)


def test_a_seed_repeats_a_trace() -> None:
    """[WRITE-SEED]"""

    def once(seed: int) -> bytes:
        found = np.random.default_rng(0).normal(size=SIZE)
        return write(
            lambda tokens: found, "Why?", vocabulary=VOCABULARY, max_tokens=400, temperature=1.0, seed=seed
        ).trace

    assert once(1) == once(1) != once(2)


@pytest.mark.parametrize(
    "wrong",
    [{"verdicts": "all"}, {"temperature": math.nan}, {"temperature": -1}, {"timeout": 0}, {"profile": "lax"}],
)
def test_options_that_mean_nothing_are_errors(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        write(_never_asked, "Why?", vocabulary=VOCABULARY, **wrong)


def test_budgets_and_goals_are_those_of_the_masker() -> None:
    """[WRITE-CLOSE]"""
    written = write(
        random_model(3),
        "Why?",
        vocabulary=VOCABULARY,
        budgets=Budgets(text=40, ids=9),
        goal=TraceGoal(),
        max_tokens=300,
    )
    assert max(check(written.trace).trace.nodes) <= 9


def test_a_vocabulary_encodes_by_its_longest_tokens() -> None:
    """[DECODE-ENCODE]"""
    assert VOCABULARY.encode("\n@node id=1") == [257, ord("1")]
    with pytest.raises(ValueError, match="no token begins"):
        TokenVocabulary([b"a"]).encode("ab")


@pytest.mark.parametrize("role_tokens", [False, True])
def test_the_default_prompt_is_what_is_told_of_traces(role_tokens: bool) -> None:
    """[WRITE-PROMPT]"""
    asked: list[Sequence[int]] = []

    def model(tokens: Sequence[int]) -> Any:
        asked.append(tokens)
        return np.zeros(SIZE)

    written = dot.write(model, "Why?", vocabulary=VOCABULARY, role_tokens=role_tokens, max_tokens=260)
    before = writing_prompt("paper", role_tokens)
    shown = b"".join(VOCABULARY.tokens[each] or b"" for each in asked[0])
    assert shown.startswith(before.encode()) and b"Why?" in shown[len(before.encode()) :]
    assert b"Examples" not in written.trace
    poor = TokenVocabulary([bytes((byte,)) for byte in range(256) if byte != "…".encode()[0]])
    with pytest.raises(BadVocabulary, match="give a `prompt`"):
        dot.write(_never_asked, "Why?", vocabulary=poor)


def test_propositions_are_written_with_declared_names() -> None:
    """[WRITE-NAMES]"""
    wrong = GOOD.replace('{"gt": ["x", 2]}', '{"gt": ["q", 2]}')
    free = write(Following(wrong), "Is x > 2?", vocabulary=VOCABULARY, names=(), **THEORY)
    assert '"q"' in free.text
    head = len(free.trace) - len(wrong)

    def without_escapes(tokens: Sequence[int]) -> Any:
        found = np.zeros(SIZE)
        at = sum(len(VOCABULARY.tokens[each] or b"") for each in tokens) - head
        found[wrong.encode()[at] if at < len(wrong) else ord("\n")] = 9
        found[ord("\\")] = -9
        return found

    limited = write(without_escapes, "Is x > 2?", vocabulary=VOCABULARY, prompt="", **THEORY)
    assert limited.text[head:] == wrong.replace('"q"', '"x"')
    closed(limited)
    with pytest.raises(ValueError, match="other names than x"):
        write(
            _never_asked, "Is y > 2?", vocabulary=VOCABULARY, declare={"x": "Int"}, assume=[{"gt": ["y", 3]}]
        )
    with pytest.raises(ValueError, match="no name"):
        write(_never_asked, "Why?", vocabulary=VOCABULARY, names=["and"])
