"""Templates: descriptions of symbols that say how the symbol is said ([WORDS-TEMPLATE])."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from potlang.expressions import surface as s

HOLE = re.compile(r"\{([^\W\d]\w*|\d{1,2})\}")
_LETTERS = (("x", "y", "z"), ("a", "b", "c"), ("u", "v", "w"))
_MEMBER = re.compile(r"\{[^\W\d]\w*\}\s+is\s+an?\s+(\S.*)")
_WHOLE = re.compile(r"\{([^{}]*[^{}\s][^{}]*)\}")


class DescriptionTemplate(NamedTuple):
    """The words of a template, without a final stop, and the argument that each hole stands for."""

    words: str
    order: tuple[int, ...] = ()

    def pattern(self) -> str:
        """The template with its holes by number."""
        numbers = iter(self.order)
        return HOLE.sub(lambda _: f"{{{next(numbers)}}}", self.words)


class Templates(NamedTuple):
    """The templates of a program: of functions and constants by name, of sorts by name, and mistakes."""

    functions: dict[str, DescriptionTemplate]
    sorts: dict[str, DescriptionTemplate]
    mistakes: list[tuple[str, TemplateMistake]]
    """Each with the pointer of its description."""


class TemplateMistake(NamedTuple):
    """A template that cannot be used: the place of the trouble in it, what is wrong, what to do."""

    start: int
    end: int
    problem: str
    help: str


def templates_of(program: s.ParsedProgram) -> Templates:
    """The templates among the descriptions of a program; all others are prose ([WORDS-PROSE])."""
    found = Templates({}, {}, [])
    places: dict[str, str] = {}
    for function in program.functions:
        if function.description is not None:
            template = _of_function(function)
            place = f"{function.pointer}/description"
            if isinstance(template, TemplateMistake):
                found.mistakes.append((place, template))
            elif template is not None:
                found.functions[function.name] = template
                places[function.name] = place
    for sort in program.sorts:
        noun = sort_template(sort.description)
        if noun is not None:
            found.sorts[sort.name] = noun
    return _with_packs(program, _told_apart(found, places))


def _with_packs(program: s.ParsedProgram, found: Templates) -> Templates:
    """With the templates of packs, for the symbols that the program says nothing of.

    Symbols that a program has under another name than the pack are said by that name.
    """
    own = {function.name for function in program.functions if function.description is not None}
    forms = {_form(template.words) for template in found.functions.values()}
    for item in program.imports:
        for symbol in item.loaded.symbols if item.loaded is not None else ():
            if symbol.description is None or symbol.name in item.substitution or symbol.name in own:
                continue
            template = _of_function(
                s.FunctionDecl(
                    symbol.name,
                    symbol.domain,
                    symbol.range,
                    item.pointer,
                    symbol.params,
                    description=symbol.description,
                )
            )
            if isinstance(template, DescriptionTemplate) and _form(template.words) not in forms:
                found.functions[symbol.name] = template
                forms.add(_form(template.words))
    return found


def _form(words: str) -> str:
    """A template but for what stands in its holes."""
    return " ".join(HOLE.sub("{}", words).lower().split())


def _of_function(function: s.FunctionDecl) -> DescriptionTemplate | TemplateMistake | None:
    description = function.description or ""
    if not function.domain:
        return name_template(description)
    if not HOLE.search(description):
        return None
    params = [each.name for each in function.params or ()]
    names = params if len(params) == len(function.domain) else [None] * len(function.domain)
    return function_template(description, names, [sort.name for sort in function.domain])


def _told_apart(found: Templates, places: dict[str, str]) -> Templates:
    """Without the templates that read like an earlier one, but for what stands in their holes."""
    first: dict[str, str] = {}
    for name in list(found.functions):
        words = found.functions[name].words
        other = first.setdefault(_form(words), name)
        if other != name:
            problem = f"the template reads like that of `{other}`"
            help_ = "say in other words what tells the two apart"
            found.mistakes.append((places[name], TemplateMistake(0, 0, problem, help_)))
            del found.functions[name]
    return found


def function_template(
    description: str, params: Sequence[str | None], sorts: Sequence[str]
) -> DescriptionTemplate | TemplateMistake:
    """The template of a function, whose parameters have these names, if any, and these sorts."""
    words = description.strip().removesuffix(".").rstrip()
    start = len(description) - len(description.lstrip())
    found = list(HOLE.finditer(words))
    known = _known(params, sorts, [each[1] for each in found])
    order: list[int] = []
    for each in found:
        at = known.get(each[1])
        if at is None:
            choices = ", ".join(f"{{{name}}}" for name in _suggested(params, sorts))
            problem = f"the hole `{each[0]}` names no parameter"
            return TemplateMistake(
                start + each.start(), start + each.end(), problem, f"the parameters are {choices}"
            )
        if at in order:
            return TemplateMistake(
                start + each.start(),
                start + each.end(),
                f"the hole `{each[0]}` stands for a parameter that has a hole already",
                "each parameter has one hole",
            )
        order.append(at)
    for at, name in enumerate(_suggested(params, sorts)):
        if at not in order:
            return TemplateMistake(
                0, len(description), f"there is no hole for `{{{name}}}`", f"write `{{{name}}}`"
            )
    if not re.search(r"\w", HOLE.sub("", words)):
        return TemplateMistake(0, len(description), "there is no word beside the holes", "write a sentence")
    between = re.search(r"\}\s*\{", words)
    if between is not None:
        return TemplateMistake(
            start + between.start(),
            start + between.end(),
            "two holes without a word between them",
            "write a word there",
        )
    return DescriptionTemplate(words, tuple(order))


def sort_template(description: str | None) -> DescriptionTemplate | None:
    """The noun of a sort whose description is `{x} is a …`."""
    found = _MEMBER.fullmatch((description or "").strip().removesuffix("."))
    return None if found is None else DescriptionTemplate(found[1])


def name_template(description: str | None) -> DescriptionTemplate | None:
    """The words of a constant whose description is wholly in braces: `{the head of sales}`."""
    found = _WHOLE.fullmatch((description or "").strip())
    return None if found is None else DescriptionTemplate(found[1].strip())


def _known(params: Sequence[str | None], sorts: Sequence[str], used: Sequence[str]) -> dict[str, int]:
    """The parameters by all names that they may have in a template."""
    count = len(params)
    known: dict[str, int] = {}
    for letters in _LETTERS:
        if count <= len(letters):
            known |= {letter: at for at, letter in enumerate(letters[:count])}
    low = [sort.lower() for sort in sorts]
    known |= {sort: at for at, sort in enumerate(low) if low.count(sort) == 1}
    known |= {sorts[at]: at for at, sort in enumerate(low) if low.count(sort) == 1}
    known |= {str(at + 1): at for at in range(count)}
    known |= {name: at for at, name in enumerate(params) if name is not None}
    if count == 1 and len(set(used)) == 1:
        known[used[0]] = 0
    return known


def _suggested(params: Sequence[str | None], sorts: Sequence[str]) -> list[str]:
    letters = _LETTERS[0]
    usual = letters if len(params) <= len(letters) else [str(at + 1) for at in range(len(params))]
    return [name if name is not None else usual[at] for at, name in enumerate(params)]
