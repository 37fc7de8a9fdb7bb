"""The literals that a summary entails: the auxiliary target of appendix B.4 of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from potlang.ir import operators as op
from potlang.ir.nodes import App, Lit, Node, Sym, SymbolKind, Var, reachable
from potlang.ir.sorts import BOOL
from potlang.languages.dot.check import CheckedTrace, Theory, TraceSource, check
from potlang.languages.dot.lower.extract import extract
from potlang.languages.dot.lower.typing import TypedPropositions
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.solve.arrows import NucleusOfTrace, judge_arrows
from potlang.languages.dot.solve.prover import TheoryProver
from potlang.languages.dot.solve.summary import facts
from potlang.languages.dot.write.from_ir import proposition_json
from potlang.processes.pool import Workers
from potlang.report.results import Limits
from potlang.sema.emit import Writer

_CONNECTIVES = (op.NOT, op.AND, op.OR, op.IMPLIES, op.IFF, op.XOR, op.ITE)


def entailed_literals(
    source: TraceSource | CheckedTrace,
    theory: Theory | None = None,
    *,
    profile: Profile = "paper",
    limits: Limits = Limits(),
    workers: Workers | None = None,
) -> tuple[Any, ...]:
    """The literals that theory, arrows and validated propositions entail, as JSON of `@prop` ([DOT-SYNTH-4]).

    They are over the truth values that theory or nodes mention, and the atoms that nodes state. None
    where the summary is inconsistent; what is not settled within `limits` is left out.
    Raises `potlang.CompileError` for a theory with errors.
    """
    checked = source if isinstance(source, CheckedTrace) else check(source, profile=profile, theory=theory)
    said, extraction = checked.propositions, extract(checked.trace)
    pool = said.module.pool
    atoms = _atoms(said)
    literals = [each for atom in atoms for each in (atom, pool.negate(atom))]
    with TheoryProver(said.module, limits=limits, workers=workers) as prover:
        nucleus = NucleusOfTrace(judge_arrows(extraction, said, prover), pool)
        base = prover.assuming(*nucleus.assertions(), *facts(extraction, said))
        if not literals or base.probe(pool.true).status == "unsat":
            return ()
        follows = base.follow(literals)
    writer = Writer(said.module)
    return tuple(proposition_json(each, writer) for each in literals if follows.get(each.id))


def _atoms(said: TypedPropositions) -> list[Node]:
    """Truth values by declaration, then atoms as nodes state them; without those that are made up."""
    pool, module = said.module.pool, said.module
    used = {node for node in reachable(*module.formulas(), *said.stated.values()) if isinstance(node, Sym)}
    constants = (pool.sym(each) for each in module.symbols if not each.domain and each.range is BOOL)
    named = [each for each in constants if each in used and each.symbol.kind is not SymbolKind.FRESH]
    found = dict.fromkeys([*named, *_stated(said.stated.values())])
    return [atom for atom in found if not isinstance(atom, Lit | Var)]


def _stated(formulas: Iterable[Node]) -> Iterable[Node]:
    """The atoms below the connectives; a quantified formula is one."""
    for formula in formulas:
        stack = [formula]
        seen: set[Node] = set()
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if isinstance(node, App) and node.op in _CONNECTIVES:
                stack += reversed(node.args)
            else:
                yield node
