"""The pages of the reference, made from what the code reads: `pages()` has their text by path below `docs`.

Only potlang and the standard library are imported, so that the tests of links need no site. Links are
relative to where a page would stand in the repository, `docs/reference`, as in pages that people write.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import click

import potlang
from potlang.cli.commands import COMMANDS, SECTIONS
from potlang.diag.explain import page as page_of_code
from potlang.diag.register import CODES
from potlang.linter.rules import LINT_RULES
from potlang.sema.builtins import BUILTINS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(potlang.__file__).parent

GROUPS = {
    "0": "internal errors and limits",
    "1": "reading and the schema",
    "2": "names",
    "3": "sorts",
    "4": "logic and rules",
    "5": "traces and their steps",
    "6": "solving and the cache",
    "7": "solutions in steps",
    "8": "packs and tables",
    "9": "lints",
}
"""The groups of codes, by the first digit."""
PUBLIC = (
    "potlang",
    "potlang.dot",
    "potlang.dagmath",
    "potlang.aio",
    "potlang.tool",
    "potlang.testing",
    "potlang.decoding",
)
"""The modules whose names are documented."""


def pages() -> dict[str, str]:
    """The text of each page, by its path below `docs`."""
    return {
        "reference/language.md": _language(),
        "reference/functions.md": _functions(),
        "reference/commands.md": _commands(),
        "reference/lints.md": _lints(),
        "reference/packs.md": _packs(),
        "reference/schemas.md": _schemas(),
        "reference/diagnostics.md": _diagnostics_table(),
        **{f"reference/diagnostics-{group}.md": _diagnostics(group) for group in GROUPS},
        **{f"reference/api/{module}.md": _api(module) for module in PUBLIC},
    }


def _table(*columns: str) -> list[str]:
    return [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


# --- the language --------------------------------------------------------------------------------


def _language() -> str:
    """The grammar by its sections: what its comments say as text, its rules as code."""
    grammar = (PACKAGE / "expressions" / "grammar.lark").read_text(encoding="utf-8")
    lines = [
        "# The grammar of formulas and sorts",
        "",
        "Formulas and sorts are strings inside of a program's JSON. This is their whole grammar,",
        "from the file that the parser is made of",
        "([`grammar.lark`](../../potlang/expressions/grammar.lark)). What programs mean is in",
        "[the chapter on programs](../../spec/10-pot.md), what sorts there are in [the chapter on",
        "sorts](../../spec/40-sorts.md#sorts), and all functions with their calls in",
        "[functions](functions.md).",
        "",
        "A name in small letters is a rule, one in capitals a token. `?` before a rule and the",
        "name behind `->` are of use to the parser alone.",
    ]
    _, *sections = re.split(r"^// --- (.*?) -+$", grammar, flags=re.MULTILINE)
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        rules = "\n".join(_readable(line) for line in body.strip().splitlines())
        lines += ["", f"## {title.capitalize()}", "", "```lark", rules, "```"]
    return "\n".join(lines) + "\n"


def _readable(line: str) -> str:
    """A line of the grammar; of a long regular expression its beginning."""
    return line if len(line) <= 150 else f"{line[:90]} …"


def _functions() -> str:
    lines = [
        "# Functions",
        "",
        "Every function that formulas can call without declaring it, with the rule that says what",
        "it means. A program that declares a function of one of these names means its own",
        "([names](../../spec/10-pot.md#names)).",
        "",
        *_table("function", "a call", "meaning"),
    ]
    chapters = {
        name: (ROOT / "spec" / name).read_text(encoding="utf-8")
        for name in ("40-sorts.md", "42-quantities.md", "10-pot.md")
    }
    first: dict[int, str] = {}
    for name, builtin in BUILTINS.items():
        known = first.setdefault(id(builtin), name)
        call = f"`{builtin.usage}`" if builtin.usage.startswith(f"{name}(") else ""
        lines.append(_row(f"`{name}`", f"as `{known}`" if known != name else call, _rule_of(known, chapters)))
    return "\n".join(lines) + "\n"


def _rule_of(name: str, chapters: dict[str, str]) -> str:
    """A link to the rule that begins with the function, else the first that calls it, else that names it."""
    for mention in (rf"[^`]*`{name}\(", rf".*?`{name}[`(]", rf".*?`[^`]*\b{name}\b"):
        for chapter, text in chapters.items():
            section = ""
            for block in text.split("\n\n"):
                if block.startswith("## "):
                    section = anchor(block[3:])
                rule = re.match(r"\*\*\[([A-Z0-9-]+)\]\*\*", block)
                if rule and re.match(mention, block, re.DOTALL):
                    return f"[{rule[1]}](../../spec/{chapter}#{section})"
    return ""


def anchor(heading: str) -> str:
    """The anchor of a heading, as sites and code hosts make it."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))


# --- commands ------------------------------------------------------------------------------------


def _commands() -> str:
    lines = [
        "# Commands",
        "",
        "What `potc help` prints, for every command. How inputs, configuration and totals work is",
        "in [the chapter on commands](../../spec/06-commands.md), what exit codes say in",
        "[FACE-EXIT](../../spec/95-views.md).",
    ]
    for section, names in SECTIONS.items():
        lines += ["", f"## {section}"]
        for name in names:
            for title, text in _helps(name):
                lines += ["", f"### potc {title}", "", "```text", text, "```"]
    return "\n".join(lines) + "\n"


def _helps(name: str) -> Iterator[tuple[str, str]]:
    """The help of a command, and of those below it."""
    from importlib import import_module

    module, function = COMMANDS[name][0].split(":")
    command: click.Command = getattr(import_module(f"potlang.cli.{module}"), function)
    with click.Context(click.Group("potc"), info_name="potc") as above:
        context = click.Context(
            command, info_name=name, parent=above, max_content_width=80, terminal_width=80
        )
        yield name, command.get_help(context)
        if isinstance(command, click.Group):
            for each in command.list_commands(context):
                part = command.get_command(context, each)
                assert part is not None
                within = click.Context(
                    part, info_name=each, parent=context, max_content_width=80, terminal_width=80
                )
                yield f"{name} {each}", part.get_help(within)


# --- diagnostics, lints --------------------------------------------------------------------------


def _diagnostics_table() -> str:
    lines = [
        "# Diagnostics",
        "",
        "Every message of the compiler has a code. `potc explain POT2001` shows the page of a",
        "code in the terminal; here are all of them. The first digit says what a code is about. A",
        "number is never used again for something else.",
    ]
    for group, title in GROUPS.items():
        lines += ["", f"## {group}: {title}", "", *_table("code", "name", "severity", "message")]
        for row in (row for row in CODES.values() if row.code[3] == group):
            link = f"[{row.code}](diagnostics-{group}.md#{row.code.lower()})"
            lines.append(_row(link, row.slug, row.severity.name.lower(), _message(row.headline)))
    return "\n".join(lines) + "\n"


def _message(headline: str) -> str:
    """A headline with its fields as words: `{name}` becomes NAME."""
    shown = re.sub(r"\{(\w+)\}", lambda field: field[1].upper(), headline.replace("`", ""))
    return shown.replace("<", "&lt;")


def _diagnostics(group: str) -> str:
    lines = [f"# Diagnostics {group}: {GROUPS[group]}"]
    for row in (row for row in CODES.values() if row.code[3] == group):
        text = page_of_code(row.code)
        assert text is not None, row.code
        title, _, body = text.partition("\n")
        lines += ["", f"## {title.removeprefix('# ')} {{#{row.code.lower()}}}", "", _demoted(body.strip())]
    return "\n".join(lines) + "\n"


def _demoted(text: str) -> str:
    """Headings one level deeper; lines of code blocks that begin with a `#` are none."""
    lines, fenced = [], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        lines.append(f"#{line}" if line.startswith("#") and not fenced else line)
    return "\n".join(lines)


def _lints() -> str:
    lines = [
        "# Lints",
        "",
        "What `potc lint` looks for: things that a program can say and hardly can mean. `solver`:",
        "the rule asks a solver, so `potc check` runs it with `--deep` alone. A rule that does",
        'not run by default is named with `--select`, or in the program: `"lint": {"select":',
        '["decision-gap"]}`. How often each was right on programs that people and models wrote is',
        "in [the chapter on the linter](../../spec/72-lint.md#how-often-they-are-right).",
        "",
        *_table("rule", "code", "finds", "by default", "solver"),
    ]
    for rule in sorted(LINT_RULES, key=lambda rule: rule.code):
        title = (page_of_code(rule.code) or "").partition("\n")[0].partition(": ")[2]
        code = f"[{rule.code}](diagnostics-9.md#{rule.code.lower()})"
        lines.append(_row(f"`{rule.name}`", code, title, _yes(rule.by_default), _yes(rule.is_deep)))
    return "\n".join(lines) + "\n"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


# --- packs, schemas, Python ----------------------------------------------------------------------


def _packs() -> str:
    lines = [
        "# Rule packs",
        "",
        "Packs are rules that a program imports instead of writing them again. [How packs",
        "work](../../stdlib/README.md), and the [worked example](../how-to/packs.md).",
    ]
    for path in sorted((ROOT / "stdlib").rglob("pack.json")):
        pack = json.loads(path.read_text(encoding="utf-8"))
        folder = path.parent.relative_to(ROOT)
        lines += [
            "",
            f"## {pack['pack']}",
            "",
            f"**{pack['title']}.** {pack['description']} [About it](../../{folder}/README.md).",
        ]
        lines += ["", *_table("parameter", "sort", "meaning")]
        lines += [_row(f"`{sort}`", "a sort", "") for sort in map(_name, pack.get("sorts", []))]
        lines += [
            _row(f"`{each['name']}`", f"`{_signature(each)}`", each.get("description", ""))
            for each in pack.get("symbols", [])
        ]
        lines += [
            "",
            *_table("rule", "says"),
            *(_row(each.get("name", ""), f"`{_formula(each)}`") for each in pack["program"].get("rules", [])),
        ]
    return "\n".join(lines) + "\n"


def _name(sort: str | dict[str, str]) -> str:
    return sort if isinstance(sort, str) else sort["name"]


def _signature(symbol: dict[str, object]) -> str:
    domain = symbol.get("domain") or []
    assert isinstance(domain, list)
    return f"{', '.join(domain)} -> {symbol['range']}" if domain else str(symbol["range"])


def _formula(rule: dict[str, object]) -> str:
    """A rule of a pack in one line."""
    implies = rule.get("implies")
    text = (
        f"{implies['antecedent']} -> {implies['consequent']}"
        if isinstance(implies, dict)
        else str(rule.get("constraint", ""))
    )
    for key, word in (("forall", "for all"), ("exists", "for some")):
        binders = rule.get(key)
        if isinstance(binders, list):
            names = ", ".join(
                each if isinstance(each, str) else f"{each['name']}: {each['sort']}" for each in binders
            )
            text = f"{word} {names}: {text}"
    return text


def _schemas() -> str:
    lines = [
        "# JSON Schemas",
        "",
        "The formats that potlang reads and writes. A version of a format has a file of its own;",
        "fields may be added to reports without a new number.",
        "",
        *_table("schema", "of", "says"),
    ]
    for path in sorted((ROOT / "schemas").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        lines.append(
            _row(
                f"[`{path.name}`](../../schemas/{path.name})", schema["title"], schema.get("description", "")
            )
        )
    return "\n".join(lines) + "\n"


def _api(module: str) -> str:
    """A page for mkdocstrings: each public name of a module, where it is defined."""
    lines = [
        f"# {module}",
        "",
        f"::: {module}",
        "    options:",
        "      members: false",
        "      show_root_heading: false",
    ]
    for name, home in sorted(_homes(module).items()):
        lines += ["", f"## {name}", "", f"::: {home}", "    options:", "      show_root_heading: false"]
    return "\n".join(lines) + "\n"


def _homes(module: str) -> dict[str, str]:
    """The public names of a module but for modules, each with the full name of its definition."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module=home, names=names) if home and home != "potlang":
                found |= {each.asname or each.name: f"{home}.{each.name}" for each in names}
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = f"{module}.{name}"
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                found[name] = f"{module}.{name}"
    from importlib import import_module

    public = import_module(module).__all__
    return {name: home for name, home in found.items() if name in public and name != "__version__"}
