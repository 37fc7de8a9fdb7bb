"""A refund policy, a text about it, and translations of the text."""

from __future__ import annotations

from typing import Any

POLICY: dict[str, Any] = {
    "sorts": [
        {"name": "Item", "type": "DeclareSort"},
        {"name": "Kind", "type": "EnumSort", "values": ["book", "electronics"]},
    ],
    "functions": [
        {"name": "days", "domain": ["Item"], "range": "Int", "description": "days since it was bought"},
        {"name": "kind", "domain": ["Item"], "range": "Kind"},
        {"name": "has_receipt", "domain": ["Item"], "range": "Bool"},
        {"name": "returnable", "domain": ["Item"], "range": "Bool"},
    ],
    "rules": [
        {
            "name": "thirty days",
            "forall": [{"name": "x", "sort": "Item"}],
            "constraint": "days(x) <= 30 and has_receipt(x) <-> returnable(x)",
        }
    ],
}
TEXT = "I bought it 20 days ago and have the receipt, so I may return it."
BOUGHT, RECEIPT, RETURN = "I bought it 20 days ago", "have the receipt", "I may return it"


def said(premises: dict[str, str], claims: dict[str, str], name: str = "item") -> dict[str, Any]:
    """A translation of formulas with their words; `it` stands for the individual."""

    def parts(of: dict[str, str]) -> list[dict[str, Any]]:
        return [{"formula": each.replace("it)", f"{name})"), "words": [words]} for each, words in of.items()]

    individuals = [{"name": name, "sort": "Item"}]
    return {"individuals": individuals, "premises": parts(premises), "claims": parts(claims)}


GOOD = said({"days(it) == 20": BOUGHT, "has_receipt(it)": RECEIPT}, {"returnable(it)": RETURN})
OTHER = said({"days(it) <= 20": BOUGHT, "has_receipt(it)": RECEIPT}, {"returnable(it)": RETURN})
