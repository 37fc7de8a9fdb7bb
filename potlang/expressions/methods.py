"""Methods and modules of other languages: `s.startswith("a")`, `z3.And(p, q)`."""

from __future__ import annotations

MODULES = frozenset(
    ("z3", "math", "Math", "np", "numpy", "operator", "itertools", "re", "cp", "model", "sp", "sympy")
)
CHANGES = frozenset(
    (
        "lower",
        "upper",
        "tolowercase",
        "touppercase",
        "trim",
        "strip",
        "replace",
        "split",
        "join",
        "capitalize",
    )
)
NO_CHANGES = (
    "there is no change of strings: of strings there are `Concat`, `Substring(s, start, length)`, "
    "`Contains`, `StartsWith`, `EndsWith`, `Matches`, `Length` and `ToInt`"
)
METHODS = {
    "has": "Member",
    "card": "Card",
    "startswith": "StartsWith",
    "endswith": "EndsWith",
    "contains": "Contains",
    "includes": "Contains",
    "length": "Size",
    "size": "Size",
    "len": "Size",
    "issubset": "Subset",
    "union": "Union",
    "intersection": "Intersect",
    "intersect": "Intersect",
    "difference": "Difference",
    "isempty": "IsEmpty",
    "matches": "Matches",
    "match": "Matches",
    "fullmatch": "Matches",
    "substring": "Substring",
    "abs": "Abs",
    "floor": "Floor",
    "ceil": "Ceil",
    "round": "Round",
}
