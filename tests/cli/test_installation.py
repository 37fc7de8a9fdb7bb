"""What is said where a library of an extra is missing ([FACE-EXTRA])."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from potlang.utils.extra import MissingExtraError, needed
from potlang.utils.installation import install_command

METADATA = """Metadata-Version: 2.1
Name: potlang
Version: 0.1
Requires-Dist: click<9,>=8.1
Requires-Dist: one<2,>=1.2; extra == "some"
Requires-Dist: two[binary]>=3; (python_version < "4") and extra == 'some'
Requires-Dist: three; extra == "other"
"""
Installed = Callable[[Any], None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Has potlang look as if it had been installed from a place."""

    def write(origin: Any) -> None:
        folder = tmp_path / "site" / "potlang-0.1.dist-info"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "METADATA").write_text(METADATA)
        if origin is not None:
            (folder / "direct_url.json").write_text(origin if isinstance(origin, str) else json.dumps(origin))
        monkeypatch.syspath_prepend(folder.parent)

    return write


@pytest.mark.parametrize("is_editable", [True, False])
def test_an_extra_comes_from_the_directory_that_potlang_came_from(
    is_editable: bool, installed: Installed, tmp_path: Path
) -> None:
    """[FACE-EXTRA] Its name is quoted for a shell; of a directory that is gone nothing is said."""
    sources = tmp_path / "it's; rm -r $HOME"
    installed({"url": sources.as_uri(), "dir_info": {"editable": is_editable} if is_editable else {}})
    assert install_command("some") == "pip install 'one<2,>=1.2' 'two[binary]>=3'"
    sources.mkdir()
    (sources / "pyproject.toml").write_text("")
    command = install_command("some", "--upgrade")
    assert shlex.split(command) == [
        *("pip", "install", "--upgrade"),
        *(["-e"] if is_editable else []),
        f"{sources}[some]",
    ]


@pytest.mark.parametrize(
    ("origin", "target"),
    [
        (
            {
                "url": "https://example.org/potlang",
                "vcs_info": {"vcs": "git", "commit_id": "0a1b", "requested_revision": "main"},
            },
            "potlang[some] @ git+https://example.org/potlang@0a1b",
        ),
        (
            {
                "url": "https://example.org/all.git",
                "vcs_info": {"vcs": "git", "commit_id": "0a1b"},
                "subdirectory": "python",
            },
            "potlang[some] @ git+https://example.org/all.git@0a1b#subdirectory=python",
        ),
        (
            {"url": "https://example.org/potlang-0.1-py3-none-any.whl", "archive_info": {}},
            "potlang[some] @ https://example.org/potlang-0.1-py3-none-any.whl",
        ),
    ],
)
def test_an_extra_comes_from_the_repository_or_the_archive(
    origin: Any, target: str, installed: Installed
) -> None:
    """[FACE-EXTRA]"""
    installed(origin)
    assert shlex.split(install_command("some")) == ["pip", "install", target]


def test_an_archive_of_this_machine(installed: Installed, tmp_path: Path) -> None:
    """[FACE-EXTRA]"""
    wheel = tmp_path / "potlang-0.1-py3-none-any.whl"
    wheel.write_bytes(b"")
    installed({"url": wheel.as_uri(), "archive_info": {"hash": "sha256=0"}})
    assert shlex.split(install_command("some")) == ["pip", "install", f"{wheel}[some]"]


@pytest.mark.parametrize("origin", [None, "{", "[]", "{}", '{"url": 1}'])
def test_without_a_place_the_libraries_are_named(origin: Any, installed: Installed) -> None:
    """[FACE-EXTRA] As after an installation from an index, which another user's index need not be."""
    installed(origin)
    assert install_command("some") == "pip install 'one<2,>=1.2' 'two[binary]>=3'"
    with pytest.raises(MissingExtraError, match="nowhere is needed: pip install three") as caught:
        needed("nowhere.to.be_found", "other")
    assert caught.value.name == "nowhere"
