"""Pairs of input and expected output, each proved equivalent by z3.

A file starts with declarations; then come lines `input => output` under comments that cite the rule.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from potlang.ir.module import Assertion, AssertionKind, Module
from potlang.ir.nodes import Node
from potlang.ir.text import IrPrinter, read_formula, read_module
from potlang.passes.pipeline import read_pipeline
from potlang.smt.printer import Printer as SmtPrinter

FOLDER = Path(__file__).parent / "pairs"


def cases() -> Iterator[tuple[str, str, str, str]]:
    for path in sorted(FOLDER.glob("*.txt")):
        header, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
        for line in rest.splitlines():
            if line and not line.startswith("#"):
                source, separator, target = line.rpartition(" => ")
                assert separator, line
                yield path.stem, header, source, target


CASES = list(cases())


def read(header: str, text: str, module: Module | None = None) -> tuple[Module, Node]:
    module = module or read_module("(potlang-ir 1)\n" + header)
    return module, read_formula(text, module.pool, module.sorts, module.symbols)


def apply(name: str, module: Module, formula: Node) -> Node:
    # Any sort will do as a root; only passes look at the kind.
    step = read_pipeline("nnf,prenex" if name == "prenex" else name).passes[-1]
    rooted = replace(module, assertions=(Assertion("k", "k", AssertionKind.FACT, formula),))
    return step.run(rooted).assertions[0].formula


@pytest.mark.parametrize(("name", "header", "source", "target"), CASES, ids=[f"{c[0]}:{c[2]}" for c in CASES])
def test_pair(name: str, header: str, source: str, target: str) -> None:
    module, formula = read(header, source)
    expected = read(header, target, module)[1]
    got = apply(name, module, formula)
    printer = IrPrinter.of(list(module.symbols), canonical=True)
    assert printer.root(got) == printer.root(expected)
    assert apply(name, module, got) is got, "a second run changes nothing"


def test_pairs_are_equivalent_to_z3() -> None:
    """[PASS-KEEPS-1]: no structure tells input and output apart."""
    import z3

    for name, header, source, target in CASES:
        module, formula = read(header, source)
        pool = module.pool
        different = pool.negate(pool.eq(formula, apply(name, module, formula)))
        printer = SmtPrinter(module)
        solver = z3.Solver(ctx=z3.Context())
        solver.set("timeout", 20_000)
        solver.from_string(printer.declarations() + "\n" + printer.assertion(different))
        assert solver.check() == z3.unsat, (name, source, target)


def test_every_rule_of_a_pass_has_a_pair() -> None:
    spec = (Path(__file__).parents[2] / "spec" / "50-passes.md").read_text(encoding="utf-8")
    for name, rules in (("simplify", 9), ("nnf", 4), ("prenex", 3)):
        text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
        for number in range(1, rules + 1):
            assert f"[PASS-{name.upper()}-{number}]" in text
            assert f"[PASS-{name.upper()}-{number}]" in spec
