"""Language models: endpoints, the loop that has them write programs, gold-standard solutions, evaluation.

    found = potlang.models.reason("Rex is an iguana. Is Rex a reptile?", attempts=3)
    potlang.models.reward(program, "refuted")

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.models import baselines as baselines
    from potlang.models.loop import reason as reason
    from potlang.models.reasoned import Reasoned as Reasoned
    from potlang.models.rewards import Reward as Reward
    from potlang.models.rewards import Weights as Weights
    from potlang.models.rewards import assess as assess
    from potlang.models.rewards import reward as reward
    from potlang.models.trace_rewards import TraceReward as TraceReward
    from potlang.models.trace_rewards import TraceWeights as TraceWeights
    from potlang.models.trace_rewards import assess_trace as assess_trace
    from potlang.models.trace_rewards import reward_trace as reward_trace
    from potlang.models.trace_training import BrokenShare as BrokenShare
    from potlang.models.trace_training import training_records as training_records

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.models.loop": "reason",
        "potlang.models.reasoned": "Reasoned",
        "potlang.models.rewards": "Reward Weights assess reward",
        "potlang.models.trace_rewards": "TraceReward TraceWeights assess_trace reward_trace",
        "potlang.models.trace_training": "BrokenShare training_records",
    },
    modules="baselines",
)
