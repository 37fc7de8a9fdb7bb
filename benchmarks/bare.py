"""The yardstick for start-up: a script that imports z3 and solves an SMT-LIB file, and nothing else."""

import sys

import z3

context = z3.Context()
with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123
    print(z3.z3core.Z3_eval_smtlib2_string(context.ref(), file.read()))
