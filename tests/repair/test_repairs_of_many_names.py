"""Repairs of a program with many undeclared names are found soon."""

from __future__ import annotations

import time

import potlang


def test_many_undeclared_names_are_looked_up_once() -> None:
    """A hundred names took 11 s: each try of a repair looked for what all the others may be."""
    letters = "abcdefghijklmnop"
    names = [f"{letters[n % 16]}{letters[n // 16]}{'xyzuvw'[n % 6]}odiu{letters[n % 7]}" for n in range(100)]
    program = {
        "constants": {"flags": {"sort": "Bool", "members": [f"flag_{n}" for n in range(100)]}},
        "knowledge_base": [f"{a} -> {b}" for a, b in zip(names[:50], names[50:], strict=True)],
    }
    began = time.process_time()
    checked = potlang.check(program, language="pot")
    assert len(checked.diagnostics) == 100
    assert time.process_time() - began < 3
