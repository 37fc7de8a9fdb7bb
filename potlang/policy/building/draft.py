"""The program of a policy while it is built: its sections, with what each item cites."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from potlang.policy.building.reading import SourceDocument

Item = dict[str, Any]
DECLARING: Final = ("sorts", "functions", "constants")
STATING: Final = ("knowledge_base", "rules")
_NAME = re.compile(r"`([^`]+)`|[^\W\d]\w*")
LONGEST_RULES: Final = 60_000
"""Characters of the rules that a model is shown beside the sentences that it is asked about."""
_NAMING: Final = ("domain", "range", "sort", "body", "params")
"""Keys of declarations below which other words are named."""


class PolicyDraft:
    """Lists of items in the form of PoT; constants in groups of a list."""

    def __init__(self, sections: Mapping[str, Sequence[Item]] | None = None) -> None:
        given = sections or {}
        self.sections: dict[str, list[Item]] = {key: [*given.get(key, ())] for key in (*DECLARING, *STATING)}

    def with_items(self, items: Mapping[str, Sequence[Item]]) -> PolicyDraft:
        """The draft with more items behind its own."""
        return PolicyDraft({key: [*own, *items.get(key, ())] for key, own in self.sections.items()})

    def program(self, source: SourceDocument) -> dict[str, Any]:
        """The program, as JSON values."""
        document = {"name": source.name, "sha256": source.sha256}
        sentences = [each.text for each in source.sentences]
        return {**self.sections, "document": {**document, "sentences": sentences}}

    def items(self, sections: Iterable[str] = (*DECLARING, *STATING)) -> Iterator[tuple[str, int, Item]]:
        """Each item with its section and its place there."""
        for section in sections:
            for at, item in enumerate(self.sections[section]):
                yield section, at, item

    def citing(self) -> dict[int, list[str]]:
        """The titles of the items that cite each sentence."""
        found: dict[int, list[str]] = {}
        for section, at, item in self.items():
            for number in cited(item):
                found.setdefault(number, []).append(title_of(section, at, item))
        return found

    def words_text(self) -> str:
        """The declarations as lines of JSON, without what they cite."""
        return "\n".join(_line(key, item) for key, _, item in self.items(DECLARING))

    def rules_text(self, longest: int = LONGEST_RULES, *, with_cites: bool = False) -> str:
        """The facts and rules as lines of JSON, mostly without what they cite; of many the last ones.

        Of the others there are the names, which a rule can override.
        """
        lines: list[str] = []
        names: list[str] = []
        for key, _, item in reversed([*self.items(STATING)]):
            line = _line(key, item, with_cites=with_cites)
            longest -= len(line)
            if longest >= 0:
                lines.append(line)
            elif key == "rules":
                names.append(str(item.get("name")))
        before = (
            [f"names of the rules before: {json.dumps(names[::-1], ensure_ascii=False)}"] if names else []
        )
        return "\n".join([*before, *reversed(lines)])

    def cited_together(self, numbers: Iterable[int]) -> set[int]:
        """These sentences, and all that facts and rules cite together with one of them."""
        found = set(numbers)
        while True:
            citing = [cited(item) for _, _, item in self.items(STATING)]
            more = {number for each in citing if found.intersection(each) for number in each} - found
            if not more:
                return found
            found |= more

    def parted(self, numbers: Container[int]) -> tuple[PolicyDraft, dict[str, list[Item]]]:
        """The draft without the facts and rules that cite one of these sentences, and these."""
        taken: dict[str, list[Item]] = {key: [] for key in STATING}
        left: dict[str, list[Item]] = {key: [*self.sections[key]] for key in DECLARING}
        for key in STATING:
            left[key] = []
            for item in self.sections[key]:
                (taken if any(number in numbers for number in cited(item)) else left)[key].append(item)
        return PolicyDraft(left), taken

    def rename(self, old: str, new: str) -> None:
        """Drops the declaration of a word that is another word's second name; its citations are the other's.

        Other declarations have the new name; rules that use the old one are not changed.
        """
        dropped = [item for _, _, item in self.items(("sorts", "functions")) if item["name"] == old]
        citing = {number for item in dropped for number in cited(item)}
        for key in ("sorts", "functions"):
            self.sections[key] = [item for item in self.sections[key] if item["name"] != old]
        for _, _, item in self.items(DECLARING):
            if item["name"] == new:
                item["cites"] = sorted({*cited(item), *citing})
        for _, _, item in self.items(("functions", "constants")):
            item |= {key: _renamed(item[key], old, new) for key in _NAMING if key in item}

    def without_orphans(self) -> PolicyDraft:
        """The draft without declarations that no sentence explains and nothing uses."""
        used: set[str] = set()
        for _, _, item in self.items():
            used |= names_in(item) | {str(item.get("sort")), str(item.get("range"))}
            used.update(map(str, item.get("domain") or ()))
        return PolicyDraft(
            {
                key: [
                    each
                    for each in items
                    if key in STATING or each.get("cites") or used.intersection(declared_names(key, each))
                ]
                for key, items in self.sections.items()
            }
        )


def _renamed(value: Any, old: str, new: str) -> Any:
    """A formula, a sort, or a list of sorts or variables, with one name exchanged."""
    if isinstance(value, list):
        return [_renamed(each, old, new) for each in value]
    if isinstance(value, dict):
        return {key: _renamed(each, old, new) for key, each in value.items()}
    return _NAME.sub(lambda found: new if (found[1] or found[0]) == old else found[0], value)


def _line(section: str, item: Item, *, with_cites: bool = False) -> str:
    said = {name: each for name, each in item.items() if with_cites or name != "cites"}
    return f"{section}: {json.dumps(said, ensure_ascii=False)}"


def cited(item: Item) -> list[int]:
    """The numbers that an item cites, as far as they are numbers."""
    found = item.get("cites")
    return [each for each in found if type(each) is int] if isinstance(found, list) else []


def title_of(section: str, at: int, item: Item) -> str:
    """An item by its kind and name."""
    kind = {"knowledge_base": "fact", "constants": "constants"}.get(section, section.removesuffix("s"))
    name = item.get("name")
    return f"{kind} {name}" if name else f"{kind} {at + 1}"


def formulas_of(item: Item) -> list[str]:
    """The formulas of a rule or a fact."""
    unless = item.get("unless") or []
    implies = item.get("implies") or {}
    given = [item.get("assertion"), item.get("constraint"), item.get("body"), *implies.values()]
    given += unless if isinstance(unless, list) else [unless]
    return [each for each in given if isinstance(each, str)]


def names_in(item: Item) -> set[str]:
    """The names that the formulas of an item and its binders use."""
    texts = formulas_of(item)
    for key in ("forall", "exists"):
        texts += [each.get("sort") or "" for each in item.get(key) or () if isinstance(each, dict)]
    return {found[1] or found[0] for text in texts for found in _NAME.finditer(text)}


def declared_names(section: str, item: Item) -> list[str]:
    """The names that an item declares."""
    if section == "constants":
        return [str(each) for each in item.get("members") or ()]
    return [str(item.get("name")), *(map(str, item.get("values") or ()) if section == "sorts" else ())]
