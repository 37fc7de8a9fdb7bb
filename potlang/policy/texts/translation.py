"""A translation of a text into a policy's words: premises and claims ([POLICY-TEXT-TRANSLATION])."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from potlang.diag.wording import counted
from potlang.languages.pot.program import CompileError, Program
from potlang.models.replies.extract import BadReply, find_objects
from potlang.policy.cases import FACTS, SORT
from potlang.policy.texts.formulas import compiled_with, names_in, read_formula
from potlang.policy.texts.parts import QuotableText, TextPart

MOST_FORMULAS: Final = 100
"""Premises and claims of a translation together ([LIMIT-POLICY-TEXT])."""
MOST_INDIVIDUALS: Final = 20
MOST_QUOTATIONS: Final = 20
"""Of one formula."""
_KEYS: Final = frozenset({"premises", "claims"})
_MOST_TOLD: Final = 5


class TranslatedFormula(NamedTuple):
    """A formula, and the words of the text that it translates."""

    formula: str
    words: tuple[str, ...]


class Translation(NamedTuple):
    """The content of a text in a policy's words.

    `individuals` are things that the policy does not name, with their sorts. The `premises` are what the
    text takes as given, the `claims` what it says to follow.
    """

    individuals: Mapping[str, str]
    premises: tuple[TranslatedFormula, ...]
    claims: tuple[TranslatedFormula, ...]

    @property
    def formulas(self) -> tuple[TranslatedFormula, ...]:
        """Premises and claims."""
        return (*self.premises, *self.claims)

    @property
    def case(self) -> dict[str, Any]:
        """Individuals and premises as a case, as JSON values."""
        facts = [each.formula for each in self.premises]
        return {**{name: {SORT: sort} for name, sort in self.individuals.items()}, FACTS: facts}

    def untranslated(self, text: QuotableText) -> list[TextPart]:
        """The parts of the text that are words of no formula.

        A quotation whose words occur more than once stands for one place, the first that is left.
        """
        covered: dict[TextPart, None] = {}
        for words in (each for part in self.formulas for each in part.words):
            places = text.places(words)
            covered[next((each for each in places if each not in covered), places[0])] = None
        return text.uncovered(covered)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values, in the form in which models write it."""
        return {
            "individuals": [{"name": name, "sort": sort} for name, sort in self.individuals.items()],
            "premises": [_plain(each) for each in self.premises],
            "claims": [_plain(each) for each in self.claims],
        }


def find_translation(reply: str, text: QuotableText, program: Program) -> Translation:
    """The translation in a model's reply. Raises BadReply."""
    found = find_objects(reply, _KEYS)
    if not found:
        raise BadReply("there is no JSON object with `premises` and `claims` in the reply")
    try:
        # Of a reply with several objects the last one is what the model came to.
        value = json.loads(found[-1].text)
    except (ValueError, RecursionError):
        raise BadReply("the object in the reply is not well-formed JSON") from None
    return read_translation(value, text, program)


def read_translation(value: Any, text: QuotableText, program: Program) -> Translation:
    """The translation that a JSON value is, all of it checked against the text and the policy.

    Individuals that no formula names are left out. Raises BadReply.
    """
    # What has neither of them is something else, and does not say that there is nothing to translate.
    if not isinstance(value, Mapping) or not _KEYS & value.keys():
        raise BadReply("a translation is an object with `individuals`, `premises` and `claims`")
    individuals = _individuals(value.get("individuals"), program)
    premises = _formulas(value, "premises", text)
    claims = _formulas(value, "claims", text)
    if len(premises) + len(claims) > MOST_FORMULAS:
        raise BadReply(f"there are more than {MOST_FORMULAS} formulas")
    _check(individuals, {"premises": premises, "claims": claims}, program)
    used = {name for each in (*premises, *claims) for name in names_in(each.formula)}
    kept = {name: sort for name, sort in individuals.items() if name in used}
    return Translation(kept, tuple(premises), tuple(claims))


def _plain(part: TranslatedFormula) -> dict[str, Any]:
    return {"formula": part.formula, "words": list(part.words)}


# --- the form ----------------------------------------------------------------------------------------


def _individuals(value: Any, program: Program) -> dict[str, str]:
    items = [] if value is None else value
    if not isinstance(items, Sequence) or isinstance(items, str) or len(items) > MOST_INDIVIDUALS:
        raise BadReply(f"`individuals` is a list of at most {MOST_INDIVIDUALS} objects")
    found: dict[str, str] = {}
    for at, item in enumerate(items):
        name, sort = _texts(item, ("name", "sort"), f"individuals[{at}]")
        if name in found:
            raise BadReply(f"there are two individuals `{name}`")
        if name == FACTS or program.extension.scope.lookup(name) is not None:
            raise BadReply(f"the individual `{name}` needs another name: the policy has this one")
        found[name] = sort
    return found


def _formulas(value: Mapping[str, Any], key: str, text: QuotableText) -> list[TranslatedFormula]:
    items = value.get(key)
    items = [] if items is None else items
    if not isinstance(items, Sequence) or isinstance(items, str):
        raise BadReply(f"`{key}` is a list of objects with `formula` and `words`")
    return [_formula(item, f"{key}[{at}]", text) for at, item in enumerate(items)]


def _formula(item: Any, place: str, text: QuotableText) -> TranslatedFormula:
    (formula,) = _texts(item, ("formula",), place)
    words = item.get("words")
    words = [words] if isinstance(words, str) else words
    if not isinstance(words, Sequence) or not words or not all(isinstance(each, str) for each in words):
        raise BadReply(f"{place} does not say in `words` which words of the text it translates")
    if len(words) > MOST_QUOTATIONS:
        raise BadReply(f"{place} has more than {MOST_QUOTATIONS} quotations in `words`")
    for each in words:
        if not text.places(each):
            raise BadReply(f"{place} says to translate {each!r:.100}, and the text has no such words")
    return TranslatedFormula(formula, tuple(words))


def _texts(item: Any, keys: Iterable[str], place: str) -> list[str]:
    """The values of these keys, each of them a text that is not empty."""
    values = [item.get(key) if isinstance(item, Mapping) else None for key in keys]
    found = [each for each in values if isinstance(each, str) and each.strip()]
    if len(found) < len(values):
        raise BadReply(f"{place} is an object with the texts {' and '.join(f'`{k}`' for k in keys)}")
    return found


# --- the meaning -------------------------------------------------------------------------------------


def _check(
    individuals: Mapping[str, str], formulas: Mapping[str, Sequence[TranslatedFormula]], program: Program
) -> None:
    """Raises BadReply for what is no formula over the policy's words."""
    try:
        whole = compiled_with(program, individuals)
    except CompileError as error:
        raise BadReply(_told([each.message for each in error.diagnostics])) from None
    problems = list(_problems(formulas, whole))
    if problems:
        raise BadReply(_told(problems))


def _problems(formulas: Mapping[str, Sequence[TranslatedFormula]], program: Program) -> Iterator[str]:
    for key, parts in formulas.items():
        for at, each in enumerate(parts):
            try:
                read_formula(program, each.formula)
            except CompileError as error:
                yield f"{key}[{at}]: {_told([each.message for each in error.diagnostics])}"


def _told(problems: Sequence[str]) -> str:
    more = len(problems) - _MOST_TOLD
    return "; ".join([*problems[:_MOST_TOLD], *([counted(more, "more") if more > 0 else ""])]).rstrip("; ")
