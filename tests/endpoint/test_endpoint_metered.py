"""Prices, and budgets that are kept to."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from potlang.models.endpoint import (
    Completion,
    EndpointError,
    Image,
    MeteredModel,
    ModelBudget,
    Price,
    Prices,
    Recorded,
    Usage,
    user,
)
from potlang.models.endpoint.metered import estimated_prompt, read_prices

FLAT = Prices({"*": Price(1.0, 2.0)})
DONE = Completion("x", Usage(1_000, 500))


def test_the_cost_of_a_reply() -> None:
    """[ENDPOINT-PRICE]: cached tokens by their own price; what the endpoint states counts more."""
    price = Price(3.0, 15.0, 0.3)
    assert price.of(Usage(1_000_000, 1_000_000, 400_000)) == pytest.approx(0.6 * 3 + 0.4 * 0.3 + 15)
    assert price.of(Usage(None, 5)) is None
    assert MeteredModel(Recorded([DONE]), FLAT).complete([user("u")]).cost == pytest.approx(0.002)
    stated = Recorded([DONE._replace(cost=0.5)])
    assert MeteredModel(stated, FLAT).complete([user("u")]).cost == 0.5
    assert MeteredModel(Recorded([DONE])).complete([user("u")]).cost is None


def test_prices_by_model(tmp_path: Path) -> None:
    """[ENDPOINT-PRICE]: that of the longest name with which the model's begins."""
    path = tmp_path / "prices.json"
    path.write_text(
        json.dumps(
            {"gpt-4o": [2.5, 10, 1.25], "gpt-4o-mini": {"prompt": 0.15, "completion": 0.6}, "*": [1, 1]}
        )
    )
    found = read_prices(str(path))
    assert found.of("gpt-4o-2024-08-06") == Price(2.5, 10, 1.25)
    assert found.of("gpt-4o-mini-2024") == Price(0.15, 0.6)
    assert found.of("llama") == Price(1, 1)
    assert read_prices("1,2,0.5").of("any") == Price(1, 2, 0.5)
    assert Prices({"a": Price(1, 2)}).of("b") is None


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "a,b",
        "1,2,3,4",
        "-1,2",
        "nan,1",
        "[]",
        "{}",
        '{"m": 1}',
        '{"m": [1, "2"]}',
        '{"m": {"in": 1}}',
        "[",
    ],
)
def test_what_is_no_price(text: str, tmp_path: Path) -> None:
    """[ENDPOINT-PRICE]."""
    if text[0] in "[{":
        (tmp_path / "p.json").write_text(text)
        text = str(tmp_path / "p.json")
    with pytest.raises(ValueError):
        read_prices(text)


def test_tokens_are_used_up() -> None:
    """[ENDPOINT-BUDGET]: what a call may take is asked for before it is made."""
    model = Recorded([DONE] * 9)
    budget = ModelBudget(tokens=4_000)
    metered = MeteredModel(model, budget=budget)
    for _ in range(2):
        metered.complete([user("u")], max_tokens=900)
    with pytest.raises(EndpointError) as raised:
        metered.complete([user("u")], max_tokens=1_200)
    assert raised.value.reason == "budget" and "3,000 of 4,000" in raised.value.detail
    assert len(model.asked) == 2 and budget.spent.tokens == 3_000
    metered.complete([user("u")], max_tokens=900)


def test_dollars_are_used_up() -> None:
    """[ENDPOINT-BUDGET]."""
    model = Recorded([DONE] * 9)
    metered = MeteredModel(model, FLAT, ModelBudget(dollars=0.005))
    for _ in range(2):
        metered.complete([user("u")], max_tokens=500)
    with pytest.raises(EndpointError, match=r"budget: \$0.0040 of \$0.0050"):
        metered.complete([user("u")], max_tokens=500)


def test_dollars_need_a_price() -> None:
    """[ENDPOINT-BUDGET]: of a call whose cost is not known there is no second one."""
    model = Recorded([DONE] * 9)
    metered = MeteredModel(model, budget=ModelBudget(dollars=5.0))
    metered.complete([user("u")])
    with pytest.raises(EndpointError, match="give the price"):
        metered.complete([user("u")])
    assert MeteredModel(Recorded([DONE._replace(cost=0.1)] * 2), budget=ModelBudget(dollars=5.0)).complete(
        [user("u")]
    )


def test_what_is_not_counted_is_estimated() -> None:
    """[ENDPOINT-BUDGET]: a reply without counts, and those that broke off."""
    budget = ModelBudget(tokens=10_000)
    cut = EndpointError("cut off", "", received=Completion("y" * 300, finish_reason="cut off"))
    broken = Completion("z" * 300, Usage(50, 1), finish_reason="server")
    model = Recorded([Completion("x" * 300), cut, DONE._replace(broken=(broken,))])
    metered = MeteredModel(model, budget=budget)
    metered.complete([user("u" * 300)])
    first = budget.spent.tokens
    assert 200 <= first <= 220
    with pytest.raises(EndpointError):
        metered.complete([user("u" * 300)])
    assert budget.spent.tokens == 2 * first
    metered.complete([user("u" * 300)])
    assert budget.spent.tokens == 2 * first + 1_500 + 150


def test_a_call_that_fails_costs_nothing() -> None:
    """[ENDPOINT-BUDGET]."""
    budget = ModelBudget(tokens=1_000)
    metered = MeteredModel(Recorded([EndpointError("server", ""), "x"]), budget=budget)
    with pytest.raises(EndpointError, match="server"):
        metered.complete([user("u")], max_tokens=900)
    assert budget.spent.tokens == 0
    metered.complete([user("u")], max_tokens=900)


def test_threads_never_spend_more_together() -> None:
    """[ENDPOINT-BUDGET]: a call waits for what others may yet give back, and none waits for ever."""
    budget = ModelBudget(tokens=10_000)
    costs = Completion("x", Usage(10, 490))
    metered = MeteredModel(Recorded(lambda messages: costs), budget=budget)
    ends: list[str] = []

    def work() -> None:
        try:
            while True:
                metered.complete([user("u")], max_tokens=2_000)
        except EndpointError as error:
            ends.append(error.reason)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)
    assert ends == ["budget"] * 6
    assert 7_500 < budget.spent.tokens <= 10_000


def test_what_is_no_budget() -> None:
    """[ENDPOINT-BUDGET]."""
    for given in ({"tokens": 0}, {"dollars": 0.0}, {"dollars": float("nan")}):
        with pytest.raises(ValueError):
            ModelBudget(**given)  # type: ignore[arg-type]


def test_the_estimate_has_all_parts_of_a_request() -> None:
    """[ENDPOINT-BUDGET]."""
    plain = estimated_prompt([user("a" * 30)], {})
    assert 10 <= plain <= 20
    assert estimated_prompt([user(("a" * 30, Image(b"1", "image/png")))], {}) > plain + 1_000
    assert estimated_prompt([user("a" * 30)], {"schema": {"type": "object"}}) > plain
