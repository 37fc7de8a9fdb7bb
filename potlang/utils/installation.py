"""How potlang was installed, what it requires, and the command that installs an extra in the same way."""

from __future__ import annotations

import json
import re
import shlex
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import url2pathname

_REQUIREMENT: Final = re.compile(r"([\w.-]+)([^;]*)(?:;.*extra == ['\"]([\w-]+)['\"])?")


class RequiredLibrary(NamedTuple):
    """A distribution that potlang, or an extra of it, needs."""

    name: str
    bounds: str
    extra: str | None


def required_libraries() -> list[RequiredLibrary]:
    """The libraries that the installed potlang requires, for extras too; none where it is not installed."""
    try:
        lines = metadata.requires("potlang") or []
    except metadata.PackageNotFoundError:
        return []
    found = filter(None, map(_REQUIREMENT.match, lines))
    return [RequiredLibrary(each[1], each[2].strip(), each[3]) for each in found]


def install_command(extra: str, *options: str) -> str:
    """The command of a shell that installs the libraries of an extra.

    It is given the place from which potlang was installed; where none is known, or what came from an index,
    the libraries themselves: an index need not have potlang.
    """
    targets = _from_origin(_origin(), extra) or [
        f"{each.name}{each.bounds}" for each in required_libraries() if each.extra == extra
    ]
    return shlex.join(["pip", "install", *options, *(targets or [f"potlang[{extra}]"])])


def _origin() -> dict[str, Any]:
    """Where potlang was installed from by its metadata (PEP 610), or runs from without any."""
    try:
        text = metadata.distribution("potlang").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return {"url": Path(__file__).parents[2].as_uri(), "dir_info": {"editable": True}}
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("url"), str) else {}


def _from_origin(origin: dict[str, Any], extra: str) -> list[str]:
    """The arguments of `pip install` for an extra from that place; none where it is gone."""
    if not origin:
        return []
    url = urlsplit(origin["url"])
    folder = origin.get("subdirectory")
    if url.scheme == "file" and "vcs_info" not in origin:
        path = Path(url2pathname(url.path), folder or "")
        if not (path.is_file() or (path / "pyproject.toml").is_file()):
            return []
        is_editable = origin.get("dir_info", {}).get("editable", False)
        return [*(["-e"] if is_editable else []), f"{path}[{extra}]"]
    address = origin["url"] + (f"#subdirectory={folder}" if folder else "")
    if version := origin.get("vcs_info"):
        address = f"{version['vcs']}+{origin['url']}@{version['commit_id']}" + address[len(origin["url"]) :]
    return [f"potlang[{extra}] @ {address}"]
