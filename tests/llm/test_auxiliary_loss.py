"""The auxiliary loss over logits: by hand, against finite differences, against sums over all texts."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import potlang.dot
from potlang.models.training.auxiliary_loss import (
    AuxiliaryLoss,
    LiteralTexts,
    ScoredLiteral,
    ScoredText,
    auxiliary_loss,
    literal_texts,
)

EXAMPLES = Path(__file__).parents[2] / "examples"


def scored(random: Random, vocabulary: int = 5, longest: int = 4) -> ScoredLiteral:
    texts = []
    for _ in range(2):
        length = random.randint(1, longest)
        logits = np.array([[random.gauss(0, 2) for _ in range(vocabulary)] for _ in range(length)])
        texts.append(ScoredText(logits, [random.randrange(vocabulary) for _ in range(length)]))
    return ScoredLiteral(*texts)


def test_by_hand() -> None:
    """[DOT-LOSS] One token each, of a vocabulary of two with the logits 1 and 3: log(1 + e^2)."""
    logits = np.array([[1.0, 3.0]])
    found = auxiliary_loss([ScoredLiteral(ScoredText(logits, [0]), ScoredText(logits, [1]))])
    assert found.value == pytest.approx(math.log(1 + math.e**2), abs=1e-12)
    # s(ℓ) has the slope (1 - p0, -p1), s(¬ℓ) has (-p0, 1 - p1); the violation has the share 1 / (1 + e^-2).
    p0 = 1 / (1 + math.e**2)
    share = 1 - p0
    good, bad = found.gradients[0]
    assert np.allclose(good, [[-share * (1 - p0), share * (1 - p0)]])
    assert np.allclose(bad, [[-share * p0, share * p0]])
    two = ScoredText(np.array([[0.0, 0.0], [0.0, math.log(3)]]), [1, 1])
    one = ScoredText(np.array([[0.0, math.log(3)]]), [0])
    # P(ℓ) = 1/2 · 3/4 and P(¬ℓ) = 1/4: of the two the literal has 3/5.
    assert auxiliary_loss([ScoredLiteral(two, one)]).value == pytest.approx(math.log(5 / 3), abs=1e-12)
    assert auxiliary_loss([]) == AuxiliaryLoss(0.0, ())


@pytest.mark.parametrize("seed", range(5))
def test_finite_differences(seed: int) -> None:
    """[DOT-LOSS] The gradient is that of the value, in each logit of each text."""
    random = Random(seed)
    literals = [scored(random) for _ in range(3)]
    found, step = auxiliary_loss(literals), 1e-5
    for at, side in itertools.product(range(3), range(2)):
        logits = literals[at][side].logits
        for place in np.ndindex(*logits.shape):
            ends = []
            for sign in (1, -1):
                logits[place] += sign * step
                ends.append(auxiliary_loss(literals).value)
                logits[place] -= sign * step
            slope = (ends[0] - ends[1]) / (2 * step)
            assert found.gradients[at][side][place] == pytest.approx(slope, abs=1e-8)


def test_it_is_the_surprise_of_the_literal_among_all_texts() -> None:
    """[DOT-LOSS] The share of ℓ among ℓ and ¬ℓ, where each token is drawn by itself."""
    random = Random(7)
    rows = np.array([[random.gauss(0, 1) for _ in range(3)] for _ in range(3)])
    chances = np.exp(rows) / np.exp(rows).sum(axis=1, keepdims=True)
    good, bad = (0, 2, 1), (0, 1, 1)
    weights = {
        text: math.prod(chances[at][token] for at, token in enumerate(text))
        for text in itertools.product(range(3), repeat=3)
    }
    assert sum(weights.values()) == pytest.approx(1)
    expected = -math.log(weights[good] / (weights[good] + weights[bad]))
    found = auxiliary_loss([ScoredLiteral(ScoredText(rows, good), ScoredText(rows, bad))])
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_a_step_down_the_gradient_makes_violations_rarer() -> None:
    """[DOT-LOSS] On the logits themselves, from a violation that is almost certain."""
    literal = ScoredLiteral(
        ScoredText(np.array([[-20.0, 20.0, 0.0]]), [0]), ScoredText(np.array([[-20.0, 20.0, 0.0]]), [1])
    )
    values = []
    for _ in range(60):
        found = auxiliary_loss([literal])
        values.append(found.value)
        for text, slope in zip(literal, found.gradients[0], strict=True):
            text.logits[:] -= slope
    assert values[0] == pytest.approx(40, abs=1e-6) and values[-1] < 1
    assert all(later < earlier for earlier, later in itertools.pairwise(values))


def test_large_logits_and_masks() -> None:
    """[DOT-LOSS] Nothing overflows, and what a mask forbids is no violation."""
    masked = np.array([[0.0, -np.inf, 1e300]])
    found = auxiliary_loss([ScoredLiteral(ScoredText(masked, [2]), ScoredText(masked, [1]))])
    assert found.value == 0 and all(np.isfinite(slope).all() for slope in found.gradients[0])
    huge = auxiliary_loss([ScoredLiteral(ScoredText([[0.0, 1e6]], [0]), ScoredText([[0.0, 1e6]], [1]))])
    assert huge.value == pytest.approx(1e6) and np.isfinite(huge.gradients[0][0]).all()


GOOD = ScoredText([[0.0, 1.0]], [0])


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (ScoredText([[0.0, math.nan]], [0]), "NaN"),
        (ScoredText([[0.0, math.inf]], [0]), "infinite"),
        (ScoredText([[-math.inf, -math.inf]], [0]), "infinite"),
        (ScoredText([[-math.inf, 0.0]], [0]), "forbids"),
        (ScoredText([[0.0, 1.0]], [2]), "vocabulary"),
        (ScoredText([[0.0, 1.0]], [-1]), "vocabulary"),
        (ScoredText([[0.0, 1.0]], [0.5]), "integers"),
        (ScoredText([[0.0, 1.0]], [0, 1]), "a row for each token"),
        (ScoredText([0.0, 1.0], [0]), "a row for each token"),
        (ScoredText(np.zeros((0, 2)), np.zeros(0, dtype=int)), "one token"),
        (ScoredText([[0.0, 1.0]], [[0]]), "one token"),
    ],
)
def test_what_cannot_be_scored_is_an_error(text: ScoredText, word: str) -> None:
    """[DOT-LOSS] Before anything is computed of it."""
    with pytest.raises(ValueError, match=word):
        auxiliary_loss([ScoredLiteral(GOOD, GOOD), ScoredLiteral(text, GOOD)])


# --- the literals of a trace ---------------------------------------------------------------------


def test_the_texts_are_those_of_entailed_literals_and_their_negations() -> None:
    """[DOT-LOSS] In a summary, the one is faithful and the other is not."""
    trace = (EXAMPLES / "derivation.dot.txt").read_text(encoding="utf-8")
    texts = literal_texts(trace)
    assert texts and [json.loads(each.entailed) for each in texts] == list(
        potlang.dot.entailed_literals(trace)
    )
    lines = trace.splitlines()
    last = max(int(line.split("=")[1].split()[0]) for line in lines if line.startswith("@node id=")) + 1
    kept = "\n".join(line for line in lines if line != "<summarizer:end>")
    for entailed, violated in texts[:2]:
        for text, faithful in ((entailed, True), (violated, False)):
            more = f"{kept}\n@node id={last} role=summarizer\n@prop id={last} {text}\n"
            summarizers = potlang.dot.verify(more, trust="solver").summary.summarizers
            assert summarizers[-1].faithful is faithful


def test_double_negations_are_not_piled_up() -> None:
    """[DOT-LOSS]"""
    trace = '@node id=1 role=problem\n@prop id=1 {"declare": {"p": "Bool"}, "assume": [{"not": "p"}]}\n'
    assert literal_texts(trace) == (LiteralTexts('{"not": "p"}', '"p"'),)
    contradiction = trace.replace('[{"not": "p"}]', '[{"not": "p"}, "p"]')
    assert literal_texts(contradiction) == ()


def with_characters(texts: LiteralTexts, random: Random) -> ScoredLiteral:
    """What a model with a token for each character might score."""
    found: list[Any] = []
    for text in texts:
        logits = np.array([[random.gauss(0, 1) for _ in range(128)] for _ in text])
        found.append(ScoredText(logits, [ord(each) for each in text]))
    return ScoredLiteral(*found)


def test_the_loss_of_a_trace() -> None:
    """[DOT-LOSS] From the trace to the loss, with a model of characters; torch says the same."""
    random = Random(3)
    literals = [with_characters(each, random) for each in literal_texts(EXAMPLES / "derivation.dot.txt")]
    assert auxiliary_loss(literals).value > 0


@pytest.mark.parametrize("seed", range(3))
def test_torch_says_the_same(seed: int) -> None:
    """[DOT-LOSS] Value and gradients, by torch's own differentiation."""
    torch = pytest.importorskip("torch", reason="torch is an extra that is not installed here")
    from potlang.models.training.auxiliary_loss_torch import auxiliary_loss as in_torch

    literals = [scored(Random(f"{seed} {at}")) for at in range(4)]
    tensors = [
        ScoredLiteral(*(ScoredText(torch.tensor(t.logits, requires_grad=True), t.tokens) for t in each))
        for each in literals
    ]
    expected, found = auxiliary_loss(literals), in_torch(tensors)
    assert found.item() == pytest.approx(expected.value, abs=1e-12)
    found.backward()
    for literal, slopes in zip(tensors, expected.gradients, strict=True):
        for text, slope in zip(literal, slopes, strict=True):
            assert np.allclose(text.logits.grad.numpy(), slope, atol=1e-12)
    assert in_torch([]).item() == 0
    half = [
        ScoredLiteral(*(ScoredText(t.logits.detach().half(), t.tokens) for t in each)) for each in tensors
    ]
    assert in_torch(half).item() == pytest.approx(expected.value, rel=1e-2)
    for wrong in (ScoredText(torch.tensor([[0.0, math.nan]]), [0]), ScoredText(torch.zeros(1, 2), [5])):
        with pytest.raises(ValueError, match="literal 0"):
            in_torch([ScoredLiteral(wrong, wrong)])
