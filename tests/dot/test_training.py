"""Training records: forms, broken and repaired traces, programs, traces that a model wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import potlang.dot
from potlang.dot import Difficulty, Sample, synthesize, synthesize_from_programs
from potlang.generate.programs import ProgramDifficulty, generate
from potlang.generate.solved import NotSampled, sample_of_trace, samples_of_program
from potlang.generate.trace_slips import SLIPS, slip
from potlang.languages.dot.read.records import Eq
from potlang.models import training_records
from potlang.models.endpoint import Recorded
from potlang.models.training.auxiliary_loss import ScoredLiteral, ScoredText, auxiliary_loss, literal_texts
from potlang.models.training.trace_records import BrokenShare, TrainingForm, kept
from potlang.report.results import Verdict

EXAMPLES = Path(__file__).parents[2] / "examples"
FORMS: tuple[TrainingForm, ...] = ("sample", "text", "chat", "completion")
EQUAL = Difficulty(2, 2, 0.4, 0.5, 0.7)
ALL_BROKEN = BrokenShare(1.0, 4)
SAMPLES = list(synthesize(8, 2, difficulty=Difficulty(2, 2)))


def of_program(source: dict[str, Any], **options: Any) -> list[Sample | NotSampled]:
    return list(samples_of_program(source, **options))


# --- what samples are made of ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["horn", "arithmetic"])
def test_steps_are_proposed_again_as_equal(kind: Any) -> None:
    """[DOT-SYNTH-2]: each label and literal is the solver's, and the trace is established."""
    for sample in synthesize(4, 9, kind=kind, difficulty=EQUAL):
        trace = potlang.dot.read(sample.trace)
        assert any(trace.of(Eq))
        again = sample_of_trace(sample.trace)
        assert isinstance(again, Sample) and again.labels == sample.labels and again.hash == sample.hash
        assert len(again.entailed_literals) == len(sample.entailed_literals)


@pytest.mark.parametrize("profile", ["strict", "paper"])
def test_samples_are_established_with_role_tokens_too(profile: Any) -> None:
    """[DOT-SYNTH-2]"""
    plain = list(synthesize(4, 9, difficulty=EQUAL, profile=profile))
    tokens = list(synthesize(4, 9, difficulty=EQUAL, profile=profile, role_tokens=True))
    for one, other in zip(plain, tokens, strict=True):
        assert one._replace(trace="") == other._replace(trace="")
        assert potlang.dot.read(other.trace, profile=profile).has_role_tokens
        assert potlang.dot.verify(other.trace, profile=profile, trust="solver").ok


def test_claims_of_programs_are_problems() -> None:
    """[DOT-SYNTH-FROM]: entailed ones, with the program as theory where the trace cannot declare all."""
    for level in (1, 4):
        made = generate(level, ProgramDifficulty.of_level(level), Verdict.ENTAILED).program
        [sample] = of_program(made, role_tokens=level == 4)
        assert isinstance(sample, Sample) and sample.theory == made and '"assume"' not in sample.trace
        report = potlang.dot.verify(sample.trace, theory=made, trust="solver", require=["entailed"])
        assert report.ok and report.hash == sample.hash
        assert sample.entailed_literals == potlang.dot.entailed_literals(sample.trace, made)
        assert sample.to_dict()["theory"] == made
    refuted = generate(5, ProgramDifficulty.of_level(1), Verdict.REFUTED).program
    [found] = of_program(refuted)
    assert isinstance(found, NotSampled) and "refuted" in found.reason
    plain = {
        "variables": [{"name": "x", "sort": "Int"}],
        "knowledge_base": ["x > 3"],
        "verifications": [{"name": "more", "constraint": "x > 2"}, {"name": "open", "constraint": "x > 9"}],
    }
    one, other = of_program(plain)
    assert isinstance(one, Sample) and one.theory is None and isinstance(other, NotSampled)
    assert potlang.dot.verify(one.trace, trust="solver").ok and "theory" not in one.to_dict()


def test_generated_programs_give_the_same_samples_whatever_the_count() -> None:
    """[DOT-SYNTH-FROM]"""
    three, one = list(synthesize_from_programs(3, 5, level=2)), list(synthesize_from_programs(1, 5, level=2))
    assert three[:1] == one and len({each.trace for each in three}) == 3
    with pytest.raises(ValueError):
        synthesize_from_programs(1, level=0)
    with pytest.raises(ValueError):
        synthesize_from_programs(-1)


def test_only_established_traces_are_kept() -> None:
    """[DOT-SYNTH-KEEP]"""
    good = SAMPLES[0]
    selfish = """\
@node id=1 role=problem
@prop id=1 {"declare": {"x": "Int"}, "assume": [{"gt": ["x", 3]}]}
@node id=2 role=proposer
@status target=2 mark=validated
@prop id=2 {"gt": ["x", 9]}
@node id=3 role=summarizer
@edge src=2 dst=3 kind=use
@prop id=3 {"gt": ["x", 9]}
<summarizer:end>
"""
    program = generate(3, ProgramDifficulty.of_level(2), Verdict.ENTAILED).program
    [derived] = of_program(program)
    assert isinstance(derived, Sample)
    own = derived.trace.replace("role=problem\n", 'role=problem\n@prop id=1 {"assume": []}\n', 1)
    lines = [
        json.dumps({"trace": good.trace, "question": "Why?"}),
        "",
        json.dumps({"trace": selfish}),
        json.dumps({"trace": good.trace.replace("<summarizer:end>\n", "")}),
        json.dumps({"trace": f"Here:\n```\n{good.trace}```"}),
        derived.to_json(),
        json.dumps({"trace": own, "theory": program}),
        json.dumps({"trace": derived.trace, "theory": {**program, "knowledge_base": ["nobody(x)"]}}),
        "[1]",
        "{",
    ]
    found = list(kept(lines))
    named = [each if isinstance(each, NotSampled) else each.trace for each in found]
    assert [isinstance(each, str) for each in named] == [
        *(True, False, False, True, True),
        *(False, False, False, False),
    ]
    assert named[0] == named[3] == good.trace and named[4] == derived.trace
    assert isinstance(found[0], Sample) and found[0].problem == "Why?" and found[0].labels == good.labels
    reasons = [each.reason for each in found if isinstance(each, NotSampled)]
    assert "the proposer's own block validates node 2" in reasons[0] and "end" in reasons[1]
    assert reasons[2] == "it assumes something beside its theory" and "theory has errors" in reasons[3]
    assert reasons[4:] == ["it has no `trace`", "it is no JSON"]
    assert {each.name for each in found if isinstance(each, NotSampled)} == {
        *("line 3", "line 4", "line 7", "line 8", "line 9", "line 10"),
    }


# --- slips ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SLIPS)
def test_each_slip_is_reported(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOT-SYNTH-BROKEN]: at one place of the trace."""
    monkeypatch.setattr("potlang.generate.trace_slips.SLIPS", {kind: SLIPS[kind]})
    for seed, sample in enumerate(SAMPLES[:3]):
        found = slip(sample.trace, Random(seed))
        assert found.kind == kind and found.broken != sample.trace
        checked = potlang.dot.check(found.broken, require_end=True)
        if found.report is not None:
            assert kind == "misjudged" and checked.ok and found.report.verdict != "unknown"
            assert potlang.dot.verify(found.broken, trust="solver").established.holds is False
        else:
            assert found.diagnostics
            assert not checked.ok or {each.code for each in checked.diagnostics} >= {"POT5066"}
        lines, broken = sample.trace.splitlines(), found.broken.splitlines()
        if kind == "cut":
            assert lines[: len(broken)] == broken
        else:
            assert sum(line not in lines for line in broken) <= 1
            assert abs(len(lines) - len(broken)) <= 1


def test_slips_of_traces_with_role_tokens_and_theories() -> None:
    """[DOT-SYNTH-BROKEN]"""
    tokens = next(synthesize(1, 3, role_tokens=True))
    [derived] = synthesize_from_programs(1, 3)
    kinds = {slip(tokens.trace, Random(seed)).kind for seed in range(25)}
    assert len(kinds) > 7
    for seed in range(6):
        found = slip(derived.trace, Random(seed), theory=derived.theory)
        assert found.diagnostics or found.report is not None


# --- records --------------------------------------------------------------------------------------------


def test_forms_hold_the_trace() -> None:
    """[DOT-TRAIN]"""
    sample, text, chat, completion = (list(training_records(SAMPLES, form)) for form in FORMS)
    for at, each in enumerate(SAMPLES):
        assert json.dumps(sample[at], ensure_ascii=False) == each.to_json()
        assert text[at] == {"text": each.trace}
        assert [message["role"] for message in chat[at]["messages"]] == ["system", "user", "assistant"]
        assert chat[at]["messages"][-1] == {"role": "assistant", "content": each.trace}
        prompt, rest = completion[at]["prompt"], completion[at]["completion"]
        assert prompt + rest == each.trace and prompt.count("@node") == 1 and rest.startswith("@node id=2")
    tokens = synthesize(1, 3, role_tokens=True)
    [record] = training_records(tokens, "completion")
    assert record["prompt"].startswith("<problem>\n") and record["completion"].startswith("<proposer>\n")


def test_conversations_are_those_of_the_loop_where_a_critic_errs(monkeypatch: pytest.MonkeyPatch) -> None:
    """[DOT-TRAIN]: what the solver says of a well-formed trace is the next question."""
    kinds = {"misjudged": SLIPS["misjudged"]}
    monkeypatch.setattr("potlang.generate.trace_slips.SLIPS", kinds)
    told = 0
    for seed in range(4):
        broken = BrokenShare(1.0, seed)
        [record] = training_records(SAMPLES[:1], "chat", broken=broken)
        [sample] = training_records(SAMPLES[:1], broken=broken)
        _, _, wrong, said, answer = record["messages"]
        model = Recorded([wrong["content"], answer["content"]])
        potlang.dot.reason(SAMPLES[0].problem, model, trust="solver")
        assert model.asked[1].messages[-1].content == said["content"]
        assert ("reasons" in sample) is ("The solver says" in said["content"])
        told += "reasons" in sample
    assert told


def test_conversations_are_those_of_the_loop() -> None:
    """[DOT-TRAIN]: the loop asks the very same, also behind a broken trace."""
    records = list(training_records(SAMPLES[:4], "chat", broken=ALL_BROKEN))
    for sample, record in zip(SAMPLES, records, strict=False):
        system, question, broken, repair, answer = record["messages"]
        model = Recorded([broken["content"], answer["content"]])
        found = potlang.dot.reason(sample.problem, model, trust="solver")
        assert found.established and found.trace == sample.trace
        assert found.system == system["content"]
        asked = [{"role": each.role, "content": each.content} for each in model.asked[1].messages]
        assert asked == [system, question, {"role": "assistant", "content": broken["content"]}, repair]
        assert broken["weight"] == 0 and "weight" not in answer


def test_some_are_broken_first() -> None:
    """[DOT-TRAIN]: the share that was asked for, the same for the same seed."""
    some = list(training_records(SAMPLES, broken=BrokenShare(0.5, 1)))
    assert 1 <= sum("broken" in each for each in some) <= 7
    assert some == list(training_records(SAMPLES, broken=BrokenShare(0.5, 1)))
    assert some[:3] == list(training_records(SAMPLES[:3], broken=BrokenShare(0.5, 1)))
    for each in training_records(SAMPLES, broken=ALL_BROKEN):
        assert each["slip"] in SLIPS and each["broken"] != each["trace"]
        assert each["diagnostics"] or each["reasons"]
    for form in ("text", "completion"):
        for sample, each in zip(SAMPLES, training_records(SAMPLES, form, broken=ALL_BROKEN), strict=True):
            whole = each["text"] if form == "text" else each["prompt"] + each["completion"]
            assert whole.endswith(sample.trace)
            assert "This is not accepted" in whole or "is not established" in whole
    for share in (-0.1, 1.5, float("nan")):
        with pytest.raises(ValueError):
            training_records(SAMPLES, broken=BrokenShare(share))


@pytest.mark.parametrize("broken", [BrokenShare(), ALL_BROKEN])
@pytest.mark.parametrize("form", FORMS)
def test_the_auxiliary_target(form: TrainingForm, broken: BrokenShare) -> None:
    """[DOT-TRAIN-AUXILIARY]: behind `at` the summary states something; the loss can be computed there."""
    samples = SAMPLES[:3]
    records = training_records(samples, form, broken=broken, auxiliary=True)
    for sample, record in zip(samples, records, strict=True):
        last = {
            "sample": lambda each: each["trace"],
            "text": lambda each: each["text"],
            "chat": lambda each: each["messages"][-1]["content"],
            "completion": lambda each: each["completion"],
        }[form](record)
        at, texts = record["auxiliary"]["at"], record["auxiliary"]["texts"]
        node = max(sample.labels)
        assert last[:at].endswith(f"@prop id={node} ")
        stated = json.loads(last[at:].split("\n", 1)[0])
        assert stated == potlang.dot.read(sample.trace).props[node].value
        assert len(texts) == len(sample.entailed_literals) > 0
        expected = {_text(each.entailed) for each in literal_texts(sample.trace)}
        assert len(expected) == len(texts)
        random = Random(node)
        literals = [ScoredLiteral(*(scored(text, random) for text in pair)) for pair in texts]
        assert auxiliary_loss(literals).value > 0


def _text(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True)


def scored(text: str, random: Random) -> ScoredText:
    """What a model of characters might give."""
    logits = np.array([[random.gauss(0, 1) for _ in range(128)] for _ in text])
    return ScoredText(logits, [ord(each) for each in text])


# --- the command ----------------------------------------------------------------------------------------


def potc(*arguments: object) -> subprocess.CompletedProcess[str]:
    command: Sequence[str] = [sys.executable, "-m", "potlang", "synthesize", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    """[DOT-TRAIN] [DOT-SYNTH-KEEP] [DOT-SYNTH-FROM]"""
    options = ("--count", 3, "--seed", 4, "--broken", 0.5, "--equal", 0.5, "--auxiliary", "--role-tokens")
    done = potc(*options, "--form", "chat", "--output", tmp_path / "chat.jsonl")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "chat.jsonl").read_text(encoding="utf-8")
    assert text == potc(*options, "--form", "chat").stdout
    assert all({"messages", "auxiliary"} == json.loads(line).keys() for line in text.splitlines())
    samples = tmp_path / "samples.jsonl"
    samples.write_text(
        "".join(each.to_json() + "\n" for each in SAMPLES[:2]) + '{"trace": "no"}\n', encoding="utf-8"
    )
    done = potc("--keep", samples, "--form", "text")
    assert done.returncode == 0 and "kept 2 of 3" in done.stderr and "left out line 3" in done.stderr
    assert [json.loads(line)["text"] for line in done.stdout.splitlines()] == [
        each.trace for each in SAMPLES[:2]
    ]
    program = tmp_path / "program.json"
    program.write_text(json.dumps(generate(2, verdict=Verdict.ENTAILED).program), encoding="utf-8")
    done = potc("--from", program, "--form", "completion")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 1 and "kept 1 of 1" in done.stderr
    two = ("--from", program, "--keep", samples)
    for wrong in (two, ("--broken", 2), ("--equal", -1), ("--from", samples)):
        done = potc(*wrong)
        assert done.returncode == 2 and "POT0001" not in done.stderr, wrong


def test_a_transcript_is_kept(tmp_path: Path) -> None:
    """[DOT-SYNTH-KEEP]"""
    model = Recorded([SAMPLES[0].trace])
    found = potlang.dot.reason(SAMPLES[0].problem, model, trust="solver")
    transcript = tmp_path / "transcript.json"
    transcript.write_text(found.to_json(), encoding="utf-8")
    done = potc("--keep", transcript)
    assert "kept 1 of 1" in done.stderr and json.loads(done.stdout)["problem"] == SAMPLES[0].problem
