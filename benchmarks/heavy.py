"""Heavy programs: small texts that blow up where a stage looks at neither the clock nor the work done."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

Value = dict[str, Any]


class Heavy(NamedTuple):
    """A program as text, by family and size, and the options of `verify` that it is to be run with."""

    family: str
    size: int
    text: str
    options: Mapping[str, Any] = MappingProxyType({})

    @property
    def name(self) -> str:
        """Short and unique."""
        return f"{self.family}-{self.size}"


def _program(claims: list[Any], facts: list[Any] | None = None, **sections: Any) -> Value:
    asked = [{"name": f"v{n}", "constraint": each} for n, each in enumerate(claims)]
    return {**sections, "knowledge_base": facts or [], "verifications": asked}


def _constants(sort: str, names: list[str]) -> Value:
    return {"of": {"sort": sort, "members": names}}


def _enum(size: int) -> Value:
    return {"name": "E", "type": "EnumSort", "values": [f"e{n}" for n in range(size)]}


def _function(name: str, domain: list[str], range_: str, body: str | None = None) -> Value:
    params = [{"name": f"x{n}", "sort": sort} for n, sort in enumerate(domain)]
    found: Value = {"name": name, "domain": domain, "range": range_}
    return found if body is None else {**found, "params": params, "body": body}


# --- definitions -----------------------------------------------------------------------------------


def _tower(size: int, sort: str, first: str, step: str, claim: str) -> Value:
    """Definitions of which each uses the one before twice."""
    functions = [_function("d0", [sort], sort, first)]
    for n in range(1, size):
        functions.append(_function(f"d{n}", [sort], sort, step.replace("D", f"d{n - 1}")))
    free = [] if "f(" not in first else [_function("f", [sort], sort)]
    sorts = [{"name": "S", "type": "DeclareSort"}] if sort == "S" else []
    constants = _constants(sort, ["a", "b"])
    return _program(
        [claim.replace("D", f"d{size - 1}")], sorts=sorts, functions=[*free, *functions], constants=constants
    )


def doubling_ints(size: int) -> Value:
    """Over integers."""
    return _tower(size, "Int", "x0 + 1", "D(D(x0))", "D(a) > a")


def doubling_sums(size: int) -> Value:
    """Two uses side by side."""
    return _tower(size, "Int", "x0 + 1", "D(x0) + D(x0 + 1)", "D(a) > a")


def doubling_elements(size: int) -> Value:
    """Over a declared sort."""
    return _tower(size, "S", "f(x0)", "D(D(x0))", "D(a) == D(b)")


def doubling_formulas(size: int) -> Value:
    """Over truth values."""
    return _tower(size, "Bool", "not x0", "D(D(x0)) and (D(x0) or not D(not x0))", "D(a) == D(b)")


def doubling_quantified(size: int) -> Value:
    """With a quantifier in the first."""
    first = "ForAll([y: Bool], y or x0)"
    return _tower(size, "Bool", first, "D(D(x0)) and D(not x0)", "D(a)")


def doubling_literals(size: int) -> Value:
    """Whose value has 2^n digits."""
    return _tower(size, "Int", "x0 * x0", "D(x0) * D(x0)", "D(12345) > a")


def doubling_constants(size: int) -> Value:
    """Without parameters: a graph of sums whose tree is exponential."""
    functions = [_function("c0", [], "Int", "a + b")]
    functions += [_function(f"c{n}", [], "Int", f"c{n - 1} + c{n - 1} * a") for n in range(1, size)]
    for each in functions:
        each["params"] = []
    return _program([f"c{size - 1} > a"], functions=functions, constants=_constants("Int", ["a", "b"]))


def doubling_facts(size: int) -> Value:
    """Used by facts about a finite sort."""
    functions = [_function("p", ["E"], "Bool"), _function("d0", ["E"], "Bool", "p(x0)")]
    for n in range(1, size):
        body = f"d{n - 1}(x0) <-> Exists([y: E], d{n - 1}(y) and x0 != y)"
        functions.append(_function(f"d{n}", ["E"], "Bool", body))
    facts = [f"ForAll([z: E], d{n}(z))" for n in range(size)]
    return _program([f"d{size - 1}(e1)"], facts, sorts=[_enum(6)], functions=functions)


# --- wide formulas ---------------------------------------------------------------------------------


def distinct_ints(size: int) -> Value:
    """`Distinct` of integers, assumed."""
    names = [f"x{n}" for n in range(size)]
    facts = [f"Distinct({', '.join(names)})", "x0 > 3"]
    return _program(["x1 == x0", "x1 > 3"], facts, constants=_constants("Int", names))


def distinct_elements(size: int) -> Value:
    """Of elements of a declared sort, claimed."""
    names = [f"x{n}" for n in range(size)]
    sorts = [{"name": "S", "type": "DeclareSort"}]
    return _program([f"Distinct({', '.join(names)})"], sorts=sorts, constants=_constants("S", names))


def distinct_terms(size: int) -> Value:
    """Of terms, assumed under a quantifier."""
    terms = ", ".join(f"f(x + {n})" for n in range(size))
    facts = [f"ForAll([x: Int], Distinct({terms}))"]
    return _program(["f(1) == f(2)"], facts, functions=[_function("f", ["Int"], "Int")])


def distinct_enum(size: int) -> Value:
    """Of constants of an enumeration that is just large enough."""
    names = [f"x{n}" for n in range(size)]
    return _program(
        [f"Distinct({', '.join(names)})", "x0 != x1"],
        [f"Distinct({', '.join(names)})"],
        sorts=[_enum(size)],
        constants=_constants("E", names),
    )


def nested_iff(size: int) -> Value:
    """Equivalences in each other: a clause form without new names is exponential."""
    text = "p0"
    for n in range(1, size):
        text = f"(p{n} <-> {text})" if n % 2 else f"({text} <-> p{n})"
    names = [f"p{n}" for n in range(size)]
    return _program([text, "p0"], [text], constants=_constants("Bool", names))


def wide_or_of_and(size: int) -> Value:
    """A disjunction of conjunctions: distribution is exponential."""
    text = " or ".join(f"(p{n} and q{n})" for n in range(size))
    names = [f"{letter}{n}" for n in range(size) for letter in "pq"]
    return _program([text, "p0"], [text], constants=_constants("Bool", names))


def wide_maximum(size: int) -> Value:
    """`Max` and `Min` of many: a choice whose tree is exponential."""
    names = [f"x{n}" for n in range(size)]
    every = ", ".join(names)
    return _program([f"Max({every}) >= Min({every})"], ["x0 > 1"], constants=_constants("Int", names))


def deep_choice(size: int) -> Value:
    """`If` in the test of an `If`."""
    text = "p0"
    for n in range(1, size):
        text = f"If({text}, p{n}, not p{n})"
    return _program([text], constants=_constants("Bool", [f"p{n}" for n in range(size)]))


def deep_brackets(size: int) -> Value:
    """Nested to the limit."""
    return _program(
        ["(" * size + "p" + " and p)" * size, "not " * size + "p"], constants=_constants("Bool", ["p"])
    )


def pigeons(size: int) -> Value:
    """One more than there are holes."""
    names = [f"p{n}_{h}" for n in range(size + 1) for h in range(size)]
    facts = [" or ".join(f"p{n}_{h}" for h in range(size)) for n in range(size + 1)]
    for h in range(size):
        facts += [f"not (p{a}_{h} and p{b}_{h})" for a, b in itertools.combinations(range(size + 1), 2)]
    return _program(["p0_0"], facts, constants=_constants("Bool", names))


# --- finite sorts and quantifiers ------------------------------------------------------------------


def large_enum(size: int) -> Value:
    """Facts and a quantifier over a large enumeration."""
    facts = [f"p(e{n})" for n in range(0, size, 2)]
    facts.append("ForAll([x: E], p(x) or q(x))")
    functions = [_function("p", ["E"], "Bool"), _function("q", ["E"], "Bool")]
    return _program(
        ["Exists([x: E], q(x))", "q(e0)", "q(e1)"], facts, sorts=[_enum(size)], functions=functions
    )


def large_enum_pairs(size: int) -> Value:
    """A relation over a large enumeration."""
    facts = [
        "ForAll([x: E, y: E, z: E], r(x, y) and r(y, z) -> r(x, z))",
        "ForAll([x: E], Exists([y: E], r(x, y)))",
    ]
    facts += [f"r(e{n}, e{n + 1})" for n in range(size - 1)]
    return _program(
        [f"r(e0, e{size - 1})", "Exists([x: E], r(x, x))"],
        facts,
        sorts=[_enum(size)],
        functions=[_function("r", ["E", "E"], "Bool")],
    )


def wide_quantifier(size: int) -> Value:
    """Over `size` variables of an enumeration of 60."""
    names = [f"x{n}" for n in range(size)]
    binders = ", ".join(f"{name}: E" for name in names)
    body = " or ".join(f"p({a}, {b})" for a, b in itertools.pairwise(names)) or "p(x0, x0)"
    return _program(
        [f"ForAll([{binders}], {body})"],
        [f"Exists([{binders}], not ({body}))", "p(e1, e2)"],
        sorts=[_enum(60)],
        functions=[_function("p", ["E", "E"], "Bool")],
    )


def wide_bool_quantifier(size: int) -> Value:
    """Over truth values: 2^n instances."""
    names = [f"x{n}" for n in range(size)]
    binders = ", ".join(f"{name}: Bool" for name in names)
    body = " or ".join(f"({a} and not {b})" for a, b in itertools.pairwise(names))
    return _program(
        [f"ForAll([{binders}], {body} or x0 or not x0)", f"ForAll([{binders}], {body} or f(x0))"],
        functions=[_function("f", ["Bool"], "Bool")],
    )


def deep_quantifiers(size: int) -> Value:
    """Alternating quantifiers in each other."""
    text = " and ".join(f"r(x{n}, x{n + 1})" for n in range(size - 1)) or "r(x0, x0)"
    for n in reversed(range(size)):
        text = f"{'ForAll' if n % 2 else 'Exists'}([x{n}: S], {text})"
    sorts = [{"name": "S", "type": "DeclareSort"}]
    return _program(
        [text],
        ["ForAll([x: S], Exists([y: S], r(x, y)))"],
        sorts=sorts,
        functions=[_function("r", ["S", "S"], "Bool")],
        constants=_constants("S", ["a", "b"]),
    )


def deep_enum_quantifiers(size: int) -> Value:
    """The same over an enumeration of 12."""
    text = " or ".join(f"r(x{n}, x{n + 1})" for n in range(size - 1)) or "r(x0, x0)"
    for n in reversed(range(size)):
        text = f"{'ForAll' if n % 2 else 'Exists'}([x{n}: E], {text})"
    return _program(
        [text],
        ["ForAll([x: E], Exists([y: E], r(x, y)))"],
        sorts=[_enum(12)],
        functions=[_function("r", ["E", "E"], "Bool")],
    )


def functions_to_enum(size: int) -> Value:
    """Equations that a search for values has to backtrack over."""
    facts = [f"ForAll([x: E, y: E], x != y -> f{n}(x) != f{n}(y))" for n in range(4)]
    facts += [f"ForAll([x: E], f{n}(f{n + 1}(x)) != x)" for n in range(3)]
    return _program(
        ["f0(e0) == e0", "Exists([x: E], f0(f1(f2(x))) == x)"],
        facts,
        sorts=[_enum(size)],
        functions=[_function(f"f{n}", ["E"], "E") for n in range(4)],
    )


def _counted(size: int, kind: str) -> Value:
    functions = [_function("p", ["E"], "Bool"), _function("w", ["E"], "Int")]
    return {"sorts": [_enum(size)], "functions": functions} if kind else {}


def count_one(size: int) -> Value:
    """`Count` over an enumeration."""
    return _program(
        [f"Count([x: E], p(x)) > {size // 2}", f"Count([x: E], p(x)) <= {size}"],
        [f"Count([x: E], p(x)) >= {size // 2}"],
        **_counted(size, "one"),
    )


def count_pairs(size: int) -> Value:
    """`Count` over pairs."""
    return _program(["Count([x: E, y: E], p(x) and not p(y)) > 3"], ["p(e0)"], **_counted(size, "pairs"))


def sum_under_quantifier(size: int) -> Value:
    """`Sum` in the body of a quantifier, and sums in sums."""
    facts = ["ForAll([x: E], w(x) > Sum([y: E], If(y == x, 0, w(y))))"]
    return _program(
        ["w(e0) > 0", "Sum([x: E], Sum([y: E], w(x) * w(y))) >= 0"], facts, **_counted(size, "sum")
    )


def count_flags(size: int) -> Value:
    """Cardinalities over overlapping triples of propositions."""
    names = [f"p{n}" for n in range(size)]
    source = random.Random(size)
    facts = [f"not ({' and '.join(source.sample(names, 3))})" for _ in range(3 * size)]
    return _program(
        [f"Count([{', '.join(names)}]) <= {size // 2}"], facts, constants=_constants("Bool", names)
    )


def product_of_many(size: int) -> Value:
    """A product of many factors."""
    return _program(["Product([x: E], w(x)) > 0"], ["ForAll([x: E], w(x) > 1)"], **_counted(size, "product"))


# --- names -----------------------------------------------------------------------------------------


def undeclared(size: int) -> Value:
    """As many undeclared names as declared ones, near to them."""
    names = [f"person_{n}_name" for n in range(size)]
    facts = [f"likes(persn_{n}_name, person_{n}_name)" for n in range(size)]
    return _program(
        ["likes(person_0_name, person_1_name)"],
        facts,
        sorts=[{"name": "P", "type": "DeclareSort"}],
        functions=[_function("likes", ["P", "P"], "Bool")],
        constants=_constants("P", names),
    )


def undeclared_words(size: int) -> Value:
    """The same with words that are near to nothing."""
    source = random.Random(size)
    names = ["".join(source.choices("abcdefghijklmnop", k=9)) for _ in range(2 * size)]
    facts = [f"{a}({b})" for a, b in zip(names[:size], names[size:], strict=True)]
    return _program([names[0]], facts, constants=_constants("Bool", [f"flag_{n}" for n in range(2 * size)]))


def undeclared_calls(size: int) -> Value:
    """Misspelt functions with several arguments in formulas."""
    functions = [_function(f"relation_{n}", ["P", "P"], "Bool") for n in range(size)]
    facts = [f"ForAll([x: P], relaton_{n}(x, alice) -> relation_{n}(x))" for n in range(size)]
    return _program(
        ["relation_0(alice, bob)"],
        facts,
        sorts=[{"name": "P", "type": "DeclareSort"}],
        functions=functions,
        constants=_constants("P", ["alice", "bob"]),
    )


def wrong_sorts(size: int) -> Value:
    """Arguments of wrong sorts everywhere."""
    facts = [f"f{n}(a, 1) == 2 and g(b{n}" for n in range(size)]
    functions = [_function(f"f{n}", ["Int", "P"], "Bool") for n in range(size)]
    return _program(
        ["f0(1, a)"],
        facts,
        sorts=[{"name": "P", "type": "DeclareSort"}],
        functions=functions,
        constants=_constants("P", ["a", "b"]),
    )


def broken_json(size: int) -> str:
    """Brackets that do not close."""
    text = json.dumps(undeclared(size))
    return text[: len(text) // 2] + "]" * 20 + text[len(text) // 2 :].replace('"', "", 5)


# --- chains ----------------------------------------------------------------------------------------


def chain(size: int) -> Value:
    """Implications one after the other."""
    names = [f"p{n}" for n in range(size)]
    facts = [names[0], *(f"{a} -> {b}" for a, b in itertools.pairwise(names))]
    return _program([names[-1]], facts, constants=_constants("Bool", names))


def successor_chain(size: int) -> Value:
    """A rule along a chain of elements."""
    names = [f"a{n}" for n in range(size)]
    facts = [f"next({a}, {b})" for a, b in itertools.pairwise(names)]
    facts += ["ForAll([x: S, y: S], next(x, y) and on(x) -> on(y))", "on(a0)"]
    return _program(
        [f"on(a{size - 1})", "not on(a0)"],
        facts,
        sorts=[{"name": "S", "type": "DeclareSort"}],
        functions=[_function("next", ["S", "S"], "Bool"), _function("on", ["S"], "Bool")],
        constants=_constants("S", names),
    )


def closure_chain(size: int) -> Value:
    """Reachability along a chain: n^2 facts in n^3 steps."""
    names = [f"a{n}" for n in range(size)]
    facts = [f"r({a}, {b})" for a, b in itertools.pairwise(names)]
    facts.append("ForAll([x: S, y: S, z: S], r(x, y) and r(y, z) -> r(x, z))")
    return _program(
        [f"r(a0, a{size - 1})", f"r(a{size - 1}, a0)"],
        facts,
        sorts=[{"name": "S", "type": "DeclareSort"}],
        functions=[_function("r", ["S", "S"], "Bool")],
        constants=_constants("S", names),
    )


def equality_chain(size: int) -> Value:
    """Equations one after the other, and congruence over them."""
    names = [f"a{n}" for n in range(size)]
    facts = [f"f({a}) == {b}" for a, b in itertools.pairwise(names)] + ["a0 == a1"]
    return _program(
        [f"a0 == a{size - 1}"],
        facts,
        sorts=[{"name": "S", "type": "DeclareSort"}],
        functions=[_function("f", ["S"], "S")],
        constants=_constants("S", names),
    )


def order_chain(size: int) -> Value:
    """Inequalities of integers."""
    names = [f"x{n}" for n in range(size)]
    facts = [f"{a} < {b}" for a, b in itertools.pairwise(names)]
    return _program(
        [f"x0 + {size - 1} <= x{size - 1}", f"x0 > x{size - 1}"], facts, constants=_constants("Int", names)
    )


# --- numbers and texts -----------------------------------------------------------------------------


def long_numerals(size: int) -> Value:
    """Numerals of many digits, multiplied by each other."""
    source = random.Random(size)
    numbers = ["".join(source.choices("123456789", k=9_000)) for _ in range(size)]
    return _program(
        [f"a * {' * '.join(numbers)} > {numbers[0]}", " * ".join(numbers) + " > 1"],
        [f"a > {numbers[0]}"],
        constants=_constants("Int", ["a"]),
    )


def long_fractions(size: int) -> Value:
    """Sums of fractions with large denominators."""
    text = " + ".join(f"1 / {'7' * (100 + n)}" for n in range(size))
    return _program([f"{text} < x", f"{text} > 0"], ["x > 1"], constants=_constants("Real", ["x"]))


def powers(size: int) -> Value:
    """Powers of powers of literals and of unknowns."""
    tower = "7"
    for _ in range(size):
        tower = f"({tower}) ** 64"
    return _program(
        [f"{tower} > a", f"(a + b) ** {min(size * 9, 64)} >= 0", f"({tower}) % 1000 == 1"],
        constants=_constants("Int", ["a", "b"]),
    )


def polynomials(size: int) -> Value:
    """Products of sums: multiplied out they are exponential."""
    names = [f"x{n}" for n in range(8)]
    source = random.Random(size)
    factors = [
        f"({' + '.join(f'{source.randint(1, 9)} * {name}' for name in names)} + {n})" for n in range(size)
    ]
    return _program(["x0 > 0"], [f"{' * '.join(factors)} == 7"], constants=_constants("Int", names))


def long_strings(size: int) -> Value:
    """Long string literals, joined and compared."""
    text = "ab" * size
    return _program(
        [f"Length(Concat('{text}', s)) > {size}", f"Contains(Concat(s, '{text}'), '{text[1:]}')"],
        [f"s != '{text}'", f"PrefixOf(s, '{text}')"],
        constants=_constants("String", ["s"]),
    )


def wide_bits(size: int) -> Value:
    """Products of wide bit vectors."""
    sort = f"BitVecSort({size})"
    return _program(
        ["a * b == b * a", "UDiv(a, b) * b == a"],
        ["a * b == c", "ULT(a, c)"],
        constants=_constants(sort, ["a", "b", "c"]),
    )


# --- many questions --------------------------------------------------------------------------------


def many_claims(size: int) -> Value:
    """Claims of which each is undetermined or entailed."""
    names = [f"p{n}" for n in range(size)]
    facts = [f"{a} or {b}" for a, b in itertools.pairwise(names)]
    return _program(
        [f"{a} or {b}" if n % 2 else a for n, (a, b) in enumerate(itertools.pairwise(names))],
        facts,
        constants=_constants("Bool", names),
    )


def many_real_claims(size: int) -> Value:
    """Claims that need a solver each."""
    names = [f"x{n}" for n in range(20)]
    facts = [f"{a} * {b} > 1" for a, b in itertools.pairwise(names)]
    return _program(
        [f"x{n % 20} * x{n % 7} * x{n % 3} > {n}" for n in range(size)],
        facts,
        constants=_constants("Real", names),
    )


def many_norms(size: int) -> Value:
    """Norms over an enumeration, each with its violations."""
    rules = [
        {"forall": [{"name": "x", "sort": "E"}], "constraint": f"p(x) -> w(x) > {n}", "role": "norm"}
        for n in range(size)
    ]
    return _program(["p(e0)"], ["p(e1)", "p(e2) or p(e3)"], rules=rules, **_counted(40, "norms"))


def many_bindings(size: int) -> Value:
    """Claims that look for members."""
    value = _program([], ["p(e0)", "ForAll([x: E], p(x) -> w(x) > 1)"], **_counted(size, "bindings"))
    finds = [{"name": "x", "sort": "E"}, {"name": "y", "sort": "E"}]
    value["verifications"] = [{"name": "who", "find": finds, "constraint": "p(x) and w(y) > 1"}]
    return value


def conflicting(size: int) -> Value:
    """Many conflicts apart from each other: 2^n ways to mend them."""
    names = [f"p{n}" for n in range(size)]
    facts = [
        *names,
        *(f"not {name}" for name in names),
        *(f"{a} -> not {b}" for a, b in itertools.pairwise(names)),
    ]
    return _program(["p0"], facts, constants=_constants("Bool", names))


def objectives(size: int) -> Value:
    """An assignment with several objectives."""
    names = [f"x{n}" for n in range(size)]
    source = random.Random(size)
    facts = [f"{name} >= 0 and {name} <= 1" for name in names]
    facts += [
        f"{' + '.join(source.sample(names, max(2, size // 3)))} <= {size // 6 + 1}" for _ in range(size)
    ]
    value = _program([], facts, constants=_constants("Int", names))
    value["optimization"] = {
        "objectives": [
            {
                "type": "maximize",
                "expression": " + ".join(f"{source.randint(1, 50)} * {name}" for name in names),
            }
            for _ in range(2)
        ],
        "mode": "pareto" if size % 2 else "lexicographic",
    }
    value["actions"] = ["optimize"]
    return value


def hard_integers(size: int) -> Value:
    """A sum of cubes."""
    return _program(
        [f"not (x ** 3 + y ** 3 + z ** 3 == {size})"], constants=_constants("Int", ["x", "y", "z"])
    )


def growing_terms(size: int) -> Value:
    """Instances that never end."""
    facts = ["ForAll([x: S], f(g(x)) == g(f(f(x))))", "ForAll([x: S], r(x) -> r(f(x)) and r(g(x)))", "r(a)"]
    facts += [f"ForAll([x: S], r(x) -> q{n}(f(x)) or q{n + 1}(g(x)))" for n in range(size)]
    functions = [_function(name, ["S"], "S") for name in "fg"]
    functions += [_function(name, ["S"], "Bool") for name in ["r", *(f"q{n}" for n in range(size + 1))]]
    return _program(
        ["Exists([x: S], q0(x) and not r(x))"],
        facts,
        sorts=[{"name": "S", "type": "DeclareSort"}],
        functions=functions,
        constants=_constants("S", ["a"]),
    )


_FAMILIES: Final[dict[Callable[[int], Value | str], tuple[int, ...]]] = {
    doubling_ints: (12, 18, 22, 40, 200),
    doubling_sums: (18, 40),
    doubling_elements: (12, 18, 40, 120),
    doubling_formulas: (10, 18, 40),
    doubling_quantified: (10, 18, 40),
    doubling_literals: (10, 20, 40),
    doubling_constants: (20, 40, 400),
    doubling_facts: (6, 12, 24),
    distinct_ints: (200, 1_000, 2_000, 3_000),
    distinct_elements: (200, 1_000, 2_000, 3_000),
    distinct_terms: (50, 400, 1_500),
    distinct_enum: (30, 100, 400, 1_000),
    nested_iff: (20, 100, 400, 900),
    wide_or_of_and: (20, 200, 5_000),
    wide_maximum: (20, 200, 2_000),
    deep_choice: (20, 200, 900),
    deep_brackets: (400, 900, 5_000),
    pigeons: (8, 12, 40),
    large_enum: (500, 3_000, 10_000, 30_000),
    large_enum_pairs: (20, 60, 200, 800),
    wide_quantifier: (2, 3, 4, 8, 30),
    wide_bool_quantifier: (8, 14, 20, 40),
    deep_quantifiers: (4, 12, 60, 300),
    deep_enum_quantifiers: (4, 6, 9, 40),
    functions_to_enum: (4, 8, 20, 60),
    count_one: (30, 200, 2_000, 9_000),
    count_pairs: (20, 60, 99),
    sum_under_quantifier: (8, 30, 90),
    count_flags: (15, 25, 60, 300),
    product_of_many: (10, 60, 400),
    undeclared: (20, 100, 400, 3_000),
    undeclared_words: (50, 100, 900, 5_000),
    undeclared_calls: (20, 100, 400),
    wrong_sorts: (20, 100, 400),
    broken_json: (5, 40, 300),
    chain: (300, 2_000, 10_000, 40_000),
    successor_chain: (300, 2_000, 10_000),
    closure_chain: (40, 150, 400, 1_000),
    equality_chain: (100, 1_000, 5_000),
    order_chain: (100, 1_000, 4_000, 15_000),
    long_numerals: (2, 30, 300),
    long_fractions: (30, 300, 1_000),
    powers: (1, 2, 3, 6),
    polynomials: (6, 12, 30, 120),
    long_strings: (1_000, 100_000, 1_000_000),
    wide_bits: (16, 64, 512, 4_096),
    many_claims: (100, 1_000, 5_000),
    many_real_claims: (20, 1_000),
    many_norms: (10, 100, 600),
    many_bindings: (10, 60, 300),
    conflicting: (8, 40, 300),
    objectives: (6, 15, 40, 41),
    hard_integers: (33, 42, 114),
    growing_terms: (2, 10, 40),
}
_WITH_OPTIONS: Final[tuple[tuple[Callable[[int], Value], int, dict[str, Any]], ...]] = (
    (conflicting, 60, {"cores": "all"}),
    (pigeons, 7, {"cores": "all"}),
    (many_claims, 300, {"models": "full"}),
    (large_enum, 2_000, {"models": "full"}),
    (chain, 3_000, {"certificate": True}),
    (closure_chain, 120, {"certificate": True}),
    (doubling_ints, 19, {"certificate": True}),
    (doubling_elements, 41, {"route": "ground"}),
    (large_enum_pairs, 61, {"route": "ground"}),
    (closure_chain, 401, {"route": "closure"}),
    (functions_to_enum, 9, {"route": "search"}),
    (distinct_elements, 1_001, {"route": "both"}),
    (doubling_formulas, 19, {"route": "cvc5"}),
    (nested_iff, 401, {"route": "cvc5"}),
)


def programs() -> Iterator[Heavy]:
    """All of them, the same in every run."""
    for family, sizes in _FAMILIES.items():
        for size in sizes:
            yield _made(family, size, {})
    for family, size, options in _WITH_OPTIONS:
        yield _made(family, size, options)


def _made(family: Callable[[int], Value | str], size: int, options: dict[str, Any]) -> Heavy:
    value = family(size)
    text = value if isinstance(value, str) else json.dumps(value)
    return Heavy(family.__name__.replace("_", "-"), size, text, options)
