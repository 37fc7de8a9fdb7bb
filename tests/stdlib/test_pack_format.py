"""What packs can say, on small packs of these tests: imports, enum sorts, definitions, exceptions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from potlang.api import check, compile, verify
from potlang.diag import Severity
from potlang.utils import resources

Give = Callable[..., None]


@pytest.fixture
def packs(monkeypatch: pytest.MonkeyPatch) -> Give:
    """Puts packs `std/test/NAME` in place of the standard library."""
    known: dict[str, str] = {}

    def give(**given: dict[str, Any]) -> None:
        for name, value in given.items():
            pack = {
                "pack": f"std/test/{name}",
                "title": name,
                "description": "Of a test.",
                "sorts": [],
                "symbols": [],
                "program": {},
            }
            known[f"std/test/{name}"] = json.dumps(pack | value)

    monkeypatch.setattr(resources, "pack_file", lambda name, file: known.get(name))
    return give


def relation(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "domain": ["T", "T"], "range": "Bool", **more}


def rule(name: str, constraint: str, variables: str = "x", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "forall": [{"name": v, "sort": "T"} for v in variables],
        "constraint": constraint,
        **more,
    }


REFLEXIVE = {
    "sorts": ["T"],
    "symbols": [relation("le")],
    "program": {"rules": [rule("reflexive", "le(x, x)")]},
}


def errors(program: dict[str, Any]) -> list[str]:
    return [d.code for d in check(program).diagnostics if d.severity is Severity.ERROR]


def verdicts(program: dict[str, Any], **claims: str) -> dict[str, str]:
    asked = [{"name": name, "constraint": text} for name, text in claims.items()]
    return {
        r.name: str(r.verdict) for r in verify({**program, "verifications": asked}, trust="solver").results
    }


# --- packs that import packs ----------------------------------------------------------------------


def test_a_pack_imports_a_pack_over_its_own_parameters(packs: Give) -> None:
    """[PACK-IMPORT]"""
    packs(
        reflexive=REFLEXIVE,
        graph={
            "sorts": ["V"],
            "symbols": [{"name": "edge", "domain": ["V", "V"], "range": "Bool"}],
            "program": {"imports": [{"pack": "std/test/reflexive", "with": {"T": "V", "le": "edge"}}]},
        },
    )
    program = {
        "imports": [{"pack": "std/test/graph", "with": {"V": "City", "edge": "road"}}],
        "sorts": [{"name": "City", "type": "DeclareSort"}],
        "functions": [{"name": "road", "domain": ["City", "City"], "range": "Bool"}],
        "constants": {"cities": {"sort": "City", "members": ["rome"]}},
    }
    assert verdicts(program, loop="road(rome, rome)") == {"loop": "entailed"}
    (assertion,) = compile(program).module.assertions
    assert assertion.name == "std/test/reflexive: reflexive"
    assert assertion.origin.pointer == "/imports/0"


def test_parameters_that_the_inner_import_leaves_are_parameters_of_the_pack(packs: Give) -> None:
    """[PACK-IMPORT]"""
    packs(
        reflexive=REFLEXIVE,
        total={
            "program": {
                "imports": ["std/test/reflexive"],
                "rules": [rule("total", "le(x, y) or le(y, x)", "xy")],
            }
        },
    )
    program = {
        "imports": [{"pack": "std/test/total", "with": {"le": "older"}}],
        "functions": [{"name": "older", "domain": ["T", "T"], "range": "Bool"}],
    }
    names = [each.name for each in compile(program).module.assertions]
    assert names == ["std/test/reflexive: reflexive", "std/test/total: total"]
    wrong = {"imports": [{"pack": "std/test/total", "with": {"lt": "le"}}]}
    assert errors(wrong) == ["POT8002"]


def test_a_pack_that_comes_twice_over_the_same_symbols_is_assumed_once(packs: Give) -> None:
    """[PACK-ONCE]"""
    packs(reflexive=REFLEXIVE, more={"program": {"imports": ["std/test/reflexive"]}})
    once = compile({"imports": ["std/test/more", "std/test/reflexive"]})
    assert len(once.module.assertions) == 1
    twice = {
        "imports": ["std/test/more", {"pack": "std/test/reflexive", "with": {"le": "other"}}],
        "functions": [relation("other")],
    }
    assert len(compile(twice).module.assertions) == 2


def test_imports_that_go_round_or_nowhere_break_the_pack(packs: Give) -> None:
    """[PACK-BROKEN]"""
    packs(
        a={"program": {"imports": ["std/test/b"]}},
        b={"program": {"imports": ["std/test/a"]}},
        c={"program": {"imports": ["std/test/nowhere"]}},
        d={"program": {"imports": [{"pack": "std/test/e", "with": {"T": "U"}}]}},
        e=REFLEXIVE,
    )
    notes = {
        name: check({"imports": [f"std/test/{name}"]}).diagnostics[0].notes[0] for name in ("a", "c", "d")
    }
    assert notes["a"] == "`std/test/a`: the imports go round: std/test/a -> std/test/b -> std/test/a"
    assert notes["c"] == "`std/test/nowhere`: there is no such pack"
    assert "`U`" in notes["d"]
    assert [errors({"imports": [f"std/test/{name}"]}) for name in "abcd"] == [["POT8005"]] * 4


# --- sorts ----------------------------------------------------------------------------------------

DAY = {"sorts": [{"name": "Day", "values": ["sat", "sun"]}]}


def test_the_import_declares_sorts_before_the_program_uses_them(packs: Give) -> None:
    """[PACK-SORTS]"""
    packs(days=DAY, reflexive=REFLEXIVE)
    program = {
        "imports": ["std/test/days", "std/test/reflexive"],
        "functions": [
            {"name": "open", "domain": ["Day"], "range": "Bool"},
            {"name": "size", "domain": ["T"], "range": "Int"},
        ],
        "constants": {"ts": {"sort": "T", "members": ["a"]}},
        "knowledge_base": ["open(sat)", "open(sun)"],
    }
    assert verdicts(program, always="ForAll([d: Day], open(d))") == {"always": "entailed"}


@pytest.mark.parametrize(
    ("values", "expected"), [(["sat", "sun"], []), (["sun", "sat"], ["POT8003"]), (["sat"], ["POT8003"])]
)
def test_an_enum_sort_of_the_program_has_the_values_of_the_pack(
    packs: Give, values: list[str], expected: list[str]
) -> None:
    """[PACK-SORTS]"""
    packs(days=DAY)
    sort = {"name": "Tag", "type": "EnumSort", "values": values}
    bound = {"imports": [{"pack": "std/test/days", "with": {"Day": "Tag"}}], "sorts": [sort]}
    assert errors(bound) == expected
    assert errors({"imports": ["std/test/days"], "sorts": [{**sort, "name": "Day"}]}) == expected


def test_a_sort_that_may_be_any_is_no_enum_sort(packs: Give) -> None:
    """[PACK-SORTS]"""
    packs(days=DAY)
    program = {"imports": ["std/test/days"], "sorts": [{"name": "Day", "type": "DeclareSort"}]}
    assert errors(program) == ["POT8003"]


def test_a_value_of_the_pack_that_the_program_has_for_something_else(packs: Give) -> None:
    """[PACK-SORTS]"""
    packs(days=DAY)
    program = {"imports": ["std/test/days"], "functions": [{"name": "sun", "domain": [], "range": "Bool"}]}
    (diagnostic,) = check(program).diagnostics
    assert (diagnostic.code, diagnostic.place.pointer) == ("POT2003", "/functions/0/name")
    assert [label.place.pointer for label in diagnostic.labels[1:]] == ["/imports/0"]


def test_an_inherited_enum_sort(packs: Give) -> None:
    """[PACK-IMPORT]"""
    packs(
        days=DAY,
        shops={
            "sorts": ["Tag"],
            "symbols": [{"name": "open", "domain": ["Tag"], "range": "Bool"}],
            "program": {
                "imports": [{"pack": "std/test/days", "with": {"Day": "Tag"}}],
                "knowledge_base": ["open(sat)"],
            },
        },
    )
    assert verdicts({"imports": ["std/test/shops"]}, open="open(sat)", shut="open(sun)") == {
        "open": "entailed",
        "shut": "undetermined",
    }


LATER = {
    "sorts": [{"name": "Time", "default": "Int"}],
    "symbols": [
        {
            "name": "later",
            "domain": ["Time", "Time"],
            "range": "Bool",
            "params": [{"name": "x", "sort": "Time"}, {"name": "y", "sort": "Time"}],
            "body": "x > y",
        }
    ],
}


def test_a_sort_with_an_order_is_what_it_is_by_default_or_what_it_is_bound_to(packs: Give) -> None:
    """[PACK-SORTS]"""
    packs(later=LATER, more={"program": {"imports": ["std/test/later"]}})
    for name in ("later", "more"):
        numbers = {"imports": [f"std/test/{name}"]}
        assert verdicts(numbers, right="later(2, 1)") == {"right": "entailed"}
        dates = {"imports": [{"pack": f"std/test/{name}", "with": {"Time": "Date"}}]}
        assert verdicts(dates, right="later(2025-03-01, 2025-02-28)") == {"right": "entailed"}
        people = {"imports": [{"pack": f"std/test/{name}", "with": {"Time": "Person"}}]}
        assert errors({**people, "sorts": [{"name": "Person", "type": "DeclareSort"}]}) == ["POT8003"]


# --- definitions ----------------------------------------------------------------------------------

STRICT = {
    "sorts": ["T"],
    "symbols": [
        relation("le"),
        relation(
            "lt",
            params=[{"name": "x", "sort": "T"}, {"name": "y", "sort": "T"}],
            body="And(le(x, y), x != y)",
        ),
    ],
}


def test_a_symbol_that_the_import_declares_is_defined(packs: Give) -> None:
    """[PACK-DEFINE]"""
    packs(strict=STRICT)
    module = compile({"imports": ["std/test/strict"]}).module
    assert [definition.symbol.name for definition in module.definitions] == ["lt"]
    assert module.assertions == ()
    program = {"imports": ["std/test/strict"], "constants": {"ts": {"sort": "T", "members": ["a"]}}}
    assert verdicts(program, itself="lt(a, a)") == {"itself": "refuted"}


@pytest.mark.parametrize(
    "own",
    [
        relation("before"),
        relation("before", params=["x", "y"], body="le(x, y) and x != y"),
    ],
    ids=["declared", "defined"],
)
def test_of_a_symbol_of_the_program_the_definition_is_an_axiom(packs: Give, own: dict[str, Any]) -> None:
    """[PACK-DEFINE]"""
    packs(strict=STRICT)
    program = {
        "imports": [{"pack": "std/test/strict", "with": {"lt": "before"}}],
        "sorts": [{"name": "T", "type": "DeclareSort"}],
        "functions": [own, relation("le")],
        "constants": {"ts": {"sort": "T", "members": ["a", "b"]}},
        "knowledge_base": ["le(a, b)"],
    }
    assert compile(program).module.assertions[0].name == "std/test/strict: lt"
    assert verdicts(program, both="before(a, b) or a == b", itself="before(a, a)") == {
        "both": "entailed",
        "itself": "refuted",
    }


def test_an_inherited_definition_is_made_once(packs: Give) -> None:
    """[PACK-DEFINE]"""
    packs(
        strict=STRICT,
        more={
            "sorts": ["T"],
            "symbols": [relation("lt")],
            "program": {
                "imports": ["std/test/strict"],
                "rules": [rule("dense", "lt(x, y) -> Exists([z: T], And(lt(x, z), lt(z, y)))", "xy")],
            },
        },
    )
    module = compile({"imports": ["std/test/more"]}).module
    assert [definition.symbol.name for definition in module.definitions] == ["lt"]
    assert [each.name for each in module.assertions] == ["std/test/more: dense"]
    both = compile({"imports": ["std/test/strict", "std/test/more"]}).module
    assert (len(both.definitions), len(both.assertions)) == (1, 1)


def test_constants_are_defined_too(packs: Give) -> None:
    """[PACK-DEFINE]"""
    packs(limit={"symbols": [{"name": "limit", "domain": [], "range": "Int", "body": "3 + 4"}]})
    assert verdicts({"imports": ["std/test/limit"]}, seven="limit == 7") == {"seven": "entailed"}
    own = {"imports": ["std/test/limit"], "constants": {"n": {"sort": "Int", "members": ["limit"]}}}
    assert verdicts(own, seven="limit == 7") == {"seven": "entailed"}


def test_a_definition_may_use_one_of_the_program_but_not_in_a_circle(packs: Give) -> None:
    """[PACK-DEFINE]"""
    packs(strict=STRICT)
    same = {"name": "le", "domain": ["Int", "Int"], "range": "Bool", "params": ["x", "y"]}
    program = {"imports": [{"pack": "std/test/strict", "with": {"T": "Int"}}]}
    fine = {**program, "functions": [{**same, "body": "x <= y"}]}
    assert verdicts(fine, two="lt(1, 2)", one="lt(1, 1)") == {"two": "entailed", "one": "refuted"}
    circular = {**program, "functions": [{**same, "body": "lt(x, y) or x == y"}]}
    (diagnostic,) = check(circular).diagnostics
    assert (diagnostic.code, diagnostic.place.pointer) == ("POT4008", "/functions/0/body")


def test_a_definition_with_too_few_parameters_breaks_the_pack(packs: Give) -> None:
    """[PACK-BROKEN]"""
    packs(
        strict={
            "sorts": ["T"],
            "symbols": [relation("lt", params=[{"name": "x", "sort": "T"}], body="x == x")],
        }
    )
    assert errors({"imports": ["std/test/strict"]}) == ["POT8005"]


# --- closed predicates, exceptions, formulas over listed members -----------------------------------

CLOSURE = {
    "sorts": ["T"],
    "symbols": [relation("step"), relation("way", closed=True)],
    "program": {
        "rules": [
            rule("a step is a way", "step(x, y) -> way(x, y)", "xy"),
            rule("ways go on", "And(step(x, y), way(y, z)) -> way(x, z)", "xyz"),
        ]
    },
}


def test_a_closed_predicate_is_the_least(packs: Give) -> None:
    """[PACK-CLOSED]"""
    packs(closure=CLOSURE)
    program = {
        "imports": ["std/test/closure"],
        "sorts": [{"name": "T", "type": "EnumSort", "values": ["a", "b", "c"]}],
        "knowledge_base": ["ForAll([x: T, y: T], step(x, y) <-> (x == y or And(x == a, y == b)))"],
    }
    assert verdicts(program, there="way(a, b)", back="way(b, a)", never="way(b, c)") == {
        "there": "entailed",
        "back": "refuted",
        "never": "refuted",
    }
    assert errors({"imports": ["std/test/closure"]}) == ["POT4023"]


def test_a_closed_predicate_of_the_program_is_none_that_it_defines(packs: Give) -> None:
    """[PACK-CLOSED]"""
    packs(closure=CLOSURE)
    program = {
        "imports": ["std/test/closure"],
        "sorts": [{"name": "T", "type": "EnumSort", "values": ["a"]}],
        "functions": [relation("way", params=["x", "y"], body="x == y")],
    }
    assert errors(program) == ["POT4021"]


EXCEPTED = {
    "sorts": ["T"],
    "symbols": [
        {"name": name, "domain": ["T"], "range": "Bool"} for name in ("bird", "penguin", "hurt", "flies")
    ],
    "program": {
        "rules": [
            rule("birds fly", "bird(x) -> flies(x)", unless="hurt(x)"),
            rule("penguins do not", "penguin(x) -> not flies(x)", overrides=["birds fly"]),
        ]
    },
}


def test_rules_of_a_pack_have_exceptions_among_themselves(packs: Give) -> None:
    """[EXC-PACKS]"""
    packs(birds=EXCEPTED)
    program = {
        "imports": ["std/test/birds"],
        "constants": {"ts": {"sort": "T", "members": ["tweety", "pingu", "robin"]}},
        "knowledge_base": [
            "bird(tweety)",
            "not hurt(tweety)",
            "not penguin(tweety)",
            "bird(pingu)",
            "penguin(pingu)",
            "bird(robin)",
        ],
    }
    assert verdicts(program, tweety="flies(tweety)", pingu="flies(pingu)", robin="flies(robin)") == {
        "tweety": "entailed",
        "pingu": "refuted",
        "robin": "undetermined",
    }


def test_a_pack_has_no_defaults_and_overrides_no_rule_elsewhere(packs: Give) -> None:
    """[EXC-PACKS]"""
    parameters = {key: EXCEPTED[key] for key in ("sorts", "symbols")}
    packs(
        default={
            **parameters,
            "program": {"rules": [rule("birds fly", "bird(x) -> flies(x)", default=True)]},
        },
        elsewhere={
            **parameters,
            "program": {"rules": [rule("no", "penguin(x) -> not flies(x)", overrides=["birds fly"])]},
        },
    )
    own = {"name": "birds fly", "forall": [{"name": "x", "sort": "T"}], "constraint": "bird(x) -> flies(x)"}
    assert errors({"imports": ["std/test/default"]}) == ["POT8005"]
    assert errors({"imports": ["std/test/elsewhere"], "rules": [own]}) == ["POT8005"]


COUNTED = {
    "sorts": ["T"],
    "symbols": [
        {"name": "p", "domain": ["T"], "range": "Bool"},
        {
            "name": "many",
            "domain": [],
            "range": "Bool",
            "body": "2 * Count([x: T], p(x)) > Count([x: T], True)",
        },
    ],
}


def test_a_pack_counts_the_members_that_the_program_lists(packs: Give) -> None:
    """[PACK-FINITE]"""
    packs(counted=COUNTED)
    program = {
        "imports": ["std/test/counted"],
        "constants": {"ts": {"sort": "T", "members": ["a", "b", "c"]}},
        "semantics": {"closed_domain": ["T"], "unique_names": ["T"]},
        "knowledge_base": ["p(a)", "p(b)"],
    }
    assert verdicts(program, most="many") == {"most": "entailed"}


def test_what_a_pack_cannot_count_is_reported_at_the_import(packs: Give) -> None:
    """[PACK-FINITE]"""
    packs(counted=COUNTED)
    (infinite,) = check({"imports": [{"pack": "std/test/counted", "with": {"T": "Int"}}]}).diagnostics
    assert (infinite.code, infinite.place.pointer) == ("POT3010", "/imports/0")
    assert infinite.labels[0].message == "in `std/test/counted`"
    opened = check({"imports": ["std/test/counted"], "constants": {"ts": {"sort": "T", "members": ["a"]}}})
    assert {d.code for d in opened.diagnostics} == {"POT4004"}
    assert opened.program is not None


def test_a_mistake_beside_a_warning_breaks_the_pack(packs: Give) -> None:
    """[PACK-BROKEN]"""
    packs(counted={**COUNTED, "program": {"rules": [rule("wrong", "q(x)")]}})
    program = {"imports": ["std/test/counted"], "constants": {"ts": {"sort": "T", "members": ["a"]}}}
    found = check(program)
    assert {d.code for d in found.diagnostics} == {"POT4004", "POT8005"}
    assert found.program is None


def test_a_constant_of_the_program_is_closed_too(packs: Give) -> None:
    """[PACK-CLOSED]"""
    packs(alarm={"symbols": [{"name": "alarm", "domain": [], "range": "Bool", "closed": True}]})
    assert verdicts({"imports": ["std/test/alarm"]}, quiet="not alarm") == {"quiet": "entailed"}
    own = {"imports": ["std/test/alarm"], "constants": {"b": {"sort": "Bool", "members": ["alarm"]}}}
    assert verdicts(own, quiet="not alarm") == {"quiet": "entailed"}


def test_a_pack_over_dates_makes_a_program_with_dates(packs: Give) -> None:
    """[PACK-SORTS]"""
    packs(
        shelf={
            "symbols": [
                {"name": "bought", "domain": [], "range": "Date"},
                {"name": "due", "domain": [], "range": "Date", "body": "bought + 30 days"},
            ]
        }
    )
    program = {"imports": ["std/test/shelf"], "knowledge_base": ["bought == 2025-01-20"]}
    assert verdicts(program, due="due == 2025-02-19") == {"due": "entailed"}
