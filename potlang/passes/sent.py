"""The form in which formulas are sent to solvers: the normal forms at the end of a pipeline.

The rules are [PASS-SENT-1] to [PASS-SENT-3] of `spec/50-passes.md`.
"""

from __future__ import annotations

from dataclasses import replace

from potlang.ir.module import Claim, Module
from potlang.ir.nnf import cnf_of_connective
from potlang.ir.nodes import Node, Quant, reachable
from potlang.ir.pool import Pool
from potlang.passes.base import Pass, PassLimit
from potlang.passes.pipeline import read_pipeline

SENT_PASSES = "nnf,prenex"
"""The normal forms in which formulas are sent unless a pipeline says otherwise."""
MOST_GROWTH = 4
"""How many times as many nodes as a formula has its form to be sent may have, beside `SLACK`."""
SLACK = 100


class SentForm:
    """Brings closed formulas into the form that `passes` give; those that would grow too much keep theirs."""

    def __init__(self, passes: str) -> None:
        self._text = passes
        self._passes: tuple[Pass, ...] | None = None

    def __call__(self, pool: Pool, formula: Node) -> Node:
        """The formula to be sent in place of `formula`: `formula` itself where it is prenex as it stands."""
        if not self._text or is_prenex(formula):
            return formula
        if self._passes is None:
            # Most programs are prenex as they are written, and load none of the passes.
            self._passes = read_pipeline(self._text).passes
        module = Module(pool, claims=(Claim("", "", formula),))
        most = MOST_GROWTH * len(reachable(formula)) + SLACK
        from potlang.passes.prenex import Prenex

        try:
            for step in self._passes:
                if isinstance(step, Prenex):
                    step = replace(step, limit=min(step.limit, most), same_arity=True)
                module = step.run(module)
        except PassLimit:
            return formula
        sent = module.claims[0].formula
        return sent if len(reachable(sent)) <= most else formula


def is_prenex(formula: Node) -> bool:
    """Whether quantifiers at formula level stand in front alone."""
    while isinstance(formula, Quant):
        formula = formula.body
    stack: list[Node] = [formula]
    seen = {formula.id}
    while stack:
        node = stack.pop()
        if isinstance(node, Quant):
            return False
        for each in cnf_of_connective(node, True):
            for part, _ in each:
                if part.id not in seen:
                    seen.add(part.id)
                    stack.append(part)
    return True
