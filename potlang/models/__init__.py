"""Language models: endpoints, the loop that has them write programs, gold-standard solutions, evaluation.

    found = potlang.models.reason("Rex is an iguana. Is Rex a reptile?", attempts=3)
    potlang.models.reward(program, "refuted")

`endpoint` has models, `loop` and `replies` what every loop around one shares. `programs`, `traces` and
`solutions` are that loop for each language, in files of the same names; `programs.loop` is one to begin from.
`annotation`, `gold`, `training` and `evaluation` are built on them. Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.models import baselines as baselines
    from potlang.models.programs.loop import reason as reason
    from potlang.models.programs.reasoned import Reasoned as Reasoned
    from potlang.models.training import auxiliary_loss as auxiliary_loss
    from potlang.models.training import trace_records as trace_records
    from potlang.models.training.rewards import Reward as Reward
    from potlang.models.training.rewards import Weights as Weights
    from potlang.models.training.rewards import assess as assess
    from potlang.models.training.rewards import reward as reward
    from potlang.models.training.trace_records import BrokenShare as BrokenShare
    from potlang.models.training.trace_records import training_records as training_records
    from potlang.models.training.trace_rewards import TraceReward as TraceReward
    from potlang.models.training.trace_rewards import TraceWeights as TraceWeights
    from potlang.models.training.trace_rewards import assess_trace as assess_trace
    from potlang.models.training.trace_rewards import reward_trace as reward_trace

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.models.programs.loop": "reason",
        "potlang.models.programs.reasoned": "Reasoned",
        "potlang.models.training.rewards": "Reward Weights assess reward",
        "potlang.models.training.trace_rewards": "TraceReward TraceWeights assess_trace reward_trace",
        "potlang.models.training.trace_records": "BrokenShare training_records",
    },
    modules="baselines training.auxiliary_loss training.trace_records",
)
