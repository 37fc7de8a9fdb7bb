"""The standard library as a reader sees it: what packs there are, what one says, and which fit some words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from potlang.diag import Sink, nearest
from potlang.diag.near import NearNames
from potlang.expressions import surface as s
from potlang.languages.pot.check import compile
from potlang.languages.pot.read.packs import load_pack
from potlang.languages.pot.read.reader import read_program
from potlang.sema.statements import statement_text
from potlang.utils.resources import pack_file, pack_names
from potlang.words.parts import Unsayable
from potlang.words.speaker import Speaker

Saying = Literal["axiom", "norm", "definition", "law"]

_UNSAID = re.compile(r"^## What it does not say\n+(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^## Example\n.*?```json\n(.*?)```.*?```\n(.*?)```", re.MULTILINE | re.DOTALL)
_WEIGHTS = {
    "name": 8,
    "title": 8,
    "keywords": 6,
    "description": 4,
    "symbols": 3,
    "statements": 2,
    "readme": 1,
}
_SHORTEST_STEM = 4
_SMALL_WORDS = frozenset(
    {
        *("a", "an", "and", "are", "as", "be", "by", "do", "does", "for", "from", "has", "have", "how", "if"),
        *("in", "is", "it", "of", "on", "or", "than", "that", "the", "then", "to", "what", "when", "which"),
        *("who", "whom", "with"),
    }
)


class PackSummary(NamedTuple):
    """A pack in one line."""

    name: str
    title: str
    description: str


class PackParameter(NamedTuple):
    """A parameter: `T`, `le(T, T): Bool`, and what the pack says of it beyond its axioms."""

    name: str
    signature: str
    notes: tuple[str, ...] = ()


class PackStatement(NamedTuple):
    """An axiom, a norm, a definition or a law; `words` None where no sentence says it."""

    kind: Saying
    name: str
    formula: str
    words: str | None


class ImportedPack(NamedTuple):
    """A pack that another one imports: how it is bound, and what it assumes in its own names."""

    name: str
    bound: tuple[str, ...]
    statements: tuple[PackStatement, ...]


class PackPage(NamedTuple):
    """All that there is to say of a pack. `verdicts` has a line for each answer to the program `example`."""

    summary: PackSummary
    parameters: tuple[PackParameter, ...]
    imports: tuple[ImportedPack, ...]
    statements: tuple[PackStatement, ...]
    unsaid: str
    example: str
    verdicts: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The page as a JSON value."""
        return {
            **self.summary._asdict(),
            "parameters": [{**each._asdict(), "notes": list(each.notes)} for each in self.parameters],
            "imports": [
                {**each._asdict(), "bound": list(each.bound), "statements": _as_dicts(each.statements)}
                for each in self.imports
            ],
            "statements": _as_dicts(self.statements),
            "unsaid": self.unsaid,
            "example": json.loads(self.example),
            "verdicts": list(self.verdicts),
        }


def _as_dicts(statements: Iterable[PackStatement]) -> list[dict[str, Any]]:
    return [each._asdict() for each in statements]


def packs() -> list[PackSummary]:
    """All packs of the standard library, by name.

    >>> from potlang.languages.pot import library
    >>> library.packs()[0].name
    'std/count/majority'
    """
    return [_summary(_value(name)) for name in pack_names()]


def pack(name: str) -> PackPage:
    """The page of a pack; its name may lack what leads to it (`total_order`), if no other ends so.

    Raises KeyError, with the nearest names, where there is no such pack.

    >>> from potlang.languages.pot import library
    >>> library.pack("total_order").statements[0].words
    'For every element x and every element y, x is below y or y is below x.'
    """
    full = _full_name(name)
    value, sink = _value(full), Sink()
    loaded = load_pack(s.ImportDecl(full, {}, ""), sink)
    if loaded is None:
        raise KeyError(full, *(note for each in sink.diagnostics() for note in each.notes))
    speaker = _speaker(loaded)
    laws = read_program({"rules": value.get("laws", [])}, sink)
    readme = pack_file(full, "README.md") or ""
    unsaid, example = _UNSAID.search(readme), _EXAMPLE.search(readme)
    return PackPage(
        _summary(value),
        tuple(_parameters(loaded)),
        tuple(_imported(loaded)),
        (
            *_assumed(loaded, speaker),
            *(_statement(each, speaker, "law") for each in (laws.rules if laws is not None else ())),
        ),
        unsaid[1].strip() if unsaid else "",
        example[1].strip() if example else "{}",
        tuple(example[2].splitlines()) if example else (),
    )


def search(words: str) -> list[PackSummary]:
    """The packs in whose names, titles, keywords, descriptions, symbols or rules all words occur.

    The best come first. Where no pack has all, those that have most of them; where none has any, those whose
    READMEs do. Small words (`is`, `of`) count where there are no others.

    >>> from potlang.languages.pot import library
    >>> [each.name for each in library.search("zebra houses")]
    ['std/puzzle/attributes']
    """
    sought = _sought(words)
    values = [_value(name) for name in pack_names()]
    return _best(sought, values, _fields) or _best(sought, values, _readme)


def near_words(words: str) -> list[str]:
    """Words by which packs are found, and that are near to some that find none.

    >>> from potlang.languages.pot import library
    >>> library.near_words("discuont")
    ['discount']
    """
    known: dict[str, None] = {}
    for name in pack_names():
        known |= dict.fromkeys(token for tokens in _fields(_value(name)).values() for token in tokens)
    names = NearNames([each for each in known if len(each) >= _SHORTEST_STEM])
    return list(dict.fromkeys(near for word in _sought(words) for near in names.nearest(word)))


# --- reading ---------------------------------------------------------------------------------------


def _value(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(pack_file(name, "pack.json") or "")
    return found


def _summary(value: dict[str, Any]) -> PackSummary:
    return PackSummary(value["pack"], value["title"], value["description"])


def _full_name(name: str) -> str:
    names = {each: each for each in pack_names()}
    ends = [each for each in names if each == name or each.endswith(f"/{name}")]
    if len(ends) == 1:
        return ends[0]
    shorter = {each.partition("/")[2]: each for each in names} | {
        each.rpartition("/")[2]: each for each in names
    }
    near = [(names | shorter)[each] for each in nearest(name, [*names, *shorter])]
    raise KeyError(name, *dict.fromkeys(ends or near))


def _parameters(loaded: s.Pack) -> Iterator[PackParameter]:
    for sort in loaded.sorts:
        note = f"one of {', '.join(sort.values)}" if sort.values else "any sort"
        yield PackParameter(
            sort.name, sort.name, (f"{sort.default}, or another sort of numbers" if sort.default else note,)
        )
    for symbol in loaded.symbols:
        domain = f"({', '.join(map(_sort_text, symbol.domain))})" if symbol.domain else ""
        signature = f"{symbol.name}{domain}: {_sort_text(symbol.range)}"
        notes = [symbol.description] if symbol.description else []
        notes += ["defined"] if symbol.defined else []
        notes += ["closed: true only where rules or facts make it so"] if symbol.closed else []
        yield PackParameter(symbol.name, signature, tuple(notes))


def _sort_text(sort: s.SortExpr) -> str:
    # Recursion is bounded: sorts that are read nest no deeper than a limit.
    args = [str(arg) if isinstance(arg, int) else _sort_text(arg) for arg in sort.args]
    return f"{sort.name}({', '.join(args)})" if args else sort.name


def _imported(loaded: s.Pack) -> Iterator[ImportedPack]:
    """The packs that it imports, each followed by those that this one imports."""
    # Recursion is bounded: the imports of packs do not go round.
    for item in loaded.program.imports:
        if item.loaded is not None:
            bound = tuple(f"{parameter} as {name}" for parameter, (name, _) in item.substitution.items())
            yield ImportedPack(item.pack, bound, tuple(_assumed(item.loaded, _speaker(item.loaded))))
            yield from _imported(item.loaded)


def _assumed(loaded: s.Pack, speaker: Speaker) -> Iterator[PackStatement]:
    """Definitions, axioms and norms."""
    yield from (_definition(each, speaker) for each in loaded.definitions)
    yield from (_fact(each, speaker) for each in loaded.program.facts)
    for rule in loaded.program.rules:
        yield _statement(rule, speaker, "norm" if rule.role == "norm" else "axiom")


# --- words -----------------------------------------------------------------------------------------


def _speaker(loaded: s.Pack) -> Speaker:
    """Says formulas over the parameters of a pack, as if they were the symbols of a program."""
    functions = [
        {
            "name": symbol.name,
            "domain": list(map(_sort_text, symbol.domain)),
            "range": _sort_text(symbol.range),
            "params": [{"name": each.name} for each in symbol.params or ()],
            "description": symbol.description,
        }
        for symbol in loaded.symbols
    ]
    letters = [sort.name for sort in loaded.sorts if len(sort.name) == 1]
    nouns = {name: "an element" if len(letters) == 1 else f"an element of {name}" for name in letters}
    sorts = [_sort_item(sort, nouns.get(sort.name)) for sort in loaded.sorts]
    program = compile({"sorts": sorts, "functions": functions})
    return Speaker(program.extension, program.tree)


def _sort_item(sort: s.PackSort, noun: str | None) -> dict[str, Any]:
    """A sort parameter as an item of `sorts`; `noun` for one whose name is a letter, which is no noun."""
    if sort.values:
        return {"name": sort.name, "type": "EnumSort", "values": list(sort.values)}
    item = {"name": sort.name, "type": sort.default or "DeclareSort"}
    return item | ({"description": f"{{x}} is {noun}"} if noun else {})


def _definition(symbol: s.PackSymbol, speaker: Speaker) -> PackStatement:
    assert symbol.body is not None
    params = symbol.params or []
    applied = f"{symbol.name}({', '.join(each.name for each in params)})" if params else symbol.name
    is_formula = symbol.range.name == "Bool"
    text = f"{applied} {'<->' if is_formula else '=='} {symbol.body.text}"
    sorts = {each.name: _sort_text(sort) for each, sort in zip(params, symbol.domain, strict=True)}
    bound = ", ".join(f"{name}: {sort}" for name, sort in sorts.items())
    body = f"({symbol.body.text})"
    whole = f"{applied} <-> {body}" if is_formula else f"{applied} == {body}"
    formula = f"ForAll([{bound}], {whole})" if bound else whole
    return PackStatement("definition", symbol.name, text, _said(lambda: speaker.say(formula)))


def _fact(fact: s.FactDecl, speaker: Speaker) -> PackStatement:
    text = fact.formula.text if fact.value else f"Not({fact.formula.text})"
    return PackStatement("axiom", fact.name or text, text, _said(lambda: speaker.say_fact(fact)))


def _statement(statement: s.StatementDecl, speaker: Speaker, kind: Saying) -> PackStatement:
    words = _said(lambda: speaker.say_statement(statement))
    return PackStatement(kind, statement.name or "", statement_text(statement), words)


def _said(say: Callable[[], str]) -> str | None:
    try:
        return say()
    except Unsayable:
        return None


# --- search ----------------------------------------------------------------------------------------


def _sought(words: str) -> list[str]:
    tokens = _tokens(words)
    return [each for each in tokens if each not in _SMALL_WORDS] or tokens


def _best(
    sought: Sequence[str],
    values: Iterable[dict[str, Any]],
    fields: Callable[[dict[str, Any]], dict[str, list[str]]],
) -> list[PackSummary]:
    """The packs that have most of the words in these fields, by what the fields are worth."""
    found = []
    for value in values:
        known = fields(value)
        scores = [_score(word, known) for word in sought]
        hits = sum(score > 0 for score in scores)
        if hits:
            found.append((-hits, -sum(scores), _summary(value)))
    most = min((hits for hits, _, _ in found), default=0)
    return [summary for hits, _, summary in sorted(found) if hits == most]


def _readme(value: dict[str, Any]) -> dict[str, list[str]]:
    return {"readme": _tokens(pack_file(value["pack"], "README.md") or "")}


def _fields(value: dict[str, Any]) -> dict[str, list[str]]:
    statements = [*value["program"].get("rules", ()), *value.get("laws", ())]
    return {
        "name": _tokens(value["pack"]),
        "title": _tokens(value["title"]),
        "keywords": _tokens(" ".join(value.get("keywords", ()))),
        "description": _tokens(value["description"]),
        "symbols": _tokens(
            " ".join(f"{each['name']} {each.get('description', '')}" for each in value["symbols"])
        ),
        "statements": _tokens(" ".join(each.get("name", "") for each in statements)),
    }


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def _score(word: str, fields: dict[str, list[str]]) -> int:
    return sum(
        _WEIGHTS[field] for field, tokens in fields.items() if any(_alike(word, token) for token in tokens)
    )


def _alike(word: str, token: str) -> bool:
    """Whether two words are one, or the longer one begins with the other but for its ending."""
    short, long = sorted((word, token), key=len)
    return short == long or (
        len(short) >= _SHORTEST_STEM and long.startswith(short[:-1] if short[-1] in "sey" else short)
    )
