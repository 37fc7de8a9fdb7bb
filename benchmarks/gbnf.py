"""A plain reader of GBNF, written from its description alone: does a grammar admit a string?

As llama.cpp does it, all stacks of what is still to come are carried along, character by character.
"""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(
    r"\s*(?:(?P<define>[a-z0-9-]+)\s*::=|(?P<name>[a-z0-9-]+)|(?P<text>\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<class>\[(?:[^\]\\]|\\.)*\])|(?P<times>[*+?]|\{\d+(?:,\d*)?\})|(?P<sign>[()|]))"
)
_ESCAPE = re.compile(r"\\(?:x([0-9A-F]{2})|u([0-9A-F]{4})|U([0-9A-F]{8})|(.))")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t"}
# Nodes are ("text", character), ("class", [(low, high), …]), ("rule", name), ("either", [[node, …], …])
# and ("times", node, least, most).
Node = tuple[Any, ...]
Stack = tuple[Node, int]


class Gbnf:
    """A grammar. Raises ValueError for a text that is none, and for names without a rule."""

    def __init__(self, text: str) -> None:
        self._rules: dict[str, Node] = {}
        self._nodes: dict[Any, Node] = {}
        plain = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
        self._tokens = self._split(plain)
        self._at = 0
        while self._kind() == "define":
            name = self._take()
            self._rules[name] = self._options()
        if self._at < len(self._tokens):
            raise ValueError(f"not expected: {self._tokens[self._at]}")
        missing = {name for rule in self._rules.values() for name in _named(rule)} - self._rules.keys()
        if missing:
            raise ValueError(f"no rules: {missing}")

    def admits(self, text: str) -> bool:
        """Whether it is a string of the grammar."""
        self._numbers: dict[Any, int] = {}
        self._stacks: list[Stack] = []
        root = self._pushed(self._node(("rule", "root")), -1)
        tops = self._expanded([root])
        for character in text:
            following = [
                below for node, below in map(self._stacks.__getitem__, tops - {-1}) if _takes(node, character)
            ]
            if not following:
                return False
            tops = self._expanded(following)
        return -1 in tops

    def _node(self, node: Node) -> Node:
        """The one node that is equal to this."""
        key = (node[0], *(id(each) if isinstance(each, tuple) else each for each in node[1:]))
        return self._nodes.setdefault(key, node)

    def _pushed(self, node: Node, below: int) -> int:
        """The number of a stack; equal stacks have one number, and -1 is the empty one."""
        key = (id(node), below)
        if key not in self._numbers:
            self._numbers[key] = len(self._stacks)
            self._stacks.append((node, below))
        return self._numbers[key]

    def _expanded(self, waiting: list[int]) -> set[int]:
        """The stacks on top of which stands what takes a character; -1: all is done."""
        found: set[int] = set()
        seen: set[int] = set()
        while waiting:
            stack = waiting.pop()
            if stack in seen:
                continue
            seen.add(stack)
            if stack < 0 or self._stacks[stack][0][0] in ("text", "class"):
                found.add(stack)
                continue
            node, below = self._stacks[stack]
            match node:
                case ("rule", name):
                    waiting.append(self._pushed(self._rules[name], below))
                case ("either", options):
                    for option in options:
                        made = below
                        for each in reversed(option):
                            made = self._pushed(each, made)
                        waiting.append(made)
                case ("times", inner, least, most):
                    if least == 0:
                        waiting.append(below)
                    if most != 0:
                        left = ("times", inner, max(least - 1, 0), None if most is None else most - 1)
                        waiting.append(self._pushed(inner, self._pushed(self._node(left), below)))
        return found

    # --- reading ---------------------------------------------------------------------------------

    def _split(self, text: str) -> list[tuple[str, str]]:
        found, at = [], 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise ValueError(f"not read: {text[at : at + 40]!r}")
            kind = match.lastgroup or ""
            found.append((kind, match[kind]))
            at = match.end()
        return found

    def _kind(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _options(self) -> Node:
        options = [self._sequence()]
        while self._kind() == "sign" and self._tokens[self._at][1] == "|":
            self._at += 1
            options.append(self._sequence())
        return ("either", tuple(options))

    def _sequence(self) -> tuple[Node, ...]:
        found: list[Node] = []
        while True:
            match self._kind():
                case "name":
                    found.append(("rule", self._take()))
                case "text":
                    letters = tuple(("text", each) for each in _unescaped(self._take()[1:-1]))
                    found.append(letters[0] if len(letters) == 1 else ("either", (letters,)))
                case "class":
                    found.append(("class", _ranges(self._take()[1:-1])))
                case "times":
                    found[-1] = ("times", found[-1], *_times(self._take()))
                case "sign" if self._tokens[self._at][1] == "(":
                    self._at += 1
                    found.append(self._options())
                    if self._take() != ")":
                        raise ValueError("a bracket is not closed")
                case _:
                    return tuple(found)


def _named(node: Node) -> set[str]:
    if node[0] == "rule":
        return {node[1]}
    if node[0] == "times":
        return _named(node[1])
    if node[0] == "either":
        return {name for option in node[1] for each in option for name in _named(each)}
    return set()


def _takes(node: Node, character: str) -> bool:
    if node[0] == "text":
        return bool(node[1] == character)
    return any(low <= character <= high for low, high in node[1])


def _unescaped(text: str) -> list[str]:
    found = []
    for match in re.finditer(r"\\(?:x..|u.{4}|U.{8}|.)|[^\\]", text, re.DOTALL):
        escape = _ESCAPE.fullmatch(match[0])
        if escape is None:
            found.append(match[0])
        elif escape[4]:
            found.append(_PLAIN.get(escape[4], escape[4]))
        else:
            found.append(chr(int(escape[1] or escape[2] or escape[3], 16)))
    return found


def _ranges(text: str) -> tuple[tuple[str, str], ...]:
    pieces = re.findall(r"\\(?:x..|u.{4}|U.{8}|.)|[^\\]", text, re.DOTALL)
    found, at = [], 0
    while at < len(pieces):
        low = high = _unescaped(pieces[at])[0]
        if pieces[at + 1 : at + 2] == ["-"]:
            high = _unescaped(pieces[at + 2])[0]
            at += 2
        found.append((low, high))
        at += 1
    return tuple(found)


def _times(text: str) -> tuple[int, int | None]:
    plain: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if text in plain:
        return plain[text]
    least, comma, most = text[1:-1].partition(",")
    return int(least), int(least) if not comma else int(most) if most else None
