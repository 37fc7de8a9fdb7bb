"""The grammar of DAG-MATH solutions in their JSON form: steps 1, 2, …, that rest on earlier ones."""

from __future__ import annotations

from potlang.decoding.grammars.expressions import expression_rules
from potlang.decoding.grammars.names import AllowedNames
from potlang.decoding.grammars.notation import (
    ExportedGrammar,
    Part,
    Reference,
    Repeated,
    RuleBook,
    any_character,
    either,
    in_order,
    listed,
    optional,
)

MOST_PARENTS, LONGEST_SENTENCE = 8, 400
NOTES = (
    "A solution as JSON, with one space behind each comma and colon. The steps have the ids 1, 2, …,",
    "and rest on earlier ones. Not held, and checked behind: that no parent is named twice, that reasons",
    "cite them, that each step is needed, and what the steps say.",
)


def solution_rules(names: AllowedNames | None, steps: int) -> ExportedGrammar:
    """The grammar of solutions of at most so many steps; a step may say what it says as an expression."""
    book = RuleBook()
    book.add(expression_rules(names, in_json=True))
    some = Repeated(any_character('"\\'), 0, LONGEST_SENTENCE - 1)
    book.lexeme("SENTENCE", in_order('"', any_character(' "\\\u00a0'), some, '"'))
    for step in range(1, steps + 1):
        book.rule(f"step_{step}", _step(book, step))
        more: Part = (
            in_order("]}") if step == steps else either("]}", in_order(", ", Reference(f"step_{step + 1}")))
        )
        book.rule(f"behind_{step}", more)
    book.rule("solution", in_order('{"steps": [', Reference("step_1")))
    return book.grammar("solution", NOTES)


def _step(book: RuleBook, step: int) -> Part:
    """A step and what comes behind it."""
    head = f'{{"step_id": {step}, "edge": '
    said = in_order(
        Reference("SENTENCE"),
        optional(in_order(', "formal": "', Reference("expression"), '"')),
        "}",
        Reference(f"behind_{step}"),
    )
    given = in_order(f'{head}null, "direct_dependent_steps": null, "node": ', said)
    if step == 1:
        return given
    book.lexeme(f"STEP_BEFORE_{step}", either(*map(str, range(1, step))))
    parents = listed(Reference(f"STEP_BEFORE_{step}"), ", ", 1, MOST_PARENTS)
    derived = in_order(
        head, Reference("SENTENCE"), ', "direct_dependent_steps": [', parents, '], "node": ', said
    )
    return either(given, derived)
