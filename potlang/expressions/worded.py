"""Words for counts, comparisons and queries: `at least two of p, q, r`, `n is at most 3`, `SELECT …`."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from potlang.expressions.actions import Fault
from potlang.expressions.phrases import MOST_CHARACTERS, replaced

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: at for at, word in enumerate(_WORDS)}
_NUMBER = rf"(?P<number>\d{{1,6}}|{'|'.join(_NUMBERS)})"
_COUNT = re.compile(
    rf"\b(?:(?P<bound>(?:no\s+)?(?:at\s+least|at\s+most|exactly|precisely|(?:more|fewer|less)\s+than))\s+{_NUMBER}"
    r"|(?P<all>none|all|any|each|one|some))\s+of\b(?:\s+the\b)?\s*:?\s*",
    re.IGNORECASE,
)
_NEITHER = re.compile(r"\bneither\s+", re.IGNORECASE)
_AFTER = r"(?=\s+[\w(\"'-])"
_COMPARED = re.compile(
    r"(?<=[\w)\]])\s+(?:"
    r"(?:(?:is|are)\s+)?(?P<no>not\s+|no\s+)?(?P<more>greater|more|bigger|larger|higher|less|fewer|smaller|lower)\s+than"
    rf"(?P<equal>\s+or\s+equal(?:\s+to)?)?{_AFTER}"
    rf"|(?:(?:is|are)\s+)?at\s+(?P<bound>least|most){_AFTER}"
    rf"|(?:is|are)\s+(?P<differs>not\s+)?(?:equal\s+to|the\s+same\s+as){_AFTER}"
    r"|(?:is|are)\s+(?P<out>not\s+)?(?:in|an?\s+(?:member|element)\s+of)(?=\s+[\w{\[(])"
    r"|(?:is|are)\s+(?P<full>not\s+)?(?P<empty>empty)\b(?!\s*[\w(])"
    r"|(?:is|are)\s+(?P<kind>even|odd|positive|negative)\b(?!\s*[\w(])"
    r"|(?:is|are)\s+(?:not\s+)?(?P<null>null|none|nil)\b)",
    re.IGNORECASE,
)
_KINDS = {"even": "% 2 == 0", "odd": "% 2 == 1", "positive": "> 0", "negative": "< 0"}
_GREATER = frozenset(["greater", "more", "bigger", "larger", "higher"])
_OPERATOR = re.compile(r"(?:\b(?:and|or|not|then|if|implies|iff)|[^\w)\]}\"'\s])$", re.IGNORECASE)
"""The end of a text behind which an operand is to stand."""
_TAIL = 40
_MOST = 50
"""Places that are looked at: each look goes over the text."""
_STOP = re.compile(r"->|=>|→|⇒|<->|↔|\b(?:implies|iff|then|if)\b")
_JOINER = re.compile(r"\b(?:and|or|nor)\b", re.IGNORECASE)
_SELECT = re.compile(
    r"(?P<exists>\bEXISTS\s*\(\s*)?\bSELECT\s+(?P<what>[^()]{0,200}(?:\([^()]{0,200}\))?)\s+FROM\s+(?P<sort>\w+)"
    r"(?:\s+(?:AS\s+)?(?!WHERE\b)(?P<name>[A-Za-z]\w*))?(?:\s+WHERE\s+|(?=\s*[);]|\s*$))",
    re.IGNORECASE,
)
_FOLD = re.compile(r"(COUNT|SUM|MAX|MIN|AVG)\s*\(\s*(.*?)\s*\)", re.IGNORECASE)
_COUNT_ALL = re.compile(r"\bcount\s*\(\s*\*\s*\)", re.IGNORECASE)
_SAME_SIDE = re.compile(r"(?:\b(?:and|or)\b|&&|\|\||∧|∨)\s*(?P<sign>==|!=|<=|>=|<|>|≤|≥|≠)", re.IGNORECASE)
_SIGN = re.compile(r"(?<![<>=!-])(?:==|!=|<=|>=|<(?!-)|>|≤|≥|≠|=)(?!=)")
_BOUNDARY = re.compile(r"\b(?:and|or|not)\b|&&|\|\||[∧∨¬,]|->|→", re.IGNORECASE)
_CAST = re.compile(r"(?<![\w)\]])\((int|float|double)\)\s*(?=[A-Za-z_]\w*\s*\()")
_CASTS = {"int": "ToInt", "float": "ToReal", "double": "ToReal"}
_BINDER = re.compile(
    r"\b(ForAll|Exists|ExistsUnique|Sum|Product|Count|Min|Max)\s*\(\s*(\[[^\[\]]*\])\s*\)\s*(?=[\w(¬~!])"
)
_RELATED = re.compile(
    r"(?<=[\w)\]\"'])\s+(?:(?:is|are)\s+(?:a|the)\s+(?P<sub>subset|superset)\s+of|(?P<word>contains|includes)"
    r"|(?P<edge>starts|begins|ends)\s+with)\s+(?=[\w\"'({\[])"
)
_NUMBERED = re.compile(
    rf"(?:∃\s*(?P<sign>≥|>=|≤|<=|=)|\b(?P<bound>at\s+least|at\s+most|exactly))\s*{_NUMBER}\s+(?P<name>[^\W\d]\w*)\s*"
    r"(?:(?:\bin\b|∈|:)\s*(?P<sort>[A-Z]\w*)\b)?\s*(?:[:.,]|such\s+that|satisf(?:y|ies)|where|with|have|has)\s*",
    re.IGNORECASE,
)
_ENCLOSED = re.compile(
    r"\(\s*(?P<sign>∀|∃|\\forall|\\exists)\s*(?P<name>[^\W\d]\w*)\s*(?:∈|:|\\in\b|\bin\b)\s*(?P<sort>\w+)\s*\)\s*(?=[\w(¬])"
)
_EVERY = re.compile(
    r"(?<![\w)\]}]\s)(?<![\w)\]}])(?P<word>all|every|each|some|no|for)\s+(?P<name>[^\W\d]\w*)\s*"
    r"(?:(?:\bin\b|∈)\s*(?P<sort>\w+)\s*[:,]|:(?:\s*(?P<of>[A-Z]\w*)\s*[:,.])?)\s*",
    re.IGNORECASE,
)
_COUNT_WHERE = re.compile(
    r"\bcount\s*\(\s*(?P<name>\w+)\s+(?:in|∈)\s+(?P<sort>\w+)\s+(?:where|such\s+that|with|if)\s+",
    re.IGNORECASE,
)
_BRACES = re.compile(r"\b(?P<word>max|min|sum)\s*\{(?P<items>[^{}|:]*)\}", re.IGNORECASE)
_PLAIN = (
    (re.compile(r"\band\s*/\s*or\b", re.IGNORECASE), "or"),
    (re.compile(r"(?<=[\w)\]])\s+or\s+else\b", re.IGNORECASE), " or"),
    (re.compile(r"(?<=[\w)\]])\s+(?:and\s+(?:then|also)|as\s+well\s+as)\b", re.IGNORECASE), " and"),
)
_NOT_THE_CASE = re.compile(r"\bit\s+is\s+(?:not\s+the\s+case|false|not\s+true)\s+that\s+", re.IGNORECASE)
_WIDE = re.compile(r"\s{100}")
"""Room between words that nobody leaves; the patterns here may go over it again for each of its places."""
_NO_NULL = "each function has a value for each argument: add a predicate such as `has_value(x)`"


def worded(text: str) -> Fault | None:
    """The fault of the first such words in a text that the grammar rejects; None where there are none.

    None also for a text of more than `MOST_CHARACTERS`, or with a hundred blanks in a row.
    """
    if len(text) > MOST_CHARACTERS or _WIDE.search(text) is not None:
        return None
    readers: tuple[Callable[[str], Fault | None], ...] = (
        _selected,
        _counted_all,
        _count_where,
        _counted,
        _numbered,
        _quantified,
        _not_the_case,
        _related,
        _neither,
        _compared,
        _same_side,
        _unclosed_binder,
        _in_braces,
        _cast,
        _plain_words,
    )
    found = (reader(text) for reader in readers)
    return next((each for each in found if each is not None), None)


def _is_outside(text: str, at: int) -> bool:
    """Whether a place is outside of strings."""
    return text.count('"', 0, at) % 2 == 0 and text.count("'", 0, at) % 2 == 0


def _begins_operand(text: str, at: int) -> bool:
    """Whether an operator, an opening bracket or nothing stands before a place."""
    before = text[max(0, at - _TAIL) : at].rstrip()
    return not before or _OPERATOR.search(before) is not None


def _end(text: str, start: int, stop: re.Pattern[str] | None = None) -> int:
    """Where the brackets around a place close, or what `stop` matches outside of further ones begins."""
    depth = 0
    for at in range(start, len(text)):
        if depth == 0 and stop is not None and stop.match(text, at):
            return at
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth < 0:
            return at
    return len(text)


def _items(text: str) -> list[str]:
    """Parts between commas outside of brackets; a last one without its `and`."""
    parts, at = [], 0
    while at <= len(text):
        end = _end(text, at, re.compile(","))
        parts.append(text[at:end].strip())
        at = end + 1
    first = _JOINER.match(parts[-1])
    if first is not None:
        parts[-1] = parts[-1][first.end() :].strip()
    joint = _end(parts[-1], 0, _JOINER)
    word = _JOINER.match(parts[-1], joint)
    if word is not None:
        parts[-1:] = [parts[-1][:joint].strip(), parts[-1][word.end() :].strip()]
    return parts


# --- counts --------------------------------------------------------------------------------------


def _counted(text: str) -> Fault | None:
    """`at least two of p, q, r`."""
    found = _COUNT.search(text)
    if found is None or not _is_outside(text, found.start()):
        return None
    if not _begins_operand(text, found.start()):
        return None
    start = found.end()
    end = _end(text, start, _STOP)
    if text[start : start + 1] in ("(", "[", "{"):
        inside, end = text[start + 1 : _end(text, start + 1)], _end(text, start + 1) + 1
    else:
        inside = text[start:end].rstrip()
        end = start + len(inside)
    items = _items(inside)
    if len(items) < 2 or not all(items):
        return None
    words = text[found.start() : found.end()].strip().rstrip(":").strip()
    helps = ("for at least one of them write `Or(p, q)`",) if words.lower() == "one of" else ()
    return replaced(found.start(), end, _cardinality(found, items), f"`{words}` is not an operator", *helps)


def _cardinality(found: re.Match[str], items: list[str]) -> str:
    listed = ", ".join(items)
    if found["all"]:
        names = {"none": "NoneOf", "all": "And", "each": "And", "one": "ExactlyOne"}
        return f"{names.get(found['all'].lower(), 'Or')}({listed})"
    bound, word = " ".join(found["bound"].lower().split()), found["number"].lower()
    number = _NUMBERS[word] if word in _NUMBERS else int(word)
    negated = bound.startswith("no ")
    bound = bound.removeprefix("no ")
    if bound in ("exactly", "precisely"):
        return f"ExactlyOne({listed})" if number == 1 else f"Exactly({number}, [{listed}])"
    if bound == "more than":
        name, number = ("AtMost", number) if negated else ("AtLeast", number + 1)
    elif bound in ("fewer than", "less than"):
        name, number = ("AtLeast", number) if negated else ("AtMost", number - 1)
    else:
        name = "AtLeast" if bound == "at least" else "AtMost"
    if number < 1:
        return f"NoneOf({listed})" if name == "AtMost" else "True"
    return f"{name}({number}, [{listed}])"


def _neither(text: str) -> Fault | None:
    """`neither p nor q`."""
    found = _NEITHER.search(text)
    if found is None or not _is_outside(text, found.start()):
        return None
    parts, at = [], found.end()
    while True:
        end = _end(text, at, re.compile(rf"{_STOP.pattern}|,|\b(?:nor|and|or)\b"))
        parts.append(text[at:end].strip())
        nor = re.compile(r"nor\b", re.IGNORECASE).match(text, end)
        if nor is None:
            break
        at = nor.end()
    if len(parts) < 2 or not all(parts):
        return None
    stop = at + len(text[at:end].rstrip())
    return replaced(found.start(), stop, f"NoneOf({', '.join(parts)})", "`neither` is not an operator")


def _counted_all(text: str) -> Fault | None:
    """`COUNT(*)`."""
    found = _COUNT_ALL.search(text)
    if found is None or not _is_outside(text, found.start()):
        return None
    helps = ("write `Count([x: Sort], p(x))` for the number of those of which `p` holds",)
    return Fault("POT1020", *found.span(), {"problem": "there are no rows to count"}, "", helps)


def _selected(text: str) -> Fault | None:
    """`SELECT COUNT(*) FROM S WHERE p(x)`, `EXISTS (SELECT x FROM S WHERE p(x))`."""
    found = _SELECT.search(text)
    if found is None or not _is_outside(text, found.start()):
        return None
    end = _end(text, found.end(), re.compile(";"))
    condition = text[found.end() : end].strip()
    fold, what = _FOLD.fullmatch(found["what"].strip()), found["what"].strip()
    name = found["name"] or (what if what.isidentifier() else "x")
    binder, after = f"[{name}: {found['sort']}]", end
    written = None
    if found["exists"]:
        written, after = f"Exists({binder}, {condition or 'True'})", end + 1
    elif fold is not None and fold[1].upper() == "COUNT":
        written = f"Count({binder}, {condition or 'True'})"
    elif fold is not None and fold[1].upper() == "SUM":
        written = f"Sum({binder}, {f'If({condition}, {fold[2]}, 0)' if condition else fold[2]})"
    elif fold is not None and not condition:
        written = f"{ {'AVG': 'Average'}.get(fold[1].upper(), fold[1].capitalize()) }({binder}, {fold[2]})"
    problem = "there are no queries"
    if written is not None:
        return replaced(found.start(), after, written, problem)
    helps = ("range with `Exists([x: Sort], p)`, `Count([x: Sort], p)`, `Sum([x: Sort], f)` and the like",)
    return Fault("POT1020", *found.span(), {"problem": problem}, "", helps)


def _count_where(text: str) -> Fault | None:
    """`count(x in S where p(x))`."""
    found = _COUNT_WHERE.search(text)
    if found is None or not _is_outside(text, found.start()):
        return None
    end = _end(text, found.end())
    written = f"Count([{found['name']}: {found['sort']}], {text[found.end() : end].strip()})"
    return replaced(found.start(), end + 1, written, "`Count` ranges by a binder")


# --- quantifiers ---------------------------------------------------------------------------------


def _numbered(text: str) -> Fault | None:
    """`at least 2 x in S: p(x)`, `∃≥2 x: p(x)`."""
    found = _NUMBERED.search(text)
    if found is None or not _is_outside(text, found.start()) or not _begins_operand(text, found.start()):
        return None
    sign = " ".join((found["sign"] or found["bound"]).lower().split())
    names = {"≥": "AtLeast", ">=": "AtLeast", "at least": "AtLeast"}
    names |= {"≤": "AtMost", "<=": "AtMost", "at most": "AtMost"}
    word = found["number"].lower()
    number = _NUMBERS[word] if word in _NUMBERS else int(word)
    return _ranging(text, found, f"{names.get(sign, 'Exactly')}({number}, ", found["sort"])


def _quantified(text: str) -> Fault | None:
    """`every x in S: p(x)`, `no x: p(x)`, `(∀x ∈ S) p(x)`."""
    found = _ENCLOSED.search(text)
    if found is not None and _is_outside(text, found.start()):
        name = "ForAll" if found["sign"] in ("∀", "\\forall") else "Exists"
        return _ranging(text, found, f"{name}(", found["sort"])
    found = _EVERY.search(text)
    if found is None or not _is_outside(text, found.start()) or not _begins_operand(text, found.start()):
        return None
    name = {"some": "Exists(", "no": "not Exists("}.get(found["word"].lower(), "ForAll(")
    return _ranging(text, found, name, found["sort"] or found["of"])


def _ranging(text: str, found: re.Match[str], head: str, sort: str | None) -> Fault | None:
    """The call of a quantifier with a binder; its body goes on to where the brackets around it close."""
    end = _end(text, found.end())
    body = text[found.end() : end].strip()
    if not body:
        return None
    binder = f"[{found['name']}: {sort}]" if sort else f"[{found['name']}]"
    return replaced(found.start(), end, f"{head}{binder}, {body})", "a quantifier is written as a call")


def _not_the_case(text: str) -> Fault | None:
    """`it is not the case that p`."""
    found = _NOT_THE_CASE.search(text)
    if found is None or not _is_outside(text, found.start()):
        return None
    end = _end(text, found.end())
    written = f"Not({text[found.end() : end].strip()})"
    return replaced(found.start(), end, written, "words are no operators here")


# --- comparisons ---------------------------------------------------------------------------------


def _compared(text: str) -> Fault | None:
    """`n is at least 3`, `n greater than 3`, `n is even`, `n IS NOT NULL`."""
    for found in islice(_COMPARED.finditer(text), _MOST):
        if _is_outside(text, found.start()) and not _begins_operand(text, found.start()):
            start = found.start() + len(found[0]) - len(found[0].lstrip())
            problem = f"`{' '.join(found[0].split())}` is not an operator"
            if found["null"]:
                return Fault("POT1020", start, found.end(), {"problem": problem}, "", (_NO_NULL,))
            return replaced(start, found.end(), _comparison(found), problem)
    return None


def _comparison(found: re.Match[str]) -> str:
    if found["kind"]:
        return _KINDS[found["kind"].lower()]
    if found["bound"]:
        return ">=" if found["bound"].lower() == "least" else "<="
    if found["empty"]:
        return f"{'!=' if found['full'] else '=='} EmptySet"
    if not found["more"]:
        words = found[0].split()
        if words[-1].lower() in ("in", "of"):
            return "not in" if found["out"] else "in"
        return "!=" if found["differs"] else "=="
    sign = ">" if found["more"].lower() in _GREATER else "<"
    sign += "=" if found["equal"] else ""
    return {">": "<=", "<": ">=", ">=": "<", "<=": ">"}[sign] if found["no"] else sign


def _related(text: str) -> Fault | None:
    """`S is a subset of T`, `s contains "a"`, `s starts with "a"`."""
    found = _RELATED.search(text)
    if found is None or not _is_outside(text, found.start()):
        return None
    start = _operand_start(text[: found.start()])
    left = text[start : found.start()].strip()
    end = _end(text, found.end(), re.compile(rf"{_STOP.pattern}|,|\b(?:and|or)\b|&&|\|\||[∧∨]"))
    right = text[found.end() : end].strip()
    if not left or not right:
        return None
    after = found.end() + len(text[found.end() : end].rstrip())
    sub, edge = found["sub"], found["edge"]
    if sub:
        written = f"Subset({left}, {right})" if sub == "subset" else f"Subset({right}, {left})"
    elif edge:
        written = f"{'EndsWith' if edge == 'ends' else 'StartsWith'}({left}, {right})"
    elif right[0] in "\"'":
        written = f"Contains({left}, {right})"
    else:
        written = f"Member({right}, {left})"
    start += len(text[start : found.start()]) - len(text[start : found.start()].lstrip())
    return replaced(start, after, written, f"`{' '.join(found[0].split())}` is not an operator")


def _same_side(text: str) -> Fault | None:
    """`n >= 3 and <= 5`: the left side is that of the comparison before."""
    for found in islice(_SAME_SIDE.finditer(text), _MOST):
        term = _left_side(text[: found.start()]) if _is_outside(text, found.start()) else ""
        if term:
            start, end = found.span("sign")
            problem = f"`{found['sign']}` has nothing on its left"
            before = "" if text[start - 1].isspace() else " "
            return replaced(start, end, f"{before}{term} {found['sign']}", problem)
    return None


def _left_side(text: str) -> str:
    """The left side of the last comparison, if it stands outside of brackets that are closed behind it."""
    depth, sign = 0, None
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth < 0:
            break
        if depth == 0 and (found := _SIGN.match(text, at)) is not None:
            sign = found
        elif sign is not None and text[at] == ",":
            break
    if sign is None:
        return ""
    before = text[: sign.start()]
    return before[_operand_start(before) :].strip()


def _operand_start(before: str) -> int:
    """Where the operand that ends a text begins: behind a connective, a comma or an opening bracket."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        depth += (before[at] in ")]}") - (before[at] in "([{")
        found = _BOUNDARY.match(before, at) if depth == 0 else None
        if depth < 0 or found is not None:
            return at + 1 if found is None else found.end()
    return 0


# --- calls ---------------------------------------------------------------------------------------


def _unclosed_binder(text: str) -> Fault | None:
    """`ForAll([x: S]) p(x)`."""
    found = _BINDER.search(text)
    if found is None or not _is_outside(text, found.start()):
        return None
    end = _end(text, found.end())
    written = f"{found[1]}({found[2]}, {text[found.end() : end].strip()})"
    return replaced(found.start(), end, written, f"the body of `{found[1]}` stands outside of its brackets")


def _cast(text: str) -> Fault | None:
    """`(int) f(x)`."""
    found = _CAST.search(text)
    if found is None:
        return None
    end = _end(text, text.index("(", found.end()) + 1) + 1
    written = f"{_CASTS[found[1]]}({text[found.end() : end]})"
    return replaced(found.start(), end, written, "a sort before a term does not change its sort")


def _in_braces(text: str) -> Fault | None:
    """`max{a, b}`."""
    found = _BRACES.search(text)
    if found is None or not found["items"].strip() or not _is_outside(text, found.start()):
        return None
    written = f"{found['word'].capitalize()}({found['items'].strip()})"
    return replaced(*found.span(), written, "arguments stand in parentheses")


def _plain_words(text: str) -> Fault | None:
    """`and/or`, `or else`, `and also`."""
    for pattern, word in _PLAIN:
        found = pattern.search(text)
        if found is not None and _is_outside(text, found.start()):
            words = " ".join(found[0].split())
            return replaced(*found.span(), word, f"`{words}` is not an operator")
    return None
