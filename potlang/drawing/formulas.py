"""LaTeX in texts as MathML, and as plain text where no MathML can stand.

The LaTeX is anyone's, and so is what a converter makes of it: only known elements and attributes of MathML
pass. What cannot be converted stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from xml.etree.ElementTree import Element, fromstring

from potlang.diag.wording import visible
from potlang.languages.dagmath.lower.chunks import unmarked_formulas
from potlang.languages.dagmath.lower.marks import DISPLAYS
from potlang.report.html import Html, element, joined, text_html

LONGEST = 1_000
"""Characters of a formula that is converted."""
_DEEPEST = 60
_MOST = 2_000
_FORMULA = re.compile(
    r"\$\$(?P<block>[^$]+)\$\$|\\\[(?P<bracket>(?:[^\\]|\\(?!\]))+)\\\]|\\\((?P<paren>(?:[^\\]|\\(?!\)))+)\\\)"
    r"|(?<!\\)\$(?P<dollar>[^\s$](?:(?:[^$\\\n]|\\.)*(?:[^\s$\\]|\\[^\s]))?)\$(?!\d)"
    rf"|(?P<display>\\begin\{{(?P<env>{DISPLAYS})(?P<star>\*?)\}}[^$]{{1,4000}}?\\end\{{(?P=env)(?P=star)\}})"
)
"""As in Markdown: no space inside of single dollars, no digit behind them, since these are prices."""
_EXPONENT = re.compile(r"(\^)(\d{2,})")
_MARKED = ("block", "bracket", "paren", "dollar", "display")
_BLOCKS = ("block", "bracket", "display")
_ELEMENTS = frozenset(
    {
        *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "ms", "mfrac", "msqrt", "mroot", "mstyle"),
        *("merror", "mpadded", "mphantom", "msub", "msup", "msubsup", "munder", "mover", "munderover"),
        *("mmultiscripts", "mprescripts", "none", "mtable", "mtr", "mtd", "menclose"),
    }
)
_ATTRIBUTES = frozenset(
    {
        *("accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "displaystyle"),
        *("fence", "form", "height", "linethickness", "lspace", "mathvariant", "maxsize", "minsize"),
        *("movablelimits", "notation", "rowlines", "rowspacing", "rspace", "scriptlevel", "separator"),
        *("stretchy", "symmetric", "voffset", "width"),
    }
)
_NOTATION = re.compile(r"\\[A-Za-z]{2,}|\^|\w_[{\w]")
"""Marks that prose does not have: without it a formula in prose is as good to read as it is."""
_VALUE = re.compile(r"[\w.+\- %]{0,40}")


class LatexFormula(NamedTuple):
    """LaTeX in a text: `source` with its delimiters, `latex` without them; `block`: on a line of its own."""

    source: str
    latex: str
    block: bool


def parts_of(text: str) -> Iterator[str | LatexFormula]:
    """A text as prose and formulas, in order."""
    at = 0
    for found in _FORMULA.finditer(text):
        yield from _prose(text[at : found.start()])
        name = next(each for each in _MARKED if found[each] is not None)
        yield LatexFormula(found[0], found[name], name in _BLOCKS)
        at = found.end()
    yield from _prose(text[at:])


def _prose(text: str) -> Iterator[str | LatexFormula]:
    """Text between marked formulas: the LaTeX in it that stands between no marks, if it is understood."""
    at = 0
    if _NOTATION.search(text):
        for found in unmarked_formulas(text):
            # In prose all digits of an exponent are meant, of which LaTeX takes the first.
            latex = _EXPONENT.sub(r"\1{\2}", found.source)
            is_whole = latex.count("{") == latex.count("}")
            if is_whole and _NOTATION.search(latex) and _tree(latex) is not None:
                yield text[at : found.start]
                yield LatexFormula(found.source, latex, block=False)
                at = found.end
    yield text[at:]


def text_with_formulas(text: str) -> Html:
    """A text as HTML, its lines kept and its formulas as MathML."""
    return joined(text_html(part) if isinstance(part, str) else _formula(part) for part in parts_of(text))


def text_without_formulas(text: str) -> str:
    """A text with formulas as plain characters: `r · 1` for `$r \\cdot 1$`."""
    return "".join(part if isinstance(part, str) else _plain(part) for part in parts_of(text))


def _formula(formula: LatexFormula) -> Html:
    tree = _tree(formula.latex)
    if tree is None:
        return element("code", text_html(formula.source))
    return element("math", *map(_markup, tree), display="block" if formula.block else "inline")


def _plain(formula: LatexFormula) -> str:
    tree = _tree(formula.latex)
    return formula.source if tree is None else " ".join(_flat(tree).split())


@lru_cache(maxsize=2_000)
def _tree(latex: str) -> Element | None:
    """The MathML of a formula; None if it is none, or not understood."""
    if len(latex) > LONGEST or len(latex) - len(latex.replace("{", "")) > LONGEST // 4:
        return None
    from latex2mathml.converter import convert  # Most programs and traces have no LaTeX.

    try:
        tree = fromstring(convert(visible(latex)))
    except Exception:  # The converter names no set of exceptions for what is no LaTeX.
        return None
    return tree if _is_known(tree) else None


def _name(each: Element) -> str:
    return each.tag.rpartition("}")[2]


def _is_known(tree: Element) -> bool:
    """Whether it is MathML of which nothing was left as LaTeX, and no larger than can be shown."""
    waiting, count = [(tree, 1)], 0
    while waiting:
        each, depth = waiting.pop()
        count += 1
        said = f"{each.text or ''}{each.tail or ''}"
        if depth > _DEEPEST or count > _MOST or _name(each) not in _ELEMENTS or "\\" in said:
            return False
        waiting += [(child, depth + 1) for child in each]
    return _name(tree) == "math"


def _markup(tree: Element) -> Html:
    """The elements of a tree as HTML, as deep as `_is_known` has found them to be."""
    allowed = {
        name: value for name, value in tree.attrib.items() if name in _ATTRIBUTES and _VALUE.fullmatch(value)
    }
    return element(_name(tree), text_html((tree.text or "").strip()), *map(_markup, tree), **allowed)


# --- plain text ------------------------------------------------------------------------------------

_SPACED = frozenset("=<>≤≥≠≈≡+−±·×÷→⇒∈∉⊂⊆∧∨∪∩⟹⟺⇔↔:")


def _flat(tree: Element) -> str:
    """A formula on one line."""
    inner = [_flat(each) for each in tree]
    name = _name(tree)
    if name == "mfrac" and len(inner) == 2:
        return f"{_grouped(inner[0])}/{_grouped(inner[1])}"
    if name == "msqrt":
        return f"√{_grouped(''.join(inner))}"
    if name in ("msup", "mover") and len(inner) == 2:
        return f"{inner[0]}^{_grouped(inner[1])}"
    if name in ("msub", "munder") and len(inner) == 2:
        return f"{inner[0]}_{_grouped(inner[1])}"
    if name in ("msubsup", "munderover") and len(inner) == 3:
        return f"{inner[0]}_{_grouped(inner[1])}^{_grouped(inner[2])}"
    if name == "mtr":
        return f"{', '.join(inner)}; "
    if name == "mspace":
        return " "
    text = (tree.text or "").strip()
    text = f" {text} " if name == "mo" and text in _SPACED else text
    return text + "".join(inner)


def _grouped(text: str) -> str:
    """The tokens of a group, in parentheses if there are several."""
    return text if len(text) == 1 or text.isalnum() else f"({text.strip()})"
