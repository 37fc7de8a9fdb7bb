"""`potc lsp`: how it begins and ends. What it answers is the matter of `tests/editor`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from editor_client import WAIT, EditorClient, editor

from potlang.cli.commands import command_of
from potlang.editor.desk import DeskService
from potlang.utils.installation import install_command


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's library is no dependency of the other commands."""
    monkeypatch.setitem(sys.modules, "pygls", None)
    found = CliRunner().invoke(command_of("lsp"), [])
    assert found.exit_code == 2
    assert f"pygls is needed: {install_command('lsp')}" in found.output


def test_the_directories_of_tables_are_those_that_are_named(tmp_path: Path) -> None:
    """[EDIT-DIAGNOSTICS] Without `--sources-dir` no program reads a table ([SRC-ALLOWED])."""
    tmp_path.joinpath("people.csv").write_text("name\nann\n", encoding="utf-8")
    text = json.dumps(
        {
            "sorts": [{"name": "P", "type": "DeclareSort"}],
            "sources": [{"file": "people.csv", "members": [{"sort": "P", "column": "name"}]}],
            "verifications": [{"constraint": "Exists([x: P], x == x)"}],
        }
    )
    with editor(None, None, "--sources-dir", str(tmp_path)) as client:
        assert not [each for each in client.open("file:///a.json", text) if each["severity"] == 1]
    question = {"ask": "diagnostics", "uri": "u", "version": 1, "text": text, "language": "json"}
    answer = DeskService().answer({**question, "encoding": "utf-16"})
    assert [each["code"][:5] for each in answer["found"] if each["severity"] == 1] == ["POT80"]


def children_of(pid: int) -> list[int]:
    path = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in path.read_text(encoding="ascii").split()]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_an_editor_that_is_gone_takes_the_server_with_it() -> None:
    """[EDIT-ROBUST] At the end of its input the server ends, and its children with it."""
    client = EditorClient()
    client.initialize()
    client.open("file:///a.json", "{}")
    children = children_of(client.process.pid)
    assert len(children) == 2
    assert client.process.stdin is not None
    client.process.stdin.close()
    client.process.wait(timeout=WAIT)
    deadline = time.monotonic() + WAIT
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
    client.end_server()


def test_garbage_in_front_of_a_message_is_no_end() -> None:
    """[EDIT-ROBUST] What is no JSON is passed over."""
    client = EditorClient(stderr=subprocess.DEVNULL)
    try:
        client.initialize()
        client.send_bytes(b"Content-Length: 9\r\n\r\n{not json")
        client.send_bytes(b"Content-Length: 2\r\n\r\n[]")
        assert client.open("file:///a.json", '{"verifications": [{"constraint": "1 < 2"}]}') == []
        assert client.close() == 0
    finally:
        client.end_server()
