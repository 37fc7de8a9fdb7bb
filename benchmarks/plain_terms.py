"""Terms of the PoT language as small tuples: their text, and their value in a finite structure.

Written from `spec/10-pot.md` and `spec/40-sorts.md` alone: it shares no code with the package and stays plain
rather than quick, since the package's answers are compared with it.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

Sort: TypeAlias = tuple[Any, ...]
"""("Bool",), ("Bits", 3), ("Enum", "E"), ("Decl", "T"), ("Tuple", "P"), ("Set", A), ("Array", A, B)."""
Value: TypeAlias = Any

BOOL: Sort = ("Bool",)
INT: Sort = ("Int",)
REAL: Sort = ("Real",)
STRING: Sort = ("String",)


class Undefined(Exception):
    """A division by zero: its value is not known."""


class Term(NamedTuple):
    """A term or a formula; `data` is what a head has besides its arguments."""

    head: str
    sort: Sort
    args: tuple[Term, ...] = ()
    data: Any = None


class Signature(NamedTuple):
    """What a program declares, as far as terms need it."""

    enums: dict[str, list[str]]
    tuples: dict[str, list[tuple[str, Sort]]]
    named: dict[str, list[str]]
    """The constants of each declared sort, in order."""
    defined: dict[str, tuple[list[str], Term]]
    variables: dict[str, Sort]
    """Those of the program's `variables`, which quantifiers need not declare."""
    functions: set[str]
    """The constants that are declared as functions without arguments, which may be written `c()`."""


class Structure:
    """Sizes of declared sorts, and tables of the symbols; a missing entry is asked of `fill` once."""

    def __init__(
        self,
        signature: Signature,
        sizes: dict[str, int],
        tables: dict[str, dict[tuple[Value, ...], Value]],
        fill: Callable[[str], Value] | None = None,
    ) -> None:
        self.signature, self.sizes, self.tables, self.fill = signature, sizes, tables, fill

    def apply(self, name: str, arguments: tuple[Value, ...]) -> Value:
        found = self.tables[name]
        if arguments not in found:
            assert self.fill is not None
            found[arguments] = self.fill(name)
        return found[arguments]

    def members(self, sort: Sort) -> Sequence[Value]:
        """All values of a finite sort."""
        match sort:
            case ("Bool",):
                return [False, True]
            case ("Bits", n):
                return range(2**n)
            case ("Enum", name):
                return range(len(self.signature.enums[name]))
            case ("Decl", name):
                return range(self.sizes[name])
            case ("Tuple", name):
                fields = [self.members(each) for _, each in self.signature.tuples[name]]
                return list(itertools.product(*fields))
            case ("Set", of):
                items = self.members(of)
                chosen = (itertools.combinations(items, k) for k in range(len(items) + 1))
                return [frozenset(each) for many in chosen for each in many]
            case ("Array", of, to):
                return list(itertools.product(self.members(to), repeat=len(self.members(of))))
        raise ValueError(sort)

    def counted(self, sort: Sort) -> Sequence[Value]:
        """What aggregates range over: of a declared sort its names, each once."""
        if sort[0] == "Decl":
            return [self.apply(each, ()) for each in self.signature.named[sort[1]]]
        return self.members(sort)


# --- values -----------------------------------------------------------------------------------------------


def value(term: Term, m: Structure, env: dict[str, Value]) -> Value:
    """The value of a term in a structure. Raises Undefined for a division by zero of numbers."""
    head, _, args, data = term
    if head == "lit":
        return data
    if head == "var":
        return env[data]
    if head in _LAZY:
        return _LAZY[head](term, m, env)
    values = tuple([value(each, m, env) for each in args])
    if head == "app":
        return m.apply(data, values)
    if head == "call":
        names, body = m.signature.defined[data]
        return value(body, m, dict(zip(names, values, strict=True)))
    if head == "tuple":
        return values
    if head == "field":
        return values[0][data]
    if head == "set":
        return frozenset(values)
    if head == "select":
        return values[0][m.members(args[1].sort).index(values[1])]
    if head == "store":
        at = m.members(args[1].sort).index(values[1])
        return (*values[0][:at], values[2], *values[0][at + 1 :])
    if args and args[0].sort[0] == "Bits":
        found = _bits(head, args[0].sort[1], values, term)
        if found is not None:
            return found
    return _STRICT[head](*values)


def _and(term: Term, m: Structure, env: dict[str, Value]) -> bool:
    # All of them: a division by zero anywhere makes the truth unknown.
    values = [value(each, m, env) for each in term.args]
    return all(values)


def _or(term: Term, m: Structure, env: dict[str, Value]) -> bool:
    values = [value(each, m, env) for each in term.args]
    return any(values)


def _ite(term: Term, m: Structure, env: dict[str, Value]) -> Value:
    return value(term.args[1 if value(term.args[0], m, env) else 2], m, env)


def _bindings(
    data: Any, m: Structure, env: dict[str, Value], counted: bool = False
) -> Iterator[dict[str, Value]]:
    ranges = [
        range(bound[0], bound[1]) if bound else m.counted(sort) if counted else m.members(sort)
        for _, sort, bound in data
    ]
    for values in itertools.product(*ranges):
        yield {**env, **dict(zip([name for name, _, _ in data], values, strict=True))}


def _forall(term: Term, m: Structure, env: dict[str, Value]) -> bool:
    return all(value(term.args[0], m, each) for each in _bindings(term.data, m, env))


def _exists(term: Term, m: Structure, env: dict[str, Value]) -> bool:
    return any(value(term.args[0], m, each) for each in _bindings(term.data, m, env))


def _aggregate(term: Term, m: Structure, env: dict[str, Value]) -> Value:
    kind, binders = term.data
    if binders is None:
        values = [value(each, m, env) for each in term.args]
    else:
        values = [value(term.args[0], m, each) for each in _bindings(binders, m, env, counted=True)]
    match kind:
        case "Sum":
            return sum(values)
        case "Product":
            return math.prod(values)
        case "Count":
            return sum(map(bool, values))
        case "Min":
            return min(values)
        case _:
            return max(values)


def _card(term: Term, m: Structure, env: dict[str, Value]) -> int:
    found = value(term.args[0], m, env)
    return sum(each in found for each in m.counted(term.args[0].sort[1]))


def _quotient(a: int, b: int) -> int:
    """SMT-LIB's: the remainder is not negative."""
    if b == 0:
        raise Undefined
    return a // b if b > 0 else -(a // -b)


def _ratio(a: Fraction, b: Fraction) -> Fraction:
    if b == 0:
        raise Undefined
    return Fraction(a) / Fraction(b)


_LAZY: dict[str, Callable[[Term, Structure, dict[str, Value]], Value]] = {
    "and": _and,
    "or": _or,
    "ite": _ite,
    "forall": _forall,
    "exists": _exists,
    "aggregate": _aggregate,
    "card": _card,
}
_STRICT: dict[str, Callable[..., Value]] = {
    "not": lambda a: not a,
    "implies": lambda a, b: b or not a,
    "iff": lambda a, b: a == b,
    "xor": lambda a, b: a != b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "distinct": lambda *many: len(set(many)) == len(many),
    "among": lambda a, *many: a in many,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "between": lambda a, b, c: a <= b < c,
    "add": lambda *many: sum(many),
    "sub": lambda a, b: a - b,
    "mul": lambda *many: math.prod(many),
    "neg": lambda a: -a,
    "abs": abs,
    "pow": lambda a, b: a**b,
    "ratio": _ratio,
    "div": _quotient,
    "mod": lambda a, b: a - b * _quotient(a, b),
    "toreal": lambda a: a,
    "toint": math.floor,
    "member": lambda a, s: a in s,
    "union": lambda *many: frozenset().union(*many),
    "intersect": lambda a, *many: a.intersection(*many),
    "difference": lambda a, *many: a.difference(*many),
    "subset": lambda a, b: a <= b,
    "length": len,
    "concat": lambda *many: "".join(many),
    "contains": lambda whole, part: part in whole,
    "prefix": lambda part, whole: whole.startswith(part),
    "suffix": lambda part, whole: whole.endswith(part),
}


def _signed(a: int, n: int) -> int:
    return a - 2**n if a >= 2 ** (n - 1) else a


def _bits(head: str, n: int, values: tuple[int, ...], term: Term) -> Value | None:
    """The operators of bit vectors n wide; None for those of any sort."""
    if head in ("eq", "ne", "distinct", "among", "member", "aggregate"):
        return None
    if head == "bvconcat":
        return values[0] << term.args[1].sort[1] | values[1]
    a = values[0]
    if head in ("neg", "BVNot"):
        return (-a if head == "neg" else ~a) % 2**n
    b = values[1]
    x, y = _signed(a, n), _signed(b, n)
    match head:
        case "add":
            return sum(values) % 2**n
        case "sub":
            return (a - b) % 2**n
        case "mul":
            return math.prod(values) % 2**n
        case "div" | "UDiv":
            return a // b if b else 2**n - 1
        case "mod" | "URem":
            return a % b if b else a
        case "SDiv":
            rounded = abs(x) // abs(y) if y else 1
            return ((rounded if (x < 0) == (y < 0) else -rounded) if y else (1 if x < 0 else -1)) % 2**n
        case "SRem":
            rest = abs(x) % abs(y) if y else abs(x)
            return (-rest if x < 0 else rest) % 2**n
        case "BVAnd":
            return a & b
        case "BVOr":
            return a | b
        case "BVXor":
            return a ^ b
        case "Shl":
            return (a << b) % 2**n
        case "LShR":
            return a >> b
        case "AShR":
            return (x >> b) % 2**n
        case "ULT":
            return a < b
        case "ULE":
            return a <= b
        case "UGT":
            return a > b
        case "UGE":
            return a >= b
        case "SLT":
            return x < y
        case "SLE":
            return x <= y
        case "SGT":
            return x > y
        case "SGE":
            return x >= y
    raise ValueError(head)


# --- text -------------------------------------------------------------------------------------------------

_INFIX_PAIRS = """
    eq:== ne:!= lt:< le:<= gt:> ge:>= add:+ sub:- mul:* ratio:/ div:// mod:% and:and or:or implies:-> iff:<->
"""
_CALLED_PAIRS = """
    and:And or:Or implies:Implies iff:Iff xor:Xor not:Not ite:If distinct:Distinct div:Div mod:Mod abs:Abs
    toreal:ToReal toint:ToInt member:Member union:Union intersect:Intersect difference:Difference
    subset:Subset card:Card select:Select store:Store bvconcat:Concat length:Length concat:Concat
    contains:Contains prefix:PrefixOf suffix:SuffixOf
"""
_INFIX = dict(each.split(":") for each in _INFIX_PAIRS.split())
_CALLED = dict(each.split(":") for each in _CALLED_PAIRS.split())
_SIGNS = {"and": "∧", "or": "∨", "implies": "→", "iff": "↔", "le": "≤", "ge": "≥", "ne": "≠"}


def name_text(name: str) -> str:
    """A name as it stands in an expression."""
    plain = name.isidentifier() and name not in ("and", "or", "not", "in")
    return name if plain else "`" + name.replace("`", "``") + "`"


def sort_text(sort: Sort) -> str:
    """A sort as it stands in a declaration."""
    match sort:
        case ("Bits", n):
            return f"BitVecSort({n})"
        case ("Set", of):
            return f"SetSort({sort_text(of)})"
        case ("Array", of, to):
            return f"ArraySort({sort_text(of)}, {sort_text(to)})"
        case ("Enum" | "Decl" | "Tuple", name):
            return str(name_text(name))
    return str(sort[0])


def text(term: Term, signature: Signature, rng: random.Random) -> str:
    """A term as text, in one of its spellings; always safe to stand inside another."""

    def said(each: Term) -> str:
        return text(each, signature, rng)

    head, sort, args, data = term
    if head == "lit":
        return _literal(sort, data, signature, rng)
    if head == "var":
        return name_text(data)
    if head in ("app", "call"):
        if not args:
            return name_text(data) + ("()" if data in signature.functions and rng.random() < 0.1 else "")
        return f"{name_text(data)}({', '.join(map(said, args))})"
    if head == "tuple":
        return f"{name_text(sort[1])}({', '.join(map(said, args))})"
    if head == "field":
        field = signature.tuples[args[0].sort[1]][data][0]
        return f"{name_text(field)}({said(args[0])})"
    if head == "set":
        opening, closing = rng.choice([("[", "]"), ("{", "}")])
        return opening + ", ".join(map(said, args)) + closing
    if head in ("forall", "exists"):
        return _quantified(term, said, signature, rng)
    if head == "aggregate":
        kind, binders = data
        if binders is not None:
            return f"{kind}([{_binders(binders, signature)}], {said(args[0])})"
        listed = ", ".join(map(said, args))
        return f"{kind}([{listed}])" if rng.random() < 0.7 else f"{kind}({listed})"
    if head == "among":
        return f"({said(args[0])} in [{', '.join(map(said, args[1:]))}])"
    if head == "member" and rng.random() < 0.5 and args[1].head != "set":
        return f"({said(args[0])} in {said(args[1])})"
    if head == "between":
        return f"({said(args[0])} <= {said(args[1])} < {said(args[2])})"
    if head == "neg":
        return f"(-{said(args[0])})"
    if head == "pow":
        return f"({said(args[0])} ** {args[1].data})"
    if head == "not":
        return rng.choice(["Not({})", "(not {})", "(¬ {})"]).format(said(args[0]))
    infix = _INFIX.get(head)
    if infix is not None and (head not in _CALLED or rng.random() < 0.5):
        if head in ("and", "or") and not args:
            return "True" if head == "and" else "False"
        sign = _SIGNS[head] if head in _SIGNS and rng.random() < 0.1 else infix
        return "(" + f" {sign} ".join(map(said, args)) + ")"
    listed = ", ".join(map(said, args))
    if head in ("and", "or", "distinct") and rng.random() < 0.2:
        listed = f"[{listed}]"
    return f"{_CALLED.get(head, head)}({listed})"


def _literal(sort: Sort, data: Any, signature: Signature, rng: random.Random) -> str:
    match sort:
        case ("Bool",):
            return str(data) if rng.random() < 0.7 else str(data).lower()
        case ("Int",):
            return str(data) if data >= 0 else f"({data})"
        case ("Real",):
            whole = Fraction(data)
            plain = whole.denominator in (1, 2, 4, 5, 10) and rng.random() < 0.7
            said = str(float(whole)) if plain else f"{whole.numerator}/{whole.denominator}"
            return said if plain and whole >= 0 else f"({said})"
        case ("Bits", n):
            if n % 4 == 0 and rng.random() < 0.5:
                return f"#x{data:0{n // 4}x}"
            return f"#b{data:0{n}b}" if rng.random() < 0.6 else f"BitVecVal({data}, {n})"
        case ("Enum", name):
            return name_text(signature.enums[name][data])
        case ("String",):
            return f"'{data}'" if rng.random() < 0.5 else f'"{data}"'
    raise ValueError(sort)


def _binders(data: Any, signature: Signature) -> str:
    return ", ".join(
        name_text(name) if name in signature.variables else f"{name_text(name)}: {sort_text(sort)}"
        for name, sort, _ in data
    )


def _quantified(term: Term, said: Callable[[Term], str], signature: Signature, rng: random.Random) -> str:
    body = said(term.args[0])
    bounds = [(name_text(name), *bound) for name, _, bound in term.data if bound is not None]
    if bounds:
        guard = " and ".join(f"{low} <= {name} and {name} < {high}" for name, low, high in bounds)
        body = f"({guard}) {'->' if term.head == 'forall' else 'and'} ({body})"
    word = "ForAll" if term.head == "forall" else "Exists"
    binders = _binders(term.data, signature)
    return f"{word}({binders}, {body})" if rng.random() < 0.2 else f"{word}([{binders}], {body})"
