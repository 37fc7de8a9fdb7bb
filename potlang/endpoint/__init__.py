"""Chat models: behind an OpenAI-compatible HTTP endpoint, or recorded.

model = Endpoint.from_environment()
model.complete([user("What is 2 + 2?")]).text
"""

from potlang.endpoint.client import Endpoint
from potlang.endpoint.model import (
    Completion,
    EndpointError,
    Failure,
    Message,
    Model,
    Usage,
    assistant,
    system,
    user,
)
from potlang.endpoint.recorded import Recorded, RecordingEnded
from potlang.endpoint.sampling import Sampling

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
    "Usage",
    "assistant",
    "system",
    "user",
]
