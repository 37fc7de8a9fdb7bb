"""Questions and the programs that answer them, for the prompts; tests verify each ([LOOP-EXAMPLES])."""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class Example(NamedTuple):
    """A question, its program in a form that every profile of the schema has, and its claims' verdicts."""

    question: str
    program: dict[str, Any]
    verdicts: dict[str, str]


EXAMPLES: Final = (
    Example(
        "No reptile in the park has fur. Every iguana is a reptile. Rex is an iguana in the park. Does Rex "
        "have fur?",
        {
            "sorts": [{"name": "Animal", "type": "DeclareSort"}],
            "functions": [
                {"name": name, "domain": ["Animal"], "range": "Bool"}
                for name in ("reptile", "iguana", "in_park", "has_fur")
            ],
            "constants": [{"name": "animals", "sort": "Animal", "members": ["rex"]}],
            "knowledge_base": ["iguana(rex)", "in_park(rex)"],
            "rules": [
                {
                    "forall": [{"name": "x", "sort": "Animal"}],
                    "constraint": "(reptile(x) and in_park(x)) -> not has_fur(x)",
                },
                {"forall": [{"name": "x", "sort": "Animal"}], "constraint": "iguana(x) -> reptile(x)"},
            ],
            "verifications": [{"name": "Rex has fur", "constraint": "has_fur(rex)"}],
        },
        {"Rex has fur": "refuted"},
    ),
    Example(
        "Ann, Bob and Cy finished a race, no two at once. Bob was faster than Ann. Cy was not last. Who was "
        "last? A: Ann. B: Bob. C: Cy.",
        {
            "sorts": [{"name": "Runner", "type": "EnumSort", "values": ["ann", "bob", "cy"]}],
            "functions": [{"name": "place", "domain": ["Runner"], "range": "Int"}],
            "knowledge_base": [
                "ForAll([r: Runner], 1 <= place(r) <= 3)",
                "Distinct(place(ann), place(bob), place(cy))",
                "place(bob) < place(ann)",
                "place(cy) != 3",
            ],
            "verifications": [
                {"name": "A", "constraint": "place(ann) == 3"},
                {"name": "B", "constraint": "place(bob) == 3"},
                {"name": "C", "constraint": "place(cy) == 3"},
            ],
        },
        {"A": "entailed", "B": "refuted", "C": "refuted"},
    ),
)
