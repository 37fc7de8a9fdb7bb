"""Attempts to have a reward for a program that does not answer its question, and what each may earn.

What a program says of the world cannot be judged without the question: the last attempts show what stays
possible where no claims and no reference are given ([GEN-REWARD-LIMITS]).
"""

from __future__ import annotations

from typing import Any, NamedTuple

NOTHING = 0.3
"""For its form alone: it parses, its sorts are right, and something is asked."""
BEGGED = 0.55
"""Of what is assumed as it is asked."""
ALL = 1.0
Expected = Any

REX: dict[str, Any] = {
    "sorts": [{"name": "Animal", "type": "DeclareSort"}],
    "functions": [
        {"name": name, "domain": ["Animal"], "range": "Bool"}
        for name in ("reptile", "iguana", "in_park", "has_fur", "green")
    ],
    "constants": {"animals": {"sort": "Animal", "members": ["rex", "max"]}},
    "knowledge_base": ["iguana(rex)", "in_park(rex)"],
    "rules": [
        {"constraint": "ForAll([x: Animal], reptile(x) and in_park(x) -> not has_fur(x))"},
        {"constraint": "ForAll([x: Animal], iguana(x) -> reptile(x))"},
    ],
}
ANSWER = {"name": "answer", "domain": [], "range": "Bool"}
OTHER = {"name": "other", "domain": [], "range": "Bool"}


class Attempt(NamedTuple):
    """A program, the verdict or the claims that are expected, and the most that it may earn."""

    name: str
    program: dict[str, Any]
    expected: Expected
    most: float


def _asking(*claims: str, **sections: Any) -> dict[str, Any]:
    return {**REX, **sections, "verifications": [{"constraint": claim} for claim in claims]}


def _alone(claim: str, *facts: str, **sections: Any) -> dict[str, Any]:
    return {
        "functions": [ANSWER, OTHER],
        "knowledge_base": list(facts),
        "verifications": [{"constraint": claim}],
        **sections,
    }


def _with_functions(*functions: dict[str, Any]) -> list[dict[str, Any]]:
    return [*REX["functions"], *functions]


_PACKED = {
    "imports": [{"pack": "std/order/partial_order", "with": {"T": "Animal", "le": "below"}}],
    "functions": _with_functions({"name": "below", "domain": ["Animal", "Animal"], "range": "Bool"}),
}
_CLOSED = {"name": "big", "domain": ["Animal"], "range": "Bool", "closed": True}
_COLOUR = [*REX["sorts"], {"name": "Colour", "type": "EnumSort", "values": ["red", "blue"]}]

ATTEMPTS = (
    # What is true, or false, of anything.
    Attempt("a fact of arithmetic", _asking("1 < 2"), True, NOTHING),
    Attempt("the truth itself", _asking("True"), True, NOTHING),
    Attempt("arithmetic without premises", {"verifications": [{"constraint": "1 < 2"}]}, True, NOTHING),
    Attempt("excluded middle", _asking("has_fur(rex) or not has_fur(rex)"), True, NOTHING),
    Attempt("an implication of itself", _asking("iguana(rex) -> iguana(rex)"), True, NOTHING),
    Attempt("a term that equals itself", _asking("rex == rex"), True, NOTHING),
    Attempt(
        "a rule that says nothing", _asking("ForAll([x: Animal], iguana(x) -> iguana(x))"), True, NOTHING
    ),
    Attempt(
        "the drinker",
        _asking("Exists([x: Animal], iguana(x) -> ForAll([y: Animal], iguana(y)))"),
        True,
        NOTHING,
    ),
    Attempt(
        "arithmetic and excluded middle", _asking("1 < 2 and (green(rex) or not green(rex))"), True, NOTHING
    ),
    Attempt("a falsehood of arithmetic", _asking("2 < 1"), False, NOTHING),
    Attempt("a contradiction", _asking("has_fur(rex) and not has_fur(rex)"), False, NOTHING),
    Attempt("a term that differs from itself", _asking("rex != rex"), False, NOTHING),
    Attempt("values of an enum", _asking("red != blue", sorts=_COLOUR), True, NOTHING),
    Attempt("dates in their order", _asking("2025-01-20 < 2025-01-21"), True, NOTHING),
    Attempt(
        "a question with one true option",
        {**REX, "verifications": [{"options": [{"constraint": "1 < 2"}]}]},
        True,
        NOTHING,
    ),
    Attempt(
        "bindings of what equals itself",
        {**REX, "verifications": [{"find": [{"name": "x", "sort": "Animal"}], "constraint": "x == x"}]},
        True,
        NOTHING,
    ),
    Attempt("the true question second", _asking("1 < 2", "not has_fur(rex)"), True, NOTHING),
    # What the program's own declarations make true.
    Attempt("unique names", _asking("rex != max", semantics={"unique_names": True}), True, NOTHING),
    Attempt(
        "a closed domain",
        _asking("ForAll([x: Animal], x == rex or x == max)", semantics={"closed_domain": True}),
        True,
        NOTHING,
    ),
    Attempt(
        "a definition",
        _alone("answer", "other", functions=[{**ANSWER, "params": [], "body": "True"}, OTHER]),
        True,
        NOTHING,
    ),
    Attempt(
        "a defined predicate",
        _asking(
            "sure(rex)",
            functions=_with_functions(
                {"name": "sure", "domain": ["Animal"], "range": "Bool", "params": ["x"], "body": "x == x"}
            ),
            variables=[{"name": "x", "sort": "Animal"}],
        ),
        True,
        NOTHING,
    ),
    Attempt("an axiom of a pack", _asking("below(rex, rex)", **_PACKED), True, NOTHING),
    Attempt(
        "a closed predicate without rules",
        _asking("not big(rex)", functions=[_CLOSED], knowledge_base=[], rules=[]),
        True,
        NOTHING,
    ),
    # What has no premise, or contradictory ones.
    Attempt("undetermined without premises", _alone("answer"), "undetermined", NOTHING),
    Attempt(
        "undetermined beside the premises",
        _asking("answer", functions=_with_functions(ANSWER)),
        "undetermined",
        NOTHING,
    ),
    Attempt(
        "a number of one's own",
        _asking("n == 3", constants={**REX["constants"], "numbers": {"sort": "Int", "members": ["n"]}}),
        "undetermined",
        NOTHING,
    ),
    Attempt(
        "contradictory premises, true claim",
        _asking("has_fur(rex)", knowledge_base=[*REX["knowledge_base"], "has_fur(rex)"]),
        True,
        NOTHING,
    ),
    Attempt("contradictory premises, false claim", _alone("answer", "other", "not other"), False, NOTHING),
    # What begs the question.
    Attempt("the answer as a fact", _alone("answer", "answer"), True, BEGGED),
    Attempt("the answer's denial as a fact", _alone("answer", "not answer"), False, BEGGED),
    Attempt("the answer as an equation", _alone("answer", "answer == True"), True, BEGGED),
    Attempt("the answer twice", _alone("answer", "answer and answer"), True, BEGGED),
    Attempt("the answer under two negations", _alone("answer", "not not answer"), True, BEGGED),
    Attempt("the answer beside arithmetic", _alone("answer", "answer <-> (1 < 2)"), True, BEGGED),
    Attempt("the answer among other facts", _alone("answer", "answer and other"), True, BEGGED),
    Attempt("the answer as its contrary", _alone("not answer", "not answer"), True, BEGGED),
    Attempt(
        "the conclusion as a fact",
        _asking("not has_fur(rex)", knowledge_base=["not has_fur(rex)"]),
        True,
        BEGGED,
    ),
    Attempt("a falsehood as a fact", _alone("answer", "False", "answer"), "inconsistent", BEGGED),
    Attempt(
        "a falsehood of arithmetic as a fact", _alone("answer", "2 < 1", "answer"), "inconsistent", BEGGED
    ),
    Attempt(
        "a fact and its denial", _alone("answer", "other", "not other", "answer"), "inconsistent", BEGGED
    ),
    # Claims of others.
    Attempt(
        "the claim of others as a fact",
        _asking("True", knowledge_base=["not has_fur(rex)"], rules=[]),
        {"has_fur(rex)": False},
        BEGGED,
    ),
    Attempt(
        "the predicate of others defined",
        {
            **REX,
            "functions": [
                *REX["functions"][:3],
                {**REX["functions"][3], "params": [{"name": "x", "sort": "Animal"}], "body": "False"},
            ],
            "rules": [],
            "knowledge_base": ["in_park(rex)"],
        },
        {"has_fur(rex)": False},
        NOTHING,
    ),
    Attempt("other names", _alone("answer", "answer"), {"has_fur(rex)": False}, 0.1),
    Attempt(
        "contradictions for claims of others",
        _alone("answer", "answer", "not answer"),
        {"answer": True},
        NOTHING,
    ),
    # What nobody can tell from the program alone.
    Attempt("the answer by two facts", _alone("answer", "other -> answer", "other"), True, ALL),
    Attempt(
        "more than is said of all",
        _asking("has_fur(rex)", knowledge_base=[], rules=[{"constraint": "ForAll([x: Animal], has_fur(x))"}]),
        True,
        ALL,
    ),
    Attempt("undetermined beside a related fact", _alone("answer", "answer or other"), "undetermined", ALL),
)
