"""The schemas of what the commands of policies print, and values held to them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

ROOT = Path(__file__).parents[2]


@cache
def schemas() -> dict[str, Any]:
    return {each.stem: json.loads(each.read_text("utf-8")) for each in (ROOT / "schemas").glob("*.json")}


def validate(name: str, value: Any) -> None:
    found = [(f"urn:potlang:{key}", Resource.from_contents(each)) for key, each in schemas().items()]
    validator = Draft202012Validator(schemas()[name], registry=Registry().with_resources(found))
    errors = [f"{each.json_path}: {each.message:.200}" for each in validator.iter_errors(value)]
    assert not errors, "\n".join(errors[:10])
