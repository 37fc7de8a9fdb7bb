"""Who is behind an endpoint: paths, headers, shapes, and the environment that names it ([ENDPOINT-ENV])."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from potlang.models.endpoint.anthropic import MESSAGES, VERSION, messages_body, of_forced_tool
from potlang.models.endpoint.chat import CHAT, chat_body
from potlang.models.endpoint.model import Completion
from potlang.models.endpoint.request import ModelRequest
from potlang.models.endpoint.stream import Dialect

Provider = Literal["openai", "azure", "anthropic"]

OPENAI_URL: Final = "https://api.openai.com/v1"
ANTHROPIC_URL: Final = "https://api.anthropic.com"
_NO_KEY: Final = "none"
"""Sent where there is no key: servers on one's own machine want none, some want the header."""
_AZURE_HOSTS: Final = (".openai.azure.com", ".cognitiveservices.azure.com")


class ProviderProtocol(NamedTuple):
    """How a provider is spoken to. `path` stands behind the base URL; `finished` has the last word on an
    answer, with the request's body.
    """

    path: str
    headers: Callable[[str | None], dict[str, str]]
    body: Callable[[ModelRequest], dict[str, Any]]
    dialect: Dialect
    finished: Callable[[Mapping[str, Any], Completion], Completion]


def _openai_headers(key: str | None) -> dict[str, str]:
    # The names that the official library knows too.
    account = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
    found = {name: os.environ.get(variable, "").strip() for name, variable in account.items()}
    return {
        "authorization": f"Bearer {key or _NO_KEY}",
        **{name: text for name, text in found.items() if text.isascii() and text.isprintable() and text},
    }


def _azure_headers(key: str | None) -> dict[str, str]:
    return {"api-key": key or _NO_KEY}


def _anthropic_headers(key: str | None) -> dict[str, str]:
    return {"x-api-key": key or _NO_KEY, "anthropic-version": VERSION}


def _as_it_is(body: Mapping[str, Any], done: Completion) -> Completion:
    return done


PROTOCOLS: Final[Mapping[Provider, ProviderProtocol]] = {
    "openai": ProviderProtocol("/chat/completions", _openai_headers, chat_body, CHAT, _as_it_is),
    "azure": ProviderProtocol("/chat/completions", _azure_headers, chat_body, CHAT, _as_it_is),
    "anthropic": ProviderProtocol("/messages", _anthropic_headers, messages_body, MESSAGES, of_forced_tool),
}


def provider_of(url: str) -> Provider:
    """Whose the address is, as far as it shows; else it is taken to speak OpenAI's protocol."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == urlsplit(ANTHROPIC_URL).hostname:
        return "anthropic"
    # Azure's newer form, below /openai/v1, is OpenAI's own.
    is_classic = "/openai/v1" not in parts.path
    if is_classic and (host.endswith(_AZURE_HOSTS) or "/openai/deployments/" in parts.path):
        return "azure"
    return "openai"


def address(provider: Provider, base_url: str, path: str) -> str:
    """The URL of a path of the provider; a query of the base URL stays behind it."""
    parts = urlsplit(base_url)
    before = parts.path.rstrip("/")
    # The base URL of Anthropic's library has no version in it.
    if provider == "anthropic" and not before.endswith("/v1"):
        before += "/v1"
    return _with_path(parts, before + path)


def _with_path(parts: SplitResult, path: str) -> str:
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def azure_url(base_url: str, deployment: str, version: str) -> str:
    """The base URL of a deployment; raises ValueError where neither it nor `version` has an API version."""
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/")
    if "/deployments/" not in path:
        path = f"{path.removesuffix('/openai')}/openai/deployments/{quote(deployment, safe='')}"
    query = parts.query
    if "api-version=" not in query:
        if not version:
            raise ValueError(
                "the Azure endpoint needs a version of its interface: ?api-version=… or OPENAI_API_VERSION"
            )
        query = "&".join(filter(None, (query, f"api-version={quote(version, safe='')}")))
    return urlunsplit((parts.scheme, parts.netloc, path, query, ""))


class EndpointPlace(NamedTuple):
    """An endpoint, and the key for it."""

    provider: Provider
    base_url: str
    key: str | None


def place_in_environment(base_url: str | None, provider: Provider | None, model: str) -> EndpointPlace:
    """The endpoint that is given, as far as it is, and else that of the environment ([ENDPOINT-ENV]).

    Raises ValueError where it is one of Azure without a version, or without an address.
    """
    if provider is None and not base_url:
        provider = _first_named()
        if provider == "openai" and (base_url := _variable(_URLS[provider])):
            # An address in the usual variable may be another provider's.
            provider = None
    if provider is None:
        provider = provider_of(base_url or OPENAI_URL)
    url = base_url or _variable(_URLS[provider]) or _USUAL[provider]
    if provider == "azure":
        if not url:
            raise ValueError("the Azure endpoint has no address: give one, or set AZURE_OPENAI_ENDPOINT")
        url = azure_url(url, model, _variable("OPENAI_API_VERSION"))
    key = next(filter(None, map(_variable, _KEYS[provider])), None)
    return EndpointPlace(provider, url, key)


_URLS: Final[Mapping[Provider, str]] = {
    "openai": "OPENAI_BASE_URL",
    "azure": "AZURE_OPENAI_ENDPOINT",
    "anthropic": "ANTHROPIC_BASE_URL",
}
_KEYS: Final[Mapping[Provider, tuple[str, ...]]] = {
    "openai": ("OPENAI_API_KEY",),
    "azure": ("AZURE_OPENAI_API_KEY", "OPENAI_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
}
_USUAL: Final[Mapping[Provider, str]] = {
    "openai": OPENAI_URL,
    "azure": "",
    "anthropic": ANTHROPIC_URL,
}


def _first_named() -> Provider:
    """The first provider that the environment has an address or a key of its own for."""
    named = (each for each in _URLS if _variable(_URLS[each]) or _variable(_KEYS[each][0]))
    return next(named, "openai")


def _variable(name: str) -> str:
    return os.environ.get(name, "").strip()
