"""The mistakes that models make when they write programs, made in any program: kinds of the reviews' cases.

Each kind is named after the case that shows it. What keeps its meaning when it is mended is a safe fix of the
compiler's; the others need another reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any, Final

Value = dict[str, Any]


def _text(program: Value) -> str:
    return json.dumps(program, ensure_ascii=False, indent=1)


def _in_formulas(pattern: str, sign: str) -> Callable[[Value, Random], str | None]:
    """Another spelling in each formula; None where no formula has it."""

    def make(program: Value, random: Random) -> str | None:
        found = 0

        def changed(value: Any, key: str = "") -> Any:
            nonlocal found
            if isinstance(value, dict):
                return {name: changed(each, name) for name, each in value.items()}
            if isinstance(value, list):
                return [changed(each, key) for each in value]
            if isinstance(value, str) and key in _FORMULAS:
                text, count = re.subn(pattern, sign, value)
                found += count
                return text
            return value

        made = changed(program)
        return _text(made) if found else None

    return make


_FORMULAS: Final = ("constraint", "antecedent", "consequent", "knowledge_base", "assertion")


def _trailing_comma(program: Value, random: Random) -> str | None:
    return re.sub(r"\n\]", ",\n]", _text(program).replace("\n ]", ",\n ]"), count=1)


def _comment_hash(program: Value, random: Random) -> str | None:
    return _text(program).replace('\n "rules"', '\n # the rules\n "rules"', 1)


def _prose(program: Value, random: Random) -> str | None:
    return f"Here is the program.\n{_text(program)}\nIt says what is asked."


def _fence(program: Value, random: Random) -> str | None:
    return f"```json\n{_text(program)}\n```"


def _unclosed(program: Value, random: Random) -> str | None:
    facts = [*program.get("knowledge_base", ())]
    at = [at for at, each in enumerate(facts) if isinstance(each, str) and each.endswith(")")]
    if not at:
        return None
    chosen = random.choice(at)
    facts[chosen] = facts[chosen][:-1]
    return _text({**program, "knowledge_base": facts})


def _undeclared_sort(program: Value, random: Random) -> str | None:
    functions = [*program.get("functions", ())]
    at = [at for at, each in enumerate(functions) if each.get("domain")]
    if not at:
        return None
    chosen = random.choice(at)
    functions[chosen] = {**functions[chosen], "domain": ["Products", *functions[chosen]["domain"][1:]]}
    return _text({**program, "functions": functions})


def _typo(program: Value, random: Random) -> str | None:
    """The name of a function that is misspelt where it is declared: its uses name nothing."""
    functions = [*program.get("functions", ())]
    if not functions:
        return None
    chosen = random.randrange(len(functions))
    name = functions[chosen]["name"]
    functions[chosen] = {**functions[chosen], "name": name[:2] + name[1:]}
    return _text({**program, "functions": functions})


def _claim_missing(program: Value, random: Random) -> str | None:
    claims = [dict(each) for each in program.get("verifications", ())]
    if not claims:
        return None
    claims[0].pop("constraint", None)
    return _text({**program, "verifications": claims})


def _boolean_sort(program: Value, random: Random) -> str | None:
    made = _text(program)
    found = re.sub(r'"Bool(?:Sort)?"', '"boolean"', made)
    return found if found != made else None


MISTAKES: Final[dict[str, Callable[[Value, Random], str | None]]] = {
    "AND_upper": _in_formulas(r"\band\b", "AND"),
    "ampamp": _in_formulas(r"\band\b", "&&"),
    "arrow": _in_formulas(r"->", "=>"),
    "boolean_sort": _boolean_sort,
    "claim_missing": _claim_missing,
    "comment_hash": _comment_hash,
    "forall_lower": _in_formulas(r"\bForAll\b", "forall"),
    "md_fence": _fence,
    "prose_then_json": _prose,
    "trailing_comma": _trailing_comma,
    "typo_fn": _typo,
    "unclosed_paren": _unclosed,
    "undeclared_sort": _undeclared_sort,
}
"""By the names of the reviews' cases: a program, and chance → its text with the mistake, None where it has no
place for it."""


def with_mistake(program: Value, random: Random) -> tuple[str, str]:
    """The name of a mistake, and the program's text with it."""
    names = [*MISTAKES]
    random.shuffle(names)
    for name in names:
        made = MISTAKES[name](program, random)
        if made is not None:
            return name, made
    raise AssertionError("a fence fits every program")


def with_slip(program: Value, random: Random) -> Value:
    """A program that compiles and means something else: a fact or a rule is missing, or is contradicted."""
    facts, rules = [*program.get("knowledge_base", ())], [*program.get("rules", ())]
    kind = random.choice(("missing", "contradicted"))
    texts = [each for each in facts if isinstance(each, str)]
    if kind == "contradicted" and texts:
        return {**program, "knowledge_base": [*facts, f"Not({random.choice(texts)})"]}
    if rules and (not facts or random.random() < 0.5):
        rules.pop(random.randrange(len(rules)))
    elif facts:
        facts.pop(random.randrange(len(facts)))
    return {**program, "knowledge_base": facts, "rules": rules}
