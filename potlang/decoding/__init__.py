"""The tokens that a model may write next: vocabularies, exact masks over them, grammars for other decoders.

    masker = TokenMasker(TokenVocabulary.from_tiktoken(encoding), goal=TraceGoal(end=True))
    allowed = masker.mask()

numpy is needed for masks (extra `decoding`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.decoding.adapters import MaskedLogits as MaskedLogits
    from potlang.decoding.adapters import OutsideMask as OutsideMask
    from potlang.decoding.grammars import NoSuchGrammar as NoSuchGrammar
    from potlang.decoding.grammars import grammar as grammar
    from potlang.decoding.masker import BudgetTooSmall as BudgetTooSmall
    from potlang.decoding.masker import TokenMasker as TokenMasker
    from potlang.decoding.requests import for_llama_server as for_llama_server
    from potlang.decoding.requests import for_openai as for_openai
    from potlang.decoding.requests import for_sglang as for_sglang
    from potlang.decoding.requests import for_vllm as for_vllm
    from potlang.decoding.vocabulary import BadVocabulary as BadVocabulary
    from potlang.decoding.vocabulary import TokenVocabulary as TokenVocabulary
    from potlang.languages.dot.stream.registers import Budgets as Budgets
    from potlang.languages.dot.stream.registers import TraceGoal as TraceGoal

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.decoding.adapters": "MaskedLogits OutsideMask",
        "potlang.decoding.grammars": "NoSuchGrammar grammar",
        "potlang.decoding.masker": "BudgetTooSmall TokenMasker",
        "potlang.decoding.requests": "for_llama_server for_openai for_sglang for_vllm",
        "potlang.decoding.vocabulary": "BadVocabulary TokenVocabulary",
        "potlang.languages.dot.stream.registers": "Budgets TraceGoal",
    },
)
