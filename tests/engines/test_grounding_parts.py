"""Names that grounding gives to parts of formulas, of which the kernel knows nothing."""

from __future__ import annotations

from potlang.api import verify
from potlang.report.results import Limits

WAYS = ((0, 1), (1, 2), (3, 4), (4, 5), (5, 6), (6, 3))


def test_congruence_of_named_parts_is_no_line_of_a_refutation() -> None:
    """[GROUND-CLAUSES] [GROUND-ACCEPTED] Such a line was an internal error."""
    source = {
        "sorts": [{"name": "N", "type": "DeclareSort"}],
        "functions": [
            {"name": "edge", "domain": ["N", "N"], "range": "Bool", "closed": True},
            {"name": "reach", "domain": ["N"], "range": "Bool", "closed": True},
        ],
        "constants": {"n": {"sort": "N", "members": [f"c{at}" for at in range(7)]}},
        "knowledge_base": ["reach(c0)", *(f"edge(c{one}, c{other})" for one, other in WAYS)],
        "rules": [
            {
                "forall": [{"name": "x", "sort": "N"}, {"name": "y", "sort": "N"}],
                "implies": {"antecedent": "reach(x) and edge(x, y)", "consequent": "reach(y)"},
            }
        ],
        "verifications": [{"name": "claim", "constraint": "reach(c6)"}],
        "semantics": {"unique_names": True, "closed_domain": True},
    }
    report = verify(source, route="ground", limits=Limits(check_ms=2_000, total_ms=3_000))
    assert str(report.verdict) in ("refuted", "unknown")
