"""From a document to a policy: numbered sentences, rules of a model that cite them, and checks of both.

    source = read_document(Path("refund.md").read_bytes(), "refund.md")
    report = build_policy(source, Endpoint.from_environment("NAME"))
    report.program, report.flags

Names are imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from potlang.utils.lazy import lazy_names

if TYPE_CHECKING:
    from potlang.policy.building.earlier import earlier_build as earlier_build
    from potlang.policy.building.fidelity import FidelityReport as FidelityReport
    from potlang.policy.building.fidelity import build_policy as build_policy
    from potlang.policy.building.fidelity import summary as summary
    from potlang.policy.building.journal import BuildJournal as BuildJournal
    from potlang.policy.building.journal import KeptReplies as KeptReplies
    from potlang.policy.building.reading import read_document as read_document

__getattr__, __dir__, __all__ = lazy_names(
    __name__,
    {
        "potlang.policy.building.earlier": "earlier_build",
        "potlang.policy.building.fidelity": "FidelityReport build_policy summary",
        "potlang.policy.building.journal": "BuildJournal KeptReplies",
        "potlang.policy.building.reading": "read_document",
    },
)
