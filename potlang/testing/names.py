"""Odd names, and PoT programs with other names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_SOLVERS = (
    *("assert", "check-sat", "declare-const", "define-fun", "exit", "let", "par", "!", "_", "as", "forall"),
    *("select", "store", "true", "false", "and", "or", "not", "ite", "distinct", "Array", "BitVec", "String"),
    *(
        "bv1",
        "#b01",
        "Real",
        "div",
        "mod",
        "is",
        "a!1",
        "k!0",
        "x!0",
        ".def_0",
        "@uc_S_0",
        "!a0",
        "witness.0",
    ),
)
_LANGUAGE = (
    *("And", "Or", "Not", "ForAll", "Exists", "Sum", "Product", "Count", "If", "in", "True", "None", "x"),
    *("Int", "BitVecSort(8)", "EnumSort", "f(x)", "x == y", "[x]", "lambda", "__class__", "name", "sort"),
)
_MARKS = (
    *("|", "||", "a|b", "|x|", '"', '""', "'", "\\", "\\'", "`", "``", "a`b", "(", ")", "())", ";", "; x"),
    *("\n", "a\nb", "\r\n", "\t", " ", " a", "a ", "  ", "\0", "\x1b[31m", "\x7f", "%s", "{0}", "{", "$ref"),
    *("~1", "/", "#/", "a.b", "1", "1x", "-1", "0.5", "", "é", "e\u0301", "नमस्ते", "名前", "🙂", "\u200b"),
    *("\u202e", "ǆ", "ſ", "℘", "·", "ª", "²", "\ufeff", "\u2028", "İ", "ß"),
)


def identifiers() -> SearchStrategy[str]:
    """Names that are hard to write: marks, words of solvers and of the language, any script, very long ones.

    No name is empty, has an unpaired surrogate, or is longer than programs allow.
    """
    odd = st.sampled_from([name for name in (*_SOLVERS, *_MARKS, *_LANGUAGE) if name])
    joined = st.lists(odd, min_size=2, max_size=3).map("".join)
    alphabet = st.characters(exclude_categories=["Cs"])
    texts = st.text(alphabet, min_size=1, max_size=12)
    long = st.builds(lambda name, times: (name * times)[:10_000], odd, st.sampled_from([100, 300, 10_000]))
    return st.one_of(odd, joined, texts, st.just("x"), long)


def quoted(name: str) -> str:
    """A name in backquotes, as any name can be written in an expression."""
    return "`" + name.replace("`", "``") + "`"


def declared_names(program: Mapping[str, Any]) -> list[str]:
    """The names that a program declares, in order: sorts, values, fields, functions, constants, variables."""
    found: dict[str, None] = {}
    for sort in program.get("sorts", ()):
        found[sort["name"]] = None
        found.update(dict.fromkeys(sort.get("values", ())))
        found.update(dict.fromkeys(part["name"] for part in sort.get("fields", ())))
    for row in (*program.get("functions", ()), *program.get("variables", ())):
        found[row["name"]] = None
    constants = program.get("constants", {})
    for group in constants.values() if isinstance(constants, dict) else constants:
        found.update(dict.fromkeys(group["members"]))
    return list(found)


def renamed(program: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """The program with each name that is a key of `names` replaced, in declarations and in expressions.

    `names` must be injective, and its keys no names of built-in operators that the program uses.
    Labels of facts, rules, verifications and groups of constants stay.
    """
    result = _Renaming(names).section(program, "program")
    assert isinstance(result, dict)
    return result


_TOKEN = re.compile(
    r"""\{'name':\s*'(?P<name>[^'\\]*)',\s*'sort':\s*'(?P<sort>[^'\\]*)'\}"""
    r"""|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\#[bx][0-9A-Fa-f]+|`(?P<quoted>(?:[^`]|``)+)`|(?P<plain>[^\W\d]\w*)""",
    re.DOTALL,
)
_TEXTS = frozenset(
    (
        *("domain", "range", "body", "sort", "type", "assertion", "antecedent", "consequent", "constraint"),
        *("constraints", "expression", "knowledge_base"),
    )
)
_NAMES = frozenset(("values", "members", "params", "forall", "exists", "find", "variables"))
_NAMES_TOO = frozenset(("unique_names", "closed_domain"))
_NAMED = frozenset(("sorts", "functions", "fields", *_NAMES))


class _Renaming:
    """Walks the sections; programs are no deeper than their format, so recursion is bounded."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def section(self, value: Any, key: str) -> Any:
        """`value`, found under `key`."""
        if isinstance(value, str):
            return self._string(value, key)
        if isinstance(value, list):
            return [self.section(item, "group" if key == "constants" else key) for item in value]
        if not isinstance(value, dict):
            return value
        if key == "constants":
            # Keys are labels of groups there, not keys of the format.
            return {group: self.section(item, "group") for group, item in value.items()}
        return {name: self._member(name, item, key) for name, item in value.items()}

    def _member(self, name: str, value: Any, owner: str) -> Any:
        if name == "name":
            return self._names.get(value, value) if owner in _NAMED else value
        if name == "type" and owner != "sorts":
            return value
        return self.section(value, name)

    def _string(self, value: str, key: str) -> str:
        if key in _NAMES or key in _NAMES_TOO:
            return self._names.get(value, value)
        # Other strings, such as names of facts and descriptions, are no expressions.
        return self.text(value) if key in _TEXTS else value

    def text(self, value: str) -> str:
        """An expression, or a sort."""
        return _TOKEN.sub(self._token, value)

    def _token(self, match: re.Match[str]) -> str:
        if match["name"] is not None:
            name = self._names.get(match["name"], match["name"])
            return f"{{'name': {_literal(name)}, 'sort': {_literal(self.text(match['sort']))}}}"
        name = match["plain"] or (match["quoted"] or "").replace("``", "`")
        return quoted(self._names[name]) if name in self._names else match[0]


def _literal(text: str) -> str:
    # Within quotes of the expression language, inside a JSON string: escapes that both read alike.
    escaped = "".join(f"\\u{ord(c):04x}" if c in "'\\" or ord(c) < 32 else c for c in text)
    return f"'{escaped}'"
