"""Clauses and derivations as TPTP texts: what is sent to a prover, and what comes back.

G. Sutcliffe, "The TPTP problem library and associated infrastructure" (2017). Read are clauses (`cnf`, `tcf`,
and `tff` or `fof` that are universally quantified disjunctions of literals) with their inference records;
whatever else a prover prints is `UnreadableProof`. Names in a text are data: they mean what `Signature` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"\s+|[%#][^\n]*|/\*.*?\*/"
    r"|(?P<token>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\$?\$?\w+|!=|<=>|<~>|=>|<=|[][(),.:!?~|&=*>+-])",
    re.DOTALL | re.ASCII,
)
_OPEN: Final = {"(": ")", "[": "]"}
_STARTED: Final = re.compile(r"^[#%] SZS output start[^\n]*$", re.MULTILINE)
_ENDED: Final = re.compile(r"^[#%] SZS output end", re.MULTILINE)
_LONGEST_NAME: Final = 100

EQUAL: Final = "="


class UnreadableProof(ValueError):
    """A text is no proof in clauses that is read here; the message says why."""


class Signature(NamedTuple):
    """The sorts of arguments and value by symbol; a predicate's value has none."""

    symbols: Mapping[str, tuple[tuple[str, ...], str | None]]


class Literal(NamedTuple):
    """An atom or its negation: a predicate, or `EQUAL`, of terms by number."""

    positive: bool
    head: str
    args: tuple[int, ...]


class Clause(NamedTuple):
    """A disjunction for all values of its variables, which are terms by number with their sorts."""

    variables: tuple[tuple[int, str], ...]
    literals: tuple[Literal, ...]


class ProofStep(NamedTuple):
    """A clause of a derivation, and the steps and the problem's own clauses (`given`) that it comes from.

    `chain` are the steps that its inference record joins one after the other, each with the rule that does
    so, the first with none; empty where the record is no such chain.
    """

    name: str
    clause: Clause | None
    rule: str
    parents: tuple[str, ...]
    given: tuple[str, ...]
    chain: tuple[tuple[str, str], ...]


class TermBank:
    """Terms by number, equal ones once: a head and arguments. A variable's name begins with a capital."""

    def __init__(self) -> None:
        self.heads: list[str] = []
        self.args: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[str, tuple[int, ...]], int] = {}

    def term(self, head: str, args: tuple[int, ...] = ()) -> int:
        """The number of a term."""
        key = head, args
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.heads)
            self.heads.append(head)
            self.args.append(args)
        return number

    def is_variable(self, number: int) -> bool:
        """Whether a term is a variable."""
        return self.heads[number][:1].isupper()

    def below(self, roots: Iterable[int]) -> list[int]:
        """The terms that others are made of, themselves included, each once, parts first."""
        seen: set[int] = set()
        stack = list(roots)
        while stack:
            top = stack.pop()
            if top not in seen:
                seen.add(top)
                stack.extend(self.args[top])
        return sorted(seen)

    def substitute(self, roots: Sequence[int], images: Mapping[int, int]) -> tuple[int, ...]:
        """The terms with `images` in place of variables."""
        done: dict[int, int] = {}
        for number in self.below(roots):
            args = self.args[number]
            if not args:
                done[number] = images.get(number, number)
            else:
                done[number] = self.term(self.heads[number], tuple([done[arg] for arg in args]))
        return tuple([done[root] for root in roots])


# --- statements ------------------------------------------------------------------------------------------


def proof_in(output: str) -> str:
    """The text between the lines that begin and end a proof. Raises `UnreadableProof`."""
    start = _STARTED.search(output)
    end = None if start is None else _ENDED.search(output, start.end())
    if start is None or end is None:
        raise UnreadableProof("there is no proof in it")
    return output[start.end() : end.start()]


def steps_of(text: str, signature: Signature, bank: TermBank) -> Iterator[ProofStep]:
    """The clauses of a derivation, in order; declarations of types are passed over.

    Raises `UnreadableProof`.
    """
    for kind, parts in _statements(text):
        if len(parts) < 3 or kind not in ("cnf", "tcf", "fof", "tff"):
            raise UnreadableProof(f"a statement {kind[:_LONGEST_NAME]} of {len(parts)} parts")
        if _word(parts[1]) == "type":
            continue
        name = _word(parts[0])
        clause = _ClauseReader(parts[2], signature, bank).read()
        if len(parts) < 4:
            raise UnreadableProof(f"{name} says not where it comes from")
        yield ProofStep(name, clause, *_sources(parts[3]))


def clauses_of(text: str, signature: Signature, bank: TermBank) -> dict[str, Clause]:
    """The clauses of a problem by name. Raises `UnreadableProof`."""
    found: dict[str, Clause] = {}
    for _, parts in _statements(text):
        if _word(parts[1]) != "type":
            clause = _ClauseReader(parts[2], signature, bank).read()
            if clause is not None:
                found[_word(parts[0])] = clause
    return found


def signature_of(text: str) -> Signature:
    """The symbols that a problem declares. Raises `UnreadableProof`."""
    found: dict[str, tuple[tuple[str, ...], str | None]] = {}
    for _, parts in _statements(text):
        if _word(parts[1]) == "type":
            name, colon, *words = parts[2]
            sorts = [word for word in words if word not in "(*>)"]
            if colon != ":" or not sorts:
                raise UnreadableProof(f"a declaration of {name[:_LONGEST_NAME]}")
            if sorts != ["$tType"]:
                found[name] = tuple(sorts[:-1]), None if sorts[-1] == "$o" else sorts[-1]
    return Signature(found)


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise UnreadableProof(f"the character {text[at]!r}")
        at = match.end()
        if match["token"]:
            yield match["token"]


def _statements(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """The kind of each statement, and its parts between the outermost commas."""
    kind: str | None = None
    parts: list[list[str]] = []
    awaited: list[str] = []
    for token in _tokens(text):
        if kind is None:
            kind, parts = token, [[]]
        elif not awaited and not parts[0]:
            if token != "(" or parts == []:
                raise UnreadableProof(f"no statement: {kind[:_LONGEST_NAME]}")
            awaited.append(")")
        elif not awaited:
            if token != ".":
                raise UnreadableProof("a statement that does not end")
            yield kind, parts
            kind = None
        elif len(awaited) == 1 and token == ",":
            parts.append([])
        elif token == awaited[-1]:
            awaited.pop()
            if awaited:
                parts[-1].append(token)
            elif not parts[0]:
                raise UnreadableProof("an empty statement")
        elif token in _OPEN:
            awaited.append(_OPEN[token])
            parts[-1].append(token)
        elif token in (")", "]"):
            raise UnreadableProof("a bracket that none opens")
        else:
            parts[-1].append(token)
    if kind is not None:
        raise UnreadableProof("a statement that does not end")


def _word(tokens: Sequence[str]) -> str:
    if len(tokens) != 1 or not re.match(r"[\w$']", tokens[0]):
        raise UnreadableProof(f"no name: {' '.join(tokens)[:_LONGEST_NAME]}")
    return tokens[0].strip("'")


# --- where a clause comes from ---------------------------------------------------------------------------

_General = str | list["_General"]
"""A word, or a functor (`[]` of a list) and what it is applied to."""


def _general(tokens: Sequence[str]) -> _General:
    """A general term. Raises `UnreadableProof`."""
    outer: list[_General] = []
    stack: list[list[_General]] = [outer]
    for at, token in enumerate(tokens):
        if token == "[":
            stack.append(["[]"])
        elif token == "(":
            if at == 0 or not stack[-1] or not isinstance(stack[-1][-1], str):
                raise UnreadableProof("an inference record that cannot be read")
            stack.append([stack[-1].pop()])
        elif token in (")", "]"):
            if len(stack) == 1:
                raise UnreadableProof("an inference record that cannot be read")
            done = stack.pop()
            stack[-1].append(done)
        elif token != ",":
            stack[-1].append(token)
    if len(stack) != 1 or not outer:
        raise UnreadableProof("an inference record that cannot be read")
    return outer[0]


def _sources(
    tokens: Sequence[str],
) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The rule, the parents and the rest that an inference record names, as `ProofStep` has them."""
    rule = ""
    parents: dict[str, None] = {}
    given: dict[str, None] = {}
    record = _general(tokens)
    stack = [record]
    while stack:
        match stack.pop():
            case str(name):
                parents[name.strip("'")] = None
            case ["file", _, str(name), *_]:
                given[name.strip("'")] = None
            case ["inference", str(name), _, ["[]", *used]]:
                rule = rule or name
                stack.extend(used)
            case [str(name), *_]:
                # `theory(equality)`, `introduced(definition)`: no clause that anything could follow from.
                rule = rule or name
    return rule, tuple(parents), tuple(given), _chain(record)


def _chain(record: _General) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    while True:
        match record:
            case str(name):
                return (("", name.strip("'")), *reversed(found))
            case ["inference", str(), _, ["[]", inner]]:
                record = inner
            case ["inference", str(rule), _, ["[]", inner, str(name)]]:
                found.append((rule, name.strip("'")))
                record = inner
            case ["inference", str(rule), _, ["[]", str(name), inner]]:
                found.append((rule, name.strip("'")))
                record = inner
            case _:
                return ()


# --- clauses ---------------------------------------------------------------------------------------------


class _ClauseReader:
    """Reads one formula that is a clause."""

    def __init__(self, tokens: Sequence[str], signature: Signature, bank: TermBank) -> None:
        self.tokens = tokens
        self.symbols = signature.symbols
        self.bank = bank
        self.sorts: dict[str, str] = {}
        self.closing = _closing(tokens)

    def read(self) -> Clause | None:
        """The clause; None for one that is true of itself."""
        literals: dict[Literal, None] = {}
        ranges = [(0, len(self.tokens), True)]
        # A stack, last in first out: parts are put on it in reverse to be met in their order.
        while ranges:
            start, end, sign = ranges.pop()
            if start >= end:
                raise UnreadableProof("an empty formula")
            token = self.tokens[start]
            if token == "!" and sign:
                ranges.append((self._binders(start + 1), end, sign))
            elif len(parts := self._disjuncts(start, end)) > 1:
                if not sign:
                    raise UnreadableProof("a formula that is no clause")
                ranges += [(*part, sign) for part in reversed(parts)]
            elif token == "~":
                ranges.append((start + 1, end, not sign))
            elif token == "(" and self.closing[start] == end - 1:
                ranges.append((start + 1, end - 1, sign))
            elif (literal := self._literal(start, end, sign)) is True:
                return None
            elif literal is not False:
                literals[literal] = None
        return Clause(self._variables(literals), tuple(literals))

    def _disjuncts(self, start: int, end: int) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        begun = at = start
        while at < end:
            token = self.tokens[at]
            if token == "|":
                found.append((begun, at))
                begun = at + 1
            elif token in ("&", "=>", "<=", "<=>", "<~>", "?", "!") and at > start:
                raise UnreadableProof("a formula that is no clause")
            at = self.closing.get(at, at) + 1
        return [*found, (begun, end)]

    def _binders(self, start: int) -> int:
        """Notes the sorts of `[X: s, Y: t]:`; where the formula after it begins."""
        end = self.closing.get(start, -1)
        if end < 0 or self.tokens[start] != "[" or self.tokens[end + 1 : end + 2] != [":"]:
            raise UnreadableProof("a quantifier that cannot be read")
        at = start + 1
        while at < end:
            name = self.tokens[at]
            typed = self.tokens[at + 1] == ":"
            if not name[:1].isupper() or name in self.sorts:
                raise UnreadableProof(f"two variables {name[:_LONGEST_NAME]}, or none")
            self.sorts[name] = self.tokens[at + 2] if typed else ""
            at += 3 if typed else 1
            if at < end and self.tokens[at] != ",":
                raise UnreadableProof("a quantifier that cannot be read")
            at += 1
        return end + 2

    def _literal(self, start: int, end: int, sign: bool) -> Literal | bool:
        """The literal; its value, where it has one whatever the variables are."""
        at = start
        while at < end:
            token = self.tokens[at]
            if token in ("=", "!="):
                positive = sign is (token == "=")
                left, right = self._term(start, at), self._term(at + 1, end)
                sorts = {sort for each in (left, right) if (sort := self._sort(each))}
                if len(sorts) > 1:
                    raise UnreadableProof("an equation between two sorts")
                for each in (left, right):
                    if self.bank.is_variable(each) and sorts:
                        self._infer(each, *sorts)
                return positive if left == right else Literal(positive, EQUAL, (left, right))
            at = self.closing.get(at, at) + 1
        if end == start + 1 and self.tokens[start] in ("$true", "$false"):
            return sign is (self.tokens[start] == "$true")
        atom = self._term(start, end, predicate=True)
        return Literal(sign, self.bank.heads[atom], self.bank.args[atom])

    def _sort(self, term: int) -> str:
        head = self.bank.heads[term]
        if self.bank.is_variable(term):
            return self.sorts.get(head, "")
        return self.symbols[head][1] or ""

    def _infer(self, variable: int, sort: str) -> None:
        name = self.bank.heads[variable]
        if self.sorts.get(name) not in (None, "", sort):
            raise UnreadableProof(f"a variable {name[:_LONGEST_NAME]} of two sorts")
        self.sorts[name] = sort

    def _term(self, start: int, end: int, *, predicate: bool = False) -> int:
        """A term; an atom where `predicate`. Arities and sorts are held to the signature."""
        calls: list[tuple[str, list[int]]] = []
        done: int | None = None
        for at in range(start, end):
            token = self.tokens[at]
            if token == "(" and at > start and self.tokens[at - 1] not in "(,)":
                calls.append((self.tokens[at - 1], []))
                done = None
            elif token in (",", ")") and calls and done is not None:
                calls[-1][1].append(done)
                done = None
                if token == ")":
                    head, args = calls.pop()
                    done = self._applied(head, args, predicate and not calls)
            elif done is None and re.match(r"[A-Za-z_]", token):
                called = self.tokens[at + 1 : at + 2] == ["("] and at + 1 < end
                done = -1 if called else self._applied(token, [], predicate and not calls)
            else:
                raise UnreadableProof(f"no term: {' '.join(self.tokens[start:end])[:_LONGEST_NAME]}")
        if done is None or done < 0 or calls:
            raise UnreadableProof("a term that does not end")
        return done

    def _applied(self, head: str, args: Sequence[int], predicate: bool) -> int:
        if head[:1].isupper():
            if args or predicate:
                raise UnreadableProof("a variable that is applied, or a formula")
            self.sorts.setdefault(head, "")
            return self.bank.term(head)
        if head not in self.symbols:
            raise UnreadableProof(f"a symbol {head[:_LONGEST_NAME]}, which the problem has not")
        domain, value = self.symbols[head]
        if len(domain) != len(args) or (value is None) is not predicate:
            raise UnreadableProof(f"{head[:_LONGEST_NAME]} with {len(args)} arguments, or out of place")
        for arg, sort in zip(args, domain, strict=True):
            if self.bank.is_variable(arg):
                self._infer(arg, sort)
            elif self._sort(arg) != sort:
                raise UnreadableProof(f"{head[:_LONGEST_NAME]} of another sort")
        return self.bank.term(head, tuple(args))

    def _variables(self, literals: Iterable[Literal]) -> tuple[tuple[int, str], ...]:
        found: dict[int, str] = {}
        for number in self.bank.below(arg for literal in literals for arg in literal.args):
            if self.bank.is_variable(number):
                sort = self.sorts.get(self.bank.heads[number])
                if not sort:
                    raise UnreadableProof("a variable of which the sort is not known")
                found[number] = sort
        return tuple(found.items())


def _closing(tokens: Sequence[str]) -> dict[int, int]:
    """The place of the bracket that closes each one that is opened."""
    found: dict[int, int] = {}
    stack: list[int] = []
    for at, token in enumerate(tokens):
        if token in _OPEN:
            stack.append(at)
        elif token in (")", "]"):
            found[stack.pop()] = at
    return found
