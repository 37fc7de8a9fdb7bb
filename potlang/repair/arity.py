"""An argument more or less, in a call or in a declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from potlang.diag import Diagnostic
from potlang.diag.model import Patch, Replace
from potlang.repair.subject import WORD, Repair, Subject
from potlang.source import join_pointer

_HEAD: Final = re.compile(r"(?<!\w)([^\W\d]\w*+)\s*+\(")
_MOST_NAMES = 12
_KEYWORDS: Final = frozenset(("And", "Or", "Not", "Implies", "ForAll", "Exists", "If", "Iff", "Xor"))


class WrittenCall(NamedTuple):
    """A call in a formula: where its arguments stand."""

    name: str
    args: tuple[tuple[int, int], ...]
    inside: tuple[int, int]


def call_at(text: str, start: int) -> WrittenCall | None:
    """The call that begins at `start`."""
    head = _HEAD.match(text, start)
    if head is None:
        return None
    args, depth, begin = [], 1, head.end()
    for place in range(head.end(), len(text)):
        char = text[place]
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 or (char == "," and depth == 1):
            args.append((begin, place))
            begin = place + 1
        if depth == 0:
            return WrittenCall(
                head[1], tuple(each for each in args if text[slice(*each)].strip()), (head.end(), place)
            )
    return None


def arity_candidates(subject: Subject) -> Iterator[Repair]:
    """Of a name whose uses all differ from its declaration the declaration first, else the calls."""
    wrong: dict[str, list[tuple[Diagnostic, WrittenCall]]] = {}
    for error in subject.with_code(["POT3002"]):
        span = error.place.span
        call = None if span is None else call_at(subject.formula(error), span[0])
        if call is not None:
            wrong.setdefault(call.name, []).append((error, call))
    for name, found in wrong.items():
        index, domain = _declared(subject, name)
        uses = sum(len(re.findall(rf"\b{re.escape(name)}\s*\(", text)) for _, text in subject.strings())
        # All uses agree against the declaration: that is the mistake.
        blamed = len(found) > 1 and uses == len(found)
        # A function of the language takes what it takes: an argument dropped is another formula.
        if index is None:
            continue
        if len({len(call.args) for _, call in found}) == 1:
            yield from _of_domain(subject, name, index, domain, found[0][1], 0 if blamed else 6)
        for error, call in found:
            yield from _of_call(subject, error, call, len(domain), 0 if not blamed else 6)


def _declared(subject: Subject, name: str) -> tuple[int | None, list[Any]]:
    for index, each in enumerate(subject.section("functions")):
        if isinstance(each, dict) and each.get("name") == name and isinstance(each.get("domain"), list):
            return index, each["domain"]
    return None, []


def _of_domain(
    subject: Subject, name: str, index: int, domain: list[Any], call: WrittenCall, cost: int
) -> Iterator[Repair]:
    pointer = join_pointer("/functions", index, "domain")
    if len(call.args) == len(domain) - 1:
        for place, sort in enumerate(domain):
            title = f"drop {sort} from the domain of `{name}`"
            yield Repair(cost, title, (Patch("remove", join_pointer(pointer, place)),))
    elif len(call.args) == len(domain) + 1:
        for sort in subject.sorts():
            for place in range(len(domain) + 1):
                title = f"add {sort} to the domain of `{name}`"
                edit = Patch("add", join_pointer(pointer, place), sort)
                yield Repair(cost + (sort not in domain), title, (edit,))


def _of_call(
    subject: Subject, error: Diagnostic, call: WrittenCall, arity: int, cost: int
) -> Iterator[Repair]:
    text, pointer = subject.formula(error), error.place.pointer
    args = [text[slice(*each)].strip() for each in call.args]
    if len(args) == arity + 1:
        for place, arg in enumerate(args):
            left = args[:place] + args[place + 1 :]
            twice = 0 if arg in left else 2
            yield Repair(
                cost + twice,
                f"drop the argument `{arg[:40]}`",
                (Replace(pointer, *call.inside, ", ".join(left)),),
            )
    elif len(args) == arity - 1:
        for name, more in _at_hand(subject, error, text):
            every = [(*args[:place], name, *args[place:]) for place in range(arity)]
            for made in dict.fromkeys(every):
                edit = Replace(pointer, *call.inside, ", ".join(made))
                yield Repair(cost + more + (name in args), f"add the argument `{name}`", (edit,))


def _at_hand(subject: Subject, error: Diagnostic, text: str) -> list[tuple[str, int]]:
    """Names that may have been left out, with costs: binders, other names of the formula, constants."""
    slots = list(subject.slots())
    here = [owner for slot in slots if slot.scope and slot.reaches(error) for owner in slot.owners]
    bound = [name for group in re.findall(r"\[([^\[\]]*)\]", text) for name in WORD.findall(group)]
    ranked = dict.fromkeys([*here, *bound], 0)
    for word in WORD.findall(text):
        if word not in _KEYWORDS and not re.search(rf"\b{re.escape(word)}\s*\(", text):
            ranked.setdefault(word, 1)
    for slot in slots:
        if "/domain" not in slot.pointer and "/range" not in slot.pointer:
            for owner in slot.owners:
                ranked.setdefault(owner, 3)
    return sorted(ranked.items(), key=lambda each: each[1])[:_MOST_NAMES]
