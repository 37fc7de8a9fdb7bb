"""The formulas in a sentence: where they are, in LaTeX between dollars or in plain text ([STEP-CHUNKS])."""

from __future__ import annotations

import re
from typing import Final

from potlang.languages.dagmath.lower.formulas import read_formula
from potlang.languages.dagmath.lower.marks import FormulaSpan, marked_formulas
from potlang.languages.dagmath.lower.phrases import is_generic, stems
from potlang.languages.dagmath.lower.readings import Context
from potlang.languages.dagmath.lower.syntax import Op, Quantity, Term, Unreadable, is_op, is_statement
from potlang.languages.dagmath.lower.tokens import FUNCTIONS, MOST_CHARACTERS
from potlang.languages.dagmath.lower.units import is_unit
from potlang.languages.dagmath.read.boxed import boxes
from potlang.languages.dagmath.read.citations import ANNOTATION

Match = re.Match[str]
MARK: Final = r"⟦(\d+)⟧"
CHUNK: Final = re.compile(MARK)
_LINE: Final = re.compile(r"[^\n]+")
_WORD: Final = re.compile(r"(?:\{(?:[^{}\n]|\{[^{}\n]*\})*\}|\S)+")
"""A word of prose, with what stands in braces in it."""
_LATEX_TEXT: Final = re.compile(r"\\(?:text|mathrm|textbf|operatorname)\{[^{}]*\}|\s+")
_LONGEST_PHRASE: Final = 8
_DOLLAR: Final = re.compile(r"(?<!\\)\$")
_PRICE: Final = re.compile(r"(?:(?<=^)|(?<=[\s(=+*/-]))\$(?=\.?\d)")
"""A dollar sign before an amount. Those around formulas come in pairs, and the second follows its formula."""
_SPAN: Final = re.compile(r"\d ?[-–−] ?\\?\$\d")
_CALCULATION: Final = re.compile(r"[\d.,\\$%()=+*/÷×x^{} -]+")
_CROSS: Final = re.compile(r"(?<=[\d%)]) x (?=(?:\\?\$)?\d)")
"""`8 x 5` in a calculation: no variable stands between two numbers."""
_REFERENCES: Final = re.compile(
    r"\b(?:(?:from|by|in|of|using|per|with|and|via)\s+)?(?:steps?[\s_#]*\(?\d+\)?|(?:equation|eq\.)\s*\(\d+\))"
    r"(?:\s*(?:,|and|&)+\s*(?:steps?[\s_#]*\(?\d+\)?|\(\d+\)))*",
    re.IGNORECASE,
)
_STRONG: Final = re.compile(r"\d|[=<>≤≥≠+*^√±×÷·]|\\[a-z]")
_SHAPE: Final = re.compile(r"[-+*/^=<>≤≥≠±×÷·√(){}\[\]|.,:!%\\_'\w²³π⌊⌋−$]+")
_COUNT: Final = re.compile(r"(?:\\\$)?\d+(?:\.\d+)?[.,;:]?")
_OPERATOR: Final = re.compile(r"[-+*/^=<>≤≥≠±×÷·−:]+|\|")
_PERCENT: Final = re.compile(r"⟦(\d+)⟧ ?\\?%")
_LETTER: Final = re.compile(r"[B-Zb-z][.,;:]?")
_ORDINAL: Final = re.compile(r"\d+(?:st|nd|rd|th)\b.*")


class Template:
    """A sentence with its formulas taken out: `⟦0⟧` in `lower`, its words, stands for the first of `chunks`.

    A chunk that no formula was read from is the Unreadable that says why.
    """

    def __init__(self, source: str, context: Context) -> None:
        """Raises Unreadable for a sentence that is not read."""
        if len(source) > MOST_CHARACTERS:
            raise Unreadable(f"the sentence has more than {MOST_CHARACTERS} characters")
        self.context = context
        self.chunks: list[Term | Unreadable] = []
        source = _REFERENCES.sub(" ", _plainer(source.replace("⟦", "[").replace("⟧", "]")))
        marked = marked_formulas(source)
        out, end = [], 0
        for span in marked:
            out.append(self._plain(source[end : span.start], bool(marked)))
            out.append(self._take(span.source))
            end = span.end
        out.append(self._plain(source[end:], bool(marked)))
        self.lower = _PERCENT.sub(self._percent, _tidy("".join(out))).lower()

    def _take(self, source: str) -> str:
        """The mark that stands for a formula from here on."""
        try:
            self.chunks.append(read_formula(source, self.context.functions, self.context.variables))
        except Unreadable as error:
            self.chunks.append(error)
        return f" ⟦{len(self.chunks) - 1}⟧ "

    def _percent(self, mark: Match) -> str:
        """The mark alone of a formula with a percent sign after it, which it takes in."""
        at = int(mark[1])
        chunk = self.chunks[at]
        if not isinstance(chunk, Unreadable):
            self.chunks[at] = _with_last(chunk, "%")
        return f"⟦{at}⟧"

    def _plain(self, source: str, marked: bool) -> str:
        """A stretch without dollars: its boxes taken out, and the formulas between them."""
        out, end = [], 0
        for box in boxes(source):
            if box.content is not None:
                out.append(self._unboxed(source[end : box.start], marked))
                out.append(self._take(source[box.start : box.end]))
                end = box.end
        return "".join([*out, self._unboxed(source[end:], marked)])

    def _unboxed(self, source: str, marked: bool) -> str:
        """A stretch without formulas in plain text; where others are marked, without numbers."""
        words = source.split()
        out: list[str] = []
        at = 0
        while at < len(words):
            count, is_formula = _run(words, at, marked)
            run = words[at : at + count]
            at += count
            if is_formula:
                piece = " ".join(run)
                bare = piece.rstrip(".,;:?!") if not piece.endswith("!") else piece
                run = [self._take(bare), piece[len(bare) :]]
            out += run
        spaced = " ".join(out)
        return (" " if source[:1].isspace() else "") + spaced + (" " if source[-1:].isspace() else "")

    def term(self, at: int | str) -> Term:
        """The formula of a mark. Raises the Unreadable that says why there is none."""
        chunk = self.chunks[int(at)]
        if isinstance(chunk, Unreadable):
            raise chunk
        return chunk

    def phrase(self, phrase: str) -> Quantity | None:
        """The quantity that a noun phrase names; None for one that names nothing of its own."""
        people = self.context.people if len(self.context.people) == 1 else frozenset[str]()
        found = tuple(word for word in stems(phrase) if word not in people)
        if not found or is_generic(found):
            return None
        if is_unit(" ".join(found)):
            raise Unreadable("a unit names no quantity")
        if len(found) > _LONGEST_PHRASE:
            raise Unreadable("a phrase is too long to name a quantity")
        several = len(self.context.people) > 1 or len(self.context.pronouns) > 1
        if several and re.search(r"\b(his|her|their|he|she|they)\b", phrase):
            raise Unreadable("it is open whom a pronoun means")
        return Quantity(found, " ".join(phrase.split()).removeprefix("the "))


def unmarked_formulas(text: str) -> list[FormulaSpan]:
    """The formulas in prose that stand between no marks, in order; each within one line."""
    found: list[FormulaSpan] = []
    for line in _LINE.finditer(text):
        places = [(each.start() + line.start(), each[0]) for each in _WORD.finditer(line[0])]
        words = [_LATEX_TEXT.sub(_without_text, word) for _, word in places]
        at = 0
        while at < len(words):
            count, is_formula = _run(words, at, marked=False)
            if is_formula:
                start, (last, word) = places[at][0], places[at + count - 1]
                end = last + len(word.rstrip(".,;:?!") or word)
                found.append(FormulaSpan(start, end, text[start:end]))
            at += count
    return found


def _without_text(found: Match) -> str:
    return "\\text" if found[0].strip() else ""


def _plainer(source: str) -> str:
    """The sentence without calculator annotations, with money and products in LaTeX. Raises Unreadable."""
    source = ANNOTATION.sub("", source)
    if "=" not in source and _SPAN.search(source):
        raise Unreadable("an amount after a dash may be the end of a range")
    if _DOLLAR.findall(source) == _PRICE.findall(source):
        source = _PRICE.sub(r"\\$", source)
    return _CALCULATION.sub(lambda run: _CROSS.sub(r" \\times ", run[0]) if "=" in run[0] else run[0], source)


def _tidy(words: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\s+([.,;:!?])", r"\1", words)).strip()


def _run(words: list[str], at: int, marked: bool) -> tuple[int, bool]:
    """The number of words from here on, one at least, that are a formula, or none."""
    if marked:
        return 1, _COUNT.fullmatch(words[at]) is not None
    count, strong = 0, False
    while at + count < len(words):
        word = words[at + count]
        bare = word.rstrip(".,;:?!") or word
        weight = _weight(bare, words[at + count - 1] if count else "")
        if not weight or (not count and _OPERATOR.fullmatch(bare) and bare not in "-"):
            break
        strong |= weight == 2
        count += 1
        if bare != word and word[-1] != "!":
            break
    whole = count
    while count and _OPERATOR.fullmatch(words[at + count - 1]):
        count -= 1
    # A single letter that stands alone is the name of a variable.
    is_formula = count > 0 and (strong or (count == 1 and _LETTER.fullmatch(words[at]) is not None))
    return (count if is_formula else max(1, whole)), is_formula


def _weight(bare: str, before: str) -> int:
    """0: a word; 1: part of a formula next to others; 2: a formula by itself."""
    if _ORDINAL.fullmatch(bare) or not _SHAPE.fullmatch(bare) or (is_unit(bare) and len(bare) > 1):
        return 0
    if bare in ("a", "A", "I"):
        return 1 if _OPERATOR.fullmatch(before) else 0
    letters = re.findall(r"[A-Za-z]+", re.sub(r"\\[A-Za-z]+", "", bare))
    if any(len(run) > 3 and run not in FUNCTIONS for run in letters) or "'s" in bare:
        return 0
    if _STRONG.search(bare):
        return 2
    if len(bare) == 1 or _OPERATOR.fullmatch(bare):
        return 1
    return 1 if _OPERATOR.search(before[-1:]) or bare[0] in "([|" else 0


def with_unit(term: Term, unit: str) -> Term:
    """The term with a unit: of a statement, the last side has it."""
    return _with_last(term, f"unit:{unit}")


def _with_last(term: Term, op: str) -> Term:
    """The operation on a term; of a statement, on the last side."""
    if is_op(term, "approx"):
        return Op(term.op, (term.args[0], Op(op, (term.args[1],)), term.args[2]))
    if is_statement(term):
        return Op(term.op, (*term.args[:-1], _with_last(term.args[-1], op)))
    return Op(op, (term,))
