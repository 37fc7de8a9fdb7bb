"""The auxiliary loss of `potlang.models.auxiliary_loss` for torch tensors; gradients are torch's own.

torch is imported where it is needed (extra `torch`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from potlang.models.training.auxiliary_loss import ScoredLiteral, ScoredText, check_scored
from potlang.utils.extra import needed


def auxiliary_loss(literals: Sequence[ScoredLiteral]) -> Any:
    """The loss as a scalar tensor, differentiable in all logits; raises ValueError as the reference does."""
    torch = needed("torch", "torch")
    if not literals:
        return torch.zeros(())
    margins = []
    for at, literal in enumerate(literals):
        good, bad = (_score(torch, each, at) for each in literal)
        if torch.isinf(good):
            raise ValueError(f"literal {at}: a mask forbids what is entailed")
        margins.append(bad - good)
    return torch.nn.functional.softplus(torch.stack(margins)).mean()


def _score(torch: Any, text: ScoredText, at: int) -> Any:
    """The log-probability of a text."""
    tokens = torch.as_tensor(text.tokens, device=text.logits.device)
    check_scored(at, text.logits.shape, tokens.shape, not tokens.is_floating_point())
    if tokens.min() < 0 or tokens.max() >= text.logits.shape[1]:
        raise ValueError(f"literal {at}: a token is not in the vocabulary")
    if torch.isnan(text.logits).any() or not torch.isfinite(text.logits.max(dim=1).values).all():
        raise ValueError(f"literal {at}: logits are NaN or infinite")
    # Half precision loses the margin of long texts; not every device has float64.
    logits = text.logits.float() if text.logits.element_size() < 4 else text.logits
    scores = torch.log_softmax(logits, dim=1)
    return scores.gather(1, tokens.long().unsqueeze(1)).sum()
