"""Resources that the server offers: language, pages of codes, packs, schemas ([MCP-RESOURCES])."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Final, NamedTuple

from potlang import api
from potlang.diag import CODES
from potlang.utils.resources import folder, pack_file, pack_names, schema_text

SCHEME: Final = "potlang://"
_MARKDOWN: Final = "text/markdown"
_JSON: Final = "application/json"
_NAME: Final = re.compile(r"[a-z0-9-]+")


class Content(NamedTuple):
    """A text with its type."""

    text: str
    type: str


class Listed(NamedTuple):
    """A line of the list of resources, or of the list of templates."""

    uri: str
    name: str
    description: str
    type: str


def entries() -> Iterator[Listed]:
    """The resources that are listed by name; single diagnostics are reached by template."""
    yield Listed(f"{SCHEME}reference", "The PoT language in brief", "What a program is made of", _MARKDOWN)
    yield Listed(f"{SCHEME}grammar", "Grammar of expressions", "One Lark file", "text/plain")
    yield Listed(f"{SCHEME}diagnostics", "Diagnostic codes", "All codes with their headlines", _MARKDOWN)
    for name in _files("spec", ".md"):
        title = _spec(name).text.partition("\n")[0].lstrip("# ")
        yield Listed(f"{SCHEME}spec/{name}", title, "A chapter of the specification", _MARKDOWN)
    for name in _files("schemas", ".json"):
        yield Listed(f"{SCHEME}schemas/{name}", name, "A JSON Schema", _JSON)
    for pack in pack_names():
        name = pack.removeprefix("std/")
        yield Listed(f"{SCHEME}stdlib/{name}", pack, "A pack of the standard library, for imports", _MARKDOWN)


def templates() -> Iterator[Listed]:
    """Resources with a part that is filled in."""
    yield Listed(
        f"{SCHEME}diagnostics/{{code}}",
        "A diagnostic code explained",
        "What it means, a program that fails, the corrected one",
        _MARKDOWN,
    )
    yield Listed(
        f"{SCHEME}stdlib/{{area}}/{{pack}}",
        "A pack of the standard library",
        "What it assumes and its parameters",
        _MARKDOWN,
    )


def read(uri: str) -> Content | None:
    """The resource of this address; None if there is none."""
    # Names are looked up in fixed lists, never in the file system.
    if not uri.startswith(SCHEME):
        return None
    first, _, rest = uri.removeprefix(SCHEME).partition("/")
    find = _READERS.get((first, bool(rest)))
    return None if find is None else find(rest)


def _reference(_: str) -> Content:
    from potlang.models.prompting import language_reference

    return Content(language_reference(), _MARKDOWN)


def _grammar(_: str) -> Content:
    return Content(
        files("potlang.expressions").joinpath("grammar.lark").read_text(encoding="utf-8"), "text/plain"
    )


def _codes(_: str) -> Content:
    lines = [f"- {row.code} `{row.slug}` ({row.severity}): {row.headline}" for row in CODES.values()]
    return Content("\n".join(["# Diagnostic codes", "", *lines, ""]), _MARKDOWN)


def _page(code: str) -> Content | None:
    text = api.explain(code)
    return None if text is None else Content(text, _MARKDOWN)


def _spec(name: str) -> Content:
    return Content(folder("spec").joinpath(f"{name}.md").read_text(encoding="utf-8"), _MARKDOWN)


def _chapter(name: str) -> Content | None:
    return _spec(name) if name in _files("spec", ".md") else None


def _schema(name: str) -> Content | None:
    return Content(schema_text(name), _JSON) if name in _files("schemas", ".json") else None


def _pack(name: str) -> Content | None:
    found = {file: pack_file(f"std/{name}", file) for file in ("README.md", "pack.json")}
    if found["pack.json"] is None:
        return None
    readme = found["README.md"] or f"# std/{name}\n"
    return Content(f"{readme.rstrip()}\n\n```json\n{found['pack.json'].strip()}\n```\n", _MARKDOWN)


_READERS: Final[dict[tuple[str, bool], Callable[[str], Content | None]]] = {
    ("reference", False): _reference,
    ("grammar", False): _grammar,
    ("diagnostics", False): _codes,
    ("diagnostics", True): _page,
    ("spec", True): _chapter,
    ("schemas", True): _schema,
    ("stdlib", True): _pack,
}


def _files(name: str, ending: str) -> list[str]:
    """The names, without their ending, of a folder's files."""
    found = (each.name.removesuffix(ending) for each in folder(name).iterdir() if each.name.endswith(ending))
    return sorted(each for each in found if _NAME.fullmatch(each))
