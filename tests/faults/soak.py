"""How much the faults suite does: little in the normal suite, much with SOAK=1 in the environment (`make soak`)."""

from __future__ import annotations

import os

SOAK = os.environ.get("SOAK") == "1"
