"""Writes what verdicts rest on as a certificate: the text form of `spec/80-certificates.md`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from potlang.certify import Invalid, Optimum, Refutation, read_theory
from potlang.certify.tokens import tree
from potlang.engines.term_text import module_printer
from potlang.ir.module import Module
from potlang.ir.text import print_module
from potlang.prove.cross_check import Proof, ProofObligation
from potlang.prove.optimum_proof import OptimumProof
from potlang.prove.versions import versions
from potlang.report.results import Verdict
from potlang.smt.models import complete, structure_text

if TYPE_CHECKING:
    from potlang.ir.structure import Structure


def write_certificate(module: Module, proofs: Iterable[Proof], optimum: Iterable[OptimumProof] = ()) -> str:
    """The certificate of these verdicts on `module`, the program as compiled, and of its optimum.

    A verdict whose key is `assumptions` is on whether they have a model.
    """
    text = print_module(module)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    work = _Writer(module, text)
    for proof in proofs:
        work.proof(proof)
    for answer in optimum:
        work.optimum(answer)
    lines = ["(potlang-certificate 1)", f'(program "{digest}")', *work.evidence, *work.results, "(end)"]
    return "\n".join(lines) + "\n"


class _Writer:
    """Models and refutations as they come, each once, and the results that refer to them."""

    def __init__(self, module: Module, text: str) -> None:
        self.module = module
        self.evidence: list[str] = []
        self.results: list[str] = []
        self._text = text
        self._optimum: Optimum | None = None
        self._models: dict[int, tuple[Structure, str]] = {}
        self._refutations: dict[tuple[str, tuple[str, ...]], str] = {}
        self._answers = 0

    def proof(self, proof: Proof) -> None:
        """The verdict on a claim, or on the assumptions."""
        self.results.append(f"(result {json.dumps(proof.key)} {proof.verdict})")
        if proof.verdict is not Verdict.UNKNOWN:
            self.results += [self._line(proof.key, obligation) for obligation in proof.obligations]

    def optimum(self, proof: OptimumProof) -> None:
        """The answer on an objective, a Pareto point or their front."""
        printer = module_printer(self.module)
        values = "".join(f" {printer.root(value)[1]}" for value in proof.values)
        line = f"({proof.kind}{values})"
        self.evidence.append(line)
        key = proof.kind if proof.kind == "front" else f"{proof.kind} {self._answers}"
        self._answers += 1
        if self._optimum is None:
            self._optimum = Optimum(read_theory(self._text))
        self._optimum.read(tree(line))
        self.results.append(f"(result {json.dumps(key)} {proof.answer})")
        self.results += [self._line(key, self._believed(key, each)) for each in proof.obligations]

    def _believed(self, key: str, obligation: ProofObligation) -> ProofObligation:
        """The obligation, without a refutation that the kernel does not accept of the goal as it has it."""
        # The refutation is of the same goal as a claim of another module, whose variables may be numbered
        # otherwise.
        assert self._optimum is not None
        try:
            refutation = Refutation(self._optimum.theory, obligation.side, key)
            for line in obligation.refutation:
                refutation.statement(line)
        except Invalid:
            # Whoever found it is not asked again, and no solver need have said it.
            return obligation._replace(refutation=(), solvers=("potlang",))
        return obligation

    def _line(self, key: str, obligation: ProofObligation) -> str:
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
            name = f"m{len(self._models)}"
            found = self._models[id(structure)] = structure, name
            self.evidence += [
                f"(model {name})",
                *structure_text(self.module, complete(structure, self.module)),
            ]
        return found[1]

    def _refutation(self, key: str, obligation: ProofObligation) -> str:
        # That the assumptions contradict each other is the same for each claim, and is shown once.
        goal = "" if obligation.side == "assumptions" else f" {json.dumps(key)}"
        head = f"{obligation.side}{goal}"
        if (head, obligation.refutation) not in self._refutations:
            name = f"r{len(self._refutations)}"
            self._refutations[head, obligation.refutation] = name
            self.evidence += [f"(refutation {name} {head})", *obligation.refutation]
        return self._refutations[head, obligation.refutation]


_DISTRIBUTIONS = {"z3": "z3-solver", "cvc5": "cvc5"}


def _signed(solver: str) -> str:
    """A solver with its version."""
    name = _DISTRIBUTIONS.get(solver.partition("-")[0])
    return solver if name is None else f"{solver} {dict(versions())[name]}"
