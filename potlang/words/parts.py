"""Formulas as trees of the constructs that sentences are made of.

Read from the surface tree, that is, as the program writes them: what stands for many terms in the typed
program, such as a sum over a sort, is one construct here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from potlang.expressions import surface as s
from potlang.expressions.names import written
from potlang.sema.operands import flat
from potlang.words.constructs import BINDING, CONSTRUCTS, FORMULA, TERM, SpokenBinder, applied, bound

MOST_PARTS = 1_500
"""Parts of a formula that is said; longer ones would be no help to anybody."""


class Unsayable(ValueError):
    """The formula has a part that there are no words for, or too many parts."""


class Part(NamedTuple):
    """A construct with its operands.

    `key` is one of the constructs, `name`, `number`, `text`, `amount` or `apply`; `word` is the name, the
    numeral, the text or the function's name, and `binders` are those of a binding construct.
    """

    key: str
    kind: str
    operands: tuple[Part, ...] = ()
    word: str = ""
    binders: tuple[SpokenBinder, ...] = ()


class NameMeanings(NamedTuple):
    """The meaning of names outside of all binders.

    `formulas` tells of each declared function whether it is a predicate, `sort` gives the sort that a name
    has by which a binder may be written, `sort_text` a sort as it is written in full; `is_variable` tells of
    declared variables that lists may bind, `is_date` of functions and names that are points in time.
    """

    formulas: Callable[[str], bool | None]
    is_declared: Callable[[str], bool]
    sort: Callable[[str], str | None]
    sort_text: Callable[[s.SortExpr], str | None]
    is_variable: Callable[[str], bool]
    is_date: Callable[[str], bool]


_TRUE, _FALSE = Part("true", TERM), Part("false", TERM)
_INFIX = {
    "->": "implies",
    "<->": "iff",
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divided",
    "//": "quotient",
    "%": "remainder",
    "**": "power",
}
_COMPARISONS = {
    "==": "equal",
    "!=": "different",
    "<": "less",
    "<=": "at most",
    ">": "greater",
    ">=": "at least",
}
_OF_DATES = {"less": "earlier", "at most": "no later", "greater": "later", "at least": "no earlier"}
_DATE_SORTS = ("Date", "DateTime")
_DATES = frozenset([*_DATE_SORTS, "date", "AddMonths", "AddYears", "DateOf"])
_UNITS = {"Days": "day", "Weeks": "week", "Hours": "hour", "Minutes": "minute"}
_LATER = {"AddMonths": "month", "AddYears": "year"}
_FEW = {"0": "none", "1": "one"}
"""Numbers that are said by words, where there are such."""
_CALLS = {
    "Not": "not",
    "Implies": "implies",
    "Iff": "iff",
    "Xor": "xor",
    "If": "if",
    "Ite": "if",
    "Distinct": "distinct",
    "AllDifferent": "distinct",
    "Ceiling": "Ceil",
    "Trunc": "Truncate",
    "Pow": "power",
    "Power": "power",
    "SubString": "Substring",
    "Abs": "absolute",
    "ToReal": "real",
    "ToInt": "floor",
    "Div": "quotient",
    "Mod": "remainder",
    "Select": "element",
    "Store": "stored",
    "Member": "in",
    "Card": "size",
    "Union": "union",
    "Intersect": "intersection",
    "Intersection": "intersection",
    "Difference": "difference",
    "Subset": "subset",
    "Length": "length",
    "Concat": "joined",
    "Contains": "contains",
    "PrefixOf": "prefix",
    "SuffixOf": "suffix",
}
_CARDINALITIES = {"AtMost": "at most", "AtLeast": "at least", "Exactly": "exactly"}
_FIXED = {
    "ExactlyOne": ("exactly", "1"),
    "AtMostOne": ("at most", "1"),
    "AtLeastOne": ("at least", "1"),
    "NoneOf": ("exactly", "0"),
}
_SWAPPED = {"StartsWith": "prefix", "EndsWith": "suffix"}
_AGGREGATES = {"Sum": "sum", "Product": "product", "Min": "least", "Max": "greatest", "Count": "count"}
_AGGREGATES["Average"] = "average"
_OVER = {"Sum": "sum over", "Product": "product over", "Min": "least over", "Max": "greatest over"}
_OVER["Average"] = "average over"
_OPENED = frozenset(["distinct", "joined"])
"""Constructs whose call takes lists among its arguments for their items."""
_NEGATED = {"equal": "different", "in": "not in", "one of": "none of"}

Env = Mapping[str, str]
"""The sorts of the variables that are bound around an expression."""
Child = tuple[s.Expr, Env]


class Outline(NamedTuple):
    """An expression's construct before its operands are known: these, and how the part is made of theirs."""

    children: Sequence[Child]
    make: Callable[[list[Part]], Part]


def part_of(root: s.Expr, names: NameMeanings, env: Env | None = None) -> Part:
    """The tree of an expression. Raises `Unsayable`."""
    reader = _Outliner(names)
    work: list[tuple[Child | None, Outline | None]] = [((root, env or {}), None)]
    done: list[Part] = []
    size = 0
    while work:
        child, outline = work.pop()
        if outline is None:
            assert child is not None
            size += 1
            if size > MOST_PARTS:
                raise Unsayable("the formula is too long to be said")
            outline = reader.outline(*child)
            work.append((None, outline))
            work += [(each, None) for each in reversed(outline.children)]
            continue
        count = len(outline.children)
        parts = done[len(done) - count :]
        del done[len(done) - count :]
        done.append(outline.make(parts))
    return done[0]


def as_kind(part: Part, kind: str) -> Part:
    """A part as a formula or as a term."""
    if part.kind == kind:
        return part
    if kind == TERM:
        return Part("whether", TERM, (part,))
    if part.key in ("true", "false"):
        return Part("valid" if part.key == "true" else "absurd", FORMULA)
    return Part("equal", FORMULA, (part, _TRUE))


def construct(key: str, parts: Sequence[Part]) -> Part:
    """The construct of these operands, each as the kind that it wants."""
    row = CONSTRUCTS[key]
    operands = tuple(as_kind(part, row.kind_of(index)) for index, part in enumerate(parts))
    return Part(key, row.kind, operands)


def negation(part: Part) -> Part:
    """The negation of a part."""
    if part.kind == TERM:
        return Part("equal", FORMULA, (part, _FALSE))
    if part.key in _NEGATED and part.operands[-1] not in (_TRUE, _FALSE):
        return part._replace(key=_NEGATED[part.key])
    return Part("not", FORMULA, (part,))


def binding(key: str, binders: Sequence[SpokenBinder], body: Part, number: Part | None = None) -> Part:
    """A construct with binders; one quantifier where the body is another of the same with other names."""
    kind, kinds, _ = BINDING[key]
    body = as_kind(body, kinds[-1])
    if body.key == key and key in ("forall", "exists"):
        names = {binder.name for binder in binders}
        if names.isdisjoint(binder.name for binder in body.binders):
            return body._replace(binders=(*binders, *body.binders))
    first = (as_kind(number, TERM),) if number is not None else ()
    return Part(key, kind, (*first, body), "", tuple(binders))


def implication(antecedent: Part, consequent: Part) -> Part:
    """The implication of two formulas."""
    return construct("implies", (antecedent, consequent))


def excepted(rule: Part, exceptions: Sequence[Part]) -> Part:
    """A rule's formula, without its binders, under its exceptions."""
    if not exceptions:
        return rule
    exception = construct("or", exceptions) if len(exceptions) > 1 else exceptions[0]
    if rule.key == "implies":
        return construct("implies unless", (*rule.operands, exception))
    return construct("unless", (rule, exception))


T = TypeVar("T")


def fold(root: Part, make: Callable[[Part, list[T]], T]) -> T:
    """`make` of each part and of what it made of the part's operands, from the leaves up."""
    work: list[tuple[Part, bool]] = [(root, False)]
    done: list[T] = []
    while work:
        part, ready = work.pop()
        if not ready:
            work.append((part, True))
            work += [(each, False) for each in reversed(part.operands)]
            continue
        count = len(part.operands)
        values = done[len(done) - count :]
        del done[len(done) - count :]
        done.append(make(part, values))
    return done[0]


def expression(root: Part) -> str:
    """The text of a tree as an expression; equal texts are what makes a sentence right."""
    return fold(root, _expression)


def _expression(part: Part, texts: list[str]) -> str:
    if part.key in BINDING:
        return bound(part.key, part.binders, texts)
    if part.key == "apply":
        return applied(part.word, texts)
    if part.key == "name":
        return written(part.word)
    if part.key == "amount":
        return amount_text(part.word)
    return CONSTRUCTS[part.key].text(texts) if part.key in CONSTRUCTS else part.word


def amount_text(word: str) -> str:
    """An amount as expressions write it anywhere: what follows a percent sign would make it a remainder."""
    return f"({word})"


def string_text(value: str) -> str:
    """A string as expressions write it, on one line."""
    return '"' + "".join(map(_character, value)) + '"'


def _character(char: str) -> str:
    if char in '\\"':
        return "\\" + char
    return char if char.isprintable() or ord(char) >= 0x10000 else f"\\u{ord(char):04x}"


class _Outliner:
    """Tells the construct of an expression."""

    def __init__(self, names: NameMeanings) -> None:
        self._names = names

    def outline(self, expr: s.Expr, env: Env) -> Outline:
        expr = self._literal(expr, env)
        match expr:
            case s.Quoted(root=root):
                return Outline([(root, env)], lambda parts: parts[0])
            case s.Name(id=name):
                return _leaf(self._name(name, env))
            case s.Number(text=text):
                return _leaf(Part("number", TERM, word=text))
            case s.BitVecLiteral(text=text):
                return _leaf(Part("text", TERM, word=text))
            case s.DateLiteral(text=text):
                return _leaf(Part("text", TERM, word=text))
            case s.Amount(text=text):
                return _leaf(Part("amount", TERM, word=text))
            case s.StringLiteral(value=value):
                return _leaf(Part("text", TERM, word=string_text(value)))
            case s.ListOf(items=items):
                return _of("set" if items else "empty set", items, env)
            case s.Prefix(op=sign, arg=arg):
                make = negation if sign == "not" else lambda part: construct("negative", [part])
                return Outline([(arg, env)], lambda parts: make(parts[0]))
            case s.Compare():
                return self._chain(expr, env)
            case s.Infix(op=sign, args=args):
                return self._infix(sign, args, env)
            case s.Call():
                return self._call(expr, env)
        raise Unsayable(f"there are no words for {type(expr).__name__}")

    def _name(self, name: str, env: Env) -> Part:
        if name not in env and not self._names.is_declared(name):
            if name in ("True", "true"):
                return _TRUE
            if name in ("False", "false"):
                return _FALSE
        kind = FORMULA if self._names.formulas(name) and name not in env else TERM
        # A predicate without arguments is a constant.
        return Part("name", TERM if kind == FORMULA else kind, word=name)

    def _infix(self, sign: str, args: list[s.Expr], env: Env) -> Outline:
        if sign in ("and", "or"):
            return self._run(sign, args, env)
        if sign in ("in", "not in", "not-in"):
            return _membership(sign != "in", args, env)
        if (
            sign in ("+", "-")
            and len(args) == 2
            and isinstance(self._literal(args[1], env), s.Amount)
            and self._is_date(args[0], env)
        ):
            return _of("after" if sign == "+" else "before", args, env)
        return _of(_INFIX[sign], args, env)

    def _literal(self, expr: s.Expr, env: Env) -> s.Expr:
        """`Date(2025, 1, 20)` as 2025-01-20 and `Days(14)` as 14 days; all else as it is."""
        match expr:
            case s.Call(head=s.Name(id=name), args=args, start=start, end=end) if not self._is_own(name, env):
                texts = [arg.text for arg in args if isinstance(arg, s.Number) and arg.text.isdecimal()]
            case _:
                return expr
        if len(texts) < len(args):
            return expr
        if name in ("Date", "date") and len(texts) == 3:
            year, month, day = map(int, texts)
            return s.DateLiteral(f"{year:04}-{month:02}-{day:02}", start, end)
        if name in _UNITS and len(texts) == 1:
            unit = _UNITS[name] if texts == ["1"] else f"{_UNITS[name]}s"
            return s.Amount(f"{texts[0]} {unit}", start, end)
        return expr

    def _is_date(self, expr: s.Expr, env: Env) -> bool:
        """Whether an expression is a point in time, as far as its first parts tell."""
        while isinstance(expr, s.Infix) and expr.op in ("+", "-"):
            first, *others = expr.args
            if any(self._is_named_date(each, env) for each in others):
                # What is between two dates is none.
                return expr.op == "+"
            expr = first
        return self._is_named_date(expr, env)

    def _is_named_date(self, expr: s.Expr, env: Env) -> bool:
        match expr:
            case s.DateLiteral():
                return True
            case s.Name(id=name) if name in env:
                return env[name] in _DATE_SORTS
            case s.Name(id=name) | s.Call(head=s.Name(id=name)):
                is_own = self._names.is_declared(name)
                return self._names.is_date(name) if is_own else name in _DATES
        return False

    def _chain(self, expr: s.Compare, env: Env) -> Outline:
        dated = [self._is_date(each, env) for each in expr.operands]

        def make(parts: list[Part]) -> Part:
            links = []
            for at, sign in enumerate(expr.ops):
                key = _COMPARISONS[sign]
                key = _OF_DATES.get(key, key) if dated[at] or dated[at + 1] else key
                links.append(_typed(key, [parts[at], parts[at + 1]]))
            return _joined("and", links)

        return Outline([(each, env) for each in expr.operands], make)

    def _run(self, key: str, args: Sequence[s.Expr], env: Env) -> Outline:
        """The members of nested runs of one connective are those of one run."""
        items: list[s.Expr] = []
        waiting = list(reversed(args))
        while waiting:
            inner = self._members(waiting[-1], key, env)
            if inner is None:
                items.append(waiting.pop())
            else:
                waiting.pop()
                waiting += reversed(inner)
        return Outline([(item, env) for item in items], lambda parts: _joined(key, parts))

    def _members(self, expr: s.Expr, key: str, env: Env) -> Sequence[s.Expr] | None:
        match expr:
            case s.Quoted(root=root):
                return [root]
            case s.Infix(op=sign, args=args) if sign == key:
                return args
            case s.Call(head=s.Name(id=name)) if name == key.capitalize() and not self._is_own(name, env):
                return flat(expr.args)
        return None

    def _is_own(self, name: str, env: Env) -> bool:
        """Whether a name before arguments is the program's."""
        return name in env or self._names.is_declared(name)

    def _call(self, expr: s.Call, env: Env) -> Outline:
        head, args = expr.head, expr.args
        if not isinstance(head, s.Name):
            return _of("applied", [head, *args], env)
        name = head.id
        if self._is_own(name, env):
            if not args:
                return _leaf(self._name(name, env))
            if name in env or self._names.formulas(name) is None:
                return _of("applied", [head, *args], env)
            kind = FORMULA if self._names.formulas(name) else TERM
            return Outline(
                [(arg, env) for arg in args],
                lambda parts: Part("apply", kind, tuple(as_kind(part, TERM) for part in parts), name),
            )
        if name in ("And", "Or"):
            return self._run(name.lower(), flat(args), env)
        if name in ("ForAll", "Forall", "Exists"):
            return self._binding(name.lower(), args[:-1], args[-1], env)
        if name in _AGGREGATES:
            return self._aggregate(name, args, env)
        if name in ("ExistsUnique", "Unique", "SetOf"):
            return self._binding("set of" if name == "SetOf" else "exactly one", args[:-1], args[-1], env)
        if name in _CARDINALITIES and args:
            return self._cardinality(_CARDINALITIES[name], args[0], args[1:], env)
        if name in _FIXED:
            relation, number = _FIXED[name]
            return self._cardinality(relation, s.Number(number, 0, 0), args, env)
        if name in _SWAPPED:
            return _of(_SWAPPED[name], args[::-1], env)
        if name in _LATER and len(args) == 2:
            unit, many = _LATER[name], args[1]
            if isinstance(many, s.Number) and many.text == "1":
                return _of(f"one {unit} later", args[:1], env)
            return _of(f"{unit}s later", args, env)
        key = _CALLS.get(name, name)
        if key in CONSTRUCTS or key == "if":
            return _call(key, args, env)
        # Without words of its own: by its name, as a term, which a formula may be said to be true.
        if not args or any(isinstance(arg, s.Binding) for arg in args):
            raise Unsayable(f"there are no words for {name}")
        return Outline(
            [(arg, env) for arg in args],
            lambda parts: Part("apply", TERM, tuple(as_kind(part, TERM) for part in parts), name),
        )

    def _aggregate(self, name: str, args: Sequence[s.Expr], env: Env) -> Outline:
        # As the compiler reads it: a list before a term binds, whatever the names in it are.
        is_list = len(args) == 2 and isinstance(args[0], s.ListOf) and not isinstance(args[1], s.ListOf)
        if is_list or self._is_binding(args):
            return self._binding(_OVER.get(name, "number of"), args[:-1], args[-1], env)
        items = flat(args)
        if not items:
            return _leaf(Part("number", TERM, word="1" if name == "Product" else "0"))
        return _of(_AGGREGATES[name], items, env)

    def _cardinality(self, relation: str, number: s.Expr, args: Sequence[s.Expr], env: Env) -> Outline:
        few = _FEW.get(number.text) if isinstance(number, s.Number) else None
        if few is not None and (few == "one" or relation == "exactly"):
            if self._is_binding(args):
                return self._binding(f"{relation} {few} over", args[:-1], args[-1], env)
            return _of(f"{relation} {few} of", flat(args), env)
        if self._is_binding(args):
            return self._binding(f"{relation} over", args[:-1], args[-1], env, number)
        return _of(f"{relation} of", [number, *flat(args)], env)

    def _is_binding(self, args: Sequence[s.Expr]) -> bool:
        """Whether arguments are binders and a body, not terms: as the compiler reads them."""
        if len(args) < 2 or isinstance(args[-1], s.ListOf | s.Binding):
            return False
        heads = args[:-1]
        if len(heads) == 1 and isinstance(heads[0], s.ListOf):
            return bool(heads[0].items) and all(map(self._may_be_binder, heads[0].items))
        return all(isinstance(head, s.Binding) for head in heads)

    def _may_be_binder(self, item: s.Expr) -> bool:
        if isinstance(item, s.Name):
            return self._names.is_variable(item.id) or not self._names.is_declared(item.id)
        return isinstance(item, s.Binding)

    def _binding(
        self, key: str, heads: Sequence[s.Expr], body: s.Expr, env: Env, number: s.Expr | None = None
    ) -> Outline:
        binders = [self._binder(head, env) for head in flat(heads)]
        if len({binder.name for binder in binders}) < len(binders):
            raise Unsayable("a name is bound twice")
        inner = {**env, **dict(binders)}
        shown = [SpokenBinder(written(name), sort) for name, sort in binders]
        if number is None:
            return Outline([(body, inner)], lambda parts: binding(key, shown, parts[0]))
        return Outline([(number, env), (body, inner)], lambda parts: binding(key, shown, parts[1], parts[0]))

    def _binder(self, head: s.Expr, env: Env) -> SpokenBinder:
        if isinstance(head, s.Binding):
            sort = self._names.sort_text(head.sort)
            name = head.name.id
        elif isinstance(head, s.Infix) and head.op == "in":
            of, within = head.args
            if not isinstance(of, s.Name) or not isinstance(within, s.Name):
                raise Unsayable("a binder that is no name")
            name = of.id
            sort = self._names.sort_text(s.SortExpr(within.id, [], "", 0, 0))
        elif isinstance(head, s.Name):
            name = head.id
            sort = self._names.sort(name) or env.get(name)
        else:
            raise Unsayable("a binder that is no name")
        if sort is None:
            raise Unsayable(f"the sort of {name} is not known")
        return SpokenBinder(name, sort)


def _leaf(part: Part) -> Outline:
    return Outline((), lambda _: part)


def _of(key: str, args: Sequence[s.Expr], env: Env) -> Outline:
    return Outline([(arg, env) for arg in args], lambda parts: _typed(key, parts))


def _typed(key: str, parts: list[Part]) -> Part:
    """An equation of formulas is an equivalence, and a difference of formulas exclusive."""
    if key in ("equal", "different") and FORMULA in (parts[0].kind, parts[1].kind):
        return construct("iff" if key == "equal" else "xor", parts)
    if key in ("equal", "different") and parts[1] not in (_TRUE, _FALSE) and parts[0] in (_TRUE, _FALSE):
        parts = parts[::-1]
    return construct(key, parts)


def _joined(key: str, parts: list[Part]) -> Part:
    if len(parts) > 1:
        return construct(key, parts)
    if parts:
        return as_kind(parts[0], FORMULA)
    return Part("valid" if key == "and" else "absurd", FORMULA)


def _membership(is_negated: bool, args: Sequence[s.Expr], env: Env) -> Outline:
    element, whole = args
    if not isinstance(whole, s.ListOf):
        return _of("not in" if is_negated else "in", args, env)
    if not whole.items:
        return _leaf(Part("valid" if is_negated else "absurd", FORMULA))
    return _of("none of" if is_negated else "one of", [element, *whole.items], env)


def _chosen(parts: list[Part]) -> Part:
    """A choice; of terms that are choices themselves the cases are those of one choice."""
    condition, value, other = parts
    if FORMULA in (value.kind, other.kind):
        return construct("if formula", parts)
    cases = [construct("case", (condition, value))]
    if other.key == "if term":
        cases.append(construct("case", other.operands[:2]))
    elif other.key == "if cases":
        cases += other.operands[0].operands
    else:
        return construct("if term", parts)
    return construct("if cases", (construct("cases", cases), other.operands[-1]))


def _call(key: str, args: Sequence[s.Expr], env: Env) -> Outline:
    """A built-in function with arguments of its own."""
    if key == "not":
        return Outline([(args[0], env)], lambda parts: negation(parts[0]))
    if key == "in":
        return _membership(False, args, env)
    if key == "if":
        return Outline([(arg, env) for arg in args], _chosen)
    items = flat(args) if key in _OPENED else list(args)
    if key == "distinct" and len(items) < 2:
        return _leaf(Part("valid", FORMULA))
    if key == "difference" and len(items) > 2:
        raise Unsayable("there are no words for a difference of more than two sets")
    return _of(key, items, env)
