"""Random well-sorted expressions in the words of a PoT program, in all their spellings.

Simple things come first among the choices, so that examples shrink to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from potlang.ir.sorts import (
    BOOL,
    INT,
    REAL,
    STRING,
    ArraySort,
    BitVecSort,
    DeclaredSort,
    EnumSort,
    FunctionSort,
    SetSort,
    Sort,
    TupleSort,
)

Maker = Callable[[], str]

_INTEGERS = ("0", "1", "2", "(-1)", "7")
_REALS = ("0.5", "1.0", "2.25", "(3/4)", "2", "(-1.5)")
_STRINGS = ("'a'", '"b"', "''", "'ab'")


@dataclass(frozen=True, slots=True)
class FunctionRow:
    """A function that expressions may call."""

    name: str
    domain: tuple[Sort, ...]
    range: Sort


@dataclass(slots=True)
class Vocabulary:
    """The names of expressions. `finite`: nothing of sort Real or String, Int for counting alone."""

    finite: bool = False
    sorts: list[Sort] = field(default_factory=lambda: [BOOL])
    """The sorts of terms; each has a constant or a literal."""
    spellings: dict[Sort, list[str]] = field(default_factory=dict)
    """Names of sorts, aliases included; other sorts are written by constructor."""
    constants: dict[Sort, list[str]] = field(default_factory=dict)
    functions: list[FunctionRow] = field(default_factory=list)
    variables: list[tuple[str, Sort]] = field(default_factory=list)
    """Declared variables, which quantifiers bind by name."""
    free: bool = False
    """Declared variables may occur free."""

    def sort_text(self, draw: DrawFn, sort: Sort) -> str:
        """A spelling of `sort`."""
        return draw(st.sampled_from(self.spellings.get(sort) or [str(sort)]))

    def ranged(self) -> list[Sort]:
        """The sorts that `Sum` and `Count` range over: those with named members."""
        return [s for s in self.sorts if s is BOOL or isinstance(s, EnumSort | DeclaredSort)]

    def quantified(self) -> list[Sort]:
        """The sorts that quantifiers range over here."""
        found: list[Sort] = [s for s in self.sorts if not isinstance(s, ArraySort | FunctionSort | SetSort)]
        return [s for s in found if s is not INT] if self.finite else found


class ExpressionGenerator:
    """Draws the text of terms; every text stands in parentheses or needs none."""

    def __init__(self, draw: DrawFn, words: Vocabulary, bound: Sequence[tuple[str, Sort]] = ()) -> None:
        self._draw = draw
        self._words = words
        self._bound = list(bound)

    def formula(self, depth: int = 2) -> str:
        """A formula at most `depth` operators deep."""
        return self.term(BOOL, depth)

    def term(self, sort: Sort, depth: int = 2) -> str:
        """A term of `sort`."""
        makers = self._leaves(sort)
        if depth > 0:
            # Few leaves, so that terms reach their depth.
            makers = [*makers[:3], *self._inner(sort, depth - 1)] or makers
        return self._pick(makers)()

    def _pick(self, makers: Sequence[Maker]) -> Maker:
        return makers[self._draw(st.integers(0, len(makers) - 1))]

    def _one(self, options: Sequence[str]) -> str:
        return self._draw(st.sampled_from(list(options)))

    # --- leaves ----------------------------------------------------------------------------------

    def _leaves(self, sort: Sort) -> list[Maker]:
        words = self._words
        hidden = {name for name, _ in self._bound}
        names = [name for name, of in reversed(self._visible()) if of == sort]
        names += [name for name in words.constants.get(sort, ()) if name not in hidden]
        if words.free:
            names += [name for name, of in words.variables if of == sort and name not in hidden]
        makers: list[Maker] = [lambda name=name: name for name in dict.fromkeys(names)]  # type: ignore[misc]
        literals = self._literals(sort)
        if literals:
            makers.append(lambda: self._one(literals))
        if not makers:
            makers = [self._construction(sort)]
        return makers

    def _visible(self) -> list[tuple[str, Sort]]:
        # The inner of two binders with one name hides the outer.
        return list(dict(self._bound).items())

    def _literals(self, sort: Sort) -> Sequence[str]:
        if sort is BOOL:
            return ("True", "False", "true")
        if sort is INT:
            return _INTEGERS
        if sort is REAL:
            return _REALS
        if sort is STRING:
            return _STRINGS
        if isinstance(sort, EnumSort):
            hidden = {name for name, _ in self._bound}
            return [value for value in sort.values if value not in hidden]
        if isinstance(sort, BitVecSort):
            return (
                f"#b{0:0{sort.width}b}",
                f"#b{1:0{sort.width}b}",
                f"BitVecVal({sort.width}, {sort.width})",
            )
        return ()

    def _construction(self, sort: Sort) -> Maker:
        assert isinstance(sort, TupleSort), sort
        return self._call(sort.name, [part for _, part in sort.fields], 0)

    # --- terms of every sort ---------------------------------------------------------------------

    def _form(self, text: str, depth: int, *sorts: Sort) -> Maker:
        """The text with terms of these sorts in its gaps."""
        return lambda: text.format(*(self.term(sort, depth) for sort in sorts))

    def _call(self, name: str, domain: Sequence[Sort], depth: int) -> Maker:
        return self._form(f"{name}({', '.join(['{}'] * len(domain))})", depth, *domain)

    def _inner(self, sort: Sort, depth: int) -> list[Maker]:
        rows = [row for row in self._words.functions if row.range == sort]
        makers = [self._call(row.name, row.domain, depth) for row in rows]
        makers += self._reads(sort, depth)
        if sort is BOOL:
            makers += self._connectives(depth) + self._relations(depth)
            if self._words.quantified():
                makers += [lambda: self._quantified(depth)] * 2
        elif sort is INT or sort is REAL:
            makers += self._numbers(sort, depth)
        else:
            makers += self._others(sort, depth)
        return [*makers, self._form("If({}, {}, {})", depth, BOOL, sort, sort)]

    def _reads(self, sort: Sort, depth: int) -> list[Maker]:
        """Selectors, `Select` and the application of functions that are values."""
        makers: list[Maker] = []
        for part in self._words.sorts:
            if isinstance(part, TupleSort):
                makers += [self._call(name, [part], depth) for name, of in part.fields if of == sort]
            elif isinstance(part, ArraySort) and part.element == sort:
                makers.append(self._form("Select({}, {})", depth, part, part.index))
            elif isinstance(part, FunctionSort) and part.range == sort:
                names = self._words.constants[part]
                makers += [self._call(name, part.domain, depth) for name in names]
        return makers

    def _others(self, sort: Sort, depth: int) -> list[Maker]:
        texts = _FORMS.get(type(sort).__name__, ())
        makers = [self._form(text, depth, *[sort] * text.count("{}")) for text in texts]
        match sort:
            case SetSort(element):
                makers.append(lambda: f"Union({self.term(sort, 0)}, [{self.term(element, depth)}])")
            case ArraySort(index, element):
                written = self._form("{}, {}", depth, index, element)
                makers.append(lambda: f"Store({self.term(sort, 0)}, {written()})")
        return makers

    # --- numbers ---------------------------------------------------------------------------------

    def _numbers(self, sort: Sort, depth: int) -> list[Maker]:
        words = self._words
        makers: list[Maker] = []
        if sort is INT and words.ranged():
            makers.append(lambda: self._aggregate("Count", BOOL, depth))
        sets = [s for s in words.sorts if isinstance(s, SetSort) and s.element in words.ranged()]
        if sort is INT and sets:
            makers.append(self._form("Card({})", depth, sets[0]))
        makers += [
            lambda: f"({self.term(sort, depth)} {self._one('+-')} {self.term(sort, depth)})",
            lambda: f"({self._one('23')} * {self.term(sort, depth)})",
        ]
        if words.finite:
            return makers
        makers += [
            self._form("(-{})", depth, sort),
            lambda: f"{self._one(['Min', 'Max'])}({self.term(sort, depth)}, {self.term(sort, depth)})",
            self._form("Abs({})", depth, sort),
            lambda: self._aggregate(self._one(["Sum", "Product"]), sort, 0),
        ]
        if sort is INT:
            makers.append(lambda: f"({self.term(INT, depth)} {self._one(['//', '%'])} {self._one('23')})")
            makers.append(self._form("ToInt({})", depth, REAL))
            makers.append(self._form("Length({})", depth, STRING))
        else:
            makers.append(lambda: f"({self.term(REAL, depth)} / {self._one(['2', '4.0'])})")
            makers.append(self._form("ToReal({})", depth, INT))
            makers.append(self._form("{}", depth, INT))
        return makers

    def _aggregate(self, name: str, body: Sort, depth: int) -> str:
        binders, inner = self._binders(self._words.ranged(), most=1)
        return f"{name}([{binders}], {inner.term(body, depth)})"

    # --- formulas --------------------------------------------------------------------------------

    def _connectives(self, depth: int) -> list[Maker]:
        return [self._form(text, depth, *[BOOL] * text.count("{}")) for text in _CONNECTIVES]

    def _relations(self, depth: int) -> list[Maker]:
        makers: list[Maker] = [lambda: self._equality(depth)] * 3
        for sort in self._words.sorts:
            for text in _RELATIONS.get(type(sort).__name__, ()):
                makers.append(self._form(text, depth, sort, sort))
            if isinstance(sort, SetSort):
                makers += [
                    self._form(text, depth, sort.element, sort) for text in ("Member({}, {})", "({} in {})")
                ]
        if self._words.finite or INT in self._words.sorts:
            makers += [lambda: self._order(INT, depth)] * 2
        if REAL in self._words.sorts:
            makers.append(lambda: self._order(REAL, depth))
        return makers

    def _order(self, sort: Sort, depth: int) -> str:
        count = self._draw(st.integers(2, 3))
        text = self.term(sort, depth)
        for _ in range(count - 1):
            text += f" {self._one(['<', '<=', '>', '>=', '==', '!='])} {self.term(sort, depth)}"
        return f"({text})"

    def _equality(self, depth: int) -> str:
        sort = self._draw(st.sampled_from(self._words.sorts))
        a, b = self.term(sort, depth), self.term(sort, depth)
        form = self._draw(st.sampled_from(["==", "!=", "in", "not in", "chain", "Distinct"]))
        if form in ("==", "!="):
            return f"({a} {form} {b})"
        c = self.term(sort, 0)
        if form in ("in", "not in"):
            return f"({a} {form} [{b}, {c}])"
        return f"({a} == {b} == {c})" if form == "chain" else f"Distinct({a}, {b}, {c})"

    def _quantified(self, depth: int) -> str:
        kind = self._one(["ForAll", "Exists"])
        binders, inner = self._binders(self._words.quantified(), most=2)
        if "," not in binders and self._draw(st.booleans()):
            return f"{kind}({binders}, {inner.formula(depth)})"
        return f"{kind}([{binders}], {inner.formula(depth)})"

    def _binders(self, sorts: Sequence[Sort], most: int) -> tuple[str, ExpressionGenerator]:
        """The text of binders, and who speaks under them."""
        declared = [(name, sort) for name, sort in self._words.variables if sort in sorts]
        texts: list[str] = []
        bound: list[tuple[str, Sort]] = []
        for number in range(self._draw(st.integers(1, most))):
            style = self._draw(st.integers(0, 2 if declared else 1))
            if style == 2:
                name, sort = self._draw(st.sampled_from(declared))
                if any(name == other for other, _ in bound):
                    continue
                texts.append(name)
            else:
                name, sort = f"v{number}", self._draw(st.sampled_from(list(sorts)))
                spelt = self._words.sort_text(self._draw, sort)
                texts.append(f"{name}: {spelt}" if style == 0 else f"{{'name': '{name}', 'sort': '{spelt}'}}")
            bound.append((name, sort))
        return ", ".join(texts), ExpressionGenerator(self._draw, self._words, [*self._bound, *bound])


_CONNECTIVES = (
    "Not({})",
    "And({}, {})",
    "Or({}, {})",
    "Implies({}, {})",
    "({} and {})",
    "({} or {})",
    "(not {})",
    "({} -> {})",
    "Iff({}, {})",
    "({} <-> {})",
    "Xor({}, {})",
    "And([{}, {}])",
)
_BIT_VECTORS = (
    *("({} + {})", "({} - {})", "({} * {})", "BVAnd({}, {})", "BVOr({}, {})", "BVXor({}, {})"),
    *("UDiv({}, {})", "SRem({}, {})", "Shl({}, {})", "LShR({}, {})", "AShR({}, {})"),
    *("BVNot({})", "(-{})"),
)
_FORMS = {
    "BitVecSort": _BIT_VECTORS,
    "SetSort": ("Union({}, {})", "Intersect({}, {})", "Difference({}, {})"),
    "StringSort": ("Concat({}, {})",),
}
_RELATIONS = {
    "BitVecSort": ("ULT({}, {})", "ULE({}, {})", "SLT({}, {})", "SGE({}, {})"),
    "SetSort": ("Subset({}, {})",),
    "StringSort": ("Contains({}, {})", "PrefixOf({}, {})", "SuffixOf({}, {})"),
}
