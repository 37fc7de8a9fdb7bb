r"""Commands of LaTeX that are more than signs: `$…$`, `\frac{a}{b}`, `\{a, b\}`, `\sum_{x \in S} f(x)`."""

from __future__ import annotations

import re

from potlang.expressions.actions import Fault
from potlang.expressions.phrases import MOST_CHARACTERS, replaced

_DOLLARS = re.compile(r"\s*(\$\$?)([^$]+)\1\s*|\s*\\[(\[](.+)\\[)\]]\s*", re.DOTALL)
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_BIG = re.compile(
    r"\\(sum|prod|max|min|forall|exists|bigwedge|bigvee)_\{\s*(\w+)\s*(?:\\in|∈|:)\s*(\w+)\s*\}\s*"
)
_MOST = 20
_FOLDS = {"sum": "Sum", "prod": "Product", "max": "Max", "min": "Min", "forall": "ForAll"}
_FOLDS |= {"exists": "Exists", "bigwedge": "ForAll", "bigvee": "Exists"}
_NAMED = re.compile(r"\\(?:text|mathrm|mathit|mathsf|operatorname|textit|textrm)\s*\{([^{}]*)\}")
_SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])|\\[,;:!]|\\q?quad(?![A-Za-z])")
_SIGNS = (
    (re.compile(r"\\max(?=\s*\()"), "Max"),
    (re.compile(r"\\min(?=\s*\()"), "Min"),
    (re.compile(r"\\(?:bmod|mod)(?![A-Za-z])"), "%"),
    (re.compile(r"\\(?:[lr]vert|mid)(?![A-Za-z])"), "|"),
)
_ENDS = re.compile(r"==?|[<>≤≥≠]|!=|\\(?:leq?|geq?|neq?|land|lor|to|wedge|vee)\b|[∧∨→]|\b(?:and|or)\b|[)\],]")


def latex(text: str) -> Fault | None:
    """The fault of commands of LaTeX, with the formula without them; None where there are none."""
    if len(text) > MOST_CHARACTERS or ("\\" not in text and "$" not in text):
        return None
    written = text
    enclosed = _DOLLARS.fullmatch(text)
    if enclosed is not None:
        written = (enclosed[2] or enclosed[3]).strip()
    written = _NAMED.sub(lambda found: found[1].replace(" ", "_").replace("\\_", "_"), written)
    written = _SIZES.sub("", written).replace("\\{", "{").replace("\\}", "}").replace("\\_", "_")
    for pattern, sign in _SIGNS:
        written = pattern.sub(sign, written)
    written = _FRACTION.sub(r"(\1) / (\2)", written)
    for _ in range(_MOST):
        found = _BIG.search(written)
        written = written if found is None else _folded(written, found)
    return None if written == text else replaced(0, len(text), written, "commands of LaTeX are not read")


def _folded(text: str, found: re.Match[str]) -> str:
    """`\\sum_{x \\in S} f(x)`: the term goes on up to a relation or a connective outside of brackets."""
    depth, end = 0, found.end()
    while end < len(text) and (depth or _ENDS.match(text, end) is None):
        depth += (text[end] in "([{") - (text[end] in ")]}")
        end += 1
    body = text[found.end() : end]
    blank = " " if body.endswith(" ") else ""
    call = f"{_FOLDS[found[1]]}([{found[2]}: {found[3]}], {body.strip()})"
    return text[: found.start()] + call + blank + text[end:]
