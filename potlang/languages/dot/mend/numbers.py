"""Ids that increase again: a node whose id is taken gets another one, and so do the references to it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from potlang.languages.dot.mend.lines import TraceLine, WrittenField, fields_of
from potlang.languages.dot.read.records import Profile
from potlang.languages.dot.read.shapes import SHAPES
from potlang.languages.dot.read.validator import ADMISSIBLE, PAPER_TRIPLES

_ROLES_OF = {"target": "proposer", "src": "proposer", "dst": "proposer", "witness": "critic"}
_OWN = {("edge", "dst"), ("prop", "id"), ("node", "id")}
_MOST = 20
"""Nodes of one id that a reference is tried with."""
_NOT_IDS = ("rank", "role", "mark", "kind")


class Renumbering(NamedTuple):
    """Numbers to write in the place of bytes; `sure`: no reference can mean another node."""

    edits: tuple[tuple[int, int, str], ...]
    sure: bool


class _Reference(NamedTuple):
    """A field that names a node, with the block and the record in which it stands."""

    block: int
    kind: str
    field: WrittenField
    edge: str = ""

    @property
    def id(self) -> int:
        """The id that it names."""
        return int(self.field.text)


def renumbering(data: bytes, blocks: list[list[TraceLine]], profile: Profile) -> Renumbering | None:
    """The ids that a trace needs where those of its nodes do not increase; None if that cannot be told."""
    nodes = [fields_of(data, block[0]) for block in blocks]
    references = list(_references(data, blocks))
    if None in nodes or None in references:
        return None
    known = [each for each in references if each is not None]
    roles = [fields["role"].text for fields in nodes if fields is not None]
    declared = [int(fields["id"].text) for fields in nodes if fields is not None]
    return _Numbers(declared, roles, known, profile).renumbering()


def _references(data: bytes, blocks: list[list[TraceLine]]) -> Iterator[_Reference | None]:
    for index, block in enumerate(blocks):
        for line in block:
            if line.kind not in SHAPES:
                continue
            fields = fields_of(data, line)
            if fields is None:
                yield None
                return
            edge = fields["kind"].text if line.kind == "edge" else ""
            yield from (
                _Reference(index, line.kind, each, edge)
                for each in fields.values()
                if each.name not in _NOT_IDS
            )


class _Numbers:
    """One trace: the ids that its nodes have, those that they are meant to have, and those that they get."""

    def __init__(
        self, declared: list[int], roles: list[str], references: list[_Reference], profile: Profile
    ) -> None:
        self.declared = declared
        self.roles = roles
        self.references = references
        self.profile = profile
        self.meant = list(declared)
        self._having: dict[int, list[int]] = {}
        """The nodes that are meant to have an id."""

    def renumbering(self) -> Renumbering | None:
        """See `renumbering`."""
        if not self._find_meant():
            return None
        for index, id_ in enumerate(self.meant):
            self._having.setdefault(id_, []).append(index)
        new = self._new_ids()
        # Two blocks of one role with one id may be one block that was written twice.
        sure, edits = len(set(zip(self.meant, self.roles, strict=True))) == len(self.meant), []
        sure = sure and all(len(nodes) <= _MOST for nodes in self._having.values())
        for each in self.references:
            found = self._candidates(each)
            sure = sure and len(found) == 1
            if found and str(new[found[-1]]) != each.field.text:
                edits.append((each.field.start, each.field.end, str(new[found[-1]])))
        return Renumbering(tuple(edits), sure) if edits else None

    def _find_meant(self) -> bool:
        """Finds the id that each node is meant to have; whether its own records say no other."""
        taken = Counter(self.declared)
        inner: list[set[int]] = [set() for _ in self.declared]
        for each in self.references:
            if (each.kind, each.field.name) in _OWN and each.kind != "node":
                inner[each.block].add(each.id)
        for index, ids in enumerate(inner):
            if ids <= {self.declared[index]}:
                continue
            [other] = ids if len(ids) == 1 else [None]
            if other is None or other in taken or taken[self.declared[index]] < 2:
                return False
            self.meant[index] = other
        self._find_named(taken)
        return True

    def _find_named(self, taken: Counter[int]) -> None:
        """Where one id is used that no node has, and one of two equal ones can be it, that one is."""
        named = {each.id for each in self.references} - set(self.meant)
        twice = [id_ for id_, count in Counter(self.meant).items() if count > 1]
        if len(named) != 1 or len(twice) != 1 or taken[twice[0]] != 2:
            return
        [id_] = named
        fitting = [
            index for index, own in enumerate(self.meant) if own == twice[0] and self._fits(index, id_)
        ]
        if len(fitting) == 1:
            self.meant[fitting[0]] = id_

    def _fits(self, index: int, id_: int) -> bool:
        """Whether all ids increase if a node has another one, and no record above it names that."""
        ids = [*self.meant[:index], id_, *self.meant[index + 1 :]]
        earlier = any(each.id == id_ and each.block < index for each in self.references)
        return not earlier and all(one < other for one, other in pairwise(ids))

    def _new_ids(self) -> list[int]:
        new: list[int] = []
        for id_ in self.meant:
            new.append(id_ if not new or id_ > new[-1] else new[-1] + 1)
        return new

    def _candidates(self, reference: _Reference) -> list[int]:
        """The blocks of the nodes that a reference may mean."""
        at = reference.block
        if (reference.kind, reference.field.name) in _OWN:
            return [at]
        having = self._having.get(reference.id, [])
        before = bisect_left(having, at)
        found = having[max(0, before - _MOST) : before]
        if reference.id in (self.meant[at], self.declared[at]):
            found.append(at)
        return [index for index in found if self._admits(reference, index)]

    def _admits(self, reference: _Reference, index: int) -> bool:
        role, name = self.roles[index], reference.field.name
        if reference.kind != "edge":
            return name == "just" or _ROLES_OF[name] == role
        pair = (role, self.roles[reference.block])
        paper = self.profile == "paper" and (reference.edge, *pair) in PAPER_TRIPLES
        return index != reference.block and (paper or pair in ADMISSIBLE[reference.edge])
