"""Mistakes that people and models make, one in a program: names, sorts, brackets, arguments, keys."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from itertools import pairwise
from typing import Any, Final

Program = dict[str, Any]
Path = tuple[str | int, ...]

_WORD: Final = re.compile(r"[^\W\d]\w*")
_CALL: Final = re.compile(r"([^\W\d]\w*)\(")
_CONNECTIVES: Final = ("And", "Or", "Not", "Implies", "Iff", "Xor", "If", "and", "or", "not", "in")
_KEYWORDS: Final = frozenset(
    (*_CONNECTIVES, "ForAll", "Exists", "Distinct", "Sum", "Product", "True", "False")
)
_FORMULAS: Final = frozenset(
    ("knowledge_base", "rules", "verifications", "assertion", "constraint", "antecedent", "consequent")
)
_SORT_KEYS: Final = frozenset(("sort", "range", "domain"))
_BUILT_IN: Final = ("Int", "Real", "Bool")


def with_mistake(program: Program, kind: str, rng: random.Random) -> str | None:
    """The text of the program with one mistake of the kind; None if it has no place for one."""
    return KINDS[kind](deepcopy(program), rng)


def _misspelt_name(program: Program, rng: random.Random) -> str | None:
    words = [
        (path, found)
        for path, text in _strings(program)
        if _is_formula(path) or _is_name(path)
        for found in _WORD.finditer(text)
        if found[0] not in _KEYWORDS
    ]
    if not words:
        return None
    path, found = rng.choice(words)
    return _with_text(program, path, found.span(), _typo(found[0], rng))


def _wrong_sort(program: Program, rng: random.Random) -> str | None:
    mentions = [
        (path, text)
        for path, text in _strings(program)
        if path[-1] in _SORT_KEYS or (len(path) > 1 and path[-2] == "domain")
    ]
    if not mentions:
        return None
    path, text = rng.choice(mentions)
    others = [name for name in (*_sorts(program), *_BUILT_IN) if name != text and name + "Sort" != text]
    return _with_text(program, path, (0, len(text)), rng.choice(others))


def _missing_bracket(program: Program, rng: random.Random) -> str | None:
    text = json.dumps(program, indent=2, ensure_ascii=False)
    place = rng.choice([index for index, char in enumerate(text) if char in "()[]{}"])
    return text[:place] + text[place + 1 :]


def _wrong_arity(program: Program, rng: random.Random) -> str | None:
    functions = program.get("functions") or []
    declared = {each["name"] for each in functions}
    places: list[Callable[[], str]] = []
    for path, text in _strings(program):
        calls = [found for found in _CALL.finditer(text) if found[1] in declared] if _is_formula(path) else []
        places += [partial(_call, program, path, text, found.end(), rng) for found in calls]
    taking = [index for index, each in enumerate(functions) if each["domain"]]
    places += [partial(_domain, program, index, rng) for index in taking]
    return rng.choice(places)() if places else None


def _call(program: Program, path: Path, text: str, start: int, rng: random.Random) -> str:
    """One argument of a call less, or one twice."""
    ends, depth, place = [start], 1, start
    while depth:
        char = text[place]
        depth += (char in "([") - (char in ")]")
        if (char == "," and depth == 1) or not depth:
            ends.append(place if not depth else place + 1)
        place += 1
    args = [text[a:b].strip(" ,") for a, b in pairwise(ends)]
    at = rng.randrange(len(args))
    args[at : at + 1] = [] if rng.random() < 0.5 else [args[at], args[at]]
    return _with_text(program, path, (start, ends[-1]), ", ".join(args))


def _domain(program: Program, index: int, rng: random.Random) -> str:
    domain = program["functions"][index]["domain"]
    at = rng.randrange(len(domain))
    domain[at : at + 1] = [] if rng.random() < 0.5 else [domain[at], domain[at]]
    return _text(program)


def _missing_declaration(program: Program, rng: random.Random) -> str | None:
    sections = [program.get(key) for key in ("sorts", "functions", "variables")]
    lists = [each for each in sections if isinstance(each, list)]
    groups = program.get("constants") or {}
    lists += [each["members"] for each in (groups.values() if isinstance(groups, dict) else groups)]
    places = [(items, index) for items in lists for index in range(len(items))]
    if not places:
        return None
    items, index = rng.choice(places)
    del items[index]
    return _text(program)


def _wrong_key(program: Program, rng: random.Random) -> str | None:
    keys = [path for path in _keys(program) if path[:-1] != ("constants",)]
    path = rng.choice(keys)
    parent = _get(program, path[:-1])
    misspelt = _typo(str(path[-1]), rng)
    renamed = {misspelt if key == path[-1] else key: value for key, value in parent.items()}
    parent.clear()
    parent.update(renamed)
    return _text(program)


KINDS: Final[dict[str, Callable[[Program, random.Random], str | None]]] = {
    "misspelt name": _misspelt_name,
    "wrong sort": _wrong_sort,
    "missing bracket": _missing_bracket,
    "wrong arity": _wrong_arity,
    "missing declaration": _missing_declaration,
    "wrong key": _wrong_key,
}


def _typo(word: str, rng: random.Random) -> str:
    """A word with a letter dropped, doubled, replaced, or swapped with the next."""
    while True:
        at = rng.randrange(len(word))
        letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
        before, after = word[:at], word[at + 1 :]
        swapped = before + word[at : at + 2][::-1] + word[at + 2 :]
        made = rng.choice((before + after, before + word[at] + word[at:], before + letter + after, swapped))
        if made != word and _WORD.fullmatch(made):
            return made


# --- places -----------------------------------------------------------------------------------------


def _is_formula(path: Path) -> bool:
    return any(part in _FORMULAS for part in path) and path[-1] not in (*_SORT_KEYS, "name", "description")


def _is_name(path: Path) -> bool:
    """Whether a name that formulas use stands there: a declaration's, or a sort's."""
    if path[0] in ("sorts", "functions", "variables", "constants"):
        return path[-1] in ("name", *_SORT_KEYS) or "domain" in path or "members" in path or "values" in path
    return path[-1] in _SORT_KEYS


def _strings(value: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    for key, item in _members(value):
        yield from _strings(item, (*path, key))


def _keys(value: object, path: Path = ()) -> Iterator[Path]:
    for key, item in _members(value):
        if isinstance(key, str):
            yield (*path, key)
        yield from _keys(item, (*path, key))


def _members(value: object) -> list[tuple[str | int, object]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _get(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _sorts(program: Program) -> list[str]:
    return [each["name"] for each in program.get("sorts") or []]


def _with_text(program: Program, path: Path, span: tuple[int, int], text: str) -> str:
    old = _get(program, path)
    _get(program, path[:-1])[path[-1]] = old[: span[0]] + text + old[span[1] :]
    return _text(program)


def _text(program: Program) -> str:
    return json.dumps(program, indent=2, ensure_ascii=False)
