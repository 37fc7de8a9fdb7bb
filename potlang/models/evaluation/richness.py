"""The constructs that programs are made of, and the prose beside them ([EVAL-RICHNESS])."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from potlang.ir.nodes import App, Quant, reachable
from potlang.ir.operators import AND, IFF, IMPLIES, NOT, OR, XOR
from potlang.languages.pot.program import Program
from potlang.models.loop.asking import Attempt
from potlang.models.replies.extract import REASONING, candidates

_CONNECTIVES: Final = (NOT, AND, OR, IMPLIES, IFF, XOR)
_SENTENCE: Final = re.compile(r"[.!?…。！？]+(?=[\s\"'”’)\]*_`]|$)")


class Richness(NamedTuple):
    """Constructs of a program, as its formulas are after elaboration, and sentences of its replies.

    `members` are constants, and members of enumerations. Of formulas: those of facts, rules, verifications,
    norms and optimizations, each structure once in a formula. `sentences` are the paper's "reasoning
    richness": those of all replies, without the programs in them.
    """

    sorts: int = 0
    functions: int = 0
    members: int = 0
    facts: int = 0
    rules: int = 0
    verifications: int = 0
    optimizations: int = 0
    quantifiers: int = 0
    connectives: int = 0
    sentences: int = 0


def richness(program: Program, attempts: Sequence[Attempt] = ()) -> Richness:
    """The counts of a program, and of the replies of the attempts at it."""
    tree, module = program.tree, program.module
    formulas = [
        *(each.formula for each in module.assertions),
        *(each.formula for each in module.claims),
    ]
    if module.optimization is not None:
        formulas += [each.formula for each in module.optimization.constraints]
    nodes = [node for formula in formulas for node in reachable(formula)]
    return Richness(
        len(tree.sorts),
        len(tree.functions),
        sum(len(each.members) for each in tree.constants) + sum(len(each.values) for each in tree.sorts),
        len(tree.facts),
        len(tree.rules),
        len(tree.verifications),
        int(tree.optimization is not None),
        sum(isinstance(node, Quant) for node in nodes),
        sum(isinstance(node, App) and node.op in _CONNECTIVES for node in nodes),
        sum(map(sentences_of, attempts)),
    )


def sentences_of(attempt: Attempt) -> int:
    """The sentences of a reply, and of the thoughts beside it."""
    return sum(len(_SENTENCE.findall(text)) for text in (*_prose(attempt.reply), attempt.reasoning))


def _prose(reply: str) -> Iterator[str]:
    """The text around the JSON objects of a reply, and the thoughts in them."""
    at = 0
    for found in candidates(reply, safe_fixes=False):
        yield reply[at : found.start]
        at = found.end
        thought = found.value.get(REASONING) if isinstance(found.value, dict) else None
        if isinstance(thought, str):
            yield thought
    yield reply[at:]
