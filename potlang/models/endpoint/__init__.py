"""Chat models: behind an OpenAI-compatible HTTP endpoint, or recorded.

model = Endpoint.from_environment()
model.complete([user("What is 2 + 2?")]).text
"""

from potlang.models.endpoint.client import Endpoint
from potlang.models.endpoint.model import (
    Completion,
    EndpointError,
    Failure,
    Message,
    Model,
    Sampling,
    Settings,
    Usage,
    assistant,
    system,
    user,
)
from potlang.models.endpoint.recorded import Recorded, RecordingEnded

__all__ = [
    "Completion",
    "Endpoint",
    "EndpointError",
    "Failure",
    "Message",
    "Model",
    "Recorded",
    "RecordingEnded",
    "Sampling",
    "Settings",
    "Usage",
    "assistant",
    "system",
    "user",
]
