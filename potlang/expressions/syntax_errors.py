"""Says what is wrong with an expression or a sort that the grammar rejects, and finds all of it.

The text is read again with forgiving tokens, the brackets are matched, and the parser is resumed at
the next argument after each error.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from potlang.diag.model import Fix, Replace
from potlang.expressions.actions import Correction, Fault, StringReading
from potlang.expressions.amounts import without_amounts
from potlang.expressions.latex import latex
from potlang.expressions.parser import Parser, parse_tokens
from potlang.expressions.phrases import Phrases, short
from potlang.expressions.prefix_notation import prefix_notation
from potlang.expressions.set_signs import set_signs
from potlang.expressions.surface import Name
from potlang.expressions.syntax_words import BINDERS, CLOSING, OPENING, VALUE_ENDS, WORD_OPERATORS, describe
from potlang.expressions.tables import END, Token, tables, tokenize
from potlang.expressions.tolerant_lexer import MOST, SAFE, UNSAFE, ErrorTolerantLexer, syntax
from potlang.expressions.worded import worded

if TYPE_CHECKING:
    from potlang.diag.sink import Sink

_MANY = 1_000
_REMEMBERED = 64
_LONG_TEXT = 20_000
_ROUNDS = 3
_LONGEST_COMPLETED = 4_000
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def explain_expression(text: str, pointer: str, sink: Sink) -> None:
    """Reports every syntax error of `text`, at least one."""
    if not text.strip():
        sink.report("POT1026", pointer)
        return
    if len(sink) > _MANY:
        sink.report("POT1020", pointer, problem="this is not an expression")
        return
    remark = _comment(text)
    if remark is not None:
        remark.report(pointer, sink)
        return
    problems = _faults(text) if len(text) <= _LONG_TEXT else _faults.__wrapped__(text)
    if len(problems) == 1 and not sink.is_full:
        problems = (_with_working_fixes(problems[0], text),)
    for problem in problems[:MOST]:
        problem.report(pointer, sink)
    if not problems:
        sink.report("POT1020", pointer, problem="this is not an expression")


@lru_cache(maxsize=_REMEMBERED)
def _faults(text: str) -> tuple[Fault, ...]:
    """The faults of an expression; remembered, since a repair of one is tried beside the others."""
    forgiving = ErrorTolerantLexer(text)
    tokens, amounts = without_amounts(forgiving.tokens)
    problems = [*forgiving.problems, *amounts]
    phrase = (
        prefix_notation(text)
        or latex(text)
        or set_signs(tokens, text)
        or worded(text)
        or Phrases(tokens, text).fault()
    )
    if phrase is not None:
        # What the words of a phrase are taken for is no problem of its own.
        problems = [each for each in problems if not _overlaps(each, phrase)] + [phrase]
    elif not forgiving.stopped:
        brackets = _match_brackets(tokens, text)
        problems += brackets or ([] if forgiving.unreadable else _parse_on(tokens))
    if phrase is not None and not _works(phrase, text):
        # With the other slips mended too, the whole of it may be written.
        whole = _completed(phrase, text)
        problems = problems if whole is None else [whole]
    return tuple(problems)


def _comment(text: str) -> Fault | None:
    """The fault of a comment at the end of a formula."""
    found = None
    for match in re.finditer(r"\s(?:#(?![bx][0-9a-fA-F])|//|--)\s.*|\s#\w.*", text, re.DOTALL):
        before = text[: match.start()]
        if before.count('"') % 2 == 0 and before.count("'") % 2 == 0:
            found = match
            break
    if found is None or not text[: found.start()].strip():
        return None
    start = found.start() + 1
    fix = Correction("remove the comment", UNSAFE, ((found.start(), len(text), ""),))
    helps = ("put it into the `description` of the item",)
    return Fault("POT1020", start, len(text), {"problem": "formulas have no comments"}, "", helps, (fix,))


def _overlaps(one: Fault, other: Fault) -> bool:
    return one.start < other.end and other.start < one.end


def explain_sort(text: str, pointer: str, reading: StringReading, sink: Sink) -> None:
    """Reports what is wrong with a sort."""
    tokens = tokenize(text)
    stop = parse_tokens(tokens, "sort", StringReading(pointer))
    brackets = _match_brackets(tokens, text)
    if brackets:
        brackets[0].report(pointer, sink)
    elif reading.faults:
        for fault in reading.faults:
            fault.report(pointer, sink)
    else:
        token = tokens[stop.index]
        helps, fixes = _sort_help(tokens, pointer)
        span = (token.start, max(token.end, token.start + (token.kind != END)))
        problem = f"unexpected `{token.text}`" if token.text else "it is not finished"
        sink.report("POT1025", pointer, span=span, problem=problem, helps=helps, fixes=fixes)


def _sort_help(tokens: list[Token], pointer: str) -> tuple[list[str], list[Fix]]:
    if any(token.kind == "IMPLIES" for token in tokens):
        return ["the sort of functions is `FunctionSort(A, B)`, its last part the result"], []
    square = [token for token in tokens if token.text in ("[", "]", "<", ">")]
    helps = ["a sort is a name, perhaps with arguments: `ArraySort(Int, Bool)`"]
    if not square:
        return helps, []
    edits = [Replace(pointer, token.start, token.end, "(" if token.text in "[<" else ")") for token in square]
    return helps, [Fix("use parentheses", UNSAFE, tuple(edits))]


def _match_brackets(tokens: list[Token], text: str) -> list[Fault]:
    """Problems of brackets: one without its partner, or two that do not match."""
    stack: list[Token] = []
    for token in tokens:
        if token.kind in OPENING:
            stack.append(token)
        elif token.kind in CLOSING:
            if not stack:
                return [_extra(token, text)]
            opening = stack.pop()
            if _PAIRS[opening.text] != token.text:
                return [_mismatch(opening, token)]
    return [_unclosed(stack, text)] if stack else []


def _extra(token: Token, text: str) -> Fault:
    without = text[: token.start] + text[token.end :]
    trust = SAFE if not text[token.end :].strip(" )]}") and _parses(without) else UNSAFE
    fix = Correction(f"remove the `{token.text}`", trust, ((token.start, token.end, ""),))
    problem = f"`{token.text}` closes no bracket"
    return syntax(token.start, token.end, problem, corrections=(fix,))


def _mismatch(opening: Token, closing: Token) -> Fault:
    right = _PAIRS[opening.text]
    fixes = (
        Correction(f"insert `{right}`", UNSAFE, ((closing.start, closing.start, right),)),
        Correction(f"write `{right}` instead", UNSAFE, ((closing.start, closing.end, right),)),
    )
    related = ((closing.start, closing.end, f"`{closing.text}` does not close it"),)
    fields = {"bracket": opening.text}
    return Fault("POT1021", opening.start, opening.end, fields, "opened here", (), fixes, related)


def _unclosed(stack: list[Token], text: str) -> Fault:
    """One problem for all brackets that are still open at the end."""
    closers = "".join(_PAIRS[token.text] for token in reversed(stack))
    end = len(text.rstrip())
    trust = SAFE if _parses(text[:end] + closers) else UNSAFE
    fix = Correction(f"insert `{closers}` at the end", trust, ((end, end, closers),))
    first = stack[-1]
    related = tuple((token.start, token.end, "this one too") for token in reversed(stack[:-1][-3:]))
    fields = {"bracket": first.text}
    return Fault("POT1021", first.start, first.end, fields, "opened here", (), (fix,), related)


def _with_working_fixes(problem: Fault, text: str) -> Fault:
    """The only problem of `text`, with those of its corrections that give an expression."""
    if len(text) > _LONG_TEXT:
        return problem
    working = tuple(one for one in problem.corrections if _parses(_corrected(text, one)))
    whole = None if working else _completed(problem, text)
    return problem._replace(corrections=working) if whole is None else whole


def _works(problem: Fault, text: str) -> bool:
    return any(_parses(_corrected(text, one)) for one in problem.corrections)


def _completed(problem: Fault, text: str) -> Fault | None:
    """The problem with a correction that mends the other spellings in the text too; None without one."""
    if len(text) > _LONGEST_COMPLETED:
        return None
    for one in problem.corrections[:1]:
        made: str | None = _corrected(text, one)
        for _ in range(_ROUNDS):
            made = None if made is None else _spelt(made)
            if made is not None and _parses(made):
                fix = Correction(f"write `{short(made)}`", UNSAFE, ((0, len(text), made),))
                helps = problem.helps
                if helps[:1] == (one.title,):
                    helps = (fix.title, *helps[1:])
                return problem._replace(corrections=(fix,), helps=helps)
    return None


def _spelt(text: str) -> str | None:
    """The text with the first correction of each slip; None where one has no correction."""
    forgiving = ErrorTolerantLexer(text)
    if not all(each.corrections for each in forgiving.problems):
        return None
    edits = [edit for each in forgiving.problems for edit in each.corrections[0].edits]
    for previous, token, following in zip(
        [None, *forgiving.tokens], forgiving.tokens, forgiving.tokens[1:], strict=False
    ):
        word = WORD_OPERATORS.get(token.text) if token.kind == "NAME" else None
        if word is not None and previous is not None and previous.kind in VALUE_ENDS:
            edits.append((token.start, token.end, word[1]))
        elif token.kind == "NAME" and token.text == "NOT" and following.kind in ("NAME", "QUOTED"):
            edits.append((token.start, token.end, "not"))
    return _corrected(text, Correction("", UNSAFE, tuple(edits))) if edits else None


def _corrected(text: str, correction: Correction) -> str:
    for start, end, new in sorted(correction.edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _parses(text: str) -> bool:
    reading = StringReading("")
    return parse_tokens(tokenize(text), "expression", reading).reason == "accepted" and not reading.faults


def _parse_on(tokens: list[Token]) -> list[Fault]:
    """The errors that the parser meets, resumed after each at the next argument."""
    reading = StringReading("")
    parser = Parser("expression", reading)
    tokens = list(tokens)
    problems: list[Fault] = []
    stop = parser.run(tokens)
    while stop.reason == "rejected" and len(problems) < MOST:
        token = tokens[stop.index]
        previous = tokens[stop.index - 1] if stop.index else None
        word = _word_operator(parser, previous, token)
        if word is not None:
            kind, meant = word
            problems.append(_no_word(token, meant))
            tokens[stop.index] = Token(kind, meant, token.start, token.end)
            stop = parser.run(tokens, stop.index)
            continue
        expected = _expected_terminals(parser)
        problems.append(_applied(tokens, stop.index) or _juxtaposed(tokens, stop.index, expected))
        index = _resume(parser, tokens, stop.index)
        if index is None:
            break
        stop = parser.run(tokens, index)
    return problems + reading.faults


def _applied(tokens: list[Token], index: int) -> Fault | None:
    """`f[a]`: a function is applied with parentheses; None for anything else."""
    name, opening = tokens[index - 1], tokens[index]
    close = _next_argument(tokens, index + 1)
    while close is not None and tokens[close].kind == "COMMA":
        close = _next_argument(tokens, close + 1)
    if (
        name.kind not in ("NAME", "QUOTED")
        or opening.kind != "LSQB"
        or close is None
        or opening.start > name.end
    ):
        return None
    closing = tokens[close]
    if closing.kind != "RSQB" or name.text in BINDERS:
        return None
    edits = ((opening.start, opening.end, "("), (closing.start, closing.end, ")"))
    fix = Correction(f"write `{name.text}(…)`", UNSAFE, edits)
    fault = describe(name, opening, [])
    return fault._replace(corrections=(fix,))


def _juxtaposed(tokens: list[Token], index: int, expected: list[str]) -> Fault:
    """The fault of a token; `f x` of two names may be applied as in Haskell."""
    previous, token = tokens[index - 1] if index else None, tokens[index]
    fault = describe(previous, token, expected)
    is_pair = previous is not None and previous.kind == token.kind == "NAME" and previous.text not in BINDERS
    if previous is None or not is_pair or tokens[index + 1].text == "(" or "COMMA" in expected:
        return fault
    edits = ((previous.end, token.start, "("), (token.end, token.end, ")"))
    fix = Correction(f"write `{previous.text}({token.text})`", UNSAFE, edits)
    return fault._replace(corrections=(*fault.corrections, fix))


def _word_operator(parser: Parser, previous: Token | None, token: Token) -> tuple[str, str] | None:
    word = WORD_OPERATORS.get(token.text) if token.kind == "NAME" and previous is not None else None
    return word if word is not None and _accepts(parser, word[0]) else None


def _no_word(token: Token, meant: str) -> Fault:
    fix = Correction(f"write `{meant}`", SAFE, ((token.start, token.end, meant),))
    helps = (f"write `{meant}`",)
    return syntax(
        token.start, token.end, f"`{token.text}` is not an operator", helps=helps, corrections=(fix,)
    )


def _expected_terminals(parser: Parser) -> list[str]:
    """The terminals that the parser would take next."""
    kinds = [*tables().actions[parser.states[-1]], END]
    return [kind for kind in dict.fromkeys(kinds) if _accepts(parser, kind)]


def _accepts(parser: Parser, kind: str) -> bool:
    """Whether the parser would take a token of this kind: reductions are tried on a copy of the states."""
    grammar = tables()
    states = list(parser.states)
    while not (kind == END and states[-1] == parser.final):
        move = grammar.actions[states[-1]].get(kind)
        if move is None:
            return False
        if move >= 0:
            return True
        rule = grammar.rules[-1 - move]
        del states[len(states) - rule.length :]
        states.append(grammar.gotos[states[-1]][rule.origin])
    return True


def _resume(parser: Parser, tokens: list[Token], index: int) -> int | None:
    """Takes the broken argument for read and says where to go on; None if no bracket is open."""
    gotos = tables().gotos
    parser.settle()
    open_at = len(parser.states) - 1
    while open_at >= 0 and "item" not in gotos[parser.states[open_at]]:
        open_at -= 1
    following = _next_argument(tokens, index)
    if open_at < 0 or following is None:
        return None
    place = tokens[index].start
    del parser.states[open_at + 1 :], parser.values[open_at:], parser.starts[open_at:]
    del parser.ends[open_at:], parser.depths[open_at:]
    parser.states.append(gotos[parser.states[-1]]["expression"])
    parser.values.append(Name("", place, place))
    parser.starts.append(place)
    parser.ends.append(place)
    parser.depths.append(0)
    return following if _accepts(parser, tokens[following].kind) else None


def _next_argument(tokens: list[Token], index: int) -> int | None:
    depth = 0
    for at in range(index, len(tokens)):
        kind = tokens[at].kind
        if kind in OPENING:
            depth += 1
        elif depth == 0 and (kind in CLOSING or kind == "COMMA"):
            return at
        elif kind in CLOSING:
            depth -= 1
    return None
