"""The border to solvers: SMT-LIB 2.6 text out, answers in.

Depends on `ir` alone; no solver is imported here.
"""
