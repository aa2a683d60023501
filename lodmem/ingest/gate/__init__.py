"""The gate: whether what comes in is there already. Pure policy; it knows no store and no model."""

from lodmem.ingest.gate.policy import SKIP_FROM, UPDATE_FROM, is_copy, judge_experience, judge_pattern
from lodmem.ingest.gate.ratio import at_most, ratio
from lodmem.model.gate import GateVerdict, Verdict

__all__ = [
    "SKIP_FROM",
    "UPDATE_FROM",
    "GateVerdict",
    "Verdict",
    "at_most",
    "is_copy",
    "judge_experience",
    "judge_pattern",
    "ratio",
]
