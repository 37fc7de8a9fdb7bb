"""What the site has besides the pages of `docs`: the reference, `spec`, and the files that pages link to.

Links of pages are those of the repository, so that they work there too; here they become links of the site.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any

import generated
from docstrings import linked_rules
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = generated.ROOT
LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?(?=\))")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Puts chapters of the specification, public modules and groups of codes into the navigation."""
    chapters = [{path.stem: f"spec/{path.name}"} for path in sorted((ROOT / "spec").glob("*.md"))]
    modules = [{module: f"reference/api/{module}.md"} for module in generated.PUBLIC]
    codes = [
        {f"{group}: {title}": f"reference/diagnostics-{group}.md"}
        for group, title in generated.GROUPS.items()
    ]
    for section in config.nav or []:
        for name, entries in section.items():
            if name == "Specification":
                section[name] = chapters
            elif name == "Reference":
                entries += [{"Diagnostics by group": codes}, {"Python": modules}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the reference, the specification, and what their pages and those of `docs` link to."""
    for path, text in generated.pages().items():
        files.append(File.generated(config, path, content=text))
    waiting = [
        (_in_repository(file.src_uri), file.content_string) for file in files if file.is_documentation_page()
    ]
    waiting += [_added(f"spec/{path.name}", files, config) for path in sorted((ROOT / "spec").glob("*.md"))]
    while waiting:
        page, text = waiting.pop()
        for link in LINK.finditer(_without_code(text)):
            target = _site_path(page, link["target"])
            if files.get_file_from_path(target) is None and (ROOT / target).is_file():
                added = _added(target, files, config)
                waiting += [added] if target.endswith(".md") else []
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """The links of a page as links of the site."""
    here = page.file.src_uri

    def moved(link: re.Match[str]) -> str:
        target = _site_path(_in_repository(here), link["target"])
        path = posixpath.relpath(target, posixpath.dirname(here) or ".")
        return f"{link['before']}{path}{link['anchor'] or ''}"

    return "".join(
        text if is_code else linked_rules(LINK.sub(moved, text)) for text, is_code in _parts(markdown)
    )


def on_page_content(html: str, **_: Any) -> str:
    """Anchors of rules are no links: a reader of screens would stop at each."""
    return html.replace('<a href="" id="', '<a id="')


def on_post_page(output: str, **_: Any) -> str:
    """The theme's search is a dialog without a name."""
    dialog = 'data-md-component="search" role="dialog"'
    return output.replace(dialog, f'{dialog} aria-label="Search"')


def _added(path: str, files: Files, config: MkDocsConfig) -> tuple[str, str]:
    """A file of the repository in the site, under its path there."""
    files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return path, (ROOT / path).read_text(encoding="utf-8") if path.endswith(".md") else ""


def _in_repository(site_path: str) -> str:
    """Where a page of the site stands in the repository, or would."""
    return site_path if (ROOT / site_path).is_file() else f"docs/{site_path}"


def _site_path(page: str, target: str) -> str:
    """Where the site has what a page of the repository links to. Of a folder that is its README."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    if (ROOT / path).is_dir():
        path = f"{path}/README.md"
    return path.removeprefix("docs/")


def _without_code(markdown: str) -> str:
    return "".join(text for text, is_code in _parts(markdown) if not is_code)


def _parts(markdown: str) -> Iterator[tuple[str, bool]]:
    """The text, cut into code (blocks and spans) and the rest."""
    for at, part in enumerate(
        re.split(r"(^ *```.*?^ *```|`[^`\n]*`)", markdown, flags=re.MULTILINE | re.DOTALL)
    ):
        yield part, at % 2 == 1
