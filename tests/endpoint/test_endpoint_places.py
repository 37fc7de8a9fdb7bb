"""Which endpoint is meant: by an address, a provider, or the environment."""

from __future__ import annotations

import pytest
from chat_server import ChatServer

from potlang.models.endpoint import Endpoint, user
from potlang.models.endpoint.providers import address, provider_of

VARIABLES = (
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "AZURE_OPENAI_ENDPOINT",
    "AZURE_OPENAI_API_KEY",
    "OPENAI_API_VERSION",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_API_KEY",
    "POTLANG_MODEL",
    "HTTP_PROXY",
    "http_proxy",
)


@pytest.fixture(autouse=True)
def _empty(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "variables, provider, url, key",
    [
        ({}, "openai", "https://api.openai.com/v1", None),
        ({"ANTHROPIC_API_KEY": "a"}, "anthropic", "https://api.anthropic.com", "a"),
        ({"ANTHROPIC_BASE_URL": "http://localhost:1"}, "anthropic", "http://localhost:1", None),
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}, "openai", "https://api.openai.com/v1", "o"),
        (
            {"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com/", "OPENAI_API_VERSION": "2024-10-21"},
            "azure",
            "https://x.openai.azure.com/openai/deployments/m?api-version=2024-10-21",
            None,
        ),
        (
            {
                "OPENAI_BASE_URL": "https://x.openai.azure.com/openai/deployments/d?api-version=1",
                "OPENAI_API_KEY": "o",
            },
            "azure",
            "https://x.openai.azure.com/openai/deployments/d?api-version=1",
            "o",
        ),
        (
            {"OPENAI_BASE_URL": "https://x.openai.azure.com/openai/v1", "OPENAI_API_KEY": "o"},
            "openai",
            "https://x.openai.azure.com/openai/v1",
            "o",
        ),
    ],
    ids=str,
)
def test_the_environment_names_an_endpoint(
    variables: dict[str, str], provider: str, url: str, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[ENDPOINT-ENV] [ENDPOINT-AZURE]."""
    for name, text in variables.items():
        monkeypatch.setenv(name, text)
    found = Endpoint.from_environment("m")
    assert (found.provider, found.base_url, found.key) == (provider, url, key)


def test_what_is_given_counts_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-ENV]: a provider has its own key, and none of another's."""
    monkeypatch.setenv("OPENAI_API_KEY", "o")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a")
    found = Endpoint.from_environment("m", base_url="https://api.anthropic.com")
    assert (found.provider, found.key) == ("anthropic", "a")
    found = Endpoint.from_environment("m", base_url="http://localhost:2", provider="anthropic")
    assert (found.base_url, found.provider, found.key) == ("http://localhost:2", "anthropic", "a")


@pytest.mark.parametrize(
    "url", ["https://x.openai.azure.com", "https://x.openai.azure.com/openai/deployments/d"]
)
def test_azure_needs_a_version(url: str) -> None:
    """[ENDPOINT-AZURE]."""
    with pytest.raises(ValueError, match="OPENAI_API_VERSION"):
        Endpoint(model="m", base_url=url)
    with pytest.raises(ValueError, match="AZURE_OPENAI_ENDPOINT"):
        Endpoint.from_environment("m", provider="azure")


def test_an_address_with_a_deployment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """[ENDPOINT-AZURE]: with the resource alone, the deployment has the model's name."""
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with (
        ChatServer(["four"]) as server,
        Endpoint(model="d", base_url=f"{server.root}/openai", provider="azure") as model,
    ):
        assert model.complete([user("u")]).text == "four"
    assert server.received[0].path == "/openai/deployments/d/chat/completions?api-version=2024-10-21"


def test_who_an_address_belongs_to() -> None:
    """[ENDPOINT-ENV]: as far as it shows."""
    assert provider_of("https://api.anthropic.com/v1") == "anthropic"
    assert provider_of("https://anthropic.com.example.org/v1") == "openai"
    assert provider_of("https://x.cognitiveservices.azure.com/openai/deployments/d") == "azure"
    assert provider_of("http://gateway/openai/deployments/d") == "azure"
    assert provider_of("http://localhost:8000/v1") == "openai"


@pytest.mark.parametrize("url", ["https://api.anthropic.com", "https://api.anthropic.com/v1/"])
def test_the_version_in_anthropics_address_is_not_needed(url: str) -> None:
    """[ENDPOINT-ANTHROPIC]."""
    assert address("anthropic", url, "/messages") == "https://api.anthropic.com/v1/messages"
