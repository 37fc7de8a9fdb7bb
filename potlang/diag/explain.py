"""The pages that explain the codes, read from the package's data."""

from __future__ import annotations

from importlib.resources import files

from potlang.diag.register import CODES


def codes() -> list[str]:
    """All codes of the register, in order."""
    return sorted(CODES)


def page(code: str) -> str | None:
    """The Markdown page of a code (in any case, with or without `POT`); None if there is none."""
    name = normal_code(code)
    if name is None:
        return None
    file = files("potlang.diag").joinpath("pages", f"{name}.md")
    return file.read_text(encoding="utf-8") if file.is_file() else None


def normal_code(code: str) -> str | None:
    """`pot2001`, `2001` and `undeclared-name` as `POT2001`; None if the register has no such code."""
    upper = code.strip().upper()
    for name in (upper, "POT" + upper):
        if name in CODES:
            return name
    slug = code.strip().lower()
    return next((row.code for row in CODES.values() if row.slug == slug), None)
