"""Phrases of other languages that are no formula here, each with how the same is written.

`a if c else b`, `sum(f(x) for x in S)`, `p unless q`, `x between 1 and 5`, `s.startswith("a")`, `c ? a : b`:
their words stand where only operators can, so that no name of a program is taken for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from potlang.diag.model import Applicability
from potlang.expressions.actions import Correction, Fault
from potlang.expressions.methods import CHANGES, METHODS, MODULES, NO_CHANGES
from potlang.expressions.tables import END, Token

_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())
_ATOMS = frozenset(["NAME", "QUOTED", "NUMBER", "STRING", "BITS"])
_CONNECTIVES = frozenset(["AND", "OR", "IMPLIES", "IFF", "AND_SIGN", "OR_SIGN", "IMPLIES_SIGN", "IFF_SIGN"])
MOST_CHARACTERS = 20_000


class _Span(NamedTuple):
    """Tokens `[first, last)` between two commas or brackets."""

    first: int
    last: int


class _ForeignPhrase(NamedTuple):
    """The problem of the tokens `[first, last)`, and the text to write for the characters `[start, end)`."""

    first: int
    last: int
    problem: str
    text: str
    start: int
    end: int
    helps: tuple[str, ...] = ()


class Phrases:
    """Looks for the first phrase in the tokens of a text that the grammar rejects."""

    def __init__(self, tokens: Sequence[Token], text: str) -> None:
        # Behind the end more ends: what follows a word may be looked at without a look at where it stands.
        self._tokens = [*tokens, *[tokens[-1]] * 4]
        self._text = text

    def fault(self) -> Fault | None:
        """The fault of the first phrase; None where there is none."""
        if len(self._text) > MOST_CHARACTERS:
            return None
        for index, token in enumerate(self._tokens):
            if token.kind == "OR" and self._text[token.start] == "|":
                built = self._set_builder(index)
                if built is not None:
                    return self._as_fault(built)
            reader = _WORDS.get(token.text.lower()) if token.kind in ("NAME", "OTHER") else None
            found = None if reader is None else reader(self, index)
            if found is not None:
                return self._as_fault(found)
        return None

    def _as_fault(self, found: _ForeignPhrase) -> Fault:
        first, last = self._tokens[found.first], self._tokens[max(found.last - 1, found.first)]
        helps = found.helps
        fixes: tuple[Correction, ...] = ()
        if found.text and not found.text.strip():
            fixes = (Correction("remove it", Applicability.UNSAFE, ((found.start, found.end, found.text),)),)
        elif found.text:
            helps = (f"write `{short(found.text)}`", *helps)
            edit = (found.start, found.end, found.text)
            fixes = (Correction(f"write `{short(found.text)}`", Applicability.UNSAFE, (edit,)),)
        return Fault("POT1020", first.start, last.end, {"problem": found.problem}, "", helps, fixes)

    # --- places ----------------------------------------------------------------------------------

    def _ends_value(self, index: int) -> bool:
        return index >= 0 and (self._tokens[index].kind in _ATOMS or self._tokens[index].text in _CLOSING)

    def _begins_value(self, index: int) -> bool:
        token = self._tokens[index]
        return token.kind in (*_ATOMS, "NOT", "NOT_SIGN", "MINUS") or token.text in _OPENING

    def _is_infix(self, index: int, length: int = 1) -> bool:
        """Whether words stand between two values."""
        return self._ends_value(index - 1) and self._begins_value(index + length)

    def _around(self, index: int, stops: frozenset[str] = frozenset()) -> _Span:
        """The tokens around a place up to commas and brackets, and to tokens of the kinds `stops`."""
        return _Span(self._reach(index - 1, -1, stops) + 1, self._reach(index + 1, 1, stops))

    def _reach(self, at: int, step: int, stops: frozenset[str]) -> int:
        depth = 0
        while 0 <= at < len(self._tokens):
            token = self._tokens[at]
            if token.kind == END:
                return at
            opens = token.text in (_OPENING if step > 0 else _CLOSING)
            closes = token.text in (_CLOSING if step > 0 else _OPENING)
            if depth == 0 and (closes or token.kind == "COMMA" or token.kind in stops):
                return at
            depth += opens - closes
            at += step
        return at

    def _find(self, words: str, first: int, last: int) -> int | None:
        """The place of a word of this level between two places."""
        depth = 0
        for at in range(first, last):
            token = self._tokens[at]
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            is_word = depth == 0 and token.kind in ("NAME", "AND", "IN", "COLON", "OTHER")
            if is_word and token.text.lower() in words.split():
                return at
        return None

    def _part(self, first: int, last: int) -> str:
        """The text of tokens; empty for none."""
        if first >= last:
            return ""
        return self._text[self._tokens[first].start : self._tokens[last - 1].end].strip()

    def _phrase(
        self, words: tuple[int, int], span: _Span, problem: str, text: str, *helps: str
    ) -> _ForeignPhrase:
        start, end = self._tokens[span.first].start, self._tokens[span.last - 1].end
        return _ForeignPhrase(*words, problem, text, start, end, helps)

    # --- conditions ------------------------------------------------------------------------------

    def condition(self, index: int) -> _ForeignPhrase | None:
        """`if`: before a condition, behind what it is a condition of, or between two values with `else`."""
        span = self._around(index)
        if index == span.first and self._begins_value(index + 1):
            return self._if_then(index, span)
        if not self._is_infix(index):
            return None
        otherwise = self._find("else", index + 1, span.last)
        if otherwise is not None:
            return self._ternary(index, otherwise, span)
        if self._find("for", span.first, index) is not None:
            return None
        condition, then = self._part(index + 1, span.last), self._part(span.first, index)
        word = self._tokens[index].text
        return self._phrase(
            (index, index + 1), span, f"`{word}` is not an operator", f"Implies({condition}, {then})"
        )

    def _if_then(self, index: int, span: _Span) -> _ForeignPhrase | None:
        first = index + 1
        if self._tokens[index].text.lower() == "case":
            if self._tokens[first].text.lower() != "when":
                return None
            first += 1
        then = self._find("then :", first, span.last)
        if then is None:
            # `If(c, a, b)` in an expression with another mistake.
            if self._tokens[index].text == "If" and self._tokens[first].text == "(":
                return None
            shape = "write `Implies(p, q)` or `If(c, a, b)`"
            return self._phrase(
                (index, index + 1), span, f"`{self._tokens[index].text}` is not an operator", "", shape
            )
        otherwise = self._find("else otherwise", then, span.last)
        stop = self._find("end", then, span.last)
        last = span.last if stop is None else stop
        condition, value = (
            self._part(first, then),
            self._part(then + 1, last if otherwise is None else otherwise),
        )
        text = f"Implies({condition}, {value})"
        if otherwise is not None:
            text = f"If({condition}, {value}, {self._part(otherwise + 1, last)})"
        span = span if stop is None else _Span(span.first, stop + 1)
        return self._phrase(
            (index, index + 1), span, f"`{self._tokens[index].text}` is not an operator", text
        )

    def _ternary(self, index: int, otherwise: int, span: _Span) -> _ForeignPhrase:
        """`a if c else b`, of numbers also behind a comparison: `f(x) == a if c else b`."""
        first = span.first
        other = self._part(otherwise + 1, span.last)
        compared = [
            at
            for at in range(first, index)
            if self._tokens[at].kind == "COMPARE" and self._is_outer(first, at)
        ]
        is_formula = (
            re.search(r"[=<>≤≥≠]|\b(?:and|or|not|True|False|true|false|Not|And|Or)\b", other) is not None
        )
        if compared and not is_formula:
            first = compared[-1] + 1
        then, condition = self._part(first, index), self._part(index + 1, otherwise)
        text = f"If({condition}, {then}, {other})"
        return self._phrase((index, index + 1), _Span(first, span.last), "`if` is not an operator", text)

    def _is_outer(self, first: int, at: int) -> bool:
        depth = 0
        for token in self._tokens[first:at]:
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
        return depth == 0

    def question(self, index: int) -> _ForeignPhrase | None:
        """`c ? a : b`."""
        span = self._around(index)
        colon = self._find(":", index + 1, span.last)
        if colon is None or index == span.first:
            return None
        first = span.first
        compared = [
            at
            for at in range(first, index)
            if self._tokens[at].kind == "COMPARE" and self._is_outer(first, at)
        ]
        # `f(x) == c ? a : b`: the first comparison is about the choice, unless it is its condition.
        if (
            len(compared) == 1
            and self._tokens[compared[0]].text == "=="
            and not self._is_small(compared[0] + 1, index)
        ):
            first = compared[0] + 1
        last = span.last
        if colon - index == 2 and self._tokens[index + 1].kind == "NUMBER":
            # A number is compared: `c ? 1 : 0 == f(x)`.
            after = range(colon + 1, span.last)
            signs = (
                at for at in after if self._tokens[at].kind == "COMPARE" and self._is_outer(colon + 1, at)
            )
            last = next(signs, last)
        parts = self._part(first, index), self._part(index + 1, colon), self._part(colon + 1, last)
        return self._phrase(
            (index, index + 1), _Span(first, last), "`?` is not an operator", f"If({', '.join(parts)})"
        )

    def _is_small(self, first: int, last: int) -> bool:
        return last - first == 1 and self._tokens[first].kind in ("NUMBER", "NAME", "STRING")

    def unless(self, index: int) -> _ForeignPhrase | None:
        """`p unless q`."""
        if not self._is_infix(index):
            return None
        span = self._around(index)
        then, exception = self._part(span.first, index), self._part(index + 1, span.last)
        text = f"Implies(Not({exception}), {then})"
        helps = f"this says the same as `{short(f'({then}) or ({exception})')}`"
        return self._phrase((index, index + 1), span, "`unless` is not an operator", text, helps)

    def only(self, index: int) -> _ForeignPhrase | None:
        """`p only if q`, and `p if and only if q`."""
        tokens = self._tokens
        if tokens[index + 1].text.lower() != "if":
            return None
        first, sign = index, "->"
        if [token.text.lower() for token in tokens[max(index - 2, 0) : index]] == ["if", "and"]:
            first, sign = index - 2, "<->"
        if not self._ends_value(first - 1) or not self._begins_value(index + 2):
            return None
        words = self._text[tokens[first].start : tokens[index + 1].end]
        start, end = tokens[first].start, tokens[index + 1].end
        return _ForeignPhrase(first, index + 2, f"`{words}` is not an operator", sign, start, end)

    def reverse(self, index: int) -> _ForeignPhrase | None:
        """`q :- p`."""
        span = self._around(index)
        # The body of a clause goes on behind its commas.
        last, premises = index, []
        while last == index or (self._tokens[last].kind == "COMMA" and span.first == 0):
            first, last = last + 1, self._reach(last + 1, 1, frozenset())
            premises.append(self._part(first, last))
        span = _Span(span.first, last)
        then = self._part(span.first, index)
        condition = premises[0] if len(premises) == 1 else f"And({', '.join(premises)})"
        text = f"Implies({condition}, {then})" if all(premises) and then else ""
        return self._phrase(
            (index, index + 1), span, f"`{self._tokens[index].text}` is not an operator", text
        )

    # --- operators between operands --------------------------------------------------------------

    def exclusive(self, index: int) -> _ForeignPhrase | None:
        """`p xor q`."""
        if not self._is_infix(index):
            return None
        span = self._around(index, _CONNECTIVES)
        parts = self._part(span.first, index), self._part(index + 1, span.last)
        word = self._tokens[index].text
        return self._phrase(
            (index, index + 1), span, f"`{word}` is not an operator", f"Xor({', '.join(parts)})"
        )

    def between(self, index: int) -> _ForeignPhrase | None:
        """`x between 1 and 5`."""
        if not self._is_infix(index):
            return None
        first = self._around(index, _CONNECTIVES).first
        middle = self._find("and", index + 1, len(self._tokens))
        if middle is None:
            return None
        last = self._around(middle, _CONNECTIVES).last
        # `AND` in capitals is no token of its own.
        last = self._find("and or", middle + 1, last) or last
        negated = self._tokens[index - 1].text.lower() == "not"
        low, high = self._part(index + 1, middle), self._part(middle + 1, last).removesuffix(" inclusive")
        text = f"Between({self._part(first, index - negated)}, {low}, {high})"
        text = f"Not({text})" if negated else text
        return self._phrase((index, index + 1), _Span(first, last), "`between` is not an operator", text)

    def like(self, index: int) -> _ForeignPhrase | None:
        """`s like 'a%'`."""
        if not self._is_infix(index):
            return None
        helps = (
            "write `StartsWith(s, part)`, `EndsWith(s, part)`, `Contains(s, part)` or `Matches(s, pattern)`"
        )
        word = self._tokens[index].text
        return self._phrase(
            (index, index + 1), self._around(index), f"`{word}` is not an operator", "", helps
        )

    def either(self, index: int) -> _ForeignPhrase | None:
        """`either p or q`, `both p and q`."""
        if self._ends_value(index - 1) or self._tokens[index + 1].kind not in ("NAME", "QUOTED", "NOT"):
            return None
        start, end = self._tokens[index].start, self._tokens[index + 1].start
        word = self._tokens[index].text
        helps = (
            "write `p or q`; if not both are meant, `Xor(p, q)`" if word == "either" else "write `p and q`"
        )
        return _ForeignPhrase(index, index + 1, f"`{word}` is not an operator", " ", start, end, (helps,))

    def let(self, index: int) -> _ForeignPhrase | None:
        """`let y = 3 in p`."""
        following = [token.kind for token in self._tokens[index + 1 : index + 2]]
        if following != ["NAME"] or self._ends_value(index - 1):
            return None
        helps = "write the value in its place, or declare a function with `params` and `body`"
        span = self._around(index)
        return self._phrase((index, span.last), span, f"there is no `{self._tokens[index].text}`", "", helps)

    # --- members and methods ---------------------------------------------------------------------

    def member(self, index: int) -> _ForeignPhrase | None:
        """`a.f`, `a.f(b)`, `1..5`."""
        tokens = self._tokens
        if tokens[index + 1].text[:1] == ".":
            return self._range(index)
        if not self._ends_value(index - 1) or tokens[index + 1].kind != "NAME":
            return None
        first = self._value_start(index - 1)
        name, last, args = tokens[index + 1].text, index + 2, ""
        if tokens[last].text == "(":
            close = self._reach(last + 1, 1, frozenset())
            while close < len(tokens) and tokens[close].kind == "COMMA":
                close = self._reach(close + 1, 1, frozenset())
            args, last = self._part(last + 1, close), close + 1
        if last > len(tokens) or first < 0:
            return None
        whole = self._part(first, index)
        if whole in MODULES and args:
            text = f"{METHODS.get(name.lower(), name)}({args})"
            problem = f"functions have no `{whole}.` before them"
            return self._phrase((index - 1, index + 2), _Span(first, last), problem, text)
        problem = f"`.{name}` does not belong to a value: a function is applied to it"
        if name.lower() in CHANGES:
            return self._phrase((index, index + 2), _Span(first, last), problem, "", NO_CHANGES)
        word = METHODS.get(name.lower(), name)
        text = f"{word}({whole}{', ' if args else ''}{args})"
        if word == "Contains" and whole[0] in "[{":
            text = f"{args} in {whole}"
        elif word == "Member":
            text = f"Member({args}, {whole})"
        return self._phrase((index, index + 2), _Span(first, last), problem, text)

    def _range(self, index: int) -> _ForeignPhrase | None:
        inside = self._find("in", self._around(index, _CONNECTIVES).first, index)
        span = self._around(index, _CONNECTIVES)
        if inside is None:
            helps = "write `low <= n and n <= high` for a number of a range"
            return self._phrase((index, index + 2), span, "there are no ranges of numbers", "", helps)
        # In `1..5` the second point belongs to a numeral, `.5`.
        high = self._part(index + 1, span.last).lstrip(".")
        parts = self._part(span.first, inside), self._part(inside + 1, index), high
        text = f"Between({', '.join(parts)})"
        return self._phrase((index, index + 2), span, "there are no ranges of numbers", text)

    def _value_start(self, at: int) -> int:
        """The first token of the value that ends at a place: a name, or a call."""
        tokens, depth = self._tokens, 0
        while at >= 0:
            depth += (tokens[at].text in _CLOSING) - (tokens[at].text in _OPENING)
            if depth == 0 and not (
                tokens[at].text in _OPENING and at and tokens[at - 1].kind in ("NAME", "QUOTED")
            ):
                return at
            at -= 1
        return at

    # --- comprehensions --------------------------------------------------------------------------

    def comprehension(self, index: int) -> _ForeignPhrase | None:
        """`sum(f(x) for x in S if p(x))`, `[f(x) for x in S]`, `{x for x in S if p(x)}`."""
        if not self._ends_value(index - 1) or self._tokens[index + 1].kind != "NAME":
            return None
        tokens, span = self._tokens, self._around(index)
        listed = self._listed(index, span)
        if listed is not None:
            return listed
        clauses = self._clauses(index, span.first)
        helps = "range with `ForAll([x: Sort], …)`, `Sum([x: Sort], …)`, `Count([x: Sort], …)` and the like"
        if clauses is None:
            return self._phrase((index, index + 1), span, "`for` is not an operator", "", helps)
        binders, condition, last = clauses
        body = self._part(self._start(index), index)
        opening = self._start(index) - 1
        is_list = opening >= 0 and tokens[opening].text in "[{" and tokens[opening].kind != "NAME"
        whole = _Span(opening, last + 1)
        head = opening - 1
        if is_list and head >= 0 and tokens[head].text == "(":
            head, alone = head - 1, last + 1 < len(tokens) and tokens[last + 1].text == ")"
        else:
            alone = True
        owner = tokens[head].text if head >= 0 and tokens[head].kind == "NAME" and opening >= 0 else ""
        if is_list and tokens[opening].text == "{":
            text = f"SetOf([{binders}], {condition or 'True'})"
            return self._phrase((index, index + 1), whole, "`for` is not an operator", text)
        make = _FOLDS.get(owner.lower())
        if make is None and alone and owner and not condition:
            last = last + 1 + (is_list and head >= 0)
            text = f"{_NAMES.get(owner.lower(), owner)}([{binders}], {body})"
            return self._phrase((index, index + 1), _Span(head, last), "`for` is not an operator", text)
        if make is None or not alone:
            joined = f"{condition} and ({body})" if condition else body
            inner = f"[{binders}], {joined}"
            place = whole if is_list else _Span(self._start(index), last)
            return self._phrase((index, index + 1), place, "`for` is not an operator", inner, helps)
        last = last + 1 + is_list
        text = make(binders, body, condition)
        return self._phrase((index, index + 1), _Span(head, last), "`for` is not an operator", text)

    def _listed(self, index: int, span: _Span) -> _ForeignPhrase | None:
        """`any(f(x) for x in [a, b])`: the body of each."""
        tokens, opening = self._tokens, index + 3
        if tokens[index + 2].kind != "IN" or tokens[opening].text not in ("[", "{", "("):
            return None
        end, values = opening, []
        while end == opening or tokens[end].kind == "COMMA":
            first, end = end + 1, self._reach(end + 1, 1, frozenset())
            values.append(self._part(first, end))
        head = span.first - 2
        owner = tokens[head].text.lower() if head >= 0 and tokens[span.first - 1].text == "(" else ""
        name = _OF_EACH.get(owner)
        closes = tokens[end].text == _OPENING[tokens[opening].text] and tokens[end + 1].text == ")"
        if name is None or not closes or not all(values) or len(values) > _MOST_VALUES:
            return None
        variable = tokens[index + 1].text
        bodies = [self._with_value(span.first, index, variable, value) for value in values]
        text = f"{name}({', '.join(bodies)})"
        return self._phrase((index, index + 1), _Span(head, end + 2), "`for` is not an operator", text)

    def _with_value(self, first: int, last: int, variable: str, value: str) -> str:
        """The text of tokens with a value for a variable."""
        written, at = "", self._tokens[first].start
        for token in self._tokens[first:last]:
            is_variable = token.kind == "NAME" and token.text == variable
            written += self._text[at : token.start] + (value if is_variable else token.text)
            at = token.end
        return written

    def _start(self, index: int) -> int:
        return self._around(index).first

    def _set_builder(self, index: int) -> _ForeignPhrase | None:
        """`{x: A | p}`, `{x in A | p}`, `[x: A | p]`."""
        span = self._around(index)
        before = self._tokens[span.first : index]
        if [token.kind for token in before] not in (["NAME", "COLON", "NAME"], ["NAME", "IN", "NAME"]):
            return None
        opening = self._tokens[span.first - 1].text if span.first else ""
        if opening not in ("[", "{"):
            return None
        binder, body = f"[{before[0].text}: {before[2].text}]", self._part(index + 1, span.last)
        owner = (
            self._tokens[span.first - 3]
            if span.first > 2 and self._tokens[span.first - 2].text == "("
            else None
        )
        folds = owner is not None and owner.text.lower() in (
            "count",
            "exists",
            "forall",
            "atmost",
            "atleast",
            "exactly",
        )
        text = f"{binder}, {body}" if folds else f"SetOf({binder}, {body})"
        whole = _Span(span.first - 1, span.last + 1)
        if span.first > 1 and self._tokens[span.first - 2].text == "#":
            text, whole = f"Count({binder}, {body})", _Span(span.first - 2, span.last + 1)
        return self._phrase((index, index + 1), whole, "`|` does not make a set", text)

    def _clauses(self, index: int, first: int) -> tuple[str, str, int] | None:
        """The binders, the condition and where the comprehension ends; None where it ranges over no name."""
        tokens, at, binders, condition = self._tokens, index, [], ""
        while tokens[at].text == "for":
            names = [tokens[at + 1].text]
            at += 2
            if (
                tokens[at].kind != "IN"
                or tokens[at + 1].kind not in ("NAME", "QUOTED")
                or tokens[at + 2].text == "("
            ):
                return None
            binders += [f"{name}: {tokens[at + 1].text}" for name in names]
            at += 2
        if tokens[at].text == "if":
            end = self._reach(at + 1, 1, frozenset())
            condition = self._part(at + 1, end)
            at = end
        return (
            (", ".join(binders), condition, at)
            if tokens[at].text in _CLOSING or tokens[at].kind == END
            else None
        )


def _summed(binders: str, body: str, condition: str) -> str:
    if condition and body == "1":
        return f"Count([{binders}], {condition})"
    return f"Sum([{binders}], {f'If({condition}, {body}, 0)' if condition else body})"


def _quantified(name: str, connective: str) -> Callable[[str, str, str], str]:
    def make(binders: str, body: str, condition: str) -> str:
        return f"{name}([{binders}], {f'{connective}({condition}, {body})' if condition else body})"

    return make


def _counted(binders: str, body: str, condition: str) -> str:
    return f"Count([{binders}], {condition or 'True'})"


_FOLDS: dict[str, Callable[[str, str, str], str]] = {
    "sum": _summed,
    **dict.fromkeys(("any", "or", "some", "exists"), _quantified("Exists", "And")),
    **dict.fromkeys(("all", "and", "every", "forall"), _quantified("ForAll", "Implies")),
    **dict.fromkeys(("len", "count", "size"), _counted),
    "set": lambda binders, body, condition: f"SetOf([{binders}], {condition or 'True'})",
}
_OF_EACH = {"any": "Or", "all": "And", "sum": "Sum", "max": "Max", "min": "Min"}
_MOST_VALUES = 50
_NAMES = {"max": "Max", "min": "Min", "prod": "Product", "mean": "Average", "average": "Average"}
_WORDS: dict[str, Callable[[Phrases, int], _ForeignPhrase | None]] = {
    **dict.fromkeys(("if", "when", "whenever", "provided", "case"), Phrases.condition),
    "?": Phrases.question,
    "unless": Phrases.unless,
    "only": Phrases.only,
    ":-": Phrases.reverse,
    "←": Phrases.reverse,
    "xor": Phrases.exclusive,
    **dict.fromkeys(("⊕", "<~>"), Phrases.exclusive),
    "between": Phrases.between,
    **dict.fromkeys(("like", "ilike", "rlike", "matches", "regexp"), Phrases.like),
    "=~": Phrases.like,
    "let": Phrases.let,
    **dict.fromkeys(("either", "both"), Phrases.either),
    ".": Phrases.member,
    "for": Phrases.comprehension,
}


def replaced(start: int, end: int, text: str, problem: str, *helps: str) -> Fault:
    """The fault of characters `[start, end)` for which `text` is to be written."""
    help_text = f"write `{short(text.strip())}`"
    fix = Correction(help_text, Applicability.UNSAFE, ((start, end, text),))
    return Fault("POT1020", start, end, {"problem": problem}, "", (help_text, *helps), (fix,))


def short(text: str) -> str:
    """The text of a correction, as a help shows it."""
    return text if len(text) <= 200 else text[:199] + "…"
