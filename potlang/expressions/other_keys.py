"""Keys of other formats, and the keys of ours that they stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

_NOT_LETTERS = re.compile(r"[\W_]+")
_SAME: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "knowledge_base": (
            *("facts", "fact", "axioms", "premises", "assumptions", "kb", "givens", "given", "theory"),
            *("background", "hypotheses", "statements", "context"),
        ),
        "verifications": (
            *("claims", "claim", "queries", "query", "goals", "goal", "questions", "question", "conclusions"),
            *("conclusion", "theorems", "conjectures", "checks", "verify", "toprove", "prove", "tests"),
        ),
        "functions": ("predicates", "relations", "funcs", "symbols", "signature", "properties", "attributes"),
        "sorts": ("types", "enums", "domains", "classes", "datatypes"),
        "constants": ("individuals", "entities", "objects", "instances"),
        "variables": ("vars", "vardecls"),
        "rules": ("constraints", "policies", "policy", "implications", "clauses"),
        "domain": ("args", "arguments", "argtypes", "argsorts", "inputs", "parameters", "from", "signature"),
        "range": ("returns", "return", "returntype", "output", "codomain", "result", "to", "resulttype"),
        "values": ("elements", "members", "enum", "options", "constructors", "cases", "items"),
        "members": ("values", "names", "elements", "items", "constants"),
        "sort": ("type", "of", "domain", "class"),
        "type": ("kind", "sort", "direction", "sense", "goal"),
        "name": ("id", "title", "label", "identifier", "symbol"),
        "constraint": ("formula", "expression", "expr", "assertion", "statement", "claim", "logic", "assert"),
        "assertion": ("formula", "expression", "expr", "fact", "statement", "constraint", "assert"),
        "expression": ("expr", "formula", "objective", "term", "target", "function"),
        "antecedent": ("if", "condition", "premise", "lhs", "hypothesis", "when", "body"),
        "consequent": ("then", "conclusion", "rhs", "head", "consequence"),
        "value": ("truth", "truthvalue", "holds"),
        "forall": ("foreach", "universal", "quantifiers", "vars", "variables"),
        "exists": ("thereexists", "existential", "some"),
        "description": (
            "comment",
            "comments",
            "desc",
            "doc",
            "explanation",
            "note",
            "notes",
            "text",
            "meaning",
        ),
        "objectives": ("objective", "goals", "goal"),
    }
)


def key_meant(key: str, known: Collection[str], present: Collection[str]) -> str | None:
    """The key of `known`, not yet `present`, that a key of another format stands for."""
    plain = _NOT_LETTERS.sub("", key.casefold())
    return next((ours for ours in known if ours not in present and plain in _SAME.get(ours, ())), None)
