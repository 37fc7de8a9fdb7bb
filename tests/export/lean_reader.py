"""A strict reader of the Lean files that potlang writes, with a checker of their proofs.

It knows types by name, formulas by their notation, and proof terms: applications, `⟨…⟩`, projections, `fun`,
`have`. It shares no code with the writer. What it does not know is an error.
"""

from __future__ import annotations

import re
from typing import Any, Final

Term = tuple[Any, ...]
"""("name", n), ("num", i), ("app", f, a), ("all" | "some" | "fun", n, type, body), ("if", c, a, b),
(sign, a, b), ("not", a), ("neg", a), ("tuple", parts), ("proj", t, which)."""

_TOKEN: Final = re.compile(
    r"\s+|(?P<token>«[^«»\n]+»|[A-Za-z_]\w*|\d+|:=|=>|[∀∃¬∧∨→↔≠≤⟨⟩(),:.=<+*/%|-])", re.ASCII
)
_INFIX: Final = {
    "↔": (20, 21, 21),
    "→": (25, 26, 25),
    "∨": (30, 31, 30),
    "∧": (35, 36, 35),
    **dict.fromkeys("=≠<≤", (50, 51, 51)),
    **dict.fromkeys("+-", (65, 65, 66)),
    **dict.fromkeys("*/%", (70, 70, 71)),
}
"""How tightly a sign binds, and what its left and right operands must bind by."""
_PROJECTIONS: Final = ("1", "2", "mp", "mpr", "elim")


class Wrong(Exception):
    """The text is not what is written, or a proof proves something else."""


class File:
    """A file that was read: `facts` are what names prove, `sorry` the theorems without a proof."""

    def __init__(self, text: str) -> None:
        self.names: dict[str, Term] = {}
        self.proved: list[str] = []
        self.sorry: list[str] = []
        body = "\n".join(line for line in text.split("\n") if not line.startswith("--"))
        head, *rest = re.split(
            r"^(?=axiom |inductive |structure |noncomputable def |theorem |end Program)", body, flags=re.M
        )
        if head.split() != ["namespace", "Program", "open", "Classical"] or rest[-1].strip() != "end Program":
            raise Wrong("the frame")
        for statement in rest[:-1]:
            self._statement(statement)

    def _statement(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        lines: list[str] = []
        if word == "theorem":
            rest, *lines = rest.strip().split("\n")
        reader = _Reader(rest.removeprefix("def "))
        name = reader.name()
        if name in self.names:
            raise Wrong(f"{name} is declared twice")
        if word == "inductive":
            self._inductive(name, reader)
        elif word == "structure":
            self._structure(name, reader)
        elif word == "noncomputable":
            self._definition(name, reader)
        else:
            reader.take(":")
            type_ = reader.term()
            self._known(type_, ())
            if word == "axiom":
                self.names[name] = type_
            else:
                reader.take(":=")
                self._theorem(name, type_, reader, lines)
        reader.end()

    def _inductive(self, name: str, reader: _Reader) -> None:
        for token in (":", "Type", "where"):
            reader.take(token)
        self.names[name] = ("name", "Type")
        while reader.peek() == "|":
            reader.take("|")
            value = f"{name}.{reader.name()}"
            reader.take(":")
            self.names[value] = reader.term()

    def _structure(self, name: str, reader: _Reader) -> None:
        for token in (":", "Type", "where"):
            reader.take(token)
        self.names[name] = ("name", "Type")
        maker: list[Term] = []
        while reader.peek():
            field = reader.name()
            reader.take(":")
            type_ = reader.term(stop_at_fields=True)
            self.names[f"{name}.{field}"] = ("→", ("name", name), type_)
            maker.append(type_)
        whole: Term = ("name", name)
        for type_ in reversed(maker):
            whole = ("→", type_, whole)
        self.names[f"{name}.mk"] = whole

    def _definition(self, name: str, reader: _Reader) -> None:
        binders = reader.binders() if reader.peek() == "(" else []
        reader.take(":")
        type_ = reader.term()
        reader.take(":=")
        self._known(reader.term(), tuple(name for name, _ in binders))
        for _, sort in reversed(binders):
            type_ = ("→", sort, type_)
        self.names[name] = type_

    def _theorem(self, name: str, type_: Term, reader: _Reader, lines: list[str]) -> None:
        if not lines and reader.tokens[reader.at :] == ["by", "sorry"]:
            reader.at += 2
            self.sorry.append(name)
        else:
            _Checker(dict(self.names)).proof(lines, type_)
            self.proved.append(name)
        self.names[name] = type_

    def _known(self, term: Term, bound: tuple[str, ...]) -> None:
        """Each name is declared before it is used, or bound around it."""
        match term:
            case ("name", name):
                if name not in self.names and name not in bound and name not in _CORE:
                    raise Wrong(f"{name} is not declared")
            case ("all" | "some" | "fun", name, type_, body):
                self._known(type_, bound)
                self._known(body, (*bound, name))
            case _:
                for part in term[1:]:
                    if isinstance(part, tuple):
                        self._known(part, bound)


_CORE: Final = ("Type", "Prop", "Int", "True", "False", "Nonempty")


class _Reader:
    """Reads names, types, formulas and proof terms by how tightly they bind."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        self.at = 0
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise Wrong(f"the character {text[at]!r}")
            at = match.end()
            if match["token"]:
                self.tokens.append(match["token"])

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, token: str) -> None:
        if self.peek() != token:
            raise Wrong(f"{self.peek()!r} in place of {token!r}")
        self.at += 1

    def end(self) -> None:
        if self.at < len(self.tokens):
            raise Wrong(f"more: {self.tokens[self.at :]}")

    def name(self) -> str:
        token = self.peek()
        if not re.match(r"[«A-Za-z_]", token):
            raise Wrong(f"{token!r} is no name")
        self.at += 1
        return token

    def binders(self) -> list[tuple[str, Term]]:
        found = []
        while self.peek() == "(" and self.peek(2) == ":":
            self.take("(")
            name = self.name()
            self.take(":")
            found.append((name, self.term()))
            self.take(")")
        return found

    def term(self, least: int = 0, *, stop_at_fields: bool = False) -> Term:
        self._stop = stop_at_fields
        token = self.peek()
        left: Term
        if token in ("∀", "∃", "fun"):
            if least > 5:
                raise Wrong(f"{token} without brackets")
            return self._binding(token)
        if token == "if":
            if least > 5:
                raise Wrong("a choice without brackets")
            return self._choice()
        left_binds = 100
        if token in ("¬", "-"):
            self.take(token)
            left_binds = 40 if token == "¬" else 75
            left = ("not" if token == "¬" else "neg", self.term(left_binds + 1))
        else:
            left = self._application()
        while self.peek() in _INFIX:
            sign = self.peek()
            binds, needs_left, needs_right = _INFIX[sign]
            if binds < least or left_binds < needs_left:
                break
            self.take(sign)
            left_binds = binds
            left = (sign, left, self.term(needs_right, stop_at_fields=stop_at_fields))
        return left

    def _binding(self, token: str) -> Term:
        self.at += 1
        binders = self.binders()
        if not binders:
            raise Wrong("a quantifier without variables")
        self.take("=>" if token == "fun" else ",")
        body = self.term()
        for name, type_ in reversed(binders):
            body = ({"∀": "all", "∃": "some", "fun": "fun"}[token], name, type_, body)
        return body

    def _choice(self) -> Term:
        self.take("if")
        condition = self.term()
        self.take("then")
        then = self.term()
        self.take("else")
        return ("if", condition, then, self.term())

    def _application(self) -> Term:
        found = self._atom()
        while re.match(r"[«A-Za-z_(⟨]", self.peek()) and self.peek() not in (
            "then",
            "else",
            "have",
            "fun",
            "by",
        ):
            if self._stop and self.peek(1) == ":":
                break
            found = ("app", found, self._atom())
        return found

    def _atom(self) -> Term:
        token = self.peek()
        found: Term
        if token == "(":
            self.take("(")
            if re.match(r"\d|-", token := self.peek()) and ":" in self.tokens[self.at : self.at + 3]:
                sign = -1 if token == "-" else 1
                self.at += token == "-"
                found = ("num", sign * int(self.peek()))
                self.at += 1
                for each in (":", "Int", ")"):
                    self.take(each)
                return found
            found = self.term()
            self.take(")")
        elif token == "⟨":
            self.take("⟨")
            parts = [self.term()]
            while self.peek() == ",":
                self.take(",")
                parts.append(self.term())
            self.take("⟩")
            found = ("tuple", *parts)
        else:
            found = ("name", self.name())
        while self.peek() == ".":
            self.take(".")
            which = self.peek()
            self.at += 1
            if which in _PROJECTIONS:
                found = ("proj", found, which)
            elif found[0] == "name":
                found = ("name", f"{found[1]}.{which}")
            else:
                raise Wrong(f"the projection {which}")
        return found


class _Checker:
    """Checks proof terms against formulas."""

    def __init__(self, known: dict[str, Term]) -> None:
        self.known = known

    def proof(self, lines: list[str], goal: Term) -> None:
        """The lines of a proof: `fun … =>` and `have … := …`, then a term."""
        *before, last = map(_Reader, lines)
        for reader in before:
            if reader.peek() == "fun":
                reader.take("fun")
                [(name, type_)] = reader.binders()
                reader.take("=>")
                goal = self._opened(goal, name, type_)
            else:
                reader.take("have")
                name = reader.name()
                reader.take(":")
                type_ = reader.term()
                reader.take(":=")
                self.check(reader.term(), type_)
                self.known[name] = type_
            reader.end()
        self.check(last.term(), goal)
        last.end()

    def _opened(self, goal: Term, name: str, type_: Term) -> Term:
        self.known[name] = type_
        match goal:
            case ("all", bound, sort, body):
                _same(sort, type_)
                return _put(body, bound, ("name", name))
            case ("→", premise, rest):
                _same(premise, type_)
                return rest  # type: ignore[no-any-return]
            case ("not", denied):
                _same(denied, type_)
                return ("name", "False")
        raise Wrong(f"a function for {goal}")

    def check(self, term: Term, goal: Term) -> None:
        match term, goal:
            case ("tuple", *parts), ("∧", left, right):
                self.check(parts[0], left)
                self.check(parts[1] if len(parts) == 2 else ("tuple", *parts[1:]), right)
            case ("tuple", witness, *rest), ("some", bound, _, body):
                inner = rest[0] if len(rest) == 1 else ("tuple", *rest)
                self.check(inner, _put(body, bound, witness))
            case ("app", ("name", "Or.inl"), proof), ("∨", left, _):
                self.check(proof, left)
            case ("app", ("name", "Or.inr"), proof), ("∨", _, right):
                self.check(proof, right)
            case ("name", "rfl"), ("=", left, right):
                _same(left, right)
            case ("name", "True.intro"), ("name", "True"):
                pass
            case ("proj", proof, "elim"), _:
                _same(self.infer(proof), ("name", "False"))
            case _:
                _same(self.infer(term), goal)

    def infer(self, term: Term) -> Term:
        match term:
            case ("name", name):
                if name not in self.known:
                    raise Wrong(f"{name} is not known")
                return self.known[name]
            case ("app", function, argument):
                return self._applied(self.infer(function), argument)
            case ("proj", whole, which):
                return self._projected(self.infer(whole), which)
        raise Wrong(f"a proof {term}")

    def _applied(self, type_: Term, argument: Term) -> Term:
        match type_:
            case ("all", bound, _, body):
                return _put(body, bound, argument)
            case ("→", premise, rest):
                self.check(argument, premise)
                return rest  # type: ignore[no-any-return]
            case ("not", denied):
                self.check(argument, denied)
                return ("name", "False")
        raise Wrong(f"an application of a proof of {type_}")

    def _projected(self, type_: Term, which: str) -> Term:
        match type_, which:
            case ("∧", left, _), "1":
                return left  # type: ignore[no-any-return]
            case ("∧", _, right), "2":
                return right  # type: ignore[no-any-return]
            case ("↔", left, right), "mp":
                return ("→", left, right)
            case ("↔", left, right), "mpr":
                return ("→", right, left)
        raise Wrong(f"the part {which} of a proof of {type_}")


def _put(body: Term, name: str, value: Term) -> Term:
    """The body with a value for a variable; bound variables have names of their own."""
    if body == ("name", name):
        return value
    return tuple(_put(part, name, value) if isinstance(part, tuple) else part for part in body)


def _same(one: Term, other: Term) -> None:
    if _nameless(one, {}) != _nameless(other, {}):
        raise Wrong(f"{one} is not {other}")


def _nameless(term: Term, bound: dict[str, int]) -> Term:
    match term:
        case ("name", name):
            return ("bound", bound[name]) if name in bound else term
        case ("all" | "some" | "fun" as kind, name, type_, body):
            return (kind, _nameless(type_, bound), _nameless(body, {**bound, name: len(bound)}))
        case _:
            return tuple(_nameless(part, bound) if isinstance(part, tuple) else part for part in term)
