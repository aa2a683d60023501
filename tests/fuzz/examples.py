"""How many examples each test takes: few in the normal suite, always the same; many and new ones with SOAK=1 (`make soak`)."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SOAK = os.environ.get("SOAK") == "1"


def examples(few: int, *, many: int = 8) -> settings:
    """`few` in the suite, `many` times as many in a soak."""
    return settings(
        max_examples=few * many if SOAK else few,
        derandomize=not SOAK,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )
