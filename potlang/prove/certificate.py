"""Writes what verdicts rest on as a certificate: the text form of `spec/80-certificates.md`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from potlang.ir.module import Module
from potlang.ir.text import print_module
from potlang.prove.cross_check import Proof, ProofObligation
from potlang.prove.versions import versions
from potlang.report.results import Verdict

if TYPE_CHECKING:
    from potlang.ir.structure import Structure


def write_certificate(module: Module, proofs: Iterable[Proof]) -> str:
    """The certificate of these verdicts on `module`, the program as compiled."""
    digest = hashlib.sha256(print_module(module).encode("utf-8", "surrogatepass")).hexdigest()
    work = _Writer(module)
    for proof in proofs:
        work.proof(proof)
    lines = ["(potlang-certificate 1)", f'(program "{digest}")', *work.evidence, *work.results, "(end)"]
    return "\n".join(lines) + "\n"


class _Writer:
    """Models and refutations as they come, each once, and the results that refer to them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.evidence: list[str] = []
        self.results: list[str] = []
        self._models: dict[int, tuple[Structure, str]] = {}
        self._refutations = 0

    def proof(self, proof: Proof) -> None:
        self.results.append(f"(result {json.dumps(proof.key)} {proof.verdict})")
        if proof.verdict is not Verdict.UNKNOWN:
            self.results += [self._evidence(proof.key, obligation) for obligation in proof.obligations]

    def _evidence(self, key: str, obligation: ProofObligation) -> str:
        if obligation.structure is not None:
            return f"(sat {obligation.side} {self._model(obligation.structure)})"
        if obligation.refutation:
            return f"(unsat {obligation.side} {self._refutation(key, obligation)})"
        core = (
            f" ({' '.join(json.dumps(each) for each in obligation.core)})"
            if obligation.status == "unsat"
            else ""
        )
        solvers = " ".join(json.dumps(_signed(name)) for name in obligation.solvers)
        return f"(agreed {obligation.status} {obligation.side}{core} {solvers})"

    def _model(self, structure: Structure) -> str:
        found = self._models.get(id(structure))
        if found is None:
            from potlang.smt.models import complete, structure_text

            name = f"m{len(self._models)}"
            found = self._models[id(structure)] = structure, name
            self.evidence += [
                f"(model {name})",
                *structure_text(self.module, complete(structure, self.module)),
            ]
        return found[1]

    def _refutation(self, key: str, obligation: ProofObligation) -> str:
        name = f"r{self._refutations}"
        self._refutations += 1
        goal = "" if obligation.side == "assumptions" else f" {json.dumps(key)}"
        self.evidence += [f"(refutation {name} {obligation.side}{goal})", *obligation.refutation]
        return name


_DISTRIBUTIONS = {"z3": "z3-solver", "cvc5": "cvc5"}


def _signed(solver: str) -> str:
    """A solver with its version."""
    name = _DISTRIBUTIONS.get(solver.partition("-")[0])
    return solver if name is None else f"{solver} {dict(versions())[name]}"
