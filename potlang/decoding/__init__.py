"""The tokens that a model may write next: vocabularies, exact masks over them, grammars for other decoders.

    masker = TokenMasker(TokenVocabulary.from_tiktoken(encoding), goal=TraceGoal(end=True))
    allowed = masker.mask()

numpy is needed for masks (`pip install 'potlang[decoding]'`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.decoding.masker import BudgetTooSmall as BudgetTooSmall
    from potlang.decoding.masker import TokenMasker as TokenMasker
    from potlang.decoding.vocabulary import BadVocabulary as BadVocabulary
    from potlang.decoding.vocabulary import TokenVocabulary as TokenVocabulary
    from potlang.languages.dot.stream.registers import Budgets as Budgets
    from potlang.languages.dot.stream.registers import TraceGoal as TraceGoal

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.decoding.masker": "BudgetTooSmall TokenMasker",
        "potlang.decoding.vocabulary": "BadVocabulary TokenVocabulary",
        "potlang.languages.dot.stream.registers": "Budgets TraceGoal",
    },
)
