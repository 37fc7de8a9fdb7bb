"""Chat models: behind an HTTP endpoint of OpenAI's protocol, Azure's or Anthropic's, or recorded.

model = Endpoint.from_environment()
model.complete([user("What is 2 + 2?")]).text
"""

from potlang.models.endpoint.client import Endpoint
from potlang.models.endpoint.metered import MeteredModel, ModelBudget, Price, Prices
from potlang.models.endpoint.model import (
    Completion,
    EndpointError,
    Failure,
    Image,
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
    "Image",
    "Message",
    "MeteredModel",
    "Model",
    "ModelBudget",
    "Price",
    "Prices",
    "Recorded",
    "RecordingEnded",
    "Sampling",
    "Settings",
    "Usage",
    "assistant",
    "system",
    "user",
]
