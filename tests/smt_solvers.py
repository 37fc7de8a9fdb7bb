"""The solvers in this process, given SMT-LIB text: for what the printer's tests ask of them."""

from __future__ import annotations

from potlang.smt.sexpr import read_all, write


def run_z3(text: str, timeout_ms: int = 5000) -> str:
    """What z3 prints; raises its exception for an error in the text."""
    import z3

    context = z3.Context()
    return str(z3.Z3_eval_smtlib2_string(context.ref(), f"(set-option :timeout {timeout_ms})\n{text}"))


def run_cvc5(text: str, **options: str) -> str:
    """What cvc5 prints; raises its exception for an error in the text."""
    import cvc5

    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    chosen = {"produce-models": "true", "arrays-exp": "true", "tlimit-per": "2000", **options}
    for name, value in chosen.items():
        solver.setOption(name, value)
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "test")
    printed = ""
    while not (command := parser.nextCommand()).isNull():
        printed += str(command.invoke(solver, symbols))
    if "(error" in printed:
        raise RuntimeError(printed)
    return printed


def values(printed: str) -> list[str]:
    """The values in the answer to the last `get-value`."""
    pairs = read_all(printed)[-1]
    return [write(pair[1]) for pair in pairs]
