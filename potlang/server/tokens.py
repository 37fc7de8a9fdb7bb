"""Who may call, and how much of everything each caller may have ([SERVE-TOKENS], [SERVE-LIMITS])."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from mcp.server.auth.provider import AccessToken

from potlang.report.results import Limits

_SHORTEST_TOKEN: Final = 16
_TOKEN: Final = re.compile(rf"[A-Za-z0-9._~+/-]{{{_SHORTEST_TOKEN},}}=*")
"""The characters of a bearer token (RFC 6750)."""
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_NUMBER: Final = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")


class CallerLimits(NamedTuple):
    """The most that one caller has: requests a second and at once, of each its bytes, time and memory.

    A `rate` of 0 is none: as many as the server answers.
    """

    rate: float = 0.0
    in_flight: int = 64
    bytes: int = 4 * 1024 * 1024
    seconds: float = Limits().total_ms / 1000
    megabytes: int = 4_096


class BearerToken(NamedTuple):
    """A token, the name that stands for it in metrics and logs, and its own limits."""

    text: str
    name: str
    limits: CallerLimits


class TokenError(ValueError):
    """A line that gives no token; the message does not have it."""


_SETTINGS: Final = {each.replace("_", "-"): each for each in CallerLimits._fields}


def read_tokens(lines: Iterable[str], usual: CallerLimits) -> list[BearerToken]:
    """The tokens of a file: one a line, behind it perhaps `name=…` and limits as `rate=10 in-flight=4`.

    Raises TokenError.
    """
    said = (line for each in lines if (line := each.strip()) and not line.startswith("#"))
    found = [_token(line.split(), number, usual) for number, line in enumerate(said, 1)]
    for what, each in (("token", [each.text for each in found]), ("name", [each.name for each in found])):
        if len(set(each)) < len(each):
            raise TokenError(f"two lines have the same {what}")
    return found


def _token(words: Sequence[str], number: int, usual: CallerLimits) -> BearerToken:
    text, *settings = words
    if not _TOKEN.fullmatch(text):
        raise TokenError(f"token {number} is not {_SHORTEST_TOKEN} or more letters, digits and -._~+/=")
    name, limits = f"token {number}", usual
    for each in settings:
        key, _, value = each.partition("=")
        if key == "name" and _NAME.fullmatch(value):
            name = value
        elif key in _SETTINGS and _NUMBER.fullmatch(value):
            limits = _with(limits, _SETTINGS[key], value, number)
        else:
            known = ", ".join(("name", *_SETTINGS))
            raise TokenError(f"token {number}: behind a token stand {known}, each with = and a value")
    return BearerToken(text, name, limits)


def _with(limits: CallerLimits, field: str, value: str, number: int) -> CallerLimits:
    kind = float if field in ("rate", "seconds") else int
    if kind is int and "." in value:
        raise TokenError(f"token {number}: {field.replace('_', '-')} is a whole number")
    if field != "rate" and not float(value):
        raise TokenError(f"token {number}: {field.replace('_', '-')} is more than 0")
    changed: dict[str, Any] = {field: kind(value)}
    return limits._replace(**changed)


class BearerTokens:
    """The tokens that are accepted, as the library's verifier of them."""

    def __init__(self, tokens: Sequence[BearerToken]) -> None:
        self._known = [(hashlib.sha256(each.text.encode()).digest(), each) for each in tokens]

    def find(self, text: str) -> BearerToken | None:
        """The token of this text."""
        # Digests are of one length, and all are compared: the time tells nothing of them.
        digest = hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()
        found = [token for known, token in self._known if hmac.compare_digest(known, digest)]
        return found[0] if found else None

    async def verify_token(self, token: str) -> AccessToken | None:
        """The access that a token gives, None for an unknown one."""
        found = self.find(token)
        return None if found is None else AccessToken(token=token, client_id=found.name, scopes=[])
