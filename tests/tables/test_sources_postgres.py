"""Tables of a PostgreSQL server, which the test starts; skipped where none is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from postgres_server import PostgresServer, programs
from table_support import people

import potlang
from potlang.tables.access import TableAccess

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    psycopg = pytest.importorskip("psycopg")
    if programs() is None:
        pytest.skip("PostgreSQL is not installed")
    with PostgresServer() as running:
        with psycopg.connect(running.url, autocommit=True) as session:
            session.execute('CREATE SCHEMA "a""b"')
            for schema in ("public", '"a""b"'):
                session.execute(f'CREATE TABLE {schema}.people (id text, age numeric, boss text, "x; y" int)')
                rows = [("ann", 30, "bob"), ("bob", 17, None), ("Zoë, '\"\n", 5, "ann")]
                for row in rows:
                    session.execute(f"INSERT INTO {schema}.people VALUES (%s, %s, %s, 7)", row)
            session.execute("CREATE TABLE wrong AS SELECT 'ann' AS id, 1.5 AS age, '' AS boss")
        yield running.url


def check(source: Any, url: str | None) -> list[tuple[str, str]]:
    found = potlang.check(people(source), language="pot", sources=TableAccess((), url))
    return [(each.code, each.message) for each in found.diagnostics]


def test_rows_of_a_server_are_facts(server: str) -> None:
    """[SRC-FORMAT] [SRC-ALLOWED]"""
    access = TableAccess((), server)
    for table in ("people", "public.people", 'a"b.people'):
        program = people(
            {"table": table},
            constants={"people": {"sort": "Person", "members": ["bob"]}},
            verifications=[
                {"constraint": "age(bob) == 17"},
                {"constraint": "Exists([x: Person], boss(x) == bob)"},
                {"constraint": "Count([x: Person], age(x) > 0) == 3"},
                {"constraint": "boss(bob) == bob"},
            ],
        )
        report = potlang.verify(program, language="pot", sources=access)
        verdicts = [str(each.verdict) for each in report.results]
        assert verdicts == ["entailed", "entailed", "entailed", "undetermined"]


def test_mistakes_in_a_server_are_told(server: str) -> None:
    """[SRC-VALUE] [SRC-FORMAT] [SRC-ALLOWED]"""
    assert sorted(check({"table": "wrong", "name": "the server's"}, server)) == [
        ("POT8013", "the server's, row 1, column age: `1.5` is not an Int of 64 bits"),
    ]
    for table in ("missing", "people; DROP TABLE people", "", "pg_catalog.x"):
        if table:
            ((code, _),) = check({"table": table}, server)
            assert code == "POT8011", table
    assert [code for code, _ in check({}, server)] == ["POT8011"]
    assert [code for code, _ in check({"table": "people"}, None)] == ["POT8010"]
    assert check({"table": "people"}, server) == []
