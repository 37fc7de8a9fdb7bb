"""Replies that are kept, and those that are not."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from potlang.models.endpoint import Completion, Endpoint, EndpointError, Image, Recorded, Usage, system, user
from potlang.models.endpoint.cached import CachedModel, CacheFigures

SCHEMA = {"type": "object"}


def _numbered(name: str = "m") -> Recorded:
    """A model that counts its replies."""
    count = iter(range(1_000))
    return Recorded(lambda messages: Completion(f"reply {next(count)}", Usage(7, 3)), name=name)


class _Elsewhere(Recorded):
    place = "another endpoint"


def test_a_reply_is_kept_whole(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]: all of it, times and costs too, marked as what it is; tokens are counted apart."""
    done = Completion("x", Usage(7, 3, 2, 1), 1.5, "length", 2, "hm", "no", "{}", "m-1", 0.25)
    first = CachedModel(Recorded([done]), tmp_path / "r.sqlite3")
    assert first.complete([user("u")]) == done
    again = CachedModel(Recorded([]), tmp_path / "r.sqlite3")
    assert again.complete([user("u")]) == done._replace(from_cache=True)
    assert again.figures == CacheFigures(1, 0, 7, 3) and again.notes == ()


def test_the_key_is_the_whole_request(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]: but not the time that is left for the answer."""
    path = tmp_path / "r.sqlite3"
    asked: list[tuple[list[Any], dict[str, Any]]] = [
        ([user("u")], {}),
        ([user("v")], {}),
        ([system("s"), user("u")], {}),
        ([user(("u", Image(b"1", "image/png")))], {}),
        ([user(("u", Image(b"2", "image/png")))], {}),
        ([user("u")], {"seed": 1}),
        ([user("u")], {"temperature": 0.5}),
        ([user("u")], {"max_tokens": 5}),
        ([user("u")], {"schema": SCHEMA}),
    ]
    with CachedModel(_numbered(), path) as model:
        assert len({model.complete(m, **s).text for m, s in asked}) == len(asked)
    with CachedModel(Recorded([], name="m"), path) as model:
        assert len({model.complete(m, **s).text for m, s in asked}) == len(asked)
        with pytest.raises(LookupError):
            model.complete([user("w")])
    with CachedModel(_numbered(), path) as model:
        assert model.complete([user("u")], timeout=3.0).text == "reply 0"
    for other in (_numbered("other"), _Elsewhere(["new"], name="m")):
        with CachedModel(other, path) as model:
            assert not model.complete([user("u")]).from_cache


def test_the_key_of_the_endpoint_is_in_no_place() -> None:
    """[ENDPOINT-CACHE] [ENDPOINT-KEY]."""
    one = Endpoint(model="m", key="sk-a-long-secret-key")
    assert "secret" not in one.place and one.place == Endpoint(model="m").place
    assert one.place != Endpoint(model="m", json_mode="none").place
    assert one.place != Endpoint(model="m", base_url="http://localhost/v1").place


def test_samples_stay_several(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]: the same request again in one run is another sample, and so it is the next time."""
    with CachedModel(_numbered(), tmp_path / "r.sqlite3") as model:
        first = [model.complete([user("u")]).text for _ in range(3)]
    assert first == ["reply 0", "reply 1", "reply 2"]
    with CachedModel(_numbered(), tmp_path / "r.sqlite3") as model:
        found = [model.complete([user("u")]) for _ in range(4)]
    assert [each.text for each in found] == [*first, "reply 0"]
    assert [each.from_cache for each in found] == [True, True, True, False]


def test_failures_and_filters_are_not_kept(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]: the next one who asks so is the first again."""
    path = tmp_path / "r.sqlite3"
    filtered = Completion("", finish_reason="content_filter", refusal="no")
    with CachedModel(Recorded([EndpointError("server", "no"), filtered]), path) as model:
        with pytest.raises(EndpointError):
            model.complete([user("u")])
        assert model.complete([user("u")]) == filtered
    with CachedModel(Recorded(["four"]), path) as model:
        assert not model.complete([user("u")]).from_cache
    with CachedModel(Recorded([]), path) as model:
        assert model.complete([user("u")]).text == "four"


def test_threads_share_a_model(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]: each has a sample of its own."""
    found: list[str] = []
    with CachedModel(_numbered(), tmp_path / "r.sqlite3") as model:

        def work() -> None:
            for _ in range(5):
                found.append(model.complete([user("u")]).text)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert len(set(found)) == 20
    with CachedModel(Recorded([], name="m"), tmp_path / "r.sqlite3") as model:
        assert {model.complete([user("u")]).text for _ in range(20)} == set(found)


def _ask(path: Path, name: str) -> None:
    with CachedModel(Recorded(lambda messages: messages[-1].text, name="m"), path) as model:
        for at in range(20):
            model.complete([user(f"{name} {at}")])
        assert model.notes == ()


def test_processes_share_a_file(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]."""
    path = tmp_path / "r.sqlite3"
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=_ask, args=(path, name)) for name in "ab"]
    for each in processes:
        each.start()
    for each in processes:
        each.join(60)
    assert [each.exitcode for each in processes] == [0, 0]
    with CachedModel(Recorded([], name="m"), path) as model:
        for name in "ab":
            assert all(model.complete([user(f"{name} {at}")]).from_cache for at in range(20))


@pytest.mark.parametrize("content", [b"no database at all" * 1_000, b"SQLite format 3\0" + b"\xff" * 5_000])
def test_a_damaged_file_is_set_aside(content: bytes, tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]: it is left as it is, said, and a new one begun; no reply is lost by it."""
    path = tmp_path / "r.sqlite3"
    path.write_bytes(content)
    with CachedModel(_numbered(), path) as model:
        assert model.complete([user("u")]).text == "reply 0"
        (note,) = model.notes
        assert "set aside" in note and str(path) in note
    assert path.read_bytes() == content and (tmp_path / "r.1.sqlite3").exists()
    with CachedModel(Recorded([], name="m"), path) as model:
        assert model.complete([user("u")]).from_cache


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]."""
    path = tmp_path / "r.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 77")
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = path.read_bytes()
    with CachedModel(_numbered(), path) as model:
        model.complete([user("u")])
    assert path.read_bytes() == before


def test_a_changed_entry_is_not_used(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]: it is found by its checksum, and asked for again."""
    path = tmp_path / "r.sqlite3"
    with CachedModel(_numbered(), path) as model:
        model.complete([user("u")])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE entries SET report = x'00'")
    connection.close()
    with CachedModel(_numbered(), path) as model:
        assert not model.complete([user("u")]).from_cache and "damaged" in model.notes[0]
    with CachedModel(Recorded([], name="m"), path) as model:
        assert model.complete([user("u")]).from_cache


def test_a_file_that_cannot_be_used_costs_a_note(tmp_path: Path) -> None:
    """[ENDPOINT-CACHE]."""
    (tmp_path / "file").write_bytes(b"")
    with CachedModel(_numbered(), tmp_path / "file" / "r.sqlite3") as model:
        assert [model.complete([user("u")]).text for _ in range(2)] == ["reply 0", "reply 1"]
        assert len(model.notes) == 1 and "cannot be used" in model.notes[0]
