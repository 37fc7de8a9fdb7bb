"""The auxiliary loss of appendix B.4: a summary is to say what the validated propositions entail.

For each entailed literal a model scores two texts after the same beginning of a summary: the literal and
its negation. The loss is the surprise that of the two it says the literal ([DOT-LOSS]).
numpy is imported where it is needed (extra `training`);
`potlang.models.training.auxiliary_loss_torch` is the same for tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from potlang.languages.dot.check import CheckedTrace, Theory, TraceSource
from potlang.languages.dot.read.json_line import json_line
from potlang.languages.dot.solve.literals import entailed_literals
from potlang.utils.extra import needed

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


class LiteralTexts(NamedTuple):
    """An entailed literal and its negation, as JSON texts for the `@prop` of a summary."""

    entailed: str
    violated: str


def literal_texts(
    source: TraceSource | CheckedTrace, theory: Theory | None = None
) -> tuple[LiteralTexts, ...]:
    """The two texts for each literal that a trace entails (`potlang.dot.entailed_literals`, with a solver).

    >>> from potlang.models.training.auxiliary_loss import literal_texts
    >>> trace = '@node id=1 role=problem\\n@prop id=1 {"declare": {"p": "Bool"}, "assume": ["p"]}\\n'
    >>> literal_texts(trace)
    (LiteralTexts(entailed='"p"', violated='{"not": "p"}'),)
    """
    return texts_of(entailed_literals(source, theory))


def texts_of(literals: Iterable[Any]) -> tuple[LiteralTexts, ...]:
    """The two texts for each of these literals, JSON values of `@prop`."""
    found = []
    for literal in literals:
        is_negation = isinstance(literal, dict) and list(literal) == ["not"]
        negation = literal["not"] if is_negation else {"not": literal}
        found.append(LiteralTexts(json_line(literal), json_line(negation)))
    return tuple(found)


class ScoredText(NamedTuple):
    """A text of T tokens with the T × V logits of a model that was shown the tokens before each of them."""

    logits: Any
    tokens: Sequence[int] | Any


class ScoredLiteral(NamedTuple):
    """An entailed literal and its negation as a model scores them, after the same prefix."""

    entailed: ScoredText
    violated: ScoredText


class AuxiliaryLoss(NamedTuple):
    """The loss, and its gradient in the logits of each text of each literal."""

    value: float
    gradients: tuple[tuple[Array, Array], ...]


def auxiliary_loss(literals: Sequence[ScoredLiteral]) -> AuxiliaryLoss:
    """The mean over the literals of -log P(ℓ | ℓ or ¬ℓ) = log(1 + exp(s(¬ℓ) - s(ℓ))), in float64.

    s is the log-probability of a text, the sum of the logarithms of the softmax at its tokens. It is 0
    without literals. Raises ValueError for texts without tokens, tokens that are not in the vocabulary,
    arrays that do not fit, logits that are NaN or infinite (a mask may forbid tokens by -inf), and
    literals that are forbidden.
    """
    numpy = needed("numpy", "training")
    total, gradients = 0.0, []
    for at, literal in enumerate(literals):
        (good, good_slope), (bad, bad_slope) = (_score(numpy, each, at) for each in literal)
        if good == -numpy.inf:
            raise ValueError(f"literal {at}: a mask forbids what is entailed")
        margin = bad - good
        total += float(numpy.logaddexp(0.0, margin))
        # The derivative of log(1 + exp(m)): how probable the violation is, of the two.
        share = float(numpy.exp(margin - numpy.logaddexp(0.0, margin))) / len(literals)
        gradients.append((-share * good_slope, share * bad_slope))
    return AuxiliaryLoss(total / max(1, len(literals)), tuple(gradients))


def _score(numpy: Any, text: ScoredText, at: int) -> tuple[float, Array]:
    """The log-probability of a text, and its gradient in the logits."""
    logits = numpy.asarray(text.logits, dtype=numpy.float64)
    tokens = numpy.asarray(text.tokens)
    check_scored(at, logits.shape, tokens.shape, tokens.dtype.kind in "iu")
    if tokens.min() < 0 or tokens.max() >= logits.shape[1]:
        raise ValueError(f"literal {at}: a token is not in the vocabulary")
    greatest = logits.max(axis=1, keepdims=True)
    if numpy.isnan(logits).any() or not numpy.isfinite(greatest).all():
        raise ValueError(f"literal {at}: logits are NaN or infinite")
    weights = numpy.exp(logits - greatest)
    sums = weights.sum(axis=1, keepdims=True)
    places = numpy.arange(len(tokens))
    score = float((logits - greatest - numpy.log(sums))[places, tokens].sum())
    slope = -weights / sums
    slope[places, tokens] += 1
    return score, slope


def check_scored(at: int, logits: Sequence[int], tokens: Sequence[int], are_integers: bool) -> None:
    """Raises ValueError unless the shapes are those of T × V logits and of T tokens, T at least 1."""
    if not are_integers:
        raise ValueError(f"literal {at}: tokens are integers")
    if len(tokens) != 1 or not tokens[0]:
        raise ValueError(f"literal {at}: a text has one token at least, in a row")
    if len(logits) != 2 or logits[0] != tokens[0]:
        raise ValueError(f"literal {at}: logits have a row for each token")
