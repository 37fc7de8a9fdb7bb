"""LaTeX on pages: MathML where it is understood, its own text where not, and never more than that."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from potlang.drawing.formulas import (
    _ATTRIBUTES,
    _ELEMENTS,
    LONGEST,
    LatexFormula,
    parts_of,
    text_with_formulas,
    text_without_formulas,
)

PIECES = st.sampled_from(
    [
        *(r"\frac", r"\sqrt", r"\text", r"\href", r"\style", r"\color", r"\begin{matrix}", r"\end{matrix}"),
        *(r"\left(", r"\right)", r"\boxed", r"\unicode", r"\class", r"\id", r"\hspace{1em}", r"\\", "\\"),
        *(
            "{",
            "}",
            "{x}",
            "^",
            "_",
            "&",
            "$",
            "<script>",
            "</math>",
            '"',
            "'",
            "onclick=",
            "javascript:alert(1)",
        ),
        *("12", "x", " ", "=", "‮", "&lt;", "é", "日", "%", "#"),
    ]
)
LATEX = st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=60))


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(max_examples=150, deadline=None)
@given(LATEX)
def test_whatever_stands_between_dollars_only_mathml_passes(latex: str) -> None:
    """[VIEW-FORMULAS], [VIEW-TEXT]"""
    found = _Tags(text_with_formulas(f"so ${latex}$ and $${latex}$$ and \\({latex}\\)"))
    assert found.tags <= {*_ELEMENTS, "code"}
    assert found.attributes <= {*_ATTRIBUTES, "display"}
    assert not [char for char in found.text if not char.isprintable() and char != "\n"]


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_the_parts_of_a_text_are_all_of_it(text: str) -> None:
    """[VIEW-FORMULAS]"""
    assert "".join(part.source if isinstance(part, LatexFormula) else part for part in parts_of(text)) == text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"$d = r \cdot 1$", "d = r · 1"),
        (r"so $\frac{a+1}{2}$!", "so (a + 1)/2!"),
        (r"$x_1^{2} \le \sqrt{3}$", "x_1^2 ≤ √3"),
        (r"\[\boxed{12:1}\]", "12:1"),
        (r"\(a\) and $$b$$", "a and b"),
        ("costs $5 and $6, or $3-$5", "costs $5 and $6, or $3-$5"),
        (r"$\unknown{x}$", r"$\unknown{x}$"),
        ("a $ alone", "a $ alone"),
    ],
)
def test_formulas_in_labels_are_plain_text(text: str, plain: str) -> None:
    """[VIEW-FORMULAS]: prices are none."""
    assert text_without_formulas(text) == plain


def test_what_is_not_understood_stays_as_it_is_written() -> None:
    """[VIEW-FORMULAS]"""
    html = text_with_formulas(r"$\unknown{x} < 1$")
    assert html == r"<code>$\unknown{x} &lt; 1$</code>"
    assert "<math" in text_with_formulas(r"$x < 1$")


@pytest.mark.parametrize(
    "latex",
    ["{" * 400, r"\sqrt" * 150 + "2", r"\frac" * 150, "x^" * 300, r"\left(" * 100, "x" * (LONGEST + 1)],
)
def test_deep_and_long_formulas_are_left_in_time(latex: str) -> None:
    """[VIEW-FORMULAS]"""
    began = process_time()
    html = text_with_formulas(f"${latex}$")
    assert process_time() - began < 5
    assert "<math" in html or unescape(re.sub("<[^>]*>", "", html)) == f"${latex}$"


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        (r"So \frac{a + b}{2 c} \le x^2, by step 1.", [r"\frac{a + b}{2 c} \le x^2"]),
        (r"By \sqrt{a + b} = 5 and \text{if x is even} then", [r"\sqrt{a + b} = 5", r"\text{if x is even}"]),
        ("2^10 = 1024 it is", ["2^{10} = 1024"]),
        (
            r"\begin{align} a &= b \\ c &= d \end{align} holds",
            [r"\begin{align} a &= b \\ c &= d \end{align}"],
        ),
        (r"see C:\temp\foo and snake_case_name", []),
        ("the price is 5 and a = b", []),
        (r"\frac{a is open, x^2 }", []),
        (r"\unknown{x} stays", []),
    ],
)
def test_latex_without_marks_is_found_in_prose(text: str, formulas: list[str]) -> None:
    """[VIEW-FORMULAS] What is no formula, or not understood, stays text."""
    parts = list(parts_of(text))
    assert [each.latex for each in parts if isinstance(each, LatexFormula)] == formulas
    assert "".join(each.source if isinstance(each, LatexFormula) else each for each in parts) == text
    assert text_with_formulas(text).count("<math") == len(formulas)


@settings(max_examples=150, deadline=None)
@given(LATEX)
def test_of_any_prose_only_mathml_passes(latex: str) -> None:
    """[VIEW-FORMULAS], [VIEW-TEXT]"""
    found = _Tags(text_with_formulas(f"then {latex} = x^2 and\n{latex} ends"))
    assert found.tags <= {*_ELEMENTS, "code"}
    assert found.attributes <= {*_ATTRIBUTES, "display"}
