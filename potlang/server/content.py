"""Resources that the server offers: language, pages of codes, packs, schemas ([MCP-RESOURCES])."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Final

import mcp_types as types

from potlang import api
from potlang.diag import CODES
from potlang.languages.pot.library import packs
from potlang.models.programs.prompting import language_reference
from potlang.utils.resources import folder, pack_file, schema_text

SCHEME: Final = "potlang://"
_MARKDOWN: Final = "text/markdown"
_JSON: Final = "application/json"
_NAME: Final = re.compile(r"[a-z0-9-]+")


def entries() -> Iterator[types.Resource]:
    """The resources that are listed by name; single diagnostics are reached by template."""
    yield _listed("reference", "The PoT language in brief", "What a program is made of")
    yield _listed("grammar", "Grammar of expressions", "One Lark file", "text/plain")
    yield _listed("diagnostics", "Diagnostic codes", "All codes with their headlines")
    for name in _files("spec", ".md"):
        title = _spec(name).partition("\n")[0].lstrip("# ")
        yield _listed(f"spec/{name}", title, "A chapter of the specification")
    for name in _files("schemas", ".json"):
        yield _listed(f"schemas/{name}", name, "A JSON Schema", _JSON)
    for pack in packs():
        yield _listed(
            f"stdlib/{pack.name.removeprefix('std/')}", pack.name, f"A pack, for imports: {pack.description}"
        )


def _listed(path: str, name: str, description: str, type_: str = _MARKDOWN) -> types.Resource:
    return types.Resource(uri=f"{SCHEME}{path}", name=name, description=description, mime_type=type_)


TEMPLATES: Final = [
    types.ResourceTemplate(
        uri_template=f"{SCHEME}diagnostics/{{code}}",
        name="A diagnostic code explained",
        description="What it means, a program that fails, the corrected one",
        mime_type=_MARKDOWN,
    ),
    types.ResourceTemplate(
        uri_template=f"{SCHEME}stdlib/{{area}}/{{pack}}",
        name="A pack of the standard library",
        description="What it assumes and its parameters",
        mime_type=_MARKDOWN,
    ),
]
"""Resources with a part that is filled in."""


def read(uri: str) -> types.TextResourceContents | None:
    """The resource of this address; None if there is none."""
    # Names are looked up in fixed lists, never in the file system.
    if not uri.startswith(SCHEME):
        return None
    first, _, rest = uri.removeprefix(SCHEME).partition("/")
    if (first, bool(rest)) not in _READERS:
        return None
    type_, find = _READERS[first, bool(rest)]
    text = find(rest)
    return None if text is None else types.TextResourceContents(uri=uri, text=text, mime_type=type_)


def _reference(_: str) -> str:
    return language_reference()


def _grammar(_: str) -> str:
    return files("potlang.expressions").joinpath("grammar.lark").read_text(encoding="utf-8")


def _codes(_: str) -> str:
    lines = [f"- {row.code} `{row.slug}` ({row.severity}): {row.headline}" for row in CODES.values()]
    return "\n".join(["# Diagnostic codes", "", *lines, ""])


def _spec(name: str) -> str:
    return folder("spec").joinpath(f"{name}.md").read_text(encoding="utf-8")


def _chapter(name: str) -> str | None:
    return _spec(name) if name in _files("spec", ".md") else None


def _schema(name: str) -> str | None:
    return schema_text(name) if name in _files("schemas", ".json") else None


def _pack(name: str) -> str | None:
    pack, readme = pack_file(f"std/{name}", "pack.json"), pack_file(f"std/{name}", "README.md")
    if pack is None:
        return None
    return f"{(readme or f'# std/{name}').rstrip()}\n\n```json\n{pack.strip()}\n```\n"


_READERS: Final[dict[tuple[str, bool], tuple[str, Callable[[str], str | None]]]] = {
    ("reference", False): (_MARKDOWN, _reference),
    ("grammar", False): ("text/plain", _grammar),
    ("diagnostics", False): (_MARKDOWN, _codes),
    ("diagnostics", True): (_MARKDOWN, api.explain),
    ("spec", True): (_MARKDOWN, _chapter),
    ("schemas", True): (_JSON, _schema),
    ("stdlib", True): (_MARKDOWN, _pack),
}
"""By the first part of an address, and whether more follows: the type of the text, and the text."""


def _files(name: str, ending: str) -> list[str]:
    """The names, without their ending, of a folder's files."""
    found = (each.name.removesuffix(ending) for each in folder(name).iterdir() if each.name.endswith(ending))
    return sorted(each for each in found if _NAME.fullmatch(each))
