"""Hypothesis strategies for the text of expressions: well formed, of the simple kind, and damaged."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = st.sampled_from(
    ["p", "q", "f", "alice", "x", "_", "And", "Not", "ForAll", "größe", "नमस्ते", "android", "in_", "x2"]
)
NUMBERS = st.sampled_from(["0", "12", "2.50", ".5", "1e-3", "1E5"])
SIGNS = st.sampled_from(["+", "+", "-"])
SPACES = st.sampled_from(["", "", " ", "  ", "\n", "\t", "\u00a0"])
PIECES = [
    *[
        "f",
        "x",
        "And",
        "and",
        "or",
        "not",
        "in",
        "3",
        ".5",
        "1e2",
        "#b01",
        "#xfg",
        "'a'",
        '"b"',
        "`a b`",
        "`",
    ],
    *["(", ")", "[", "]", "{", "}", ",", ":", "==", "!=", "<", "<=", ">", "=", "->", "<->", "=>", "+", "-"],
    *[
        "*",
        "/",
        "//",
        "%",
        "**",
        " ",
        "  ",
        "≤",
        "∧",
        "¬",
        "∀",
        "&&",
        "!",
        "'",
        '"',
        "\\",
        ".",
        "#",
        "é",
        "\u0301",
    ],
    *[
        "{'name': 'p', 'sort': 'T'}",
        "x: T",
        "f(",
        "not in",
        "\u200b",
        "“",
        "”",
        "lambda",
        "forall x.",
        ";",
        "1_0",
    ],
]


@st.composite
def spaced(draw: st.DrawFn, *parts: str | st.SearchStrategy[str]) -> str:
    """The parts with white space between them that keeps words apart."""
    text = ""
    for part in parts:
        word = part if isinstance(part, str) else draw(part)
        gap = draw(SPACES)
        if text and not gap and text[-1] not in "()[]{},:" and word[0] not in "()[]{},:":
            gap = " "
        text += gap + word
    return text


def joined(items: st.SearchStrategy[str], least: int = 1) -> st.SearchStrategy[str]:
    return st.tuples(st.lists(items, min_size=least, max_size=3), st.sampled_from([", ", ",", " , "])).map(
        lambda pair: pair[1].join(pair[0])
    )


def simple_terms() -> st.SearchStrategy[str]:
    """Nested calls over names, numerals, sums and lists of names."""
    leaves = st.one_of(NAMES, st.sampled_from(["0", "12", "2.50", ".5"]))
    lists = joined(NAMES).map(lambda items: f"[{items}]")

    def call(terms: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        sums = st.one_of(terms, spaced(terms, SIGNS, terms), spaced(terms, SIGNS, terms, SIGNS, terms))
        compared = spaced(sums, st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "≤", "≠"]), sums)
        return spaced(NAMES, "(", joined(st.one_of(sums, lists, compared)), ")")

    return st.recursive(leaves, call, max_leaves=8)


def simple_expressions() -> st.SearchStrategy[str]:
    """What the short cut is for."""
    terms = simple_terms()
    return st.one_of(terms, spaced(terms, st.sampled_from(["==", "<", ">=", "!="]), terms))


@st.composite
def literals(draw: st.DrawFn) -> str:
    """`p(a, b)`, `Not(p(a))`, `f(a) == 3`, also with names that are none."""
    names = st.one_of(NAMES, st.sampled_from(["and", "in", "in\u0301", "not", "_1"]))
    text = (
        f"{draw(names)}({draw(st.sampled_from([', ', ',', ',  '])).join(draw(st.lists(names, max_size=3)))})"
    )
    if draw(st.booleans()):
        text += draw(st.sampled_from([" == ", "==", "  == "]))
        text += draw(st.one_of(names, NUMBERS, st.just("٣")))
    return f"Not({text})" if draw(st.booleans()) else text


def expressions() -> st.SearchStrategy[str]:
    """Well-formed expressions that use every production."""
    strings = st.sampled_from(["'a'", '"b c"', r"'\u00e9\n'", "''"])
    leaves = st.one_of(NAMES, NUMBERS, strings, st.sampled_from(["#b01", "#xfF", "`hard hat`", "`a``b`"]))
    heads = st.one_of(NAMES, st.just("`hard hat`"))
    sorts = st.sampled_from(["T", "BitVecSort(8)", "Array(Int, Set(T))"])

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        group = spaced("(", inner, ")")
        call = spaced(heads, "(", joined(inner), st.sampled_from([")", ",)"]))
        binding = st.one_of(spaced(NAMES, ":", sorts), st.just("{'sort': 'Set(T)', 'name': 'v'}"))
        item = st.one_of(inner, binding)
        square = spaced("[", joined(item), st.sampled_from(["]", ",]"]))
        lists = st.one_of(
            square, spaced("{", joined(inner), "}"), st.sampled_from(["[]", "{}", "(x, y)", "(x,)"])
        )
        calls = st.one_of(
            call, spaced(heads, "(", st.one_of(item, lists), ",", inner, ")"), spaced(heads, "(", ")")
        )
        operand = st.one_of(NAMES, group, calls)
        operators = [
            "and",
            "or",
            "->",
            "<->",
            "+",
            "-",
            "*",
            "/",
            "//",
            "%",
            "**",
            "==",
            "<",
            "<=",
            "!=",
            "∧",
            "→",
        ]
        binary = spaced(operand, st.sampled_from(operators), operand)
        longer = spaced(
            operand, st.sampled_from(operators[:11]), operand, st.sampled_from(operators[:11]), operand
        )
        chain = spaced(operand, st.sampled_from(["<", "=="]), operand, st.sampled_from(["<=", "≥"]), operand)
        member = spaced(operand, st.sampled_from(["in", "not in"]), st.one_of(lists, operand))
        prefix = spaced(st.sampled_from(["not", "¬", "-"]), operand)
        curried = spaced(call, "(", joined(inner), ")")
        return st.one_of(group, calls, binary, longer, chain, member, prefix, curried)

    return st.recursive(leaves, grow, max_leaves=6)


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text with a few pieces cut out, put in or doubled."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        to = draw(st.integers(at, min(len(text), at + 3)))
        text = text[:at] + draw(st.sampled_from(["", *PIECES])) + text[to:]
    return text


def soups() -> st.SearchStrategy[str]:
    """Pieces in any order."""
    return st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def any_text() -> st.SearchStrategy[str]:
    """Everything at once."""
    good = st.one_of(expressions(), simple_expressions())
    return st.one_of(good, damaged(good), soups(), st.text(max_size=30))
