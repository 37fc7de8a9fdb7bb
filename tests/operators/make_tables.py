"""Makes `tables/`: what z3 and cvc5, each by itself, say that the operators give (`python make_tables.py`).

Nothing of potlang is used. A line of a table is an operator at some sorts: the arguments in each place and
the values for all their combinations, the last place running fastest. Both solvers simplify each term to a
value; they have to agree. Where neither does, z3 must find two different values possible: it is
unspecified, and null in the table. A null among the arguments is a condition on a division by zero.

Bool is true or false, Int and bit vectors are numbers, Real a fraction, String a text; an array, a set or a
function is `{"else": value, "at": [[key …, value] …]}`. `spellings` are how SMT-LIB writes the application;
a line whose `operator` is null has a spelling that solvers use in models and no row of its own.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import cvc5
import z3

TABLES = Path(__file__).parent / "tables"
BITS = re.compile(r"\(BitVec (\d+)\)")
KEYS, REST = (0, 1, 9), 23
"""The Ints that may be keys, and one that is none: what it is mapped to is what all others are."""


@dataclass(frozen=True)
class Line:
    """`term` is z3's text, with the arguments as `{0}` …; `cvc5` that of cvc5, None where it has none."""

    operator: str | None
    sorts: tuple[str, ...]
    result: str
    arguments: tuple[Sequence[Any], ...]
    term: str
    cvc5: str | None
    more: tuple[str, ...] = ()
    """Other spellings of the same."""


# --- sorts and literals ----------------------------------------------------------------------------------


def parts(sort: str) -> list[str]:
    """The sorts within brackets: those of the keys, then that of the values."""
    head, *rest = split(sort[1:-1])
    return [*rest, "Bool"] if head == "Set" else rest


def split(text: str) -> list[str]:
    """The words and brackets of a text."""
    found, depth = [""], 0
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == " " and not depth:
            found.append("")
        else:
            found[-1] += char
    return found


def is_table(sort: str) -> bool:
    return sort.startswith(("(Set", "(Array", "(->"))


def members(sort: str) -> list[Any]:
    """All values of a small sort; of Int those that may be keys."""
    if sort == "Int":
        return list(KEYS)
    if sort == "Bool":
        return [False, True]
    width = BITS.fullmatch(sort)
    if width:
        return list(range(1 << int(width[1])))
    *keys, element = parts(sort)
    places = list(itertools.product(*([*KEYS[:2], REST] if key == "Int" else members(key) for key in keys)))
    values = [tuple(each) for each in itertools.product(members(element), repeat=len(places))]
    return [table(dict(zip(places, each, strict=True)), sort) for each in values]


def table(values: dict[tuple[Any, ...], Any], sort: str) -> dict[str, Any]:
    """A table; a set's default is false wherever its element sort is finite, so that it lists its members."""
    *keys, element = parts(sort)
    if "Int" in keys:
        rest = values.pop((REST,))
    else:
        rest = False if element == "Bool" else values[max(values)]
    return {"else": rest, "at": [[*key, value] for key, value in values.items() if value != rest]}


def smt_sort(sort: str) -> str:
    """A sort as z3 has it: a set is an array to Bool."""
    if is_table(sort):
        return f"(Array {' '.join(map(smt_sort, parts(sort)))})"
    return BITS.sub(r"(_ BitVec \1)", sort)


def literal(value: Any, sort: str) -> str:
    """A value as SMT-LIB text."""
    match sort:
        case "Bool":
            return str(value).lower()
        case "Int":
            return f"(- {-value})" if value < 0 else str(value)
        case "Real":
            number = Fraction(value)
            size = f"(/ {abs(number.numerator)}.0 {number.denominator}.0)"
            return f"(- {size})" if number < 0 else size
        case "String":
            return '"' + "".join(map(character, value)) + '"'
    width = BITS.fullmatch(sort)
    if width:
        return f"(_ bv{value} {width[1]})"
    *keys, element = parts(sort)
    text = f"((as const {smt_sort(sort)}) {literal(value['else'], element)})"
    for *key, each in value["at"]:
        text = f"(store {text} {literal(key[0], keys[0])} {literal(each, element)})"
    return text


def character(char: str) -> str:
    plain = 32 <= ord(char) < 127 and char not in '"\\'
    return '""' if char == '"' else char if plain else f"\\u{{{ord(char):x}}}"


def hole(place: int) -> str:
    """A condition without a value, for each place another."""
    return f"(= (/ {place + 1}.0 0.0) 0.0)"


def written(
    row: Sequence[Any], sorts: Sequence[str], write: Callable[[Any, str], str] = literal
) -> list[str]:
    """The arguments of an application as text."""
    return [
        hole(place) if value is None else write(value, sort)
        for place, (value, sort) in enumerate(zip(row, sorts, strict=True))
    ]


def cvc5_literal(value: Any, sort: str) -> str:
    """A value as cvc5 has it: sets are a theory of their own."""
    if not sort.startswith("(Set"):
        return literal(value, sort)
    (element, _) = parts(sort)
    empty = f"(as set.empty (Set {smt_sort(element)}))"
    listed = " ".join(literal(key, element) for key, _ in value["at"])
    return f"(set.insert {listed} {empty})" if listed else empty


# --- the two evaluations ---------------------------------------------------------------------------------


def by_z3(texts: list[tuple[str, str]]) -> Iterator[Any]:
    """The values of terms of scalar sorts; None where simplification gives none."""
    script = [f"(declare-const r{n} {smt_sort(sort)})" for n, (_, sort) in enumerate(texts)]
    script += [f"(assert (= r{n} {text}))" for n, (text, _) in enumerate(texts)]
    for equation in z3.parse_smt2_string("\n".join(script)):
        term = equation.arg(1)
        found = z3.simplify(term)
        if z3.is_true(found) or z3.is_false(found):
            yield z3.is_true(found)
        elif z3.is_int_value(found) or z3.is_bv_value(found):
            yield found.as_long()
        elif z3.is_rational_value(found):
            yield str(found.as_fraction())
        elif z3.is_string_value(found):
            yield re.sub(r"\\u\{([0-9a-f]+)\}", lambda code: chr(int(code[1], 16)), found.as_string())
        else:
            solver = z3.Solver()
            for value in (False, True) if z3.is_bool(term) else (0, 1):
                assert solver.check(term == value) == z3.sat, term
            yield None


def by_cvc5(texts: list[tuple[str, str]]) -> Iterator[Any]:
    """The same by cvc5."""
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("arrays-exp", "true")
    solver.setLogic("ALL")
    symbols = cvc5.SymbolManager(manager)
    for text, _ in texts:
        parser = cvc5.InputParser(solver, symbols)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "term")
        found = solver.simplify(parser.nextTerm())
        if found.isBooleanValue():
            yield found.getBooleanValue()
        elif found.isRealValue() and found.getSort().isReal():
            yield str(Fraction(found.getRealValue()))
        elif found.isIntegerValue():
            yield int(found.getIntegerValue())
        elif found.isStringValue():
            yield found.getStringValue()
        elif found.isBitVectorValue():
            yield int(found.getBitVectorValue(10), 10)
        else:
            yield None


def evaluated(line: Line) -> list[Any]:
    """The values of a line, of which both solvers are sure. Raises AssertionError if they differ."""
    answers = [values(line, term, literal, by_z3) for term in (line.term, *line.more)]
    if line.cvc5 is not None:
        answers.append(values(line, line.cvc5, cvc5_literal, by_cvc5))
    assert all(each == answers[0] for each in answers), line
    return answers[0]


def values(
    line: Line,
    term: str,
    write: Callable[[Any, str], str],
    solver: Callable[[list[tuple[str, str]]], Iterable[Any]],
) -> list[Any]:
    texts = []
    for row in itertools.product(*line.arguments):
        if line.operator == "apply":
            texts.append(applied(row, line.sorts[0]))
        else:
            texts.append(term.format(*written(row, line.sorts, write)))
    if not is_table(line.result):
        return list(solver([(text, line.result) for text in texts]))
    # A table is what it says of each key: solvers spell tables in many ways.
    (key,), element = parts(line.result)[:-1], parts(line.result)[-1]
    keys = [*members(key), *([REST] if key == "Int" else [])]
    member = "(set.member {1} {0})" if solver is by_cvc5 and element == "Bool" else "(select {0} {1})"
    asked = [(member.format(text, literal(each, key)), element) for text in texts for each in keys]
    found = iter(solver(asked))
    return [table({(each,): next(found) for each in keys}, line.result) for _ in texts]


def applied(row: Sequence[Any], sort: str) -> str:
    """A function at its arguments, as the choice that it is."""
    function, *args = row
    *keys, element = parts(sort)
    text = literal(function["else"], element)
    for *key, value in function["at"]:
        here = " ".join(
            f"(= {literal(a, s)} {literal(k, s)})" for a, k, s in zip(args, key, keys, strict=True)
        )
        text = f"(ite (and {here} true) {literal(value, element)} {text})"
    return text


# --- the lines -------------------------------------------------------------------------------------------

TRUTH = (False, True)
KLEENE = (False, True, None)
INTS = (-3, -2, -1, 0, 1, 2, 3, 1 << 64, 1 - (1 << 65))
REALS = ("-2", "-3/2", "-1", "-1/3", "0", "1/3", "1/2", "1", "7/2", "18446744073709551617/3")
WORDS = tuple("".join(each) for length in range(4) for each in itertools.product("ab", repeat=length))
ODD = ("", "a", '"', "\\", "\u00e9", "\n", "\U0001f600", "\\u{41}", "ab")


def plain(name: str, count: int) -> str:
    return f"({name} {' '.join(f'{{{n}}}' for n in range(count))})"


def same(
    operator: str | None,
    sort: str,
    domain: Sequence[Any],
    count: int,
    result: str | None = None,
    term: str | None = None,
    more: tuple[str, ...] = (),
) -> Line:
    """A line whose arguments are of one sort; both solvers write the term in the same way."""
    text = term or plain(str(operator), count)
    return Line(operator, (sort,) * count, result or sort, (domain,) * count, text, text, more)


def logic() -> Iterator[Line]:
    yield same("not", "Bool", KLEENE, 1)
    for name in ("and", "or"):
        yield same(name, "Bool", KLEENE, 2)
        yield same(name, "Bool", KLEENE, 3)
    for name in ("=>", "xor"):
        yield same(name, "Bool", KLEENE, 2)
        yield same(None, "Bool", TRUTH, 3, term=plain(name, 3))
    yield same("iff", "Bool", KLEENE, 2, term="(= {0} {1})")
    choice = plain("ite", 3)
    yield Line("ite", ("Bool",) * 3, "Bool", (TRUTH, KLEENE, KLEENE), choice, choice)
    sets, arrays = members("(Set (BitVec 1))"), members("(Array Bool (BitVec 1))")
    domains: list[tuple[str, Sequence[Any]]] = [("Bool", TRUTH), ("Int", INTS), ("Real", REALS)]
    domains += [("String", ODD), ("(BitVec 2)", range(4)), ("(BitVec 65)", corners(65))]
    for sort, domain in domains:
        yield same("=", sort, domain, 2, "Bool")
        yield same("distinct", sort, domain, 2, "Bool")
        if sort != "Bool":
            yield same("distinct", sort, domain[:4], 3, "Bool")
            yield same(None, sort, domain[:4], 3, "Bool", "(= {0} {1} {2})")
    yield same("distinct", "Bool", TRUTH, 3, "Bool")
    places = (f"(= (select {{0}} (_ bv{n} 1)) (select {{1}} (_ bv{n} 1)))" for n in (0, 1))
    pointwise = f"(and {' '.join(places)})"
    yield Line("=", ("(Set (BitVec 1))",) * 2, "Bool", (sets, sets), pointwise, "(= {0} {1})")
    arrayed = "(and (= (select {0} true) (select {1} true)) (= (select {0} false) (select {1} false)))"
    yield same("=", "(Array Bool (BitVec 1))", arrays, 2, "Bool", arrayed)
    for sort, domain in (("Bool", TRUTH), ("Int", (0, 1)), ("Real", ("0", "1/2")), ("String", ("", "a"))):
        yield Line(
            "ite", ("Bool", sort, sort), sort, (TRUTH, domain, domain), plain("ite", 3), plain("ite", 3)
        )


def arithmetic() -> Iterator[Line]:
    for sort, domain in (("Int", INTS), ("Real", REALS)):
        yield same("<", sort, domain, 2, "Bool", more=("(> {1} {0})", "(not (>= {0} {1}))"))
        yield same("<=", sort, domain, 2, "Bool", more=("(>= {1} {0})", "(not (> {0} {1}))"))
        for name in ("+", "*"):
            yield same(name, sort, domain, 2)
            yield same(name, sort, domain[1:7:2], 3)
            yield same(name, sort, domain[3:6:2], 4)
        yield same("-", sort, domain, 2)
        yield same(None, sort, domain[1:7:2], 3, term=plain("-", 3))
        yield same("neg", sort, domain, 1, term="(- {0})")
        text = "(abs {0})" if sort == "Int" else "(ite (< {0} 0.0) (- {0}) {0})"
        yield Line("abs", (sort,), sort, (domain,), text, "(abs {0})")
    dividends, divisors = (*range(-7, 8), *INTS[-2:]), (*range(-4, 5), *INTS[-2:])
    for name in ("div", "mod"):
        yield Line(name, ("Int", "Int"), "Int", (dividends, divisors), plain(name, 2), plain(name, 2))
    yield same("/", "Real", REALS, 2)
    yield same("to_real", "Int", INTS, 1, "Real")
    yield same("to_int", "Real", REALS, 1, "Int")


def strings() -> Iterator[Line]:
    yield same("str.++", "String", WORDS[:7], 2)
    yield same("str.++", "String", WORDS[:3], 3)
    yield same("str.++", "String", ODD, 2)
    yield same("str.len", "String", (*WORDS, *ODD[2:]), 1, "Int")
    for name in ("str.contains", "str.prefixof", "str.suffixof"):
        yield same(name, "String", WORDS, 2, "Bool")
        yield same(name, "String", ODD, 2, "Bool")

    numerals = (*WORDS[:3], *ODD, "0", "7", "007", "12", "-1", " 1", "1a", "\u0663", "9" * 30)
    yield same("str.to_int", "String", numerals, 1, "Int")
    places = (-1, 0, 1, 2, 3, 4, 1 << 64)
    for texts in (("", "a", "ab", "bab"), ODD):
        text = plain("str.substr", 3)
        yield Line("str.substr", ("String", "Int", "Int"), "String", (texts, places, places), text, text)


def arrays() -> Iterator[Line]:
    for index, element in (("(BitVec 1)", "(BitVec 2)"), ("Bool", "Bool"), ("Int", "(BitVec 1)")):
        sort = f"(Array {index} {element})"
        whole, keys, values = members(sort), members(index), members(element)
        yield Line("select", (sort, index), element, (whole, keys), plain("select", 2), plain("select", 2))
        text = plain("store", 3)
        # cvc5's sets and arrays to Bool are two things.
        other = None if element == "Bool" else text
        yield Line("store", (sort, index, element), sort, (whole, keys, values), text, other)
    for domain in ("Bool (BitVec 1)", "(BitVec 1)", "Int"):
        sort = f"(-> {domain} (BitVec 1))"
        *keys, result = parts(sort)
        places = tuple(map(members, keys))
        yield Line("apply", (sort, *keys), result, (members(sort), *places), "", "")


def sets() -> Iterator[Line]:
    for element in ("Bool", "(BitVec 2)", "Int"):
        sort = f"(Set {element})"
        whole, ones = members(sort), members(element)

        # A set of almost all integers is none of cvc5's.
        def has(text: str, element: str = element) -> str | None:
            return None if element == "Int" else text

        both = element, sort
        found, added = has("(set.member {0} {1})"), has("(set.insert {0} {1})")
        yield Line("member", both, "Bool", (ones, whole), "(select {1} {0})", found)
        yield Line("insert", both, sort, (ones, whole), "(store {1} {0} true)", added)
        for name, text, other in (
            ("union", "((_ map or) {0} {1})", "(set.union {0} {1})"),
            ("intersect", "((_ map and) {0} {1})", "(set.inter {0} {1})"),
            ("difference", "((_ map and) {0} ((_ map not) {1}))", "(set.minus {0} {1})"),
        ):
            yield Line(name, (sort, sort), sort, (whole, whole), text, has(other))
        places = [literal(each, element) for each in (*ones, *([REST] if element == "Int" else []))]
        everywhere = " ".join(f"(=> (select {{0}} {key}) (select {{1}} {key}))" for key in places)
        inside = has("(set.subset {0} {1})")
        yield Line("subset", (sort, sort), "Bool", (whole, whole), f"(and {everywhere})", inside)
    sort = "(Set Bool)"
    for name in ("xor", "=>", "(= (Bool Bool) Bool)"):
        yield Line(None, (sort, sort), sort, (members(sort),) * 2, f"((_ map {name}) {{0}} {{1}})", None)
    yield Line(None, (sort,), sort, (members(sort),), "((_ map not) {0})", None)
    term = "((_ map (ite (Bool Bool Bool) Bool)) {0} {1} {2})"
    yield Line(None, (sort,) * 3, sort, (members(sort),) * 3, term, None)


UNARY = ("bvnot", "bvneg")
BINARY = (
    *("bvand", "bvor", "bvxor", "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem"),
    *("bvshl", "bvlshr", "bvashr"),
)
ORDERS = {"bvult": "bvuge", "bvule": "bvugt", "bvslt": "bvsge", "bvsle": "bvsgt"}
"""With each the one that is true where it is false."""


def corners(width: int) -> tuple[int, ...]:
    half, whole = 1 << (width - 1), 1 << width
    return (0, 1, 2, width - 1, width, width + 1, half - 1, half, half + 1, whole - 2, whole - 1)


def bit_vectors() -> Iterator[Line]:
    domains = {width: tuple(range(1 << width)) for width in (1, 2, 3, 4)}
    domains |= {8: corners(8), 65: corners(65)}
    for width, domain in domains.items():
        sort = f"(BitVec {width})"
        for name in UNARY:
            yield same(name, sort, domain, 1)
        for name in BINARY:
            yield same(name, sort, domain, 2)
        for name, other in ORDERS.items():
            swapped = {"bvult": "bvugt", "bvule": "bvuge", "bvslt": "bvsgt", "bvsle": "bvsge"}[name]
            more = (f"({swapped} {{1}} {{0}})", f"(not ({other} {{0}} {{1}}))")
            yield same(name, sort, domain, 2, "Bool", more=more)
    for name in ("bvand", "bvor", "bvxor", "bvadd", "bvmul"):
        yield same(None, "(BitVec 2)", range(4), 3, term=plain(name, 3))
    for high, low in ((1, 1), (1, 2), (2, 1), (3, 2), (2, 3), (64, 1), (8, 65)):
        both = tuple(domains.get(width) or corners(width) for width in (high, low))
        sorts = (f"(BitVec {high})", f"(BitVec {low})")
        text = plain("concat", 2)
        yield Line("concat", sorts, f"(BitVec {high + low})", both, text, text)
    for width, domain in domains.items():
        sort = f"(BitVec {width})"
        text = plain("bv2nat", 1)
        yield Line("ubv_to_int", (sort,), "Int", (domain,), text, text, ("(ubv_to_int {0})", "(bv2int {0})"))
        term = f"((_ int_to_bv {width}) {{0}})"
        places = ((*range(-17, 18), *INTS[-2:], 1 - (1 << width)), domain[:2])
        yield Line("int_to_bv", ("Int", sort), sort, places, term, term, (f"((_ int2bv {width}) {{0}})",))
    yield Line(None, ("(BitVec 1)",) * 3, "(BitVec 3)", ((0, 1),) * 3, plain("concat", 3), plain("concat", 3))


SECTIONS = (logic, arithmetic, strings, arrays, sets, bit_vectors)
"""The sections of `spec/40-sorts.md` that have operators, and the names of the files."""


def main() -> None:
    """Writes all tables."""
    TABLES.mkdir(exist_ok=True)
    for section in SECTIONS:
        lines = []
        for line in section():
            text = {
                "operator": line.operator,
                "spellings": [] if line.operator == "apply" else [line.term, *line.more],
                "sorts": line.sorts,
                "result": line.result,
                "arguments": [list(each) for each in line.arguments],
                "values": evaluated(line),
            }
            lines.append(json.dumps(text, separators=(",", ":")) + "\n")
        path = TABLES / f"{section.__name__.replace('_', '-')}.jsonl"
        path.write_text("".join(lines), encoding="utf-8")
        print(path.name, len(lines), sum(len(json.loads(line)["values"]) for line in lines))


if __name__ == "__main__":
    main()
